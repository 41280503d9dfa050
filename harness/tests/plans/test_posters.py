"""The plans of posters send the image that they name, and look at what comes back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from testbed.model.project import Project

from .conftest import RunPlan, succeeded
from .fake_product import RIGHT, Change, Script, header, problem, status

WRONG: dict[str, Change] = {
    "busy": problem(503, "unavailable"),
    "not created": status(201),
    "a step is missing": header("Poster-Steps", "adjust, label"),
    "a step too many": header("Poster-Steps", "adjust, convert, label, label"),
    "no steps": lambda right: replace(right, headers={"Poster-Digest": "0f" * 32}),
    "no digest": lambda right: replace(right, headers={"Poster-Steps": "adjust, convert, label"}),
    "another format": lambda right: replace(right, content_type="image/png"),
}


@pytest.mark.parametrize(
    ("plan", "image"),
    [
        ("poster-composite-poster", "1440p.jpg"),
        ("poster-chain-poster720", "720p.jpg"),
        ("poster-chain-forward-poster2160", "2160p.jpg"),
    ],
)
def test_an_image_is_sent_and_its_answer_checked(run_plan: RunPlan, plan: str, image: str) -> None:
    scripts = [RIGHT, *map(Script, WRONG.values()), RIGHT]
    outcome = run_plan(plan, scripts, {"threads": 1, "ramp": 0, "loops": len(scripts)})

    expected = (Project.find().plans / "images" / image).read_bytes()
    assert {request.body for request in outcome.requests} == {expected}
    assert {request.headers["content-type"] for request in outcome.requests} == {"image/jpeg"}
    operations = outcome.operations(plan.rpartition("-")[2])
    passed = dict(zip(["right", *WRONG, "right again"], map(succeeded, operations), strict=True))
    assert [name for name, success in passed.items() if success] == ["right", "right again"]
