"""Accounts by id for the work that a system accepted in a run."""

from __future__ import annotations

import contextlib
import csv
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from testbed.deploy import database, ports, services
from testbed.deploy.meter import risen
from testbed.deploy.stack import Stack
from testbed.measure.companions import Loading
from testbed.model.errors import UserError
from testbed.model.systems import Ledger

POLL_S = 0.5
"""Seconds between two questions about the remaining work.

These answers leave out the ids, which would cost CPU of a service whose CPU is limited.
"""

ANSWER_LIMIT_S = 60.0
"""The longest wait for a report; each question has the timeout of `services.client`."""

QUIET_S = 3.0
"""A system is drained when, for this long, nothing waits and no more work gets an outcome."""

COLUMNS = ("number", "id", "outcome", "built_s")

OUTCOMES = {"built": "built", "dropped": "dropped", "failed": "dead-lettered"}
"""The outcome of work, by the list of the answer that holds its id."""

THIRDS = 3


@dataclass(frozen=True)
class WorkReport:
    """What a system reports about its work since its start."""

    ids: Mapping[str, frozenset[str]]
    refused: int
    settled: int
    """How much work has an outcome."""
    waiting: int
    """How much waits; negative if unknown."""
    built_s: Mapping[str, float] = field(default_factory=dict)
    """When work was built, by id, in seconds since the epoch."""

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> WorkReport:
        built = answer.get("built", ())
        return cls(
            {name: frozenset(answer.get(name, ())) for name in OUTCOMES},
            len(answer.get("refused", ())),
            int(answer["settled"]),
            int(answer["waiting"]),
            {
                work_id: at / 1000
                for work_id, at in zip(built, answer.get("builtAt", ()), strict=True)
            },
        )

    def since(self, before: WorkReport) -> WorkReport:
        ids = {name: reported - before.ids[name] for name, reported in self.ids.items()}
        return WorkReport(
            ids,
            self.refused - before.refused,
            self.settled - before.settled,
            self.waiting,
            {work_id: self.built_s[work_id] for work_id in ids["built"]},
        )


@dataclass(frozen=True)
class Account:
    """What became of the accepted work of a run."""

    outcomes: Mapping[str, str]
    """By id: one of the values of `OUTCOMES`, ``queued``, or ``lost`` without any of them."""
    order: Mapping[str, int]
    """The place of each id in the run, from 1."""
    twice: int
    """Ids with two outcomes."""
    strangers: int
    """Ids with an outcome that were never accepted."""

    def count(self, *outcomes: str) -> int:
        """Return how many have one of some outcomes."""
        return sum(outcome in outcomes for outcome in self.outcomes.values())

    @property
    def lost_by_third(self) -> list[int]:
        """How many were lost of the first, second and last third of the accepted."""
        ordered = sorted(self.order, key=lambda work_id: self.order[work_id])
        lost = [0] * THIRDS
        for place, work_id in enumerate(ordered):
            lost[THIRDS * place // len(ordered)] += self.outcomes[work_id] in ("lost", "dropped")
        return lost


def account(order: Mapping[str, int], report: WorkReport) -> Account:
    """Account for accepted work; `order` is the place of each accepted id in the run.

    Of the ids without an outcome, the newest are ``queued``, as many as the system reports as
    waiting. The others are ``lost``.
    """
    counts: Counter[str] = Counter()
    outcomes: dict[str, str] = {}
    for name, ids in report.ids.items():
        counts.update(ids)
        outcomes |= {work_id: OUTCOMES[name] for work_id in ids if work_id in order}
    silent = sorted(order.keys() - outcomes.keys(), key=lambda work_id: order[work_id])
    waiting = min(max(report.waiting, 0), len(silent))
    split = len(silent) - waiting
    outcomes |= dict.fromkeys(silent[:split], "lost") | dict.fromkeys(silent[split:], "queued")
    return Account(
        outcomes,
        order,
        twice=sum(many > 1 for many in counts.values()),
        strangers=len(counts.keys() - order.keys()),
    )


@dataclass
class Accounting:
    """Keeps the account of one run: begin before its load, record after it.

    Both raise `UserError` if the system does not answer. `limit_s` is the longest wait of each. The
    account of each id goes to ``ledger.csv`` in `folder`.
    """

    ledger: Ledger
    stack: Stack
    folder: Path
    limit_s: float
    notice: Callable[[str], None] = lambda _: None
    before: WorkReport | None = None

    def begin(self) -> None:
        """Wait until the work of earlier loads has left the system, and note what it reports.

        Message servers do not count work that a consumer holds as waiting. So the wait ends only
        when two answers in a row are equal.
        """
        self.notice("an empty queue")
        deadline = time.monotonic() + self.limit_s
        with services.client() as http:
            earlier: WorkReport | None = None
            latest = self._ask(http, ids=False)
            while (latest.waiting > 0 or latest != earlier) and time.monotonic() < deadline:
                time.sleep(POLL_S)
                earlier, latest = latest, self._ask(http, ids=False)
            self.before = self._ask(http)

    @contextlib.contextmanager
    def during(self, loading: Loading) -> Iterator[None]:
        yield

    def record(self) -> dict[str, Any]:
        """Return what became of the accepted work, with what the drain has cost."""
        meter = self.stack.meter()
        before = meter.read()
        entry = self._drain()
        after = meter.read()
        peaks = {part: usage.peak_mb for part, usage in after.items() if usage.peak_mb is not None}
        return {"ledger": entry | {"cpu_s": risen(before, after, "cpu_s"), "peak_mb": peaks}}

    def _drain(self) -> dict[str, Any]:
        """Wait until all work has an outcome, or the time is up."""
        self.notice("the drain")
        assert self.before is not None
        began = changed = time.monotonic()
        load_ended_s = time.time()
        order = self._accepted()
        with services.client() as http:
            latest = self._ask(http, ids=False)
            while (now := time.monotonic()) - began < self.limit_s:
                if latest.settled - self.before.settled >= len(order):
                    break
                if latest.waiting == 0 and now - changed >= QUIET_S:
                    break
                time.sleep(POLL_S)
                earlier, latest = latest, self._ask(http, ids=False)
                if latest.settled != earlier.settled:
                    changed = time.monotonic()
            report = self._ask(http).since(self.before)
        result = account(order, report)
        write(self.folder / "ledger.csv", result, report.built_s)
        later = [at_s for at_s in report.built_s.values() if at_s > load_ended_s]
        drained_s = max(later, default=load_ended_s) - load_ended_s
        return {
            "accepted": len(order),
            **{
                outcome: result.count(outcome) for outcome in (*OUTCOMES.values(), "queued", "lost")
            },
            "refused": report.refused,
            "twice": result.twice,
            "strangers": result.strangers,
            "lost_by_third": result.lost_by_third,
            "built_later": len(later),
            "drained_s": round(drained_s, 3),
            "built_per_s": round(len(later) / drained_s, 4) if drained_s > 0 else None,
            "load_ended_ms": round(1000 * load_ended_s),
        }

    def _ask(self, http: httpx.Client, *, ids: bool = True) -> WorkReport:
        """Ask until an answer comes: a service that is busy with its work may take its time."""
        port = self.stack.endpoints()[self.ledger.service]
        address = f"http://{ports.LOOPBACK}:{port}{self.ledger.path}"
        deadline = time.monotonic() + ANSWER_LIMIT_S
        while True:
            try:
                answer = http.get(address, params={} if ids else {"ids": "false"})
                return WorkReport.of(answer.raise_for_status().json())
            except httpx.TimeoutException as problem:
                if time.monotonic() < deadline:
                    continue
                raise self._silent(problem) from problem
            except (httpx.HTTPError, ValueError, KeyError) as problem:
                raise self._silent(problem) from problem

    def _silent(self, problem: Exception) -> UserError:
        return UserError(f"{self.ledger.service} does not report its work ({problem})")

    def _accepted(self) -> dict[str, int]:
        uri, where = self.stack.deployment.mongodb_uri, self.ledger.accepted
        assert uri is not None, "its ledger needs a database"
        stored = database.stored(uri, where.databases, where.collection, where.number)
        # A withdrawn request keeps only its id: its client was told that it is not accepted.
        return {work_id: number for work_id, text in stored.items() if (number := number_in(text))}


def number_in(text: str) -> int:
    """Return the first number in a text; 0 without one."""
    match = re.search(r"\d+", text)
    return int(match[0]) if match else 0


def write(file: Path, result: Account, built_s: Mapping[str, float]) -> None:
    """Write the account of each id as CSV, in order, with the columns of `COLUMNS`.

    ``built_s`` is when it was built, in seconds since the epoch.
    """
    with file.open("w", newline="", encoding="utf-8") as output:
        rows = csv.writer(output, lineterminator="\n")
        rows.writerow(COLUMNS)
        for work_id in sorted(result.order, key=lambda work_id: result.order[work_id]):
            built = f"{built_s[work_id]:.3f}" if work_id in built_s else ""
            rows.writerow((result.order[work_id], work_id, result.outcomes[work_id], built))
