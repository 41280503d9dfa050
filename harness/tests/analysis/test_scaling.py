"""Efficiency and scalability of measured systems."""

from __future__ import annotations

from pathlib import Path

import pytest

from testbed.analysis.samples import load
from testbed.analysis.scaling import efficiencies, predicted, scalability
from testbed.analysis.studies import by_system
from testbed.analysis.verdicts import judge_all

from .synthetic import write_pair, write_run


def test_efficiency_is_relative_to_the_lowest_level(tmp_path: Path) -> None:
    judged = write_pair(tmp_path, levels=(10, 20, 40), second=1.5)
    systems = by_system(judged.used.measurements)
    percents = efficiencies(systems["sync"], "mean_ms")
    # Response times are as 1.5 : 2 : 3.
    expected = [100, 100 * 2 * 1.5 / 2, 100 * 4 * 1.5 / 3]
    assert [interval.estimate for interval in percents.values()] == pytest.approx(
        expected, rel=0.03
    )
    assert list(percents) == [10, 20, 40]
    # Whole milliseconds, cut off, take half of one from each mean.
    assert percents[40].low < 198.4 < percents[40].high


def test_scalability_needs_four_levels(tmp_path: Path) -> None:
    judged = write_pair(tmp_path, levels=(10, 20, 40, 80))
    systems = by_system(judged.used.measurements)
    assert scalability(systems["sync"]) is not None
    del systems["sync"][40.0]
    assert scalability(systems["sync"]) is None


def test_a_single_thread_predicts_the_throughput_of_many(tmp_path: Path) -> None:
    # 10 ms of CPU in all for each of 200 operations of 20 ms or more, of which 4 ms are limited.
    for threads in (1, 50):
        write_run(
            tmp_path,
            threads=threads,
            loops=200,
            median_ms=20,
            record={
                "server_cpu_s": {"gateway": 0.8, "cinema": 0.4, "cinema.2": 0.4},
                "generator_cpu_s": 0.4,
                "generator_cpus": 2,
                "settings": {"limits.cinema.cpus": "0.2", "replicas.cinema": "2"},
            },
        )
    levels = by_system(judge_all(load(tmp_path)).recorded.measurements)["sync"]
    prediction = predicted(levels)

    assert prediction is not None
    # The processors carry 2/6 ms, the cinemas 0.4/4 ms.
    assert prediction.bounds.rate == pytest.approx(min(2 / 0.006, 0.4 / 0.004))
    assert prediction.throughput.size == 50
    assert prediction.throughput[0] == pytest.approx(
        prediction.bounds.rate / prediction.bounds.knee
    )
    assert prediction.throughput[-1] == pytest.approx(100, rel=0.01)
    del levels[1.0]
    assert predicted(levels) is None


def test_parts_that_take_longer_than_the_operation_leave_no_delay(tmp_path: Path) -> None:
    # 30 ms of CPU for each operation of 20 ms, on two processors.
    record = {"server_cpu_s": {"gateway": 5.8}, "generator_cpu_s": 0.2, "generator_cpus": 2}
    write_run(tmp_path, threads=1, loops=200, median_ms=20, record=record)
    levels = by_system(judge_all(load(tmp_path)).recorded.measurements)["sync"]
    prediction = predicted(levels)

    assert prediction is not None
    assert prediction.bounds.rate == pytest.approx(2 / 0.03)
    assert prediction.bounds.knee == pytest.approx(2)


def test_a_generator_with_a_core_of_its_own_leaves_the_other_to_the_servers(
    tmp_path: Path,
) -> None:
    record = {"server_cpu_s": {"gateway": 1.8}, "generator_cpu_s": 0.2, "generator_cpus": 2}
    for name, apart in (("shared", {}), ("apart", {"cores_apart": 1})):
        folder = tmp_path / name
        write_run(folder, threads=1, loops=200, median_ms=20, record={**record, **apart})
        levels = by_system(judge_all(load(folder)).recorded.measurements)["sync"]
        prediction = predicted(levels)
        assert prediction is not None
        # 9 ms of an operation on one core, or 10 ms on two.
        assert prediction.bounds.rate == pytest.approx(1 / 0.009 if apart else 2 / 0.01)


def test_nothing_is_predicted_without_the_cpu_time_of_a_single_thread(tmp_path: Path) -> None:
    write_run(tmp_path, threads=1, record={"generator_cpu_s": None, "generator_cpus": 2})
    levels = by_system(judge_all(load(tmp_path)).recorded.measurements)["sync"]

    assert predicted(levels) is None


def test_nothing_is_predicted_of_a_number_of_instances_that_changes(tmp_path: Path) -> None:
    scaling = {"service": "cinema", "least": 1, "most": 3, "rule": "hpa", "instance_s": 95.0}
    record = {
        "server_cpu_s": {"gateway": 0.8, "cinema": 0.4},
        "generator_cpu_s": 0.4,
        "generator_cpus": 2,
        "settings": {"limits.cinema.cpus": "0.2", "replicas.cinema": "1 to 3 by hpa"},
        "scaling": scaling,
    }
    write_run(tmp_path, threads=1, loops=200, record=record)
    levels = by_system(judge_all(load(tmp_path)).recorded.measurements)["sync"]

    assert predicted(levels) is None
