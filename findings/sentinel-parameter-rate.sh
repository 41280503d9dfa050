#!/usr/bin/env bash
# Sentinel 1.8.9, its flow control by parameter (per customer, per product), with control behaviour "rate limiter".
# Guess: a rule of 660, 700 or 2,001 calls a second lets that many of one customer pass, as a rule without a parameter
# does.
# What happens: the time between two calls is rounded to whole milliseconds. A rule of 660 lets 500 pass, one of 700
# lets 1,000 pass. From 2,001 on it is 0 ms: all pass. A rule without a parameter does as it says.
# Why it matters: a rule that is 6 % higher lets twice as many calls pass, and one of more than 2,000 does nothing.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries com.alibaba.csp:sentinel-parameter-flow-control:1.8.9

cat > Rate.java <<'END'
import com.alibaba.csp.sentinel.*;
import com.alibaba.csp.sentinel.slots.block.RuleConstant;
import com.alibaba.csp.sentinel.slots.block.flow.*;
import com.alibaba.csp.sentinel.slots.block.flow.param.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;

public class Rate extends Finding {

  static final int CALLERS = 10;
  static final int SECONDS = 2;

  /** How many calls of one customer pass in a second, when there is always one that waits. */
  static long passing(String resource) throws Exception {
    var threads = Executors.newFixedThreadPool(CALLERS);
    var passed = new LongAdder();
    long start = System.nanoTime();
    Callable<Void> caller =
        () -> {
          while (System.nanoTime() - start < SECONDS * 1_000_000_000L) {
            SphU.entry(resource, EntryType.IN, 1, "customer").exit(1, "customer");
            passed.increment();
          }
          return null;
        };
    for (var calls : threads.invokeAll(Collections.nCopies(CALLERS, caller))) {
      calls.get();
    }
    threads.shutdown();
    return passed.sum() / SECONDS;
  }

  static long passingWithoutParameter(int count) throws Exception {
    var rule = new FlowRule("without").setCount(count);
    rule.setControlBehavior(RuleConstant.CONTROL_BEHAVIOR_RATE_LIMITER).setMaxQueueingTimeMs(1_000);
    FlowRuleManager.loadRules(List.of(rule));
    return passing("without");
  }

  static long passingByParameter(int count) throws Exception {
    var rule = new ParamFlowRule("by parameter").setParamIdx(0).setCount(count);
    rule.setControlBehavior(RuleConstant.CONTROL_BEHAVIOR_RATE_LIMITER).setMaxQueueingTimeMs(1_000);
    ParamFlowRuleManager.loadRules(List.of(rule));
    return passing("by parameter");
  }

  public static void main(String[] arguments) throws Exception {
    System.setProperty("csp.sentinel.log.dir", "logs");
    passingWithoutParameter(660); // not counted: classes are loaded
    var passing = new ArrayList<Long>();
    for (int count : new int[] {660, 700, 2_001}) {
      long without = passingWithoutParameter(count);
      long byParameter = passingByParameter(count);
      passing.add(byParameter);
      System.out.printf("rule of %d/s: %d/s without a parameter, %d/s by parameter%n", count, without, byParameter);
      expect(without < 1.05 * count, "without a parameter no more pass than the rule says");
    }
    expect(passing.get(0) < 510, "660 passes 500");
    expect(passing.get(1) > 770, "700 passes 1,000");
    expect(passing.get(2) > 10_000, "2,001 lets all pass");
  }
}
END
run_java Rate 2> errors | grep -v "^INFO: Sentinel log" || { cat errors; exit 1; }
