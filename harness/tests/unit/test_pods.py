"""Load generators in pods: their files are there, results and logs are brought here."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from testbed.deploy import groups
from testbed.deploy.kubernetes.generator_pods import NAME, NAMESPACE, generator_pods
from testbed.deploy.kubernetes.shell import Shell
from testbed.measure import load, pods
from testbed.measure.load import Generator, Load
from testbed.measure.samplefile import Seen
from testbed.model.errors import UserError
from testbed.model.project import Project

from .conftest import HERE
from .fake_cluster import CONTEXT, Kubectl, node, pod

OVERLAYS = Project.find().root / "kubernetes" / "overlays"
IMAGE = f"docker.io/testbed/{NAME}:latest"


@pytest.fixture
def kubectl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kubectl:
    """Of a cluster with room for generators, whose pods run their commands on this machine."""
    fake = Kubectl(tmp_path / "kubectl", monkeypatch)
    fake.has("nodes", node(images=(IMAGE,)))
    fake.has("namespaces", {"metadata": {"name": NAMESPACE}})
    fake.makes(*yaml.safe_load_all((OVERLAYS / NAME / "job.yaml").read_text()))
    return fake


Start = Callable[..., AbstractContextManager[list[Generator]]]


@pytest.fixture
def start(kubectl: Kubectl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Start:
    """Starts so many generators, with options of the stand-in for JMeter."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.setattr(pods, "WORK", str(work))
    monkeypatch.setattr(load, "WATCH_S", 0.1)
    monkeypatch.setattr(groups, "READ_USAGE", "echo usage_usec 5000000; echo anon 64000000")
    project = Project(tmp_path, tmp_path / ".testbed")
    (project.plans / "images").mkdir(parents=True)
    (project.plans / "images" / "a.jpg").write_bytes(bytes(range(256)))
    (project.plans / "sync-list.jmx").write_text("<jmeterTestPlan/>")

    def started(*options: str, count: int = 1) -> AbstractContextManager[list[Generator]]:
        fake = [sys.executable, str(HERE / "fake_generator.py"), *options]
        monkeypatch.setattr(pods, "command", lambda: fake)
        found = generator_pods(OVERLAYS, count)
        kubectl.has("pods", *(pod(NAME, f"load-{index}", index) for index in range(count)))
        return pods.several(found, project, tmp_path / "generator.log", count)

    return started


@pytest.fixture
def small(tmp_path: Path) -> Load:
    return Load(tmp_path / "jmeter" / "sync-list.jmx", {"threads": "2", "loops": "3"}, "list")


def test_a_load_is_put_on_from_a_pod_and_its_rows_are_brought_here(
    start: Start, kubectl: Kubectl, small: Load, tmp_path: Path
) -> None:
    with start("--linger", "0.3") as (generator,):
        (job,) = (one for one in kubectl.applied if one["kind"] == "Job")
        assert job["metadata"]["namespace"] == NAMESPACE
        first, second = list[Seen](), list[Seen]()
        for seen, name in ((first, "a.csv"), (second, "b.csv")):
            outcome = generator.run(small, tmp_path / name, seen.append)
            assert outcome.samples == 6
            assert seen[-1].operations == 6
            assert len(seen) >= 2
            assert len((tmp_path / name).read_text().splitlines()) == 7
            (part,) = outcome.parts
            assert part.cpu_s == 0.0
            # The same machine.
            assert abs(part.clock_offset_ms) < 1000
    assert generator.usable_cpus(3) == 6
    assert (tmp_path / "generator.log").read_text().count("Running") == 2
    assert kubectl.asked.endswith(f"delete namespace {NAMESPACE}\n")


def test_all_that_a_plan_needs_is_sent(start: Start, small: Load, tmp_path: Path) -> None:
    arrivals = tmp_path / "arrivals.csv"
    arrivals.write_text("0\n10\n20\n")
    given = {"arrivals": str(arrivals), "sample_variables": "intended"}
    opened = replace(small, properties=given, arrivals=arrivals)
    with start() as (generator,):
        outcome = generator.run(opened, tmp_path / "samples.csv")

    assert outcome.samples == 3
    assert (tmp_path / "work" / "jmeter" / "images" / "a.jpg").read_bytes() == bytes(range(256))


def test_a_generator_that_ends_is_told_with_its_log(
    start: Start, small: Load, tmp_path: Path
) -> None:
    with (
        pytest.raises(UserError) as told,
        start("--exit", "1") as (generator,),
    ):
        generator.run(small, tmp_path / "samples.csv")

    assert "JMeter ended in the middle of sync-list.jmx" in str(told.value)
    assert "Running" in str(told.value)


def test_what_cannot_be_started_is_told(kubectl: Kubectl) -> None:
    kubectl.has("nodes", node(images=()))
    with pytest.raises(UserError, match=f"no node of context '{CONTEXT}' has testbed/{NAME}"):
        generator_pods(OVERLAYS, 1)
    kubectl.has("nodes", node(images=(IMAGE,)))
    with pytest.raises(UserError, match=r"have 8\.0 cores left, and the pods request 10\.0"):
        generator_pods(OVERLAYS, 5)
    kubectl.absent(False)
    with pytest.raises(UserError, match=f"namespace {NAMESPACE} exists"):
        generator_pods(OVERLAYS, 1)
    assert "apply" not in kubectl.asked


def test_generators_without_a_limit_are_refused(kubectl: Kubectl) -> None:
    documents = list(yaml.safe_load_all((OVERLAYS / NAME / "job.yaml").read_text()))
    del documents[-1]["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]
    kubectl.makes(*documents)

    with pytest.raises(UserError, match="the job has no limit of CPU"):
        generator_pods(OVERLAYS, 1)


def test_a_shell_is_asked_one_command_after_another(tmp_path: Path) -> None:
    with Shell.entered([], str(tmp_path), tmp_path / "log") as shell:
        assert shell.ask("echo one; echo two") == b"one\ntwo\n"
        content = bytes(range(256)) * 1000
        assert shell.ask(f"cat {shell.write('file', content)}") == content
        assert shell.ask("read line; echo $line") == b"\n"
        assert abs(shell.clock_ahead_ms()) < 1000
        with pytest.raises(UserError, match="has ended"):
            shell.ask("kill $$")
            shell.ask("true")
