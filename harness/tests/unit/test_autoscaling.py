from __future__ import annotations

import csv
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from testbed.deploy.meter import Usage
from testbed.deploy.stack import Stack
from testbed.experiment.autoscaling import FILE, Decider, Decision, Reading, recommendation
from testbed.experiment.parts import Alarm, Autoscale, Hpa
from testbed.measure.autoscaler import Autoscaler, ScaledService
from testbed.measure.companions import Loading
from testbed.model.errors import UserError

SERVICE = "cinema-ucd-service"

OTHER = "cinema-dundrum-service"


def hpa(**keys: Any) -> Hpa:
    return Hpa.model_validate({"service": SERVICE, "max": 10, **keys})


def alarm(**keys: Any) -> Alarm:
    given = {"service": SERVICE, "rule": "alarm", "max": 3, "above": 0.7, **keys}
    return Alarm.model_validate(given)


def reading(*used: float, starting: int = 0, at_s: float = 0.0, request: float = 1.0) -> Reading:
    named = {f"{SERVICE}.{number}": cores for number, cores in enumerate(used, start=1)}
    return Reading(at_s, named, starting, request)


@pytest.mark.parametrize(
    ("used", "starting", "target", "expected"),
    [
        # The values of pkg/controller/podautoscaler/replica_calculator_test.go of Kubernetes.
        pytest.param((0.3, 0.5, 0.7), 0, 0.3, 5, id="ScaleUp"),
        pytest.param((0.5, 0.7), 1, 0.3, 4, id="ScaleUpUnreadyLessScale"),
        pytest.param((0.4,), 2, 0.3, 3, id="ScaleUpUnreadyNoScale"),
        pytest.param((0.1, 0.3, 0.5, 0.25, 0.25), 0, 0.5, 3, id="ScaleDown"),
        pytest.param((0.1, 0.3, 0.5), 2, 0.5, 2, id="ScaleDownIgnoresUnreadyPods"),
        pytest.param((1.01, 1.03, 1.02), 0, 1.0, 3, id="Tolerance"),
        # By hand: at the edge of the tolerance, and a percentage that is cut off.
        ((0.55,), 0, 0.5, 1),
        ((0.56,), 0, 0.5, 2),
        ((0.559,), 0, 0.5, 1),
        ((0.0,), 0, 0.5, 0),
        # With the idle ones within the tolerance.
        ((0.5, 0.5), 1, 0.32, 3),
    ],
)
def test_utilisation_asks_for_as_many_instances_as_kubernetes_would(
    used: Sequence[float], starting: int, target: float, expected: int
) -> None:
    assert recommendation(hpa(target=target), reading(*used, starting=starting)) == expected


def test_the_number_rises_at_once_and_falls_after_the_highest_recommendation_is_old() -> None:
    decider = Decider(hpa(target=0.5, max=3, stabilise_down=60))

    def wanted(at_s: float, *used: float) -> tuple[int, int]:
        decision = decider.decide(reading(*used, at_s=at_s))
        return decision.recommended, decision.wanted

    assert wanted(15, 0.2) == (1, 1)
    assert wanted(30, 1.4) == (3, 3)
    assert wanted(45, 0.1, 0.1, 0.1) == (1, 3)
    assert wanted(60, 0.3, 0.3, 0.3) == (2, 3)
    # That of second 30 is now as old as the time to stabilise.
    assert wanted(90, 0.1, 0.1, 0.1) == (1, 2)
    assert wanted(120, 0.1, 0.1) == (1, 1)


def test_without_a_time_to_stabilise_it_falls_at_once() -> None:
    decider = Decider(hpa(target=0.5, stabilise_down=0))
    assert decider.decide(reading(0.1, 0.1, 0.1, at_s=15)) == Decision(1, 1)
    # Never below the least.
    assert decider.decide(reading(0.0, at_s=30)) == Decision(0, 1)


def test_in_fifteen_seconds_the_number_doubles_or_rises_by_four() -> None:
    decider = Decider(hpa(target=0.1, max=20, every=5))
    assert decider.decide(reading(1.0, at_s=5)) == Decision(10, 5)
    # One was there at the begin of these fifteen seconds.
    assert decider.decide(reading(*5 * [1.0], at_s=10)) == Decision(50, 5)
    assert decider.decide(reading(*5 * [1.0], at_s=20)) == Decision(50, 10)
    assert decider.decide(reading(*10 * [1.0], at_s=35)) == Decision(100, 20)


def test_an_alarm_adds_one_after_a_time_above_and_takes_one_after_a_time_below() -> None:
    decider = Decider(alarm(above_for=60, below=0.3, below_for=90, at_once=0.95, every=30))

    def wanted(at_s: float, *used: float, starting: int = 0) -> int:
        return decider.decide(reading(*used, at_s=at_s, starting=starting)).wanted

    assert [wanted(at_s, 0.8) for at_s in (30, 60, 90)] == [1, 1, 2]
    # It begins anew; a moment below interrupts it.
    assert [wanted(120, 0.8, 0.9), wanted(150, 0.5, 0.5), wanted(180, 0.8, 0.8)] == [2, 2, 2]
    # One instance that is hot for a minute is enough, but not while another starts.
    assert [wanted(210, 0.96, 0.1), wanted(240, 0.96, 0.1)] == [2, 3]
    assert wanted(255, 0.96, 0.1, starting=1) == 3
    assert [wanted(at_s, 0.2, 0.2, 0.2) for at_s in (270, 300, 330, 360)] == [3, 3, 3, 2]


def test_an_alarm_looks_at_the_mean_of_a_whole_minute_of_each_instance() -> None:
    decider = Decider(alarm(above=2, at_once=0.8))

    def wanted(at_s: float, *used: float, starting: int = 0) -> int:
        return decider.decide(reading(*used, at_s=at_s, starting=starting)).wanted

    # A moment above is none: the mean of the four decisions of a minute is 0.775, then 0.85.
    assert [wanted(at_s, used) for at_s, used in ((15, 0.6), (30, 1.0), (45, 0.6), (60, 0.9))] == [
        *(1, 1, 1, 1),
    ]
    assert wanted(75, 0.9) == 2
    # While one starts there is no other. Its minute begins when it is ready.
    assert [wanted(at_s, 1.0, starting=1) for at_s in (90, 105, 120, 135)] == [2, 2, 2, 2]
    assert [wanted(at_s, 1.0, 0.9) for at_s in (150, 165, 180, 195)] == [2, 2, 2, 3]


def test_an_alarm_of_one_decision_acts_on_the_first_moment_above() -> None:
    decider = Decider(alarm(at_once=0.8, at_once_for=15))
    assert decider.decide(reading(0.9, at_s=15)).wanted == 2


def test_an_alarm_without_a_lower_threshold_takes_none_away() -> None:
    decider = Decider(alarm(below_for=15))
    assert [decider.decide(reading(0.0, 0.0, at_s=at_s)).wanted for at_s in (15, 30, 45)] == [
        *(2, 2, 2),
    ]


@dataclass
class FakeStack:
    """Instances that use so many cores each, and start at once or fail."""

    cores: float
    fails: bool = False
    began: float = field(default_factory=time.monotonic)
    up: dict[str, float] = field(default_factory=dict)
    limits: dict[str, float | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.up = {SERVICE: self.began, "gateway": self.began}

    @property
    def record(self) -> Any:
        return SimpleNamespace(
            running=[SimpleNamespace(name=name, ready_s=1.0) for name in self.up]
        )

    def meter(self) -> Any:
        now = time.monotonic()
        used = {name: Usage(self.cores * (now - since), 1.0) for name, since in self.up.items()}
        return SimpleNamespace(read=lambda: used)

    def start_service(self, name: str, cpus: float | None = None) -> None:
        if self.fails:
            raise UserError(f"{name} ended by itself")
        self.up[name], self.limits[name] = time.monotonic(), cpus

    def stop_service(self, name: str) -> bool:
        del self.up[name]
        return False


def scaled(stack: FakeStack, rule: Autoscale, request: float) -> ScaledService:
    quick = rule.model_copy(update={"every": 0.3})
    return ScaledService(quick, request, cast(Stack, stack))


def autoscaler(stack: FakeStack, folder: Path) -> Autoscaler:
    return Autoscaler([scaled(stack, hpa(target=0.5, max=3, stabilise_down=0), 0.2)], folder)


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.01)


def rows(folder: Path, service: str = SERVICE) -> list[dict[str, str]]:
    with (folder / FILE).open(newline="") as file:
        return [row for row in csv.DictReader(file) if row["service"] == service]


def test_instances_are_started_under_load_and_stopped_afterwards(tmp_path: Path) -> None:
    stack = FakeStack(cores=0.15)
    scaler = autoscaler(stack, tmp_path)
    (service,) = scaler.services
    began = time.monotonic()
    with scaler.during(loading := Loading()):
        loaded = time.monotonic()
        until(lambda: bool(service.rows) and service.rows[-1]["ready"] == 3)
        assert set(stack.up) == {SERVICE, f"{SERVICE}.2", f"{SERVICE}.3", "gateway"}
        least_s = time.monotonic() - loaded
    elapsed = time.monotonic() - began
    # They have their limit from the start.
    assert stack.limits == {f"{SERVICE}.2": 0.2, f"{SERVICE}.3": 0.2}

    first, *_, last = rows(tmp_path)
    assert (first["ready"], first["starting"], first["wanted"]) == ("1", "0", "2")
    assert float(first["utilisation"]) == pytest.approx(0.75, abs=0.15)
    assert (last["ready"], last["wanted"]) == ("3", "3")
    assert len(last["used_cores"].split()) == 3
    assert set(loading.cpu_s) == set(stack.up) - {"gateway"}
    (record,) = scaler.record()["scaling"]
    assert record["request"] == 0.2
    # One instance all the time, two others for a part of it.
    assert least_s - 0.05 <= record["instance_s"] < 3 * elapsed
    assert (record["service"], record["rule"], record["least"], record["most"]) == (
        *(SERVICE, "hpa", 1, 3),
    )

    scaler.reset()
    assert set(stack.up) == {SERVICE, "gateway"}


def test_instances_that_are_not_needed_are_stopped_under_load(tmp_path: Path) -> None:
    stack = FakeStack(cores=0.15)
    scaler = autoscaler(stack, tmp_path)
    (service,) = scaler.services
    with scaler.during(loading := Loading()):
        until(lambda: service._used.get(f"{SERVICE}.3", 0.0) > 0.001)
        stack.cores = 0.0
        # What they have used does not become less.
        stack.up = dict.fromkeys(stack.up, stack.began)
        until(lambda: set(stack.up) == {SERVICE, "gateway"})
        assert set(stack.up) == {SERVICE, "gateway"}
    assert rows(tmp_path)[-1]["wanted"] == "1"
    # Of ended instances too.
    assert loading.cpu_s[f"{SERVICE}.3"] > 0


def test_an_instance_that_does_not_start_is_an_error(tmp_path: Path) -> None:
    stack = FakeStack(cores=0.19, fails=True)
    scaler = autoscaler(stack, tmp_path)
    with pytest.raises(UserError, match="ended by itself"), scaler.during(Loading()):
        until(lambda: bool(scaler.services[0]._pending))


def test_each_service_has_its_own_rule_limit_and_rows(tmp_path: Path) -> None:
    stack = FakeStack(cores=0.15)
    stack.up[OTHER] = stack.began
    rules = [
        (hpa(target=0.5, max=3, stabilise_down=0), 0.2),
        # One that is above, and one that is not.
        (alarm(service=OTHER, max=2, at_once=0.9).model_copy(update={"at_once_for": 0.1}), 0.15),
        (alarm(service="gateway", at_once=0.9).model_copy(update={"at_once_for": 0.1}), 1.0),
    ]
    scaler = Autoscaler([scaled(stack, *pair) for pair in rules], tmp_path)
    with scaler.during(loading := Loading()):
        until(lambda: len(stack.up) == 6 and all(service.rows for service in scaler.services))
        until(lambda: [service.rows[-1]["ready"] for service in scaler.services] == [3, 2, 1])
    assert stack.limits == {f"{SERVICE}.2": 0.2, f"{SERVICE}.3": 0.2, f"{OTHER}.2": 0.15}

    wanted = [rows(tmp_path, service)[-1]["wanted"] for service in (SERVICE, OTHER, "gateway")]
    assert wanted == ["3", "2", "1"]
    with (tmp_path / FILE).open(newline="") as file:
        at_s = [float(row["at_s"]) for row in csv.DictReader(file)]
    assert at_s == sorted(at_s)
    assert set(loading.cpu_s) == set(stack.up)
    assert [
        (entry["service"], entry["rule"], entry["most"], entry["request"])
        for entry in (scaler.record()["scaling"])
    ] == [(SERVICE, "hpa", 3, 0.2), (OTHER, "alarm", 2, 0.15), ("gateway", "alarm", 3, 1.0)]

    scaler.reset()
    assert set(stack.up) == {SERVICE, OTHER, "gateway"}
