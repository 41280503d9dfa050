"""What the runs decide: which of two systems is faster at which level, and how sure that is.

A ratio is the second system's figure divided by the first's, the base. It is *decided* when its
interval excludes 1 and both sides have `DECIDING_RUNS` valid runs or more; each interval holds by
itself, not all of them at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import stats

from testbed.analysis.objective import reached_by
from testbed.analysis.results import Mode, Results, load_words
from testbed.analysis.samples import Measurement, load
from testbed.analysis.statistics import (
    CONFIDENCE,
    Band,
    Capacity,
    Interval,
    Scalability,
    capacity,
    efficiency,
    efficiency_band,
    fit_scalability,
    ratio_intervals,
    wilson,
)
from testbed.analysis.verdicts import Judged, judge_all, warm_up
from testbed.errors import UserError, unknown
from testbed.experiment import Slo

Floats = npt.NDArray[np.float64]

DECIDING_RUNS = 3
"""Valid runs of each side that a decision needs: fewer give an interval at best."""

QUANTILES: Mapping[str, float | None] = {
    "mean_ms": None,
    "p50_ms": 0.50,
    "p95_ms": 0.95,
    "p99_ms": 0.99,
}
"""Figures of the response times of successful operations; None is the mean."""

FIGURES = (*QUANTILES, "ok_per_s", "cpu_ms_per_ok")
"""Figures whose ratio is formed."""

WORDS = {
    "mean_ms": "mean",
    "p50_ms": "median",
    "p95_ms": "p95",
    "p99_ms": "p99",
    "ok_per_s": "goodput",
    "cpu_ms_per_ok": "CPU time per successful operation",
}

CLOCK_MS = 1.0
"""The resolution of JMeter's times."""

MORE_IS_BETTER = frozenset({"ok_per_s"})

FEWEST_LEVELS = 4
"""Levels that the Universal Scalability Law needs."""

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
    ratios
        By figure: second ÷ first; the interval is missing where there are too few runs.
    failed
        Share of failed operations of each, with Wilson's interval.
    """

    question: Question
    level: float
    first: str
    second: str
    runs: tuple[int, int]
    not_steady: int
    ratios: Mapping[str, Ratio]
    failed: tuple[Interval, Interval]

    def winner(self, figure: str) -> Winner | None:
        """Return which system is better by a figure, None where that is not decided.

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
class Crossover:
    """Where the ratio of two systems passes 1.

    Parameters
    ----------
    level
        By straight lines between the logarithms of the ratios at neighbouring levels.
    interval
        Of the level, of those resampled curves that cross.
    likelihood
        Share of the resampled curves that cross in the same direction between the measured levels.
    rising
        Whether the second system's figure overtakes the first's.
    crossings
        How often the observed ratio passes 1; the level is that of the first time.
    """

    level: float
    interval: Interval
    likelihood: float
    rising: bool
    crossings: int

    @property
    def decided(self) -> bool:
        """Whether it is as good as certain that there is one."""
        return self.likelihood >= CONFIDENCE


@dataclass(frozen=True)
class Efficiency:
    """The efficiency of a system over the levels of a closed loop, by one figure.

    Parameters
    ----------
    levels
        Ascending.
    percents
        E_i relative to the lowest level, with an interval from two runs on.
    """

    levels: tuple[float, ...]
    percents: tuple[Interval, ...]

    @property
    def bands(self) -> tuple[Band, ...]:
        """The band of each level."""
        return tuple(efficiency_band(percent.estimate) for percent in self.percents)

    def until(self, percent: float) -> float | None:
        """Return the highest level from the start on at which E_i is at least so many percent."""
        reached = None
        for level, found in zip(self.levels, self.percents, strict=True):
            if found.estimate < percent:
                break
            reached = level
        return reached


@dataclass(frozen=True)
class SettingPoint:
    """A cell by the value of one numeric setting.

    Parameters
    ----------
    group
        The system's variant, with what else tells it from others.
    level
        The load.
    value
        Of the setting.
    failed
        Share of failed operations.
    """

    group: str
    level: float
    value: float
    failed: Interval


def varied_settings(
    systems: Mapping[str, Mapping[float, Sequence[Measurement]]],
) -> dict[str, list[SettingPoint]]:
    """Return the cells by each numeric setting that has two values or more among the systems."""
    found: dict[str, list[SettingPoint]] = {}
    for levels in systems.values():
        for level, runs in levels.items():
            run = runs[0].run
            for name, value in run.settings.items():
                number = _number(value)
                if number is None:
                    continue
                others = [
                    f"{key} {kept}" for key, kept in sorted(run.settings.items()) if key != name
                ]
                group = ", ".join([run.cell.variant, *others])
                point = SettingPoint(group, level, number, failed_share(runs))
                found.setdefault(name, []).append(point)
    return {
        name: points for name, points in found.items() if len({point.value for point in points}) > 1
    }


def _number(value: object) -> float | None:
    try:
        return float(str(value))
    except ValueError:
        return None


def comparisons(judged: Judged) -> list[Comparison]:
    """Compare each system with the first of its question, level by level.

    Returns
    -------
    list of Comparison
        By question, pair and level. Presets are apart where each of them has two systems.
    """
    found = []
    for question, systems in questions(judged):
        base, *others = systems
        for other in others:
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
    by_preset = _presets_apart(judged.results)
    sorted_: dict[Question, dict[str, dict[float, list[Measurement]]]] = {}
    for measurement in judged.used.measurements:
        cell = measurement.run.cell
        question = Question(
            cell.workload, cell.backends, cell.mode, cell.preset if by_preset else None
        )
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


def widths(results: Path, figure: str) -> dict[tuple[str, float], float | None]:
    """Return how precisely the ratio of the systems is known, per workload and level.

    Parameters
    ----------
    results
        A results directory, finished or not.
    figure
        One of `FIGURES`.

    Returns
    -------
    dict
        Half the width of the ratio's interval, relative to the ratio; the widest where there are
        several pairs of systems. None where a pair has no interval yet, as with fewer than two
        valid runs of a side.

    Raises
    ------
    UserError
        If there is no such figure.
    """
    if figure not in FIGURES:
        raise unknown("figure", figure, FIGURES)
    try:
        judged = judge_all(load(results))
    except UserError:
        return {}
    cells = {run.cell for run in judged.results.runs}
    found: dict[tuple[str, float], float | None] = {}
    known: dict[tuple[str, float], list[float | None]] = {}
    for one in comparisons(judged):
        interval = one.ratios[figure].interval
        width = (
            (interval.high - interval.low) / 2 / interval.estimate
            if interval is not None and interval.estimate > 0
            else None
        )
        known.setdefault((one.question.workload, one.level), []).append(width)
    pairs = max(len({cell.system for cell in cells}) - 1, 1)
    for cell in sorted(cells, key=lambda cell: (cell.workload, cell.level)):
        seen = known.get((cell.workload, cell.level), [])
        complete = len(seen) >= (1 if _presets_apart(judged.results) else pairs)
        values = [width for width in seen if width is not None]
        whole = complete and len(values) == len(seen)
        found[cell.workload, cell.level] = max(values) if whole else None
    return found


def stretches(compared: Sequence[Comparison], figure: str) -> list[Stretch]:
    """Join neighbouring levels of one pair that have the same winner."""
    joined: list[Stretch] = []
    for one in compared:
        winner = one.winner(figure)
        if joined and joined[-1].winner == winner:
            joined[-1] = Stretch(joined[-1].low, one.level, winner)
        else:
            joined.append(Stretch(one.level, one.level, winner))
    return joined


def crossover(
    levels: Sequence[float],
    ratios: Sequence[Interval],
    *,
    confidence: float = CONFIDENCE,
    resamples: int = 4000,
    seed: int = 1,
) -> Crossover | None:
    """Find the level at which the ratio of two systems passes 1.

    Parameters
    ----------
    levels
        Ascending, at least two.
    ratios
        At each level, with its interval; positive.
    resamples, seed
        Of the curves that are drawn.

    Returns
    -------
    Crossover or None
        None where the observed ratio stays on one side of 1.

    Notes
    -----
    A curve is drawn by taking the logarithm of the ratio at each level from a normal distribution
    with the standard error that the interval there implies, levels independent of one another; the
    level is where straight lines between its points first pass 0 in the observed direction.
    """
    places = np.asarray(levels, dtype=float)
    if places.size < 2 or places.size != len(ratios) or np.any(np.diff(places) <= 0):
        raise ValueError(f"needs ascending levels with a ratio each, got {places}")
    if any(min(ratio.estimate, ratio.low) <= 0 for ratio in ratios):
        raise ValueError("needs positive ratios")
    observed = np.log([ratio.estimate for ratio in ratios])
    crossings = np.flatnonzero(np.diff(observed > 0))
    if not crossings.size:
        return None
    rising = bool(observed[crossings[0] + 1] > 0)
    rng = np.random.default_rng(seed)
    reach = 2 * float(stats.norm.ppf((1 + confidence) / 2))
    errors = np.array([(math.log(one.high) - math.log(one.low)) / reach for one in ratios])
    drawn = observed + errors * rng.standard_normal((resamples, places.size))
    passes = (drawn[:, :-1] > 0) != (drawn[:, 1:] > 0)
    passes &= (drawn[:, 1:] > 0) == rising
    crossing = passes.any(axis=1)
    at = passes.argmax(axis=1)[crossing]
    curves = drawn[crossing]
    found = _between(places, curves, at)
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    low, high = np.quantile(found, tails) if found.size else (math.nan, math.nan)
    level = float(_between(places, observed[None, :], crossings[:1])[0])
    return Crossover(
        level=level,
        interval=Interval(level, float(min(low, level)), float(max(high, level)), confidence),
        likelihood=float(crossing.mean()),
        rising=rising,
        crossings=int(crossings.size),
    )


def crossing(compared: Sequence[Comparison], figure: str) -> Crossover | None:
    """Find the crossover of one pair by one figure; None also where intervals are missing."""
    known = [
        (one.level, interval)
        for one in compared
        if (interval := one.ratios[figure].interval) is not None and interval.low > 0
    ]
    if len(known) < 2:
        return None
    return crossover([level for level, _ in known], [interval for _, interval in known])


def efficiencies(levels: Mapping[float, Sequence[Measurement]], figure: str) -> Efficiency | None:
    """Return E_i of one system in a closed loop; None with fewer than two levels.

    Parameters
    ----------
    levels
        Its runs by level.
    figure
        Of `QUANTILES`: the response time that is taken.

    Notes
    -----
    The interval is that of the hierarchical bootstrap of the ratio R_1 ÷ R_i; with one run at
    either level there is none, and it is as wide as the estimate.
    """
    known = {
        level: times
        for level, runs in sorted(levels.items())
        if (times := [one for run in runs if (one := _elapsed(run)).size])
    }
    if len(known) < 2:
        return None
    base = min(known)
    pooled = [_figure(np.concatenate(times), figure) for times in known.values()]
    if min(pooled) <= 0:
        return None
    estimates = efficiency(list(known), pooled)
    percents = []
    for (level, times), estimate in zip(known.items(), estimates, strict=True):
        interval = Interval(float(estimate), float(estimate), float(estimate))
        if level != base and min(len(times), len(known[base])) > 1:
            (ratio,) = ratio_intervals(known[base], times, [QUANTILES[figure]])
            unit = 100 * level / base
            interval = Interval(float(estimate), unit * ratio.low, unit * ratio.high)
        percents.append(interval)
    return Efficiency(tuple(known), tuple(percents))


def scalability(levels: Mapping[float, Sequence[Measurement]]) -> Scalability | None:
    """Fit the Universal Scalability Law to one system's goodput; None where that cannot be."""
    points = [
        (level, int(one.operations["ok"].sum()) / one.duration_s)
        for level, runs in sorted(levels.items())
        for one in runs
        if one.operations["ok"].any()
    ]
    if len({level for level, _ in points}) < FEWEST_LEVELS:
        return None
    try:
        return fit_scalability([level for level, _ in points], [rate for _, rate in points])
    except ValueError:
        return None


def capacities(judged: Judged, slo: Slo) -> list[tuple[Question, str, Capacity]]:
    """Return the highest level at which each system keeps an objective.

    An open-loop run that did not reach the offered rate counts as one that does not keep it, unless
    its load generator was saturated or something else was wrong with it.
    """
    seen: dict[tuple[Question, str], list[tuple[float, bool]]] = {}
    by_preset = _presets_apart(judged.results)
    for one in judged.recorded.measurements:
        verdict, cell = judged.verdicts[one.run.id], one.run.cell
        failed = {check.name for check in verdict.checks if check.outcome == "failed"}
        overloaded = "offered = achieved" in failed
        if failed - {"offered = achieved", "steady"}:
            continue
        question = Question(
            cell.workload, cell.backends, cell.mode, cell.preset if by_preset else None
        )
        seen.setdefault((question, cell.system), []).append(
            (cell.level, not overloaded and reached_by(slo, one).met)
        )
    return [
        (question, system, capacity([rate for rate, _ in known], [met for _, met in known]))
        for (question, system), known in seen.items()
    ]


def twins(judged: Judged) -> list[tuple[Question, str, str]]:
    """Return the pairs of systems that are identical but for their names."""
    kinds: dict[str, set[tuple[object, ...]]] = {}
    for run in judged.results.runs:
        cell = run.cell
        what = (cell.variant, cell.preset, run.fetch, tuple(sorted(map(str, run.settings.items()))))
        kinds.setdefault(cell.system, set()).add(what)
    return [
        (question, first, second)
        for question, systems in questions(judged)
        for first, second in combinations(systems, 2)
        if kinds[first] == kinds[second]
    ]


def twin_ratios(
    judged: Judged, figures: Iterable[str] = FIGURES
) -> dict[str, list[tuple[Comparison, Interval]]]:
    """Compare identical twins as any two systems would be compared.

    Returns
    -------
    dict
        By figure, each comparison that has an interval. Where a cell has `DECIDING_RUNS` runs of
        each side several times over, every such group of consecutive runs is compared by itself:
        that is what an experiment with so few runs would have seen.
    """
    pairs = {(question, first, second) for question, first, second in twins(judged)}
    found: dict[str, list[tuple[Comparison, Interval]]] = {figure: [] for figure in figures}
    for question, systems in questions(judged):
        for first, second in combinations(systems, 2):
            if (question, first, second) not in pairs:
                continue
            for level in sorted(systems[first].keys() & systems[second].keys()):
                ones, others = systems[first][level], systems[second][level]
                for group in _groups(len(ones), len(others)):
                    one = compare_runs(
                        question, level, (first, ones[group]), (second, others[group])
                    )
                    for figure, known in found.items():
                        interval = one.ratios[figure].interval
                        if interval is not None:
                            known.append((one, interval))
    return found


def run_figure(measurement: Measurement, figure: str) -> float | None:
    """Return one figure of one run, None where it has none."""
    elapsed = _elapsed(measurement)
    if figure in QUANTILES:
        return _figure(elapsed, figure) if elapsed.size else None
    if figure == "ok_per_s":
        return elapsed.size / measurement.duration_s if measurement.duration_s else None
    whole = int((measurement.whole or measurement).operations["ok"].sum())
    cpu_s = sum(measurement.run.server_cpu_s.values())
    return 1000 * cpu_s / whole if cpu_s and whole else None


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
        not_steady=sum(not _settled(one) for one in (*ones, *others)),
        ratios={**_time_ratios(ones, others), **_run_ratios(ones, others)},
        failed=(failed_share(ones), failed_share(others)),
    )


def failed_share(runs: Sequence[Measurement]) -> Interval:
    """Return the share of failed operations of a cell, with Wilson's interval."""
    total = sum(one.operations.height for one in runs)
    return wilson(total - sum(int(one.operations["ok"].sum()) for one in runs), total)


def _time_ratios(ones: Sequence[Measurement], others: Sequence[Measurement]) -> dict[str, Ratio]:
    below, above = ([_elapsed(one) for one in side] for side in (ones, others))
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
    return _figure(every, figure) if every.size else None


def _elapsed(measurement: Measurement) -> Floats:
    """Return the times of successful operations, ms, from 1000 on to three significant digits.

    A time of 0 ms is taken for half of the clock's resolution, so that ratios exist.
    A histogram with three digits (Tene, HdrHistogram) keeps the bootstrap's cost that of a
    thousand times or two, however slow a system is.
    """
    known = measurement.operations.filter("ok")["elapsed_ms"].to_numpy().astype(float)
    elapsed: Floats = np.maximum(known, CLOCK_MS / 2)
    if not elapsed.size or elapsed.max() < 1000:
        return elapsed
    unit = 10.0 ** np.clip(np.floor(np.log10(np.maximum(elapsed, 1))) - 2, 0, None)
    coarse: Floats = np.round(elapsed / unit) * unit
    return coarse


def _figure(elapsed: Floats, figure: str) -> float:
    quantile = QUANTILES[figure]
    return float(elapsed.mean() if quantile is None else np.quantile(elapsed, quantile))


def _ratio(above: float | None, below: float | None) -> float | None:
    return above / below if above is not None and below else None


def _settled(measurement: Measurement) -> bool:
    cut = warm_up(measurement.whole or measurement)
    return cut is None or cut.steady


def _groups(ones: int, others: int) -> list[slice]:
    fewest = min(ones, others)
    if fewest < 2 * DECIDING_RUNS:
        return [slice(None)]
    return [
        slice(start, start + DECIDING_RUNS)
        for start in range(0, fewest - DECIDING_RUNS + 1, DECIDING_RUNS)
    ]


def _presets_apart(results: Results) -> bool:
    """Return whether each preset has two systems, so that comparisons stay within a preset."""
    systems: dict[str, set[str]] = {}
    for run in results.runs:
        systems.setdefault(run.cell.preset, set()).add(run.cell.system)
    return all(len(found) > 1 for found in systems.values())


def _between(places: Floats, curves: Floats, at: npt.NDArray[np.intp]) -> Floats:
    """Return where each curve passes 0 between the points ``at`` and ``at + 1``."""
    rows = np.arange(len(curves))
    before, after = curves[rows, at], curves[rows, at + 1]
    level: Floats = places[at] + (places[at + 1] - places[at]) * before / (before - after)
    return level
