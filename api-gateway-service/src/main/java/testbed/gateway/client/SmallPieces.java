package testbed.gateway.client;

import static io.netty.buffer.Unpooled.EMPTY_BUFFER;
import static io.netty.handler.codec.http.HttpHeaderNames.CONNECTION;
import static io.netty.handler.codec.http.HttpHeaderNames.CONTENT_LENGTH;
import static io.netty.handler.codec.http.HttpHeaderValues.CLOSE;
import static io.netty.handler.codec.http.HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE;
import static io.netty.handler.codec.http.HttpVersion.HTTP_1_1;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.util.ReferenceCountUtil;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.stereotype.Component;
import reactor.netty.NettyPipeline;
import testbed.support.web.BodyPieces;
import testbed.support.web.WebSettings;

/**
 * Refuses a body that comes in too many pieces, before they cost more than their decoding: with
 * 413, or by closing the connection if the request was answered meanwhile. So it also ends a body
 * that nobody reads, which the server would otherwise drop piece by piece without end.
 */
@Component
class SmallPieces implements WebServerFactoryCustomizer<NettyReactiveWebServerFactory> {

  private final WebSettings settings;

  SmallPieces(WebSettings settings) {
    this.settings = settings;
  }

  @Override
  public void customize(NettyReactiveWebServerFactory factory) {
    factory.addServerCustomizers(
        server ->
            server.doOnChannelInit(
                (observer, channel, remote) ->
                    channel
                        .pipeline()
                        .addBefore(
                            NettyPipeline.HttpTrafficHandler,
                            "small-pieces",
                            new Counted(new BodyPieces(settings)))));
  }

  /** Between the codec and the handlers of one connection. */
  static final class Counted extends ChannelDuplexHandler {

    private final BodyPieces pieces;
    private boolean isAnswered;
    private boolean hasRefused;

    Counted(BodyPieces pieces) {
      this.pieces = pieces;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (message instanceof HttpRequest) {
        pieces.clear();
        isAnswered = false;
      }
      if (hasRefused) {
        ReferenceCountUtil.release(message);
      } else if (message instanceof HttpContent content
          && pieces.isOneTooMany(content.content().readableBytes())) {
        hasRefused = true;
        content.release();
        refuse(context);
      } else {
        context.fireChannelRead(message);
      }
    }

    /** With a bare refusal, to which ServerRefusals adds a problem. It ends the connection. */
    private void refuse(ChannelHandlerContext context) {
      if (isAnswered) {
        context.close();
        return;
      }
      var refusal = new DefaultFullHttpResponse(HTTP_1_1, REQUEST_ENTITY_TOO_LARGE, EMPTY_BUFFER);
      refusal.headers().set(CONNECTION, CLOSE).setInt(CONTENT_LENGTH, 0);
      context.channel().writeAndFlush(refusal);
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
      isAnswered |=
          message instanceof HttpResponse answer
              && answer.status().codeClass() != HttpStatusClass.INFORMATIONAL;
      context.write(message, promise);
    }
  }
}
