"""Asks services for their metrics again and again, as Prometheus does, where none runs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from testbed.deploy import services
from testbed.measure import metrics
from testbed.measure.periodic import repeating


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
        with services.client(metrics.TIMEOUT_S) as http:

            def scrape() -> None:
                self._rounds += 1
                texts = metrics.ask(http, self.endpoints)
                self._answers += len(texts)
                self._bytes += sum(map(len, texts.values()))

            with repeating(scrape, self.every_s, "scraper", 2 * metrics.TIMEOUT_S):
                yield

    def record(self) -> dict[str, Any]:
        """Return what a run record says of it: how many answers there were, of how many asked."""
        return {
            "every_s": self.every_s,
            "services": sorted(self.endpoints),
            "asked": self._rounds * len(self.endpoints),
            "answered": self._answers,
            "mean_bytes": round(self._bytes / self._answers) if self._answers else None,
        }
