"""Values from a user's CSV file: ``{NAME}`` in a request stands for the column of this name."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from testbed.model.errors import UserError

PLACE = re.compile(r"\{(\w+)\}")

VARIABLE = "csv_{}"
"""The variable of a plan that has the value of a column."""


@dataclass(frozen=True)
class Values:
    """A file of values: its columns with those of the first row."""

    file: Path
    first: Mapping[str, str]

    @property
    def variables(self) -> dict[str, str]:
        """The name of a plan's variable for each column, in order."""
        return {column: VARIABLE.format(column) for column in self.first}

    @property
    def references(self) -> dict[str, str]:
        """What a plan has in place of each column."""
        return {column: f"${{{name}}}" for column, name in self.variables.items()}


def read(file: Path) -> Values:
    """Read a file whose first line names its columns; raise `UserError` if that cannot be."""
    try:
        with file.open(encoding="utf-8-sig", newline="") as opened:
            rows = csv.reader(opened, strict=True)
            columns = next(rows, [])
            first: list[str] | None = None
            for row in rows:
                if len(row) != len(columns):
                    raise UserError(
                        f"{file}, line {rows.line_num}: {len(row)} values for {len(columns)} "
                        f"columns ({', '.join(columns)})"
                    )
                first = first or row
    except OSError as problem:
        raise UserError(f"{file} cannot be read: {problem.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as problem:
        raise UserError(f"{file} is not a CSV file in UTF-8: {problem}") from None
    for column in columns:
        if not PLACE.fullmatch(f"{{{column}}}"):
            raise UserError(
                f"{file}: column {column!r}: the first line names the columns, by letters, digits "
                "and _"
            )
    if first is None:
        raise UserError(f"{file} has no values: give a line with names, and one for each request")
    if len(set(columns)) < len(columns):
        raise UserError(f"{file} has two columns of one name: {', '.join(columns)}")
    return Values(file, dict(zip(columns, first, strict=True)))


def fill(text: str, given: Mapping[str, str]) -> str:
    """Put what is given for a name in the place of ``{NAME}``; other braces stay."""
    return PLACE.sub(lambda place: given.get(place[1], place[0]), text)


def require_used(values: Values, path: str, others: Iterable[str]) -> None:
    """Check that a request has a column, and its path no other place; raise `UserError` if not."""
    places = PLACE.findall(path)
    choices = ", ".join(f"{{{column}}}" for column in values.first)
    for name in places:
        if name not in values.first:
            raise UserError(
                f"{path!r}: {values.file.name} has no column {name!r}; choose from: {choices}"
            )
    sent = {*places, *(name for text in others for name in PLACE.findall(text))}
    if not sent & values.first.keys():
        raise UserError(
            f"no value of {values.file.name} is sent; write into path, body or headers: {choices}"
        )
