package testbed.gateway.client;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.netty.handler.timeout.WriteTimeoutHandler;
import java.time.Duration;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.stereotype.Component;
import reactor.netty.NettyPipeline;

/**
 * Closes the connection of a client that sends no first request, or does not read its answer: the
 * server would hold the answer in memory for as long as the client likes. A connection that rests
 * between requests has more time ({@code server.netty.idle-timeout}).
 *
 * <p>Like connections that clients have closed, these are not logged.
 */
@Component
class SlowClients implements WebServerFactoryCustomizer<NettyReactiveWebServerFactory> {

  private final ClientLimits limits;

  SlowClients(ClientLimits limits) {
    this.limits = limits;
  }

  @Override
  public void customize(NettyReactiveWebServerFactory factory) {
    factory.addServerCustomizers(
        server -> server.doOnChannelInit((observer, channel, remote) -> limit(channel.pipeline())));
  }

  private void limit(ChannelPipeline pipeline) {
    if (limits.readTime() != null) {
      pipeline.addFirst(new Reading(limits.readTime()));
    }
    if (limits.firstRequestTime() != null) {
      // After the codec: what counts is a whole head, not its bytes.
      pipeline.addBefore(
          NettyPipeline.HttpTrafficHandler,
          "first-request",
          new FirstRequest(limits.firstRequestTime()));
    }
  }

  private static final class Reading extends WriteTimeoutHandler {

    Reading(Duration time) {
      super(time.toMillis(), MILLISECONDS);
    }

    @Override
    protected void writeTimedOut(ChannelHandlerContext context) {
      context.close();
    }
  }

  private static final class FirstRequest extends ReadTimeoutHandler {

    FirstRequest(Duration time) {
      super(time.toMillis(), MILLISECONDS);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object request) {
      context.pipeline().remove(this);
      context.fireChannelRead(request);
    }

    @Override
    protected void readTimedOut(ChannelHandlerContext context) {
      context.close();
    }
  }
}
