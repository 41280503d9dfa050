"""What an operation causes is what its system declares: requests, database commands, messages."""

from __future__ import annotations

import re

import pytest

from testbed.deploy.services import client
from testbed.deploy.stack import Stack
from testbed.measure import metrics
from testbed.model import systems

from .conftest import PATIENCE_S, Eventually
from .product import Product, reservation
from .served import pause

COUNTERS = {
    "requests": r'http_server_requests_seconds_count\{(?!.*uri="/actuator)',
    "queries": r'mongodb_driver_commands_seconds_count\{(?!.*collection="unknown")',
    "messages": r'queue_wait_seconds_count\{.*queue="re(quest|sponse)Queue',
}
OPERATIONS = 10


def counted(stack: Stack) -> dict[str, float]:
    endpoints = {name: port for name, port in stack.endpoints().items() if name != "eureka-server"}
    with client(PATIENCE_S) as http:
        lines = "\n".join(metrics.ask(http, endpoints).values()).splitlines()
    return {
        name: sum(float(line.rpartition(" ")[2]) for line in lines if re.match(pattern, line))
        for name, pattern in COUNTERS.items()
    }


@pytest.mark.parametrize("workload", ["list", "reserve"])
def test_an_operation_causes_what_is_declared(
    product: Product, stack: Stack, variant: str, workload: str, eventually: Eventually
) -> None:
    def operate() -> None:
        answer = (
            product.list_movies()
            if workload == "list"
            else product.reserve("cineworld", json=reservation())
        )
        assert answer.is_success, answer.text

    operate()

    def settled() -> bool:
        first = counted(stack)
        pause(2)
        return counted(stack) == first

    # What tests before it have caused may still be under way.
    eventually(settled)
    before, work = counted(stack), systems.declaration(variant).work[workload]
    for _ in range(OPERATIONS):
        operate()

    def caused() -> bool:
        after = counted(stack)
        return all(
            after[name] - before[name] == OPERATIONS * getattr(work, name) for name in COUNTERS
        )

    eventually(caused)
