"""The page of published results tells which plan, which code and which tables a folder is of.

``python tests/unit/test_provenance.py`` writes its table.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from testbed.experiment import reading
from testbed.experiment.declaration import Experiment
from testbed.model.project import Project

PROJECT = Project.find()
PUBLISHED = PROJECT.root / "analysis" / "published"
PAGE = PUBLISHED / "README.md"

NOT_OF_A_PLAN = {"description", "topic", "nulls", "seed", "warmup"}
"""Words, what is counted afterwards, what is drawn, and how long the method warms up."""

TABLES = ("blocks.csv", "checks.csv")
SINCE = "2026-11-29T10:12"
"""When `--publish` began to write them."""


def folders() -> list[Path]:
    return sorted(file.parent for file in PUBLISHED.glob("**/experiment.yaml"))


def other_keys(measured: Experiment, declared: Experiment) -> list[str]:
    """Return the keys in which two plans differ."""
    left, right = (
        {
            key: value
            for key, value in yaml.safe_load(plan.to_yaml()).items()
            if key not in NOT_OF_A_PLAN
        }
        for plan in (measured, declared)
    )
    keys = {key for key in left | right if left.get(key) != right.get(key)}
    # A ladder makes its systems and groups.
    return sorted(keys - {"systems", "groups"} if "ladder" in keys else keys)


def other_plans() -> dict[str, list[str]]:
    """Return the keys in which a folder's plan is not that of its file, by folder."""
    differing = {}
    for folder in folders():
        plan = reading.parse((folder / "experiment.yaml").read_text(), str(folder))
        if plan.name in reading.shipped(PROJECT) and (
            keys := other_keys(plan, reading.load(PROJECT, plan.name))
        ):
            differing[named(folder)] = keys
    return differing


def environment(folder: Path) -> dict[str, Any]:
    described: dict[str, Any] = json.loads((folder / "environment.json").read_text())
    return described


def named(folder: Path) -> str:
    return str(folder.relative_to(PUBLISHED))


def linked(names: Iterable[str]) -> str:
    return ", ".join(f"[{name}]({name}/)" for name in names)


def rows() -> list[str]:
    """Return the rows of the page's table."""
    plans = ", ".join(
        f"{linked([name])} ({', '.join(f'`{key}`' for key in keys)})"
        for name, keys in other_plans().items()
    )
    changed = [folder for folder in folders() if environment(folder)["git"]["dirty"]]
    complete = [folder for folder in folders() if all((folder / name).is_file() for name in TABLES)]
    return [
        f"| measured by another plan than their file's today | {plans} |",
        f"| measured with uncommitted changes | {linked(map(named, changed))} |",
        f"| with `blocks.csv` and `checks.csv` | {linked(map(named, complete))} |",
    ]


def test_the_page_names_folders_of_other_plans_and_uncommitted_code() -> None:
    missing = [row for row in rows() if row not in PAGE.read_text(encoding="utf-8").split("\n")]
    assert not missing, "\n".join(missing)


def test_folders_since_the_rule_have_every_block_and_check() -> None:
    lacking = [
        named(folder)
        for folder in folders()
        if environment(folder)["recorded"] > SINCE
        and not all((folder / name).is_file() for name in TABLES)
    ]
    assert lacking == []


def test_a_plan_differs_by_what_is_measured_and_not_by_its_words() -> None:
    plan = reading.load(PROJECT, "compare")
    assert other_keys(plan, reading.changed(plan, description="Other words.", seed=1)) == []
    for keys in (
        {"systems": {"sync": {"variant": "sync"}, "async": {"variant": "async", "scrape": 5}}},
        {"workloads": ["list"]},
        {"threads": [10]},
        {"rates": [50]},
        {"blocks": {"seconds": 4, "each": 8}},
        {"repetitions": 3},
    ):
        assert set(other_keys(plan, reading.changed(plan, **keys))) >= set(keys), keys


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    for row in rows():
        start = re.escape(row.split(" | ", maxsplit=1)[0])
        text = re.sub(rf"^{start} \|.*$", lambda _, row=row: row, text, flags=re.MULTILINE)
    PAGE.write_text(text, encoding="utf-8")
