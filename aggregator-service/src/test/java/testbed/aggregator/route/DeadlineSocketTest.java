package testbed.aggregator.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import testbed.support.deadline.Deadline;

/** A read of a socket whose other side says nothing. */
@Timeout(60)
class DeadlineSocketTest {

  private static final Deadline HOUR = Deadline.of(Duration.ofHours(1), Duration.ZERO);

  private ServerSocket server;
  private DeadlineSocket socket;

  @BeforeEach
  void connect() throws IOException {
    server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    socket = new DeadlineSocket();
    socket.connect(server.getLocalSocketAddress());
  }

  @AfterEach
  void close() throws IOException {
    socket.close();
    server.close();
  }

  @Test
  void endsAtTheDeadline() {
    try (var bound = Deadline.of(Duration.ofMillis(50), Duration.ZERO).bind()) {
      assertThatThrownBy(this::read).isInstanceOf(SocketTimeoutException.class);
    }
  }

  @Test
  void doesNotBeginAfterTheDeadline() {
    try (var bound = Deadline.of(Duration.ZERO, Duration.ZERO).bind()) {
      assertThatThrownBy(this::read).hasMessage("No answer in time");
    }
  }

  @Test
  void endsAtItsOwnLimitIfThatComesSooner() throws IOException {
    socket.setSoTimeout(1);

    assertThatThrownBy(this::read).isInstanceOf(SocketTimeoutException.class);
    try (var bound = HOUR.bind()) {
      assertThatThrownBy(this::read).isInstanceOf(SocketTimeoutException.class);
    }
  }

  @Test
  void keepsItsOwnLimitWhateverTheDeadlines() throws IOException {
    socket.setSoTimeout(20);
    try (var bound = Deadline.of(Duration.ofMillis(2), Duration.ZERO).bind()) {
      assertThatThrownBy(this::read).isInstanceOf(SocketTimeoutException.class);
    }

    assertThat(socket.getSoTimeout()).isEqualTo(20);
  }

  private int read() throws IOException {
    return socket.getInputStream().read(new byte[1], 0, 1);
  }
}
