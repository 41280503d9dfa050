"""Does something again and again beside something else."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def repeating(
    action: Callable[[], None], every_s: float, name: str, patience_s: float
) -> Iterator[None]:
    """Do something at once and then at a fixed interval while the body runs, in a thread.

    Parameters
    ----------
    action
        What is done.
    every_s
        Seconds from one time to the next, on a fixed grid, so that slow ones do not add up.
    name
        Of the thread.
    patience_s
        Seconds that the one under way at the end is waited for.
    """
    ended = threading.Event()

    def go_on() -> None:
        began, times = time.monotonic(), 0
        while True:
            action()
            times += 1
            if ended.wait(max(0.0, began + times * every_s - time.monotonic())):
                return

    worker = threading.Thread(target=go_on, name=name, daemon=True)
    worker.start()
    try:
        yield
    finally:
        ended.set()
        worker.join(timeout=patience_s)
