"""What the runs decide: which of two systems is faster at which level, and how sure that is.

A ratio is the second system's figure divided by the first's, the base. It is *decided* when its
interval excludes 1 and both sides have `DECIDING_RUNS` usable runs or more; each interval holds by
itself, not all of them at once. Response times are of successes, so a system that fails more is not
the faster one by them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from testbed.analysis.arrays import Floats
from testbed.analysis.quantities import (
    CLOCK_MS,
    MORE_IS_BETTER,
    QUANTILES,
    failed_share,
    figure_of,
    run_figure,
    successful_ms,
)
from testbed.analysis.results import Cell, Mode, Results, load_words
from testbed.analysis.samples import Measurement
from testbed.analysis.statistics.bootstrap import ratio_intervals
from testbed.analysis.statistics.intervals import Interval
from testbed.analysis.verdicts import Judged, warm_up

DECIDING_RUNS = 3
"""Usable runs of each side that a decision needs: fewer give an interval at best."""

FAILS_APART = 0.01
"""Of its operations that a system may fail more than another and still be called the faster."""

FAILS_MUCH = 0.05
"""Failed share of either side from which response times are said to be of successes only."""

Winner = Literal["first", "second"]


@dataclass(frozen=True)
class Question:
    """Runs that may be compared: what they have in common.

    Parameters
    ----------
    workload, backends, mode
        As in a cell.
    preset
        None where the systems differ in it.
    """

    workload: str
    backends: str
    mode: Mode
    preset: str | None

    @classmethod
    def of(cls, cell: Cell, *, by_preset: bool) -> Question:
        """Return the question of a cell; without its preset where systems differ in that."""
        return cls(cell.workload, cell.backends, cell.mode, cell.preset if by_preset else None)

    def holds(self, cell: Cell) -> bool:
        """Return whether a cell belongs to it."""
        return (
            (self.workload, self.backends, self.mode) == (cell.workload, cell.backends, cell.mode)
        ) and self.preset in (None, cell.preset)


@dataclass(frozen=True)
class Comparison:
    """Two systems at one level.

    Parameters
    ----------
    question, level
        Where.
    first, second
        The systems; the first is the base.
    runs
        Usable runs of each.
    not_steady
        How many of these never settled.
    overloaded
        How many of these did not carry the load; they do not count as not steady.
    ratios
        By figure: second ÷ first; the interval is missing where there are too few runs.
    failed
        Share of each one's arrivals that failed or never began, with its interval over runs.
    """

    question: Question
    level: float
    first: str
    second: str
    runs: tuple[int, int]
    not_steady: int
    overloaded: int
    ratios: Mapping[str, Ratio]
    failed: tuple[Interval, Interval]

    def winner(self, figure: str) -> Winner | None:
        """Return which system is better by a figure, None where that is not decided.

        By response times no system wins that fails over `FAILS_APART` more of its operations.
        """
        ahead = self._ahead(figure)
        return None if ahead is None or ahead == self.fast_but_failing(figure) else ahead

    def fast_but_failing(self, figure: str) -> Winner | None:
        """Return which system would be the faster one, if it did not fail more."""
        ahead = self._ahead(figure)
        if ahead is None or figure not in QUANTILES:
            return None
        more = self.failed[0].estimate - self.failed[1].estimate
        return ahead if (more if ahead == "first" else -more) > FAILS_APART else None

    @property
    def failures_matter(self) -> bool:
        """Whether response times leave out too much to be read without saying so."""
        shares = [failed.estimate for failed in self.failed]
        return max(shares) > FAILS_MUCH or max(shares) - min(shares) > FAILS_APART

    def _ahead(self, figure: str) -> Winner | None:
        """Return which system is better by a figure as it is, failures aside.

        JMeter's times are whole milliseconds: percentiles that differ by no more than one are not
        told apart, however narrow the interval.
        """
        ratio = self.ratios[figure]
        if min(self.runs) < DECIDING_RUNS or ratio.interval is None or ratio.interval.contains(1):
            return None
        first, second = ratio.figures
        if QUANTILES.get(figure) and abs((first or 0) - (second or 0)) <= CLOCK_MS:
            return None
        higher = ratio.interval.low > 1
        return "second" if higher == (figure in MORE_IS_BETTER) else "first"

    @property
    def load(self) -> str:
        """The level in words."""
        return load_words(self.question.mode, self.level)


@dataclass(frozen=True)
class Ratio:
    """A ratio as observed, None where a side has no such figure, with its interval if known.

    ``figures`` are those of the first and of the second system.
    """

    observed: float | None
    interval: Interval | None = None
    figures: tuple[float | None, float | None] = (None, None)


@dataclass(frozen=True)
class Stretch:
    """Neighbouring levels with the same winner by one figure; no winner where not decided."""

    low: float
    high: float
    winner: Winner | None


@dataclass(frozen=True)
class Gap:
    """A level at which a pair was measured but cannot be compared, and why."""

    level: float
    why: str


def comparisons(judged: Judged) -> list[Comparison]:
    """Compare each system with the first of its variant, and that with the first of its question.

    So what is changed within a variant is told from what tells the variants apart.

    Returns
    -------
    list of Comparison
        By question, pair and level. Presets are apart where each of them has two systems.
    """
    variants = {run.cell.system: run.cell.variant for run in judged.results.runs}
    found = []
    for question, systems in questions(judged):
        first, *others = systems
        firsts = {variants[first]: first}
        for other in others:
            of_variant = firsts.setdefault(variants[other], other)
            base = first if of_variant == other else of_variant
            shared = sorted(systems[base].keys() & systems[other].keys())
            found += [
                compare_runs(
                    question, level, (base, systems[base][level]), (other, systems[other][level])
                )
                for level in shared
            ]
    return found


def by_pair(
    compared: Iterable[Comparison],
) -> dict[tuple[Question, str, str], list[Comparison]]:
    """Sort comparisons by question, first and second system, each in the order given."""
    pairs: dict[tuple[Question, str, str], list[Comparison]] = {}
    for one in compared:
        pairs.setdefault((one.question, one.first, one.second), []).append(one)
    return pairs


def questions(
    judged: Judged,
) -> Iterator[tuple[Question, dict[str, dict[float, list[Measurement]]]]]:
    """Sort the usable runs by question, system and level; the base comes first in each question."""
    order = judged.results.systems
    by_preset = presets_apart(judged.results)
    sorted_: dict[Question, dict[str, dict[float, list[Measurement]]]] = {}
    for measurement in judged.used.measurements:
        cell = measurement.run.cell
        question = Question.of(cell, by_preset=by_preset)
        levels = sorted_.setdefault(question, {}).setdefault(cell.system, {})
        levels.setdefault(cell.level, []).append(measurement)
    for question, systems in sorted_.items():
        if not by_preset:
            presets = {
                one.run.cell.preset
                for levels in systems.values()
                for runs in levels.values()
                for one in runs
            }
            if len(presets) == 1:
                question = Question(
                    question.workload, question.backends, question.mode, presets.pop()
                )
        yield question, {system: systems[system] for system in sorted(systems, key=order.index)}


def gaps(judged: Judged, compared: Sequence[Comparison]) -> list[Gap]:
    """Return the levels at which a pair was measured, and at which it is not compared.

    Parameters
    ----------
    judged
        What was measured.
    compared
        The comparisons of one pair, at least one.

    Returns
    -------
    list of Gap
        By level.
    """
    question, pair = compared[0].question, (compared[0].first, compared[0].second)
    used = {one.run.id for one in judged.used.measurements}
    runs = [
        run for run in judged.results.runs if run.cell.system in pair and question.holds(run.cell)
    ]
    found = []
    for level in sorted({run.cell.level for run in runs} - {one.level for one in compared}):
        lacking = []
        for system in pair:
            made = [run.id for run in runs if (run.cell.system, run.cell.level) == (system, level)]
            if not used.intersection(made):
                states = Counter(
                    "unreadable" if run in judged.recorded.unreadable else "invalid" for run in made
                )
                why = ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
                lacking.append(f"no usable run of {system} ({why or 'none made'})")
        found.append(Gap(level, ", ".join(lacking)))
    return found


def stretches(
    compared: Sequence[Comparison], figure: str, gaps: Sequence[Gap] = ()
) -> list[Stretch]:
    """Join neighbouring levels of one pair that have the same winner, but not across a gap."""
    joined: list[Stretch] = []
    for one in compared:
        winner = one.winner(figure)
        known = bool(joined) and not any(joined[-1].high < gap.level < one.level for gap in gaps)
        if known and joined[-1].winner == winner:
            joined[-1] = Stretch(joined[-1].low, one.level, winner)
        else:
            joined.append(Stretch(one.level, one.level, winner))
    return joined


def compare_runs(
    question: Question,
    level: float,
    first: tuple[str, Sequence[Measurement]],
    second: tuple[str, Sequence[Measurement]],
) -> Comparison:
    """Compare the usable runs of two systems at one level.

    Parameters
    ----------
    question, level
        What the runs have in common.
    first, second
        Name and runs, at least one, of the base and of what is held against it.
    """
    ones, others = first[1], second[1]
    return Comparison(
        question=question,
        level=level,
        first=first[0],
        second=second[0],
        runs=(len(ones), len(others)),
        not_steady=sum(not _settled(one) for one in (*ones, *others) if not one.overloaded),
        overloaded=sum(one.overloaded for one in (*ones, *others)),
        ratios={**_time_ratios(ones, others), **_run_ratios(ones, others)},
        failed=(failed_share(ones), failed_share(others)),
    )


def presets_apart(results: Results) -> bool:
    """Return whether each preset has two systems, so that comparisons stay within a preset."""
    systems: dict[str, set[str]] = {}
    for run in results.runs:
        systems.setdefault(run.cell.preset, set()).add(run.cell.system)
    return all(len(found) > 1 for found in systems.values())


def _time_ratios(ones: Sequence[Measurement], others: Sequence[Measurement]) -> dict[str, Ratio]:
    below, above = ([successful_ms(one) for one in side] for side in (ones, others))
    figures = {figure: (_pooled(below, figure), _pooled(above, figure)) for figure in QUANTILES}
    enough = min(len(below), len(above)) > 1
    if not enough or not all(times.size for times in (*below, *above)):
        return {
            figure: Ratio(_ratio(second, first), figures=(first, second))
            for figure, (first, second) in figures.items()
        }
    intervals = ratio_intervals(above, below, list(QUANTILES.values()))
    return {
        figure: Ratio(interval.estimate, interval, figures[figure])
        for figure, interval in zip(QUANTILES, intervals, strict=True)
    }


def _run_ratios(ones: Sequence[Measurement], others: Sequence[Measurement]) -> dict[str, Ratio]:
    """Return the ratios of figures that a run has one of."""
    found = {}
    for figure in ("ok_per_s", "cpu_ms_per_ok"):
        below, above = (
            [value for one in side if (value := run_figure(one, figure))] for side in (ones, others)
        )
        if len(below) < len(ones) or len(above) < len(others):
            found[figure] = Ratio(None)
            continue
        figures = float(np.mean(below)), float(np.mean(above))
        if min(len(below), len(above)) < 2:
            found[figure] = Ratio(_ratio(figures[1], figures[0]), figures=figures)
            continue
        (interval,) = ratio_intervals([[value] for value in above], [[value] for value in below])
        found[figure] = Ratio(interval.estimate, interval, figures)
    return found


def _pooled(times: Sequence[Floats], figure: str) -> float | None:
    every = np.concatenate(times)
    return figure_of(every, figure) if every.size else None


def _ratio(above: float | None, below: float | None) -> float | None:
    return above / below if above is not None and below else None


def _settled(measurement: Measurement) -> bool:
    cut = warm_up(measurement.whole or measurement)
    return cut is None or cut.steady
