"""Fetches files of Maven's central repository, each known by its digest."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import httpx

from testbed.model.errors import UserError

CENTRAL = "https://repo1.maven.org/maven2"
"""Where files are fetched from, unless ``TESTBED_MAVEN`` names a mirror."""

TIMEOUT_S = 60.0
TRIES = 3


def client(connections: int = 1) -> httpx.Client:
    limits = httpx.Limits(max_connections=connections)
    return httpx.Client(timeout=TIMEOUT_S, follow_redirects=True, limits=limits)


def content(path: str, sha256: str, http: httpx.Client, local: Path | None = None) -> bytes:
    """Return the file at a path of the repository.

    It is taken from the repository `local`, by default the user's own of Maven, if it is there with
    the right SHA-256, and fetched otherwise. Raises `UserError` if it cannot be fetched, or is not
    the expected one.
    """
    file = (local or Path.home() / ".m2" / "repository") / path
    if file.is_file() and _digest(kept := file.read_bytes()) == sha256:
        return kept
    base = os.environ.get("TESTBED_MAVEN") or CENTRAL
    url = f"{base.rstrip('/')}/{path}"
    for number in range(TRIES):
        try:
            fetched = http.get(url).raise_for_status().content
            break
        except (httpx.HTTPError, httpx.InvalidURL) as problem:
            if number + 1 == TRIES:
                raise UserError(
                    f"{url} cannot be fetched: {problem}",
                    "Is there a way to the internet? TESTBED_MAVEN names a mirror of Maven's "
                    "central repository.",
                ) from problem
    if _digest(fetched) != sha256:
        raise UserError(f"{url} is not the file that is expected: its SHA-256 differs")
    return fetched


def _digest(file: bytes) -> str:
    return hashlib.sha256(file).hexdigest()
