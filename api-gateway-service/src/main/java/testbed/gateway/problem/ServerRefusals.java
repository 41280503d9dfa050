package testbed.gateway.problem;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpStatusClass;
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
 * is configurable.
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
                        .addBefore(NettyPipeline.HttpTrafficHandler, "refusals", body)));
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
