"""Checks what this machine needs for building and running."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import psutil

from testbed.cli.preparing import jmeter_is_there
from testbed.deploy import deployments, ports, programs, record
from testbed.deploy.building import build, jdk
from testbed.deploy.building.jdk import Jdk
from testbed.deploy.containers import compose
from testbed.deploy.deployments import Choice
from testbed.model import systems
from testbed.model.errors import UserError
from testbed.model.project import Project

MEMORY_MB = 6000
DISK_MB = 3000


class Verdict(Enum):
    """The result of a check: it works, works with less, or does not work."""

    GOOD = "good"
    NOTE = "note"
    BAD = "bad"


@dataclass(frozen=True)
class Finding:
    """The outcome of one check; `text` says what was found and what to do about it."""

    subject: str
    verdict: Verdict
    text: str


def examine(project: Project) -> list[Finding]:
    """Check this machine; change and start nothing."""
    jdks = jdk.installed()
    if not project.is_checkout:
        return [
            Finding("Python", Verdict.GOOD, platform.python_version()),
            _jmeter_java(jdks),
            _machine(project),
            _jmeter(project),
        ]
    return [
        Finding("Python", Verdict.GOOD, platform.python_version()),
        _checked("JDK", lambda: _java(jdk.for_services(jdks))),
        _jmeter_java(jdks),
        _checked("Maven", _maven_version),
        _docker(),
        _machine(project),
        _checked("Ports", lambda: _ports(project)),
        _jars(project),
        _jmeter(project),
    ]


def _checked(subject: str, check: Callable[[], str | Finding]) -> Finding:
    try:
        finding = check()
    except UserError as problem:
        hint = f". {problem.hint}" if problem.hint else ""
        return Finding(subject, Verdict.BAD, f"{problem.message}{hint}")
    return Finding(subject, Verdict.GOOD, finding) if isinstance(finding, str) else finding


def _java(java: Jdk) -> str:
    return f"{java.version} in {java.home}"


def _jmeter_java(jdks: list[Jdk]) -> Finding:
    finding = _checked("Java for JMeter", lambda: _java(jdk.for_jmeter(jdks)))
    if finding.verdict is Verdict.GOOD and jdk.for_jmeter(jdks).feature not in jdk.JMETER_FEATURES:
        return Finding(
            finding.subject, Verdict.NOTE, f"{finding.text}; JMeter prefers 17 or 21, if you can"
        )
    return finding


def _maven_version() -> str:
    answer = programs.ask([build.maven(), "-version"], environ=jdk.for_services().environment())
    first = (answer.stdout.strip() or answer.stderr.strip() or "no answer").splitlines()[0]
    if answer.returncode != 0:
        raise UserError(f"mvn -version failed: {first}")
    return first.replace("\x1b[1m", "").replace("\x1b[m", "").replace("Apache Maven ", "")


def _docker() -> Finding:
    try:
        compose.require_docker()
    except UserError as problem:
        return Finding(
            "Docker", Verdict.NOTE, f"{problem.message}; needed for --backends docker only"
        )
    return Finding("Docker", Verdict.GOOD, "answers, with compose")


def _machine(project: Project) -> Finding:
    memory = round(psutil.virtual_memory().available / 1e6)
    disk = round(shutil.disk_usage(project.root).free / 1e6)
    text = f"{psutil.cpu_count()} cores, {memory} MB of memory and {disk} MB of disk free"
    if memory < MEMORY_MB or disk < DISK_MB:
        return Finding("Machine", Verdict.NOTE, f"{text}; {MEMORY_MB} and {DISK_MB} MB are advised")
    return Finding("Machine", Verdict.GOOD, text)


def _ports(project: Project) -> Finding:
    stack = record.load(project)
    if stack is not None and stack.is_up:
        return Finding("Ports", Verdict.NOTE, f"variant {stack.variant} is up and uses them")
    wanted = {
        port
        for name in systems.names()
        for service in deployments.described(Choice(name), project).values()
        for port in service.ports.values()
    }
    busy = ports.taken(wanted)
    if busy:
        listed = ", ".join(f"{port} by {holder}" for port, holder in busy.items())
        return Finding(
            "Ports", Verdict.BAD, f"in use: {listed}; stop them, or use --port-offset 10000"
        )
    return Finding("Ports", Verdict.GOOD, "free: " + ", ".join(map(str, sorted(wanted))))


def _jars(project: Project) -> Finding:
    old = build.stale(project, build.modules(project))
    if old:
        return Finding("Jars", Verdict.NOTE, f"to be built: {', '.join(old)}")
    return Finding("Jars", Verdict.GOOD, "up to date")


def _jmeter(project: Project) -> Finding:
    if not jmeter_is_there(project):
        return Finding("JMeter", Verdict.NOTE, "not laid out yet; the first measurement does it")
    return Finding("JMeter", Verdict.GOOD, f"in {project.shown(project.jmeter_home)}")
