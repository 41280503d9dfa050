"""What is answered without running a command: help, version, and unknown commands."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module, metadata

import pytest

from testbed.cli import overview
from testbed.cli.overview import COMMANDS, answer

HEAVY = ("numpy", "scipy", "polars", "matplotlib", "pydantic", "httpx", "psutil", "typer", "rich")

WITHOUT_PACKAGES = """
import sys
from testbed import cli
sys.argv = ["testbed", *sys.argv[1:]]
try:
    cli.main()
finally:
    print(*sys.modules, sep="\\n", file=sys.stderr)
"""


def modules_after(*arguments: str) -> tuple[int, set[str]]:
    """Return the exit code of a command line, and the top-level modules that it has loaded."""
    ended = subprocess.run(
        [sys.executable, "-c", WITHOUT_PACKAGES, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return ended.returncode, {line.partition(".")[0] for line in ended.stderr.splitlines()}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["--help"], 0), (["-h"], 0), (["--version"], 0), ([], 2), (["compar"], 2), (["--verbos"], 2)],
)
def test_an_answer_needs_no_package(arguments: list[str], code: int) -> None:
    ended, modules = modules_after(*arguments)

    assert ended == code
    assert "testbed" in modules
    assert not modules & set(HEAVY)


def test_the_modules_are_those_of_the_commands_that_do_need_packages() -> None:
    # Otherwise the test above could not fail.
    code, modules = modules_after("up", "--help")

    assert code == 0
    assert {"typer", "psutil", "pydantic"} <= modules


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_a_function_with_a_summary_in_the_help(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    module, function, _ = COMMANDS[command]
    documentation = getattr(import_module(f"testbed.cli.{module}"), function).__doc__

    assert answer(["--help"]) == 0
    printed = capsys.readouterr().out
    assert " ".join(documentation.split("\n\n")[0].split()) in " ".join(printed.split())
    assert f"\n {command} " in printed
    assert max(map(len, printed.splitlines())) <= overview.WIDTH


def test_a_command_follows() -> None:
    assert all(answer([command, "--help"]) is None for command in COMMANDS)


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("compar", "Did you mean 'compare'?"),
        ("reports", "Did you mean 'report'?"),
        ("xyz", None),
    ],
)
def test_an_unknown_command_names_the_nearest_and_the_choices(
    word: str, hint: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert answer([word, "--help"]) == 2

    printed = capsys.readouterr()
    assert printed.out == ""
    first, *rest = printed.err.splitlines()
    assert first == f"testbed: unknown command {word!r}; choose from: {', '.join(COMMANDS)}"
    assert rest == ([hint] if hint else [])


def test_an_unknown_option_names_the_choices(capsys: pytest.CaptureFixture[str]) -> None:
    assert answer(["--hepl", "up"]) == 2

    assert capsys.readouterr().err == (
        "testbed: unknown option '--hepl'; choose from: --help, -h, --version\n"
        "Did you mean '--help'?\n"
    )


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert answer(["--version"]) == 0
    assert capsys.readouterr().out == f"testbed {metadata.version('testbed')}\n"
