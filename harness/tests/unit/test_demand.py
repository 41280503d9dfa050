"""How a number of cores is split among the services of a system."""

from __future__ import annotations

from dataclasses import replace

import pytest

from testbed.experiment import demand
from testbed.experiment.declaration import EXPERIMENT, Demanded


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
    assert isinstance(plan, Demanded)
    chain = replace(plan.compared[0], replicas={"poster-converter": 2})
    spent = {"poster-adjuster": 3.0, "poster-converter": 2.0, "poster-converter.2": 4.0}
    # One that costs next to nothing, and a server that is no service of the system.
    spent |= {"poster-labeler": 0.001, "queue": 9.0}
    search = demand.Search("chain", "poster", 10, 1)

    found = demand.allocation(plan, chain, search, 1.0, {"server_cpu_s": spent}, {})

    each = 3 / 9.001
    assert found.shares == pytest.approx(
        {"poster-adjuster": each, "poster-converter": each, "poster-labeler": demand.LEAST_CPUS}
    )
    assert found.wanted == 5
