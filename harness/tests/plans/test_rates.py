"""The plans of rates look at what comes back, and keep since when it is so."""

from __future__ import annotations

import pytest

from .conftest import RunPlan, succeeded
from .fake_product import RIGHT, SINCE, Change, Script, body, problem, text

WRONG: dict[str, Change] = {
    "refused": problem(503, "unavailable"),
    "another currency": body(lambda rate: rate | {"base": "GBP"}),
    "no rate": body(lambda rate: rate | {"rate": None}),
    "no JSON": text(b"1.0834"),
}


@pytest.mark.parametrize("plan", ["feed-rate", "feed-gateway-rate"])
def test_an_answer_is_checked_and_its_time_kept(run_plan: RunPlan, plan: str) -> None:
    scripts = [RIGHT, *map(Script, WRONG.values()), RIGHT]
    limits = {"threads": 1, "ramp": 0, "loops": len(scripts), "sample_variables": "asOf"}

    outcome = run_plan(plan, scripts, limits)

    operations = outcome.operations("rate")
    passed = dict(zip(["right", *WRONG, "right again"], map(succeeded, operations), strict=True))
    assert [name for name, success in passed.items() if success] == ["right", "right again"]
    since = [rows[-1]["asOf"] for rows in operations]
    # Nothing of an earlier answer is left.
    assert since == [SINCE, "", SINCE, SINCE, "", SINCE]
