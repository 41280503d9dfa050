"""Runs all tests of the project, and reports at the end which failed."""

from __future__ import annotations

import contextlib
import math
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import psutil

from testbed.deploy import machine, programs
from testbed.deploy.building import build
from testbed.deploy.building.jdk import Jdk
from testbed.model.project import Project

FAILURE_MARKS = ("FAILED ", "ERROR ", "[ERROR] ")
"""How pytest and Maven begin a line on a failure."""


@dataclass(frozen=True)
class Suite:
    """A command that tests one part; exit code 0 is a pass."""

    name: str
    command: tuple[str, ...]
    folder: Path


@dataclass(frozen=True)
class SuiteResult:
    """The result of a suite; `output` is the file with what it printed."""

    suite: Suite
    code: int
    elapsed_s: float
    output: Path

    @property
    def passed(self) -> bool:
        return self.code == 0

    def failures(self) -> list[str]:
        """Return the lines that name what failed, as pytest and Maven write them."""
        if self.passed:
            return []
        printed = self.output.read_text(encoding="utf-8", errors="replace")
        return [line for line in printed.splitlines() if line.startswith(FAILURE_MARKS)]


Lane = Sequence[Suite]
"""Suites that run one after another."""


def lanes(project: Project, *, fast: bool = False) -> list[Lane]:
    """Return all suites; what is in different lanes may run at the same time.

    The `fast` ones start no service, no JMeter and no container.
    """
    harness = project.root / "harness"
    python = sys.executable
    # Each does a file at a time. One more than there are processors, as tests wait for processes;
    # more than four would only mean more JVMs at once.
    workers = min(4, math.ceil(machine.usable_cpus()) + 1)
    spread = (f"--numprocesses={workers}", "--dist=loadfile")
    # A worker does all tests of what it has started (tests/contract/conftest.py).
    by_stack = ("--numprocesses=2", "--dist=loadscope")
    pytest = (python, "-m", "pytest")
    # What only the contract tests use takes seconds to load, in each worker.
    lean = tuple(f"-pno:{plugin}" for plugin in ("schemathesis", "hypothesispytest", "anyio"))
    static = [
        Suite("format", (python, "-m", "ruff", "format", "--check", "."), harness),
        Suite("lint", (python, "-m", "ruff", "check", "."), harness),
        Suite("types", (python, "-m", "mypy"), harness),
        Suite("imports", (str(Path(python).with_name("lint-imports")),), harness),
    ]
    tests = Suite("harness", (*pytest, *lean, *spread, "tests/unit", "tests/analysis"), harness)
    if fast:
        return [static, [tests]]
    # All of `verify` but the packaging: the contract tests use the jars meanwhile.
    goals = ("test-compile", "surefire:test", "failsafe:integration-test", "failsafe:verify")
    # Two modules at a time: their tests wait for time limits and containers.
    without = f"-pl=!{build.JMETER}"
    maven = (build.maven(), "-B", "-ntp", "-T2", without, *goals, "spotless:check")
    return [
        [Suite("services", maven, project.root)],
        [Suite("contract", (*pytest, *by_stack, "tests/contract"), harness)],
        [*static, tests, Suite("plans", (*pytest, *lean, *spread, "tests/plans"), harness)],
    ]


def run_all(
    chosen: Sequence[Lane],
    jdk: Jdk,
    environ: Mapping[str, str],
    outputs: Path,
    began: Callable[[Suite], None],
    ended: Callable[[SuiteResult], None],
) -> list[SuiteResult]:
    """Run lanes of suites side by side, even if one fails.

    What a suite prints is in a file of the folder `outputs`. `began` and `ended` are called in any
    order of the lanes, one call at a time. An interrupt lets no further suite begin.
    """
    outputs.mkdir(parents=True, exist_ok=True)
    results: list[SuiteResult] = []
    telling = threading.Lock()
    interrupted = threading.Event()

    def run(lane: Lane) -> None:
        for suite in lane:
            if interrupted.is_set():
                return
            with telling:
                began(suite)
            output = outputs / f"{suite.name}.log"
            start = time.monotonic()
            environment = jdk.environment(environ)
            code = programs.run_in_foreground(suite.command, environment, suite.folder, output)
            result = SuiteResult(suite, code, time.monotonic() - start, output)
            with telling:
                results.append(result)
                ended(result)

    with ThreadPoolExecutor(len(chosen)) as pool:
        try:
            for lane in [pool.submit(run, lane) for lane in chosen]:
                lane.result()
        except BaseException:
            interrupted.set()
            for child in psutil.Process().children():
                with contextlib.suppress(psutil.NoSuchProcess):
                    # As a terminal does: a suite can clean up.
                    child.send_signal(signal.SIGINT)
            raise
    return results
