"""What is printed on the console is text: a name in brackets is no markup."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from testbed.analysis import report
from testbed.cli import console, reports
from testbed.model.project import Project


class Silent:
    """A written report that prints nothing of itself."""

    page = Path("/results [red]/x/report.html")

    def print(self, _: Console) -> None:
        """Print nothing."""


def test_a_step_shows_its_title_as_it_is() -> None:
    text = io.StringIO()
    with console.step(Console(file=text, width=80), "Starting [red]x") as detail:
        detail("waiting for [/]")

    first, last = text.getvalue().splitlines()
    assert first == "Starting [red]x …"
    assert last.startswith("✓ Starting [red]x ")


def test_steps_may_run_beside_each_other() -> None:
    text = io.StringIO()
    terminal = Console(file=text, width=80, force_terminal=True)
    with console.step(terminal, "outer") as outer:
        outer("Maven")
        with console.step(terminal, "inner"), console.step(terminal, "beside"):
            assert not console.board(terminal).is_empty
    assert console.board(terminal).is_empty

    ticked = [line for line in text.getvalue().splitlines() if "✓" in line]
    assert [name for line in ticked for name in ("outer", "inner", "beside") if name in line] == [
        "beside",
        "inner",
        "outer",
    ]


def test_a_folder_in_brackets_is_shown(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(report, "write_report", lambda _: Silent())

    reports.write_report(project, Path("x"))

    assert "Report: /results [red]/x/report.html" in capsys.readouterr().out.replace("\n", "")
