"""Repeats an action in a thread while other code runs."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def repeating(
    action: Callable[[], None], every_s: float, name: str, patience_s: float
) -> Iterator[None]:
    """Run an action in a thread, at once and then every `every_s` seconds, while the body runs.

    The times are on a fixed grid, so that delays do not add up. At the end, an action that is still
    running has `patience_s` seconds to finish.
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
