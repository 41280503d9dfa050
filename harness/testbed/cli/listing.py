"""The experiments that ship, by question, and the plan of one; for people and as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rich.markup import escape
from rich.table import Table

from testbed import LAUNCHER
from testbed.cli.console import console, print_json
from testbed.cli.steps import KEPT, Pace, of_experiment
from testbed.deploy.places import deployer
from testbed.experiment import planning, reading
from testbed.experiment.declaration import Experiment
from testbed.experiment.planning import Expected
from testbed.experiment.runs import Records
from testbed.experiment.schedule import unfinished
from testbed.model.project import Project

TOPICS = {
    "": "Yours",
    "variants": "Which variant?",
    "growth": "More users, instances, data",
    "parts": "What is one part or setting worth?",
    "builds": "Two builds",
    "thesis": "The thesis",
    "posters": "Posters: a chain of services",
    "tickets": "Tickets: a queue before slow work",
    "rates": "Rates: caches before a slow service",
    "market": "The market: a monolith or services",
    "method": "May the measurement be believed?",
}
"""The headings of experiments, in order; those of the user's own may have none, or others."""

LEAST_CORES = 2
"""Every experiment needs so many, which goes without saying."""

LIMITS = "root, for CPU limits"


@dataclass(frozen=True)
class Shipped:
    """An experiment that ships; `seconds` is the expected time on this machine, without a build."""

    plan: Experiment
    seconds: float
    bound: str
    """"at least " or "at most " where results decide how many runs there are."""

    @property
    def needs(self) -> list[str]:
        return needs(self.plan)


def needs(plan: Experiment) -> list[str]:
    """Return what an experiment needs beyond a small machine, in words."""
    cores = math.ceil(round(planning.needed_cores(plan), 6))
    limited = plan.backends == "embedded" and (
        bool(plan.limiting) or any(system.limits for system in plan.compared)
    )
    return [
        *deployer(plan.backends).needs,
        *([f"{cores} cores"] if cores > LEAST_CORES else []),
        *([LIMITS] if limited else []),
        *(["the jars of an older build"] if any(system.jars for system in plan.compared) else []),
    ]


def expected_s(project: Project, expected: Expected) -> float:
    """Return how long an experiment takes on this machine, in seconds, without a build."""
    pace = Pace.read(project.state / KEPT)
    return sum(map(pace.seconds, of_experiment(expected)))


def show(project: Project, *, as_json: bool) -> None:
    """Print the user's own experiments and those that ship, by topic."""
    names = (*reading.own(project), *reading.shipped(project))
    shipped = [_shipped(project, name) for name in names]
    if as_json:
        print_json({"experiments": [_as_data(experiment) for experiment in shipped]})
        return
    shipped.sort(key=lambda experiment: experiment.seconds)
    console.print(
        f"[bold]{LAUNCHER} run NAME[/bold] answers a question. Minutes exclude the build."
    )
    further = sorted({experiment.plan.topic for experiment in shipped} - TOPICS.keys())
    for topic, heading in (TOPICS | dict.fromkeys(further)).items():
        table = Table(box=None, padding=(0, 1, 0, 0), show_header=False)
        table.add_column(no_wrap=True, width=21)
        table.add_column(no_wrap=True, width=5, justify="right")
        table.add_column()
        for experiment in shipped:
            if experiment.plan.topic == topic:
                table.add_row(experiment.plan.name, _minutes(experiment), _question(experiment))
        if not table.row_count:
            continue
        console.print(f"\n[bold]{escape(heading or topic)}[/bold]")
        console.print(table)


def plan_as_data(project: Project, plan: Experiment, done: Records) -> dict[str, Any]:
    """Return what is left of an experiment, for JSON."""
    expected = planning.expect(plan, done)
    starts = zip(unfinished(plan, done), expected.starts, strict=True)
    return {
        "experiment": plan.name,
        "question": plan.description,
        "runs": expected.runs,
        "runs_are": _bound(expected.bound),
        "expected_s": round(expected_s(project, expected)),
        "needs": needs(plan),
        "starts": [
            {
                "repetition": start.repetition,
                "systems": [system.name for system in start.systems],
                "workloads": list(start.workloads),
                "runs": times.runs,
                "cells": [
                    {
                        "workload": cell.workload,
                        "mode": cell.level.mode,
                        "level": cell.level.value,
                    }
                    for cell in start.left(done)
                ],
            }
            for start, times in starts
        ],
    }


def _shipped(project: Project, name: str) -> Shipped:
    plan = reading.load(project, name)
    expected = planning.expect(plan, {})
    return Shipped(plan, expected_s(project, expected), expected.bound)


def _as_data(shipped: Shipped) -> Mapping[str, Any]:
    return {
        "experiment": shipped.plan.name,
        "topic": shipped.plan.topic,
        "question": shipped.plan.description,
        "expected_s": round(shipped.seconds),
        "runs_are": _bound(shipped.bound),
        "needs": shipped.needs,
    }


def _bound(bound: str) -> str:
    return bound.strip() or "exact"


def _minutes(shipped: Shipped) -> str:
    sign = {"at least ": "≥ ", "at most ": "≤ "}.get(shipped.bound, "")
    return f"{sign}{max(1, round(shipped.seconds / 60))}"


def _question(shipped: Shipped) -> str:
    needed = f" [dim](needs {escape('; '.join(shipped.needs))})[/dim]" if shipped.needs else ""
    return f"{escape(shipped.plan.description)}{needed}"
