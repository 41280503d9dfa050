"""A system on Kubernetes is started in a namespace of its own, by kubectl."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from testbed.deploy import leftovers, ports, record
from testbed.deploy.deployments import Choice
from testbed.deploy.kubernetes import cluster
from testbed.deploy.kubernetes.deployer import ClusterDeployer
from testbed.deploy.places import deployer
from testbed.deploy.record import Cluster
from testbed.deploy.stack import Stack
from testbed.experiment.parts import ServiceLimits
from testbed.model.errors import UserError
from testbed.model.project import Project

from .conftest import fake_service
from .fake_cluster import CONTEXT, GATEWAY, IMAGES, Kubectl, node, pod

CINEMA = "cinema-ucd-service"
RUN = Cluster(CONTEXT, "testbed-run-sync")
ROOT = Project.find().root


@pytest.fixture
def kubectl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kubectl:
    fake = Kubectl(tmp_path / "kubectl", monkeypatch)
    fake.has("namespaces", {"metadata": {"name": RUN.namespace}})
    services = ROOT / "kubernetes" / "overlays" / "sync" / "services.yaml"
    fake.makes(*yaml.safe_load_all(services.read_text()))
    return fake


def small(**changes: Any) -> Choice:
    names = ("eureka-server", "aggregator-service", GATEWAY, CINEMA)
    names += ("cinema-cineworld-service", "cinema-dundrum-service")
    limits = {name: ServiceLimits(cpus=0.25, memory_mb=200) for name in names}
    return replace(Choice("sync", backends="kubernetes", limits=limits), **changes)


def in_cluster(choice: Choice) -> Any:
    return ClusterDeployer.describe(choice, Project.find(), {})


def of_kind(documents: Any, kind: str) -> dict[str, dict[str, Any]]:
    return {one["metadata"]["name"]: one for one in documents if one["kind"] == kind}


def test_the_manifests_get_a_namespace_settings_instances_and_limits(kubectl: Kubectl) -> None:
    found = in_cluster(small(settings={"CINEMA_SEATS": "7"}, preset="thesis", replicas={CINEMA: 2}))

    assert found.cluster == RUN
    (namespace,) = of_kind(found.manifests, "Namespace").values()
    assert namespace["metadata"]["name"] == RUN.namespace
    assert namespace["metadata"]["labels"].items() >= cluster.OURS.items()
    others = [one for one in found.manifests if one["kind"] != "Namespace"]
    assert {one["metadata"]["namespace"] for one in others} == {RUN.namespace}
    made = of_kind(found.manifests, "Deployment")
    assert (made[CINEMA]["spec"]["replicas"], made[GATEWAY]["spec"]["replicas"]) == (2, 1)
    (container,) = made[CINEMA]["spec"]["template"]["spec"]["containers"]
    settings = {one["name"]: one.get("value") for one in container["env"]}
    assert len(settings) == len(container["env"])
    assert settings.items() >= {"CINEMA_SEATS": "7", "TESTBED_PRESET": "thesis"}.items()
    size = {"cpu": "250m", "memory": "200000000"}
    assert container["resources"] == {"requests": size, "limits": size}
    (database,) = made["mongodb"]["spec"]["template"]["spec"]["containers"]
    assert "CINEMA_SEATS" not in {one["name"] for one in database["env"]}
    # Nothing is published outside the cluster.
    assert all("type" not in one["spec"] for one in of_kind(found.manifests, "Service").values())
    assert (found.front_host, found.front_ports) == (f"{GATEWAY}.testbed-run-sync.svc", (8099,))
    assert found.forwarded == {GATEWAY: (8099, 8099), "mongodb": (27017, 27017)}
    assert found.mongodb_uri == "mongodb://testbed:testbed@127.0.0.1:27017/?directConnection=true"


def test_systems_beside_each_other_share_nothing(kubectl: Kubectl) -> None:
    one, other = (in_cluster(small(port_offset=offset)) for offset in (0, 1000))

    assert one.cluster.namespace != other.cluster.namespace
    assert one.front_host != other.front_host
    taken, others = (
        {port for some in each.ports.values() for port in some} for each in (one, other)
    )
    assert not taken & others


def test_what_cannot_be_started_is_told_before_anything_changes(
    kubectl: Kubectl, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UserError, match=r"have 7.5 cores left, and the pods request 1\d"):
        kubectl.has("pods", pod(CINEMA, "other"))
        in_cluster(Choice("sync", backends="kubernetes"))
    kubectl.has("nodes", node(memory="1Gi"))
    with pytest.raises(UserError, match=r"have 0\.0 GB of memory left"):
        in_cluster(small())
    kubectl.has("nodes", node(images=IMAGES[1:]))
    with pytest.raises(UserError, match="no node of context 'mine' has testbed/aggregator-service"):
        in_cluster(small())
    kubectl.has("nodes", node(images=tuple(f"mine/{number}" for number in range(50))))
    in_cluster(small())
    kubectl.absent(False)
    with pytest.raises(UserError, match=f"namespace {RUN.namespace} exists"):
        in_cluster(small())
    with pytest.raises(UserError, match="for services as processes only"):
        in_cluster(small(jars="old"))
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(UserError, match="kubectl not found"):
        in_cluster(small())
    assert not re.search("apply|delete|scale", kubectl.asked)


MakeStack = Callable[[], Stack]


@pytest.fixture
def make_stack(kubectl: Kubectl, tmp_path: Path) -> MakeStack:
    def made() -> Stack:
        found = in_cluster(small())
        (port,) = fake_service("database").ports
        forwarded = {"mongodb": (port, 27017)}
        expected = of_kind(found.manifests, "Deployment")
        kubectl.has("pods", *(pod(name, f"{name}-a1") for name in expected))
        project = Project(tmp_path, tmp_path / ".testbed")
        plain = replace(found, forwarded=forwarded, converged=lambda _: None)
        return Stack(project, plain, os.environ)

    return made


def test_a_system_is_started_measured_and_deleted(make_stack: MakeStack, kubectl: Kubectl) -> None:
    stack = make_stack()
    stack.start()
    try:
        assert len(kubectl.applied) == len(stack.deployment.manifests)
        (local,) = stack.deployment.ports["mongodb"]
        assert ports.accepts(local)
        used = stack.meter().read()
        assert used.keys() == of_kind(stack.deployment.manifests, "Deployment").keys()
        assert used[CINEMA].cpu_s == 5.0
        stack.require_alive()
        place = deployer(stack.record.backends)
        parts = {part.service: part for part in place.parts(stack.record)}
        assert parts.keys() == used.keys() | {"port-forward-mongodb"}
        assert (parts[CINEMA].state, parts[CINEMA].usage) == ("ready", used[CINEMA])
        assert place.logs_command(stack.record, CINEMA, False)[-2:] == [
            f"deployment/{CINEMA}",
            "--tail=100",
        ]
        with pytest.raises(UserError, match="cannot be stopped or started by itself"):
            stack.kill_service(CINEMA)
        with pytest.raises(UserError, match="cannot be suspended"), stack.suspended(CINEMA):
            pass
    finally:
        stack.stop()

    assert kubectl.asked.endswith("--context mine delete namespace testbed-run-sync\n")
    assert not ports.accepts(local)


def test_a_namespace_that_is_not_ours_is_left_alone(kubectl: Kubectl) -> None:
    kubectl.has("namespaces", {"metadata": {"name": "another"}})

    cluster.delete(RUN)

    assert "delete" not in kubectl.asked


def test_a_pod_that_does_not_start_is_told_and_all_is_deleted(
    make_stack: MakeStack, kubectl: Kubectl
) -> None:
    stack = make_stack()
    waiting = {"reason": "ImagePullBackOff", "message": "no such image"}
    stuck = {"containerStatuses": [{"restartCount": 0, "state": {"waiting": waiting}}]}
    kubectl.has("pods", pod(CINEMA, "ucd-a1", conditions=[], **stuck))

    with pytest.raises(UserError, match="pod ucd-a1 does not start: ImagePullBackOff: no such"):
        stack.start()

    assert "delete namespace testbed-run-sync" in kubectl.asked


def test_pods_that_are_late_or_start_again_are_told(
    make_stack: MakeStack, kubectl: Kubectl, tmp_path: Path
) -> None:
    stack = make_stack()
    stack.start()
    try:
        again = {"containerStatuses": [{"restartCount": 2, "state": {}}]}
        kubectl.has("pods", pod(CINEMA, "ucd-b2", 2), pod(CINEMA, "ucd-a1", 1, **again))
        with pytest.raises(UserError, match="pod ucd-a1 of cinema-ucd-service: started again 2"):
            stack.require_alive()
        assert (tmp_path / ".testbed" / "logs" / f"{CINEMA}.2.log").read_text() == "log of ucd-b2\n"
    finally:
        stack.stop()


def test_what_a_killed_command_left_is_deleted(make_stack: MakeStack, kubectl: Kubectl) -> None:
    stack = make_stack()
    stack.start(background=True)
    project = Project(ROOT, stack.record.running[0].log.parents[1])
    known = record.load(project)
    assert known is not None
    assert known.is_up

    leftovers.end(project, known)

    assert kubectl.asked.endswith("delete namespace testbed-run-sync\n")


@pytest.mark.parametrize(
    ("text", "value"),
    [("2", 2), ("250m", 0.25), ("64Mi", 64 * 2**20), ("1Gi", 2**30), ("1500k", 1.5e6)],
)
def test_quantities(text: str, value: float) -> None:
    assert cluster.quantity(text) == value
