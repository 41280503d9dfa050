#!/usr/bin/env bash
# aioprometheus 23.12.0 (Python, a Prometheus client for asyncio), Summary with its own quantiles and errors: median
# ± 5 %, p90 ± 1 %, p99 ± 0.1 %.
# Guess: of 500 calls of 1, 2, ... 500 ms the median is 225 to 275 ms, p90 445 to 455 and p99 494 to 496.
# What happens: 137, 226 and 248 ms: p99 is the median. Count and sum are right. quantile-python 1.1, which estimates,
# adds a value twice if it comes after the largest so far. In the first batch (up to 512 calls, or until the first
# scrape) that is every value, but the ranks are looked up among the number of calls.
# Why it matters: half of the calls can be above a p99 that meets its limit. The values of the first batch stay: after
# 10,000 more calls of the same kind p99 is below 490.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

python_packages aioprometheus==23.12.0 quantile-python==1.1

packages/bin/python - <<'PY'
import random
import sys

from aioprometheus import Summary

random.seed(1)
times = Summary("times", "Times of calls in ms")


def scrape(calls):
    """What a scrape has after these calls."""
    for call in calls:
        times.observe({}, call)
    seen = times.get({})
    print("%d calls of 1 to 500 ms, mean %d ms: median %d, p90 %d, p99 %d ms"
          % (seen["count"], seen["sum"] / seen["count"], seen[0.5], seen[0.9], seen[0.99]))
    return seen


first = scrape(random.sample(range(1, 501), 500))
later = scrape(random.choices(range(1, 501), k=10_000))
if [first[key] for key in (0.5, 0.9, 0.99, "count", "sum")] != [137, 226, 248, 500, 125_250]:
    sys.exit("NO LONGER SO: the percentiles of the first calls are those of their faster half")
if not later[0.99] < 490:
    sys.exit("NO LONGER SO: the first calls are no longer seen in later percentiles")
PY
