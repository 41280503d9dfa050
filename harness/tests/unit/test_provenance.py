"""Pages say of which plan, code and tables published results are, and what they decided.

``python tests/unit/test_provenance.py`` writes the rows into the pages.
"""

from __future__ import annotations

import csv
import json
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
README = PROJECT.root / "README.md"

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


def answer_rows(folder: str, mode: str, unit: str) -> list[str]:
    """Return rows of the README's tables: what a comparison decided of each cell."""
    with (PUBLISHED / folder / "decisions.csv").open(newline="") as lines:
        decisions = [row for row in csv.DictReader(lines) if row["mode"] == mode]
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for row in decisions:
        ratio = f"{float(row['ratio']):.2f}"
        if row["low"]:
            ratio += f" [{end(row['low'])}, {end(row['high'])}]"
        decided = row["decision"] != "not known"
        shown = f"**{row['decision']}: {ratio}**" if decided else ratio
        cells.setdefault((row["workload"], row["level"]), {})[row["figure"]] = shown
    label = {"list": "lists", "reserve": "reservations"}
    written = []
    for (workload, level), of_cell in cells.items():
        shown = " | ".join(of_cell.get(name, "–") for name in FIGURES)
        written.append(f"| {label[workload]}, {float(level):,g}{unit} | {shown} |")
    return written


def end(of_interval: str) -> str:
    """Return an end of an interval of ratios; beyond a thousandfold it tells nothing."""
    value = float(of_interval)
    return "<0.001" if value < 1e-3 else ">1000" if value > 1e3 else f"{value:.2f}"


ANSWERS = {
    "compare": ("closed", " threads"),
    "compare-rate": ("open", "/s"),
}
"""Mode and unit of the levels in the README's table, by published folder."""

FIGURES = ("ok_per_s", "p95_ms")
"""The columns of that table."""


def readme_rows() -> list[str]:
    return [row for name, table in ANSWERS.items() for row in answer_rows(name, *table)]


def lacking(page: Path, rows: Iterable[str]) -> str:
    """Return the rows that a page does not have."""
    lines = page.read_text(encoding="utf-8").split("\n")
    return "\n".join(row for row in rows if row not in lines)


def test_the_readme_has_what_compare_decided() -> None:
    assert lacking(README, readme_rows()) == ""
    for name in ANSWERS:
        commit = environment(PUBLISHED / name)["git"]["commit"]
        assert f"commit {commit[:8]}" in README.read_text(encoding="utf-8")


def test_the_readme_counts_the_claims_of_the_thesis_as_their_page() -> None:
    page = (PROJECT.root / "docs" / "claims.md").read_text(encoding="utf-8")
    (row,) = (line for line in page.split("\n") if line.startswith("| thesis |"))
    claims, hold, do_not, _, undecided = (cell.strip() for cell in row.split("|")[2:7])
    assert f"of {claims} claims {hold} hold, {do_not} do not, {undecided} are [open]" in (
        README.read_text(encoding="utf-8")
    )


def test_the_page_names_folders_of_other_plans_and_uncommitted_code() -> None:
    assert lacking(PAGE, rows()) == ""


def test_folders_since_the_rule_have_every_block_and_check() -> None:
    incomplete = [
        named(folder)
        for folder in folders()
        if environment(folder)["recorded"] > SINCE
        and not all((folder / name).is_file() for name in TABLES)
    ]
    assert incomplete == []


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


def first_cell(line: str) -> str:
    return line.split(" | ", maxsplit=1)[0]


if __name__ == "__main__":
    for page, written in ((PAGE, rows()), (README, readme_rows())):
        new = {first_cell(row): row for row in written}
        lines = page.read_text(encoding="utf-8").split("\n")
        page.write_text("\n".join(new.get(first_cell(line), line) for line in lines))
