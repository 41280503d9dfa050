package testbed.gateway.client;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.stereotype.Component;
import testbed.support.web.Crowding;

/**
 * Takes no further connection while as many are open as may be: it waits in the system's queue, as
 * it would for a servlet server.
 */
@Component
class OpenConnections implements WebServerFactoryCustomizer<NettyReactiveWebServerFactory> {

  private final int limit;
  private final AtomicInteger open = new AtomicInteger();

  OpenConnections(ClientLimits limits) {
    var set = limits.connections();
    this.limit = set == null ? Integer.MAX_VALUE : set;
  }

  @Override
  public void customize(NettyReactiveWebServerFactory factory) {
    factory.addServerCustomizers(
        server -> server.doOnBound(bound -> bound.channel().pipeline().addFirst(new Counted())));
  }

  /** Whether to close a connection after its answer. */
  boolean areCrowded() {
    return Crowding.closes(open.get(), limit);
  }

  /** Stands before the handler of the server's own channel that takes connections. */
  private final class Counted extends ChannelInboundHandlerAdapter {

    @Override
    public void channelRead(ChannelHandlerContext server, Object connection) {
      open.incrementAndGet();
      take(server);
      ((Channel) connection).closeFuture().addListener(closed -> oneLess(server));
      server.fireChannelRead(connection);
    }

    private void oneLess(ChannelHandlerContext server) {
      if (open.getAndDecrement() >= limit) {
        server.executor().execute(() -> take(server));
      }
    }

    /** Only in the server's own thread: the last count decides. */
    private void take(ChannelHandlerContext server) {
      if (server.channel().isActive()) {
        server.channel().config().setAutoRead(open.get() < limit);
      }
    }
  }
}
