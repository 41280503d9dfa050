package testbed.gateway.problem;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import reactor.netty.NettyPipeline;
import testbed.support.problem.Problems;
import tools.jackson.databind.json.JsonMapper;

/**
 * Adds a problem body to refusals that happen before the gateway: the decoder (not HTTP, headers
 * too large) and the framework's adapter (a malformed URI) answer with a bare status, and neither
 * is configurable. Also refuses requests without exactly one valid {@code Host} (RFC 9112, 3.2),
 * which the framework takes.
 */
@Component
public class ServerRefusals implements WebServerFactoryCustomizer<NettyReactiveWebServerFactory> {

  private final JsonMapper json;

  public ServerRefusals(JsonMapper json) {
    this.json = json;
  }

  @Override
  public void customize(NettyReactiveWebServerFactory factory) {
    var body = new Body();
    factory.addServerCustomizers(
        server ->
            server.doOnChannelInit(
                (observer, channel, remote) ->
                    // After the codec and before the handlers.
                    channel
                        .pipeline()
                        .addBefore(NettyPipeline.HttpTrafficHandler, "refusals", body)
                        .addBefore(NettyPipeline.HttpTrafficHandler, "host", new OneHost())));
  }

  private static final class OneHost extends ChannelInboundHandlerAdapter {

    /** What no host and port has; brackets and ports are for the framework. */
    private static final String NEVER_IN_HOST = "/?#@\\\"<>^`{|}";

    private static final DecoderResult REFUSED =
        DecoderResult.failure(new IllegalArgumentException("Not exactly one valid Host"));

    private boolean hasRefused;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (hasRefused) {
        // The connection is closed after the refusal.
        ReferenceCountUtil.release(message);
        return;
      }
      if (message instanceof HttpRequest request
          && request.decoderResult().isSuccess()
          && !hasOneHost(request)) {
        hasRefused = true;
        request.setDecoderResult(REFUSED);
      }
      context.fireChannelRead(message);
    }

    private static boolean hasOneHost(HttpRequest request) {
      var hosts = request.headers().valueStringIterator(HttpHeaderNames.HOST);
      return hosts.hasNext()
          ? isValid(hosts.next()) && !hosts.hasNext()
          : !HttpVersion.HTTP_1_1.equals(request.protocolVersion());
    }

    private static boolean isValid(String host) {
      for (int i = 0; i < host.length(); i++) {
        char character = host.charAt(i);
        if (character <= ' ' || character > '~' || NEVER_IN_HOST.indexOf(character) >= 0) {
          return false;
        }
      }
      return true;
    }
  }

  @ChannelHandler.Sharable
  private final class Body extends ChannelOutboundHandlerAdapter {

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
      context.write(
          message instanceof FullHttpResponse response && isBareRefusal(response)
              ? explained(response)
              : message,
          promise);
    }

    private boolean isBareRefusal(FullHttpResponse response) {
      return response.status().codeClass() == HttpStatusClass.CLIENT_ERROR
          && !response.content().isReadable()
          && !response.headers().contains(HttpHeaderNames.CONTENT_TYPE);
    }

    private FullHttpResponse explained(FullHttpResponse bare) {
      var status = HttpStatusCode.valueOf(bare.status().code());
      var body = json.writeValueAsBytes(Problems.ofStatus(status));
      var explained = bare.replace(Unpooled.wrappedBuffer(body));
      explained
          .headers()
          .set(HttpHeaderNames.CONTENT_TYPE, MediaType.APPLICATION_PROBLEM_JSON_VALUE)
          .set(HttpHeaderNames.CONTENT_LENGTH, body.length);
      bare.release();
      return explained;
    }
  }
}
