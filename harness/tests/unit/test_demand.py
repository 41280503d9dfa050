"""How a number of cores is split among the services of a system."""

from __future__ import annotations

from dataclasses import replace

import pytest

from testbed.experiment.loads import EXPERIMENT
from testbed.experiment.loads.demand import LEAST_CPUS
from testbed.experiment.runs import CLOSED, Cell, Level, Start


def test_cpu_is_split_by_what_an_operation_costs_each_service() -> None:
    plan = EXPERIMENT.validate_python(
        {
            "name": "x",
            "systems": {"chain": {"variant": "poster-chain"}},
            "workloads": ["poster"],
            "threads": [10],
            "duration": 5,
            "demand": {
                "cpus": {"from": 0.1, "to": 2, "resolution": 0.1},
                "target": {"ok_per_s": 5},
            },
        }
    )
    chain = replace(plan.compared[0], replicas={"poster-converter": 2})
    spent = {"poster-adjuster": 3.0, "poster-converter": 2.0, "poster-converter.2": 4.0}
    # One that costs next to nothing, and a server that is no service of the system.
    spent |= {"poster-labeler": 0.001, "queue": 9.0}
    start = Start(1, 1, (chain,), plan.workloads, ())
    alone = plan.next_cell(start, {})
    assert alone is not None
    record = {
        "workload": "poster",
        "threads": 1,
        "repetition": 1,
        "demand": {"system": chain.name, "cpus": None},
        "server_cpu_s": spent,
    }
    done = {start.run(chain, alone).id: record}

    limited = plan.allocation(start, Cell("poster", Level(CLOSED, 10, 10, cpus=1.0)), done)

    each = 3 / 9.001
    assert limited is not None
    assert limited.shares == pytest.approx(
        {"poster-adjuster": each, "poster-converter": each, "poster-labeler": LEAST_CPUS}
    )
    assert (limited.cpus, limited.wanted) == (1.0, 5)
    assert plan.allocation(start, alone, done) is None
