"""Errors that the user can correct, shown without a stack trace."""

from __future__ import annotations

import difflib
import errno
from collections.abc import Iterable

from testbed import LAUNCHER

LONGEST_LINE = 1000
MOST_LINES = 100


class UserError(Exception):
    """An error that the user can correct.

    `message` names the parameter, the value and the choices; a line above `LONGEST_LINE` lacks its
    middle, and lines after `MOST_LINES` are counted. `hint` says what to do; None if the message
    makes that plain.
    """

    def __init__(self, message: str, hint: str | None = None) -> None:
        message = _shortened(message)
        super().__init__(message)
        self.message = message
        self.hint = hint


def unknown(parameter: str, value: str, choices: Iterable[str]) -> UserError:
    """Return the error for a value that is not among the choices of a parameter."""
    values = list(choices)
    near = difflib.get_close_matches(value, values, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else None
    return UserError(f"unknown {parameter} {value!r}; choose from: {', '.join(values)}", hint)


def of_disk(problem: OSError, full: Iterable[str] = ()) -> UserError | None:
    """Return the error for a full disk or a missing right; None for other problems.

    `full` are the folders to name where the problem names no file.
    """
    place = problem.filename or ", ".join(full)
    match problem.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return UserError(
                f"no space is left on the disk of {place or 'a file'}",
                f"Free some and try again; {LAUNCHER} run --resume DIRECTORY goes on with a run.",
            )
        case errno.EROFS | errno.EACCES | errno.EPERM if place:
            reason = (problem.strerror or "not permitted").lower()
            return UserError(
                f"{place} cannot be used: {reason}",
                "Let this user read and write there; TESTBED_STATE names another state folder.",
            )
    return None


def _shortened(message: str) -> str:
    lines = message.split("\n")
    if (more := len(lines) - MOST_LINES) > 0:
        lines[MOST_LINES:] = [f"... and {more:,} more lines"]
    return "\n".join(map(_cut, lines))


def _cut(line: str) -> str:
    if (more := len(line) - LONGEST_LINE) <= 0:
        return line
    half = LONGEST_LINE // 2
    return f"{line[:half]} ... {more:,} characters ... {line[-half:]}"
