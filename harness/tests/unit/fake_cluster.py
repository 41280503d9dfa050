"""A stand-in for kubectl, and for the cluster that it asks."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
import yaml

from testbed.deploy.kubernetes import cluster

from .conftest import HERE

GATEWAY = "api-gateway-service"
CONTEXT = "mine"

KUBECTL = """#!/bin/sh
echo "$*" >> {folder}/asked
case "$*" in
  "config current-context") echo mine ;;
  *"get --raw /readyz"*) ;;
  kustomize*) cat {folder}/manifests ;;
  *"get namespace "*) exit "$(cat {folder}/absent)" ;;
  *"get "*"=json")
    for word in "$@"; do test -f "{folder}/$word.json" && exec cat "{folder}/$word.json"; done
    exit 1 ;;
  *" version --output=json") echo '{{"serverVersion": {{"gitVersion": "v1.36.3"}}}}' ;;
  *" apply "*) cat > {folder}/applied ;;
  *" --stdin "*) shift 8; exec "$@" ;;
  *" exec "*) echo usage_usec 5000000; echo anon 64000000 ;;
  *" logs "*) echo "log of $6" ;;
  *" port-forward "*)
    ports=${{*##* }}
    exec {python} {serve} --port "${{ports%%:*}}" ;;
esac
"""


IMAGES = tuple(
    f"docker.io/testbed/{name}:latest"
    for name in ("aggregator-service", GATEWAY, "cinema-service", "eureka-server")
)


def node(cpu: str = "8", memory: str = "16Gi", images: tuple[str, ...] = IMAGES) -> dict[str, Any]:
    size = {"cpu": cpu, "memory": memory}
    about = dict.fromkeys(("kubeletVersion", "containerRuntimeVersion", "kernelVersion"), "1")
    return {
        "status": {
            "allocatable": size,
            "capacity": size,
            "images": [{"names": None}, *({"names": [name]} for name in images)],
            "nodeInfo": about,
        }
    }


def pod(service: str, name: str, made: int = 0, **changes: Any) -> dict[str, Any]:
    status = {
        "phase": "Running",
        "conditions": [{"type": "Ready", "status": "True"}],
        "containerStatuses": [{"restartCount": 0, "state": {}}],
        **changes,
    }
    return {
        "metadata": {
            "name": name,
            "labels": {cluster.SERVICE: service},
            "creationTimestamp": f"2026-11-24T00:00:{made:02}Z",
        },
        "spec": {"containers": [{"resources": {"requests": {"cpu": "500m", "memory": "1Gi"}}}]},
        "status": status,
    }


class Kubectl:
    """A stand-in for kubectl that answers with files, and notes what it was asked."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        folder.mkdir()
        self._folder = folder
        program = folder / "kubectl"
        serve = HERE / "fake_service.py"
        program.write_text(KUBECTL.format(folder=folder, python="python3", serve=serve))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
        self.has("nodes", node())
        self.has("pods")
        self.has("namespaces")
        self.absent(True)

    def has(self, what: str, *items: dict[str, Any]) -> None:
        (self._folder / f"{what}.json").write_text(json.dumps({"items": items}))

    def absent(self, absent: bool) -> None:
        (self._folder / "absent").write_text(str(int(absent)))

    def makes(self, *documents: dict[str, Any]) -> None:
        (self._folder / "manifests").write_text(yaml.safe_dump_all(documents))

    @property
    def asked(self) -> str:
        return (self._folder / "asked").read_text()

    @property
    def applied(self) -> list[dict[str, Any]]:
        return list(json.loads((self._folder / "applied").read_text())["items"])
