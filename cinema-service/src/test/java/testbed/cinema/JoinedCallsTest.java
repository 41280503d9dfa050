package testbed.cinema;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import testbed.cinema.JoinedCalls.Call;
import testbed.cinema.JoinedCalls.NotAnswered;
import testbed.support.deadline.Deadline;

/** Calls that share a command, which goes on when the test says so. */
@Timeout(60)
class JoinedCallsTest {

  private static final int PATIENCE_SECONDS = 30;

  /** As many as there are at once. */
  private static final int COMMANDS = 2;

  private final JoinedCalls<String, String> calls =
      new JoinedCalls<>(3, deadline -> true, this::carryOut);
  private final ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();
  private final Semaphore permits = new Semaphore(0);
  private final List<List<String>> begun = new ArrayList<>();

  @AfterEach
  void stop() {
    permits.release(100);
    callers.close();
  }

  @Test
  void waitForNoOthers() throws Exception {
    permits.release();

    assertThat(call("alone").get(PATIENCE_SECONDS, SECONDS)).isEqualTo("alone of 1");
  }

  @Test
  void shareACommandThatBeginsAfterAllOfThem() throws Exception {
    occupyAllCommands();
    var later = new ArrayList<Future<String>>();
    for (var name : List.of("a", "b", "c", "d")) {
      later.add(call(name));
      await().until(() -> calls.waiting() == later.size());
    }
    assertThat(begun()).hasSize(COMMANDS);

    permits.release(100);

    assertThat(later.getFirst().get(PATIENCE_SECONDS, SECONDS)).isEqualTo("a of 3");
    assertThat(later.getLast().get(PATIENCE_SECONDS, SECONDS)).isEqualTo("d of 1");
    assertThat(begun().subList(COMMANDS, 4))
        .containsExactlyInAnyOrder(List.of("a", "b", "c"), List.of("d"));
  }

  @Test
  void failTogetherIfTheirCommandDoes() throws Exception {
    occupyAllCommands();
    var refused = call("fail");
    await().until(() -> calls.waiting() == 1);
    var beside = call("beside");
    await().until(() -> calls.waiting() == 2);

    permits.release(100);

    for (var call : List.of(refused, beside)) {
      assertThatThrownBy(() -> call.get(PATIENCE_SECONDS, SECONDS))
          .hasCauseInstanceOf(IllegalStateException.class);
    }
    assertThat(call("later").get(PATIENCE_SECONDS, SECONDS)).isEqualTo("later of 1");
  }

  @Test
  void areNotCarriedOutForACallerWhoHasGivenUp() throws Exception {
    occupyAllCommands();

    assertThatThrownBy(() -> callWithin(Duration.ofMillis(50)).get(PATIENCE_SECONDS, SECONDS))
        .cause()
        .isInstanceOfSatisfying(NotAnswered.class, late -> assertThat(late.isBegun()).isFalse());
    permits.release(100);

    await().until(() -> calls.waiting() == 0);
    assertThat(begun()).hasSize(COMMANDS);
  }

  @Test
  void sayIfACommandHadTakenThem() {
    // On a busy machine its time may be over before the command begins.
    await()
        .untilAsserted(
            () ->
                assertThatThrownBy(
                        () -> callWithin(Duration.ofMillis(500)).get(PATIENCE_SECONDS, SECONDS))
                    .cause()
                    .isInstanceOfSatisfying(
                        NotAnswered.class, late -> assertThat(late.isBegun()).isTrue()));
  }

  private void occupyAllCommands() {
    for (int command = 1; command <= COMMANDS; command++) {
      var number = command;
      call("first");
      await().until(() -> begun().size() == number);
    }
  }

  private Future<String> call(String name) {
    return callers.submit(() -> calls.call(name));
  }

  private Future<String> callWithin(Duration patience) {
    return callers.submit(
        () -> {
          try (var bound = Deadline.of(patience, Duration.ZERO).bind()) {
            return calls.call("late");
          }
        });
  }

  private List<List<String>> begun() {
    synchronized (begun) {
      return List.copyOf(begun);
    }
  }

  private void carryOut(List<Call<String, String>> batch) {
    synchronized (begun) {
      begun.add(batch.stream().map(Call::wanted).toList());
    }
    permits.acquireUninterruptibly();
    if (batch.getFirst().wanted().equals("fail")) {
      throw new IllegalStateException("for this test");
    }
    batch.forEach(call -> call.answer(call.wanted() + " of " + batch.size()));
  }
}
