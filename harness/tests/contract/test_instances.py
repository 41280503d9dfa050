"""A second instance of a cinema shares the work of the first, without a change of code.

When it is told to stop, no request fails.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import httpx
import pytest

from testbed.deploy import programs
from testbed.deploy.building import jdk
from testbed.deploy.deployments import Choice
from testbed.deploy.processes.deployment import in_processes
from testbed.deploy.programs import ProcessId
from testbed.deploy.services import Service, client
from testbed.deploy.stack import Stack
from testbed.measure import metrics
from testbed.model.files import tail
from testbed.model.project import Project
from testbed.model.systems import service_of

from .conftest import PATIENCE_S, PORT_OFFSET, SETTINGS, Eventually, worker_ports
from .product import Product, reservation

SERVICE = "cinema-ucd-service"
WORK = re.compile(r'^cinema_work_seconds_count\{.*operation="reserve".*\} (\S+)$', re.MULTILINE)
AT_SERVICE = {"movieId": "UCD001", "showTime": "10:15"}

CLIENTS = 4
MORE = 50
"""Answers after the stop."""


@dataclass(frozen=True)
class Instances:
    """Both instances of a cinema of the running variant, and the process of the second."""

    services: tuple[Service, ...]
    second: ProcessId


@pytest.fixture(scope="module")
def instances(
    running: Stack | None,
    variant: str,
    eventually: Eventually,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Instances]:
    """Start a second instance beside the first."""
    if running is None:
        pytest.skip("TESTBED_BASE_URL: no instance is added to a running system")
    (first,) = (
        service for service in running.deployment.services if service_of(service.name) == SERVICE
    )
    offset = PORT_OFFSET + worker_ports()
    choice = Choice(variant, settings=SETTINGS, port_offset=offset, replicas={SERVICE: 2})
    both = in_processes(choice, Project.find(), jdk.for_services())
    services = tuple(service for service in both.services if service_of(service.name) == SERVICE)
    second = services[1]
    folder = tmp_path_factory.mktemp(second.name)
    log = folder / "log"
    # As the first was started: quickly.
    started = programs.start(first.command, {**os.environ, **second.environ}, log, folder)
    process = ProcessId.of(started.pid)
    try:
        with client() as http:

            def complete() -> bool:
                assert process.find() is not None, tail(log)
                return second.ready(http) and both.converged(http) is None

            eventually(complete)
        yield Instances(services, process)
    finally:
        programs.stop([process])


def worked(instances: Instances) -> dict[str, float]:
    """Return how many reservations each instance has made."""
    with client(PATIENCE_S) as http:
        metrics_of = metrics.ask(
            http, {service.name: service.ports[0] for service in instances.services}
        )
    return {name: sum(map(float, WORK.findall(text))) for name, text in metrics_of.items()}


def test_both_instances_work_and_store_in_one_place(
    product: Product, instances: Instances, eventually: Eventually
) -> None:
    made: list[str] = []
    before = worked(instances)

    def shared() -> bool:
        answer = product.reserve("ucd", json=reservation(**AT_SERVICE))
        assert answer.status_code == product.made, answer.text
        made.append(answer.json()["id"])
        after = worked(instances)
        return all(after[service.name] > before[service.name] for service in instances.services)

    eventually(shared)
    assert set(made) <= {booked["id"] for booked in product.reservations("ucd")}


def test_no_request_fails_when_one_instance_is_told_to_stop(
    product: Product, instances: Instances, eventually: Eventually
) -> None:
    reserved: list[httpx.Response] = []
    listed: list[httpx.Response] = []
    done = threading.Event()

    def ask() -> None:
        while not done.is_set():
            reserved.append(product.reserve("ucd", json=reservation(**AT_SERVICE)))
            listed.append(product.list_movies())

    before = worked(instances)
    with ThreadPoolExecutor(CLIENTS) as clients:
        asking = [clients.submit(ask) for _ in range(CLIENTS)]
        try:
            eventually(
                lambda: all(count > before[name] for name, count in worked(instances).items())
            )
            assert programs.stop([instances.second]) == []
            enough = len(listed) + MORE
            eventually(lambda: len(listed) >= enough)
        finally:
            done.set()
        for future in asking:
            future.result()
    assert [answer.text for answer in reserved if answer.status_code != product.made] == []
    assert [answer.text for answer in listed if answer.status_code != httpx.codes.OK] == []
    assert {answer.headers.get("Cinemas-Missing") for answer in listed} == {None}
