#!/usr/bin/env bash
# throttled-py 3.5.0 (rate limiter for Python), its token bucket (the default) and leaking bucket.
# Guess: a limit of 59 or 90 a minute lets 59 or 90 a minute pass, whichever algorithm counts them.
# What happens: time is in whole seconds, tokens of the time that has passed are rounded down to whole ones, and each
# call that passes starts that time anew. 59 a minute is a token after two seconds: 30 a minute. 90 and 119 a minute are
# one each second: 60. GCRA counts in fractions, and is right. The bucket must be empty once: it starts full.
# Why it matters: a limit that is lowered from 60 to 59 a minute refuses every second call. A tester who sends fewer
# calls than the bucket holds sees the limit that was set, a client that keeps sending has half of it.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

python_packages throttled-py==3.5.0

cat > rate.py <<'END'
import sys
import time
from importlib.metadata import version

from throttled import Throttled, rate_limiter, store

ALGORITHMS = ("gcra", "token_bucket", "leaking_bucket")
EXPECTED = {59: (59, 30, 30), 60: (60, 60, 60), 90: (90, 60, 60), 119: (119, 60, 60)}
SECONDS = 30

limiters = {
    (limit, algorithm): Throttled(
        key="client",
        using=algorithm,
        quota=rate_limiter.per_min(limit, burst=5),
        store=store.MemoryStore(),
    )
    for limit in EXPECTED
    for algorithm in ALGORITHMS
}
for limiter in limiters.values():
    while not limiter.limit().limited:
        pass

passed = dict.fromkeys(limiters, 0)
end = time.monotonic() + SECONDS
while time.monotonic() < end:
    for name, limiter in limiters.items():
        passed[name] += not limiter.limit().limited
    time.sleep(0.02)

print("throttled-py", version("throttled-py"))
print(f"a client that never stops, for {SECONDS} s; passed calls, for a minute, by", ", ".join(ALGORITHMS))
as_stated = True
for limit, expected in EXPECTED.items():
    rates = [round(passed[limit, algorithm] * 60 / SECONDS) for algorithm in ALGORITHMS]
    print(f"{limit} a minute:", ", ".join(map(str, rates)))
    as_stated &= all(abs(rate - value) <= 6 for rate, value in zip(rates, expected))
if not as_stated:
    print("NO LONGER SO: the buckets' rates are rounded down to whole tokens and seconds")
sys.exit(not as_stated)
END
packages/bin/python rate.py
