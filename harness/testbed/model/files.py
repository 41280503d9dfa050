"""Writes files atomically, reads the ends of logs, and looks for links out of a folder."""

from __future__ import annotations

import contextlib
import errno
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from testbed.model.errors import UserError

LOG_TAIL = 15

NO_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS}
"""What a file system without hard links answers, such as exFAT."""


def write(file: Path, content: bytes) -> None:
    """Write a file atomically, in place of an existing one; create its folder if needed."""
    with _draft(file, content) as draft:
        draft.replace(file)


def create(file: Path, content: bytes) -> None:
    """Write a new file, likewise; raise `FileExistsError` if there is one already."""
    with _draft(file, content) as draft:
        try:
            os.link(draft, file)
        except OSError as problem:
            if problem.errno not in NO_LINKS:
                raise
            # For a moment another may read it empty.
            file.touch(exist_ok=False)
            draft.replace(file)


@contextlib.contextmanager
def _draft(file: Path, content: bytes) -> Iterator[Path]:
    """Write the content beside the file: by its own name others could read it half written."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_suffix(f".draft-{os.getpid()}")
    try:
        draft.write_bytes(content)
        yield draft
    except OSError as problem:
        # Python names the file when it cannot be opened, but not when its disk is full.
        problem.filename = problem.filename or str(file)
        raise
    finally:
        draft.unlink(missing_ok=True)


def write_json(file: Path, data: Mapping[str, Any]) -> None:
    write(file, (json.dumps(data, indent=2) + "\n").encode())


def tail(log: Path, lines: int = LOG_TAIL) -> str:
    try:
        text = log.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "(no log)"
    return "\n".join(text.splitlines()[-lines:]) or "(empty)"


def require_inside(folder: Path) -> None:
    """Check that no symbolic link leads out of a folder; raise `UserError` with the first one.

    Results may come from somebody else. Such a link would show a file of this machine in a report,
    or a report would be written in place of one.
    """
    whole = Path(os.path.realpath(folder))
    for place, folders, names in os.walk(whole):
        for path in (Path(place, name) for name in (*folders, *names)):
            if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(whole):
                raise UserError(
                    f"{path} is a symbolic link that leads out of the results",
                    "If you trust its target, replace the link by a copy of it.",
                )
