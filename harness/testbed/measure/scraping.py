"""Scrapes services at an interval, as Prometheus does, for runs without a Prometheus."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from testbed.deploy import services
from testbed.measure import metrics
from testbed.measure.companions import Loading


@dataclass
class Scraper:
    """Scrapes every service every `every_s` seconds; `endpoints` has their ports by name."""

    every_s: float
    endpoints: Mapping[str, int]
    _rounds: int = 0
    _answers: int = 0
    _bytes: int = 0

    @contextlib.contextmanager
    def during(self, loading: Loading) -> Iterator[None]:
        with services.client(metrics.TIMEOUT_S) as http:

            def scrape() -> None:
                self._rounds += 1
                texts = metrics.ask(http, self.endpoints)
                self._answers += len(texts)
                self._bytes += sum(map(len, texts.values()))

            with repeating(scrape, self.every_s, "scraper", 2 * metrics.TIMEOUT_S):
                yield

    def record(self) -> dict[str, Any]:
        """Return how many requests were sent and answered."""
        entry = {
            "every_s": self.every_s,
            "services": sorted(self.endpoints),
            "asked": self._rounds * len(self.endpoints),
            "answered": self._answers,
            "mean_bytes": round(self._bytes / self._answers) if self._answers else None,
        }
        return {"scraped": entry}


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
