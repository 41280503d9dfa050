"""How systems scale over the levels of a closed loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from testbed.analysis.arrays import Floats
from testbed.analysis.quantities import run_figure
from testbed.analysis.results import Run
from testbed.analysis.samples import Measurement
from testbed.analysis.statistics.intervals import Interval
from testbed.analysis.statistics.queueing import Bounds, Station, bounds, closed_throughput
from testbed.analysis.statistics.ratios import ratio_of_runs
from testbed.analysis.statistics.scaling import Scalability, fit_scalability

GENERATOR = "load generator"
"""The station of a generator with cores of its own."""


@dataclass(frozen=True)
class Prediction:
    """The throughput that follows from the runs of a single thread.

    ``throughput`` is of 1 thread, 2 threads and so on, in operations per second.
    """

    bounds: Bounds
    throughput: Floats


def predicted(levels: Mapping[float, Sequence[Measurement]]) -> Prediction | None:
    """Predict one system's throughput in a closed loop from its runs of a single thread.

    The stations are the processors, with the servers and the load generator unless it has cores of
    its own, and each service with a CPU limit. What is left of the response time is a delay. None
    without a single thread, if its CPU time is not recorded, or with an autoscaler.
    """
    if any(measurement.run.scaling for runs in levels.values() for measurement in runs):
        return None
    alone = [
        measurement for measurement in levels.get(1.0, ()) if measurement.recorded.operations.height
    ]
    demands = [_service_demands(measurement) for measurement in alone]
    if not demands or None in demands:
        return None
    cpu_s: dict[str, float] = {}
    for of_start in demands:
        for name, seconds in (of_start or {}).items():
            cpu_s[name] = cpu_s.get(name, 0.0) + seconds / len(demands)
    response_s = sum(
        float(measurement.operations["service_ms"].to_numpy().mean()) for measurement in alone
    )
    response_s /= 1000 * len(alone)
    stations = [
        Station.of_cpu(seconds, _cores(alone[0].run, name)) for name, seconds in cpu_s.items()
    ]
    # Parts of an operation may overlap: then they take longer than the operation.
    delay_s = max(0.0, response_s - sum(station.demand_s for station in stations))
    return Prediction(
        bounds(stations, delay_s), closed_throughput(stations, int(max(levels)), delay_s)
    )


def _service_demands(measurement: Measurement) -> dict[str, float] | None:
    """Return the CPU seconds of an operation: of each limited service, and of all else as ""."""
    run, operations = measurement.run, measurement.recorded.operations.height
    if not (run.server_cpu_s and run.generator_cpu_s and run.generator_cpus):
        return None
    demands = {GENERATOR if run.cores_apart else "": run.generator_cpu_s / operations}
    for name, seconds in run.cpu_s_by_service.items():
        place = "" if run.cpu_limit(name) is None else name
        demands[place] = demands.get(place, 0.0) + seconds / operations
    return demands


def _cores(run: Run, service: str) -> float:
    if service == GENERATOR:
        return run.cores_apart
    if not service:
        return (run.generator_cpus or 1.0) - run.cores_apart
    return (run.cpu_limit(service) or 0.0) * run.replicas(service)


def efficiencies(
    levels: Mapping[float, Sequence[Measurement]], figure: str
) -> dict[float, Interval]:
    """Return E_i of one system in a closed loop by level, in percent; the lowest is the base.

    ``E_i = 100 · R_b · i / (b · R_i)``, where b is the lowest level and R the response time. With b
    = 1 this is the efficiency of Akbulut and Perros (IEEE Internet Computing 23(6), 2019, equations
    1 and 2). ``figure`` is one of `QUANTILES`. Empty with fewer than two levels. The intervals are
    Welch's, of the ratio R_b ÷ R_i over runs. With one run at either level the interval is the
    estimate itself.
    """
    times_of = {
        level: times
        for level, runs in sorted(levels.items())
        if (times := [time_ms for run in runs if (time_ms := run_figure(run, figure))])
    }
    if len(times_of) < 2:
        return {}
    base = min(times_of)
    return {
        level: ratio_of_runs(times_of[base], times).times(100 * level / base)
        if level != base
        else Interval(100.0, 100.0, 100.0)
        for level, times in times_of.items()
    }


def scalability(levels: Mapping[float, Sequence[Measurement]]) -> Scalability | None:
    """Fit the Universal Scalability Law to one system's goodput; None if that is not possible."""
    points = [
        (level, rate)
        for level, runs in sorted(levels.items())
        for measurement in runs
        if (rate := measurement.pace.ok_per_s)
    ]
    try:
        return fit_scalability([level for level, _ in points], [rate for _, rate in points])
    except ValueError:
        return None
