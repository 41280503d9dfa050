"""Runs all tests of the project, and reports at the end which failed."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from testbed.deploy import build, processes
from testbed.deploy.jdk import Jdk
from testbed.model.project import Project


@dataclass(frozen=True)
class Suite:
    """A command that tests one part; exit code 0 is a pass.

    A `fast` suite starts no service, no JMeter and no container.
    """

    name: str
    command: tuple[str, ...]
    folder: Path
    fast: bool = False


@dataclass(frozen=True)
class Verdict:
    """The result of a suite."""

    suite: Suite
    code: int
    elapsed_s: float

    @property
    def passed(self) -> bool:
        """Whether every test of the suite passed, and there was one."""
        return self.code == 0


def suites(project: Project) -> list[Suite]:
    """Return all suites, the quickest to fail first where the order is free.

    The contract tests come last: they start the jars that the Java suite packages.
    """
    harness = project.root / "harness"
    python = sys.executable
    # One file at a time per processor. More than four workers would only mean more JVMs at once.
    spread = ("--numprocesses=logical", "--maxprocesses=4", "--dist=loadfile")
    pytest = (python, "-m", "pytest")
    return [
        Suite("format", (python, "-m", "ruff", "format", "--check", "."), harness, fast=True),
        Suite("lint", (python, "-m", "ruff", "check", "."), harness, fast=True),
        Suite("types", (python, "-m", "mypy"), harness, fast=True),
        Suite("imports", (str(Path(python).with_name("lint-imports")),), harness, fast=True),
        Suite("harness", (*pytest, *spread, "tests/unit", "tests/analysis"), harness, fast=True),
        Suite("services", (build.maven(), "-B", "-ntp", "verify"), project.root),
        Suite("plans", (*pytest, *spread, "tests/plans"), harness),
        Suite("contract", (*pytest, "tests/contract"), harness),
    ]


def run_all(
    chosen: Iterable[Suite],
    jdk: Jdk,
    environ: Mapping[str, str],
    announce: Callable[[Suite], None],
) -> list[Verdict]:
    """Run suites one after another, even if one fails."""
    verdicts = []
    for suite in chosen:
        announce(suite)
        began = time.monotonic()
        code = processes.run_in_foreground(suite.command, jdk.environment(environ), suite.folder)
        verdicts.append(Verdict(suite, code, time.monotonic() - began))
    return verdicts
