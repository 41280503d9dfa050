package testbed.bare;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.net.InetSocketAddress;

/** HTTP by Netty alone. */
final class NettyServer extends SimpleChannelInboundHandler<FullHttpRequest> {

  private static final int MAX_BODY = 16 << 20;

  private final Answers answers;

  private NettyServer(Answers answers) {
    this.answers = answers;
  }

  /** Returns the port, of the loopback address. */
  static int start(Answers answers) {
    var channel =
        new ServerBootstrap()
            .group(new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory()))
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, 1024)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel client) {
                    client
                        .pipeline()
                        .addLast(
                            new HttpServerCodec(),
                            new HttpObjectAggregator(MAX_BODY),
                            new NettyServer(answers));
                  }
                })
            .bind("127.0.0.1", 0)
            .syncUninterruptibly()
            .channel();
    return ((InetSocketAddress) channel.localAddress()).getPort();
  }

  @Override
  protected void channelRead0(ChannelHandlerContext client, FullHttpRequest request) {
    var asked = request.method() + " " + request.uri();
    var reply = answers.to(asked, ByteBufUtil.getBytes(request.content()));
    var response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            HttpResponseStatus.valueOf(reply.status()),
            Unpooled.wrappedBuffer(reply.body()));
    reply.headers().forEach(response.headers()::set);
    HttpUtil.setContentLength(response, reply.body().length);
    client.writeAndFlush(response);
  }
}
