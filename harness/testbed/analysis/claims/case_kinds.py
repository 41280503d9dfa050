"""How a claim about a case study becomes a figure with an interval.

A ``cell`` of such a claim has a variant, a workload, and a level or levels. It may have settings,
which a run must have too.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import polars as pl
from scipy import stats

from testbed.analysis import accounts, caching, demands, ladders
from testbed.analysis.accounts import Account
from testbed.analysis.autoscaling import instances
from testbed.analysis.claims import kinds
from testbed.analysis.claims.claim import Claim, Found, NoFigureError
from testbed.analysis.claims.kinds import Level, at_every_level, levels_of
from testbed.analysis.claims.sources import MeasuredFigures
from testbed.analysis.decisions import decide
from testbed.analysis.demands import MIB
from testbed.analysis.demands import Found as Least
from testbed.analysis.grouping import grouped
from testbed.analysis.prices import Sizes, price_list
from testbed.analysis.quantities import run_figure, share_over_runs
from testbed.analysis.results import Run
from testbed.analysis.samples import Measurement
from testbed.analysis.statistics.intervals import Interval, factor_interval, mean_interval
from testbed.analysis.statistics.ratios import ratio_of_runs
from testbed.analysis.verdicts import Judged
from testbed.model.loads import load_words

SMALL = 0.01
"""A predicted loss below this is not compared as a ratio."""

LISTED = 8
"""Most levels whose ratios are listed."""

MINUTE_MS = 60_000

Cell = Mapping[str, Any]


def examine(claim: Claim, judged: Judged) -> Found:
    """Test one claim of a case study against results."""
    try:
        return CASE_KINDS[claim.kind](claim, judged)
    except NoFigureError as why:
        return Found(None, note=str(why))


def _demand_ratio(claim: Claim, judged: Judged) -> Found:
    """Return the ratio of the least CPU, or of the memory with it, over all levels."""
    figure = claim.fields["figure"]

    def ratio(over: Sequence[Least], under: Sequence[Least]) -> Interval | None:
        if figure == "memory_mb":
            return _ratio([one.memory_mb for one in over], [one.memory_mb for one in under])
        above, below = ([one.cpus for one in side if one.cpus] for side in (over, under))
        # A search in which no CPU was enough has no figure, and leaves no ratio.
        if (len(above), len(below)) != (len(over), len(under)):
            return None
        # The least CPU lies between what was too little and what was enough.
        low = min(one.bracket.failed or 0.0 for one in over) / max(below)
        least = min(one.bracket.failed or 0.0 for one in under)
        high = max(above) / least if least else math.inf
        return Interval(float(stats.gmean(above) / stats.gmean(below)), low, high)

    return _over_levels(claim, judged, ratio)


def _cost_ratio(claim: Claim, judged: Judged) -> Found:
    """Return the ratio of hosting costs with the least CPU, over all levels."""
    prices, sizes = price_list(claim.fields["prices"]), claim.fields["sizes"]

    def ratio(over: Sequence[Least], under: Sequence[Least]) -> Interval | None:
        return _ratio(
            *([cost(one, prices.together, sizes) for one in side] for side in (over, under))
        )

    return _over_levels(claim, judged, ratio)


def cost(one: Least, together: Callable[..., float | None], sizes: Sizes) -> float | None:
    """Return what a system costs with the least CPU, by `PriceList.together`."""
    return together(
        [(cores, memory_mb / MIB / 1024) for cores, memory_mb in one.parts.values()], sizes
    )


def _over_levels(
    claim: Claim,
    judged: Judged,
    ratio: Callable[[Sequence[Least], Sequence[Least]], Interval | None],
) -> Found:
    above, below = claim.fields["over"], claim.fields["under"]
    known = demands.searches(judged)
    found: dict[float, Interval] = {}
    runs: dict[float, Sequence[Least]] = {}
    for level in (levels := levels_of(above)):
        sides = [
            [
                one
                for one in known
                if (one.variant, one.workload, one.threads)
                == (cell["variant"], cell["workload"], level)
            ]
            for cell in (above, below)
        ]
        if all(sides) and (value := ratio(*sides)) is not None:
            found[level], runs[level] = value, min(sides, key=len)
    return _all_levels(claim, found, runs, levels, _THREADS)


_THREADS = partial(load_words, "closed")


def _all_levels(
    claim: Claim,
    found: Mapping[Level, Interval],
    runs: Mapping[Level, Sequence[object]],
    levels: Sequence[float],
    named: Callable[[Level], str],
) -> Found:
    """Return the finding that is furthest from what the claim allows.

    Its interval covers those of all levels, unless one of them lies outside. ``levels`` are those
    of the claim.
    """
    if not found:
        raise NoFigureError("nothing usable")
    low, high = claim.accept or (0.0, math.inf)
    missing = [level for level in levels if level not in found]

    def furthest(at: Sequence[Level]) -> Found:
        # One level that is outside refutes the claim, whatever the intervals of the others.
        outside = [one for one in at if found[one].high < low or found[one].low > high]
        worst = max(
            outside or at,
            key=lambda one: max(low - found[one].estimate, found[one].estimate - high),
        )
        listed = ", ".join(f"{found[one].estimate:.2f} at {named(one)}" for one in at[:LISTED])
        listed = listed if len(at) > 1 else ""
        covered = [worst] if outside else at
        whole = Interval(
            found[worst].estimate,
            min(found[one].low for one in covered),
            max(found[one].high for one in covered),
        )
        fewest = min(len(runs[one]) for one in covered)
        return Found(whole.estimate, whole, fewest, "×", listed, missing=missing)

    return at_every_level(claim, runs, furthest)


def _cpu_ratio(claim: Claim, judged: Judged) -> Found:
    """Return the ratio of the CPU time of an operation of one thread, or of what was built.

    Of what was built, that of one service if the cell names it.
    """
    sides = [_cpu_ms(judged, claim.fields[side]) for side in ("over", "under")]
    if (found := _ratio(*sides)) is None:
        raise NoFigureError("nothing usable")
    return _of(found, min(map(len, sides)), "×")


def _cpu_ms(judged: Judged, cell: Cell) -> list[float | None]:
    known = [one for one in accounts.accounts(judged) if _fits(one.run, cell)]
    if known and "service" in cell:
        return [accounts.cpu_ms(one.run, one.built, {cell["service"]}) for one in known]
    if known:
        return [one.cpu_ms for one in known]
    names = {one.run.cell.system for one in judged.used.measurements if _fits(one.run, cell)}
    return [one.total_ms for one in demands.alone(judged) if one.system in names]


def _utilisation(claim: Claim, judged: Judged) -> Found:
    """Return the share of its CPU that a system used: the least of a search, or of a service."""
    cell = claim.fields["cell"]
    if (service := cell.get("service")) is not None:
        known = [
            one
            for run in judged.used.measurements
            if _fits(run.run, cell) and (one := _of_limit(run, service)) is not None
        ]
    else:
        known = [
            one.utilisation
            for one in demands.searches(judged)
            if (one.variant, one.workload) == (cell["variant"], cell["workload"])
            and one.threads in levels_of(cell)
            and one.utilisation is not None
        ]
    if not known:
        raise NoFigureError("nothing usable")
    return _mean(known, "%")


def _of_limit(measurement: Measurement, service: str) -> float | None:
    """Return the share of its limit that a service used from the first request to the last result.

    The wall time of a load would include the time before its first arrival.
    """
    run = measurement.run
    limit, told = run.settings.get(f"limits.{service}.cpus"), run.ledger or {}
    used = [*(block.server_cpu_s for block in run.blocks), told.get("cpu_s") or {}]
    seconds = measurement.recorded.duration_s + (told.get("drained_s") or 0)
    if limit is None or not seconds:
        return None
    return sum(part.get(service, 0.0) for part in used) / seconds / float(limit)


def _loss(claim: Claim, judged: Judged) -> Found:
    """Return a share of losses over runs: ``lost``, ``silent`` or of the ``first third``."""
    figure = claim.fields["figure"]
    known = [
        (bad, whole)
        for one in accounts.accounts(judged)
        for bad, whole in (_LOSSES[figure](one),)
        if _fits(one.run, claim.fields["cell"]) and whole
    ]
    if not known:
        raise NoFigureError("nothing usable, or nothing lost")
    return _of(share_over_runs(known), len(known), "%")


_LOSSES: Mapping[str, Callable[[Account], tuple[int, int]]] = {
    "lost": lambda one: (one.lost, one.accepted),
    "silent": lambda one: (one.lost, one.lost + one.refused),
    "first third": lambda one: (round((one.first_third or 0) * one.lost), one.lost),
}
"""A part and its whole, by the claimed figure."""


def _model(claim: Claim, judged: Judged) -> Found:
    """Return measured ÷ predicted loss, refusals included.

    Of Poisson arrivals for each rate, of bursts for each number of places.
    """
    cell = claim.fields["cell"]
    poisson = cell.get("arrivals") == "poisson"
    ratios = grouped(
        (
            (one.run.cell.level if poisson else one.places, one.unserved_share / one.predicted)
            for one in accounts.accounts(judged)
            if _fits(one.run, cell) and one.predicted and one.predicted >= SMALL
        ),
        lambda one: one[0],
    )
    known = {at: [ratio for _, ratio in some] for at, some in sorted(ratios.items())}
    found = {at: _mean_ratio(some) for at, some in known.items()}
    named = "{:g} per second" if poisson else "{:g} places"
    return _all_levels(claim, found, known, [], named.format)


def _mean_ratio(ratios: Sequence[float]) -> Interval:
    if len(ratios) < 2:
        return Interval(ratios[0], ratios[0], ratios[0])
    # A loss of nothing has no logarithm.
    return factor_interval(ratios) if min(ratios) > 0 else mean_interval(ratios)


def _cache(claim: Claim, judged: Judged) -> Found:
    """Return what a cache does: ``failed``, ``oldest`` (of the time to live) or ``asked``.

    Oldest is the maximum of all runs: one answer that is too old is enough.
    """
    known = [one for one in caching.cached(judged) if _fits(one.run, claim.fields["cell"])]
    figure = claim.fields["figure"]
    if not known:
        raise NoFigureError("nothing usable")
    if figure == "failed":
        return _of(
            share_over_runs([(one.failed, one.operations) for one in known]), len(known), "%"
        )
    values = [value for one in known if (value := _CACHE_FIGURES[figure](one)) is not None]
    if not values:
        raise NoFigureError("the runs are too short")
    if figure == "oldest":
        return Found(max(values), None, len(values), "×")
    return _mean(values, "×")


def _mean(values: Sequence[float], unit: str) -> Found:
    """Return the mean of at least one value; of one alone without an interval."""
    if len(values) < 2:
        return Found(values[0], None, 1, unit)
    return _of(mean_interval(values), len(values), unit)


_CACHE_FIGURES: Mapping[str, Callable[[caching.Cached], float | None]] = {
    "oldest": lambda one: one.oldest_share,
    "asked": lambda one: one.asked_ratio,
}


def _figure_ratio(claim: Claim, judged: Judged) -> Found:
    """Return the ratio of a figure of two cells.

    A side with one level is compared with every level of the other.
    """
    sides = claim.fields["over"], claim.fields["under"]
    figure = claim.fields["figure"]
    figures = figure, claim.fields.get("under_figure", figure)
    over, under = (levels_of(cell) for cell in sides)
    many = max(over, under, key=len)
    pairs = (one if len(one) > 1 else one * len(many) for one in (over, under))
    found: dict[float, Interval] = {}
    runs: dict[float, Sequence[object]] = {}
    for level, *at in zip(many, *pairs, strict=True):
        above, below = (
            [
                _figure(one, name, claim)
                for one in judged.used.measurements
                if one.run.cell.level == own and _fits(one.run, cell)
            ]
            for name, own, cell in zip(figures, at, sides, strict=True)
        )
        if (value := _ratio(above, below)) is not None:
            found[level], runs[level] = value, min(above, below, key=len)
    return _all_levels(claim, found, runs, many, _THREADS)


def _figure(one: Measurement, name: str, claim: Claim) -> float | None:
    """Return a figure of a run: of those that are compared, or one that only claims ask for."""
    match name:
        case "first_minute":
            # `elapsed_ms` counts from when an operation should have begun.
            since = pl.col("start_ms") - pl.col("start_ms").min() + pl.col("service_ms")
            return float(one.operations.filter((since < MINUTE_MS) & pl.col("ok")).height)
        case "instance_s_per_ok":
            served = int(one.operations["ok"].sum())
            found = instances(one.run, claim.fields["service"])
            return found.instance_s / served if found is not None and served else None
        case _:
            return run_figure(one, name)


def _steps(claim: Claim, judged: Judged) -> Found:
    """Return what steps of a ladder are worth together, in goodput, for each cell.

    The widths of intervals add up in quadrature; too wide where two steps share a start.
    """
    found = ladders.climbed(judged.results, decide(judged, ["ok_per_s"]))
    wanted = claim.fields["steps"]
    steps = [one.added for one in (found.steps if found else ()) if one.factor in wanted]
    cells: dict[str, Interval] = {}
    pairs: dict[str, Sequence[int]] = {}
    for cell, ones in grouped(
        itertools.chain.from_iterable(steps), lambda one: f"{one.workload}, {one.load}"
    ).items():
        known = [(one.ratio, one.high) for one in ones if one.ratio and one.high]
        if len(known) == len(wanted):
            whole = math.prod(ratio for ratio, _ in known)
            wide = math.exp(math.hypot(*(math.log(high / ratio) for ratio, high in known)))
            cells[cell] = Interval(whole, whole / wide, whole * wide)
            pairs[cell] = range(min(one.pairs for one in ones))
    return _all_levels(claim, cells, pairs, [], str)


def _fits(run: Run, cell: Cell) -> bool:
    return (
        (run.cell.variant, run.cell.workload) == (cell["variant"], cell["workload"])
        and ("level" not in cell or run.cell.level == cell["level"])
        and ("arrivals" not in cell or (run.arrivals and run.arrivals.kind) == cell["arrivals"])
        and all(run.settings.get(name) == value for name, value in cell.get("settings", {}).items())
    )


def _ratio(over: Sequence[float | None], under: Sequence[float | None]) -> Interval | None:
    """Return the ratio of geometric means of runs; None if one of them has no figure above 0."""
    above, below = ([one for one in side if one] for side in (over, under))
    if not above or not below or (len(above), len(below)) != (len(over), len(under)):
        return None
    return ratio_of_runs(above, below)


def _of(found: Interval, runs: int, unit: str) -> Found:
    return Found(found.estimate, found, runs, unit)


def _as_of_the_thesis(claim: Claim, judged: Judged) -> Found:
    return kinds.examine(claim, MeasuredFigures(judged), "operation")


CASE_KINDS: Mapping[str, Callable[[Claim, Judged], Found]] = {
    "demand ratio": _demand_ratio,
    "cost ratio": _cost_ratio,
    "cpu ratio": _cpu_ratio,
    "utilisation": _utilisation,
    "loss": _loss,
    "model": _model,
    "cache": _cache,
    "steps": _steps,
    "figure ratio": _figure_ratio,
    "efficiency": _as_of_the_thesis,
    "published": _as_of_the_thesis,
    "none": _as_of_the_thesis,
}
