"""Wrong answers, by name, that no plan may take for success."""

from __future__ import annotations

from typing import Any

from .fake_product import Change, Script, body, header, problem, status, text


def _without(index: int) -> Change:
    return body(lambda cinemas: [c for i, c in enumerate(cinemas) if i != index])


def _renamed(index: int) -> Change:
    return body(
        lambda cinemas: [
            {**c, "cinemaName": "omniplex"} if i == index else c for i, c in enumerate(cinemas)
        ]
    )


def _without_movies(index: int) -> Change:
    return body(lambda cinemas: [{**c, "movies": []} if i == index else c
                                 for i, c in enumerate(cinemas)])  # fmt: skip


def _with(**fields: Any) -> Change:
    return body(lambda reservation: {**reservation, **fields})


ANY: dict[str, Change] = {
    "right body under 500": status(500),
    "right body under 503": status(503),
    "right body under 302": status(302),
    "right body under 203": status(203),
    "open circuit": problem(503, "circuit-open"),
    "time limit": problem(504, "time-limit"),
    "not JSON": text(b"ok"),
    "no body": text(b""),
    "connection closed without an answer": lambda answer: type(answer)(0),
    "no answer within the time-out": lambda answer: type(answer)(-1),
}
"""Wrong for every operation."""

LIST: dict[str, Change] = {
    "no local port": problem(503, "ports-exhausted"),
    "no cineworld": _without(0),
    "no dundrum": _without(1),
    "no ucd": _without(2),
    "cineworld under another name": _renamed(0),
    "dundrum under another name": _renamed(1),
    "ucd under another name": _renamed(2),
    "no movies at cineworld": _without_movies(0),
    "no movies at dundrum": _without_movies(1),
    "no movies at ucd": _without_movies(2),
    "empty list": body(lambda _: []),
    "a cinema is said to be missing": header("Cinemas-Missing", "omniplex"),
    "a cinema is said to be missing, in lower case": header("cinemas-missing", "omniplex"),
}

RESERVATION: dict[str, Change] = {
    "another client's reservation": _with(clientEmail="user-999999@run.example.org"),
    "no id": body(lambda r: {name: value for name, value in r.items() if name != "id"}),
    "another name": _with(clientName="John Doe"),
    "another movie": _with(movieId="CNW002"),
    "another date": _with(date="2022-04-16"),
    "another show time": _with(showTime="10:00"),
    "other tickets": _with(tickets=3),
    "ten times the tickets": _with(tickets=20),
    "tickets as text": _with(tickets="2"),
    "another ticket type": _with(ticketType="Silver"),
    "another amount": _with(amount=31),
    "ten times the amount": _with(amount=300),
    "unknown movie": problem(422, "movie-unknown"),
}

RESULTS: dict[str, dict[str, Change]] = {
    "list": ANY | LIST,
    "reserve": ANY | RESERVATION,
}
"""Wrong results of a workload."""

ACKNOWLEDGEMENTS: dict[str, Change] = {
    "acknowledged with 200": status(200),
    "acknowledged with 201": status(201),
    "acknowledged with 500": status(500),
    "not accepted": problem(503, "unavailable"),
    "no correlation id": text(b""),
    "correlation id is not a UUID": text(b"42"),
    "correlation id with more text": text(b"0a4edd53-5cd8-4b04-8265-65114f56de85 accepted"),
    "connection closed without an acknowledgement": lambda answer: type(answer)(0),
}
"""Wrong acknowledgements of an asynchronous request."""

FETCHES: dict[str, Change] = {
    "correlation id unknown": problem(404, "correlation-unknown"),
    "correlation id expired": problem(410, "correlation-expired"),
    "pending with a body": status(202),
    "right body under 201": status(201),
}
"""Wrong only where a result is fetched."""

SYNC_STATUS: dict[str, dict[str, Change]] = {
    "list": {"right body under 201": status(201), "right body under 202": status(202)},
    "reserve": {"right body under 200": status(200), "right body under 202": status(202)},
}
"""Wrong only where the result comes at once."""


def sync_scripts(workload: str) -> dict[str, Script]:
    """Return a script for each wrong answer in the synchronous variant."""
    wrong = RESULTS[workload] | SYNC_STATUS[workload]
    return {name: Script(request=change) for name, change in wrong.items()}


def async_scripts(workload: str, fetch: str) -> dict[str, Script]:
    """Return a script for each wrong answer in the asynchronous variant, by the way to fetch."""
    fetched = {name: Script(fetch=change) for name, change in (RESULTS[workload] | FETCHES).items()}
    accepted = {name: Script(request=change) for name, change in ACKNOWLEDGEMENTS.items()}
    # To a poll, pending is no failure.
    late = {} if fetch == "poll" else {"pending at the fetch": Script(pending=1)}
    return fetched | accepted | late
