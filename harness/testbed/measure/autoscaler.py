"""Starts and stops instances of services while a load is running, as an autoscaler does."""

from __future__ import annotations

import contextlib
import csv
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from testbed.deploy.stack import Stack
from testbed.experiment.autoscaling import COLUMNS, FILE, Decider, Decision, Reading
from testbed.experiment.parts import MAX_REPLICAS, Autoscale
from testbed.measure.companions import Loading
from testbed.measure.scraping import repeating
from testbed.model import systems

PATIENCE_S = 30.0
"""The longest wait, when the load ends, for a decision that is being made."""


@dataclass
class Autoscaler:
    """Decides at intervals how many instances there are of each of some services."""

    services: Sequence[ScaledService]
    folder: Path

    @contextlib.contextmanager
    def during(self, loading: Loading) -> Iterator[None]:
        """Decide while the body runs; afterwards raise the first error of a start or a stop."""
        with ThreadPoolExecutor(MAX_REPLICAS) as pool:
            with contextlib.ExitStack() as deciding:
                for service in self.services:
                    service.begin()
                    look, every_s = partial(service.look, pool), service.rule.every
                    deciding.enter_context(repeating(look, every_s, "autoscaler", PATIENCE_S))
                yield
            for service in self.services:
                service.end(loading)
        rows = [row for service in self.services for row in service.rows]
        with (self.folder / FILE).open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(sorted(rows, key=lambda row: row["at_s"]))
        for service in self.services:
            service.require_done()

    def reset(self) -> None:
        """Stop what was started beyond the least numbers."""
        for service in self.services:
            service.reset()

    def record(self) -> dict[str, Any]:
        """Return what was scaled; an instance counts from the decision to start it."""
        return {"scaling": [service.entry for service in self.services]}


@dataclass
class ScaledService:
    """A service whose instances a rule starts and stops by what they use.

    The rule starts anew with each load. New instances have their CPU limit from their start.
    """

    rule: Autoscale
    request: float
    """The CPU limit of an instance, in cores."""
    stack: Stack
    rows: list[dict[str, Any]] = field(default_factory=list)
    """Every decision with its inputs."""
    _decider: Decider = field(init=False)
    _up: dict[str, float] = field(default_factory=dict)
    """When each wanted instance was requested, by the monotonic clock."""
    _pending: dict[str, Future[None]] = field(default_factory=dict)
    _read: dict[str, float] = field(default_factory=dict)
    """The CPU seconds of each instance at the last decision."""
    _read_at: float = 0.0
    _used: dict[str, float] = field(default_factory=dict)
    _instance_s: float = 0.0
    _began: float = 0.0
    _problem: BaseException | None = None

    def begin(self) -> None:
        self._began = time.monotonic()
        self._up = dict.fromkeys(self._names[: self.rule.least], self._began)
        self._decider = Decider(self.rule)

    def look(self, pool: ThreadPoolExecutor) -> None:
        """Make a decision; what follows from it is done in the pool."""
        try:
            self._look(pool)
        except Exception as problem:
            self._problem = self._problem or problem

    def end(self, loading: Loading) -> None:
        """Count what instances used, and how long they were there."""
        ended = time.monotonic()
        self._take_reading()
        self._instance_s += sum(ended - since for since in self._up.values())
        # Ended instances included.
        loading.cpu_s |= {name: round(used_s, 3) for name, used_s in self._used.items()}

    def require_done(self) -> None:
        """Raise the first error of a start or a stop."""
        for action in self._pending.values():
            action.result()
        if self._problem is not None:
            raise self._problem

    def reset(self) -> None:
        """Stop what was started beyond the least number."""
        # One that could not be started is up only here.
        running = {service.name for service in self.stack.record.running}
        for name in list(self._up)[self.rule.least :]:
            if name in running:
                self.stack.stop_service(name)
            del self._up[name]

    @property
    def entry(self) -> dict[str, Any]:
        return {
            "service": self.rule.service,
            "rule": self.rule.rule,
            "least": self.rule.least,
            "most": self.rule.most,
            "request": self.request,
            "instance_s": round(self._instance_s, 1),
        }

    def _look(self, pool: ThreadPoolExecutor) -> None:
        ready = {
            service.name for service in self.stack.record.running if service.ready_s is not None
        }
        seconds, spent = self._take_reading()
        used = {name: spent[name] / seconds for name in self._up if name in ready & spent.keys()}
        if not used:
            # The first look only begins the interval of the next one.
            return
        now = time.monotonic()
        reading = Reading(now - self._began, used, len(self._up) - len(used), self.request)
        decision = self._decider.decide(reading)
        self._note(reading, decision)
        for _ in range(decision.wanted - len(self._up)):
            name = next(unused for unused in self._names if unused not in self._up)
            self._up[name] = now
            self._submit(pool, name, self.stack.start_service, self.request)
        for _ in range(len(self._up) - decision.wanted):
            name = max(self._up, key=systems.number_of)
            self._instance_s += now - self._up.pop(name)
            self._submit(pool, name, self.stack.stop_service)

    @property
    def _names(self) -> list[str]:
        numbers = range(1, self.rule.most + 1)
        return [systems.instance(self.rule.service, number) for number in numbers]

    def _submit(
        self, pool: ThreadPoolExecutor, name: str, action: Callable[..., object], *given: float
    ) -> None:
        """Run an action on an instance in the pool, after its previous action has ended."""
        before = self._pending.get(name)

        def act() -> None:
            if before is not None:
                before.result()
            action(name, *given)

        self._pending[name] = pool.submit(act)

    def _take_reading(self) -> tuple[float, dict[str, float]]:
        """Return the seconds since the last reading, and each instance's CPU seconds in that time.

        The first reading has none.
        """
        now = time.monotonic()
        read = {
            name: usage.cpu_s
            for name, usage in self.stack.meter().read().items()
            if systems.service_of(name) == self.rule.service
        }
        spent = {
            # One that was started again begins at 0.
            name: total - (before if (before := self._read.get(name, 0.0)) <= total else 0.0)
            for name, total in read.items()
        }
        seconds, first = now - self._read_at, not self._read
        self._read, self._read_at = read, now
        if first:
            return seconds, {}
        for name, more in spent.items():
            self._used[name] = self._used.get(name, 0.0) + more
        return seconds, spent

    def _note(self, reading: Reading, decision: Decision) -> None:
        self.rows.append(
            {
                "service": self.rule.service,
                "at_s": round(reading.at_s, 2),
                "ready": len(reading.used),
                "starting": reading.starting,
                "used_cores": " ".join(f"{cores:.3f}" for cores in reading.used.values()),
                "utilisation": reading.percent(len(reading.used)) / 100,
                "recommended": decision.recommended,
                "wanted": decision.wanted,
            }
        )
