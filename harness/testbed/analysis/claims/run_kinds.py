"""Evidence from the tables of case studies, for each kind of claim.

A ``cell`` of such a claim has a variant, a workload, and a level or levels. It may have settings,
which a run must have too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

import polars as pl
from scipy import stats

from testbed.analysis import accounts, caching, demands, ladders
from testbed.analysis.accounts import Account
from testbed.analysis.autoscaling import instances
from testbed.analysis.caching import Cached
from testbed.analysis.claims.claim import Claim, Evidence, NoFigureError, Source
from testbed.analysis.claims.levels import furthest, levels_of
from testbed.analysis.decisions import decide
from testbed.analysis.demands import LeastCpu
from testbed.analysis.grouping import grouped
from testbed.analysis.prices import price_list
from testbed.analysis.quantities import run_figure, share_over_runs
from testbed.analysis.results import Run
from testbed.analysis.samples import Measurement
from testbed.analysis.statistics.intervals import Interval, factor_interval, mean_interval
from testbed.analysis.statistics.ratios import ratio_of_pairs, ratio_of_runs
from testbed.analysis.verdicts import Judged
from testbed.model.loads import load_words

SMALL = 0.01
"""A predicted loss below this is not compared as a ratio."""

MINUTE_MS = 60_000

Cell = Mapping[str, Any]

Figures = Sequence[tuple[int, float | None]]
"""A figure of each run, after the number of its pair of starts."""

_THREADS = partial(load_words, "closed")


def _demand_ratio(claim: Claim, source: Source) -> Evidence:
    """Return the ratio of the least CPU, or of the memory with it, over all levels."""
    figure = claim.fields["figure"]

    def ratio(over: Sequence[LeastCpu], under: Sequence[LeastCpu]) -> Interval | None:
        if figure == "memory_mb":
            return _ratio(*([search.memory_mb for search in side] for side in (over, under)))
        above, below = ([search.cpus for search in side if search.cpus] for side in (over, under))
        # A search in which no CPU was enough has no figure, and leaves no ratio.
        if (len(above), len(below)) != (len(over), len(under)):
            return None
        # The least CPU lies between what was too little and what was enough.
        low = min(search.bracket.failed or 0.0 for search in over) / max(below)
        least = min(search.bracket.failed or 0.0 for search in under)
        high = max(above) / least if least else math.inf
        return Interval(float(stats.gmean(above) / stats.gmean(below)), low, high)

    return _over_levels(claim, source, ratio)


def _cost_ratio(claim: Claim, source: Source) -> Evidence:
    """Return the ratio of hosting costs with the least CPU, over all levels."""
    prices, sizes = price_list(claim.fields["prices"]), claim.fields["sizes"]

    def ratio(over: Sequence[LeastCpu], under: Sequence[LeastCpu]) -> Interval | None:
        return _ratio(
            *(
                [prices.together(search.parts_gb, sizes) for search in side]
                for side in (over, under)
            )
        )

    return _over_levels(claim, source, ratio)


def _over_levels(
    claim: Claim,
    source: Source,
    ratio: Callable[[Sequence[LeastCpu], Sequence[LeastCpu]], Interval | None],
) -> Evidence:
    searches = grouped(
        demands.searches(source.judged),
        lambda search: (search.variant, search.workload, float(search.threads)),
    )
    ratios: dict[float, tuple[Interval, int]] = {}
    for level in (levels := levels_of(claim.fields["over"])):
        over, under = (
            searches.get((cell["variant"], cell["workload"], level), [])
            for cell in (claim.fields["over"], claim.fields["under"])
        )
        if over and under and (interval := ratio(over, under)) is not None:
            ratios[level] = interval, min(len(over), len(under))
    return furthest(claim, ratios, levels, _THREADS)


def _cpu_ratio(claim: Claim, source: Source) -> Evidence:
    """Return the ratio of the CPU time of an operation of one thread, or of what was built.

    Of what was built, that of one service if the cell names it.
    """
    over, under = (_cpu_ms(source.judged, claim.fields[side]) for side in ("over", "under"))
    if (ratio := _of_pairs(over, under)) is None:
        raise NoFigureError("nothing usable")
    return Evidence.of(*ratio, "×")


def _cpu_ms(judged: Judged, cell: Cell) -> Figures:
    fitting = [account for account in accounts.accounts(judged) if fits(account.run, cell)]
    if fitting and "service" in cell:
        services = {cell["service"]}
        return [
            (account.run.repetition, accounts.cpu_ms(account.run, account.built, services))
            for account in fitting
        ]
    if fitting:
        return [(account.run.repetition, account.cpu_ms) for account in fitting]
    names = {measurement.run.cell.system for measurement in _measurements(judged, cell)}
    return [
        (start.repetition, start.total_ms)
        for start in demands.alone(judged)
        if start.system in names
    ]


def _utilisation(claim: Claim, source: Source) -> Evidence:
    """Return the share of its CPU that a system used: the least of a search, or of a service."""
    cell = claim.fields["cell"]
    if (service := cell.get("service")) is not None:
        measurements = _measurements(source.judged, cell)
        return _mean([_of_limit(measurement, service) for measurement in measurements], "%")
    return _mean(
        [
            search.utilisation
            for search in demands.searches(source.judged)
            if (search.variant, search.workload) == (cell["variant"], cell["workload"])
            and search.threads in levels_of(cell)
        ],
        "%",
    )


def _of_limit(measurement: Measurement, service: str) -> float | None:
    """Return the share of its limit that a service used from the first request to the last result.

    The wall time of a load would include the time before its first arrival.
    """
    run = measurement.run
    limit, ledger = run.cpu_limit(service), run.ledger or {}
    used = [*(block.server_cpu_s for block in run.blocks), ledger.get("cpu_s") or {}]
    seconds = measurement.recorded.duration_s + (ledger.get("drained_s") or 0)
    if limit is None or not seconds:
        return None
    return sum(part.get(service, 0.0) for part in used) / seconds / limit


def _loss(claim: Claim, source: Source) -> Evidence:
    """Return a share of losses over runs: ``lost``, ``silent`` or of the ``first third``."""
    loss = _LOSSES[claim.fields["figure"]]
    losses = [
        (part, whole)
        for account in accounts.accounts(source.judged)
        for part, whole in (loss(account),)
        if fits(account.run, claim.fields["cell"]) and whole
    ]
    if not losses:
        raise NoFigureError("nothing usable, or nothing lost")
    return Evidence.of(share_over_runs(losses), len(losses), "%")


_LOSSES: Mapping[str, Callable[[Account], tuple[int, int]]] = {
    "lost": lambda account: (account.lost, account.accepted),
    "silent": lambda account: (account.lost, account.lost + account.refused),
    "first third": lambda account: (
        round((account.first_third or 0) * account.lost),
        account.lost,
    ),
}
"""A part and its whole, by the claimed figure."""


def _model(claim: Claim, source: Source) -> Evidence:
    """Return measured ÷ predicted loss, refusals included.

    Of Poisson arrivals for each rate, of bursts for each number of places.
    """
    cell = claim.fields["cell"]
    poisson = cell.get("arrivals") == "poisson"
    ratios: dict[float, list[float]] = {}
    for account in accounts.accounts(source.judged):
        if fits(account.run, cell) and account.predicted and account.predicted >= SMALL:
            place = account.run.cell.level if poisson else account.places
            ratios.setdefault(place, []).append(account.unserved_share / account.predicted)
    means = {place: (_mean_ratio(ratios[place]), len(ratios[place])) for place in sorted(ratios)}
    return furthest(claim, means, [], ("{:g} per second" if poisson else "{:g} places").format)


def _mean_ratio(ratios: Sequence[float]) -> Interval:
    if len(ratios) < 2:
        return Interval(ratios[0], ratios[0], ratios[0])
    # A loss of nothing has no logarithm.
    return factor_interval(ratios) if min(ratios) > 0 else mean_interval(ratios)


def _cache(claim: Claim, source: Source) -> Evidence:
    """Return what a cache does: ``oldest`` (of the time to live) or ``asked``.

    Oldest is the maximum of all runs: one answer that is too old is enough.
    """
    runs = [run for run in caching.cached(source.judged) if fits(run.run, claim.fields["cell"])]
    figure = claim.fields["figure"]
    if not runs:
        raise NoFigureError("nothing usable")
    values = [value for run in runs if (value := _CACHE_FIGURES[figure](run)) is not None]
    if not values:
        raise NoFigureError("the runs are too short")
    if figure == "oldest":
        return Evidence(max(values), None, len(values), "×")
    return _mean(values, "×")


_CACHE_FIGURES: Mapping[str, Callable[[Cached], float | None]] = {
    "oldest": lambda run: run.oldest_share,
    "asked": lambda run: run.asked_ratio,
}


def _failed_exchanges(claim: Claim, source: Source) -> Evidence:
    """Return the share of exchanges that failed: a session ends with the first that does."""
    exchanges = [
        measurement.recorded.samples["ok"]
        for measurement in _measurements(source.judged, claim.fields["cell"])
    ]
    shares = [(int((~ok).sum()), len(ok)) for ok in exchanges if len(ok)]
    if not shares:
        raise NoFigureError("nothing usable")
    return Evidence.of(share_over_runs(shares), len(shares), "%")


def _figure_ratio(claim: Claim, source: Source) -> Evidence:
    """Return the ratio of a figure of two cells.

    A side with one level is compared with every level of the other.
    """
    cells = claim.fields["over"], claim.fields["under"]
    figure = claim.fields["figure"]
    figures = figure, claim.fields.get("under_figure", figure)
    levels = [levels_of(cell) for cell in cells]
    longer = max(levels, key=len)
    pairs = (side if len(side) > 1 else side * len(longer) for side in levels)
    ratios: dict[float, tuple[Interval, int]] = {}
    for level, *at in zip(longer, *pairs, strict=True):
        over, under = (
            [
                (measurement.run.repetition, _figure(measurement, name, claim))
                for measurement in _measurements(source.judged, cell)
                if measurement.run.cell.level == own
            ]
            for name, own, cell in zip(figures, at, cells, strict=True)
        )
        if (ratio := _of_pairs(over, under)) is not None:
            ratios[level] = ratio
    return furthest(claim, ratios, longer, _THREADS)


def _figure(measurement: Measurement, name: str, claim: Claim) -> float | None:
    """Return a figure of a run: of those that are compared, or one that only claims ask for."""
    operations = measurement.operations
    match name:
        case "first_minute":
            # `elapsed_ms` counts from when an operation should have begun.
            since = pl.col("start_ms") - pl.col("start_ms").min() + pl.col("service_ms")
            return float(operations.filter((since < MINUTE_MS) & pl.col("ok")).height)
        case "instance_s_per_ok":
            served = int(operations["ok"].sum())
            scaled = instances(measurement.run, claim.fields["service"])
            return scaled.instance_s / served if scaled is not None and served else None
        case _:
            return run_figure(measurement, name)


def _steps(claim: Claim, source: Source) -> Evidence:
    """Return what steps of a ladder are worth together, in goodput, for each cell.

    The widths of intervals add up in quadrature; too wide where two steps share a start.
    """
    judged = source.judged
    climb = ladders.climbed(judged.results, decide(judged, ["ok_per_s"]))
    wanted = claim.fields["steps"]
    steps = [step.added for step in (climb.steps if climb else ()) if step.factor in wanted]
    cells = grouped(
        chain.from_iterable(steps), lambda decision: f"{decision.workload}, {decision.load}"
    )
    worth: dict[str, tuple[Interval, int]] = {}
    for cell, decisions in cells.items():
        ratios = [
            (decision.ratio, decision.high)
            for decision in decisions
            if decision.ratio and decision.high
        ]
        if len(ratios) == len(wanted):
            whole = math.prod(ratio for ratio, _ in ratios)
            wide = math.exp(math.hypot(*(math.log(high / ratio) for ratio, high in ratios)))
            pairs = min(decision.pairs for decision in decisions)
            worth[cell] = Interval(whole, whole / wide, whole * wide), pairs
    return furthest(claim, worth, [], str)


RUN_KINDS: Mapping[str, Callable[[Claim, Source], Evidence]] = {
    "demand ratio": _demand_ratio,
    "cost ratio": _cost_ratio,
    "cpu ratio": _cpu_ratio,
    "utilisation": _utilisation,
    "loss": _loss,
    "model": _model,
    "cache": _cache,
    "failed exchanges": _failed_exchanges,
    "steps": _steps,
    "figure ratio": _figure_ratio,
}


def _measurements(judged: Judged, cell: Cell) -> list[Measurement]:
    used = judged.used.measurements
    return [measurement for measurement in used if fits(measurement.run, cell)]


def concerns(claim: Claim, runs: Sequence[Run]) -> bool:
    """Return whether each of a claim's cells has a run, usable or not."""
    cells = (claim.fields.get(side) for side in ("cell", "over", "under"))
    return all(
        any(fits(run, cell) for run in runs)
        for cell in cells
        if isinstance(cell, Mapping) and "workload" in cell
    )


def fits(run: Run, cell: Cell) -> bool:
    """Return whether a run is of a claim's cell; of several levels, at any of them."""
    return (
        (run.cell.variant, run.cell.workload) == (cell["variant"], cell["workload"])
        and ("level" not in cell or run.cell.level == cell["level"])
        and ("arrivals" not in cell or (run.arrivals and run.arrivals.kind) == cell["arrivals"])
        and all(run.settings.get(name) == value for name, value in cell.get("settings", {}).items())
    )


def _of_pairs(over: Figures, under: Figures) -> tuple[Interval, int] | None:
    """Return `ratio_of_pairs`; None if a run has no figure above 0.

    Where several systems of a pair fit one side, the runs are not paired.
    """
    sides = [dict(side) for side in (over, under)]
    if [len(side) for side in sides] != [len(over), len(under)]:
        values = [[value for _, value in side] for side in (over, under)]
        ratio = _ratio(*values)
        return None if ratio is None else (ratio, min(map(len, values)))
    above, below = ({pair: value for pair, value in side.items() if value} for side in sides)
    if not above or not below or (len(above), len(below)) != (len(over), len(under)):
        return None
    return ratio_of_pairs(above, below)


def _ratio(over: Sequence[float | None], under: Sequence[float | None]) -> Interval | None:
    """Return the ratio of geometric means of runs; None if one of them has no figure above 0."""
    above, below = ([value for value in side if value] for side in (over, under))
    if not above or not below or (len(above), len(below)) != (len(over), len(under)):
        return None
    return ratio_of_runs(above, below)


def _mean(values: Sequence[float | None], unit: str) -> Evidence:
    """Return the mean of the values that there are; of one alone without an interval."""
    present = [value for value in values if value is not None]
    if not present:
        raise NoFigureError("nothing usable")
    if len(present) < 2:
        return Evidence(present[0], None, 1, unit)
    return Evidence.of(mean_interval(present), len(present), unit)
