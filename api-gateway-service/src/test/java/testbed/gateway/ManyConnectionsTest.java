package testbed.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static testbed.support.testing.HeldConnections.HALF_A_REQUEST;
import static testbed.support.testing.HeldConnections.REQUEST;
import static testbed.support.testing.HeldConnections.isAnswered;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.test.context.TestPropertySource;
import testbed.support.testing.HeldConnections;

/** More clients than there may be connections. */
@TestPropertySource(
    properties = {"gateway.client.connections=20", "gateway.client.first-request-time=3s"})
class ManyConnectionsTest extends RunningGateway {

  private static final int OPEN_AT_MOST = 20;

  /** That the server takes before it looks at their number again. */
  private static final int AT_ONCE = 16;

  @Test
  void letsAFurtherConnectionWaitUntilThoseWithoutARequestAreClosed() throws IOException {
    try (var clients = new HeldConnections(port)) {
      long began = System.nanoTime();
      var first = clients.opened(HALF_A_REQUEST);
      clients.open(OPEN_AT_MOST + AT_ONCE, HALF_A_REQUEST);

      var further = clients.opened(REQUEST);

      assertThat(isAnswered(further)).isTrue();
      // None of the others was closed before.
      assertThat(Duration.ofNanos(System.nanoTime() - began))
          .isGreaterThanOrEqualTo(Duration.ofSeconds(3));
      assertThat(isAnswered(first)).isFalse();
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
