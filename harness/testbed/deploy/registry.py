"""Asks a Eureka registry how many instances of a service are up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import httpx

ADDRESS = "EUREKA_URL"
"""The setting with the registry's address; every service that registers has it."""


@dataclass(frozen=True)
class Registry:
    """A registry, and how many instances of each service it must know.

    `url` has the account and ends with a slash. Services register under their names in the compose
    file.
    """

    url: str
    expected: Mapping[str, int]

    def missing(self, http: httpx.Client) -> str | None:
        """Return which service has fewer instances up than expected; None if none has."""
        try:
            answer = http.get(f"{self.url}apps", headers={"Accept": "application/json"})
        except httpx.HTTPError as problem:
            return f"the registry does not answer ({type(problem).__name__})"
        if answer.status_code != httpx.codes.OK:
            return f"the registry answers {answer.status_code}"
        up = Counter(
            application["name"].lower()
            for application in answer.json()["applications"]["application"]
            for instance in application["instance"]
            if instance["status"] == "UP"
        )
        lacks = (
            f"the registry has {up[name]} of {count} instances of {name}"
            for name, count in self.expected.items()
            if up[name] < count
        )
        return next(lacks, None)
