"""The compose files are the one description of what is started, in containers and without."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from testbed.deploy import composefile, deployments
from testbed.deploy.building import distributions
from testbed.deploy.building.jdk import Jdk
from testbed.deploy.containers.deployer import in_containers
from testbed.deploy.deployments import Choice
from testbed.deploy.processes.deployment import FURTHER_PORTS, MANAGEMENT_DISTANCE, in_processes
from testbed.deploy.services import Deployment, Service
from testbed.deploy.stack import Stack
from testbed.experiment.parts import ServiceLimits
from testbed.model import systems
from testbed.model.errors import UserError
from testbed.model.project import Project

from .conftest import docker

JDK = Jdk(Path("/jvm/25"), "25.0.3", True)
ENVIRON = {"PATH": "/bin"}


@pytest.fixture
def project() -> Project:
    return Project.find()


def deploy(project: Project, choice: Choice, **environ: str) -> Deployment:
    return in_processes(choice, project, JDK, {**ENVIRON, **environ})


def named(deployment: Deployment, name: str) -> Service:
    (service,) = (service for service in deployment.services if service.name == name)
    return service


def phases(deployment: Deployment) -> list[set[str]]:
    return [{service.name for service in phase} for phase in deployment.phases]


CINEMAS = {f"cinema-{name}-service" for name in ("cineworld", "dundrum", "ucd")}


def test_services_start_in_the_order_of_the_compose_file(project: Project) -> None:
    assert phases(deploy(project, Choice("sync"))) == [
        # The registry needs no backend.
        {"embedded-backends", "eureka-server"},
        CINEMAS | {"aggregator-service", "api-gateway-service"},
    ]
    assert phases(deploy(project, Choice("async"))) == [
        {"embedded-backends"},
        {"broker-service"},
        CINEMAS,
    ]


def test_a_system_that_stores_nothing_starts_no_backends(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "compose.yml"
    file.write_text(
        "services: {shop: {build: {args: {SERVICE: shop}}, environment: {SERVER_PORT: 80}, "
        "ports: ['127.0.0.1:8099:80']}}"
    )
    front = systems.Endpoint(service="shop", port=80)
    changes = {"compose": str(file), "front": front, "reset": None}
    alone = systems.declaration("sync").model_copy(update=changes)
    monkeypatch.setattr(systems, "declaration", lambda name: alone)

    deployment = deploy(project, Choice("sync"))

    assert phases(deployment) == [{"shop"}]
    assert deployment.mongodb_uri is None
    assert deployments.jars(Choice("sync"), project) == [project.jar("shop")]


def test_local_backends_are_not_started_and_are_taken_from_the_environment(
    project: Project,
) -> None:
    deployment = deploy(
        project,
        Choice("async", backends="local"),
        MONGODB_URI="mongodb://db:1",
        RABBITMQ_HOST="mq",
        OTHER="x",
    )

    assert phases(deployment) == [{"broker-service"}, CINEMAS]
    environ = named(deployment, "cinema-ucd-service").environ
    assert environ["MONGODB_URI"] == deployment.mongodb_uri == "mongodb://db:1"
    assert (environ["RABBITMQ_HOST"], environ["RABBITMQ_PORT"]) == ("mq", "5672")
    assert "OTHER" not in environ
    synchronous = deploy(project, Choice("sync", backends="local"))
    assert not any("RABBITMQ_HOST" in service.environ for service in synchronous.services)
    assert "MONGODB_URI" not in named(synchronous, "api-gateway-service").environ


@pytest.mark.parametrize(("variant", "amqp"), [("sync", "off"), ("async", "5672")])
def test_the_embedded_backends_serve_what_the_compose_file_has(
    project: Project, variant: str, amqp: str
) -> None:
    backends = named(deploy(project, Choice(variant)), "embedded-backends")

    assert backends.environ["EMBEDDED_AMQP_PORT"] == amqp
    assert backends.ports == ((27017, 5672) if variant == "async" else (27017,))


@pytest.mark.parametrize(("variant", "transport"), [("sync", "http"), ("async", "amqp")])
def test_cinemas_differ_in_name_port_and_edge_alone(
    project: Project, variant: str, transport: str
) -> None:
    deployment = deploy(project, Choice(variant))
    ucd, dundrum = (
        named(deployment, f"cinema-{name}-service").environ for name in ("ucd", "dundrum")
    )

    assert ucd["CINEMA_TRANSPORT"] == transport
    assert {key for key in ucd if ucd[key] != dundrum[key]} == {
        *("CINEMA_NAME", "SERVER_PORT", "MANAGEMENT_SERVER_PORT")
    }


def test_processes_have_the_settings_of_the_containers_at_addresses_of_this_machine(
    project: Project,
) -> None:
    cinema = named(deploy(project, Choice("async")), "cinema-ucd-service")

    assert cinema.ports == (8184, 8084)
    assert cinema.environ == {
        "CINEMA_NAME": "ucd",
        "CINEMA_TRANSPORT": "amqp",
        "EUREKA_INSTANCE_IP_ADDRESS": "127.0.0.1",
        "MANAGEMENT_SERVER_PORT": "8184",
        # Without the account of the container.
        "MONGODB_URI": "mongodb://127.0.0.1:27017",
        # As the embedded backends have it.
        "RABBITMQ_HOST": "127.0.0.1",
        "RABBITMQ_PASSWORD": "guest",
        "RABBITMQ_PORT": "5672",
        "RABBITMQ_USERNAME": "guest",
        "SERVER_ADDRESS": "127.0.0.1",
        "SERVER_PORT": "8084",
        "TESTBED_PRESET": "tuned",
        "TESTBED_TRACING": "",
        "TESTBED_VARIANT": "async",
    }


def test_the_preset_reaches_every_service_and_chooses_its_jvm(project: Project) -> None:
    deployment = deploy(project, Choice("async", preset="thesis"), JAVA_OPTS="-Dx=1 -Dy=2")

    broker = named(deployment, "broker-service")
    assert broker.environ["TESTBED_PRESET"] == "thesis"
    assert broker.command == (
        "/jvm/25/bin/java",
        f"@{project.presets}/thesis.jvm",
        "-Dx=1",
        "-Dy=2",
        "-jar",
        f"{project.root}/broker-service/target/broker-service.jar",
    )


def test_a_service_may_have_flags_of_its_own_after_those_of_the_preset(project: Project) -> None:
    own = project.presets / "tuned" / "eureka-server.jvm"
    registry = named(deploy(project, Choice("sync"), JAVA_OPTS="-Dx=1"), "eureka-server")
    assert registry.command[1:4] == (f"@{project.presets}/tuned.jvm", f"@{own}", "-Dx=1")
    unlike = named(deploy(project, Choice("sync", preset="thesis")), "eureka-server")
    assert f"@{own}" not in unlike.command
    assert f"@{own}" not in named(deploy(project, Choice("sync")), "aggregator-service").command


def test_the_backends_jvm_is_the_same_under_every_preset(project: Project) -> None:
    commands = {
        named(deploy(project, Choice("sync", preset=preset)), "embedded-backends").command
        for preset in systems.PRESETS
    }

    assert len(commands) == 1


def test_a_setting_reaches_every_service_over_the_preset(project: Project) -> None:
    deployment = deploy(project, Choice("sync", settings={"AGGREGATOR_FAN_OUT": "sequential"}))

    services = [service for service in deployment.services if service.name != "embedded-backends"]
    assert {service.environ["AGGREGATOR_FAN_OUT"] for service in services} == {"sequential"}


def test_an_offset_moves_every_port_and_every_address(project: Project) -> None:
    usual = deploy(project, Choice("sync"))
    moved = deploy(project, Choice("sync", port_offset=100))

    assert moved.front_port == 8199
    for before, after in zip(usual.services, moved.services, strict=True):
        assert after.ports == tuple(port + 100 for port in before.ports)
    aggregator = named(moved, "aggregator-service").environ
    assert aggregator["EUREKA_URL"] == "http://testbed:testbed@127.0.0.1:8861/eureka/"
    assert aggregator["AGGREGATOR_GATEWAY_URL"] == "http://127.0.0.1:8199"
    assert moved.mongodb_uri == "mongodb://127.0.0.1:27117"
    cinema = named(deploy(project, Choice("async", port_offset=100)), "cinema-ucd-service")
    assert cinema.environ["RABBITMQ_PORT"] == "5772"
    with pytest.raises(UserError, match="offset 60000 is out of range; choose 0 to 38518"):
        deploy(project, Choice("sync", port_offset=60_000))


def test_ports_of_the_environment_file_are_those_of_processes_too(project: Project) -> None:
    deployment = deploy(project, Choice("sync"), PORT_FRONT="9099", PORT_MONGODB="37017")

    assert deployment.front_port == 9099
    gateway = named(deployment, "api-gateway-service")
    assert (gateway.ports, gateway.environ["SERVER_PORT"]) == ((8199, 9099), "9099")
    aggregator = named(deployment, "aggregator-service").environ
    assert aggregator["AGGREGATOR_GATEWAY_URL"] == "http://127.0.0.1:9099"
    assert deployment.mongodb_uri == "mongodb://127.0.0.1:37017"


IN_CONTAINERS = ("feed-nginx", "feed-varnish")
"""The systems with a server that nothing stands in for."""


def test_nothing_listens_beyond_this_machine(project: Project) -> None:
    for variant in set(systems.names()) - set(IN_CONTAINERS):
        for service in deploy(project, Choice(variant)).services:
            addresses = {
                service.environ[name]
                for name in ("SERVER_ADDRESS", "EMBEDDED_ADDRESS", "KC_HTTP_HOST")
                if name in service.environ
            }
            assert addresses == {"127.0.0.1"}, service.name


@pytest.mark.parametrize("variant", IN_CONTAINERS)
def test_a_server_that_nothing_stands_in_for_needs_containers(
    project: Project, variant: str
) -> None:
    reason = f"{variant.removeprefix('feed-')} runs in containers only"
    for backends in ("embedded", "local"):
        with pytest.raises(UserError, match=reason) as problem:
            deploy(project, Choice(variant, backends=backends))
        assert problem.value.hint == "Choose backends docker."


@pytest.mark.parametrize(
    ("password", "uri"),
    [("b/c", "mongodb://a:b%2Fc@127.0.0.1:27017"), ("", "mongodb://127.0.0.1:27017")],
)
def test_what_a_run_has_stored_is_deleted_with_the_account_of_mongodbs_container(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, password: str, uri: str
) -> None:
    account = {"MONGO_INITDB_ROOT_USERNAME": "a", "MONGO_INITDB_ROOT_PASSWORD": password}
    services = {
        "mongodb": {"ports": [{"target": 27017, "published": "27017"}], "environment": account},
        "broker-service": {"ports": [{"target": 8099, "published": "8099"}]},
    }
    (tmp_path / "answer").write_text(json.dumps({"name": "testbed", "services": services}))
    docker(tmp_path, f"cat {tmp_path}/answer", monkeypatch)

    deployment = in_containers(Choice("async", backends="docker"), project, os.environ)

    assert deployment.mongodb_uri == uri


def test_postgresql_is_started_where_it_is_needed_and_reached_there(project: Project) -> None:
    monolith = deploy(project, Choice("market-monolith", port_offset=1000))
    backends = named(monolith, "embedded-backends")

    assert backends.ports == (6632,)
    assert {
        name: backends.environ[f"EMBEDDED_{name}"] for name in ("AMQP_PORT", "MONGODB_PORT")
    } == {
        "AMQP_PORT": "off",
        "MONGODB_PORT": "off",
    }
    assert backends.environ["EMBEDDED_POSTGRESQL_PORT"] == "6632"
    databases = backends.environ["EMBEDDED_POSTGRESQL_DATABASES"].split(",")
    assert databases == ["market", "beans", "inventory", "clients", "tokens", "limits"]
    assert monolith.postgresql_uri == "postgresql://postgres@127.0.0.1:6632"
    assert monolith.mongodb_uri is None
    environ = named(monolith, "market-service").environ
    assert environ["MARKET_DB_URL"] == "jdbc:postgresql://127.0.0.1:6632/market"
    assert environ["MARKET_DB_USER"] == "postgres"
    synchronous = deploy(project, Choice("sync"))
    assert "EMBEDDED_POSTGRESQL_PORT" not in named(synchronous, "embedded-backends").environ
    assert synchronous.postgresql_uri is None


@pytest.mark.parametrize("name", ["market-services", "market-keycloak"])
def test_the_gateway_reaches_postgresql_only_to_count_there(project: Project, name: str) -> None:
    front = "api-gateway-service"
    file = project.root / systems.declaration(name).compose
    written = composefile.written(file, composefile.variables(project, {}))
    assert "database" not in written[front].get("networks", ())
    assert "postgresql" not in written[front]["depends_on"]
    # As a process it has the account of the stand-in all the same.
    counting = deploy(project, Choice(name, settings={"MARKET_LIMIT": "shared"}))
    environ = named(counting, front).environ
    assert environ["MARKET_LIMIT_DB_URL"] == "jdbc:postgresql://127.0.0.1:5632/limits"
    assert environ["MARKET_LIMIT_DB_USER"] == "postgres"


@pytest.mark.parametrize("name", ["market-monolith", "market-services"])
def test_what_issues_tokens_starts_where_a_setting_asks_for_them(
    project: Project, name: str
) -> None:
    with_tokens = Choice(name, settings={"MARKET_TOKENS": "front"}, port_offset=1000)
    deployment = deploy(project, with_tokens)

    environ = named(deployment, "token-service").environ
    assert environ["TOKEN_ISSUER"] == "http://127.0.0.1:9096"
    assert environ["TOKEN_DB_URL"] == "jdbc:postgresql://127.0.0.1:6632/tokens"
    assert environ["TOKEN_DB_USER"] == "postgres"
    front = systems.declaration(name).front.service
    assert named(deployment, front).environ["MARKET_TOKENS_ISSUER"] == environ["TOKEN_ISSUER"]
    assert "token-service" in deployments.modules(with_tokens, project)
    for settings in ({}, {"MARKET_TOKENS": "off"}):
        without = Choice(name, settings=settings)
        assert "token-service" not in {
            service.name for service in deploy(project, without).services
        }
        assert "token-service" not in deployments.modules(without, project)


def test_a_program_of_others_takes_the_place_of_its_image(project: Project) -> None:
    choice = Choice("market-keycloak", settings={"KC_DB": "other"}, port_offset=1000)
    deployment = deploy(project, choice, JAVA_OPTS="-Xmx400m")

    (program,) = deployments.programs(choice, project)
    service = named(deployment, "keycloak")
    home = distributions.home(project, program)
    assert service.command == (str(home / "bin/kc.sh"), *program.command[1:])
    assert (service.ports, service.health) == ((9196, 9096), "/health/ready")
    issuer = "http://127.0.0.1:9096/realms/market"
    assert {
        "KC_HOSTNAME": "http://127.0.0.1:9096",
        "KC_HTTP_PORT": "9096",
        "KC_HTTP_MANAGEMENT_PORT": "9196",
        # Its script takes this for all of its flags.
        "JAVA_OPTS": "",
        "JAVA_OPTS_APPEND": "-Xmx400m",
        "JAVA_HOME": str(JDK.home),
        "KC_DB": "other",
    }.items() <= service.environ.items()
    # By default there are tokens, and services check those of Keycloak.
    front = named(deployment, "api-gateway-service").environ
    assert (front["MARKET_TOKENS"], front["MARKET_TOKENS_ISSUER"]) == ("front", issuer)
    assert deployment.ask_token is not None
    assert "token-service" not in deployments.modules(choice, project)
    off = deploy(project, replace(choice, settings={"MARKET_TOKENS": "off"}))
    assert off.ask_token is None
    assert deployments.programs(Choice("market-services"), project) == []


def test_a_program_is_of_the_release_of_its_image(project: Project) -> None:
    (program,) = deployments.programs(Choice("market-keycloak"), project)
    image = composefile.variables(project, {})["KEYCLOAK_IMAGE"]
    assert Path(program.archive).parent.name == image.rpartition(":")[2]


def test_the_front_is_asked_with_a_token(project: Project) -> None:
    deployment = deploy(project, Choice("market-monolith", settings={"MARKET_TOKENS": "front"}))
    asked = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append((request.method, str(request.url), request.headers.get("Authorization")))
        if request.url.path == "/oauth2/token":
            return httpx.Response(200, json={"access_token": "abc"})
        return httpx.Response(200, json=[{}] * 36)

    with httpx.Client(transport=httpx.MockTransport(answer)) as http:
        assert deployment.converged(http) is None
    assert asked == [
        ("POST", "http://127.0.0.1:8096/oauth2/token", None),
        ("GET", "http://127.0.0.1:8099/api/beans/countries", "Bearer abc"),
        ("GET", "http://127.0.0.1:8099/api/beans/1", "Bearer abc"),
    ]


def test_tokens_are_refused_in_containers(project: Project) -> None:
    choice = Choice("market-services", backends="docker", settings={"MARKET_TOKENS": "front"})
    with pytest.raises(UserError, match="MARKET_TOKENS is for services as processes only"):
        in_containers(choice, project, os.environ)


def test_a_postgresql_of_ones_own_is_reached_with_its_account(project: Project) -> None:
    usual = deploy(project, Choice("market-services", backends="local"))
    given = deploy(
        project, Choice("market-services", backends="local"), POSTGRESQL_URI="postgresql://db"
    )

    assert usual.postgresql_uri == "postgresql://testbed:testbed@127.0.0.1:5632"
    assert named(usual, "beans-service").environ["MARKET_DB_USER"] == "testbed"
    assert given.postgresql_uri == "postgresql://db"


def test_the_tables_of_postgresqls_container_are_reached_with_its_account(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = {"POSTGRES_USER": "a", "POSTGRES_PASSWORD": "b/c"}
    services = {
        "postgresql": {"ports": [{"target": 5432, "published": "5433"}], "environment": account},
        "market-service": {"ports": [{"target": 8099, "published": "8099"}]},
    }
    (tmp_path / "answer").write_text(json.dumps({"name": "testbed", "services": services}))
    docker(tmp_path, f"cat {tmp_path}/answer", monkeypatch)

    deployment = in_containers(Choice("market-monolith", backends="docker"), project, os.environ)

    assert deployment.postgresql_uri == "postgresql://a:b%2Fc@127.0.0.1:5433"


SCALED = {"cinema-ucd-service": 3, "cinema-cineworld-service": 2, "cinema-dundrum-service": 1}


@pytest.mark.parametrize("variant", systems.compared())
def test_an_instance_differs_from_the_first_in_name_and_ports_alone(
    project: Project, variant: str
) -> None:
    deployment = deploy(project, Choice(variant, replicas=SCALED, port_offset=1000))

    cinemas = [service for service in deployment.services if service.name.startswith("cinema-")]
    assert {service.name: service.ports for service in cinemas} == {
        "cinema-cineworld-service": (9182, 9082),
        "cinema-cineworld-service.2": (9500, 9400),
        "cinema-dundrum-service": (9183, 9083),
        "cinema-ucd-service": (9184, 9084),
        "cinema-ucd-service.2": (9501, 9401),
        "cinema-ucd-service.3": (9502, 9402),
    }
    first, third = (named(deployment, f"cinema-ucd-service{end}") for end in ("", ".3"))
    assert third.command == first.command
    ports = {"SERVER_PORT": "9402", "MANAGEMENT_SERVER_PORT": "9502"}
    assert third.environ == {**first.environ, **ports}
    # They start together.
    assert any({first.name, third.name} <= phase for phase in phases(deployment))


@pytest.mark.parametrize("variant", systems.names())
def test_no_port_of_a_compose_file_is_one_of_a_further_instance_in_any_slot(
    project: Project, variant: str
) -> None:
    distance = MANAGEMENT_DISTANCE
    further = {(port + above) % 1000 for port in FURTHER_PORTS for above in (0, distance)}
    services = composefile.read(
        project.root / systems.declaration(variant).compose, composefile.variables(project, {})
    )

    assert not {
        port
        for service in services.values()
        for port in service.ports.values()
        if port % 1000 in further
    }


def test_a_cinema_with_tickets_starts_after_who_builds_them(project: Project) -> None:
    queue = deploy(project, Choice("ticket-queue", port_offset=1000))

    assert phases(queue) == [
        {"embedded-backends"},
        {"ticket-service"},
        {"cinema-cineworld-service"},
    ]
    cinema = named(queue, "cinema-cineworld-service").environ
    assert cinema["TICKET_URL"] == "http://127.0.0.1:9086"
    assert cinema["CINEMA_TICKETS"] == "queue"
    for name in ("cinema-cineworld-service", "ticket-service"):
        assert named(queue, name).environ["RABBITMQ_USERNAME"] == "guest"
    composite = deploy(project, Choice("ticket-composite"))
    assert phases(composite) == [{"embedded-backends"}, {"cinema-cineworld-service"}]
    assert not any(
        "RABBITMQ" in setting for setting in named(composite, "cinema-cineworld-service").environ
    )


def test_the_front_door_of_a_system_may_have_several_instances(project: Project) -> None:
    three = {"cinema-cineworld-service": 3}
    choice = Choice("cinema-direct", port_offset=1000, replicas=three)

    assert deploy(project, choice).front_ports == (9099, 9400, 9401)
    assert deploy(project, replace(choice, variant="sync")).front_ports == (9099,)
    with pytest.raises(UserError, match="cinema-cineworld-service, cannot be several containers"):
        in_containers(choice, project, ENVIRON)


def test_instances_that_must_know_their_number_are_processes(project: Project) -> None:
    choice = Choice("async", replicas={"broker-service": 3})
    deployment = deploy(project, choice)

    numbers = [
        named(deployment, name).environ.get("BROKER_NUMBER")
        for name in ("broker-service", "broker-service.2", "broker-service.3")
    ]
    assert numbers == [None, "2", "3"]
    assert len(deployment.front_ports) == 3
    with pytest.raises(UserError, match="broker-service need a number"):
        in_containers(choice, project, ENVIRON)


def test_instances_that_an_autoscaler_may_start_are_spare(project: Project) -> None:
    three = {"cinema-ucd-service": 3}
    choice = Choice("sync", port_offset=1000, replicas=three, at_first={"cinema-ucd-service": 1})
    deployment = deploy(project, choice)

    assert [service.name for service in deployment.spare] == [
        "cinema-ucd-service.2",
        "cinema-ucd-service.3",
    ]
    assert not any("." in service.name for phase in deployment.phases for service in phase)
    # Their ports must be free too.
    assert deployment.ports["cinema-ucd-service.3"] == (9501, 9401)
    all_at_once = deploy(project, replace(choice, at_first={}))
    assert all_at_once.spare == ()
    assert deployment.spare == all_at_once.phases[-1][-2:]


def test_a_chain_is_started_from_its_end(project: Project) -> None:
    deployment = deploy(project, Choice("poster-chain-forward", port_offset=1000))

    assert phases(deployment) == [{"poster-labeler"}, {"poster-converter"}, {"poster-adjuster"}]
    converter = named(deployment, "poster-converter").environ
    assert converter["POSTER_NEXT"] == "http://127.0.0.1:9092"
    assert converter["POSTER_FIRST"] == "http://127.0.0.1:9099"
    assert deployment.mongodb_uri is None


@pytest.mark.parametrize("variant", systems.names())
def test_the_health_of_a_service_is_at_its_port_and_100(project: Project, variant: str) -> None:
    for service in deployments.described(Choice(variant), project, ENVIRON).values():
        if service.module:
            port = int(service.environment["SERVER_PORT"])
            assert service.inside == (port + MANAGEMENT_DISTANCE, port), service.name
            assert all(host == inside for inside, host in service.ports.items()), service.name


@pytest.mark.parametrize("variant", systems.names())
def test_no_service_has_a_port_of_another_in_any_slot(project: Project, variant: str) -> None:
    services = composefile.read(
        project.root / systems.declaration(variant).compose, composefile.variables(project, {})
    )

    def ends(own: bool) -> list[int]:
        chosen = (service for service in services.values() if bool(service.module) is own)
        return [port % 1000 for service in chosen for port in service.ports.values()]

    assert len(ends(own=True)) == len(set(ends(own=True)) - set(ends(own=False)))


def test_there_are_ports_for_so_many_instances(project: Project) -> None:
    with pytest.raises(UserError, match="more than 100 further instances"):
        deploy(project, Choice("sync", replicas={"cinema-ucd-service": 102}))


@pytest.mark.parametrize("variant", systems.compared())
def test_of_a_kind_of_service_there_are_as_many_as_are_asked_for(
    project: Project, variant: str
) -> None:
    def cinemas(count: int) -> dict[str, str]:
        deployment = deploy(project, Choice(variant, replicas={"cinemas": count}))
        return {
            service.name: service.environ["CINEMA_NAME"]
            for service in deployment.services
            if service.name.startswith("cinema-")
        }

    assert cinemas(1) == {"cinema-cineworld-service": "cineworld"}
    assert list(cinemas(2).values()) == ["cineworld", "dundrum"]
    assert cinemas(5) == {
        "cinema-cineworld-service": "cineworld",
        "cinema-dundrum-service": "dundrum",
        "cinema-ucd-service": "ucd",
        "cinema-ucd-service.2": "ucd2",
        "cinema-ucd-service.3": "ucd3",
    }
    five = deploy(project, Choice(variant, replicas={"cinemas": 5}))
    assert named(five, "cinema-ucd-service.3").environ["CINEMA_CATALOGUE"].endswith("ucd.json")


@pytest.mark.parametrize(("count", "least"), [(1, 1), (3, 3), (12, 12)])
def test_a_system_is_complete_with_as_many_as_were_started(count: int, least: int) -> None:
    probes = Choice("sync", replicas={"cinemas": count}).complete().complete

    assert [probe.items for probe in probes if probe.items is not None] == [least]
    assert len(probes) == 1 + min(count, 3)
    assert Choice("sync").complete() == systems.declaration("sync")


def test_older_jars_are_those_of_the_services_alone(project: Project) -> None:
    choice = Choice("async", jars="older")
    deployment = deploy(project, choice)

    assert named(deployment, "broker-service").command[-1] == str(
        project.root / "older" / "broker-service.jar"
    )
    backends = project.jar("embedded-backends")
    assert named(deployment, "embedded-backends").command[-1] == str(backends)
    assert backends in deployments.jars(choice, project)
    assert project.root / "older" / "cinema-service.jar" in deployments.jars(choice, project)


@pytest.mark.parametrize("keys", [{"jars": "older"}, {"replicas": {"cinemas": 6}}])
def test_what_only_processes_can_have_is_refused_for_containers(
    project: Project, keys: dict[str, Any]
) -> None:
    with pytest.raises(UserError, match="for services as processes only"):
        in_containers(Choice("sync", backends="docker", **keys), project, ENVIRON)


def test_flags_of_the_jvm_are_a_setting_too(project: Project) -> None:
    choice = Choice("sync", settings={"JAVA_OPTS": "-XX:+UseG1GC"})
    deployment = deploy(project, choice, JAVA_OPTS="-Dx=1")

    command = named(deployment, "aggregator-service").command
    assert command[-3:-1] == ("-XX:+UseG1GC", "-jar")
    assert "-Dx=1" not in command


def test_the_embedded_backends_have_room_for_what_is_stored(project: Project) -> None:
    def last_heap(stored: int) -> str:
        backends = named(deploy(project, Choice("sync", stored=stored)), "embedded-backends")
        return [flag for flag in backends.command if flag.startswith("-Xmx")][-1]

    assert [last_heap(count) for count in (0, 100_000, 1_000_000)] == ["-Xmx3g", "-Xmx3g", "-Xmx7g"]


def test_each_instance_has_the_limits_of_its_service(project: Project) -> None:
    half = ServiceLimits(cpus=0.5)
    replicas = {"cinema-ucd-service": 2}
    deployment = deploy(
        project, Choice("async", replicas=replicas, limits={"cinema-ucd-service": half})
    )

    limited = {service.name for service in deployment.services if service.limits == half}
    assert limited == {"cinema-ucd-service", "cinema-ucd-service.2"}
    assert {service.limits for service in deployment.services} == {half, None}


@pytest.mark.parametrize("variant", systems.names())
def test_a_system_says_which_of_its_services_can_be_limited_and_scaled(
    project: Project, variant: str
) -> None:
    system = systems.declaration(variant)
    services = deployments.described(Choice(variant), project, ENVIRON)

    assert sorted(system.services) == sorted(
        name for name, service in services.items() if service.module
    )
    assert set(system.scalable) <= set(system.services)


def counting(*states: str) -> httpx.Response:
    instances = [{"status": state} for state in states]
    application = {"name": "CINEMA-UCD-SERVICE", "instance": instances}
    return httpx.Response(200, json={"applications": {"application": [application]}})


@pytest.mark.parametrize(
    ("states", "missing"),
    [
        (("UP", "UP", "UP"), None),
        (("UP", "UP"), "the registry has 2 of 3 instances of cinema-ucd-service"),
    ],
)
def test_sync_has_converged_when_the_registry_has_every_instance(
    project: Project, states: tuple[str, ...], missing: str | None
) -> None:
    replicas = {"cinema-ucd-service": 3, "cinema-dundrum-service": 1}
    deployment = deploy(project, Choice("sync", replicas=replicas, port_offset=100))

    with front_door(**sync_answers(eureka_apps=counting(*states))) as client:
        assert deployment.converged(client) == missing


def test_the_registry_is_asked_with_its_account(project: Project) -> None:
    choice = Choice("sync", replicas={"cinema-dundrum-service": 2})
    deployment = deploy(project, choice, EUREKA_USERNAME="services", EUREKA_PASSWORD="secret")
    environ = named(deployment, "eureka-server").environ
    asked: list[str | None] = []

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/eureka/apps":
            asked.append(request.headers.get("Authorization"))
            return counting()
        return httpx.Response(200, json=MOVIES)

    with httpx.Client(transport=httpx.MockTransport(answer)) as client:
        deployment.converged(client)
    assert (environ["EUREKA_USERNAME"], environ["EUREKA_PASSWORD"]) == ("services", "secret")
    # services:secret
    assert asked == ["Basic c2VydmljZXM6c2VjcmV0"]


def test_a_service_that_registers_nowhere_may_have_several_instances(project: Project) -> None:
    choice = Choice("feed-gateway", replicas={"api-gateway-service": 2})
    assert len(deploy(project, choice).front_ports) == 2


def test_no_instance_is_looked_for_that_is_not_started(project: Project) -> None:
    choice = Choice("sync", at_first={"cinema-ucd-service": 2})
    with front_door(**sync_answers()) as http:
        assert deploy(project, choice).converged(http) is None


def test_async_has_no_registry_to_ask(project: Project) -> None:
    deployment = deploy(project, Choice("async", replicas={"cinema-ucd-service": 3}))
    answers = {
        "api_movie_list": httpx.Response(202, text="id-1"),
        "api_movie_list_id-1": httpx.Response(200, json=MOVIES),
    }

    with front_door(**answers) as client:
        assert deployment.converged(client) is None


MOVIES = [{"cinemaName": name} for name in ("cineworld", "dundrum", "ucd")]


def front_door(**answers: httpx.Response) -> httpx.Client:
    """Return a client whose requests are answered by path, its slashes as underscores."""

    def answer(request: httpx.Request) -> httpx.Response:
        return answers[request.url.path.strip("/").replace("/", "_")]

    return httpx.Client(transport=httpx.MockTransport(answer))


def sync_answers(**changed: httpx.Response) -> dict[str, httpx.Response]:
    cinemas = {
        f"cinema_{cinema['cinemaName']}_movie_list": httpx.Response(200) for cinema in MOVIES
    }
    return {"api_movie_list": httpx.Response(200, json=MOVIES), **cinemas, **changed}


@pytest.mark.parametrize(
    ("changed", "missing"),
    [
        ({}, None),
        ({"api_movie_list": httpx.Response(503)}, "GET /api/movie/list answers 503"),
        (
            {
                "api_movie_list": httpx.Response(
                    200, json=MOVIES[:2], headers={"Cinemas-Missing": "ucd"}
                )
            },
            "GET /api/movie/list misses ucd",
        ),
        # Right after the start: a registry that does not know all of them yet.
        (
            {"api_movie_list": httpx.Response(200, json=MOVIES[:1])},
            "GET /api/movie/list has 1 of 3 entries",
        ),
        (
            {"cinema_ucd_movie_list": httpx.Response(503)},
            "GET /cinema/ucd/movie/list answers 503",
        ),
    ],
)
def test_sync_has_converged_when_the_front_door_reaches_every_cinema(
    changed: dict[str, httpx.Response], missing: str | None
) -> None:
    with front_door(**sync_answers(**changed)) as client:
        assert deployments.convergence(systems.declaration("sync"), 8099)(client) == missing


@pytest.mark.parametrize(
    ("request_answer", "fetched", "missing"),
    [
        (httpx.Response(202, text="id-1"), httpx.Response(200, json=MOVIES), None),
        (
            httpx.Response(503),
            httpx.Response(200, json=MOVIES),
            "GET /api/movie/list answers 503",
        ),
        (
            httpx.Response(202, text="id-1"),
            httpx.Response(202),
            "the result of GET /api/movie/list answers 202",
        ),
        (
            httpx.Response(202, text="id-1"),
            httpx.Response(200, json=MOVIES[:2]),
            "the result of GET /api/movie/list has 2 of 3 entries",
        ),
        (
            httpx.Response(202, text="id-1"),
            httpx.Response(200, text="<html>"),
            "the result of GET /api/movie/list is no list in JSON",
        ),
    ],
)
def test_async_has_converged_when_a_fetched_list_is_whole(
    request_answer: httpx.Response, fetched: httpx.Response, missing: str | None
) -> None:
    answers = {"api_movie_list": request_answer, "api_movie_list_id-1": fetched}
    with front_door(**answers) as client:
        assert deployments.convergence(systems.declaration("async"), 8099)(client) == missing


@pytest.mark.parametrize(
    ("token", "missing"), [(None, None), ("right", "GET /api/inventory/orders answers 401")]
)
def test_a_request_that_needs_an_account_does_not_hold_up_a_start(
    token: str | None, missing: str | None
) -> None:
    answers = {
        "api_beans_countries": httpx.Response(200, json=[{}] * 36),
        "api_beans_1": httpx.Response(200),
        "api_inventory_orders": httpx.Response(401),
    }
    fetch = None if token is None else lambda _: token
    with front_door(**answers) as client:
        market = systems.declaration("market-services")
        assert deployments.convergence(market, 8099, fetch=fetch)(client) == missing


def test_a_system_that_runs_already_is_asked_where_it_is_and_left_as_it_is(
    tmp_path: Path,
) -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(f"{request.url.host}:{request.url.port}")
        return sync_answers()[request.url.path.strip("/").replace("/", "_")]

    deployment = deployments.elsewhere("sync", "thesis", "http://192.0.2.7:31080")
    with httpx.Client(transport=httpx.MockTransport(answer)) as client:
        assert deployment.converged(client) is None
    assert set(asked) == {"192.0.2.7:31080"}
    assert (deployment.front_host, deployment.front_ports) == ("192.0.2.7", (31080,))
    assert deployment.mongodb_uri is None

    project = Project(tmp_path, tmp_path / ".testbed")
    stack = Stack(project, replace(deployment, converged=lambda _: None), os.environ)
    stack.start()
    try:
        assert stack.record.running == ()
        assert (stack.meter().read(), stack.pids(), stack.endpoints()) == ({}, (), {})
        stack.require_alive()
    finally:
        assert stack.stop() == []


@pytest.mark.parametrize(
    ("variant", "front"), [("sync", "api-gateway-service"), ("async", "broker-service")]
)
def test_front_doors_have_accounts_and_ask_for_them_unless_told(
    project: Project, variant: str, front: str
) -> None:
    own = {"ACCESS_USERS": "jane:hers", "BIND_ADDRESS": "192.0.2.1"}
    usual = named(deploy(project, Choice(variant)), front).environ
    changed = named(deploy(project, Choice(variant), **own), front).environ
    off = named(deploy(project, Choice(variant, settings={"ACCESS_CONTROL": "off"})), front).environ

    assert "ACCESS_CONTROL" not in usual
    assert usual["ACCESS_PUBLISHED_AT"] == "127.0.0.1"
    assert (changed["ACCESS_USERS"], changed["ACCESS_PUBLISHED_AT"]) == ("jane:hers", "192.0.2.1")
    assert off["ACCESS_CONTROL"] == "off"
    for service in deploy(project, Choice(variant)).services:
        assert ("ACCESS_USERS" in service.environ) == (service.name == front)
