"""What users do: the request of a workload, and how its answer is checked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from testbed.model.declared import Declared
from testbed.model.values import fill

Pages = Literal["short", "empty"]

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


class ExchangeDeclaration(Declared):
    """What is sent, and how the answer is checked."""

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

    @property
    def sent(self) -> str:
        return self.body.replace("\n", "")

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


class WorkloadDeclaration(ExchangeDeclaration):
    """What a user does: one exchange, and what it leads to."""

    session: ClassVar[tuple[Step, ...]] = ()

    description: str = ""
    """A noun phrase."""
    csv: str | None = None
    """A file of values: ``{NAME}`` in path, body and headers is the column of this name. Each
    request has the next row, and after the last the first.
    """
    as_of: str | None = None
    """A regular expression whose first group is the time of the data in an answer, in ISO 8601. Not
    for fetched results.
    """
    result: ResultDeclaration | None = None
    """What is fetched after the answer, by the id in it, as a part of the operation."""

    @property
    def exchanges(self) -> tuple[ExchangeDeclaration, ...]:
        return (self,)

    def filled(self, given: Mapping[str, str]) -> Self:
        """Return it with what is given in the places of a file's columns."""
        headers = {name: fill(text, given) for name, text in self.headers.items()}
        return self.model_copy(update={"body": fill(self.body, given), "headers": headers})


RESERVED = frozenset(
    (
        *("connectTimeout", "credentials", "fetchIsImmediate", "fetchPolls", "fetchWaits"),
        *("host", "keyHeader", "loadLength", "loadStart", "loopsOfEach", "opened", "page"),
        *("pause", "pauses", "phase", "pollInterval", "port", "prefix", "protocol", "refusal"),
        *("requestWaits", "responseTimeout", "resultIsFetched", "run", "token", "wait"),
        *("warmupLength", "warmupThreads"),
    )
)
"""Variables that plans have, which no session may set."""

Variable = Annotated[str, Field(pattern=r"^[a-z][a-zA-Z]*$", max_length=30)]


class Exchange(ExchangeDeclaration):
    """An exchange of a session. If it fails, so does the session, which ends there."""

    exchange: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$", max_length=30)]
    """Its name. Its label is ``WORKLOAD NAME``."""
    path: str
    """Follows the path of the workload. ``${name}`` is a variable, and
    ``${__urlencode(${name})}`` one that may have any characters.
    """
    draw: dict[Variable, Annotated[tuple[str, ...], Field(min_length=1)]] = Field(
        default_factory=dict
    )
    """Variables, each with the values that one is drawn from before the exchange."""
    items: str | None = None
    """A JSONPath: the items of the answer's list."""
    choose: Variable | None = None
    """The variable that is one of the items, drawn; it does not change if there is none."""
    each: Variable | None = None
    """The variable that is each of the items in turn, for `then`."""
    then: tuple[Exchange, ...] = ()
    """The exchanges that follow for each item."""
    pages: Pages | None = None
    """That the exchange is repeated, with ``${page}`` from 0, until a page is not full (``short``)
    or has no item (``empty``), `most_pages` times at most. The property `pages` of the plan has
    precedence.
    """
    most_pages: ClassVar[int] = 1000
    page_size: Annotated[int, Field(ge=1)] | None = None
    """The items of a full page."""

    @model_validator(mode="after")
    def _check_items(self) -> Exchange:
        using = [key for key in ("choose", "each", "pages") if getattr(self, key) is not None]
        if self.items is None and using:
            raise ValueError(f"{self.exchange}: {', '.join(using)}: give items, a JSONPath")
        if (self.each is None) != (not self.then):
            raise ValueError(f"{self.exchange}: each and then: give both or neither")
        if (self.pages is None) != (self.page_size is None):
            raise ValueError(f"{self.exchange}: pages and page_size: give both or neither")
        return self

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        return (self, *chain.from_iterable(step.exchanges for step in self.then))

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables that it sets."""
        return (*self.draw, *filter(None, (self.choose, self.each)))


class Repeated(Declared):
    """Steps of a session that are repeated."""

    steps: Annotated[tuple[Step, ...], Field(min_length=1)]
    times: Annotated[int, Field(ge=1)]
    """How often. With `until`: how often at most; after that the variable is ``none``."""
    until: Variable | None = None
    """The variable that ends it once it is chosen."""

    @model_validator(mode="after")
    def _check_until(self) -> Repeated:
        chosen = [each.choose for each in self.exchanges if each.choose]
        if self.until is not None and self.until not in chosen:
            raise ValueError(f"until: {self.until!r}: choose from: {', '.join(chosen) or 'none'}")
        return self

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        return tuple(chain.from_iterable(step.exchanges for step in self.steps))


Step = Exchange | Repeated
Repeated.model_rebuild()


class SessionDeclaration(Declared):
    """What a user does: several exchanges, which are one operation.

    What a session draws follows from its number alone, which comes from the seed of the arrivals.
    """

    as_of: ClassVar[None] = None
    result: ClassVar[None] = None

    description: str
    """A noun phrase."""
    session: Annotated[tuple[Step, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _check_names(self) -> SessionDeclaration:
        names = [each.exchange for each in self.exchanges]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"exchange: {', '.join(twice)} is given more than once")
        variables = {name for each in self.exchanges for name in each.variables}
        if taken := sorted(variables & RESERVED):
            raise ValueError(
                f"{', '.join(taken)}: variables of the plan itself: choose other names"
            )
        return self

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        return tuple(chain.from_iterable(step.exchanges for step in self.session))


def _absences(wanted: Iterable[str]) -> list[str]:
    return [rf"(?s)\A(?!.*{pattern})" for pattern in wanted]


def _literally(text: str) -> str:
    """Escape a text for a regular expression, except for JMeter's variables."""
    return SPECIAL.sub(lambda match: match[0] if match[0][1:] else rf"\{match[0]}", text)
