"""Starts and stops instances of a service while a load is running, as an autoscaler does."""

from __future__ import annotations

import contextlib
import csv
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
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
    """Decides at an interval how many instances of a service there are, by what they use.

    The rule starts anew with each load. New instances have their CPU limit from their start.
    """

    rule: Autoscale
    request: float
    """The CPU limit of an instance, in cores."""
    stack: Stack
    folder: Path
    _up: dict[str, float] = field(default_factory=dict)
    """When each wanted instance was requested, by the monotonic clock."""
    _pending: dict[str, Future[None]] = field(default_factory=dict)
    _read: dict[str, float] = field(default_factory=dict)
    """The CPU seconds of each instance at the last decision."""
    _read_at: float = 0.0
    _used: dict[str, float] = field(default_factory=dict)
    _rows: list[dict[str, Any]] = field(default_factory=list)
    _instance_s: float = 0.0
    _began: float = 0.0
    _problem: BaseException | None = None

    @contextlib.contextmanager
    def during(self, loading: Loading) -> Iterator[None]:
        """Decide while the body runs; afterwards raise the first error of a start or a stop."""
        self._began = time.monotonic()
        self._up = dict.fromkeys(self._names[: self.rule.least], self._began)
        decider = Decider(self.rule)
        with ThreadPoolExecutor(MAX_REPLICAS) as pool:

            def look() -> None:
                try:
                    self._look(decider, pool)
                except Exception as problem:
                    self._problem = self._problem or problem

            with repeating(look, self.rule.every, "autoscaler", PATIENCE_S):
                yield
            ended = time.monotonic()
            self._take_reading()
            self._instance_s += sum(ended - since for since in self._up.values())
            # Ended instances included.
            loading.cpu_s |= {name: round(used_s, 3) for name, used_s in self._used.items()}
        with (self.folder / FILE).open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(self._rows)
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

    def record(self) -> dict[str, Any]:
        """Return what was scaled; an instance counts from the decision to start it."""
        entry = {
            "service": self.rule.service,
            "rule": self.rule.rule,
            "least": self.rule.least,
            "most": self.rule.most,
            "request": self.request,
            "instance_s": round(self._instance_s, 1),
        }
        return {"scaling": entry}

    def _look(self, decider: Decider, pool: ThreadPoolExecutor) -> None:
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
        decision = decider.decide(reading)
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
        self._rows.append(
            {
                "at_s": round(reading.at_s, 2),
                "ready": len(reading.used),
                "starting": reading.starting,
                "used_cores": " ".join(f"{cores:.3f}" for cores in reading.used.values()),
                "utilisation": reading.percent(len(reading.used)) / 100,
                "recommended": decision.recommended,
                "wanted": decision.wanted,
            }
        )
