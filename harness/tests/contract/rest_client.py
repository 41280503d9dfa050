"""Reads request files of an editor's REST client, as far as those of this project go."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NAMED = re.compile(r"# @name (\w+)")
VARIABLE = re.compile(r"@(\w+) = (.*)")
REFERENCE = re.compile(r"\{\{([^}]+)\}\}")


@dataclass(frozen=True)
class Request:
    """One request of a file.

    Parameters
    ----------
    title
        What follows ``###``.
    name
        Under which later requests refer to its answer, if any does.
    method, url, headers, body
        As written, references not yet replaced.
    """

    title: str
    name: str | None
    method: str
    url: str
    headers: Mapping[str, str]
    body: str

    @property
    def expected(self) -> int | None:
        """The status that the title names; None if it names none."""
        in_title = re.search(r": (\d{3})\b", self.title)
        return int(in_title[1]) if in_title else None


def variables(text: str) -> dict[str, str]:
    """Return the variables that a file defines."""
    return dict(VARIABLE.findall(text))


def requests(text: str) -> Iterator[Request]:
    """Yield the requests of a file, in order."""
    for part in re.split(r"^### ?", text, flags=re.MULTILINE)[1:]:
        title, _, rest = part.partition("\n")
        head, _, body = rest.strip().partition("\n\n")
        lines = head.split("\n")
        named = NAMED.fullmatch(lines[0])
        if named:
            lines = lines[1:]
        method, url = lines[0].split(" ", 1)
        headers = dict(line.split(": ", 1) for line in lines[1:])
        yield Request(title, named[1] if named else None, method, url, headers, body)


def replaced(text: str, value_of: Callable[[str], str]) -> str:
    """Return a text with its references replaced."""
    return REFERENCE.sub(lambda reference: value_of(reference[1]), text)


def headers(request: Request, value_of: Callable[[str], str]) -> dict[str, str]:
    """Return the headers of a request as they are sent: ``Basic USER:PASSWORD`` is encoded."""
    made = {name: replaced(value, value_of) for name, value in request.headers.items()}
    scheme, _, account = made.get("Authorization", "").partition(" ")
    if scheme == "Basic" and ":" in account:
        made["Authorization"] = f"Basic {base64.b64encode(account.encode()).decode()}"
    return made


def content(request: Request, folder: Path) -> bytes | None:
    """Return the body of a request; ``< FILE`` stands for a file relative to the folder."""
    if request.body.startswith("< "):
        return (folder / request.body[2:].strip()).read_bytes()
    return request.body.encode() or None


def of_answer(reference: str, answers: Mapping[str, Any]) -> str:
    """Return what a reference to an earlier answer stands for.

    Parameters
    ----------
    reference
        ``NAME.response.body.*`` for the whole body, ``NAME.response.body.FIELD`` for a field of it.
    answers
        The answers so far, by the names of their requests.
    """
    name, *path = reference.split(".")
    if path[:2] != ["response", "body"]:
        raise ValueError(f"reference {reference!r} is not NAME.response.body.FIELD")
    answer = answers[name]
    return str(answer.text if path[2] == "*" else answer.json()[path[2]])


def files(folder: Path) -> list[Path]:
    """Return the request files of a folder, by name."""
    return sorted(folder.glob("*.http"))
