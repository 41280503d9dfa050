"""A cinema without a gateway: each of its instances is a front door, and they share their data."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from testbed.deploy.stack import Stack
from testbed.model import systems

from .conftest import BASE_URL, PATIENCE_S, START_LIMIT_S, started
from .product import reservation

SYSTEM = "cinema-direct"
SERVICE = "cinema-cineworld-service"
INSTANCES = 3

PORT_OFFSET = 7000
"""Not that of the stacks of other tests."""

pytestmark = pytest.mark.timeout(START_LIMIT_S)


@pytest.fixture(scope="module")
def direct(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    if BASE_URL:
        pytest.skip("TESTBED_BASE_URL: another system runs")
    folder = tmp_path_factory.mktemp(SYSTEM)
    with started(SYSTEM, {}, folder, PORT_OFFSET, replicas={SERVICE: INSTANCES}) as stack:
        yield stack


def test_a_reservation_at_one_instance_is_known_to_all(direct: Stack) -> None:
    ports = direct.deployment.front_ports
    assert len(ports) == INSTANCES
    path = systems.declaration(SYSTEM).workloads["reserve"]
    with httpx.Client(trust_env=False, timeout=PATIENCE_S) as http:
        for number, port in enumerate(ports):
            wanted = reservation(clientEmail=f"client-{number}@ucd.ie")
            made = http.post(f"http://127.0.0.1:{port}{path}", json=wanted)
            assert made.status_code == httpx.codes.CREATED, made.text
            for other in ports:
                fetched = http.get(f"http://127.0.0.1:{other}{made.headers['Location']}")
                assert fetched.json() == made.json()
