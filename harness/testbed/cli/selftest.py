"""Runs all tests of the project, and reports at the end which failed.

Suites run beside each other. What fails then is run once more, alone: a test that passes this time
is *flaky* and is named, as a busy machine is the likely reason; one that fails again is a failure.
"""

from __future__ import annotations

import contextlib
import math
import re
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import psutil

from testbed.deploy import machine, programs
from testbed.deploy.building import build
from testbed.deploy.building.jdk import Jdk
from testbed.model.project import Project

FAILURE_MARKS = ("FAILED ", "ERROR ", "[ERROR] ")
"""How pytest and Maven begin a line on a failure."""

TESTS_FAILED = 1
"""What pytest and Maven end with when a test failed, and not something else."""

UNFINISHED_MODULE = re.compile(r"^\[INFO\] (\S+) \.* (?:FAILURE \[.*|SKIPPED)$", re.MULTILINE)
"""A line of Maven's summary; the modules after a failure are skipped."""


@dataclass(frozen=True)
class Suite:
    """A command that tests one part; exit code 0 is a pass."""

    name: str
    command: tuple[str, ...]
    folder: Path
    once_more: Callable[[str], tuple[str, ...]] | None = None
    """Gets what the command printed, and returns the command that runs what failed once more."""


@dataclass(frozen=True)
class SuiteResult:
    """The result of a suite; `output` is the file with what it printed."""

    suite: Suite
    code: int
    elapsed_s: float
    output: Path
    repeated: SuiteResult | None = None
    """The result of what failed, run once more; None if that was not done."""

    @property
    def passed(self) -> bool:
        return self.code == 0 or self.flaky

    @property
    def flaky(self) -> bool:
        """Whether everything that failed has passed when it was run once more."""
        return self.repeated is not None and self.repeated.passed

    @property
    def printed(self) -> str:
        return self.output.read_text(encoding="utf-8", errors="replace")

    def failures(self) -> list[str]:
        """Return the lines that name what failed at first, as pytest and Maven write them."""
        if self.code == 0:
            return []
        return [line for line in self.printed.splitlines() if line.startswith(FAILURE_MARKS)]


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
    # What only the contract tests use takes seconds to load, in each worker.
    lean = tuple(f"-pno:{plugin}" for plugin in ("schemathesis", "hypothesispytest", "anyio"))
    tested = partial(pytest_suite, harness, outputs(project))
    static = [
        Suite("format", (python, "-m", "ruff", "format", "--check", "."), harness),
        Suite("lint", (python, "-m", "ruff", "check", "."), harness),
        Suite("types", (python, "-m", "mypy"), harness),
        Suite("imports", (str(Path(python).with_name("lint-imports")),), harness),
    ]
    tests = tested("harness", *lean, *spread, "tests/unit", "tests/analysis")
    if fast:
        return [static, [tests]]
    # All of `verify` but the packaging: the contract tests use the jars meanwhile.
    goals = ("test-compile", "surefire:test", "failsafe:integration-test", "failsafe:verify")
    maven = (build.maven(), "-B", "-ntp", *goals, "spotless:check")
    # Two modules at a time: their tests wait for time limits and containers.
    services = (*maven, "-T2", f"-pl=!{build.JMETER}")
    return [
        [Suite("services", services, project.root, partial(unfinished, maven))],
        [tested("contract", *by_stack, "tests/contract")],
        [*static, tests, tested("plans", *lean, *spread, "tests/plans")],
    ]


def pytest_suite(folder: Path, remembered: Path, name: str, *options: str) -> Suite:
    """Return a suite of pytest with these options, tests among them.

    Suites run beside each other, so each keeps in a folder of its own in `remembered` what failed.
    """
    cache = f"-ocache_dir={remembered / name}"
    command = (sys.executable, "-m", "pytest", cache, "--durations=25", *options)
    return Suite(name, command, folder, lambda _: (*command, "--last-failed", "--numprocesses=0"))


def unfinished(maven: Sequence[str], printed: str) -> tuple[str, ...]:
    """Return the command that tests the modules again that failed or were skipped."""
    modules = ",".join(f":{name}" for name in UNFINISHED_MODULE.findall(printed))
    return (*maven, f"-pl={modules}", "-am")


def outputs(project: Project) -> Path:
    """Return the folder with what the suites of the last run printed."""
    return project.state / "tests"


def run_all(
    chosen: Sequence[Lane],
    jdk: Jdk,
    environ: Mapping[str, str],
    folder: Path,
    began: Callable[[Suite], None],
    ended: Callable[[SuiteResult], None],
) -> list[SuiteResult]:
    """Run lanes of suites side by side, even if one fails; then once more, alone, what failed.

    What a suite prints is in a file of `folder`, which is emptied before. `began` and `ended` are
    called in any order of the lanes, one call at a time. An interrupt lets no further suite begin.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    results: list[SuiteResult] = []
    telling = threading.Lock()
    interrupted = threading.Event()

    def run(suite: Suite) -> SuiteResult:
        with telling:
            began(suite)
        output = folder / f"{suite.name}.log"
        start = time.monotonic()
        environment = jdk.environment(environ)
        code = programs.run_in_foreground(suite.command, environment, suite.folder, output)
        result = SuiteResult(suite, code, time.monotonic() - start, output)
        with telling:
            ended(result)
        return result

    def run_lane(lane: Lane) -> None:
        for suite in lane:
            if interrupted.is_set():
                return
            results.append(run(suite))

    with ThreadPoolExecutor(len(chosen)) as pool:
        try:
            for lane in [pool.submit(run_lane, lane) for lane in chosen]:
                lane.result()
        except BaseException:
            interrupted.set()
            for child in psutil.Process().children():
                with contextlib.suppress(psutil.NoSuchProcess):
                    # As a terminal does: a suite can clean up.
                    child.send_signal(signal.SIGINT)
            raise
    return [_repeated(result, run) for result in results]


def _repeated(result: SuiteResult, run: Callable[[Suite], SuiteResult]) -> SuiteResult:
    """Return a result with that of what failed in it, run once more."""
    suite = result.suite
    if result.code != TESTS_FAILED or suite.once_more is None:
        return result
    command = suite.once_more(result.printed)
    return replace(result, repeated=run(Suite(f"{suite.name} once more", command, suite.folder)))
