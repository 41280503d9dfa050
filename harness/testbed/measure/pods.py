"""Runs load generators in pods: JMeter and its files are there, the results are brought here."""

from __future__ import annotations

import contextlib
import io
import subprocess
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from testbed.deploy import groups
from testbed.deploy.kubernetes import cluster
from testbed.deploy.kubernetes.generator_pods import GeneratorPods
from testbed.deploy.kubernetes.shell import Shell
from testbed.measure.load import Generator, Load, command_of, logs_of
from testbed.model.project import Project

WORK = "/work"
"""The folder of a pod that can be written."""

HOME = PurePosixPath("/opt/testbed")
"""The folder of the image with JMeter and the module ``load-generator``."""

PLANS = "jmeter"


def command() -> list[str]:
    """Return the command of a generator in a pod."""
    return command_of("java", HOME / "load-generator.jar", HOME / "jmeter")


@contextlib.contextmanager
def several(
    pods: GeneratorPods, project: Project, log: Path, count: int
) -> Iterator[list[Generator]]:
    """Start some generators in pods, as `load.several` does here.

    Raises `UserError` if a pod or its JMeter does not start.
    """
    archive = _archive(project.plans)
    with contextlib.ExitStack() as running:
        generators: list[Generator] = []
        names = running.enter_context(pods.started())
        for name, own in zip(names, logs_of(log.absolute(), count), strict=True):
            enter = cluster.enter_command(pods.place, name, "--stdin")
            shell = running.enter_context(Shell.entered(enter, WORK, own.with_suffix(".shell")))
            shell.ask(f"tar -xf {shell.write('plans.tar', archive)} -C {WORK}")
            # Where JMeter finds its working folder.
            java = [*enter, "sh", "-c", f'cd {WORK} && exec "$@"', "sh", *command()]
            started = PodGenerator.started(java, own, shell=shell, cpus=pods.cpus)
            generators.append(running.enter_context(started))
        yield generators


@dataclass
class _Copy:
    """A file that grows in a pod, as far as it was brought here."""

    here: Path
    size: int = 0

    def append(self, further: bytes) -> None:
        with self.here.open("ab") as file:
            file.write(further)
        self.size += len(further)


class PodGenerator(Generator):
    """A JMeter in a pod that may use so many cores; `shell` is one in the same pod."""

    def __init__(self, jvm: subprocess.Popen[bytes], log: Path, shell: Shell, cpus: float) -> None:
        super().__init__(jvm, log)
        self._shell = shell
        self._cpus = cpus
        self._followed = {self._there(log): _Copy(log)}

    @staticmethod
    def _there(log: Path) -> str:
        return f"{WORK}/jmeter.log"

    def usable_cpus(self, count: int) -> float:
        return self._cpus * count

    def clock_ahead_ms(self) -> float:
        return self._shell.clock_ahead_ms()

    def fetch(self) -> None:
        for there, copy in self._followed.items():
            further = self._shell.ask(f"tail -c +{copy.size + 1} {there} 2>/dev/null")
            if further:
                copy.append(further)

    def _used_s(self) -> float | None:
        # With all that the pod does: it does nothing else.
        usage = groups.parse_usage(self._shell.ask(groups.READ_USAGE).decode())
        return None if usage is None else usage.cpu_s

    def _given(self, load: Load, samples: Path) -> dict[str, str]:
        own = f"{WORK}/samples.csv"
        self._shell.ask(f"rm -f {own}")
        self._followed[own] = _Copy(samples.absolute())
        given = super()._given(load, samples)
        given |= {"plan": f"{WORK}/{PLANS}/{load.plan.name}", "samples": own}
        if load.arrivals is not None:
            arrivals = self._shell.write("arrivals.csv", load.arrivals.read_bytes())
            given["property.arrivals"] = arrivals
        return given

    def _written(self, properties: str) -> str:
        return self._shell.write("load.properties", properties.encode())


def _archive(plans: Path) -> bytes:
    """Return all plans and the files that they send."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        for file in (*sorted(plans.glob("*.jmx")), plans / "images"):
            tar.add(file, f"{PLANS}/{file.name}")
    return archive.getvalue()
