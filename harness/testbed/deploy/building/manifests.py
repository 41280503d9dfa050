"""Writes ``kubernetes/overlays/SYSTEM`` from the systems' compose files.

Also the rules of Prometheus, as its operator reads them.

Images, settings, ports, health checks, limits, files and networks are those of the compose file.
After a change of one: ``./testbed generate``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dotenv
import yaml

from testbed.deploy import composefile
from testbed.deploy.composefile import ComposeService
from testbed.model import systems
from testbed.model.project import Project
from testbed.model.systems import SystemDeclaration

HEAD = """\
# Made from {file}: ./testbed generate
"""

ACCOUNTS = (
    *("ACCESS_USERS", "ACCESS_ADMINISTRATORS", "EUREKA_USERNAME", "EUREKA_PASSWORD"),
    *("MONGODB_USERNAME", "MONGODB_PASSWORD", "RABBITMQ_USERNAME", "RABBITMQ_PASSWORD"),
    *("POSTGRESQL_USERNAME", "POSTGRESQL_PASSWORD", "TOKEN_ACCOUNT", "TOKEN_SECRET"),
)
"""The variables of the compose files that are in the secret `accounts`."""

ENDPOINT_DELAY_S = 5
"""Seconds for which a stopping instance still serves, because requests may still reach it."""

DRAWN = "${random.int[2,2147483647]}"
"""Spring replaces this with a random number at start: a pod does not know its instance number."""

_WAITING = {"cpu": "100m", "memory": "32Mi"}
"""The resources of an init container that waits for another service."""

_SECONDS = {"s": 1, "m": 60}
_REFERENCE = re.compile(r"\$\((\w+)\)")
_TMPFS_SIZE = re.compile(r"size=(\w+)")


@dataclass(frozen=True)
class _Entry:
    """A service, with its entry in the compose file."""

    service: ComposeService
    written: Mapping[str, Any]
    numbered: str | None = None
    """The setting that tells instances apart."""

    @property
    def name(self) -> str:
        return self.service.name

    @property
    def labels(self) -> dict[str, str]:
        return {"app.kubernetes.io/name": self.name}

    @property
    def networks(self) -> list[str]:
        return list(self.written.get("networks", ["default"]))

    @property
    def pod_labels(self) -> dict[str, str]:
        return {**self.labels, **dict(_member(network) for network in self.networks)}


def overlay(
    project: Project, system: SystemDeclaration, environ: Mapping[str, str]
) -> dict[str, str]:
    """Return the files of a system's overlay, by name."""
    described = _described(project, system, environ)
    name = f"testbed-{system.name}"
    kustomization = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "namespace": name,
        "resources": ["../../base", "services.yaml"],
        "labels": [{"pairs": {"app.kubernetes.io/part-of": name}, "includeSelectors": False}],
    }
    head = HEAD.format(file=system.compose)
    return {
        "kustomization.yaml": head + _text([kustomization]),
        "services.yaml": head + _text(_documents(described, system, name)),
    }


def accounts(project: Project, environ: Mapping[str, str]) -> str:
    """Return the accounts of the variables' files, for the secret that all overlays share."""
    variables = composefile.values(composefile.env_files(project, environ))
    lines = [HEAD.format(file=".env"), *(f"{name}={variables[name]}\n" for name in ACCOUNTS)]
    return "".join(lines)


def rules(project: Project) -> str:
    """Return the rules of Prometheus as an object of its operator."""
    files = sorted((project.root / "prometheus" / "rules").glob("*.yml"))
    groups = [
        group
        for file in files
        for group in yaml.safe_load(file.read_text(encoding="utf-8"))["groups"]
    ]
    rule = _object("monitoring.coreos.com/v1", "PrometheusRule", "testbed", spec={"groups": groups})
    return HEAD.format(file="prometheus/rules") + _text([rule])


def write(project: Project, folder: Path, environ: Mapping[str, str]) -> list[Path]:
    """Write all files into a folder, and return their paths."""
    files = {
        folder / "base" / "accounts.env": accounts(project, environ),
        folder / "components" / "monitoring" / "rules.yaml": rules(project),
    }
    for system in systems.declarations(project.root).values():
        for name, text in overlay(project, system, environ).items():
            files[folder / "overlays" / system.name / name] = text
    for file, text in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return list(files)


def _described(
    project: Project, system: SystemDeclaration, environ: Mapping[str, str]
) -> dict[str, _Entry]:
    """Return the services that always start, by name; accounts are references to the secret."""
    variables_of_files = {
        name: value or ""
        for file in composefile.env_files(project, environ)
        for name, value in dotenv.dotenv_values(file, interpolate=False).items()
    }
    variables_of_files |= {name: f"$({name})" for name in ACCOUNTS}
    variables: dict[str, str] = composefile.filled(variables_of_files, variables_of_files)
    file = project.root / system.compose
    described = {
        name: _Entry(composefile.parsed(name, written), written, system.numbered.get(name))
        for name, written in composefile.written(file, variables).items()
    }
    return {name: entry for name, entry in described.items() if not entry.service.profiles}


def _documents(
    described: Mapping[str, _Entry], system: SystemDeclaration, namespace: str
) -> Iterator[dict[str, Any]]:
    strict = {"pod-security.kubernetes.io/enforce": "restricted"}
    yield _object("v1", "Namespace", namespace, labels=strict)
    for network in sorted({name for entry in described.values() for name in entry.networks}):
        member = {"matchLabels": dict([_member(network)])}
        allowed = [{"from": [{"podSelector": member}]}]
        yield _policy(f"network-{network}", member, allowed)
    front = described[system.front.service]
    port = {"protocol": "TCP", "port": system.front.port}
    yield _policy("front-door", {"matchLabels": front.labels}, [{"ports": [port]}])
    for entry in described.values():
        yield from _service(entry, described)


def _service(entry: _Entry, described: Mapping[str, _Entry]) -> Iterator[dict[str, Any]]:
    files = _files(entry.written)
    if files:
        texts = {source.name: source.read_text(encoding="utf-8") for source in files.values()}
        yield {**_object("v1", "ConfigMap", entry.name), "data": texts}
    ports = [{"name": f"port-{port}", "port": port} for port in entry.service.inside]
    yield _object("v1", "Service", entry.name, spec={"selector": entry.labels, "ports": ports})
    # Two instances cannot share a backend's data: the new one starts after the old one ended.
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    spec = {
        "replicas": 1,
        "strategy": rolling if entry.service.module else {"type": "Recreate"},
        "selector": {"matchLabels": entry.labels},
        "template": {
            "metadata": {"labels": entry.pod_labels},
            "spec": _pod(entry, files, described),
        },
    }
    yield _object("apps/v1", "Deployment", entry.name, spec=spec)
    if entry.service.module:
        budget = {"maxUnavailable": 1, "selector": {"matchLabels": entry.labels}}
        yield _object("policy/v1", "PodDisruptionBudget", entry.name, spec=budget)


def _pod(
    entry: _Entry, files: Mapping[str, Path], described: Mapping[str, _Entry]
) -> dict[str, Any]:
    volumes, mounts = _volumes(entry, files)
    waits = ENDPOINT_DELAY_S if entry.service.module else 0
    context: dict[str, Any] = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
    if "user" in entry.written:
        user, group = (int(number) for number in entry.written["user"].split(":"))
        context |= {"runAsUser": user, "runAsGroup": group, "fsGroup": group}
    shared = {
        "image": f"testbed/{entry.service.module}"
        if entry.service.module
        else entry.written["image"],
        # Also for an image without a tag, which would otherwise be fetched anew.
        "imagePullPolicy": "IfNotPresent",
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": bool(entry.written.get("read_only")),
            "capabilities": {"drop": ["ALL"]},
        },
    }
    waiting = {**shared, "resources": _resources(_WAITING)}
    limits = {"cpu": str(entry.written["cpus"]), "memory": _binary(entry.written["mem_limit"])}
    container = {
        "name": entry.name,
        **shared,
        # Both leave the image's entry point as it is.
        "args": entry.written.get("command"),
        "resources": _resources(limits),
        "env": _environment(entry),
        "ports": _container_ports(entry.service),
        **_probes(entry),
        "volumeMounts": mounts,
        "lifecycle": {"preStop": {"sleep": {"seconds": waits}}} if waits else None,
    }
    pod = {
        "hostname": entry.written.get("hostname"),
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": waits + _seconds(entry.written["stop_grace_period"]),
        "securityContext": context,
        "initContainers": [
            {"name": f"await-{name}", **waiting, "command": _await(described[name].service)}
            for name in entry.service.after
        ],
        "containers": [{key: value for key, value in container.items() if value}],
        "volumes": volumes,
    }
    return {key: value for key, value in pod.items() if value not in (None, [])}


def _container_ports(service: ComposeService) -> list[dict[str, Any]]:
    """Return the ports; of our own services the first is the one for health and metrics."""
    first, *others = ({"containerPort": port} for port in service.inside)
    return [{"name": "management", **first} if service.module else first, *others]


def _resources(limits: Mapping[str, str]) -> dict[str, Any]:
    """Return requests equal to the limits, so that no other pod takes them."""
    return {"requests": limits, "limits": limits}


def _await(service: ComposeService) -> list[str]:
    """Return a command that waits for a service: connections to its name reach ready pods only."""
    ask = f"</dev/tcp/{service.name}/{service.inside[0]}"
    return ["bash", "-c", f"until timeout 2 bash -c '{ask}' 2>/dev/null; do sleep 1; done"]


def _environment(entry: _Entry) -> list[dict[str, Any]]:
    """Return the settings of a container; those of accounts first, as others refer to them."""
    environment = dict(entry.service.environment)
    if "EUREKA_URL" in environment:
        # Pod names are not in DNS.
        environment["EUREKA_INSTANCE_PREFER_IP_ADDRESS"] = "true"
    if entry.numbered is not None:
        # During a rolling update there are two instances.
        environment[entry.numbered] = DRAWN
    used = {name for value in environment.values() for name in _REFERENCE.findall(value)}
    secret = [
        {"name": name, "valueFrom": {"secretKeyRef": {"name": "accounts", "key": name}}}
        for name in ACCOUNTS
        if name in used
    ]
    own = {name: value for name, value in environment.items() if value != f"$({name})"}
    renamed = [{"name": name, "value": value} for name, value in own.items()]
    return secret + renamed


def _probes(entry: _Entry) -> dict[str, Any]:
    check = entry.written["healthcheck"]
    timing = {"timeoutSeconds": _seconds(check["timeout"])}
    start = _seconds(check["start_interval"])
    starting = {
        **timing,
        "periodSeconds": start,
        "failureThreshold": _seconds(check["start_period"]) // start,
    }
    running = {
        **timing,
        "periodSeconds": _seconds(check["interval"]),
        "failureThreshold": check["retries"],
    }

    def ask(about: str) -> dict[str, Any]:
        port = entry.service.inside[0]
        if entry.service.module is None:
            return {"tcpSocket": {"port": port}}
        return {"httpGet": {"path": f"/actuator/health/{about}", "port": port}}

    return {
        "startupProbe": {**ask("readiness"), **starting},
        # More often than in Docker: an instance that is no longer ready gets requests until then.
        "readinessProbe": {**ask("readiness"), **running, "periodSeconds": 5},
        "livenessProbe": {**ask("liveness"), **running},
    }


def _files(written: Mapping[str, Any]) -> dict[str, Path]:
    """Return the files that are mounted, by their paths in the container."""
    split = (volume.split(":") for volume in written.get("volumes", ()))
    return {target: Path(source) for source, target, *_ in split if source.startswith("/")}


def _volumes(
    entry: _Entry, files: Mapping[str, Path]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the volumes of a pod, and where its container has them.

    Data live as long as the pod.
    """
    volumes: list[dict[str, Any]] = []
    mounts: list[dict[str, Any]] = []

    def add(path: str, kind: Mapping[str, Any]) -> None:
        name = path.strip("/").replace("/", "-")
        volumes.append({"name": name, **kind})
        mounts.append({"name": name, "mountPath": path})

    for volume in entry.written.get("volumes", ()):
        source, path, *_ = volume.split(":")
        if not source.startswith("/"):
            add(path, {"emptyDir": {}})
    for mount in entry.written.get("tmpfs", ()):
        path, _, options = mount.partition(":")
        size = _TMPFS_SIZE.search(options)
        limit = {"sizeLimit": _binary(size[1])} if size else {}
        add(path, {"emptyDir": {"medium": "Memory", **limit}})
    if files:
        volumes.append({"name": "files", "configMap": {"name": entry.name}})
    for path, source in files.items():
        mounts.append(
            {"name": "files", "mountPath": path, "subPath": source.name, "readOnly": True}
        )
    return volumes, mounts


def _policy(name: str, pods: Mapping[str, Any], ingress: list[Any]) -> dict[str, Any]:
    spec = {"podSelector": pods, "policyTypes": ["Ingress"], "ingress": ingress}
    return _object("networking.k8s.io/v1", "NetworkPolicy", name, spec=spec)


def _member(network: str) -> tuple[str, str]:
    """Return the label of the pods of a network, and its value."""
    return f"network-{network}", "true"


def _object(
    version: str,
    kind: str,
    name: str,
    labels: Mapping[str, str] | None = None,
    spec: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    metadata = {"name": name, **({"labels": labels} if labels else {})}
    document = {"apiVersion": version, "kind": kind, "metadata": metadata}
    return document if spec is None else {**document, "spec": spec}


def _seconds(duration: str) -> int:
    return int(duration[:-1]) * _SECONDS[duration[-1]]


def _binary(size: str) -> str:
    """Return a size of Docker (``512m``: 512 · 1024² bytes) as Kubernetes writes it."""
    return f"{size[:-1]}{size[-1].upper()}i"


class _Dumper(yaml.SafeDumper):
    """Writes repeated parts in full, not as YAML aliases, and multi-line text as a block."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


_Dumper.add_representer(
    str,
    lambda dumper, text: dumper.represent_scalar(
        "tag:yaml.org,2002:str", text, style="|" if "\n" in text else None
    ),
)


def _text(documents: Iterable[Mapping[str, Any]]) -> str:
    return yaml.dump_all(
        documents, Dumper=_Dumper, sort_keys=False, width=105, default_flow_style=None
    )
