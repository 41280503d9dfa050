from __future__ import annotations

import os
import sys
from pathlib import Path

from testbed.cli import selftest
from testbed.cli.selftest import Suite
from testbed.deploy.jdk import Jdk
from testbed.model.project import Project


def suite(name: str, code: int, folder: Path) -> Suite:
    return Suite(name, (sys.executable, "-c", f"raise SystemExit({code})"), folder)


def test_goes_on_after_a_failure_and_tells_which_failed(tmp_path: Path) -> None:
    chosen = [suite("one", 0, tmp_path), suite("two", 5, tmp_path), suite("three", 0, tmp_path)]
    announced: list[str] = []

    verdicts = selftest.run_all(
        chosen,
        Jdk(tmp_path, "25", True),
        os.environ,
        lambda one: announced.append(one.name),
    )

    assert announced == ["one", "two", "three"]
    assert [(one.suite.name, one.passed) for one in verdicts] == [
        ("one", True),
        # 5 is what pytest ends with when it found no test: no pass either.
        ("two", False),
        ("three", True),
    ]
    assert all(one.elapsed_s > 0 for one in verdicts)


def test_the_contract_is_tested_last_on_what_the_services_suite_has_built() -> None:
    known = selftest.suites(Project.find())
    names = [one.name for one in known]

    assert names.index("services") < names.index("contract") == len(names) - 1
    assert not any(one.fast for one in known if one.name in ("services", "plans", "contract"))
