"""What an experiment is carried out with, and who is told how it goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from testbed.deploy import database
from testbed.deploy.services import Deployment
from testbed.deploy.stack import Stack
from testbed.experiment.declaration import System
from testbed.experiment.parts import Slo
from testbed.experiment.schedule import Run, Start
from testbed.measure.load import Seen
from testbed.model import systems
from testbed.model.loads import Mode
from testbed.model.project import Project

if TYPE_CHECKING:
    from testbed.analysis.objective import Reached

Effects = Callable[[Path, str], Mapping[tuple[str, Mode, float], float | None]]
"""Returns, by workload and level, the smallest relative difference that would be told."""


class Show(Protocol):
    """Is told how an experiment goes on."""

    def starting(self, start: Start) -> None:
        """Systems are about to be started."""

    def waiting(self, what: str) -> None:
        """Something is being waited for."""

    def started(self, start: Start) -> None:
        """All systems gave a full answer."""

    def loading(self, name: str, seen: Seen) -> None:
        """A load goes on."""

    def warmed(self, start: Start, told: str) -> None:
        """The warm-up of all systems ended, as it is told."""

    def measured(self, run: Run, seen: Sequence[Seen], seconds: float) -> None:
        """A run ended: what was seen of its loads, and the seconds it took."""

    def judged(self, run: Run, verdict: str) -> None:
        """A run that ended is not simply valid."""

    def known(self, lines: Sequence[str]) -> None:
        """What the runs so far say of each cell."""

    def decided(self, text: str) -> None:
        """A rule says whether, and why, the experiment goes on."""


def _could_tell(results: Path, figure: str) -> Mapping[tuple[str, Mode, float], float | None]:
    # Loaded here: the numerical libraries take a second, which other experiments need not wait for.
    from testbed.analysis import precision

    return precision.widths(results, figure)


def _narrowing(results: Path) -> Sequence[str]:
    from testbed.analysis.sections import answer

    return answer.narrowing(results)


def _judge(results: Path, run: str) -> str | None:
    from testbed.analysis import samples, verdicts
    from testbed.analysis.results import find_results

    found = find_results(results)
    judged = next(one for one in found.runs if one.id == run)
    measured = map(samples.measure, (judged, *verdicts.beside(judged, found.runs)))
    verdict = verdicts.judge(next(measured), found.environment, tuple(measured))
    return None if verdict.status == "valid" else str(verdict)


def _reached(slo: Slo, folder: Path, record: Mapping[str, Any]) -> Reached:
    from testbed.analysis import objective, samples
    from testbed.analysis.results import run_of

    return objective.reached_by(slo, samples.measure(run_of(folder, record)))


def _empty(deployment: Deployment) -> None:
    reset = systems.declaration(deployment.variant).reset
    database.empty(deployment.mongodb_uri, reset.databases, reset.collection)


def _not_marked(name: str, record: Mapping[str, Any]) -> None:
    """Leave a load unmarked."""


@dataclass(frozen=True)
class Dependencies:
    """What runs are carried out with.

    Parameters
    ----------
    project
        Where the plans are.
    generator
        Starts JMeter.
    system
        Returns the stack of a system.
    describe
        Returns what the results are measured with.
    reset
        Empties what the runs of a deployment store.
    ceilings
        Returns the operations per second that the generator can reach at most, by plan.
    could_tell
        Returns which differences results would tell.
    narrowing
        Says what results tell of each cell so far.
    judge
        Says what keeps a run, by its name, from being valid; None where nothing does.
    reached
        Holds a run, by its folder and its record, against an objective.
    mark
        Marks a load that has ended, by its name and its record, where people watch; never raises.
    """

    project: Project
    generator: list[str]
    system: Callable[[System], Stack]
    describe: Callable[[], dict[str, Any]]
    reset: Callable[[Deployment], object] = _empty
    ceilings: Callable[[], Mapping[str, float]] = dict
    could_tell: Effects = _could_tell
    narrowing: Callable[[Path], Sequence[str]] = _narrowing
    judge: Callable[[Path, str], str | None] = _judge
    reached: Callable[[Slo, Path, Mapping[str, Any]], Reached] = _reached
    mark: Callable[[str, Mapping[str, Any]], None] = _not_marked
