package testbed.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class WriteLimitTest {

  private static final Duration LIMIT = Duration.ofMillis(200);

  private final WriteLimit sockets = new WriteLimit(LIMIT, false);

  @Test
  void endsAWriteOfWhichTheOtherSideTakesNothing() throws Exception {
    try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        var socket = sockets.createSocket()) {
      socket.connect(server.getLocalSocketAddress());
      var stream = socket.getOutputStream();

      assertTimeoutPreemptively(
          Duration.ofMinutes(1),
          () ->
              assertThatThrownBy(
                      () -> {
                        while (true) {
                          stream.write(new byte[1 << 20]);
                        }
                      })
                  .isInstanceOf(IOException.class));
      assertThat(socket.isClosed()).isTrue();
    }
  }

  @Test
  void leavesAConnectionAloneOverWhichNothingIsSent() {
    // On a busy machine a write itself may take longer.
    await()
        .atMost(Duration.ofMinutes(1))
        .ignoreExceptions()
        .untilAsserted(this::sendsAgainAfterAPause);
  }

  private void sendsAgainAfterAPause() throws Exception {
    try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        var socket = sockets.createSocket()) {
      socket.connect(server.getLocalSocketAddress());
      try (var other = server.accept()) {
        var stream = socket.getOutputStream();
        stream.write(1);
        Thread.sleep(LIMIT.multipliedBy(2));

        stream.write(2);

        assertThat(other.getInputStream().readNBytes(2)).containsExactly(1, 2);
      }
    }
  }
}
