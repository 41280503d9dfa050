"""The accounts of front doors, as the compose files give them."""

from __future__ import annotations

import base64
import os
import re

import httpx

from testbed.deploy import composefile
from testbed.model.project import Project

Account = tuple[str, str]
"""Name and password."""


def accounts(setting: str) -> list[Account]:
    """Return the accounts of a setting of the compose files."""
    given = composefile.variables(Project.find(), os.environ)[setting]
    entries = (entry.strip().partition(":") for entry in given.split(","))
    return [(name, password) for name, _, password in entries]


USER, OTHER = accounts("ACCESS_USERS")[:2]
ADMINISTRATOR = accounts("ACCESS_ADMINISTRATORS")[0]


BY_USERS = re.compile(r".*/(movie/list|reservation/make)(/[^/]*)?")
"""The paths of requests and fetches that users may make."""


def account_for(path: str) -> Account:
    """Return who asks for something, if nobody is named: a user for what users do."""
    return USER if BY_USERS.fullmatch(path) else ADMINISTRATOR


def authorization(account: Account) -> str:
    """Return the header ``Authorization`` of an account."""
    encoded = base64.b64encode(":".join(account).encode()).decode()
    return f"Basic {encoded}"


class Credentials(httpx.Auth):
    """Sends the credentials of the account that asks for a path."""

    def auth_flow(self, request: httpx.Request):  # type: ignore[no-untyped-def]
        yield from httpx.BasicAuth(*account_for(request.url.path)).auth_flow(request)
