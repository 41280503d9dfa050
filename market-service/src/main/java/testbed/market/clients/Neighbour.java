package testbed.market.clients;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Makes a report again and again, for experiments about what other parts notice of it. Each run
 * repeats it until this thread has used its CPU time: that is the same on a busy machine, while a
 * time by the clock would include the wait for a processor.
 *
 * <p>Runs are due at even intervals, so that each block of a measurement has as many. One that is
 * due while another is under way is skipped.
 */
class Neighbour implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(Neighbour.class);

  /** A report ends after a statement at most. */
  private static final Duration STOP = Duration.ofSeconds(5);

  private static final double NANOS = 1e9;

  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final Expense expense;
  private final Runnable report;
  private final MeterRegistry meters;
  private @Nullable Work work;

  Neighbour(Expense expense, Runnable report, MeterRegistry meters) {
    this.expense = expense;
    this.report = report;
    this.meters = meters;
  }

  @Override
  public boolean isAutoStartup() {
    return !expense.equals(Expense.OFF);
  }

  @Override
  public synchronized void start() {
    work = new Work();
    work.start();
  }

  @Override
  public synchronized void stop() {
    if (work != null) {
      work.end();
      work = null;
    }
  }

  @Override
  public synchronized boolean isRunning() {
    return work != null;
  }

  /** A platform thread: virtual ones have no CPU time of their own. */
  private final class Work extends Thread {

    private final CountDownLatch ended = new CountDownLatch(1);
    private final Counter complete = runs("complete");
    private final Counter failed = runs("failed");
    private final Counter skipped = runs("skipped");
    private final Counter cpu =
        Counter.builder("market.neighbour.cpu")
            .description("CPU time of the neighbour's reports")
            .baseUnit("seconds")
            .register(meters);

    Work() {
      super("neighbour");
      setDaemon(true);
    }

    private Counter runs(String outcome) {
      return Counter.builder("market.neighbour.runs")
          .description("Runs of the neighbour's reports that were due")
          .tag("outcome", outcome)
          .register(meters);
    }

    @Override
    public void run() {
      long interval = expense.interval().toNanos();
      long due = System.nanoTime() + interval;
      try {
        while (!ended.await(due - System.nanoTime(), TimeUnit.NANOSECONDS)) {
          report();
          due += interval;
          long late = System.nanoTime() - due;
          if (late >= 0) {
            long missed = late / interval + 1;
            skipped.increment(missed);
            due += missed * interval;
          }
        }
      } catch (InterruptedException stopped) {
        interrupt();
      }
    }

    private void report() {
      long start = threads.getCurrentThreadCpuTime();
      long end = start + expense.cpu().toNanos();
      try {
        do {
          report.run();
        } while (threads.getCurrentThreadCpuTime() < end && ended.getCount() > 0);
        complete.increment();
      } catch (RuntimeException away) {
        failed.increment();
        log.debug("Tried again at the next turn", away);
      } finally {
        cpu.increment((threads.getCurrentThreadCpuTime() - start) / NANOS);
      }
    }

    void end() {
      ended.countDown();
      try {
        join(STOP);
      } catch (InterruptedException stopped) {
        currentThread().interrupt();
      }
    }
  }
}
