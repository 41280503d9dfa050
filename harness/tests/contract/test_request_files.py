"""The requests in docs/requests are answered as their titles say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import httpx
import pytest

from testbed.deploy import composefile
from testbed.deploy.stack import Stack
from testbed.model.project import Project
from testbed.model.systems import declaration

from . import rest_client
from .conftest import PATIENCE_S
from .product import Product
from .test_breaker import LONGEST_S

FOLDER = Project.find().root / "docs" / "requests"


def test_there_are_requests_for_every_system() -> None:
    folders = {file.parent.name for file in FOLDER.glob("*/*.http")}
    assert folders == {"sync", "async", "rabbitmq", "posters", "tickets", "rates", "market"}
    for file in FOLDER.glob("*/*.http"):
        assert list(rest_client.requests(file.read_text(encoding="utf-8")))


def ask(file: Path, http: httpx.Client, values: Mapping[str, str]) -> int:
    """Ask each request of a file, check its answer, and return how many there were."""
    answers: dict[str, httpx.Response] = {}

    def value(reference: str) -> str:
        if reference in values:
            return values[reference]
        return rest_client.of_answer(reference, answers)

    requests = list(rest_client.requests(file.read_text(encoding="utf-8")))
    for request in requests:
        try:
            answer = http.request(
                request.method,
                rest_client.replaced(request.url, value),
                headers=rest_client.headers(request, value),
                content=rest_client.content(request, file.parent),
                # As the file has it.
                auth=None,
            )
        except httpx.HTTPError as problem:
            raise AssertionError(f"{file.name}, {request.title!r}: {problem!r}") from problem
        shown = f"{file.name}, {request.title!r}: {answer.status_code} {answer.text}"
        if request.expected is None:
            assert answer.is_success, shown
        else:
            assert answer.status_code == request.expected, shown
        if request.name:
            answers[request.name] = answer
    return len(requests)


def variables(file: Path) -> dict[str, str]:
    return rest_client.variables(file.read_text(encoding="utf-8"))


def moved(file: Path, by: int) -> dict[str, str]:
    """Return the addresses of a file, at ports that are moved."""
    return {
        name: f"{base}:{int(port) + by}"
        for name, address in variables(file).items()
        for base, _, port in [address.rpartition(":")]
    }


@pytest.fixture
def http() -> Iterator[httpx.Client]:
    """Ask for what the OpenAPI documents do not describe."""
    with httpx.Client(timeout=PATIENCE_S, trust_env=False) as client:
        yield client


def test_requests_are_answered_as_titled(product: Product) -> None:
    # What is tested may have longer limits than a preset.
    values = {"base": product.base_url, "late": str(LONGEST_S)}
    asked = [
        ask(file, product.http, variables(file) | values)
        for file in rest_client.files(FOLDER / product.variant)
        if file.stem != "health"
    ]

    assert sum(asked) >= 5


@pytest.mark.usefixtures("published")
def test_every_service_tells_its_health_and_its_metrics(
    product: Product, http: httpx.Client
) -> None:
    file = FOLDER / product.variant / "health.http"
    by = product.address[1] - declaration(product.variant).front.port
    values = moved(file, by)
    asked = ask(file, http, values)

    # The registry has an address of its own for what is registered.
    assert asked >= 3 * len(values.keys() - {"eureka"})


@pytest.mark.variant("async")
@pytest.mark.usefixtures("published")
def test_rabbitmq_answers_its_health_checks(
    product: Product, running: Stack | None, http: httpx.Client
) -> None:
    if running is not None:
        pytest.skip("the embedded backends have no health checks")
    file = FOLDER / "rabbitmq" / "health.http"
    port = composefile.variables(Project.find())["PORT_RABBITMQ_MANAGEMENT"]
    values = variables(file) | {"management": f"http://localhost:{port}"}
    overview = http.get(
        f"{values['management']}/api/overview", auth=(values["user"], values["password"])
    )
    major = overview.json()["rabbitmq_version"].partition(".")[0]

    assert ask(file, http, values) >= 8
    assert ask(file.with_name(f"health-{major}.http"), http, values) >= 1


@pytest.mark.parametrize(
    ("title", "status"), [("Read it", None), ("Too late: 504 after 5 s", 504), ("Ask: 202", 202)]
)
def test_title_names_a_status(title: str, status: int | None) -> None:
    request = rest_client.Request(title, None, "GET", "/", {}, "")
    assert request.expected == status
