"""Runs a system on Kubernetes, from the manifests that its compose file gives, by ``kubectl``."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml

from testbed.deploy import groups, programs
from testbed.deploy.deployer import Notice, polls
from testbed.deploy.meter import MB, Meter
from testbed.deploy.record import Cluster
from testbed.experiment.parts import ServiceLimits
from testbed.model.errors import UserError
from testbed.model.systems import instance

STOP_TIMEOUT_S = 180.0

READY_LIMIT_S = 300.0
"""The least time limit of all pods together: images may have to be pulled."""

ASK_EVERY_S = 1.0
"""How often the cluster is asked while it is waited for."""

SERVICE = "app.kubernetes.io/name"
"""The label with the name of a pod's service."""

OURS = {"app.kubernetes.io/managed-by": "testbed"}
"""The label of namespaces that the harness makes and deletes."""

MOST_IMAGES = 50
"""Kubernetes lists at most so many images of a node by default."""

WITHOUT = "Choose backends docker, or embedded if the system does not need containers."

COUNTS = {"Deployment": "replicas", "Job": "parallelism"}
"""The kinds of objects that create pods, and the key of ``spec`` with the number of pods."""

STUCK = (
    *("ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull", "InvalidImageName"),
    *("CreateContainerConfigError", "CreateContainerError", "CrashLoopBackOff"),
)
"""Reasons for waiting that do not resolve by themselves."""

NOTHING: Mapping[str, Any] = MappingProxyType({})

_UNITS = {"": 1.0, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
_UNITS |= {f"{unit}i": 2.0**power for unit, power in zip("KMGTPE", range(10, 70, 10), strict=True)}


@dataclass(frozen=True)
class Pod:
    """A pod of a system.

    `problem` says why it cannot become ready; None if nothing prevents it.
    """

    service: str
    name: str
    ready: bool
    restarts: int
    problem: str | None = None


def context() -> str:
    """Return the current context; raise `UserError` if there is none or it does not answer."""
    if shutil.which("kubectl") is None:
        raise UserError("kubectl not found on PATH", f"Install it. {WITHOUT}")
    answer = programs.ask(("kubectl", "config", "current-context"))
    if answer.returncode != 0:
        raise UserError("kubectl has no current context", f"kubectl config use-context. {WITHOUT}")
    name = answer.stdout.strip()
    answer = programs.ask((*_at(name), "get", "--raw", "/readyz", "--request-timeout=10s"))
    if answer.returncode != 0:
        raise UserError(
            f"the cluster of context {name!r} does not answer:\n{answer.stderr.strip()}"
        )
    return name


def manifests(folder: Path) -> list[dict[str, Any]]:
    """Return what a kustomization makes; raise `UserError` if it makes nothing."""
    if not folder.is_dir():
        raise UserError(f"no manifests in {folder}")
    return [
        document
        for document in yaml.safe_load_all(_kubectl(("kubectl", "kustomize", str(folder))))
        if document
    ]


def changed(
    documents: Iterable[dict[str, Any]],
    namespace: str,
    settings: Mapping[str, Mapping[str, str]] = NOTHING,
    replicas: Mapping[str, int] = NOTHING,
    limits: Mapping[str, ServiceLimits] = NOTHING,
) -> list[dict[str, Any]]:
    """Return manifests in a namespace of their own, with another deployment of some services.

    `settings` has the environment of each service. A job has as many pods as its service has
    `replicas`.
    """
    copies = []
    for document in documents:
        copy = json.loads(json.dumps(document))
        name, spec = copy["metadata"]["name"], copy.get("spec", {})
        copy["metadata"]["namespace"] = namespace
        if copy["kind"] == "Namespace":
            labels = copy["metadata"].get("labels", {}) | OURS
            copy["metadata"] = {"name": namespace, "labels": labels}
        elif copy["kind"] == "Deployment":
            (container,) = spec["template"]["spec"]["containers"]
            own = settings.get(name, {})
            kept = [each for each in container.get("env", ()) if each["name"] not in own]
            container["env"] = kept + [{"name": key, "value": own[key]} for key in own]
            spec["replicas"] = replicas.get(name, spec.get("replicas", 1))
            if (limit := limits.get(name)) is not None:
                resources = container["resources"]
                for what in ("requests", "limits"):
                    resources[what] = resources[what] | _resources(limit)
        elif copy["kind"] == "Job":
            spec |= dict.fromkeys(("completions", "parallelism"), replicas.get(name, 1))
        copies.append(copy)
    return copies


def _resources(limit: ServiceLimits) -> dict[str, str]:
    resources = {} if limit.cpus is None else {"cpu": f"{round(1000 * limit.cpus)}m"}
    if limit.memory_mb is not None:
        resources["memory"] = str(limit.memory_mb * MB)
    return resources


def require_possible(cluster: Cluster, documents: Iterable[Mapping[str, Any]]) -> None:
    """Check that a namespace is new, and that the cluster has the images and the room for its pods.

    Raises `UserError` if not.
    """
    if programs.ask((*_at(cluster.context), "get", "namespace", cluster.namespace)).returncode == 0:
        raise UserError(
            f"namespace {cluster.namespace} exists in the cluster of context {cluster.context!r}",
            f"kubectl delete namespace {cluster.namespace}",
        )
    wanted, there = list(documents), _items(cluster.context, "nodes")
    _require_room(cluster.context, there, wanted)
    _require_images(cluster.context, there, wanted)


def _require_room(
    name: str, nodes: Iterable[Mapping[str, Any]], documents: Iterable[Mapping[str, Any]]
) -> None:
    """Check that the nodes of a context have what pods request; raise `UserError` if not."""
    others = _items(name, "pods", "--all-namespaces")
    asked = [
        (count, document["spec"]["template"]["spec"]) for document, count in _counted(documents)
    ]
    for what, unit, size in (("cpu", "cores", 1), ("memory", "GB of memory", 1e9)):
        has = sum(quantity(node["status"]["allocatable"][what]) for node in nodes)
        used = sum(
            _requested(pod["spec"], what)
            for pod in others
            if pod["status"].get("phase") in ("Pending", "Running")
        )
        wanted = sum(count * _requested(spec, what) for count, spec in asked)
        if wanted > has - used:
            raise UserError(
                f"the nodes of context {name!r} have {(has - used) / size:.1f} {unit} left, "
                f"and the pods request {wanted / size:.1f}",
                "Give their services smaller limits, or a kustomization of your own "
                "(KUBERNETES_OVERLAYS) smaller requests.",
            )


def expected(documents: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return how many pods each service shall have."""
    return {document["metadata"]["name"]: count for document, count in _counted(documents)}


def _counted(
    documents: Iterable[Mapping[str, Any]],
) -> Iterator[tuple[Mapping[str, Any], int]]:
    """Yield each object that creates pods, and their number."""
    for document in documents:
        if (count := COUNTS.get(document["kind"])) is not None:
            yield document, document["spec"].get(count, 1)


def _requested(spec: Mapping[str, Any], what: str) -> float:
    return sum(
        quantity(container.get("resources", {}).get("requests", {}).get(what, "0"))
        for container in spec["containers"]
    )


def quantity(value: str | float) -> float:
    """Return a quantity of Kubernetes, such as ``250m``, ``64Mi`` or 2."""
    text = str(value)
    digits = text.rstrip("".join(filter(str.isalpha, text)))
    return float(digits) * _UNITS[text[len(digits) :]]


def _require_images(
    name: str, nodes: Iterable[Mapping[str, Any]], documents: Iterable[Mapping[str, Any]]
) -> None:
    """Check that images of our own are on a node; raise `UserError` with those that are not.

    Others can be pulled. Nothing is checked if a node may have more images than it lists.
    """
    listed = [node["status"].get("images", ()) for node in nodes]
    if any(len(some) >= MOST_IMAGES for some in listed):
        return
    there = {
        tag.removeprefix("docker.io/").removeprefix("library/").removesuffix(":latest")
        for some in listed
        for image in some
        # An image whose tag moved to a newer image has no names.
        for tag in image.get("names") or ()
    }
    wanted = sorted({image for image in images(documents).values() if _is_built(image)})
    missing = [image for image in wanted if image.removesuffix(":latest") not in there]
    if missing:
        raise UserError(
            f"no node of context {name!r} has {', '.join(missing)}",
            "Build and load them, or name your registry in a kustomization of your own "
            "(docs/kubernetes.md).",
        )


def _is_built(image: str) -> bool:
    """Return whether an image is one that users build: no registry has it."""
    first, _, _ = image.partition("/")
    return first.startswith("testbed") and not {".", ":"} & set(first)


def images(documents: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return the image of each service."""
    return {
        document["metadata"]["name"]: document["spec"]["template"]["spec"]["containers"][0]["image"]
        for document, _ in _counted(documents)
    }


def described(name: str) -> dict[str, Any]:
    """Return the versions and sizes of a cluster, as plain data."""
    return {
        "version": json.loads(_kubectl((*_at(name), "version", "--output=json")))["serverVersion"][
            "gitVersion"
        ],
        "nodes": [
            {
                **{key: node["status"]["capacity"][key] for key in ("cpu", "memory")},
                **{
                    key: node["status"]["nodeInfo"][key]
                    for key in ("kubeletVersion", "containerRuntimeVersion", "kernelVersion")
                },
            }
            for node in _items(name, "nodes")
        ],
    }


def apply(cluster: Cluster, documents: Iterable[Mapping[str, Any]]) -> None:
    """Create what is described; raise `UserError` if the cluster refuses."""
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(documents)})
    _kubectl((*_at(cluster.context), "apply", "--filename=-"), given=text)


def delete(cluster: Cluster) -> None:
    """Delete the namespace with all that is in it, if the harness has made it."""
    (ours,) = OURS.items()
    namespaces = _items(cluster.context, "namespaces", f"--selector={'='.join(ours)}")
    if cluster.namespace in (namespace["metadata"]["name"] for namespace in namespaces):
        _kubectl(
            (*_at(cluster.context), "delete", "namespace", cluster.namespace),
            timeout_s=STOP_TIMEOUT_S,
        )


def pods(cluster: Cluster) -> dict[str, Pod]:
    """Return the pods of a system that are not being deleted, by instance, the oldest first."""
    documents = _items(cluster.context, "pods", f"--namespace={cluster.namespace}")
    counted: dict[str, int] = {}
    by_name = {}
    for pod in sorted(documents, key=_age):
        if "deletionTimestamp" in pod["metadata"]:
            continue
        service = pod["metadata"]["labels"][SERVICE]
        counted[service] = counted.get(service, 0) + 1
        by_name[instance(service, counted[service])] = Pod(
            service,
            pod["metadata"]["name"],
            _is_ready(pod),
            sum(each["restartCount"] for each in pod["status"].get("containerStatuses", ())),
            next(_problems(pod), None),
        )
    return by_name


def late(
    cluster: Cluster, expected: Mapping[str, int], limit_s: float, notice: Notice = lambda _: None
) -> list[str]:
    """Wait until so many pods of each service are ready; return the services that are late.

    Raises `UserError` if one of them does not start.
    """
    missing: list[str] = []
    for _ in polls(limit_s, ASK_EVERY_S):
        present = pods(cluster).values()
        for pod in present:
            if pod.problem is not None and pod.service in expected:
                raise UserError(f"pod {pod.name} does not start: {pod.problem}")
        missing = [
            service
            for service, count in expected.items()
            if sum(pod.ready for pod in present if pod.service == service) < count
        ]
        if not missing:
            break
        notice(", ".join(missing))
    return missing


def _age(pod: Mapping[str, Any]) -> tuple[str, str]:
    """Return a sort key: the creation time in whole seconds, then the name."""
    return pod["metadata"]["creationTimestamp"], pod["metadata"]["name"]


def _problems(pod: Mapping[str, Any]) -> Iterator[str]:
    status = pod["status"]
    if status.get("phase") == "Failed":
        yield status.get("message") or status.get("reason") or "it has failed"
    for condition in status.get("conditions", ()):
        if condition.get("reason") == "Unschedulable":
            yield condition.get("message", "it fits no node")
    for container in (
        *status.get("initContainerStatuses", ()),
        *status.get("containerStatuses", ()),
    ):
        waiting = container.get("state", {}).get("waiting") or {}
        if waiting.get("reason") in STUCK:
            yield f"{waiting['reason']}: {waiting.get('message', 'no message')}"


def logs(cluster: Cluster, pod: str) -> str:
    return programs.ask((*_within(cluster), "logs", pod, "--tail=2000")).stdout


def logs_command(cluster: Cluster, service: str | None, follow: bool) -> list[str]:
    what = [f"deployment/{service}"] if service else [f"--selector={SERVICE}", "--prefix"]
    options = ["--tail=100", *(["--follow", "--max-log-requests=99"] if follow else [])]
    return [*_within(cluster), "logs", *what, *options]


def forward_command(cluster: Cluster, service: str, local: int, port: int) -> list[str]:
    """Return the command that leads from a port of this machine to one of a service."""
    return [*_within(cluster), "port-forward", f"service/{service}", f"{local}:{port}"]


def meter(cluster: Cluster, names: Mapping[str, str]) -> Meter:
    """Return the meter that reads pods from inside; `names` has their names by instance."""
    return groups.InnerMeter({name: enter_command(cluster, pod) for name, pod in names.items()})


def enter_command(cluster: Cluster, pod: str, *options: str) -> tuple[str, ...]:
    """Return the prefix that runs a command in a pod; `options` are those of exec."""
    return (*_within(cluster), "exec", *options, pod, "--")


def _is_ready(pod: Mapping[str, Any]) -> bool:
    return any(
        each["type"] == "Ready" and each["status"] == "True"
        for each in pod["status"].get("conditions", ())
    )


def _items(name: str, *what: str) -> list[dict[str, Any]]:
    answer = json.loads(_kubectl((*_at(name), "get", *what, "--output=json")))
    return list(answer["items"])


def _at(name: str) -> tuple[str, ...]:
    return ("kubectl", "--context", name)


def _within(cluster: Cluster) -> tuple[str, ...]:
    return (*_at(cluster.context), "--namespace", cluster.namespace)


def _kubectl(command: tuple[str, ...], **options: Any) -> str:
    return programs.output_of("kubectl", command, **options)
