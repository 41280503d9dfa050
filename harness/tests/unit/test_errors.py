"""What a user reads when a disk is full, a folder is read-only or a value is long."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from testbed import cli
from testbed.cli import commands, experiments
from testbed.deploy import programs
from testbed.experiment import reading
from testbed.model import files
from testbed.model.errors import LONGEST_LINE, MOST_LINES, UserError

EXPERIMENT = "name: mine\nquestion: which?\n"


def full(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def printed(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    fails: Callable[..., None],
) -> str:
    """Return what a command prints that fails like this."""
    monkeypatch.setattr(programs, "end_on_signals", lambda: None)
    monkeypatch.setattr(experiments, "_measure", fails)
    monkeypatch.setattr(sys, "argv", ["testbed", "compare", "--quick"])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 1
    return capsys.readouterr().err


def test_a_full_disk_is_told_with_the_file_and_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def write(*_: object, **__: object) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Path, "write_bytes", full)
            files.write(tmp_path / "record.json", b"{}")

    said = printed(monkeypatch, capsys, write)
    assert f"no space is left on the disk of {tmp_path / 'record.json'}" in said
    assert "--resume" in said


def test_a_full_disk_is_named_where_the_file_is_not_known(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(commands, "FULL_BYTES", sys.maxsize)
    assert f"disk of {Path(__file__).parents[3]}" in printed(monkeypatch, capsys, full)


def test_a_folder_that_may_not_be_written_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def read_only(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), "/results/mine")

    said = printed(monkeypatch, capsys, read_only)
    assert "/results/mine cannot be used: read-only file system" in said


def test_nothing_is_left_of_a_file_that_could_not_be_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "record.json"
    files.write(file, b"before")
    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        files.write(file, b"after")
    assert list(tmp_path.iterdir()) == [file]
    assert file.read_bytes() == b"before"


def test_a_long_value_is_cut_and_the_choices_after_it_stay() -> None:
    problem = UserError(f"unknown variant {'x' * 5_000_000!r}; choose from: sync, async")
    assert len(problem.message) < LONGEST_LINE + 100
    assert problem.message.startswith("unknown variant 'xxx")
    assert problem.message.endswith("choose from: sync, async")


def test_many_faults_are_counted() -> None:
    problem = UserError("\n".join(map(str, range(3 * MOST_LINES))))
    assert problem.message.splitlines()[-1] == f"... and {2 * MOST_LINES} more lines"


def test_a_key_given_twice_is_refused_with_its_line() -> None:
    with pytest.raises(UserError, match=r"mine\.yaml, line 3: key 'name' is given twice"):
        reading.parse(f"{EXPERIMENT}name: other\n", "mine.yaml")
    with pytest.raises(UserError, match="line 5: key 'CINEMA_DRILLS' is given twice"):
        reading.parse(
            f"{EXPERIMENT}settings:\n  CINEMA_DRILLS: 'true'\n  CINEMA_DRILLS: 'false'\n", "mine"
        )


@pytest.mark.parametrize("answer", [errno.EPERM, errno.EOPNOTSUPP])
def test_a_file_is_made_new_where_there_are_no_hard_links(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answer: int
) -> None:
    def refused(*_: object) -> None:
        raise OSError(answer, os.strerror(answer))

    monkeypatch.setattr(os, "link", refused)
    file = tmp_path / "record.json"

    files.create(file, b"first")
    with pytest.raises(FileExistsError):
        files.create(file, b"second")

    assert file.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [file]
