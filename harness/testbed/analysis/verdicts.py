"""Judge runs: one verdict per run, and each check with its figure and limit.

- *invalid*: something other than the system decided the measurement. Shown, not used.
- *disturbed*: other programs used the machine in too many blocks. Used, but does not decide.
- *overloaded*: the system fell behind its plan of arrivals, or gave no full answer afterwards.
- *stalled*: no operation ended for a while.
- *still warming*: the system was not warm, or changed during the run. Used, but does not decide.
- *users pause*: the plan, which is not ours, lets users wait between operations. Used and decides.

Overloaded and stalled runs are used and decide: dropping them would favour the system that has
them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import polars as pl

from testbed.analysis.quantities import CLOCK_MS
from testbed.analysis.results import Results, Run
from testbed.analysis.samples import (
    APPENDED,
    CLOCK,
    DAMAGED,
    DOUBLED,
    STRANGE,
    Measured,
    Measurement,
)
from testbed.analysis.statistics.steadiness import (
    Change,
    Spell,
    change_of_mean,
    trend_of_rates,
    trend_of_times,
)
from testbed.model.loads import DISTURBING_SHARE, GENERATOR_SHARE, LATE_MS, far_from_limit

Status = Literal[
    "valid", "users pause", "still warming", "stalled", "overloaded", "disturbed", "invalid"
]
Outcome = Literal["passed", "failed", "not checked"]

DECIDING: tuple[Status, ...] = ("valid", "users pause", "overloaded", "stalled")
"""Verdicts of runs that decide."""

TOLERANCE = 0.05
"""Allowed deviation from Little's law and from the offered rate, and share of late arrivals."""

TOLERANCE_OF_BUSY = 0.10
"""How far fewer operations may be in flight than there are threads, if the cores are busy: users
then wait for a processor between their operations. What differs by so much is called alike.
"""

BETWEEN_MS = 0.2
"""Time that a load generator needs between two operations: 10 % of an operation of 2 ms."""

BUSY_SHARE = 0.90
"""Use of the cores shared by generator and servers above which each slows down the other."""

GENERATOR_SHARE_OF_BUSY = 1 / 3
"""Share of busy cores that a load generator may use if its ceiling is not known."""

FAR_FROM_CEILING_OF_BUSY = 1 / 2
"""The same for a generator that is far from its ceiling: the servers, and not it, then limit the
load. Beyond, most of the machine works for the generator, which makes all systems look alike.
"""

SHORTEST_WINDOW = 10
"""Operations per thread, while all threads run, that the check of Little's law needs."""

TOGETHER = 0.5
"""Least share of a block in which all threads of a closed loop run."""

SHORTEST_RUN = 50
"""Successful operations that the check of the trend needs."""

CHANGE = 0.15
"""Largest change over a run."""

BETWEEN_BLOCKS = 0.084
"""Relative standard deviation of the goodput of blocks of one run (docs/method.md, three
invocations of `compare`).
"""

BETWEEN_OPEN_BLOCKS = 0.78
"""Standard deviation of the logarithm of the mean response time of blocks of one run in an open
loop (analysis/published/compare-rate, at 50 and 80 % of what is served).
"""

STALL_S = 1.0
STALL_TIMES = 10
"""A stall is a pause longer than one second and than ten mean response times.

No full garbage collection of a service and no random gap between operations is that long.
"""

SHORT = 0.05
SHORT_S = 0.5
"""How much shorter than planned a block may be: a share, or the time to start its threads."""


SLOWER = 0.25
"""How much longer operations of one of several generators may take than those of the others."""

RATE = "offered = achieved"
COMPLETE_AFTER = "complete after"
STALL = "stall"
TREND = "trend"
WARM = "warm before"
PAUSES = "users pause"
OVERLOAD = frozenset({RATE, COMPLETE_AFTER})
"""Checks that the system itself fails, unless a check of the generator failed too."""

OTHERS = "other programs"
UNLABELLED = "operations have no labels"
WHOLE_SECONDS = "times are whole seconds"

BY_ITSELF = OVERLOAD | {STALL, TREND, WARM, PAUSES}


@dataclass(frozen=True)
class Check:
    """One check of a run; ``figure`` is the result and ``limit`` the limit, both in words.

    ``not checked`` means that the record does not tell, or that the check does not apply.
    """

    name: str
    outcome: Outcome
    figure: str
    limit: str


@dataclass(frozen=True)
class Verdict:
    """The checks of one run, in the order of the table."""

    run_id: str
    checks: tuple[Check, ...]

    @property
    def status(self) -> Status:
        """Valid unless a check failed; a failure by the system itself is not invalid."""
        failed = {check.name for check in self.checks if check.outcome == "failed"}
        if not failed:
            return "valid"
        if not failed <= BY_ITSELF | {OTHERS}:
            return "invalid"
        if OTHERS in failed:
            # They may have caused the rest.
            return "disturbed"
        if WARM in failed:
            return "still warming"
        if self.overloaded:
            return "overloaded"
        if STALL in failed:
            return "stalled"
        # A growing queue or a stall is a trend too.
        return "still warming" if TREND in failed else "users pause"

    @property
    def overloaded(self) -> bool:
        """Whether the system did not carry the load, whatever else failed."""
        return any(check.name in OVERLOAD and check.outcome == "failed" for check in self.checks)

    @property
    def reasons(self) -> tuple[str, ...]:
        return tuple(
            f"{check.name}: {check.figure} (limit: {check.limit})"
            for check in self.checks
            if check.outcome == "failed"
        )

    def __str__(self) -> str:
        return ": ".join([self.status, "; ".join(self.reasons)] if self.reasons else [self.status])


@dataclass(frozen=True)
class Judged:
    """Runs that were read and judged.

    ``recorded`` holds every readable run, complete. ``used`` holds those that are not invalid; it
    may be empty. ``verdicts`` is by run id.
    """

    recorded: Measured
    verdicts: Mapping[str, Verdict]
    used: Measured

    @property
    def results(self) -> Results:
        return self.recorded.results

    @property
    def deciding(self) -> tuple[Measurement, ...]:
        return tuple(
            measurement
            for measurement in self.used.measurements
            if self.verdicts[measurement.run.id].status in DECIDING
        )

    @property
    def decisive(self) -> Judged:
        """The same with the deciding runs only."""
        return replace(self, used=replace(self.used, measurements=self.deciding))


def judge(
    measurement: Measurement,
    environment: Mapping[str, Any],
    alternating: Sequence[Measurement] = (),
) -> Verdict:
    """Judge one complete run; a check that cannot be made is ``not checked``.

    ``environment`` is the ``environment.json`` of the results, empty if there is none.
    ``alternating`` are the runs that `beside` returns.
    """
    return Verdict(
        run_id=measurement.run.id,
        checks=(
            _operations(measurement),
            _labels(measurement),
            *(_faulty(measurement, kind) for kind in (DAMAGED, DOUBLED, CLOCK)),
            _one_run(measurement),
            _of_each(_delivered, measurement),
            _of_each(_length, measurement),
            _complete(measurement, "before"),
            _complete(measurement, "after"),
            _together(measurement),
            _of_each(_little, measurement),
            _pauses(measurement),
            _stall(measurement),
            _rate(measurement),
            _of_each(_generator_late, measurement),
            _of_each(_generator_cpu, measurement),
            _of_each(_generator_ceiling, measurement),
            *(check(measurement) for check in (_in_step, _alike) if measurement.generators),
            _conditions(measurement, environment),
            _others(measurement),
            _suspension(measurement),
            _warm(measurement),
            _trend(measurement, alternating),
        ),
    )


def carried(measurement: Measurement) -> bool:
    """Return whether no check says that the system did not carry the load."""
    checks = (_complete(measurement, "after"), _rate(measurement))
    return all(check.outcome != "failed" for check in checks)


def judge_all(measured: Measured) -> Judged:
    """Judge every run and select those that may be used."""
    environment = measured.results.environment
    runs = {measurement.run.id: measurement for measurement in measured.measurements}
    readable = [measurement.run for measurement in measured.measurements]
    verdicts = {
        name: judge(
            measurement,
            environment,
            [runs[other.id] for other in beside(measurement.run, readable)],
        )
        for name, measurement in runs.items()
    }
    used = tuple(
        replace(measurement, overloaded=verdicts[measurement.run.id].overloaded)
        for measurement in measured.measurements
        if verdicts[measurement.run.id].status != "invalid"
    )
    return Judged(measured, verdicts, replace(measured, measurements=used))


def beside(run: Run, runs: Iterable[Run]) -> list[Run]:
    """Return the runs whose blocks alternated with those of a run."""
    cell = run.cell
    return [
        other
        for other in runs
        if other.cell.system in run.blocks[0].idle_cpu_s
        and other.repetition == run.repetition
        and replace(other.cell, system=cell.system, variant=cell.variant) == cell
    ]


def _changes(measurement: Measurement) -> str | None:
    """Return why the load or the system was meant to change during a run; None if it was not."""
    run = measurement.run
    if run.disturbance:
        return "a service was suspended"
    if run.scaling:
        return "instances come and go by plan"
    return "the load changes by plan" if run.arrivals and not run.arrivals.steady else None


def in_flight(measurement: Measurement) -> tuple[float, float, int] | None:
    """Return throughput and mean response time while all threads of a closed loop ran.

    The values are operations per second, seconds, and the number of operations that overlap the
    window of their block. Only the time within the window counts. None if no operation does.
    """
    window_s, busy_s, count = 0.0, 0.0, 0
    for block in measurement.blocks:
        if (window := block.window) is None:
            continue
        operations = block.recorded.operations
        start = operations["start_ms"].to_numpy().astype(float)
        end = start + operations["service_ms"].to_numpy()
        overlap = np.clip(np.minimum(end, window[1]) - np.maximum(start, window[0]), 0, None)
        count += int((overlap > 0).sum())
        busy_s += float(overlap.sum()) / 1000
        window_s += (window[1] - window[0]) / 1000
    return (count / window_s, busy_s / count, count) if count else None


def _check(name: str, limit: str, figure: str, holds: bool | None = None) -> Check:
    """Return a check; with ``holds`` None it is not checked, and ``figure`` says why."""
    outcome: Outcome = "not checked" if holds is None else "passed" if holds else "failed"
    return Check(name, outcome, figure, limit)


def _of_each(check: Callable[[Measurement], Check], measurement: Measurement) -> Check:
    """Make a check of the whole run, and of each of several generators by itself.

    The others may make up for a generator that was starved. A failed check names it.
    """
    failed = [
        f"generator {number}: {of_generator.figure}"
        for number, generator in enumerate(measurement.generators, 1)
        if (of_generator := check(generator)).outcome == "failed"
    ]
    whole = check(measurement)
    return replace(whole, outcome="failed", figure="; ".join(failed)) if failed else whole


def _operations(measurement: Measurement) -> Check:
    """Check that all requested operations were recorded, and that at least one counts."""
    made, expected = measurement.recorded.operations.height, measurement.run.expected_operations
    if made and measurement.operations.is_empty():
        return _check("operations", "at least one that counts", f"none of {made:,}", False)
    plan = measurement.run.arrivals
    if made and plan is not None:
        # `_rate` checks whether an open loop carried its plan.
        return _check("operations", f"of {plan.planned:,} planned", f"{made:,}", True)
    if expected is None:
        return _check("operations", "at least one; bounded by time", f"{made:,}", made > 0)
    return _check("operations", "all", f"{made:,} of {expected:,}", made == expected and made > 0)


def _labels(measurement: Measurement) -> Check:
    """Check that the rows are of the recorded workload."""
    workload = measurement.run.cell.workload
    limit = f"those of {workload}, and of its warm-up"
    if not measurement.labelled:
        left_out = [f"{count:,} rows {kind}" for kind, count in measurement.others.items()]
        figure = "; left out: ".join(filter(None, (UNLABELLED, ", ".join(left_out))))
        return _check(STRANGE, limit, figure)
    others = ", ".join(f"{count:,} of {label}" for label, count in measurement.others.items())
    for block in measurement.recorded.blocks:
        if block.samples.is_empty():
            figure = f"no row of {workload} in {block.run.blocks[0].file.name}, but {others}"
            return _check(STRANGE, limit, figure, False)
    if fault := measurement.faults.get(STRANGE):
        return _check(STRANGE, limit, f"{fault} ({others})", False)
    return _check(STRANGE, limit, others or "all", True)


def _faulty(measurement: Measurement, kind: str) -> Check:
    """Check that no row is wrong in one way."""
    fault = measurement.faults.get(kind)
    if not measurement.labelled and kind != DAMAGED:
        if kind == DOUBLED and fault:
            return _check(kind, "none", f"{fault}: two listeners write to one file", False)
        return _check(kind, "none", UNLABELLED)
    return _check(kind, "none", str(fault or 0), fault is None)


def _one_run(measurement: Measurement) -> Check:
    """Check that no second run was appended to a file."""
    if (fault := measurement.faults.get(APPENDED)) is None:
        return _check(APPENDED, "one", "one", True)
    figure = f"a second begins in {fault.first}: write each run to a file of its own"
    return _check(APPENDED, "one", figure, False)


def _delivered(measurement: Measurement) -> Check:
    """Check the rows of each file against the generator's own count."""
    name, limit = "rows", "the generator's own count"
    for rows, block in zip(measurement.rows, measurement.run.blocks, strict=False):
        if block.delivered is None:
            return _check(name, limit, "not recorded")
        if rows != block.delivered:
            figure = f"{rows:,} of {block.delivered:,} in {block.file.name}"
            return _check(name, limit, figure, False)
    return _check(name, limit, f"{sum(measurement.rows):,}", True)


def _length(measurement: Measurement) -> Check:
    """Check that no block of a closed loop was shorter than planned."""
    name, limit = "length", f"as planned, less {_percent(SHORT)} or {SHORT_S:g} s"
    if measurement.run.users_pause:
        return _check(name, limit, PAUSES)
    for part in measurement.recorded.blocks:
        seconds, (block,) = part.duration_s, part.run.blocks
        if block.planned_s is None or part.run.cell.mode != "closed":
            return _check(name, limit, "not bounded by time")
        if seconds < block.planned_s - max(SHORT * block.planned_s, SHORT_S):
            figure = f"{seconds:.1f} of {block.planned_s:g} s in {block.file.name}"
            return _check(name, limit, figure, False)
    return _check(name, limit, f"{measurement.recorded.duration_s:.1f} s", True)


def _complete(measurement: Measurement, when: Literal["before", "after"]) -> Check:
    """Check that the front door gave a full answer."""
    run = measurement.run
    complete = run.complete_before if when == "before" else run.complete_after
    name = "complete before" if when == "before" else COMPLETE_AFTER
    if when == "after" and run.stopped_for_good:
        return _check(name, "all", "a service was stopped for good")
    if complete is None:
        return _check(name, "all", "not recorded")
    return _check(
        name, "all", "all" if complete is True else str(complete or "not all"), complete is True
    )


def _little(measurement: Measurement) -> Check:
    """Check Little's law: ``X · R`` is the number of threads of a closed loop.

    X is the throughput and R the mean response time, failures included. A smaller product means
    that threads spent time in the generator, or had not yet started. Source: Little, Operations
    Research 9(3), 1961.
    """
    busy = sum(_cores_used(measurement) or ()) >= BUSY_SHARE
    fewer = TOLERANCE_OF_BUSY if busy else TOLERANCE
    name, limit = "Little's law", f"within {_percent(fewer)} or {BETWEEN_MS} ms"
    threads = measurement.run.cell.threads
    if measurement.run.cell.mode != "closed":
        return _check(name, limit, "open loop")
    flow = in_flight(measurement)
    if flow is None or flow[2] < SHORTEST_WINDOW * threads:
        return _check(name, limit, "too few operations while all threads ran")
    rate, response_s, _ = flow
    deviation, slack = _deviation(flow, threads)
    if deviation < 0 and _may_pause(measurement.run):
        return _check(name, limit, f"see {PAUSES}")
    figure = f"X·R = {rate * response_s:.2f} for {threads} threads, {100 * deviation:+.1f} %"
    holds = -max(fewer, slack) <= deviation <= max(TOLERANCE, slack)
    return _check(name, limit, figure, holds)


def _may_pause(run: Run) -> bool:
    """Return whether users may pause: by a plan of which nothing is recorded, or as recorded."""
    return run.users_pause or not run.recorded


def _deviation(flow: tuple[float, float, int], threads: int) -> tuple[float, float]:
    """Return by what share ``X·R``, of `in_flight`, deviates from the threads, and what share of an
    operation a generator needs between two of them.
    """
    rate, response_s, _ = flow
    return rate * response_s / threads - 1, BETWEEN_MS / 1000 / response_s


def _together(measurement: Measurement) -> Check:
    """Check that all threads of a closed loop ran together, for at least half of each block.

    Otherwise the load was another one, and a rate of that time would stand beside response times
    of all.
    """
    name, limit = "threads together", f"at least {_percent(TOGETHER)} of a block"
    run = measurement.run
    if run.cell.mode != "closed" or measurement.generators:
        return _check(name, limit, "open loop, or several generators, which begin in step")
    threads, users = measurement.recorded.operations["thread"], measurement.source.users
    if threads.is_null().any() and users is None:
        return _check(name, limit, "the rows name no threads")
    most = threads.n_unique() if users is None else int(users["users"].to_numpy().max())
    if not run.recorded and most != run.cell.threads:
        figure = f"{most} in the file, {run.cell.threads} by its name"
        return _check(name, limit, figure, False)
    shares = [_share_together(block) for block in measurement.blocks]
    if min(shares) > 0:
        return _check(name, limit, _percent(min(shares)), min(shares) >= TOGETHER)
    figure = f"never; at most {_most_at_once(measurement)} of {run.cell.threads} at a time"
    return _check(name, limit, figure, False)


def _share_together(block: Measurement) -> float:
    """Return the share of what counts of a block in which all threads ran."""
    if (window := block.window) is None or block.operations.is_empty():
        return 0.0
    start, end = pl.col("start_ms"), pl.col("start_ms") + pl.col("service_ms")
    first, last = block.operations.select(start.min(), end.max().alias("end")).row(0)
    return float((window[1] - window[0]) / max(last - first, 1))


def _most_at_once(measurement: Measurement) -> int:
    """Return the most operations that were in flight at a time."""
    operations = measurement.recorded.operations
    start = operations["start_ms"].to_numpy()
    times = np.concatenate([start, start + operations["service_ms"].to_numpy()])
    steps = np.repeat([1, -1], start.size)
    # At the same time, an operation ends before the next begins.
    return int(np.cumsum(steps[np.lexsort((steps, times))]).max(initial=0))


def _pauses(measurement: Measurement) -> Check:
    """Tell whether the users of a plan that is not ours pause between their operations.

    The figures are right then, but so many operations are not in flight. Little's law tells.
    """
    name, limit = PAUSES, f"at most {_percent(TOLERANCE)} of the time"
    if not _may_pause(measurement.run) or measurement.run.cell.mode != "closed":
        return _check(name, limit, "a plan without pauses, or an open loop")
    if (flow := in_flight(measurement)) is None:
        return _check(name, limit, "all threads never ran together")
    deviation, slack = _deviation(flow, measurement.run.cell.threads)
    figure = f"{_percent(max(-deviation, 0.0))} of the time"
    return _check(name, limit, figure, -deviation <= max(TOLERANCE, slack))


def _stall(measurement: Measurement) -> Check:
    """Check the longest time without an ended operation while all closed-loop threads ran."""
    limit = f"at most {STALL_S:g} s or {STALL_TIMES} mean response times"
    if measurement.run.cell.mode != "closed" or measurement.run.disturbance:
        return _check(STALL, limit, "open loop, or a service was suspended")
    if measurement.run.users_pause:
        return _check(STALL, limit, PAUSES)
    if measurement.source.whole_seconds:
        return _check(STALL, limit, WHOLE_SECONDS)
    pauses = []
    for block in measurement.blocks:
        if (window := block.window) is None:
            continue
        ended = block.ended(*window)
        ends = (ended["start_ms"] + ended["service_ms"]).sort().to_numpy()
        pause_s = float(np.diff(ends, prepend=window[0], append=window[1]).max()) / 1000
        mean_s = float(ended["service_ms"].to_numpy().mean()) / 1000 if ends.size else 0.0
        pauses.append((pause_s - max(STALL_S, STALL_TIMES * mean_s), pause_s))
    if not pauses:
        return _check(STALL, limit, "all threads never ran together")
    over_s, pause_s = max(pauses)
    return _check(STALL, limit, f"{pause_s:.2f} s", over_s <= 0)


def _rate(measurement: Measurement) -> Check:
    """Check that the operations of an open loop started at the planned rate."""
    run, plan, limit = measurement.run, measurement.run.arrivals, f"within {_percent(TOLERANCE)}"
    if run.cell.mode != "open":
        return _check(RATE, limit, "closed loop")
    offered = achieved = 0.0
    for block in measurement.recorded.blocks:
        intended = block.operations["intended_ms"].drop_nulls().to_numpy()
        if plan is None or intended.size < 2:
            return _check(RATE, limit, "no intended starts recorded")
        start = block.operations["start_ms"].to_numpy()
        # Arrivals that never started are the plan's last ones; the rate of the others is known.
        offered += (intended.size - 1) / max(float(np.ptp(intended)), 1.0) * 1000
        achieved += (start.size - 1) / max(float(start.max() - intended.min()), 1.0) * 1000
    assert plan is not None
    count = len(measurement.recorded.blocks)
    deviation = min(achieved / offered, 1 - measurement.dropped / plan.planned) - 1
    figure = (
        f"{achieved / count:.1f} of {offered / count:.1f} arrivals/s, {measurement.dropped:,} of "
        f"{plan.planned:,} dropped"
    )
    return _check(RATE, limit, figure, abs(deviation) <= TOLERANCE)


def _generator_late(measurement: Measurement) -> Check:
    """Check that open-loop arrivals started late only for lack of a free user.

    A user takes the next arrival when it is free. The generator causes the delay from that moment,
    or from the intended start if that is later. On busy cores the load does.
    """
    name, limit = "generator late", f"at most {_percent(TOLERANCE)} of arrivals"
    planned = measurement.recorded.operations.drop_nulls("intended_ms").sort("start_ms")
    if measurement.run.cell.mode != "open" or planned.is_empty():
        return _check(name, limit, "closed loop, or no intended starts recorded")
    free = (pl.col("start_ms") + pl.col("service_ms")).shift(1).over("thread")
    due = pl.max_horizontal(pl.col("intended_ms"), free)
    late = planned.select((pl.col("start_ms") - due > LATE_MS).mean()).item()
    figure = f"{_percent(late)} began over {LATE_MS} ms late"
    # What the generator itself needs of busy cores is the next check.
    busy = sum(_cores_used(measurement) or ()) >= BUSY_SHARE
    if late > TOLERANCE and busy:
        figure += ", on busy cores"
    return _check(name, limit, figure, late <= TOLERANCE or busy)


def _cores_used(measurement: Measurement) -> tuple[float, float] | None:
    """Return the shares of the generator's cores that it and the servers used under load.

    Servers use none of cores that are only the generator's. None if they were not recorded.
    """
    run = measurement.run
    seconds = measurement.loaded_s
    if run.generator_cpu_s is None or not (run.generator_cpus and seconds):
        return None
    if run.cores_apart:
        return run.generator_cpu_s / (seconds * run.cores_apart), 0.0
    idle_s = sum(sum(block.idle_cpu_s.values()) for block in run.blocks)
    servers_s = (run.server_cpu_s or 0.0) + idle_s
    available_s = seconds * run.generator_cpus
    return run.generator_cpu_s / available_s, servers_s / available_s


def _generator_cpu(measurement: Measurement) -> Check:
    """Check the load generator's share of the cores that it could use.

    Servers on the same cores may keep the generator below the usual limit. If these cores are
    busy, a lower limit applies. It is higher for a generator that is known to be far from its
    ceiling: other checks tell whether it was late (`_generator_late`, `_little`).
    """
    name, most = "generator CPU", GENERATOR_SHARE
    if (used := _cores_used(measurement)) is None:
        return _check(name, f"at most {_percent(most)}", "not recorded")
    share, servers = used
    if apart := measurement.run.cores_apart:
        figure = f"{_percent(share)} of its own cores: {apart}"
        return _check(name, f"at most {_percent(most)}", figure, share <= most)
    figure = f"{_percent(share)} of {measurement.run.generator_cpus:g} cores"
    limit = f"at most {_percent(most)}"
    if sum(used) >= BUSY_SHARE:
        far = _generator_ceiling(measurement).outcome == "passed"
        most = FAR_FROM_CEILING_OF_BUSY if far else GENERATOR_SHARE_OF_BUSY
        figure += f", {_percent(servers)} the servers"
        limit = f"at most {_percent(most)} of busy cores"
    return _check(name, limit, figure, share <= most)


def _generator_ceiling(measurement: Measurement) -> Check:
    """Check the throughput against the generator's maximum on a static endpoint.

    Several generators may have as much each. Where they share cores, that is checked.
    """
    name, limit = "generator ceiling", f"at most {_percent(GENERATOR_SHARE)}"
    if measurement.run.cores_apart:
        # The ceiling is one of all cores.
        return _check(name, limit, "not needed: it has cores of its own", True)
    ceiling, rate = measurement.run.generator_ceiling_per_s, measurement.pace.operations_per_s or 0
    if not ceiling:
        used, cores = _cores_used(measurement), measurement.run.generator_cpus
        if used is not None and cores and far_from_limit(used[0] * cores, 1, cores):
            figure = f"not needed: it used {_percent(used[0])} of its cores"
            return _check(name, limit, figure, True)
        return _check(name, limit, "not measured")
    ceiling *= max(1, len(measurement.generators))
    figure = f"{rate:,.0f} of {ceiling:,.0f} operations/s, {_percent(rate / ceiling)}"
    return _check(name, limit, figure, rate <= GENERATOR_SHARE * ceiling)


def _in_step(measurement: Measurement) -> Check:
    """Check that several generators began together.

    In an open loop all count from one moment, so a generator is as late as its first operation.
    `_length` checks whether one ended early.
    """
    limit = f"within {_percent(SHORT)} of a block or {SHORT_S:g} s"
    steps = []
    for parts in zip(
        *(generator.recorded.blocks for generator in measurement.generators), strict=True
    ):
        planned_s = parts[0].run.blocks[0].planned_s or 0.0
        began, ended = zip(*map(_span_s, parts), strict=True)
        late = [first - min(began) for first in began]
        over = max(late) - max(SHORT * planned_s, SHORT_S)
        steps.append((over, max(late), late.index(max(late)) + 1, max(ended) - min(ended)))
    over, worst, number, apart = max(steps)
    figure = (
        f"generator {number} began {worst:.2f} s after the first; "
        f"the last samples are {apart:.2f} s apart"
    )
    return _check("generators in step", limit, figure, over <= 0)


def _span_s(block: Measurement) -> tuple[float, float]:
    """Return the first start, in an open loop how late it was, and the last end, in s."""
    if block.operations.is_empty():
        return math.inf, 0.0
    late = pl.col("start_ms") - pl.col("intended_ms").fill_null(0)
    first, last = block.operations.select(
        late.sort_by("start_ms").first().alias("first"),
        (pl.col("start_ms") + pl.col("service_ms")).max().alias("last"),
    ).row(0)
    return first / 1000, last / 1000


def _alike(measurement: Measurement) -> Check:
    """Check that operations of no generator take longer than those of the others.

    All ask the same system at the same time. A generator that waits for a processor reads answers
    late. Little's law does not show it, because the wait counts as part of the operation.
    """
    name, limit = "generators alike", f"at most {_percent(SLOWER)} slower, or chance"
    took = [
        np.maximum(generator.operations.filter("ok")["elapsed_ms"].to_numpy(), CLOCK_MS / 2)
        for generator in measurement.generators
    ]
    if not all(times_ms.size for times_ms in took):
        return _check(name, limit, "a generator without a success")
    slowest = []
    for number, own in enumerate(took, 1):
        others = np.concatenate([times_ms for times_ms in took if times_ms is not own])
        change = change_of_mean(others, own)
        slowest.append((change.ratio, number, change))
    ratio, number, change = max(slowest, key=lambda change_of: change_of[0])
    figure = f"operations of generator {number} take {100 * (ratio - 1):+.0f} %"
    return _check(name, limit, figure, not change.exceeds(SLOWER))


def _conditions(measurement: Measurement, environment: Mapping[str, Any]) -> Check:
    """Check that the run had as many cores as the experiment had at its start."""
    name, limit = "environment", "that of the results"
    cores, usable = measurement.run.generator_cpus, environment.get("usable_cpus")
    if cores is None or usable is None:
        return _check(name, limit, "not recorded")
    return _check(
        name, limit, f"{cores:g} usable cores, {usable:g} at the start", bool(cores == usable)
    )


def _others(measurement: Measurement) -> Check:
    """Check that other programs left the machine alone in at least half of the planned blocks."""
    limit, run = f"at most {_percent(DISTURBING_SHARE)} of the machine", measurement.run
    if not run.watched:
        return _check(OTHERS, limit, "not watched")
    worst = max(run.watched, key=lambda block: block.others.share if block.others else 0.0).others
    assert worst is not None
    named = f" ({', '.join(worst.names)})" if worst.names and worst.share > DISTURBING_SHARE else ""
    figure = f"up to {_percent(worst.share)}{named}"
    if run.left_out or run.disturbed:
        planned = run.planned_blocks or len(run.blocks)
        figure += f"; {run.undisturbed} of {planned} planned blocks count"
    return _check(OTHERS, limit, figure, not run.disturbed)


def _suspension(measurement: Measurement) -> Check:
    """Check that a planned stop of a service happened before the run ended."""
    name, limit, what = "suspension", "reached", measurement.run.disturbance
    if what is None or "stopped" not in what:
        return _check(name, limit, "none recorded")
    reached = what["stopped"] is not None
    return _check(name, limit, "reached" if reached else "not reached", reached)


def _warm(measurement: Measurement) -> Check:
    """Check that the warm-up rule was met before the run."""
    run, limit = measurement.run, "the rule of the warm-up"
    if run.warm is None:
        return _check(WARM, limit, "no rule, or not recorded")
    age = "" if run.age_s is None else f", {run.age_s:.0f} s after the start"
    why = "" if run.why_cold is None else f" ({run.why_cold})"
    return _check(WARM, limit, ("yes" if run.warm else "no") + age + why, run.warm)


def _trend(measurement: Measurement, alternating: Sequence[Measurement]) -> Check:
    """Check that a run stays the same over its blocks, or from its first to its last third.

    The figure is the goodput of a closed loop or the mean response time of an open one. For
    alternating systems it is their ratio. A change within three standard errors passes. Where most
    operations fail, goodput follows from how many: the rate of all operations tells what is warm.
    """
    limit, is_open = f"at most {_percent(CHANGE)}, or chance", measurement.run.cell.mode == "open"
    if why := _changes(measurement) or (
        WHOLE_SECONDS if measurement.source.whole_seconds else None
    ):
        return _check(TREND, limit, why)
    if measurement.operations.filter(_counted(measurement)).height < SHORTEST_RUN:
        return _check(TREND, limit, f"fewer than {SHORTEST_RUN} successful operations")
    spells = _spells(measurement)
    if len(spells) < len(measurement.blocks):
        why = "a block without a success" if is_open else "all threads never ran together"
        return _check(TREND, limit, why)
    if len(spells) > 1 and is_open:
        change = trend_of_times(spells, BETWEEN_OPEN_BLOCKS)
        figure = f"{_change(change)} over {len(spells)} blocks"
    elif len(spells) > 1:
        others = map(_spells, alternating)
        alike = [spells_of for spells_of in others if len(spells_of) == len(spells)]
        change = trend_of_rates(spells, alike, BETWEEN_BLOCKS)
        where = ", by a system beside it" if change.elsewhere else ""
        figure = f"{_change(change)} over {len(spells)} blocks{where}"
    else:
        thirds = spells[0].ends()
        if is_open and not all(third.at_s.size for third in thirds):
            return _check(TREND, limit, "a third without a success")
        change = (
            change_of_mean(*(third.response_ms for third in thirds))
            if is_open
            else trend_of_rates(thirds)
        )
        figure = f"{_change(change)} over thirds"
    return _check(TREND, limit, figure, not change.exceeds(CHANGE))


def _change(change: Change) -> str:
    return f"{100 * (change.ratio - 1):+.0f} %"


def _counted(measurement: Measurement) -> pl.Expr:
    """Return which operations tell whether a run changes: its successes, if they are not few."""
    ok = measurement.operations["ok"]
    failing = measurement.run.cell.mode == "closed" and 2 * int(ok.sum()) < ok.len()
    return pl.lit(True) if failing else pl.col("ok")


def _spells(measurement: Measurement) -> list[Spell]:
    counted = _counted(measurement)
    return [spell for block in measurement.blocks if (spell := _spell(block, counted))]


def _spell(block: Measurement, counted: pl.Expr) -> Spell | None:
    """Return operations of a block, by end (closed loop) or by arrival (open loop).

    None if the threads of a closed loop never ran together, or an open loop had no success.
    """
    if block.run.cell.mode == "open":
        good = block.operations.filter(counted)
        at = good.select(pl.coalesce("intended_ms", "start_ms")).to_series().to_numpy()
        window = (float(at.min()), float(at.max()) + 1) if at.size else None
    elif (window := block.window) is not None:
        good = block.ended(*window).filter(counted)
        at = (good["start_ms"] + good["service_ms"]).to_numpy()
    if window is None:
        return None
    elapsed = np.maximum(good["elapsed_ms"].to_numpy(), CLOCK_MS / 2)
    return Spell((at - window[0]) / 1000, elapsed, (window[1] - window[0]) / 1000)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
