"""Runs a plan in a real JMeter against the stand-in."""

from __future__ import annotations

import csv
import os
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from testbed.deploy.building import jdk
from testbed.measure import load
from testbed.measure.load import Generator, Load
from testbed.model.project import Project

from .fake_product import FakeProduct, Request, Script

Row = dict[str, str]


@dataclass(frozen=True)
class Outcome:
    """What a run of a plan left behind.

    Parameters
    ----------
    rows
        The result file, in its order.
    requests
        What arrived at the stand-in.
    connections
        How many connections were opened to it.
    terminal
        What a stock JMeter printed.
    log
        What a stock JMeter logged.
    """

    rows: list[Row]
    requests: list[Request]
    connections: int
    terminal: str = ""
    log: str = ""

    def of(self, plan: str) -> list[Row]:
        """Return the rows of whole operations of the plan."""
        return [row for row in self.rows if row["label"] == plan.partition("-")[2]]

    def operations(self, workload: str) -> list[list[Row]]:
        """Return the rows of each operation of a single user, the operation's own row last."""
        groups: list[list[Row]] = [[]]
        for row in self.rows:
            groups[-1].append(row)
            if row["label"] == workload:
                groups.append([])
        assert groups[-1] == [], "samples after the last operation"
        return groups[:-1]


RunPlan = Callable[..., Outcome]

ATTEMPTS = 5
"""How often what a load takes is measured, on a machine that may stand still meanwhile."""


def spans_ms(
    run_plan: RunPlan, plan: str, properties: Mapping[str, object], label: str | None = None
) -> Iterator[int]:
    """Run a plan up to `ATTEMPTS` times; yield the time between its first start and its last.

    `label` is that of the rows that count, all if it is None.
    """
    for _ in range(ATTEMPTS):
        rows = run_plan(plan, (), properties).rows
        starts = [int(row["timeStamp"]) for row in rows if label in (None, row["label"])]
        yield max(starts) - min(starts)


def succeeded(operation: list[Row]) -> bool:
    """Return whether an operation's own row is a success."""
    return operation[-1]["success"] == "true"


@pytest.fixture(scope="session")
def jmeter() -> list[str]:
    """The command that starts JMeter, the properties of a run to be added."""
    home = Path(os.environ.get("TESTBED_JMETER_HOME") or Project.find().jmeter_home)
    jar = home / "bin" / "ApacheJMeter.jar"
    if not jar.is_file():
        pytest.skip(
            f"no JMeter in {home}: ./testbed build lays it out, TESTBED_JMETER_HOME names one"
        )
    # A run of a test is over before the compiler for long runs is of use.
    quick = ("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
    return [str(jdk.for_jmeter().java), *quick, "-Djava.awt.headless=true", "-jar", str(jar)]


@pytest.fixture(scope="session")
def generator_command(jmeter: list[str]) -> list[str]:
    """The command of a generator in the laid-out JMeter."""
    project = Project.find()
    if not project.jar(load.MODULE).is_file():
        pytest.skip(f"no {project.jar(load.MODULE)}: ./testbed build makes it")
    return load.generator_command(project, jdk.for_jmeter())


@pytest.fixture(scope="session")
def generator(
    generator_command: list[str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Generator]:
    """One generator for all tests of a session."""
    log = tmp_path_factory.mktemp("generator") / "jmeter.log"
    with Generator.started(generator_command, log) as started:
        yield started


@pytest.fixture(scope="session")
def run_plan(
    jmeter: list[str], generator: Generator, tmp_path_factory: pytest.TempPathFactory
) -> RunPlan:
    """Return a function that runs a plan against a stand-in that follows scripts.

    It runs in the generator, which has started, or with `stock` in a JMeter of its own.
    """

    def run(
        plan: str,
        scripts: Iterable[Script] = (),
        properties: Mapping[str, object] | None = None,
        pause: tuple[float, float] | None = None,
        *,
        stock: bool = False,
    ) -> Outcome:
        folder = tmp_path_factory.mktemp(plan)
        results, log, terminal = folder / "results.csv", folder / "jmeter.log", ""
        file = Project.find().plans / f"{plan}.jmx"
        with FakeProduct(plan.partition("-")[0], tuple(scripts), pause) as product:
            given = {"port": product.port, **(properties or {})}
            texts = {name: str(value) for name, value in given.items()}
            if stock:
                terminal = run_stock(jmeter, file, texts, results, log)
            else:
                generator.run(Load(file, texts, plan.rpartition("-")[2]), results)
        return Outcome(
            rows_of(results) if results.is_file() else [],
            product.requests,
            product.connections,
            terminal,
            log.read_text(encoding="utf-8") if stock else "",
        )

    return run


def run_stock(
    jmeter: list[str], plan: Path, properties: Mapping[str, str], results: Path, log: Path
) -> str:
    """Run a plan in a JMeter of its own, as users do; return what it prints."""
    command = [
        *jmeter,
        *("-n", "-t", str(plan), "-l", str(results), "-j", str(log)),
        *(f"-J{name}={value}" for name, value in properties.items()),
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=500, check=False, cwd=results.parent
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def rows_of(samples: Path) -> list[Row]:
    with samples.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))
