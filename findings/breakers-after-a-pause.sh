#!/usr/bin/env bash
# cockatiel 4.0.0 (Node.js; SamplingBreaker) and Failsafe 3.3.2 (Java; CircuitBreaker with a failureThresholdingPeriod).
# Guess: a breaker that opens by the failures of the last N seconds has forgotten a failure after N seconds, or one
# bucket of its window sooner or later.
# What happens: cockatiel drops at most one bucket with each call, whatever time has passed: 19 failures still count
# after three more calls in 6 s, though the window is 1 s, and one failure opens the breaker. Failsafe, if there was no
# call for longer than its window, keeps the first failure after that for up to twice the window: a breaker of two in
# 4 s opens by two that are 6 s apart, with a success every second between them.
# Why it matters: a service that is called seldom, or not at night, is cut off after one failure, because of what failed
# the evening before. A threshold that was set under steady load is a lower one after each pause.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

npm install --no-audit --no-fund --silent cockatiel@4.0.0
libraries dev.failsafe:failsafe:3.3.2

cat > pause.mjs <<'END'
import { circuitBreaker, CircuitState, handleAll, SamplingBreaker } from "cockatiel";

const sampling = new SamplingBreaker({ threshold: 0.5, duration: 1000, minimumRps: 20 });
const breaker = circuitBreaker(handleAll, { halfOpenAfter: 60_000, breaker: sampling });
const answer = () => breaker.execute(() => "answer");
const fail = () => breaker.execute(() => Promise.reject(new Error("down"))).catch(() => {});

for (let call = 0; call < 19; call++) {
  await fail();
}
const before = CircuitState[breaker.state];
for (const call of [answer, answer, fail]) {
  await new Promise((resolve) => setTimeout(resolve, 2000));
  await call();
}
const after = CircuitState[breaker.state];
console.log("cockatiel, opens at half of at least 20 calls in 1 s: 19 calls fail: %s", before);
console.log("then one call every 2 s: answered, answered, failed: %s", after);
if (before !== "Closed" || after !== "Open") {
  console.log("NO LONGER SO: failures of 6 s ago open a breaker with a window of 1 s");
  process.exit(1);
}
END
node pause.mjs

cat > Pause.java <<'END'
import dev.failsafe.CircuitBreaker;
import java.time.Duration;

public class Pause extends Finding {

  /** The state after two failures 6 s apart, and a success every second between them. */
  static CircuitBreaker.State stateAfter(Duration pause) throws InterruptedException {
    var breaker = CircuitBreaker.builder().withFailureThreshold(2, Duration.ofSeconds(4)).build();
    Thread.sleep(pause.toMillis());
    breaker.recordFailure();
    for (int second = 1; second <= 5; second++) {
      Thread.sleep(1000);
      breaker.recordSuccess();
    }
    Thread.sleep(1000);
    breaker.recordFailure();
    return breaker.getState();
  }

  public static void main(String[] arguments) throws Exception {
    var atOnce = stateAfter(Duration.ZERO);
    var afterPause = stateAfter(Duration.ofSeconds(5));
    System.out.printf("Failsafe, opens at two failures in 4 s: two that are 6 s apart: %s%n", atOnce);
    System.out.printf("the same after a pause of 5 s: %s%n", afterPause);
    expect(atOnce == CircuitBreaker.State.CLOSED, "without a pause it stays closed");
    expect(afterPause == CircuitBreaker.State.OPEN, "after a pause a failure counts for longer than the window");
  }
}
END
run_java Pause
