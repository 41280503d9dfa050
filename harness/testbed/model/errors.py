"""Errors that the user can correct, shown without a stack trace."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UserError(Exception):
    """An error that the user can correct.

    `message` names the parameter, the value and the choices. `hint` says what to do; None if the
    message makes that plain.
    """

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def unknown(parameter: str, value: str, choices: Iterable[str]) -> UserError:
    """Return the error for a value that is not among the choices of a parameter."""
    values = list(choices)
    near = difflib.get_close_matches(value, values, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else None
    return UserError(f"unknown {parameter} {value!r}; choose from: {', '.join(values)}", hint)
