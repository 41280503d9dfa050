import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

/** Keeps the loop from being compiled away. */
long recorded;

/**
 * Prints what it takes to record a time with a timer that has buckets and with one that has none, in ns: a line for
 * each round. The first argument is how many rounds, the others are the buckets' bounds in ms. Started by
 * cost_of_metrics.py.
 */
void main(String[] arguments) {
  var registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  var bounds =
      Arrays.stream(arguments).skip(1).map(Long::parseLong).map(Duration::ofMillis).toArray(Duration[]::new);
  var with = Timer.builder("with").serviceLevelObjectives(bounds).register(registry);
  var without = Timer.builder("without").register(registry);
  // Of every bucket some; the same for both.
  var random = new Random(1);
  var times = random.doubles(1 << 12, 0, 1).mapToLong(share -> (long) (5e5 * Math.pow(2e4, share))).toArray();
  for (var round = 0; round < 3; round++) { // until it is compiled
    nanoseconds(with, times);
    nanoseconds(without, times);
  }
  for (var round = 0; round < Integer.parseInt(arguments[0]); round++) {
    IO.println(nanoseconds(with, times) + " " + nanoseconds(without, times));
  }
  if (with.count() + without.count() != recorded) {
    throw new IllegalStateException("not all was recorded");
  }
}

double nanoseconds(Timer timer, long[] times) {
  var records = 1 << 22;
  var began = System.nanoTime();
  for (var index = 0; index < records; index++) {
    timer.record(times[index & (times.length - 1)], TimeUnit.NANOSECONDS);
  }
  recorded += records;
  return (double) (System.nanoTime() - began) / records;
}
