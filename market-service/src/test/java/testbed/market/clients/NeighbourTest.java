package testbed.market.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class NeighbourTest {

  private final MeterRegistry meters = new SimpleMeterRegistry();
  private final AtomicInteger reports = new AtomicInteger();

  /** Of 20 ms, at intervals of 200 ms. */
  @Test
  void usesCpuAtIntervals() {
    var neighbour = neighbour("5:20", reports::incrementAndGet);

    await().until(() -> runs("complete") >= 2);
    neighbour.stop();

    assertThat(cpu()).isGreaterThanOrEqualTo(runs("complete") * 0.020);
    assertThat(reports.get()).isGreaterThan((int) runs("complete"));
    assertThat(runs("failed")).isZero();
  }

  /** Of 50 ms, at intervals of 10 ms. */
  @Test
  void skipsWhatIsDueMeanwhile() {
    var neighbour = neighbour("99:50", reports::incrementAndGet);

    await().until(() -> runs("complete") >= 2);
    neighbour.stop();

    assertThat(runs("skipped")).isGreaterThanOrEqualTo(4);
  }

  @Test
  void goesOnAfterAFailure() {
    var neighbour =
        neighbour(
            "20:1",
            () -> {
              if (reports.incrementAndGet() == 1) {
                throw new IllegalStateException("away");
              }
            });

    await().until(() -> runs("complete") >= 1);
    neighbour.stop();

    assertThat(runs("failed")).isEqualTo(1);
  }

  @Test
  void stopsInTheMiddleOfARun() throws InterruptedException {
    var begun = new CountDownLatch(1);
    var neighbour = neighbour("20:9999", begun::countDown);
    begun.await();

    neighbour.stop();

    assertThat(neighbour.isRunning()).isFalse();
    assertThat(cpu()).isLessThan(9.999);
    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .doesNotContain("neighbour");
  }

  @Test
  void doesNothingIfItIsOff() {
    assertThat(new Neighbour(Expense.OFF, reports::incrementAndGet, meters).isAutoStartup())
        .isFalse();
  }

  private Neighbour neighbour(String expense, Runnable report) {
    var neighbour = new Neighbour(Expense.valueOf(expense), report, meters);
    neighbour.start();
    return neighbour;
  }

  private double runs(String outcome) {
    return meters.get("market.neighbour.runs").tag("outcome", outcome).counter().count();
  }

  private double cpu() {
    return meters.get("market.neighbour.cpu").counter().count();
  }
}
