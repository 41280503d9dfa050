"""The manifests for Kubernetes say what the compose files say, and what Kubernetes understands."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from jsonschema import Draft202012Validator, ValidationError

from testbed.deploy import composefile
from testbed.deploy.building import manifests
from testbed.model import systems
from testbed.model.project import Project

VERSION = "1.36"
FOLDER = Project.find().root / "kubernetes"


every_system = pytest.mark.parametrize("system", systems.names())


def documents(system: str) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((FOLDER / "overlays" / system / "services.yaml").read_text()))


def of_kind(system: str, kind: str) -> dict[str, dict[str, Any]]:
    return {
        resource["metadata"]["name"]: resource
        for resource in documents(system)
        if resource["kind"] == kind
    }


def pods(system: str) -> dict[str, dict[str, Any]]:
    return {
        name: deployment["spec"]["template"]
        for name, deployment in of_kind(system, "Deployment").items()
    }


def account_values() -> dict[str, str]:
    lines = (FOLDER / "base" / "accounts.env").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if not line.startswith("#"))


def environment(container: dict[str, Any]) -> dict[str, str]:
    """Return the settings of a container; references are to those that stand before."""
    accounts, settings = account_values(), {}
    for variable in container.get("env", ()):
        if "value" in variable:
            value = re.sub(r"\$\((\w+)\)", lambda name: settings[name[1]], variable["value"])
        else:
            assert variable["valueFrom"]["secretKeyRef"]["name"] == "accounts"
            value = accounts[variable["valueFrom"]["secretKeyRef"]["key"]]
        settings[variable["name"]] = value
    return settings


@every_system
def test_manifests_are_those_of_the_compose_files(system: str) -> None:
    folder = FOLDER / "overlays" / system
    made = manifests.overlay(Project.find(), systems.declaration(system), {})
    assert {file.name: file.read_text() for file in folder.iterdir()} == made


def test_every_system_has_an_overlay_and_the_accounts_are_those_of_the_compose_files() -> None:
    there = sorted(overlay.name for overlay in (FOLDER / "overlays").iterdir())
    assert there == sorted(systems.names())
    assert (FOLDER / "base" / "accounts.env").read_text() == manifests.accounts(Project.find(), {})


def test_accounts_of_a_further_file_take_the_place_of_those_of_the_project(tmp_path: Path) -> None:
    mine, name = tmp_path / "mine.env", sorted(manifests.ACCOUNTS)[0]
    mine.write_text(f"{name}=mine\n")
    made = manifests.accounts(Project.find(), {"TESTBED_ENV_FILE": str(mine)})
    assert f"{name}=mine" in made.splitlines()


def test_the_rules_are_those_of_prometheus() -> None:
    made = manifests.rules(Project.find())
    assert (FOLDER / "components" / "monitoring" / "rules.yaml").read_text() == made


def test_all_files_are_written(tmp_path: Path) -> None:
    for name in (
        ".env",
        "systems",
        "docker",
        "prometheus",
        *(file.name for file in Project.find().root.glob("docker-compose.*.yml")),
    ):
        (tmp_path / name).symlink_to(Project.find().root / name)
    project = Project(tmp_path, tmp_path / "state")
    written = manifests.write(project, tmp_path / "kubernetes", {})
    assert len(written) == 2 + 2 * len(systems.names())
    committed = [(Project.find().root / file.relative_to(tmp_path)).read_text() for file in written]
    assert [file.read_text() for file in written] == committed, "write them: ./testbed generate"

    # With an image of one's own.
    (tmp_path / "mine.env").write_text("MONGODB_IMAGE=mine/mongodb:1\n")
    environ = {"TESTBED_ENV_FILE": str(tmp_path / "mine.env")}
    manifests.write(project, tmp_path / "copy", environ)
    changed = (tmp_path / "copy" / "overlays" / "sync" / "services.yaml").read_text()
    assert "image: mine/mongodb:1" in changed


@every_system
def test_kubernetes_knows_every_field(system: str) -> None:
    for resource in documents(system):
        kubernetes_validate.validate(resource, VERSION, strict=True)
    policy = yaml.safe_load((FOLDER / "base" / "network-policy.yaml").read_text())
    kubernetes_validate.validate(policy, VERSION, strict=True)

    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate({**policy, "specification": {}}, VERSION, strict=True)


@every_system
def test_a_pod_has_the_settings_of_its_container(system: str) -> None:
    project = Project.find()
    file = project.root / systems.declaration(system).compose
    read = composefile.read(file, composefile.variables(project, {}))
    always = {name: service for name, service in read.items() if not service.profiles}
    templates = pods(system)

    assert set(templates) == set(always) == set(of_kind(system, "Service"))
    for name, service in always.items():
        (container,) = templates[name]["spec"]["containers"]
        # What other settings are made of, and addresses, which only Kubernetes gives.
        added = {
            *manifests.ACCOUNTS,
            "EUREKA_INSTANCE_PREFER_IP_ADDRESS",
        } - service.environment.keys()
        if (number := systems.declaration(system).numbered.get(name)) is not None:
            assert environment(container)[number] == manifests.DRAWN
            added.add(number)
        settings = environment(container).items()
        assert {key: value for key, value in settings if key not in added} == service.environment, (
            name
        )
        assert [port["containerPort"] for port in container["ports"]] == list(service.inside)
        awaited = {first["name"] for first in templates[name]["spec"].get("initContainers", ())}
        assert awaited == {f"await-{other}" for other in service.after}


@every_system
def test_names_lead_to_pods(system: str) -> None:
    templates, services = pods(system), of_kind(system, "Service")
    for name, service in services.items():
        labels = service["spec"]["selector"].items()
        (chosen,) = [
            other for other, pod in templates.items() if labels <= pod["metadata"]["labels"].items()
        ]
        assert chosen == name
        (container,) = templates[name]["spec"]["containers"]
        open_ports = {port["containerPort"] for port in container["ports"]}
        assert {port["port"] for port in service["spec"]["ports"]} == open_ports
        for kind in ("startupProbe", "readinessProbe", "livenessProbe"):
            probe = container[kind].get("httpGet") or container[kind]["tcpSocket"]
            assert probe["port"] in open_ports
        volumes = {volume["name"] for volume in templates[name]["spec"].get("volumes", ())}
        assert {mount["name"] for mount in container.get("volumeMounts", ())} <= volumes
        hosts = re.findall(r"(?://|@)([a-z][\w-]+):\d+", " ".join(environment(container).values()))
        assert set(hosts) <= set(services)
    for budget in of_kind(system, "PodDisruptionBudget").values():
        labels = budget["spec"]["selector"]["matchLabels"].items()
        assert any(labels <= pod["metadata"]["labels"].items() for pod in templates.values())


@every_system
def test_pods_may_do_nothing_that_they_need_not(system: str) -> None:
    networks = {
        name: policy["spec"]["podSelector"]["matchLabels"].items()
        for name, policy in of_kind(system, "NetworkPolicy").items()
    }
    for name, pod in pods(system).items():
        spec = pod["spec"]
        assert_harmless(spec)
        for container in [*spec.get("initContainers", ()), *spec["containers"]]:
            # Images of others that write beside their volumes.
            read_only = container["securityContext"]["readOnlyRootFilesystem"]
            assert read_only is (name not in ("rabbitmq", "keycloak"))
        members = {
            policy
            for policy, labels in networks.items()
            if labels <= pod["metadata"]["labels"].items()
        }
        front = systems.declaration(system).front.service
        assert ("front-door" in members) is (name == front)
        assert (name in ("mongodb", "postgresql")) is ("network-default" not in members)


def assert_harmless(spec: dict[str, Any]) -> None:
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert spec["automountServiceAccountToken"] is False
    for container in [*spec.get("initContainers", ()), *spec["containers"]]:
        context = container["securityContext"]
        assert context["capabilities"] == {"drop": ["ALL"]}
        assert context["allowPrivilegeEscalation"] is False
        assert container["resources"]["requests"] == container["resources"]["limits"]


@pytest.mark.parametrize("system", ["sync", "async"])
def test_autoscalers_are_for_services_of_the_systems(system: str) -> None:
    text = (FOLDER / "components" / "autoscaling" / "cinemas.yaml").read_text()
    for resource in yaml.safe_load_all(text):
        kubernetes_validate.validate(resource, VERSION, strict=True)
        target = resource["spec"]["scaleTargetRef"]
        assert target["kind"] == "Deployment"
        assert target["name"] in pods(system)


def scaled_by_queue() -> list[dict[str, Any]]:
    text = (FOLDER / "components" / "queue-scaling" / "cinemas.yaml").read_text()
    return list(yaml.safe_load_all(text))


def test_cinemas_are_scaled_by_their_own_queues() -> None:
    scaled = [resource for resource in scaled_by_queue() if resource["kind"] == "ScaledObject"]
    assert {resource["metadata"]["name"] for resource in scaled} == {
        name for name in pods("async") if name.startswith("cinema-")
    }
    for resource in scaled:
        name = resource["metadata"]["name"]
        assert resource["spec"]["scaleTargetRef"] == {"name": name}
        (trigger,) = resource["spec"]["triggers"]
        # As the class Topology names it.
        assert trigger["metadata"]["queueName"] == f"requestQueue-{name}"
        assert trigger["metadata"]["host"] == "amqp://rabbitmq.testbed-async.svc:5672/"
    assert "rabbitmq" in of_kind("async", "Service")


KEDA = "github.com/kedacore/keda/v2@v2.21.0"
PROMETHEUS_OPERATOR = "github.com/prometheus-operator/prometheus-operator@v0.85.0"


def kinds(module: str, *files: str) -> dict[str, Draft202012Validator]:
    """Return the schemas of further kinds, from a Go module; a field that they lack is wrong."""
    if shutil.which("go") is None:
        pytest.skip("no go")
    command = ["go", "mod", "download", "-json", module]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if answer.returncode:
        pytest.skip(f"{module} cannot be had: {answer.stdout}{answer.stderr}")
    folder = Path(json.loads(answer.stdout)["Dir"])
    validators = {}
    for file in files:
        kind = yaml.safe_load((folder / file).read_text())["spec"]
        (version,) = kind["versions"]
        schema = strict(version["schema"]["openAPIV3Schema"])
        validators[kind["names"]["kind"]] = Draft202012Validator(schema)
    return validators


@pytest.fixture(scope="module")
def keda() -> dict[str, Draft202012Validator]:
    bases = "config/crd/bases/keda.sh_"
    return kinds(KEDA, f"{bases}scaledobjects.yaml", f"{bases}triggerauthentications.yaml")


@pytest.fixture(scope="module")
def prometheus_operator() -> dict[str, Draft202012Validator]:
    bases = "example/prometheus-operator-crd/monitoring.coreos.com_"
    return kinds(PROMETHEUS_OPERATOR, f"{bases}podmonitors.yaml", f"{bases}prometheusrules.yaml")


def strict(schema: Any) -> Any:
    """Return a schema that allows no further fields where it names some."""
    if isinstance(schema, list):
        return [strict(element) for element in schema]
    if not isinstance(schema, dict):
        return schema
    properties = {name: strict(content) for name, content in schema.items()}
    return {"additionalProperties": False, **properties} if "properties" in schema else properties


def test_keda_knows_every_field(keda: dict[str, Draft202012Validator]) -> None:
    own = [
        resource for resource in scaled_by_queue() if resource["apiVersion"] == "keda.sh/v1alpha1"
    ]
    assert len(own) == 4
    for resource in own:
        keda[resource["kind"]].validate(resource)

    with pytest.raises(ValidationError, match="maxReplicas"):
        keda["ScaledObject"].validate({**own[0], "spec": {**own[0]["spec"], "maxReplicas": 3}})


def monitoring() -> dict[tuple[str, str], dict[str, Any]]:
    folder = FOLDER / "components" / "monitoring"
    loaded = [
        resource
        for file in ("pods.yaml", "rules.yaml")
        for resource in yaml.safe_load_all((folder / file).read_text())
    ]
    return {(resource["kind"], resource["metadata"]["name"]): resource for resource in loaded}


def test_the_operator_of_prometheus_knows_every_field(
    prometheus_operator: dict[str, Draft202012Validator],
) -> None:
    own = [resource for resource in monitoring().values() if resource["kind"] != "NetworkPolicy"]
    assert len(own) == 3
    for resource in own:
        prometheus_operator[resource["kind"]].validate(resource)


@every_system
def test_what_compose_files_scrape_is_scraped_in_a_cluster(system: str) -> None:
    targets = yaml.safe_load(
        (Project.find().root / "prometheus" / "targets" / f"{system}.yml").read_text()
    )
    wanted = {
        (group["labels"]["job"], group["labels"]["variant"], *target.split(":"))
        for group in targets
        for target in group["targets"]
        # Of Docker alone: they watch one machine, and a JMeter beside the containers.
        if group["labels"]["job"] not in ("jmeter", "machine", "prometheus")
    }
    scraped = set()
    for name, pod in pods(system).items():
        for (kind, job), monitor in monitoring().items():
            if kind != "PodMonitor":
                continue
            chosen = monitor["spec"]["selector"].get("matchLabels", {})
            if not chosen.items() <= pod["metadata"]["labels"].items():
                continue
            (endpoint,) = monitor["spec"]["podMetricsEndpoints"]
            ports = {
                str(port["containerPort"])
                for port in pod["spec"]["containers"][0]["ports"]
                if endpoint.get("port", "") == port.get("name")
                or endpoint.get("portNumber") == port["containerPort"]
            }
            variant = re.fullmatch(endpoint["relabelings"][0]["regex"], f"testbed-{system}")
            assert variant is not None
            scraped |= {(job, variant[1], name, port) for port in ports}
    assert scraped == wanted


def kustomized(folder: Path) -> Iterator[dict[str, Any]]:
    command = ["kubectl", "kustomize", str(folder)]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert answer.returncode == 0, answer.stderr
    yield from yaml.safe_load_all(answer.stdout)


needs_kubectl = pytest.mark.skipif(shutil.which("kubectl") is None, reason="no kubectl")


@needs_kubectl
@every_system
def test_an_overlay_is_all_that_kubectl_applies(system: str) -> None:
    applied = list(kustomized(FOLDER / "overlays" / system))
    for resource in applied:
        kubernetes_validate.validate(resource, VERSION, strict=True)
    (secret,) = (resource for resource in applied if resource["kind"] == "Secret")
    assert set(secret["data"]) == set(manifests.ACCOUNTS)
    named = {
        resource["metadata"].get("namespace")
        for resource in applied
        if resource["kind"] != "Namespace"
    }
    assert named == {f"testbed-{system}"}
    # Another Secret has another name, so that the pods that refer to it start anew.
    assert secret["metadata"]["name"].startswith("accounts-")
    assert len(applied) == len(documents(system)) + 2


def with_component(component: str, folder: Path) -> list[dict[str, Any]]:
    # A kustomization names its parts by relative paths.
    shutil.copytree(FOLDER, folder / "kubernetes")
    mine = {
        "resources": ["kubernetes/overlays/async"],
        "namespace": "testbed-async",
        "components": [f"kubernetes/components/{component}"],
    }
    (folder / "kustomization.yaml").write_text(yaml.safe_dump(mine))
    return list(kustomized(folder))


@needs_kubectl
def test_what_watches_an_overlay_is_in_its_namespace(tmp_path: Path) -> None:
    applied = with_component("monitoring", tmp_path)
    own = [
        resource["metadata"]["namespace"]
        for resource in applied
        if resource["kind"] == "PodMonitor"
    ]
    assert own == ["testbed-async"] * 2


@needs_kubectl
def test_keda_logs_in_with_the_account_of_the_overlay(tmp_path: Path) -> None:
    applied = {resource["kind"]: resource for resource in with_component("queue-scaling", tmp_path)}
    references = applied["TriggerAuthentication"]["spec"]["secretTargetRef"]
    assert {reference["name"] for reference in references} == {
        applied["Secret"]["metadata"]["name"]
    }
    assert {reference["key"] for reference in references} <= set(applied["Secret"]["data"])


@needs_kubectl
def test_pods_for_one_node_request_little_and_keep_their_limits(tmp_path: Path) -> None:
    # A kustomization names its parts by relative paths.
    shutil.copytree(FOLDER, tmp_path / "kubernetes")
    mine = {
        "resources": ["kubernetes/overlays/sync"],
        "namespace": "testbed-sync",
        "components": ["kubernetes/components/one-node", "kubernetes/components/autoscaling"],
        "images": [{"name": "testbed/cinema-service", "newName": "mine/cinema", "newTag": "7"}],
    }
    (tmp_path / "kustomization.yaml").write_text(yaml.safe_dump(mine))
    applied = list(kustomized(tmp_path))
    deployments = [resource for resource in applied if resource["kind"] == "Deployment"]
    scaled = [
        resource["metadata"]
        for resource in applied
        if resource["kind"] == "HorizontalPodAutoscaler"
    ]
    assert [metadata["namespace"] for metadata in scaled] == ["testbed-sync"] * 3

    assert len(deployments) == len(pods("sync"))
    for deployment in deployments:
        (container,) = deployment["spec"]["template"]["spec"]["containers"]
        assert container["resources"]["requests"] == {"cpu": "50m", "memory": "64Mi"}
        assert container["resources"]["limits"]["cpu"] == "2"
        if deployment["metadata"]["name"].startswith("cinema-"):
            assert container["image"] == "mine/cinema:7"
