package testbed.gateway.client;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.timeout.WriteTimeoutHandler;
import java.time.Duration;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.stereotype.Component;

/**
 * Closes the connection of a client that does not read its answer. The server would hold the answer
 * in memory for as long as the client likes.
 */
@Component
class SlowReaders implements WebServerFactoryCustomizer<NettyReactiveWebServerFactory> {

  private final ClientLimits limits;

  SlowReaders(ClientLimits limits) {
    this.limits = limits;
  }

  @Override
  public void customize(NettyReactiveWebServerFactory factory) {
    var time = limits.readTime();
    if (time != null) {
      factory.addServerCustomizers(
          server ->
              server.doOnChannelInit(
                  (observer, channel, remote) -> channel.pipeline().addFirst(new Limit(time))));
    }
  }

  private static final class Limit extends WriteTimeoutHandler {

    Limit(Duration time) {
      super(time.toMillis(), MILLISECONDS);
    }

    /** Like a client that has closed its connection: not logged. */
    @Override
    protected void writeTimedOut(ChannelHandlerContext context) {
      context.close();
    }
  }
}
