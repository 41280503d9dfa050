package testbed.gateway.client;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.timeout.ReadTimeoutHandler;
import java.time.Duration;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.stereotype.Component;
import reactor.netty.NettyPipeline;

/**
 * Closes a connection whose first request does not come. A connection that rests between requests
 * has more time ({@code server.netty.idle-timeout}).
 */
@Component
class FirstRequests implements WebServerFactoryCustomizer<NettyReactiveWebServerFactory> {

  private final ClientLimits limits;

  FirstRequests(ClientLimits limits) {
    this.limits = limits;
  }

  @Override
  public void customize(NettyReactiveWebServerFactory factory) {
    var time = limits.firstRequestTime();
    if (time != null) {
      factory.addServerCustomizers(
          server ->
              server.doOnChannelInit(
                  (observer, channel, remote) ->
                      // After the codec: what counts is a whole head, not its bytes.
                      channel
                          .pipeline()
                          .addBefore(
                              NettyPipeline.HttpTrafficHandler, "first-request", new Limit(time))));
    }
  }

  private static final class Limit extends ReadTimeoutHandler {

    Limit(Duration time) {
      super(time.toMillis(), MILLISECONDS);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object request) {
      context.pipeline().remove(this);
      context.fireChannelRead(request);
    }

    /** Like a client that has closed its connection: not logged. */
    @Override
    protected void readTimedOut(ChannelHandlerContext context) {
      context.close();
    }
  }
}
