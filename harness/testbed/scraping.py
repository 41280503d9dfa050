"""Asks services for their metrics again and again, as Prometheus does, where none runs."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from testbed import metrics, services


@dataclass
class Scraper:
    """Scrapes every service at a fixed interval.

    Parameters
    ----------
    every_s
        Seconds from one scrape to the next.
    endpoints
        The port of each service, by its name.
    """

    every_s: float
    endpoints: Mapping[str, int]
    _rounds: int = 0
    _answers: int = 0
    _bytes: int = 0

    @contextlib.contextmanager
    def during(self) -> Iterator[None]:
        """Scrape while the body runs."""
        ended = threading.Event()

        def go_on() -> None:
            began = time.monotonic()

            def left() -> float:
                # On a fixed grid, so that slow answers do not add up.
                return max(0.0, began + self._rounds * self.every_s - time.monotonic())

            with services.client(metrics.TIMEOUT_S) as http:
                while not ended.wait(left()):
                    self._rounds += 1
                    texts = metrics.ask(http, self.endpoints)
                    self._answers += len(texts)
                    self._bytes += sum(map(len, texts.values()))

        worker = threading.Thread(target=go_on, name="scraper", daemon=True)
        worker.start()
        try:
            yield
        finally:
            ended.set()
            worker.join(timeout=2 * metrics.TIMEOUT_S)

    def record(self) -> dict[str, Any]:
        """Return what a run record says of it: how many answers there were, of how many asked."""
        return {
            "every_s": self.every_s,
            "services": sorted(self.endpoints),
            "asked": self._rounds * len(self.endpoints),
            "answered": self._answers,
            "mean_bytes": round(self._bytes / self._answers) if self._answers else None,
        }
