"""What users do: the request of a workload, and how its answer is checked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Self

from pydantic import Field

from testbed.model.declared import Declared
from testbed.model.values import fill

SPECIAL = re.compile(r"\$\{\w+\}|[\\^$.|?*+()\[\]{}]")
"""A variable of JMeter, or a character that means something in an expression."""


class ResultDeclaration(Declared):
    """What is fetched after an answer that comes at once, and how it is checked."""

    path: str
    """``${id}`` is the id in the answer's JSON."""
    contains: tuple[str, ...]
    """Texts, each of which a right result contains."""

    @property
    def absences(self) -> list[str]:
        """An expression for each of `contains`, for a result without it."""
        return _absences(map(_literally, self.contains))


class WorkloadDeclaration(Declared):
    """What a user sends, and how the answer is checked."""

    description: str = ""
    """A noun phrase."""
    method: str = "GET"
    headers: dict[str, str] = Field(default_factory=dict)
    key_header: str | None = None
    """The header that gives each request its own key, if the property `keys` is ``on``."""
    body: str = ""
    """Line breaks are not sent. ``${n}`` is the number of the operation in a run, ``${run}`` the
    time of the run's start and the generator.
    """
    file: str | None = None
    """In place of a body: a file beside the plans."""
    csv: str | None = None
    """A file of values: ``{NAME}`` in path, body and headers is the column of this name. Each
    request has the next row, and after the last the first.
    """
    status: int = 200
    """Of a result that comes at once. A fetched result has 200."""
    without_headers: tuple[str, ...] = ()
    """Headers that a right answer does not have; case is ignored."""
    headers_match: tuple[str, ...] = ()
    """Regular expressions for header lines that a right answer has; case is ignored."""
    contains: tuple[str, ...] = ()
    """Texts, each of which a right answer contains."""
    matches: tuple[str, ...] = ()
    """Regular expressions, each of which matches a part of a right answer."""
    as_of: str | None = None
    """A regular expression whose first group is the time of the data in an answer, in ISO 8601. Not
    for fetched results.
    """
    result: ResultDeclaration | None = None
    """What is fetched after the answer, by the id in it, as a part of the operation."""

    @property
    def sent(self) -> str:
        return self.body.replace("\n", "")

    def filled(self, given: Mapping[str, str]) -> Self:
        """Return it with what is given in the places of a file's columns."""
        headers = {name: fill(text, given) for name, text in self.headers.items()}
        return self.model_copy(update={"body": fill(self.body, given), "headers": headers})

    @property
    def header_lines(self) -> list[str]:
        """An expression for each of `without_headers`."""
        return [f"(?i){_literally(name)}:" for name in self.without_headers]

    @property
    def header_patterns(self) -> list[str]:
        """The expressions of `headers_match`, for the block of all header lines."""
        return [f"(?im)^{pattern}\\s*$" for pattern in self.headers_match]

    @property
    def absences(self) -> list[str]:
        """An expression for each of `contains` and `matches`, for an answer without it."""
        return _absences(
            (*map(_literally, self.contains), *(f"(?:{pattern})" for pattern in self.matches))
        )


def _absences(wanted: Iterable[str]) -> list[str]:
    return [rf"(?s)\A(?!.*{pattern})" for pattern in wanted]


def _literally(text: str) -> str:
    """Escape a text for a regular expression, except for JMeter's variables."""
    return SPECIAL.sub(lambda match: match[0] if match[0][1:] else rf"\{match[0]}", text)
