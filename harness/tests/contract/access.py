"""Who may do what: every rule of a front door, asked by everybody."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import httpx

from .accounts import ADMINISTRATOR, OTHER, USER, Account
from .product import Product, reservation

WRONG = (USER[0], f"not {USER[1]}")

CLIENTS: dict[str, Account | None] = {
    "nobody": None,
    "a user": USER,
    "another user": OTHER,
    "an administrator": ADMINISTRATOR,
    "a wrong password": WRONG,
}

OPEN = (200, 200, 200, 200, 401)
ASKED = (202, 202, 202, 202, 401)
FOR_USERS = (401, 200, 200, 200, 401)
FOR_ADMINISTRATORS = (401, 403, 403, 200, 401)


@dataclass(frozen=True)
class Rule:
    """An operation, and the status for each of `CLIENTS`, in their order.

    ``{made}``, ``{asked}`` and ``{listed}`` in a path stand for what the user has made, and for the
    ids under which the user asked for movies and the administrator for reservations.
    """

    method: str
    path: str
    statuses: tuple[int, ...]
    body: Mapping[str, object] | None = None


FIND = {"name": "The Godfather", "showTime": "15:00"}

RULES = {
    "sync": (
        Rule("GET", "/api/movie/list", OPEN),
        Rule("GET", "/cinema/cineworld/movie/list", OPEN),
        Rule("POST", "/cinema/cineworld/movie/find", OPEN, FIND),
        Rule(
            "POST",
            "/cinema/cineworld/reservation/make",
            (401, 201, 201, 201, 401),
            reservation(),
        ),
        # Who knows the id has made the reservation, or has been told it.
        Rule("GET", "/cinema/cineworld/reservation/{made}", FOR_USERS),
        Rule("GET", "/cinema/cineworld/reservation/list", FOR_ADMINISTRATORS),
        Rule("GET", "/cinema/cineworld/reservation/%6Cist", FOR_ADMINISTRATORS),
    ),
    "async": (
        Rule("GET", "/api/movie/list", ASKED),
        Rule("GET", "/api/movie/list/{asked}", (404, 200, 404, 404, 401)),
        Rule(
            "POST",
            "/api/cinema/cineworld/reservation/make",
            (401, 202, 202, 202, 401),
            reservation(),
        ),
        Rule("GET", "/api/cinema/cineworld/reservation/make/{made}", (401, 200, 404, 404, 401)),
        Rule("GET", "/api/cinema/cineworld/reservation/list", (401, 403, 403, 202, 401)),
        Rule("GET", "/api/cinema/cineworld/reservation/%6Cist", (401, 403, 403, 202, 401)),
        Rule("GET", "/api/cinema/cineworld/reservation/list/{listed}", FOR_ADMINISTRATORS),
    ),
}
"""By variant."""

EVERYWHERE = (
    Rule("GET", "/openapi.yaml", OPEN),
    # What matches no rule is for administrators.
    Rule("GET", "/nothing", (401, 403, 403, 404, 401)),
    Rule("DELETE", "/api/nothing", (401, 403, 403, 404, 401)),
)

CHALLENGE = 'Basic realm="testbed", charset="UTF-8"'


def answers(product: Product) -> Iterator[tuple[str, int, httpx.Response]]:
    """Ask for everything as everybody; yield who asked for what, the right status, the answer."""
    made = product.http.post(product.make_path("cineworld"), json=reservation(), auth=USER)
    own = made.json()["id"] if made.status_code == httpx.codes.CREATED else made.text
    asked, listed = (
        product.http.get(path, auth=account).text
        for path, account in (
            ("/api/movie/list", USER),
            (product.list_path("cineworld"), ADMINISTRATOR),
        )
    )
    for rule in (*RULES[product.variant], *EVERYWHERE):
        path = rule.path.format(made=own, asked=asked, listed=listed)
        # Results are waited for; a request that waits would be answered with its own.
        headers = {"Prefer": "wait=30"} if path != rule.path else {}
        for (who, account), status in zip(CLIENTS.items(), rule.statuses, strict=True):
            answer = product.http.request(
                rule.method, path, json=rule.body, auth=account, headers=headers
            )
            yield f"{who}: {rule.method} {rule.path}", status, answer
