#!/usr/bin/env bash
# pybreaker 1.4.1 (circuit breaker for Python; "thread-safe").
# Guess: a lock guards the breaker's counters; calls of several threads run at the same time. While the trial call of a
# half-open breaker runs, other calls are refused at once.
# What happens: `call` and the decorator hold the lock while the function runs: ten calls of 0.2 s by ten threads take
# 2 s, one after the other. With `with breaker.calling()` all ten run at the same time. A call that comes during the
# trial is not refused before the trial has ended.
# Why it matters: a breaker around a service that answers in 50 ms limits the process to 20 calls a second, however many
# threads it has. When the service hangs, five calls with a time-out of 2 s end one after the other: the breaker opens
# after 10 s in place of 2, and all other threads wait for that.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

python_packages pybreaker==1.4.1

cat > threads.py <<'END'
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.metadata import version

import pybreaker

THREADS = 10
failed = False


def expect(as_stated, what):
    global failed
    if not as_stated:
        failed = True
        print("NO LONGER SO:", what)


class Service:
    """Takes 0.2 s, and keeps how many calls ran at the same time."""

    def __init__(self):
        self.lock = threading.Lock()
        self.running = self.most = 0

    def answer(self):
        with self.lock:
            self.running += 1
            self.most = max(self.most, self.running)
        time.sleep(0.2)
        with self.lock:
            self.running -= 1


print("pybreaker", version("pybreaker"))
pool = ThreadPoolExecutor(THREADS)
breaker = pybreaker.CircuitBreaker()


def from_all_threads(function):
    for call in [pool.submit(function) for _ in range(THREADS)]:
        call.result()


for way in ("call", "decorator"):
    service = Service()
    guarded = breaker(service.answer) if way == "decorator" else partial(breaker.call, service.answer)
    start = time.monotonic()
    from_all_threads(guarded)
    seconds = time.monotonic() - start
    print(f"{way}: {THREADS} calls of 0.2 s took {seconds:.1f} s, at most {service.most} at the same time")
    expect(service.most == 1, f"with {way} they run one after the other")

all_inside = threading.Barrier(THREADS)


def meet():
    with breaker.calling():
        all_inside.wait(60)


try:
    from_all_threads(meet)
    print(f"calling(): {THREADS} at the same time")
except threading.BrokenBarrierError:
    expect(False, "with calling() they run at the same time")


def down():
    raise ConnectionError("down")


trial_runs = threading.Event()
trial_may_end = threading.Event()


def trial():
    trial_runs.set()
    trial_may_end.wait(60)
    raise ConnectionError("time-out")


def outcome(function):
    try:
        return breaker.call(function)
    except pybreaker.CircuitBreakerError as error:
        return str(error)


breaker = pybreaker.CircuitBreaker(fail_max=1, reset_timeout=10)
outcome(down)
breaker.half_open()
tried = pool.submit(outcome, trial)
trial_runs.wait(60)
other = pool.submit(outcome, lambda: "answered")
time.sleep(2)
waits = not other.done()
print(f"half-open, trial running: after 2 s another call {'still waits' if waits else 'has ended: ' + other.result()}")
trial_may_end.set()
print(f"trial: {tried.result()}; the other call: {other.result()}")
expect(waits, "a call waits for the trial")
expect("still open" in other.result(), "it is refused after the trial")
sys.exit(failed)
END
packages/bin/python threads.py
