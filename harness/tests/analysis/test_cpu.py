"""Which service needed the CPU time."""

from __future__ import annotations

from pathlib import Path

import pytest

from testbed.analysis.samples import load
from testbed.analysis.sections import cpu
from testbed.analysis.verdicts import judge_all

from .synthetic import write_run


def test_a_cells_cpu_is_divided_by_service(tmp_path: Path) -> None:
    each = {"broker-service": 0.5, "broker-service.2": 0.1, "rabbitmq": 0.4}
    cinemas = {"cinema-ucd-service": 0.3, "cinema-dundrum-service": 0.7}
    for repetition in (1, 2):
        cpu_s = {name: repetition * s for name, s in {**each, **cinemas}.items()}
        write_run(
            tmp_path,
            variant="async",
            workload="reserve",
            repetition=repetition,
            record={"server_cpu_s": cpu_s},
        )
    spent = cpu.spent(judge_all(load(tmp_path)))

    (services,) = spent.values()
    # 1,000 operations took 2 s in one run and 4 s in the other: their geometric mean counts.
    whole_ms = 2 * 2**0.5
    expected = {"cinemas": 0.5, "broker-service": 0.3, "rabbitmq": 0.2}
    assert services == {name: pytest.approx(whole_ms * part) for name, part in expected.items()}
    assert list(services) == list(expected)
    assert cpu.tabulate(spent)["service"].to_list() == list(expected)
    assert "| 2.83 | cinemas 1.41, broker-service 0.85, rabbitmq 0.57 |" in cpu.by_service(spent)


def test_runs_without_cpu_time_show_nothing(tmp_path: Path) -> None:
    write_run(tmp_path, record={"server_cpu_s": {}})
    spent = cpu.spent(judge_all(load(tmp_path)))

    assert cpu.by_service(spent) == ""
    assert cpu.tabulate(spent).is_empty()
