"""Queueing predictions: throughput of closed loops, and loss of bounded queues."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, logsumexp, xlogy

from testbed.analysis.arrays import Floats


@dataclass(frozen=True)
class Station:
    """A resource that operations wait for.

    ``demand_s`` is the time that one operation keeps one server busy, in seconds, over all its
    visits. ``servers`` work at once.
    """

    demand_s: float
    servers: int = 1

    @classmethod
    def of_cpu(cls, cpu_s: float, cores: float) -> Station:
        """Return the station of operations that need ``cpu_s`` of CPU time on ``cores`` cores.

        A part of a core is a slower one: 0.5 cores are one server of half the speed.
        """
        servers = max(1, math.floor(cores))
        return cls(cpu_s * servers / cores, servers)

    @property
    def highest_rate(self) -> float:
        return self.servers / self.demand_s if self.demand_s else math.inf


@dataclass(frozen=True)
class Bounds:
    """Asymptotic bounds of a closed loop (Denning and Buzen, ACM Computing Surveys 10(3), 1978)."""

    rate: float
    """The most operations per second: X ≤ 1/D of the bottleneck."""
    knee: float
    """The threads N* = (R₀ + Z)/D from which on operations must wait for each other."""


def bounds(stations: Sequence[Station], delay_s: float = 0.0) -> Bounds:
    """Return the bounds of a closed loop.

    ``delay_s`` is time without waiting for a station: thinking, or resources that are never short.
    Raises `ValueError` if nothing takes time.
    """
    alone_s = delay_s + sum(station.demand_s for station in stations)
    if alone_s <= 0:
        raise ValueError("no station has a demand, and there is no delay")
    rate = min((station.highest_rate for station in stations), default=math.inf)
    return Bounds(rate, rate * alone_s)


def closed_throughput(stations: Sequence[Station], most: int, delay_s: float = 0.0) -> Floats:
    """Return the throughput of 1 to ``most`` threads, operations per second, shape (most,).

    The exact solution of a product-form network, as mean-value analysis gives it (Reiser and
    Lavenberg, Journal of the ACM 27(2), 1980), computed by convolution (Buzen, Communications of
    the ACM 16(9), 1973), which is stable for stations with several servers. Service times are taken
    to be exponential, or the processor to be shared.
    """
    number = np.arange(most + 1)
    total = xlogy(number, delay_s) - gammaln(number + 1)
    for station in stations:
        # Beyond its servers, a station works no faster.
        busy = np.minimum(number, station.servers)
        own = xlogy(number, station.demand_s) - gammaln(busy + 1)
        own -= (number - busy) * math.log(station.servers)
        total = np.array([logsumexp(total[: n + 1] + own[n::-1]) for n in number])
    rates: Floats = np.exp(total[:-1] - total[1:])
    return rates


def burst_loss(arrivals: float, over_s: float, places: float, drained_per_s: float) -> float:
    """Return the share of a burst that a bounded queue loses: max(0, 1 - K/n - m/a).

    A fluid that arrives evenly at a = n/``over_s``, is drained at m while it arrives, and fills K
    ``places``.
    """
    if not arrivals:
        return 0.0
    return max(0.0, 1 - places / arrivals - drained_per_s * over_s / arrivals)


def poisson_loss(load: float, places: int) -> float:
    """Return the share that M/M/1/K loses: (1-ρ)ρ^K / (1-ρ^(K+1)).

    ``load`` is ρ, arrivals per second over the rate of the one server. ``places`` is K, with that
    in service.
    """
    if load <= 0:
        return 0.0
    # ρ^K / (1 + ρ + … + ρ^K), which is also right at ρ = 1 and does not overflow.
    powers = np.arange(places + 1) * math.log(load)
    return float(np.exp(powers[-1] - logsumexp(powers)))
