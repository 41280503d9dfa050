from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

from testbed.cli import selftest
from testbed.cli.selftest import Suite, SuiteResult
from testbed.deploy.building.jdk import Jdk
from testbed.model.project import Project


def suite(name: str, code: int, folder: Path) -> Suite:
    return Suite(name, (sys.executable, "-c", f"print('here'); raise SystemExit({code})"), folder)


def test_goes_on_after_a_failure_and_tells_which_failed(tmp_path: Path) -> None:
    chosen = [
        [suite("one", 0, tmp_path), suite("two", 5, tmp_path), suite("three", 0, tmp_path)],
        [suite("four", 0, tmp_path)],
    ]
    began: list[str] = []
    ended: list[SuiteResult] = []

    results = selftest.run_all(
        chosen,
        Jdk(tmp_path, "25", True),
        os.environ,
        tmp_path / "outputs",
        lambda started: began.append(started.name),
        ended.append,
    )

    assert [name for name in began if name != "four"] == ["one", "two", "three"]
    assert ended == results
    # 5 is what pytest ends with when it found no test: no pass either.
    assert {result.suite.name: result.passed for result in results} == {
        "one": True,
        "two": False,
        "three": True,
        "four": True,
    }
    assert all(result.elapsed_s > 0 for result in results)
    assert {result.output.read_text() for result in results} == {"here\n"}


def run_once_more(tmp_path: Path, again: int, first: int = 1) -> SuiteResult:
    failing = suite("tests", first, tmp_path)
    once_more = suite("tests", again, tmp_path).command
    chosen = [[replace(failing, once_more=lambda _: once_more)]]
    java = Jdk(tmp_path, "25", True)
    folder = tmp_path / "outputs"
    (result,) = selftest.run_all(chosen, java, os.environ, folder, lambda _: None, lambda _: None)
    return result


def test_what_fails_is_run_once_more_and_is_flaky_if_it_passes_alone(tmp_path: Path) -> None:
    flaky = run_once_more(tmp_path, again=0)

    assert flaky.flaky
    assert flaky.passed
    assert flaky.output.name == "tests.log"


def test_what_fails_again_is_a_failure(tmp_path: Path) -> None:
    result = run_once_more(tmp_path, again=1)

    assert not result.passed
    assert not result.flaky


def test_only_failed_tests_are_run_once_more(tmp_path: Path) -> None:
    # 2: interrupted, or a file of tests that cannot be read.
    result = run_once_more(tmp_path, again=0, first=2)

    assert result.repeated is None
    assert not result.passed


def test_pytest_runs_what_failed_alone(tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(
        "import pathlib\n"
        "def test_right(): pass\n"
        "def test_later():\n"
        "    there = pathlib.Path('there').exists()\n"
        "    pathlib.Path('there').touch()\n"
        "    assert there\n"
    )
    spread = ("--numprocesses=2", "--dist=loadfile", "-pno:schemathesis")
    some = selftest.pytest_suite(tmp_path, tmp_path / "remembered", "some", *spread, str(tmp_path))
    java = Jdk(tmp_path, "25", True)

    (result,) = selftest.run_all(
        [[some]], java, os.environ, tmp_path / "outputs", lambda _: None, lambda _: None
    )

    assert result.flaky
    assert "1 failed, 1 passed" in result.printed
    assert result.repeated is not None
    assert "1 passed in" in result.repeated.printed


def test_maven_tests_the_modules_again_that_failed_or_were_skipped() -> None:
    summary = """\
[INFO] testbed ............................................ SUCCESS [  1.622 s]
[INFO] api-gateway-service ................................ FAILURE [03:03 min]
[INFO] poster-service ..................................... SUCCESS [03:23 min]
[INFO] feed-service ....................................... SKIPPED
[INFO] BUILD FAILURE
"""

    assert selftest.unfinished(("mvn", "test"), summary) == (
        *("mvn", "test", "-pl=:api-gateway-service,:feed-service", "-am"),
    )


def test_only_what_failed_names_its_failures(tmp_path: Path) -> None:
    output = tmp_path / "harness.log"
    output.write_text(
        "1 failed\nFAILED tests/unit/test_a.py::test_b - assert\n[ERROR] C.d:7\n[INFO] e\n"
    )
    tests = suite("harness", 1, tmp_path)

    assert SuiteResult(tests, 1, 1.0, output).failures() == [
        "FAILED tests/unit/test_a.py::test_b - assert",
        "[ERROR] C.d:7",
    ]
    assert SuiteResult(tests, 0, 1.0, output).failures() == []


def test_lanes_run_at_the_same_time(tmp_path: Path) -> None:
    # Each waits until the other is there.
    meeting = (
        "import pathlib, sys, time\n"
        "mine, other = map(pathlib.Path, sys.argv[1:])\n"
        "mine.touch()\n"
        "while not other.exists(): time.sleep(0.01)\n"
    )
    first, other = str(tmp_path / "one"), str(tmp_path / "other")
    chosen = [
        [Suite("one", (sys.executable, "-c", meeting, first, other), tmp_path)],
        [Suite("other", (sys.executable, "-c", meeting, other, first), tmp_path)],
    ]

    results = selftest.run_all(
        chosen, Jdk(tmp_path, "25", True), os.environ, tmp_path, lambda _: None, lambda _: None
    )

    assert all(result.passed for result in results)


def test_nothing_packages_jars_while_the_contract_is_tested() -> None:
    every = [planned for lane in selftest.lanes(Project.find()) for planned in lane]
    (services,) = (planned for planned in every if planned.name == "services")

    assert "contract" in {planned.name for planned in every}
    assert not {"package", "verify", "install"} & set(services.command)


def test_fast_suites_start_nothing() -> None:
    fast = [planned.name for lane in selftest.lanes(Project.find(), fast=True) for planned in lane]

    assert sorted(fast) == ["format", "harness", "imports", "lint", "types"]
