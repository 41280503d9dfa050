"""A front door in several instances is asked in turn, by all users together."""

from __future__ import annotations

from .conftest import RunPlan
from .fake_product import FakeProduct

PLAN = "cinema-direct-reserve"


def test_each_operation_asks_the_next_instance(run_plan: RunPlan) -> None:
    with FakeProduct("cinema") as second, FakeProduct("cinema") as third:
        others = {"port.2": second.port, "port.3": third.port}
        outcome = run_plan(
            PLAN, (), {"threads": 4, "ramp": 0, "loops": 6, "instances": 3, **others}
        )

    assert [row["success"] for row in outcome.rows] == 24 * ["true"]
    assert [len(sent) for sent in (outcome.requests, second.requests, third.requests)] == [8, 8, 8]


def test_without_instances_the_port_is_asked(run_plan: RunPlan) -> None:
    outcome = run_plan(PLAN, (), {"threads": 2, "ramp": 0, "loops": 3})

    assert [row["success"] for row in outcome.rows] == 6 * ["true"]
    assert len(outcome.requests) == 6
