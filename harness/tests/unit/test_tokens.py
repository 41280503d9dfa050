"""The token with which requests to a user's own system are sent."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs

import pytest

from testbed.cli import experiments
from testbed.cli.duel import planned
from testbed.deploy import tokens
from testbed.deploy.deployments import elsewhere
from testbed.measure import answers, plans
from testbed.model import systems
from testbed.model.errors import UserError
from testbed.model.project import Project
from testbed.model.systems import OwnSystem, Token

from .conftest import serving

FORM = {"grant_type": "client_credentials", "client_secret": "${SECRET}"}


def issue(request: BaseHTTPRequestHandler, body: bytes) -> tuple[int, bytes]:
    """Answer a POST of the secret with a token, and a GET with the account it was sent with."""
    if request.command == "GET":
        return 200, json.dumps({"seen": request.headers.get("Authorization", "none")}).encode()
    form = parse_qs(body.decode())
    right = form == {"grant_type": ["client_credentials"], "client_secret": ["s&s"]}
    return 200 if right else 401, b'{"access_token": "abc", "expires_in": 300}'


@pytest.fixture
def issuer() -> Iterator[str]:
    with serving(issue) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def own(own: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("SECRET", "s&s")
    return own


def shop(issuer: str) -> OwnSystem:
    token = {"url": f"{issuer}/token", "form": FORM}
    return OwnSystem.model_validate({"token": token, "workloads": {"look": "/look"}})


def test_a_secret_of_the_environment_is_sent(issuer: str) -> None:
    assert tokens.fetch(Token(url=issuer, form=FORM), {"SECRET": "s&s"}) == "abc"


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"form": FORM}, "the answer is 401"),
        ({"form": {"a": "${MISSING}"}}, "a is ${MISSING}, which the environment does not have"),
        ({"member": "token"}, "no text in member 'token'; choose from: seen"),
    ],
)
def test_what_is_no_token_is_told(issuer: str, keys: dict[str, object], words: str) -> None:
    with pytest.raises(UserError) as refused:
        tokens.fetch(Token.model_validate({"url": issuer, **keys}), {"SECRET": "wrong"})
    assert words in refused.value.message
    assert "wrong" not in refused.value.message


def test_a_server_that_does_not_answer_is_named() -> None:
    with pytest.raises(UserError, match=r"GET http://127\.0\.0\.1:1: no answer \(ConnectError\)"):
        tokens.fetch(Token(url="http://127.0.0.1:1"), {})


def test_a_token_is_in_a_file_while_it_is_needed_and_in_no_plan(own: Project, issuer: str) -> None:
    systems.declare({"shop": shop(issuer)})
    assert tokens.keep(own, ["shop", "shop"]) == {"shop": "abc"}
    file = own.token("shop")
    assert file.read_text() == "abc"
    assert file.stat().st_mode & 0o077 == 0

    plans.write_own(own, ["shop"])
    text = own.plan("shop", "look").read_text()
    assert "abc" not in text
    assert f"${{__FileToString({file},UTF-8)}}" in text
    headers = [each.text for each in ET.fromstring(text).iterfind(".//*[@name='Header.value']")]
    assert headers == ["Bearer ${token}"]

    tokens.forget(own, ["shop"])
    assert not file.exists()


def test_a_token_does_not_outlive_a_failure_before_the_first_run(
    own: Project, issuer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = shop(issuer).model_dump(mode="json", include={"token"})
    system = {**keys, "workloads": {"look": {"get": "/look", "noun": "looks"}}}
    plan = planned(system, {"a": {"target": issuer}}, [1], each=2, repetitions=1)

    file = own.token(plan.compared[0].variant)

    def fails() -> None:
        assert file.read_text() == "abc"
        raise UserError("no JDK")

    monkeypatch.setattr(experiments.jdk, "for_jmeter", fails)
    with pytest.raises(UserError, match="no JDK"):
        experiments.measured_to_the_end(plan, 0, build_first=False)
    assert not file.exists()


def test_the_harness_asks_with_the_token_too(own: Project, issuer: str) -> None:
    systems.declare({"shop": shop(issuer)})
    deployment = replace(elsewhere("shop", "tuned", issuer), token="abc")
    answers.keep(own, deployment)

    kept = (own.state / "answers" / "shop-look").read_text()
    assert json.loads(kept) == {"seen": "Bearer abc"}
    assert "abc" not in repr(deployment)


def test_results_have_the_name_of_a_secret_only(own: Project, issuer: str) -> None:
    keys = shop(issuer).model_dump(mode="json", include={"token"})
    system = {**keys, "workloads": {"look": {"get": "/look", "noun": "looks"}}}
    versions = {"a": {"target": issuer}, "b": {"target": f"{issuer}/b"}}
    plan = planned(system, versions, [1], each=2, repetitions=1)

    assert "client_secret: ${SECRET}" in plan.to_yaml()


def test_a_token_and_a_header_of_its_name_exclude_each_other() -> None:
    look = {"get": "/", "headers": {"authorization": "Basic a"}}
    with pytest.raises(ValueError, match="token and a header Authorization exclude each other"):
        OwnSystem.model_validate({"token": {"url": "http://a"}, "workloads": {"look": look}})
