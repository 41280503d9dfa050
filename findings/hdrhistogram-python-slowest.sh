#!/usr/bin/env bash
# hdrhistogram 0.10.3 (the Python port of HdrHistogram).
# Guess: a time above the histogram's highest trackable value raises an error, as in Java
# (ArrayIndexOutOfBoundsException) and JavaScript, or is counted in the last bucket.
# What happens: record_value returns False, and the time is counted nowhere: not in the total, the maximum, nor in
# any percentile. A negative count is accepted, and takes away from the total.
# Why it matters: a histogram up to 1 s leaves out exactly the requests that took longer. The slower the service,
# the better its p99.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

python_packages hdrhistogram==0.10.3

packages/bin/python - <<'END'
import sys

from hdrh.histogram import HdrHistogram

histogram = HdrHistogram(1, 1000, 3)  # ms, 3 digits
answers = {histogram.record_value(time) for time in [20] * 50 + [5000] * 50}
total = histogram.total_count
p99, highest = histogram.get_value_at_percentile(99), histogram.get_max_value()
print(f"50 times of 20 ms, 50 of 5000 ms: total {total}, p99 {p99} ms, maximum {highest} ms")
if (answers, total, p99, highest) != ({True, False}, 50, 20, 20):
    sys.exit("NO LONGER SO: times above the highest value are counted, or refused")
histogram.record_value(20, count=-50)
print(f"after record_value(20, count=-50): total {histogram.total_count}")
if histogram.total_count != 0:
    sys.exit("NO LONGER SO: a negative count is refused")
END
