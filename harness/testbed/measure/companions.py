"""What accompanies a run beside its load."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from testbed.measure.samplefile import Seen


@dataclass
class Loading:
    """A load while it runs."""

    watchers: list[Callable[[Seen], None]] = field(default_factory=list)
    """Get the latest counts about every second."""
    cpu_s: dict[str, float] = field(default_factory=dict)
    """CPU seconds of each instance of a service that was scaled meanwhile."""


class Companion(Protocol):
    """Scrapes, scales, suspends or accounts for a system while it is measured."""

    def during(self, loading: Loading) -> AbstractContextManager[None]:
        """Accompany a load of the run while the body runs."""

    def record(self) -> dict[str, Any]:
        """Return the entries of the run's record, after its last load."""
