"""With a warm-up the plans do first what they then measure, in rows of other labels."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from .conftest import Outcome, RunPlan, spans_ms
from .test_open_loop import PLANS, arrivals_file, opened

WARM_UP = "warm-up "


def starts_ms(outcome: Outcome, label: str) -> list[int]:
    return [int(row["timeStamp"]) for row in outcome.rows if row["label"] == label]


@pytest.mark.parametrize("plan", PLANS)
def test_the_same_users_do_the_same_before_and_are_labelled_apart(
    run_plan: RunPlan, plan: str
) -> None:
    outcome = run_plan(plan, (), {"threads": 2, "ramp": 0, "loops": 1, "warmup": 3})

    measured = [row for row in outcome.rows if not row["label"].startswith(WARM_UP)]
    before = [row for row in outcome.rows if row["label"].startswith(WARM_UP)]
    assert len(outcome.of(plan)) == 2
    assert {row["label"] for row in before} == {WARM_UP + row["label"] for row in measured}
    assert {row["threadName"] for row in measured} == {"users 1-1", "users 1-2"}
    assert len({row["threadName"] for row in before}) == 2
    assert all(row["success"] == "true" for row in outcome.rows)
    # Bounded by its time, not by the loops.
    workload = plan.partition("-")[2]
    assert len(starts_ms(outcome, WARM_UP + workload)) > 2
    ended = max(int(row["timeStamp"]) + int(row["elapsed"]) for row in before)
    assert ended <= min(int(row["timeStamp"]) for row in measured)
    sent = [json.loads(request.body)["clientEmail"] for request in outcome.requests if request.body]
    assert len(set(sent)) == len(sent)


def test_the_moments_of_an_open_loop_are_counted_from_after_it(
    run_plan: RunPlan, tmp_path: Path
) -> None:
    offsets = [50 * number for number in range(10)]
    properties = opened(arrivals_file(tmp_path, offsets), threads=5, warmup=3, lead=1500)
    outcome = run_plan("async-reserve", (), properties)

    intended = sorted(int(row["intended"]) for row in outcome.of("async-reserve"))
    assert [moment - intended[0] for moment in intended] == offsets
    before = starts_ms(outcome, "warm-up reserve")
    assert max(before) < intended[0]
    # No sooner than with a lead of the plan's start: then it would be in the warm-up.
    spans = spans_ms(run_plan, "async-reserve", properties, "warm-up reserve")
    assert any(span > 1500 for span in itertools.chain([max(before) - min(before)], spans))


def test_a_duration_begins_after_it(run_plan: RunPlan) -> None:
    limits = {"threads": 1, "ramp": 0, "duration": 3, "warmup": 1}
    assert any(2000 <= span < 10_000 for span in spans_ms(run_plan, "sync-list", limits, "list"))


def test_a_stock_jmeter_finds_the_operation_too(run_plan: RunPlan) -> None:
    limits = {"threads": 2, "ramp": 0, "loops": 2, "warmup": 3}
    outcome = run_plan("async-list", (), limits, stock=True)

    assert len(outcome.of("async-list")) == 2 * 2
    assert starts_ms(outcome, "warm-up list request")
