"""Fetches the token with which requests to a user's own system are sent."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

import httpx

from testbed.deploy import services
from testbed.model import files, systems
from testbed.model.errors import UserError
from testbed.model.project import Project
from testbed.model.systems import Token

TIMEOUT_S = 30.0

SECRET = re.compile(r"\$\{(\w+)\}")


def keep(project: Project, variants: Iterable[str]) -> dict[str, str]:
    """Fetch the token of each variant that needs one; plans find it in a file until `forget`.

    Raises `UserError` if there is none.
    """
    declared = map(systems.declaration, dict.fromkeys(variants))
    fetched = {each.name: fetch(each.token) for each in declared if each.token is not None}
    for name, text in fetched.items():
        file = project.token(name)
        files.write(file, b"")
        file.chmod(0o600)
        file.write_text(text, encoding="utf-8")
    return fetched


def forget(project: Project, variants: Iterable[str]) -> None:
    for name in variants:
        project.token(name).unlink(missing_ok=True)


def fetch(token: Token, environ: Mapping[str, str] = os.environ) -> str:
    """Return a token; raise `UserError` if the server gives none."""
    with services.client(TIMEOUT_S) as http:
        return ask(http, token, environ)


def ask(http: httpx.Client, token: Token, environ: Mapping[str, str] = os.environ) -> str:
    """Return a token that a client asks for, as `fetch` does."""
    form = {name: _revealed(name, value, environ) for name, value in token.form.items()}
    asked = f"the token of {'POST' if form else 'GET'} {token.url}"
    try:
        answer = http.post(token.url, data=form) if form else http.get(token.url)
    except (httpx.HTTPError, httpx.InvalidURL) as problem:
        raise UserError(f"{asked}: no answer ({type(problem).__name__})") from None
    if not answer.is_success:
        raise UserError(f"{asked}: the answer is {answer.status_code}")
    try:
        members = answer.json()
    except ValueError:
        members = None
    if not isinstance(members, dict):
        raise UserError(f"{asked}: the answer is no JSON object")
    text = members.get(token.member)
    if not (isinstance(text, str) and text and text.isascii() and text.isprintable()):
        raise UserError(
            f"{asked}: no text in member {token.member!r}; choose from: {', '.join(members)}"
        )
    return text


def _revealed(name: str, value: str, environ: Mapping[str, str]) -> str:
    if (secret := SECRET.fullmatch(value)) is None:
        return value
    if secret[1] not in environ:
        raise UserError(f"the token's form: {name} is {value}, which the environment does not have")
    return environ[secret[1]]
