"""Whether a run may be believed: one verdict per run, each check with its figure and its limit.

An invalid run is shown and not used: something other than the system decided what it measured. A
run that is *not steady* spent more than half of itself warming up. A run that is *overloaded* fell
behind its plan of arrivals, or left the system without a full answer, with nothing else wrong. Both
are marked and used, whole: not to settle and not to carry the load are properties of the system,
and to leave such runs out would favour the one that has them. Of every other run the steady part is
used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import polars as pl

from testbed.analysis.results import Results
from testbed.analysis.samples import Measured, Measurement, together
from testbed.analysis.statistics.steadiness import Truncation, littles_law, mser5

Status = Literal["valid", "not steady", "overloaded", "invalid"]
Outcome = Literal["passed", "failed", "not known"]

TOLERANCE = 0.05
"""Of Little's law, and of the achieved rate against the offered one."""

GENERATOR_SHARE = 0.70
"""Of its cores, and of its measured ceiling, that a load generator may use."""

BUSY_SHARE = 0.90
"""Of the cores that generator and servers share: from here on each lacks what the other uses."""

GENERATOR_SHARE_OF_BUSY = 1 / 3
"""Of such cores that a load generator may use: a healthy one was seen to need up to a quarter."""

SHORTEST_WINDOW = 10
"""Operations that each thread must make while all of them run, for Little's law to be checked."""

SHORTEST_RUN = 50
"""Successful operations that a run needs for its warm-up to be told from the rest."""

STEADINESS = "steady"
RATE = "offered = achieved"
COMPLETE_AFTER = "all cinemas after"
OVERLOAD = frozenset({RATE, COMPLETE_AFTER})
"""Checks that a system fails by itself; the generator's own checks tell whether it was that."""


@dataclass(frozen=True)
class Check:
    """One thing that was checked of a run.

    Parameters
    ----------
    name
        What.
    outcome
        ``not known`` where the record does not tell, or the check does not apply.
    figure
        What was found, in words.
    limit
        What it is held against, in words.
    """

    name: str
    outcome: Outcome
    figure: str
    limit: str


@dataclass(frozen=True)
class Verdict:
    """What became of the checks of one run.

    Parameters
    ----------
    run_id
        Which run.
    checks
        In the order of the table.
    truncation
        Where the warm-up ends; None where that cannot be told or does not apply.
    """

    run_id: str
    checks: tuple[Check, ...]
    truncation: Truncation | None = None

    @property
    def status(self) -> Status:
        """Valid unless a check failed; what the system does by itself makes no run invalid."""
        failed = {check.name for check in self.checks if check.outcome == "failed"}
        if not failed:
            return "valid"
        if failed == {STEADINESS}:
            return "not steady"
        return "overloaded" if failed <= OVERLOAD | {STEADINESS} else "invalid"

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it is not simply valid."""
        return tuple(
            f"{check.name}: {check.figure} (limit: {check.limit})"
            for check in self.checks
            if check.outcome == "failed"
        )

    def __str__(self) -> str:
        """Return the status with its reasons, in one line."""
        return ": ".join([self.status, "; ".join(self.reasons)] if self.reasons else [self.status])


@dataclass(frozen=True)
class Judged:
    """Runs that have been read and judged.

    Parameters
    ----------
    recorded
        Every run that can be read, whole.
    verdicts
        By run id, of these.
    used
        What counts of each run that is not invalid, see `steady_part`; there may be none.
    """

    recorded: Measured
    verdicts: Mapping[str, Verdict]
    used: Measured

    @property
    def results(self) -> Results:
        """Where the runs come from."""
        return self.recorded.results


def judge(measurement: Measurement, environment: Mapping[str, Any]) -> Verdict:
    """Judge one run.

    Parameters
    ----------
    measurement
        As it was recorded, whole.
    environment
        ``environment.json`` of its results; empty where there is none.

    Returns
    -------
    Verdict
        With every check of the method, those that cannot be made included.
    """
    truncation = warm_up(measurement)
    return Verdict(
        run_id=measurement.run.id,
        checks=(
            _operations(measurement),
            _rows(measurement),
            _cinemas(measurement, "before"),
            _cinemas(measurement, "after"),
            _little(measurement),
            _rate(measurement),
            _generator_cpu(measurement, environment),
            _generator_ceiling(measurement),
            _conditions(measurement, environment),
            _disturbance(measurement),
            _steady(measurement, truncation),
        ),
        truncation=truncation,
    )


def carried(measurement: Measurement) -> bool:
    """Return whether nothing says that the system did not carry the load of a run."""
    checks = (_cinemas(measurement, "after"), _rate(measurement))
    return all(check.outcome != "failed" for check in checks)


def judge_all(measured: Measured) -> Judged:
    """Judge every run and set apart what may be used."""
    environment = measured.results.environment
    verdicts = {one.run.id: judge(one, environment) for one in measured.measurements}
    used = tuple(
        steady_part(one, verdicts[one.run.id])
        for one in measured.measurements
        if verdicts[one.run.id].status != "invalid"
    )
    return Judged(measured, verdicts, replace(measured, measurements=used))


def warm_up(measurement: Measurement) -> Truncation | None:
    """Find the end of a run's warm-up in the response times of its successful operations.

    What begins after the first thread of a closed loop has ended is left aside: with every thread
    that ends the load is less, and the few alike times of the last one would pass for steady.

    Returns
    -------
    Truncation or None
        None where the load was meant to change, a service was disturbed, or there are too few
        operations.
    """
    run, good = measurement.run, measurement.operations.filter("ok")
    if run.disturbance or (run.arrivals and not run.arrivals.steady) or good.is_empty():
        return None
    if run.cell.mode == "closed":
        loaded = good.filter(pl.col("start_ms") < together(measurement.operations)[1])
        good = loaded if loaded.height >= SHORTEST_RUN else good
    return None if good.height < SHORTEST_RUN else mser5(good["elapsed_ms"].to_numpy())


def steady_part(measurement: Measurement, verdict: Verdict) -> Measurement:
    """Return what counts of a run: all but its warm-up.

    It is the whole run where that has no steady part, where none can be told, or where it was
    overloaded, and is then marked so.
    """
    if verdict.status == "overloaded":
        return replace(measurement, overloaded=True)
    cut = verdict.truncation
    if cut is None or not cut.steady or cut.cut == 0:
        return measurement
    operations = measurement.operations
    clock = pl.coalesce("intended_ms", "start_ms")
    begin = operations.filter("ok").select(clock).to_series()[cut.cut]
    return replace(
        measurement,
        operations=operations.filter(clock >= begin),
        samples=measurement.samples.filter(pl.col("start_ms") >= begin),
        whole=measurement,
    )


def in_flight(operations: pl.DataFrame) -> tuple[float, float, int] | None:
    """Return throughput and mean response time while all threads of a closed loop ran.

    Parameters
    ----------
    operations
        Of one run, with ``thread``, ``start_ms`` and ``service_ms``.

    Returns
    -------
    tuple or None
        Operations per second, seconds, and the operations they are of: those that overlap the time
        from the last thread's first start to the first thread's last end, each counted as much as
        it overlaps. None if there is no such time.
    """
    opened, closed = together(operations)
    if closed <= opened:
        return None
    start = operations["start_ms"].to_numpy().astype(float)
    end = start + operations["service_ms"].to_numpy()
    overlap = np.clip(np.minimum(end, closed) - np.maximum(start, opened), 0, None)
    count = int((overlap > 0).sum())
    if not count:
        return None
    window_s = (closed - opened) / 1000
    return count / window_s, float(overlap.sum()) / 1000 / count, count


def _operations(measurement: Measurement) -> Check:
    """Check that all operations that were asked for were recorded, and not none."""
    made, expected = measurement.operations.height, measurement.run.expected_operations
    plan = measurement.run.arrivals
    if made and plan is not None:
        # Whether an open loop carried its plan is the check of the rate.
        return Check("operations", "passed", f"{made:,}", f"of {plan.planned:,} planned")
    if expected is None:
        found: Outcome = "passed" if made else "failed"
        return Check("operations", found, f"{made:,}", "at least one; bounded by time")
    return Check(
        "operations",
        "passed" if made == expected and made else "failed",
        f"{made:,} of {expected:,}",
        "all",
    )


def _rows(measurement: Measurement) -> Check:
    damaged = measurement.damaged
    return Check("damaged rows", "failed" if damaged else "passed", f"{damaged:,}", "none")


def _cinemas(measurement: Measurement, when: Literal["before", "after"]) -> Check:
    """Check that the front door gave a full answer."""
    run = measurement.run
    found = run.complete_before if when == "before" else run.complete_after
    name = "all cinemas before" if when == "before" else COMPLETE_AFTER
    if when == "after" and run.stopped_for_good:
        return Check(name, "not known", "a service was stopped for good", "all")
    if found is None:
        return Check(name, "not known", "not recorded", "all")
    if found is True:
        return Check(name, "passed", "all", "all")
    return Check(name, "failed", str(found) if found else "not all", "all")


def _little(measurement: Measurement) -> Check:
    """Check Little's law in a closed loop."""
    name, limit = "Little's law", f"within {TOLERANCE:.0%}".replace("%", " %")
    threads = measurement.run.cell.threads
    if measurement.run.cell.mode != "closed":
        return Check(name, "not known", "open loop", limit)
    if measurement.operations.is_empty():
        return Check(name, "not known", "no operations", limit)
    seen = in_flight(measurement.operations)
    if seen is None or seen[2] < SHORTEST_WINDOW * threads:
        return Check(name, "not known", "too few operations while all threads ran", limit)
    law = littles_law(threads, seen[0], seen[1], tolerance=TOLERANCE)
    return Check(
        name,
        "passed" if law.holds else "failed",
        f"X·R = {law.observed:.2f} for {threads} threads, {100 * law.deviation:+.1f} %",
        limit,
    )


def _rate(measurement: Measurement) -> Check:
    """Check in an open loop that operations started as often as they were to."""
    name, limit = RATE, f"within {TOLERANCE:.0%}".replace("%", " %")
    run, plan = measurement.run, measurement.run.arrivals
    if run.cell.mode != "open":
        return Check(name, "not known", "closed loop", limit)
    operations = measurement.operations
    intended = operations["intended_ms"].drop_nulls().to_numpy()
    if plan is None or intended.size < 2:
        return Check(name, "not known", "no intended starts recorded", limit)
    start = operations["start_ms"].to_numpy()
    # The plan's arrivals that never started lie at its end; the rate of those that did is known.
    offered = (intended.size - 1) / max(float(np.ptp(intended)), 1.0) * 1000
    achieved = (start.size - 1) / max(float(start.max() - intended.min()), 1.0) * 1000
    missing = plan.planned - operations.height
    deviation = min(achieved / offered, operations.height / plan.planned) - 1
    return Check(
        name,
        "passed" if abs(deviation) <= TOLERANCE else "failed",
        f"{achieved:.1f} of {offered:.1f} arrivals/s, {missing:,} of {plan.planned:,} dropped",
        limit,
    )


def _generator_cpu(measurement: Measurement, environment: Mapping[str, Any]) -> Check:
    """Check the load generator's share of the cores that it could use.

    Servers on the same cores as the generator, which they are wherever their use is recorded, may
    keep it from ever reaching that share. Then it counts who of them has the most of the cores.
    """
    run, usage = measurement.run, measurement.usage
    cores = run.generator_cpus or _cores(environment)
    busy = usage.generator_cores if usage else None
    if busy is None and run.generator_cpu_s is not None:
        busy = run.generator_cpu_s / (run.wall_s or max(measurement.duration_s, 0.001))
    name, most = "generator CPU", GENERATOR_SHARE
    limit = f"at most {100 * most:.0f} %"
    if busy is None or not cores:
        return Check(name, "not known", "not recorded", limit)
    share = busy / cores
    figure = f"{100 * share:.0f} % of {cores:g} cores"
    servers = (usage.server_cores if usage else None) or 0.0
    if busy + servers >= BUSY_SHARE * cores:
        most = GENERATOR_SHARE_OF_BUSY
        figure += f", {100 * servers / cores:.0f} % the servers"
        limit = f"at most {100 * most:.0f} % of busy cores"
    return Check(name, "passed" if share <= most else "failed", figure, limit)


def _generator_ceiling(measurement: Measurement) -> Check:
    """Check the throughput against what the load generator reached on a static endpoint."""
    name, limit = "generator ceiling", f"at most {GENERATOR_SHARE:.0%}".replace("%", " %")
    ceiling = measurement.run.generator_ceiling_per_s
    if not ceiling:
        return Check(name, "not known", "not measured", limit)
    pace = measurement.pace
    rate = pace.operations / max(pace.seconds, 0.001)
    return Check(
        name,
        "passed" if rate <= GENERATOR_SHARE * ceiling else "failed",
        f"{rate:,.0f} of {ceiling:,.0f} operations/s, {100 * rate / ceiling:.0f} %",
        limit,
    )


def _conditions(measurement: Measurement, environment: Mapping[str, Any]) -> Check:
    """Check that the run had the cores that the experiment began with.

    Old results record those of their machine only, of which a run may have had some.
    """
    name, limit = "environment", "that of the results"
    cores, seen = _cores(environment), measurement.run.generator_cpus
    usable = environment.get("usable_cpus")
    if seen is None or (cores is None and usable is None):
        return Check(name, "not known", "not recorded", limit)
    if usable is not None:
        same, figure = seen == usable, f"{seen:g} usable cores, {usable:g} at the start"
    else:
        same, figure = seen <= (cores or 0), f"generator on {seen:g} of {cores:g} cores"
    return Check(name, "passed" if same else "failed", figure, limit)


def _disturbance(measurement: Measurement) -> Check:
    """Check that a service which was to be stopped was stopped before the run ended."""
    name, limit = "disturbance", "reached"
    what = measurement.run.disturbance
    if what is None or "stopped" not in what:
        return Check(name, "not known", "none recorded", limit)
    if what["stopped"] is None:
        return Check(name, "failed", "not reached", limit)
    return Check(name, "passed", "reached", limit)


def _steady(measurement: Measurement, truncation: Truncation | None) -> Check:
    limit = "cut of at most half the run"
    if truncation is None:
        run = measurement.run
        why = (
            "a service was disturbed"
            if run.disturbance
            else "the load changes by plan"
            if run.arrivals and not run.arrivals.steady
            else f"fewer than {SHORTEST_RUN} successful operations"
        )
        return Check(STEADINESS, "not known", why, limit)
    return Check(
        STEADINESS,
        "passed" if truncation.steady else "failed",
        f"MSER-5 cuts {truncation.cut:,} of {truncation.observations:,}, "
        f"{100 * truncation.cut / truncation.observations:.0f} %",
        limit,
    )


def _cores(environment: Mapping[str, Any]) -> float | None:
    machine = environment.get("machine")
    cores = machine.get("cores", machine.get("cpus")) if isinstance(machine, Mapping) else None
    return float(cores) if cores else None
