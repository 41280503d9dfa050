"""Health and metrics have a port of their own, and nothing else of a service's inside is open."""

from __future__ import annotations

import httpx
import pytest
from pymongo import MongoClient
from pymongo.errors import OperationFailure

from testbed.deploy import composefile
from testbed.deploy.deployments import Choice, described
from testbed.deploy.stack import Stack
from testbed.model.project import Project

from .attacks import HEALTH_AND_METRICS, Attack, Door, all_of_them, answer, doors
from .conftest import PATIENCE_S
from .product import Product


@pytest.fixture(scope="session")
def entered(variant: str, running: Stack | None, published: None) -> tuple[Door, ...]:
    """The doors of every service of the variant."""
    if running is not None:
        return doors(running)
    services = described(Choice(variant), Project.find())
    return tuple(
        Door(name, *(service.ports[port] for port in service.inside))
        for name, service in services.items()
        if service.module
    )


def test_health_and_metrics_are_at_the_management_port_only(entered: tuple[Door, ...]) -> None:
    for door in entered:
        for path in HEALTH_AND_METRICS:
            asked = Attack("GET", path)
            assert answer(door.management, asked).status == httpx.codes.OK, f"{door} {path}"
            refused = answer(door.port, asked)
            assert refused.wrong() is None, f"{door} {path}: {refused.wrong()}"
            assert refused.status == httpx.codes.NOT_FOUND, f"{door} {path}"


def test_nothing_else_is_shown_changed_or_run(entered: tuple[Door, ...]) -> None:
    wrong = [
        f"{door.service} {port} {attack}: {reason}"
        for door in entered
        for port in (door.management, door.port)
        for attack in all_of_them()
        if (reason := answer(port, attack).wrong())
    ]
    assert wrong == []


def test_a_management_port_does_not_serve_the_product(
    product: Product, entered: tuple[Door, ...]
) -> None:
    paths = ("/openapi.yaml", "/api/movie/list", product.list_path("ucd"), "/eureka/apps")
    for door in entered:
        for path in paths:
            refused = answer(door.management, Attack("GET", path))
            assert refused.wrong() is None, f"{door} {path}: {refused.wrong()}"


@pytest.mark.variant("async")
@pytest.mark.usefixtures("published")
def test_rabbitmqs_management_asks_for_the_account(product: Product, running: Stack | None) -> None:
    if running is not None:
        pytest.skip("the embedded backends have no management")
    variables = composefile.variables(Project.find())
    account = (variables["RABBITMQ_USERNAME"], variables["RABBITMQ_PASSWORD"])
    url = f"http://127.0.0.1:{variables['PORT_RABBITMQ_MANAGEMENT']}/api/overview"

    answers = [
        httpx.get(url, auth=credentials, timeout=PATIENCE_S, trust_env=False)
        for credentials in (None, ("guest", "guest"), account)
    ]

    assert [given.status_code for given in answers] == [401, 401, 200]


@pytest.mark.usefixtures("published")
def test_mongodb_asks_for_the_account(product: Product, running: Stack | None) -> None:
    variables = composefile.variables(Project.find())
    if running is not None or not variables["MONGODB_USERNAME"]:
        pytest.skip("this MongoDB knows no accounts")
    with (
        MongoClient[dict[str, object]](
            f"mongodb://127.0.0.1:{variables['PORT_MONGODB']}"
        ) as client,
        pytest.raises(OperationFailure, match="authentication"),
    ):
        client.list_database_names()
