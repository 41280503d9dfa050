"""A ladder expands into systems and groups of neighbours."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from testbed.experiment import reading
from testbed.experiment.declaration import Experiment
from testbed.experiment.schedule import prepared, schedule, slots
from testbed.model.errors import UserError

LADDER: dict[str, Any] = {
    "top": {"variant": "async"},
    "factors": {
        "quiet": {"settings": {"LOGGING_LEVEL_ROOT": "debug"}},
        "pool": {"settings": {"CINEMA_DATABASE_MAX_CONNECTIONS": 1}},
        "acknowledged": {"settings": {"BROKER_ACKNOWLEDGED_TOGETHER": 1}},
        "fetch": {"fetch": "poll", "pollInterval": 20},
    },
    "beyond": {"seats": {"settings": {"CINEMA_SEATS": 10}}},
}


def parsed(**keys: Any) -> Experiment:
    given = {"name": "x", "ladder": LADDER, "threads": [5], "blocks": {}, "workloads": ["list"]}
    return reading.parse(yaml.safe_dump(given | keys, sort_keys=False), "x.yaml")


def error(**keys: Any) -> str:
    with pytest.raises(UserError) as refused:
        parsed(**keys)
    return refused.value.message


def test_each_rung_has_one_more_factor_at_its_best() -> None:
    plan = parsed()
    own = {
        system.name: {
            *(name for name in system.settings if name != "ACCESS_CONTROL"),
            *(["poll"] if system.fetch == "poll" else []),
        }
        for system in plan.compared
    }
    root, pool = "LOGGING_LEVEL_ROOT", "CINEMA_DATABASE_MAX_CONNECTIONS"
    acknowledged = "BROKER_ACKNOWLEDGED_TOGETHER"

    assert own == {
        "plain": {root, pool, acknowledged, "poll"},
        "quiet": {pool, acknowledged, "poll"},
        "pool": {acknowledged, "poll"},
        "acknowledged": {"poll"},
        "tuned": set(),
        "without-quiet": {root},
        "without-pool": {pool},
        "without-acknowledged": {acknowledged},
        "plus-seats": {"CINEMA_SEATS"},
    }
    assert plan.system("plain").properties == {"fetch": "poll", "pollInterval": "20"}
    assert plan.system("tuned").properties == {"fetch": "wait"}


def test_every_step_is_between_neighbours_that_are_up_together() -> None:
    plan = parsed()

    assert plan.groups == (
        ("quiet", "plain", "pool"),
        ("acknowledged", "pool", "tuned"),
        ("tuned", "without-quiet", "without-pool"),
        ("tuned", "without-acknowledged", "plus-seats"),
    )
    assert {len(start.systems) for start in schedule(plan)} == {3}
    little = prepared(plan, memory_mb=6000)
    assert {len(start.systems) for start in schedule(little)} == {2}


@pytest.mark.parametrize("memory_mb", [1e6, 6000])
def test_systems_that_are_up_together_have_places_of_their_own(memory_mb: float) -> None:
    plan = prepared(parsed(), memory_mb)
    places = slots(plan)

    for start in schedule(plan):
        own = [places[system.name] for system in start.systems]
        assert len(set(own)) == len(own), start.name
    assert max(places.values()) <= 3


def test_what_is_written_down_reads_back_the_same() -> None:
    plan = parsed()

    assert reading.parse(plan.to_yaml(), "experiment.yaml") == plan


def test_a_ladder_of_two_factors_has_three_rungs() -> None:
    two = {name: LADDER["factors"][name] for name in ("quiet", "pool")}
    plan = parsed(ladder={"top": {"variant": "sync"}, "factors": two})

    assert plan.groups == (("quiet", "plain", "tuned"), ("tuned", "without-quiet"))


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"systems": {"a": {"variant": "sync"}}}, "ladder makes systems and groups: leave them"),
        ({"ladder": {"top": {"variant": "sync"}, "factors": {}}}, "ladder.factors"),
        (
            {"ladder": {**LADDER, "top": {"variant": "sync"}}},
            "fetch, pollInterval: sync answers at once",
        ),
        (
            {"ladder": {**LADDER, "beyond": {"x": {"settings": {"CINEMA_SEAT": 1}}}}},
            "CINEMA_SEAT cannot be set (did you mean CINEMA_SEATS?)",
        ),
        (
            {"ladder": {**LADDER, "factors": {"plain": {}, "x": {}}}},
            "two systems would have one name",
        ),
        ({"ladder": {**LADDER, "stairs": 1}}, "ladder.stairs: unknown key"),
    ],
)
def test_what_is_wrong_with_a_ladder_is_told(keys: dict[str, Any], message: str) -> None:
    assert message in error(**keys)


def test_a_ladder_needs_blocks() -> None:
    given = {"name": "x", "ladder": LADDER, "threads": [5], "duration": 5, "workloads": ["list"]}
    with pytest.raises(UserError, match="ladder: only with blocks"):
        reading.parse(yaml.safe_dump(given, sort_keys=False), "x.yaml")
