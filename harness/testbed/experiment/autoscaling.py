"""When instances of a service are started and stopped, and what decides on it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import fmean

from testbed.experiment.parts import Alarm, Autoscale, Hpa

FILE = "scaling.csv"
"""The file in a run's folder with every decision and its inputs."""

COLUMNS = (
    "service",
    "at_s",
    "ready",
    "starting",
    "used_cores",
    "utilisation",
    "recommended",
    "wanted",
)

PERIOD_S = 15.0
"""In so many seconds the number of instances at most doubles, or rises by `STEP`."""

STEP = 4


@dataclass(frozen=True)
class Reading:
    """What a decision depends on."""

    at_s: float
    """Seconds since the load began."""
    used: Mapping[str, float]
    """The CPU of each ready instance since the last decision, in cores; at least one."""
    starting: int
    """Instances that are not ready yet."""
    request: float
    """The CPU limit of an instance, in cores."""

    @property
    def current(self) -> int:
        return len(self.used) + self.starting

    def percent(self, instances: int) -> int:
        """Return the share that `instances` use of their limits, in whole percent, cut off."""
        # Kubernetes counts in thousandths of a core.
        used = sum(round(1000 * cores) for cores in self.used.values())
        return 100 * used // (round(1000 * self.request) * instances)


@dataclass(frozen=True)
class Decision:
    """How many instances there shall be."""

    recommended: int
    """What the utilisation alone would ask for."""
    wanted: int
    """After stabilisation and limits."""


@dataclass
class Decider:
    """Applies a rule to one reading after the other."""

    rule: Autoscale
    _recommended: list[tuple[float, int]] = field(default_factory=list)
    _added: list[tuple[float, int]] = field(default_factory=list)
    _above_s: float | None = None
    _below_s: float | None = None
    _window: list[Mapping[str, float]] = field(default_factory=list)
    """What instances used at the last decisions, as many as `at_once_for` has."""

    def decide(self, reading: Reading) -> Decision:
        if isinstance(self.rule, Hpa):
            return self._hpa(self.rule, reading)
        return self._alarm(self.rule, reading)

    def _hpa(self, rule: Hpa, reading: Reading) -> Decision:
        """Decide as ``pkg/controller/podautoscaler`` of Kubernetes 1.36 does."""
        at_s, current = reading.at_s, reading.current
        recommended = recommendation(rule, reading)
        self._recommended.append((at_s, recommended))
        self._recommended = [
            entry for entry in self._recommended if entry[0] > at_s - rule.stabilise_down
        ]
        highest = max((number for _, number in self._recommended), default=recommended)
        wanted = min(max(current, recommended), highest)
        if wanted > current:
            self._added = [entry for entry in self._added if entry[0] > at_s - PERIOD_S]
            before = current - sum(number for _, number in self._added)
            wanted = min(wanted, max(2 * before, before + STEP))
        wanted = min(max(wanted, rule.least), rule.most)
        if wanted > current:
            self._added.append((at_s, wanted - current))
        return Decision(recommended, wanted)

    def _alarm(self, rule: Alarm, reading: Reading) -> Decision:
        at_s, current = reading.at_s, reading.current
        utilisation = reading.percent(len(reading.used)) / 100
        self._above_s = _since(self._above_s, at_s, utilisation > rule.above)
        below = rule.below is not None and utilisation < rule.below
        self._below_s = _since(self._below_s, at_s, below)
        hot = rule.at_once is not None and self._hottest(rule, reading) > rule.at_once
        recommended = current
        if hot or _lasted(self._above_s, at_s, rule.above_for):
            recommended, self._above_s, self._window = current + 1, None, []
        elif _lasted(self._below_s, at_s, rule.below_for):
            recommended, self._below_s = current - 1, None
        # While one starts there is no other: the alarm is still about the time before it.
        wanted = current if reading.starting and recommended > current else recommended
        return Decision(recommended, min(max(wanted, rule.least), rule.most))

    def _hottest(self, rule: Alarm, reading: Reading) -> float:
        """Return the highest utilisation of an instance in a whole window; 0 before it is whole."""
        decisions = math.ceil(rule.at_once_for / rule.every)
        window = [*self._window, reading.used][-decisions:]
        self._window = [] if reading.starting else window
        if len(self._window) < decisions:
            return 0.0
        always = [name for name in reading.used if all(name in used for used in window)]
        means = (fmean(used[name] for used in window) / reading.request for name in always)
        return max(means, default=0.0)


def recommendation(rule: Hpa, reading: Reading) -> int:
    """Return how many instances the utilisation asks for.

    Instances that are not ready count as idle where more are needed, and not at all where fewer
    are.
    """
    ratio = _ratio(rule, reading.percent(len(reading.used)))
    if not (reading.starting and ratio > 1):
        if _within(rule, ratio):
            return reading.current
        return math.ceil(ratio * len(reading.used))
    with_idle = _ratio(rule, reading.percent(reading.current))
    if with_idle < 1 or _within(rule, with_idle):
        return reading.current
    return math.ceil(with_idle * reading.current)


def _ratio(rule: Hpa, percent: int) -> float:
    return percent / round(100 * rule.target)


def _within(rule: Hpa, ratio: float) -> bool:
    return 1 - rule.tolerance <= ratio <= 1 + rule.tolerance


def _since(before: float | None, at_s: float, holds: bool) -> float | None:
    """Return since when a condition holds; None if it does not."""
    if not holds:
        return None
    return at_s if before is None else before


def _lasted(since: float | None, at_s: float, seconds: float) -> bool:
    return since is not None and at_s - since >= seconds
