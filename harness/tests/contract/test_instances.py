"""A second instance of a cinema shares the work of the first, without a change of code."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

import pytest

from testbed.deploy import jdk, processes
from testbed.deploy.deployments import Choice, deployment
from testbed.deploy.processes import ProcessId
from testbed.deploy.services import Service, client
from testbed.deploy.stack import Stack
from testbed.measure import metrics
from testbed.model.files import tail
from testbed.model.project import Project
from testbed.model.systems import service_of

from .conftest import PORT_OFFSET, SETTINGS, Eventually
from .product import Product, reservation

SERVICE = "cinema-ucd-service"
WORK = re.compile(r'^cinema_work_seconds_count\{.*operation="reserve".*\} (\S+)$', re.MULTILINE)


@pytest.fixture(scope="module")
def instances(
    running: Stack | None,
    variant: str,
    eventually: Eventually,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[Service, ...]]:
    """Both instances of a cinema of the running variant."""
    if running is None:
        pytest.skip("TESTBED_BASE_URL: no instance is added to a running system")
    choice = Choice(variant, settings=SETTINGS, port_offset=PORT_OFFSET, replicas={SERVICE: 2})
    both = deployment(choice, Project.find(), jdk.for_services())
    found = tuple(one for one in both.services if service_of(one.name) == SERVICE)
    second = found[1]
    folder = tmp_path_factory.mktemp(second.name)
    log = folder / "log"
    started = processes.start(second.command, {**os.environ, **second.environ}, log, folder)
    process = ProcessId.of(started.pid)
    try:
        with client() as http:

            def complete() -> bool:
                assert process.find() is not None, tail(log)
                return second.ready(http) and both.converged(http) is None

            eventually(complete, 60)
        yield found
    finally:
        processes.stop([process])


def test_both_instances_work_and_store_in_one_place(
    product: Product, instances: tuple[Service, ...], eventually: Eventually
) -> None:
    made: list[str] = []

    def worked() -> dict[str, float]:
        with client() as http:
            told = metrics.ask(http, {one.name: one.ports[0] for one in instances})
        return {name: sum(map(float, WORK.findall(text))) for name, text in told.items()}

    before = worked()

    def shared() -> bool:
        answer = product.reserve("ucd", json=reservation(movieId="UCD001", showTime="10:15"))
        assert answer.status_code == product.made, answer.text
        made.append(answer.json()["id"])
        after = worked()
        return all(after[one.name] > before[one.name] for one in instances)

    eventually(shared, 30)
    assert set(made) <= {one["id"] for one in product.reservations("ucd")}
