"""Queueing predictions, against simulations and solutions by other ways."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg

from testbed.analysis.statistics.queueing import (
    Station,
    bounds,
    burst_loss,
    closed_throughput,
    poisson_loss,
)


def mean_value_analysis(demands: list[float], delay: float, most: int) -> list[float]:
    """Return the throughput of single-server stations by the recursion of Reiser and Lavenberg."""
    queue, rates = np.zeros(len(demands)), []
    for customers in range(1, most + 1):
        response = np.array(demands) * (1 + queue)
        rate = customers / (delay + response.sum())
        queue = rate * response
        rates.append(rate)
    return rates


def birth_and_death(arriving: list[float], leaving: list[float]) -> np.ndarray:
    """Return the stationary distribution of a birth-and-death chain from its generator."""
    size = len(arriving) + 1
    generator = np.diag(arriving, 1) + np.diag(leaving, -1)
    generator -= np.diag(generator.sum(axis=1))
    stationary = linalg.null_space(generator.T)[:, 0]
    assert stationary.size == size
    return stationary / stationary.sum()


@pytest.mark.parametrize("delay", [0.0, 0.3, 5.0])
@pytest.mark.parametrize("demands", [[0.1], [0.1, 0.02], [0.05, 0.25, 0.05]])
def test_single_servers_are_as_mean_value_analysis_has_them(
    demands: list[float], delay: float
) -> None:
    throughput = closed_throughput([Station(demand) for demand in demands], 60, delay)

    assert throughput == pytest.approx(mean_value_analysis(demands, delay, 60))


@pytest.mark.parametrize("servers", [1, 2, 4])
def test_several_servers_are_as_the_markov_chain_has_them(servers: int) -> None:
    demand, delay, customers = 0.2, 0.5, 12
    busy = [min(there, servers) for there in range(customers + 1)]
    states = birth_and_death(
        [(customers - there) / delay for there in range(customers)],
        [busy[there] / demand for there in range(1, customers + 1)],
    )
    expected = float(states @ np.array(busy)) / demand

    throughput = closed_throughput([Station(demand, servers)], customers, delay)

    assert throughput[-1] == pytest.approx(expected)


def test_throughput_stays_within_the_bounds_and_reaches_them() -> None:
    stations = [Station(0.05), Station(0.25), Station(0.4, 4)]
    limits = bounds(stations, 1.3)
    throughput = closed_throughput(stations, 400, 1.3)

    assert (limits.rate, limits.knee) == pytest.approx((4, 8))
    alone_s = limits.knee / limits.rate
    assert all(
        rate <= min(threads / alone_s, limits.rate) * (1 + 1e-9)
        for threads, rate in enumerate(throughput, 1)
    )
    assert throughput[0] == pytest.approx(1 / alone_s)
    assert throughput[-1] == pytest.approx(limits.rate, rel=1e-3)


def test_half_a_core_is_a_slow_server_and_two_and_a_half_are_two_quick_ones() -> None:
    assert Station.of_cpu(0.1, 0.5) == Station(0.2, 1)
    assert Station.of_cpu(0.1, 2.5).servers == 2
    assert Station.of_cpu(0.1, 2.5).highest_rate == pytest.approx(25)


def test_nothing_that_takes_time_has_no_bounds() -> None:
    with pytest.raises(ValueError, match="no station has a demand"):
        bounds([Station(0)])


@pytest.mark.parametrize("load", [0.2, 0.9, 1.0, 1.2, 5.0])
@pytest.mark.parametrize("places", [1, 3, 20])
def test_poisson_arrivals_lose_what_the_markov_chain_refuses(load: float, places: int) -> None:
    full = birth_and_death([load] * places, [1.0] * places)[-1]

    assert poisson_loss(load, places) == pytest.approx(full)
    if load != 1:
        formula = (1 - load) * load**places / (1 - load ** (places + 1))
        assert poisson_loss(load, places) == pytest.approx(formula)


def test_many_places_do_not_overflow() -> None:
    assert poisson_loss(5, 1000) == pytest.approx(0.8)
    assert poisson_loss(0, 10) == 0


def lost_of_burst(arrivals: int, over_s: float, places: int, drained_per_s: float) -> int:
    """Return how many of evenly spaced arrivals find every place taken, one by one."""
    there, lost, next_end = 0, 0, np.inf
    for at in np.arange(arrivals) * over_s / arrivals:
        while there and next_end <= at:
            there -= 1
            next_end = next_end + 1 / drained_per_s if there else np.inf
        if there == places:
            lost += 1
            continue
        next_end = at + 1 / drained_per_s if not there else next_end
        there += 1
    return lost


@pytest.mark.parametrize("places", [50, 100, 250, 740, 1000])
@pytest.mark.parametrize("drained_per_s", [1, 20, 200, 600])
def test_a_burst_loses_what_a_queue_refuses_one_by_one(places: int, drained_per_s: int) -> None:
    counted = lost_of_burst(1000, 2, places, drained_per_s) / 1000

    assert burst_loss(1000, 2, places, drained_per_s) == pytest.approx(counted, abs=0.002)


def test_nothing_loses_nothing() -> None:
    assert burst_loss(0, 2, 100, 10) == 0
