"""Records where the CPU time of a system's JVMs goes, by Java's flight recorder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from testbed.deploy import programs
from testbed.deploy.building.jdk import Jdk
from testbed.deploy.stack import Stack
from testbed.measure import warming
from testbed.measure.load import Generator, Load

EVENT = "jdk.CPUTimeSample"
"""Samples of CPU time, which Java has from 25 on, on Linux only."""

EVERY = "10ms"
DEPTH = 300
"""Most frames of a stack; the recorder's own 64 would cut off the outermost ones."""


def record(
    stack: Stack,
    generator: Generator,
    jdk: Jdk,
    warm_up: Load,
    recorded: Load,
    folder: Path,
    notice: Callable[[str], None] = lambda _: None,
) -> dict[str, Path]:
    """Put two loads on a running system, and record the second; return the recordings by instance.

    Raises `UserError` if a JVM cannot be recorded or the generator fails.
    """
    running = {service.name: service.process.pid for service in stack.record.running}
    notice("a warm system")
    generator.run(warm_up, folder / "warm-up.csv")
    warming.await_quiet(tuple(running.values()))
    for pid in running.values():
        jdk.command(pid, "JFR.configure", f"stackdepth={DEPTH}")
        event = (f"{EVENT}#enabled=true", f"{EVENT}#throttle={EVERY}")
        jdk.command(pid, "JFR.start", "name=profile", *event)
    notice("samples")
    generator.run(recorded, folder / "samples.csv")
    files = {name: folder / f"{name}.jfr" for name in running}
    for name, pid in running.items():
        jdk.command(pid, "JFR.stop", "name=profile", f"filename={files[name]}")
    return files


def printed(jdk: Jdk, recording: Path) -> list[str]:
    """Return the lines that ``jfr print`` prints of a recording's samples."""
    tool, depth = jdk.home / "bin" / "jfr", ("--stack-depth", str(DEPTH))
    command = [str(tool), "print", "--events", EVENT, *depth, str(recording)]
    return programs.output_of("jfr print", command, timeout_s=600).splitlines()
