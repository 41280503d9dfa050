#!/usr/bin/env bash
# pingouin 0.7.0 (Python), its t-test and its bootstrap, of times in seconds.
# Guess: of 50 times about 2.0 ms and 50 about 2.6 ms `ttest` returns a 95 % confidence interval of the difference
# around 0.0006 s, a little wider than the 90 % interval; `compute_bootci` returns one of the mean around 0.0026 s.
# What happens: the 95 % interval is [0, 0], beside p < 1e-20: its ends are rounded to two decimals in what is returned,
# not only in print. Those of the 90 % interval are not: [0.00053, 0.00067], of which the 95 % interval holds nothing.
# `compute_bootci` rounds to two decimals, too: [0, 0].
# Why it matters: a change that is beyond doubt is reported with an effect of 0, or of 0.01 s for whatever lies around
# 10 ms. Seconds are the unit of Prometheus and of Python's timers; in milliseconds nothing looks wrong.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

# Most of what it needs is not used here, and to compile it all takes longer than all else.
python_packages --no-compile pingouin==0.7.0 numpy==2.4.6 pandas==3.1.1 scipy==1.17.1

cat > seconds.py <<'END'
import sys

import pingouin


def times(mean, factor):
    """50 times around a mean in seconds, in the unit of which a second has `factor`."""
    return [factor * (mean + 0.0001 * (run % 7 - 3)) for run in range(50)]


def difference(unit, factor):
    """The p-value, and the intervals of 90 and of 95 %, of the difference."""
    after, before = times(0.0026, factor), times(0.0020, factor)
    tests = [pingouin.ttest(after, before, confidence=confidence).iloc[0] for confidence in (0.9, 0.95)]
    p_value, intervals = tests[1]["p_val"], [tests[0]["CI90"].tolist(), tests[1]["CI95"].tolist()]
    print(f"difference in {unit}: p = {p_value:.0e}, 90 % interval {intervals[0]}, 95 % interval {intervals[1]}")
    return p_value, intervals


p_value, seconds = difference("s", 1)
_, milliseconds = difference("ms", 1000)
mean = pingouin.compute_bootci(times(0.0026, 1), func="mean", seed=1).tolist()
print(f"mean in s: 95 % interval {mean}")
if p_value > 1e-20 or seconds[1] != [0, 0] or mean != [0, 0]:
    print("NO LONGER SO: the ends of a 95 % interval in seconds are 0")
    sys.exit(1)
if not 0.0005 < seconds[0][0] < seconds[0][1] < 0.0007:
    print("NO LONGER SO: the ends of a 90 % interval are not rounded")
    sys.exit(1)
if not 0.5 < milliseconds[1][0] < milliseconds[1][1] < 0.7:
    print("NO LONGER SO: the interval is right in milliseconds")
    sys.exit(1)
END
packages/bin/python seconds.py
