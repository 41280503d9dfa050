package testbed.support.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Configuration;

/** More clients than the heap could serve. */
@SpringBootTest(
    classes = ManyConnectionsTest.Server.class,
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = {
      "spring.config.import=classpath:testbed-defaults.yml",
      "spring.application.name=many-connections",
      "management.server.port=8180",
      "spring.rabbitmq.listener.simple.auto-startup=false",
      "management.health.rabbit.enabled=false"
    })
class ManyConnectionsTest {

  private static final int OPEN_AT_MOST = 500;
  private static final int SOON_MILLIS = 500;
  private static final int PATIENCE_MILLIS = 20_000;

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Server {}

  @LocalServerPort int port;

  @Test
  void letsAFurtherConnectionWaitUntilOneIsClosed() throws IOException {
    var open = new ArrayList<Socket>();
    try {
      for (int i = 0; i < OPEN_AT_MOST; i++) {
        open.add(asking());
        assertAnswered(open.getLast());
      }
      try (var further = asking()) {
        further.setSoTimeout(SOON_MILLIS);
        assertThatThrownBy(() -> further.getInputStream().read())
            .isInstanceOf(SocketTimeoutException.class);

        open.removeLast().close();

        assertAnswered(further);
      }
    } finally {
      for (var one : open) {
        one.close();
      }
    }
  }

  private Socket asking() throws IOException {
    var socket = new Socket(InetAddress.getLoopbackAddress(), port);
    var request = "GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n";
    socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  private static void assertAnswered(Socket socket) throws IOException {
    socket.setSoTimeout(PATIENCE_MILLIS);
    assertThat(socket.getInputStream().read()).isEqualTo('H');
  }
}
