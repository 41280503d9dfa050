"""Builds what has changed: the services' jars and the JMeter layout."""

from __future__ import annotations

import re
import shutil
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from testbed.deploy import programs
from testbed.deploy.building.jdk import Jdk
from testbed.model.errors import UserError
from testbed.model.project import Project

MAVEN_TAIL = 40
PARALLEL = 2
"""Modules that Maven builds at a time: more take memory for little, on few cores."""

JMETER = "jmeter/distribution"
"""The module that lays out JMeter."""

SBOM = "META-INF/sbom/application.cdx.json"
"""What only the jars of checked builds have: the list of their libraries."""

_POM = {"m": "http://maven.apache.org/POM/4.0.0"}


@dataclass(frozen=True)
class Module:
    """One Maven module; `name` is its folder.

    The jar of a runnable module is started, so it must have the module's own name. The pom of such
    a module has a ``finalName``.
    """

    name: str
    runnable: bool


def maven() -> str:
    """Return the Maven command; raise `UserError` if there is none on PATH."""
    command = shutil.which("mvn")
    if command is None:
        raise UserError(
            "Maven not found: no mvn on PATH",
            "Install Maven 3.8 or newer (on Debian: apt-get install maven).",
        )
    return command


def modules(project: Project) -> list[Module]:
    """Return the modules of the root build that hold code, in its order."""
    root = ElementTree.parse(project.root / "pom.xml").getroot()
    names = [node.text or "" for node in root.iterfind("m:modules/m:module", _POM)]
    return [Module(name, _is_runnable(project.root / name)) for name in names if name != JMETER]


def stale(project: Project, every: Iterable[Module], *, checked: bool = False) -> list[str]:
    """Return the runnable modules whose jar is missing or older than a source.

    The sources of the library modules and the root ``pom.xml`` count for every module. If
    `checked`, so does a jar that comes from a build without checks.
    """
    modules = list(every)
    shared = max(
        _newest(project.root / "pom.xml"),
        *(_newest_source(project.root / module.name) for module in modules if not module.runnable),
        0.0,
    )

    def is_stale(module: Module) -> bool:
        jar, folder = project.jar(module.name), project.root / module.name
        old = _written(jar) < max(shared, _newest_source(folder))
        return old or (checked and _lists_libraries(folder) and not _is_checked(jar))

    return [module.name for module in modules if module.runnable and is_stale(module)]


def build(
    project: Project, jdk: Jdk, names: Iterable[str], *, checked: bool = False, jmeter: bool = False
) -> None:
    """Package modules and the library modules that they need; with `jmeter`, lay out JMeter too.

    A `checked` build compiles everything anew, looks for errors that tools find in the code (Error
    Prone, NullAway), and lists each jar's libraries in it (SBOM). The others are quicker.

    Raises `UserError` with the end of Maven's output if the build fails, or if a jar is missing
    after it.
    """
    wanted = list(names)
    modules, options = list(wanted), ["-DskipTests", f"-T{PARALLEL}"]
    if jmeter:
        shutil.rmtree(project.jmeter_home, ignore_errors=True)
        project.jmeter_home.mkdir(parents=True)
        modules.append(JMETER)
        options.append(f"-Djmeter.home={project.jmeter_home}")
    # Unchanged code would not be compiled again, and so not be checked.
    goals = ["clean", "package"] if checked else ["-Dunchecked", "package"]
    _run_maven(project, jdk, [*options, "-pl", ",".join(modules), "-am", *goals])
    for name in wanted:
        jar = project.jar(name)
        if not jar.is_file():
            raise UserError(f"the build made no {project.shown(jar)}")
        # Maven does not touch a jar whose content did not change.
        jar.touch()
    if jmeter:
        # JMeter complains when this folder of its release is missing.
        (project.jmeter_home / "lib" / "junit").mkdir(exist_ok=True)
        _jmeter_stamp(project).touch()


def require_jars(project: Project, jars: Iterable[Path]) -> None:
    """Check that jars exist; raise `UserError` with the missing ones."""
    missing = [project.shown(jar) for jar in jars if not jar.is_file()]
    if missing:
        raise UserError(f"not built: {', '.join(missing)}", "Build first: ./testbed build")


def jmeter_is_laid_out(project: Project) -> bool:
    """Return whether JMeter is laid out completely, by the current layout file."""
    stamp = _jmeter_stamp(project)
    return stamp.is_file() and _modified(stamp) >= _modified(project.root / JMETER / "pom.xml")


def _run_maven(project: Project, jdk: Jdk, arguments: Sequence[str]) -> None:
    log = project.state / "build.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    command = [maven(), "-B", "-q", *arguments]
    if programs.run_in_foreground(command, jdk.environment(), project.root, log) != 0:
        raise UserError(f"the build failed; the end of {project.shown(log)}:\n" + maven_tail(log))


def maven_tail(log: Path) -> str:
    """Return the part of Maven's output that says what failed."""
    lines = [
        re.sub(r"\x1b\[[0-9;]*m", "", line)
        for line in log.read_text(encoding="utf-8", errors="replace").splitlines()
    ]
    errors = [line for line in lines if line.startswith("[ERROR]") and line.strip() != "[ERROR]"]
    return "\n".join(errors[:MAVEN_TAIL] or lines[-MAVEN_TAIL:]) or "(no output)"


def _jmeter_stamp(project: Project) -> Path:
    return project.jmeter_home / ".laid-out"


def _is_runnable(folder: Path) -> bool:
    pom = folder / "pom.xml"
    if not pom.is_file():
        return False
    return ElementTree.parse(pom).getroot().find("m:build/m:finalName", _POM) is not None


def _lists_libraries(folder: Path) -> bool:
    """Return whether the checked jar of a module has a list of its libraries."""
    return "cyclonedx-maven-plugin" in (folder / "pom.xml").read_text(encoding="utf-8")


def _is_checked(jar: Path) -> bool:
    try:
        with zipfile.ZipFile(jar) as archive:
            return SBOM in archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return False


def _newest_source(module: Path) -> float:
    # Tests are not in the jar. Folders count, because a deleted file only changes its folder.
    return max(_newest(module / "pom.xml"), _newest(module / "src" / "main"))


def _newest(path: Path) -> float:
    below = path.rglob("*") if path.is_dir() else ()
    return max(map(_modified, (path, *below)))


def _written(jar: Path) -> float:
    """Return when a jar was written (ctime); its mtime is the build's fixed timestamp."""
    return jar.stat().st_ctime if jar.is_file() else 0.0


def _modified(path: Path) -> float:
    return path.stat().st_mtime if path.exists() else 0.0
