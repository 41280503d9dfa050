package testbed.messaging;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class GatheredWritesTest {

  private final Connection connection = new Connection();
  private final GatheredWrites writes = new GatheredWrites(connection);

  @Test
  void sendWhatIsFlushedAndNothingBefore() throws Exception {
    connection.free();
    write("one");
    assertThat(connection.sent).isEmpty();

    writes.flush();

    await().untilAsserted(() -> assertThat(connection.sent).containsExactly("one"));
  }

  @Test
  void sendTogetherWhatComesWhileTheConnectionIsBusy() throws Exception {
    write("one ");
    writes.flush();
    await().until(connection::isBusy);
    for (var text : List.of("two ", "three ", "four")) {
      write(text);
      writes.flush();
    }

    connection.free();

    await().untilAsserted(() -> assertThat(connection.sent).hasSize(2));
    assertThat(connection.sent).containsExactly("one ", "two three four");
  }

  @Test
  void keepTheOrderAndAllBytesOfManyWriters() throws Exception {
    connection.free();
    try (var writers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 1_000; i++) {
        writers.submit(
            () -> {
              write("0123456789;");
              writes.flush();
              return null;
            });
      }
    }

    await()
        .untilAsserted(
            () ->
                assertThat(String.join("", connection.sent))
                    .isEqualTo("0123456789;".repeat(1_000)));
  }

  @Test
  void makeWritersWaitThatAreFasterThanTheConnection() throws Exception {
    var large = "x".repeat(100_000);
    write(large);
    try (var writer = Executors.newVirtualThreadPerTaskExecutor()) {
      var second =
          writer.submit(
              () -> {
                write(large);
                return null;
              });
      await().until(connection::isBusy);
      assertThat(second.isDone()).isFalse();

      connection.free();

      second.get(30, SECONDS);
    }
    assertThat(connection.sent).containsExactly(large);
  }

  @Test
  void failAfterAFailure() throws Exception {
    connection.failure = new IOException("reset");
    connection.free();
    write("one");
    writes.flush();

    await()
        .untilAsserted(
            () ->
                assertThatThrownBy(() -> write("two"))
                    .isInstanceOf(IOException.class)
                    .hasRootCauseMessage("reset"));
  }

  @Test
  void sendTheRestBeforeTheConnectionIsClosed() throws Exception {
    connection.free();
    write("bye");

    writes.sendRest();

    assertThat(connection.sent).containsExactly("bye");
  }

  private void write(String text) throws IOException {
    writes.write(text.getBytes(UTF_8));
  }

  /** Takes nothing until it is free. */
  private static final class Connection extends OutputStream {

    private final List<String> sent = new CopyOnWriteArrayList<>();
    private final CountDownLatch taking = new CountDownLatch(1);
    private volatile boolean busy;
    private volatile IOException failure;

    @Override
    public void write(int value) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      busy = true;
      try {
        taking.await();
      } catch (InterruptedException stopping) {
        Thread.currentThread().interrupt();
      }
      if (failure != null) {
        throw failure;
      }
      sent.add(new String(bytes, offset, length, UTF_8));
    }

    boolean isBusy() {
      return busy;
    }

    void free() {
      taking.countDown();
    }
  }
}
