from __future__ import annotations

import base64
import contextlib
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from testbed.model.errors import UserError
from testbed.model.project import Project
from testbed.watch import annotations
from testbed.watch.annotations import Annotations, Grafana

from .conftest import serving, unused_port

RECORD = {
    "system": "sync-left",
    "variant": "sync",
    "preset": "tuned",
    "workload": "list",
    "mode": "closed",
    "level": 100,
    "started": "2026-11-21T09:00:00.250000+00:00",
    "finished": "2026-11-21T09:00:30+00:00",
}


@dataclass
class FakeGrafana:
    """Answers every request alike, and keeps what it was sent.

    Parameters
    ----------
    status
        The status of its answers.
    delay_s
        Seconds until it answers.
    """

    status: int = 200
    delay_s: float = 0.0
    paths: list[str] = field(default_factory=list)
    accounts: list[str] = field(default_factory=list)
    received: list[dict[str, Any]] = field(default_factory=list)
    url: str = ""

    def settings(self) -> Grafana:
        return Grafana(self.url, "admin", "secret", named=False)


@contextlib.contextmanager
def answering(fake: FakeGrafana, port: int = 0) -> Iterator[None]:
    def answer(request: BaseHTTPRequestHandler, body: bytes) -> tuple[int, bytes]:
        fake.paths.append(request.path)
        fake.accounts.append(request.headers["Authorization"].removeprefix("Basic "))
        fake.received.append(json.loads(body))
        ended.wait(fake.delay_s)
        return fake.status, b"{}"

    ended = threading.Event()
    with serving(answer, port) as bound:
        fake.url = f"http://127.0.0.1:{bound}"
        yield
        ended.set()


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no answer come too late because the machine stands still."""
    monkeypatch.setattr(annotations, "TIMEOUT_S", 60)


@pytest.fixture
def grafana() -> Iterator[FakeGrafana]:
    fake = FakeGrafana()
    with answering(fake):
        yield fake


def test_a_run_is_a_region_with_tags(grafana: FakeGrafana) -> None:
    notices: list[str] = []

    Annotations(grafana.settings(), notices.append).annotate("sync-left-list-100-threads-1", RECORD)

    assert grafana.paths == ["/api/annotations"]
    assert base64.b64decode(grafana.accounts[0]) == b"admin:secret"
    assert grafana.received == [
        {
            "time": 1795251600250,
            "timeEnd": 1795251630000,
            "tags": [
                "testbed",
                "run",
                "system:sync-left",
                "variant:sync",
                "preset:tuned",
                "workload:list",
                "level:100 threads",
            ],
            "text": "sync-left-list-100-threads-1",
        }
    ]
    assert notices == []


def test_open_loops_are_marked_with_their_rate() -> None:
    tags = annotations.annotation("mine", {**RECORD, "mode": "open", "level": 62.5})["tags"]

    assert "level:62.5/s" in tags


@pytest.mark.parametrize("status", [401, 404, 500])
def test_a_refusal_is_told_once_and_nothing_more_is_sent(grafana: FakeGrafana, status: int) -> None:
    grafana.status = status
    notices: list[str] = []
    marking = Annotations(grafana.settings(), notices.append)

    for _ in range(3):
        marking.annotate("mine", RECORD)

    assert notices == [f"runs are not annotated: Grafana at {grafana.url} answers {status}"]
    assert len(grafana.received) == 1


def test_a_slow_one_is_waited_for_only_once_and_shortly(
    grafana: FakeGrafana, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(annotations, "TIMEOUT_S", 1.0)
    grafana.delay_s = 30
    notices: list[str] = []
    marking = Annotations(grafana.settings(), notices.append)

    began = time.monotonic()
    for _ in range(3):
        marking.annotate("mine", RECORD)

    assert time.monotonic() - began < grafana.delay_s
    assert len(grafana.received) <= 1
    assert notices == [
        f"runs are not annotated: Grafana at {grafana.url} does not answer within 1 s"
    ]


def test_one_that_the_user_did_not_name_is_not_missed_and_may_come_later() -> None:
    notices: list[str] = []
    port, fake = unused_port(), FakeGrafana()
    grafana = Grafana(f"http://127.0.0.1:{port}", "admin", "secret", named=False)
    marking = Annotations(grafana, notices.append)

    marking.annotate("mine", RECORD)
    with answering(fake, port):
        marking.annotate("mine", RECORD)

    assert notices == []
    assert len(fake.received) == 1


def test_one_that_the_user_named_is_missed_once() -> None:
    notices: list[str] = []
    url = f"http://127.0.0.1:{unused_port()}"
    marking = Annotations(Grafana(url, "admin", "secret", named=True), notices.append)

    for _ in range(2):
        marking.annotate("mine", RECORD)

    assert notices == [f"runs are not annotated: Grafana at {url} cannot be reached"]


def test_an_address_that_is_none_is_told() -> None:
    notices: list[str] = []

    Annotations(Grafana("grafana", "admin", "secret", named=True), notices.append).annotate(
        "x", RECORD
    )

    assert notices == [
        "runs are not annotated: Grafana at grafana cannot be asked (UnsupportedProtocol)"
    ]


@pytest.fixture
def configured(project: Project) -> Project:
    (project.root / ".env").write_text(
        "# Settings.\nPORT_GRAFANA=3000\nGRAFANA_USERNAME=admin\nGRAFANA_PASSWORD=testbed\n"
    )
    return project


def test_it_is_where_the_compose_files_publish_it(configured: Project) -> None:
    assert Grafana.find(configured, {}) == Grafana(
        "http://127.0.0.1:3000", "admin", "testbed", named=False
    )


def test_the_environment_comes_before_the_files_and_the_further_file_before_the_first(
    configured: Project,
) -> None:
    further = configured.root / "mine.env"
    further.write_text("PORT_GRAFANA=3001\nGRAFANA_USERNAME=jane\n")
    environ = {"TESTBED_ENV_FILE": str(further), "GRAFANA_USERNAME": "john"}

    assert Grafana.find(configured, environ) == Grafana(
        "http://127.0.0.1:3001", "john", "testbed", named=False
    )


def test_the_user_may_name_one_elsewhere_or_none(configured: Project) -> None:
    assert Grafana.find(configured, {"GRAFANA_URL": "https://grafana.example/g/"}) == Grafana(
        "https://grafana.example/g", "admin", "testbed", named=True
    )
    assert Grafana.find(configured, {"GRAFANA_URL": ""}) is None


def test_a_missing_file_of_settings_is_told(configured: Project) -> None:
    with pytest.raises(UserError, match=r"no .*nowhere\.env"):
        Grafana.find(configured, {"TESTBED_ENV_FILE": "/nowhere.env"})


def test_a_missing_setting_is_told(configured: Project) -> None:
    (configured.root / ".env").write_text("PORT_GRAFANA=3000\n")

    with pytest.raises(UserError, match="GRAFANA_USERNAME is set neither"):
        Grafana.find(configured, {})


def test_nothing_is_sent_where_there_is_none(grafana: FakeGrafana) -> None:
    notices: list[str] = []

    Annotations(None, notices.append).annotate("mine", RECORD)

    assert notices == []
    assert grafana.received == []
