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
 * Accepts no further connection at the limit: clients wait in the operating system's queue, as with
 * a servlet server.
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

  /** The first handler of the listening channel: it sees each accepted connection. */
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

    /** On the listening channel's event loop, so that no older count replaces a newer one. */
    private void take(ChannelHandlerContext server) {
      if (server.channel().isActive()) {
        server.channel().config().setAutoRead(open.get() < limit);
      }
    }
  }
}
