package testbed.cinema;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessResourceFailureException;
import testbed.support.deadline.Deadline;

/**
 * Calls to a resource: each with a command of its own, or those together that come while others are
 * being carried out. A command begins after each of its calls, so no caller gets an older answer.
 *
 * @param <Q> what a caller wants
 * @param <A> what it gets
 */
public final class JoinedCalls<Q, A> {

  /** Concurrent commands: one that hangs must not delay all others. */
  private static final int COMMANDS = 2;

  private final int together;
  private final Predicate<Deadline> inTime;
  private final Consumer<List<Call<Q, A>>> command;
  private final Queue<Call<Q, A>> waiting = new ConcurrentLinkedQueue<>();
  private final Semaphore commands = new Semaphore(COMMANDS);

  /**
   * @param together the most calls in one command
   * @param inTime whether a call with this deadline is still carried out
   * @param command carries out calls: it answers each of them, or throws what all of them get
   */
  public JoinedCalls(int together, Predicate<Deadline> inTime, Consumer<List<Call<Q, A>>> command) {
    this.together = together;
    this.inTime = inTime;
    this.command = command;
  }

  /**
   * Waits for the answer to a call, as long as its thread's request may take.
   *
   * @throws NotAnswered if it does not come in time, or the command breaks off
   */
  public A call(Q wanted) {
    var call = new Call<Q, A>(wanted);
    if (together == 1) {
      carryOut(List.of(call));
    } else {
      waiting.add(call);
      if (commands.tryAcquire()) {
        // On a thread of its own: the caller's would also have to carry out later calls.
        Thread.startVirtualThread(this::carryOutWaiting);
      }
    }
    return call.await();
  }

  /** Calls that no command has taken yet. */
  public int waiting() {
    return waiting.size();
  }

  private void carryOutWaiting() {
    do {
      try {
        for (var batch = batch(); !batch.isEmpty(); batch = batch()) {
          carryOut(batch);
        }
      } finally {
        commands.release();
      }
      // A caller that came since the last look has found no free command.
    } while (!waiting.isEmpty() && commands.tryAcquire());
  }

  private List<Call<Q, A>> batch() {
    var batch = new ArrayList<Call<Q, A>>();
    while (batch.size() < together) {
      var next = waiting.poll();
      if (next == null) {
        break;
      }
      if (next.begin(inTime)) {
        batch.add(next);
      }
    }
    return batch;
  }

  private void carryOut(List<Call<Q, A>> batch) {
    try {
      command.accept(batch);
    } catch (RuntimeException failure) {
      batch.forEach(call -> call.fail(failure));
    } catch (Error failure) {
      // Their callers would wait for ever.
      batch.forEach(call -> call.fail(new NotAnswered(true, failure)));
    }
  }

  /** A call and its answer. */
  public static final class Call<Q, A> {

    private final Q wanted;
    private final CompletableFuture<A> answer = new CompletableFuture<>();
    private final AtomicBoolean decided = new AtomicBoolean();

    /** The deadline of the waiting request. */
    private final @Nullable Deadline deadline = Deadline.current();

    private Call(Q wanted) {
      this.wanted = wanted;
    }

    /** What the caller wants. */
    public Q wanted() {
      return wanted;
    }

    /** Gives the caller its answer, unless it has one. */
    public void answer(A result) {
      answer.complete(result);
    }

    /** Gives the caller an exception, unless it has an answer. */
    public void fail(RuntimeException failure) {
      answer.completeExceptionally(failure);
    }

    /** Whether to carry it out: its caller still waits and will learn the result. */
    private boolean begin(Predicate<Deadline> inTime) {
      return (deadline == null || inTime.test(deadline)) && decided.compareAndSet(false, true);
    }

    private A await() {
      try {
        return deadline == null ? answer.get() : answer.get(deadline.millisLeft(), MILLISECONDS);
      } catch (ExecutionException failed) {
        throw (RuntimeException) failed.getCause();
      } catch (TimeoutException late) {
        throw givenUp(late);
      } catch (InterruptedException stopping) {
        Thread.currentThread().interrupt();
        throw givenUp(stopping);
      }
    }

    private NotAnswered givenUp(Exception reason) {
      return new NotAnswered(!decided.compareAndSet(false, true), reason);
    }
  }

  /** There is no answer to a call. */
  public static final class NotAnswered extends DataAccessResourceFailureException {

    private final boolean begun;

    private NotAnswered(boolean begun, Throwable reason) {
      super("There was no answer in time", reason);
      this.begun = begun;
    }

    /** Whether a command had taken it; otherwise it will never be carried out. */
    public boolean isBegun() {
      return begun;
    }
  }
}
