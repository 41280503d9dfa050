"""Suspends a service for a while in the middle of a run."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from testbed.deploy.record import now
from testbed.experiment.parts import Disturb
from testbed.measure.companions import Loading
from testbed.measure.samplefile import Seen

Hold = Callable[[str], contextlib.AbstractContextManager[None]]
"""Suspends a service while its context is open."""


@dataclass
class Suspension:
    """Suspends a service some time after the first operation began, and resumes it later."""

    plan: Disturb
    hold: Hold
    complete: Callable[[], Mapping[str, Any]] = dict
    """Checks, before the service resumes, whether the answer is complete; gives the entries."""
    stopped: datetime | None = None
    started: datetime | None = None
    _first_ms: int | None = None
    _known: threading.Event = field(default_factory=threading.Event)
    _ended: threading.Event = field(default_factory=threading.Event)
    _worker: threading.Thread | None = None
    _problem: BaseException | None = None

    def watch(self, seen: Seen) -> None:
        """Learn from the result file when the load began."""
        if seen.first_ms is not None and not self._known.is_set():
            self._first_ms = seen.first_ms
            self._known.set()

    @contextlib.contextmanager
    def during(self, loading: Loading) -> Iterator[None]:
        """Suspend from some time on; a service that is stopped for good resumes in `end`."""
        loading.watchers.append(self.watch)
        self._worker = threading.Thread(target=self._work, name="suspension", daemon=True)
        self._worker.start()
        yield

    def end(self) -> None:
        """Resume the service, also after an error."""
        self._ended.set()
        self._known.set()
        if self._worker is not None:
            self._worker.join(timeout=30)

    def record(self) -> dict[str, Any]:
        """Resume the service; `stopped` and `started` are None if not reached.

        Raises the error of a suspension.
        """
        complete = self.complete()
        self.end()
        if self._problem is not None:
            raise self._problem
        entry = {
            "service": self.plan.service,
            "at_s": self.plan.at,
            "for_s": self.plan.lasting,
            "stopped": None if self.stopped is None else self.stopped.isoformat(),
            "started": None if self.started is None else self.started.isoformat(),
        }
        return {**complete, "disturbance": entry}

    def _work(self) -> None:
        self._known.wait()
        if self._first_ms is None:
            return
        if self._ended.wait(self._first_ms / 1000 + self.plan.at - time.time()):
            return
        try:
            with self.hold(self.plan.service):
                self.stopped = now()
                self._ended.wait(self.plan.lasting)
            self.started = now()
        except Exception as problem:
            self._problem = problem
