"""The arrival times of an open loop: drawn from a seed, the same for every system of a round."""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from testbed.experiment.declaration import Experiment, InBurst, Stepped
from testbed.experiment.parts import Burst, Steps

Offsets = npt.NDArray[np.int64]


def seed_of(experiment: Experiment, workload: str, level: float, repetition: int) -> int:
    """Return the seed of a run's arrivals: the same for every system, so that runs are paired."""
    where = zlib.crc32(f"{workload}/{level:g}".encode())
    sequence = np.random.SeedSequence([experiment.seed or 0, repetition, where])
    return int(sequence.generate_state(1)[0])


def length_s(experiment: Experiment) -> float:
    """Return how long the arrivals of an open loop last, in seconds."""
    if isinstance(experiment, Stepped):
        return float(len(experiment.schedule.rates) * experiment.schedule.every)
    if isinstance(experiment, InBurst):
        return experiment.burst.over
    assert experiment.duration is not None, "checked when the experiment was read"
    return float(experiment.duration)


def shape(experiment: Experiment) -> Steps | Burst | None:
    """Return how the rate changes during a run; None for a constant rate."""
    if isinstance(experiment, Stepped):
        return experiment.schedule
    return experiment.burst if isinstance(experiment, InBurst) else None


def mean_rate(shape: Steps | Burst) -> float:
    """Return the mean arrivals per second."""
    match shape:
        case Steps():
            return sum(shape.rates) / len(shape.rates)
        case Burst():
            return shape.arrivals / shape.over


def offsets(experiment: Experiment, rate: float, seed: int) -> Offsets:
    """Return when each operation is to begin.

    Parameters
    ----------
    rate
        Arrivals per second; ignored if the experiment's rate changes.
    seed
        Used by a Poisson process only.

    Returns
    -------
    ndarray of int64, shape (n,)
        Milliseconds from the start of the load, sorted, all below the length of the load.

    Notes
    -----
    A Poisson process of changing rate is a process of rate 1 on a stretched time axis. Its arrivals
    lie where the expected number of arrivals reaches the points of the process of rate 1 (Çinlar
    1975, inversion). Of a burst the number is given: its Poisson arrivals are uniform and sorted.
    """
    length, changing = length_s(experiment), shape(experiment)
    if isinstance(changing, Burst):
        return _burst(changing, experiment.arrivals, seed)
    times, expected = _expected(changing, rate, length)
    total = float(expected[-1])
    if experiment.arrivals == "constant":
        points = np.arange(math.floor(total + 1e-9), dtype=float)
    else:
        points = _unit_poisson(total, np.random.default_rng(seed))
    seconds = np.interp(points, expected, times)
    found: Offsets = np.floor(seconds * 1000 + 1e-6).astype(np.int64)
    return found[found < length * 1000]


def describe(experiment: Experiment, seed: int, planned: int) -> dict[str, Any]:
    """Return the entry of a run record that describes its arrivals."""
    changing = shape(experiment)
    return {
        "kind": experiment.arrivals if changing is None else getattr(changing, "kind", "burst"),
        "process": experiment.arrivals,
        "seed": seed,
        "planned": planned,
        "length_s": length_s(experiment),
    }


def write(file: Path, offsets_ms: Sequence[int] | Offsets) -> None:
    """Write the arrivals for the plans: one offset in milliseconds per line."""
    file.write_text("".join(f"{one}\n" for one in offsets_ms), encoding="ascii")


def _burst(burst: Burst, process: str, seed: int) -> Offsets:
    shares = np.arange(burst.arrivals) / burst.arrivals
    if process == "poisson":
        shares = np.sort(np.random.default_rng(seed).random(burst.arrivals))
    return np.floor(shares * burst.over * 1000).astype(np.int64)


def _unit_poisson(total: float, random: np.random.Generator) -> npt.NDArray[np.float64]:
    points: list[npt.NDArray[np.float64]] = []
    reached = 0.0
    while reached < total:
        # Gaps from uniform numbers, which are the same in every version of NumPy.
        gaps = -np.log1p(-random.random(max(16, int(total - reached) + 16)))
        block = reached + np.cumsum(gaps)
        points.append(block)
        reached = float(block[-1])
    every = np.concatenate(points)
    return every[every < total]


def _expected(
    schedule: Steps | None, rate: float, length: float
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return points in time (s) and the expected number of arrivals up to each."""
    if isinstance(schedule, Steps):
        times = np.arange(len(schedule.rates) + 1, dtype=float) * schedule.every
        per_step = np.array(schedule.rates) * schedule.every
        return times, np.concatenate([[0.0], np.cumsum(per_step)])
    return np.array([0.0, length]), np.array([0.0, rate * length])
