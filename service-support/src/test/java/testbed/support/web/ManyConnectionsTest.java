package testbed.support.web;

import static org.assertj.core.api.Assertions.assertThat;
import static testbed.support.testing.HeldConnections.HALF_A_REQUEST;
import static testbed.support.testing.HeldConnections.REQUEST;
import static testbed.support.testing.HeldConnections.isAnswered;
import static testbed.support.testing.HeldConnections.waits;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Configuration;
import testbed.support.testing.HeldConnections;

/** More clients than the heap could serve. */
@SpringBootTest(
    classes = ManyConnectionsTest.Server.class,
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = {
      "spring.config.import=classpath:testbed-defaults.yml",
      "spring.application.name=many-connections",
      // Half a request must not be given up meanwhile.
      "server.tomcat.connection-timeout=60s",
      "management.server.port=8180"
    })
class ManyConnectionsTest {

  private static final int OPEN_AT_MOST = 500;

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Server {}

  @LocalServerPort int port;

  @Test
  void letsAFurtherConnectionWaitUntilOneIsClosed() throws IOException {
    try (var clients = new HeldConnections(port)) {
      clients.open(OPEN_AT_MOST, HALF_A_REQUEST);

      var further = clients.opened(REQUEST);

      assertThat(waits(further)).isTrue();
      clients.closeFirst();
      assertThat(isAnswered(further)).isTrue();
    }
  }

  @Test
  void answersFurtherConnectionsThoughTheOthersAreKept() throws IOException {
    try (var clients = new HeldConnections(port)) {
      for (int i = 0; i < 2 * OPEN_AT_MOST; i++) {
        assertThat(isAnswered(clients.opened(REQUEST))).isTrue();
      }
    }
  }
}
