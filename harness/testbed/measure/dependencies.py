"""The functions that carry out an experiment's runs, and its progress listener."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from testbed.deploy import database, tables
from testbed.deploy.services import Deployment
from testbed.deploy.stack import Stack
from testbed.experiment.parts import Slo
from testbed.experiment.runs import Run, Start, System
from testbed.measure.load import Generator
from testbed.measure.machine_watch import Watch
from testbed.measure.samplefile import Seen
from testbed.model import systems
from testbed.model.loads import Mode
from testbed.model.project import Project

if TYPE_CHECKING:
    from testbed.analysis.objective import Reached


class Show(Protocol):
    """Progress listener of an experiment."""

    def starting(self, start: Start) -> None:
        """Systems are about to be started."""

    def waiting(self, what: str) -> None:
        """The experiment waits for something."""

    def started(self, start: Start) -> None:
        """All systems gave a full answer."""

    def loading(self, name: str, seen: Seen) -> None:
        """A load is running."""

    def warmed(self, start: Start, words: str) -> None:
        """The warm-up of all systems ended; `words` say its result."""

    def measured(self, run: Run, seen: Sequence[Seen], seconds: float) -> None:
        """A run ended: the counts of its loads, and the seconds spent on it."""

    def judged(self, run: Run, verdict: str) -> None:
        """A run that ended has a verdict other than valid."""

    def narrowed(self, lines: Sequence[str]) -> None:
        """The runs so far give these results for each cell."""

    def noticed(self, text: str) -> None:
        """Something happened that the user should know while the experiment goes on."""

    def decided(self, text: str) -> None:
        """A stopping rule decided whether the experiment goes on; `text` says why."""


def _reach(results: Path, figure: str) -> Mapping[tuple[str, Mode, float], float | None]:
    # Imported here: commands that measure nothing need not wait for the numerical libraries.
    from testbed.analysis import precision

    return precision.reach(results, figure)


def _narrowing(results: Path) -> Sequence[str]:
    from testbed.analysis.sections import answer

    return answer.narrowing(results)


def judge(results: Path, run: str) -> str | None:
    """Return why a run, given by name, is not valid; None if it is valid."""
    from testbed.analysis import samples, verdicts
    from testbed.analysis.results import find_results

    recorded = find_results(results)
    judged = next(candidate for candidate in recorded.runs if candidate.id == run)
    if judged.generator_ceiling_per_s is None:
        # It is measured at the end. Whether the generator was near it is judged then.
        judged = replace(judged, generator_ceiling_per_s=math.inf)
    measured = map(samples.measure, (judged, *verdicts.beside(judged, recorded.runs)))
    verdict = verdicts.judge(next(measured), recorded.environment, tuple(measured))
    return None if verdict.status == "valid" else str(verdict)


def reached(slo: Slo, folder: Path, record: Mapping[str, Any]) -> Reached:
    """Check a run, given by its folder and record, against an objective."""
    from testbed.analysis import objective, samples
    from testbed.analysis.results import run_of

    return objective.reached_by(slo, samples.measure(run_of(folder, record)))


def _goodput(folder: Path, record: Mapping[str, Any]) -> float:
    from testbed.analysis import samples
    from testbed.analysis.results import run_of

    return samples.measure(run_of(folder, record)).pace.ok_per_s or 0.0


def _reset(deployment: Deployment) -> None:
    restore = systems.declaration(deployment.variant).restore
    if restore is not None and deployment.postgresql_uri is not None:
        tables.restore(deployment.postgresql_uri, restore)
    _empty(deployment)


def _empty(deployment: Deployment) -> None:
    reset = systems.declaration(deployment.variant).reset
    if reset is None or deployment.mongodb_uri is None:
        return
    uri, keep = deployment.mongodb_uri, deployment.stored > 0
    database.empty(uri, reset.databases, reset.collections, keep_stored=keep)
    if reset.stored is not None and keep:
        database.store(uri, reset.stored, deployment.stored)


@dataclass(frozen=True)
class Dependencies:
    """The functions that carry out runs."""

    project: Project
    generators: Callable[[Path, int], AbstractContextManager[Sequence[Generator]]]
    """Starts so many load generators; the first one's log is given."""
    system: Callable[[System], Stack]
    describe: Callable[[], dict[str, Any]]
    reset: Callable[[Deployment], object] = _reset
    ceilings: Callable[[Sequence[str], Generator, bool], Mapping[str, float]] = lambda *_: {}
    """Returns a generator's highest rate with some plans, in operations per second; measures again
    what is known, if that is asked for.
    """
    bare_servers: Callable[[], Mapping[str, Any]] = dict
    """Returns what servers without work reach, by plan."""
    reach: Callable[[Path, str], Mapping[tuple[str, Mode, float], float | None]] = _reach
    """Returns how far the interval of a figure reaches, by workload, mode and level; 0 where the
    cell is decided, None where there is no interval.
    """
    narrowing: Callable[[Path], Sequence[str]] = _narrowing
    """Returns the results of each cell so far, in words."""
    goodput: Callable[[Path, Mapping[str, Any]], float] = _goodput
    """Returns the successful operations per second of a run, given by its folder and record."""
    keep_answers: Callable[[Deployment], object] = lambda _: None
    """Keeps what a started system answers, for the reference server."""
    watch: Watch | None = None
    """Reads what other programs use of this machine; None where that says nothing of the systems.
    """
    annotate: Callable[[str, Mapping[str, Any]], None] = lambda *_: None
    """Annotates a finished load, given by its name and record, in Grafana; never raises."""
