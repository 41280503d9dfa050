#!/usr/bin/env bash
# hyx 0.0.2 (Python, asyncio), `tokenbucket`.
# Guess: with 10 executions a second, and a bucket of 10, at most 10 calls pass at once and 10 a second after that; the
# others are refused.
# What happens: when the bucket is empty, the first call after 0.1 s makes one token and the fraction that time has made
# since, and `empty` is "not above 0": the fraction lets another call pass. From a client that never stops 20 a second
# pass. As the bucket is filled only when it is empty, a limiter that nobody used for 2 s lets its first 10 pass, and 10
# more in the same moment.
# Why it matters: who is allowed 10 calls a second sends 20, and is blocked by the service; a service behind the limiter
# must bear twice what was set.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

python_packages hyx==0.0.2

cat > rate.py <<'END'
import asyncio
import sys
import time
from importlib.metadata import version

from hyx.ratelimit import tokenbucket
from hyx.ratelimit.exceptions import RateLimitExceeded

RATE = 10


def limiter():
    @tokenbucket(max_executions=RATE, per_time_secs=1)
    async def call():
        pass

    async def passes():
        try:
            await call()
        except RateLimitExceeded:
            return False
        return True

    return passes


async def passed(passes, seconds, pause):
    """How many of the calls pass, and how many there are."""
    end = time.monotonic() + seconds
    results = []
    while time.monotonic() < end:
        results.append(await passes())
        await asyncio.sleep(pause)
    return sum(results), len(results)


async def main():
    print("hyx", version("hyx"))
    passes = limiter()
    at_start = sum([await passes() for _ in range(100)])
    overload, sent = await passed(passes, 5, 0.002)
    print(f"{RATE} a second: of 100 calls at once {at_start} pass")
    print(f"then {overload} of {sent} in 5 s, {overload / 5:.1f} a second")

    passes = limiter()
    await asyncio.sleep(2)
    after_pause = sum([await passes() for _ in range(100)])
    print(f"a limiter not used for 2 s: of 100 calls at once {after_pause} pass")

    as_stated = overload > 1.5 * RATE * 5 and at_start == RATE and after_pause == 2 * RATE
    if not as_stated:
        print("NO LONGER SO: twice the rate passes, and twice the bucket after a pause")
    return not as_stated


sys.exit(asyncio.run(main()))
END
packages/bin/python rate.py
