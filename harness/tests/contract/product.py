"""One set of questions for every variant: an adapter turns each into the variant's exchanges."""

from __future__ import annotations

import re
import threading
import uuid
from abc import ABC, abstractmethod
from typing import Any
from urllib.parse import urlsplit

import httpx

from .accounts import Credentials
from .openapi import Document

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
SLOWEST_ANSWER_S = 120.0

RUN = f"run-{uuid.uuid4().hex[:12]}.example.org"
"""The host of this run's e-mail addresses: a running system may hold those of earlier runs."""


class Product(ABC):
    """A running variant, asked through its front door. Every answer is checked against OpenAPI.

    Movies and reservations are asked for by a user, everything else by an administrator.

    Parameters
    ----------
    base_url
        Where the front door is.
    slowest_answer_s
        After which a client gives up.
    """

    variant: str
    prefix: str
    """What the paths of one cinema's operations start with."""

    def __init__(self, base_url: str, slowest_answer_s: float = SLOWEST_ANSWER_S) -> None:
        self.base_url = base_url
        self.slowest_answer_s = slowest_answer_s
        self.document = Document(self.variant)
        self._clients: list[httpx.Client] = []
        self._mine = threading.local()

    @property
    def address(self) -> tuple[str, int]:
        """Host and port of the front door."""
        address = urlsplit(self.base_url)
        return str(address.hostname), int(address.port or 80)

    @property
    def http(self) -> httpx.Client:
        """The HTTP client of this thread.

        One for all could close a connection that had been idle for too long at the moment in which
        another thread was given it ("Bad file descriptor").
        """
        if not hasattr(self._mine, "client"):
            self._mine.client = httpx.Client(
                base_url=self.base_url,
                timeout=self.slowest_answer_s,
                trust_env=False,
                verify=False,
                auth=Credentials(),
                event_hooks={"response": [self._check]},
            )
            self._clients.append(self._mine.client)
        client: httpx.Client = self._mine.client
        return client

    def close(self) -> None:
        """Close the connections of every thread."""
        for client in self._clients:
            client.close()

    def _check(self, answer: httpx.Response) -> None:
        answer.read()
        if answer.request.url.path != "/openapi.yaml":
            self.document.check(answer)

    def list_movies(self) -> httpx.Response:
        """Return the final answer to the question for all cinemas' movies."""
        return self.finish(self.http.get("/api/movie/list"))

    def make_path(self, cinema: str) -> str:
        """Return the path to which reservations at a cinema are posted."""
        return f"{self.prefix}/cinema/{cinema}/reservation/make"

    def list_path(self, cinema: str) -> str:
        """Return the path of a cinema's reservations."""
        return f"{self.prefix}/cinema/{cinema}/reservation/list"

    def reserve(self, cinema: str, **content: Any) -> httpx.Response:
        """Return the final answer to the request for a reservation; `content` as for httpx."""
        return self.finish(self.http.post(self.make_path(cinema), **content))

    def list_reservations(self, cinema: str) -> httpx.Response:
        """Return the final answer to the question for the first of a cinema's reservations."""
        return self.finish(self.http.get(self.list_path(cinema)))

    def reservations(self, cinema: str) -> list[dict[str, Any]]:
        """Return the stored reservations of a cinema, from all pages."""
        stored: list[dict[str, Any]] = []
        path: str | None = f"{self.list_path(cinema)}?size=200"
        while path is not None:
            answer = self.finish(self.http.get(path))
            assert answer.status_code == httpx.codes.OK, answer.text
            stored += answer.json()
            path = answer.links["next"]["url"] if "next" in answer.links else None
        return stored

    @property
    @abstractmethod
    def made(self) -> int:
        """The status under which a reservation comes back."""

    @abstractmethod
    def finish(self, answer: httpx.Response) -> httpx.Response:
        """Return the final answer, given the one to the request."""


class Synchronous(Product):
    """The first answer is the final one."""

    variant = "sync"
    prefix = ""
    made = httpx.codes.CREATED

    def finish(self, answer: httpx.Response) -> httpx.Response:
        return answer


class Asynchronous(Product):
    """The first answer is an acknowledgement; the final one is fetched."""

    variant = "async"
    prefix = "/api"
    made = httpx.codes.OK

    def finish(self, answer: httpx.Response) -> httpx.Response:
        if answer.status_code != httpx.codes.ACCEPTED:
            assert answer.is_error, f"a request is answered {answer.status_code}"
            return answer
        correlation = answer.text
        assert UUID.fullmatch(correlation), correlation
        assert answer.headers["Location"] == f"{answer.request.url.path}/{correlation}"
        return self.fetch(answer, "wait=30")

    def fetch(self, acknowledgement: httpx.Response, *preferences: str) -> httpx.Response:
        """Fetch the result of an acknowledged request, with any number of Prefer headers."""
        headers = [("Prefer", preference) for preference in preferences]
        return self.http.get(acknowledgement.headers["Location"], headers=headers)


PRODUCTS: dict[str, type[Product]] = {"sync": Synchronous, "async": Asynchronous}


def reservation(**changes: Any) -> dict[str, Any]:
    """Return a valid request at Cineworld (thesis, listing 4.14), some fields changed."""
    return {
        "clientName": "Jane Doe",
        "clientEmail": "jane.doe@ucd.ie",
        "movieId": "CNW001",
        "date": "2022-04-15",
        "showTime": "18:00",
        "tickets": 2,
        "ticketType": "Gold",
        "amount": 30.0,
        **changes,
    }


def problem(answer: httpx.Response, status: int, name: str) -> dict[str, Any]:
    """Check that an answer is a problem of this kind, and return it."""
    assert answer.status_code == status, f"{answer.status_code} {answer.text}"
    assert answer.headers["Content-Type"].partition(";")[0] == "application/problem+json"
    content: dict[str, Any] = answer.json()
    assert content["type"] == f"urn:testbed:problem:{name}", content
    return content
