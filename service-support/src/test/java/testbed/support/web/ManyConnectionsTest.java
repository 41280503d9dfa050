package testbed.support.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
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

  private static final String REQUEST = "GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n";
  private static final int OPEN_AT_MOST = 500;
  private static final int SOON_MILLIS = 500;
  private static final int PATIENCE_MILLIS = 20_000;

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Server {}

  @LocalServerPort int port;

  private final List<Socket> open = new ArrayList<>();

  @AfterEach
  void close() throws IOException {
    for (var one : open) {
      one.close();
    }
  }

  @Test
  void letsAFurtherConnectionWaitUntilOneIsClosed() throws IOException {
    for (int i = 0; i < OPEN_AT_MOST; i++) {
      open.add(sending("GET /not"));
    }
    try (var further = sending(REQUEST)) {
      further.setSoTimeout(SOON_MILLIS);
      assertThatThrownBy(() -> further.getInputStream().read())
          .isInstanceOf(SocketTimeoutException.class);

      open.removeLast().close();

      assertAnswered(further);
    }
  }

  @Test
  void answersFurtherConnectionsThoughTheOthersAreKept() throws IOException {
    for (int i = 0; i < 2 * OPEN_AT_MOST; i++) {
      open.add(sending(REQUEST));
      assertAnswered(open.getLast());
    }
  }

  private Socket sending(String bytes) throws IOException {
    var socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.getOutputStream().write(bytes.getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  private static void assertAnswered(Socket socket) throws IOException {
    socket.setSoTimeout(PATIENCE_MILLIS);
    assertThat(socket.getInputStream().read()).isEqualTo('H');
  }
}
