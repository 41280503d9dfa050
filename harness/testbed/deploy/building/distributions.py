"""Lays out the programs of others that compose files name, each when a system first needs it."""

from __future__ import annotations

import hashlib
import io
import tempfile
import zipfile
from pathlib import Path

from testbed.deploy import programs
from testbed.deploy.building import repository
from testbed.deploy.building.jdk import Jdk
from testbed.deploy.composefile import Program
from testbed.model.errors import UserError
from testbed.model.files import tail
from testbed.model.project import Project


def home(project: Project, program: Program) -> Path:
    """Return the folder of a program, whether it is there or not; half of one never is."""
    key = hashlib.sha256(repr(program).encode()).hexdigest()
    return project.root / ".testbed" / "programs" / f"{Path(program.archive).stem}-{key[:12]}"


def lay_out(project: Project, program: Program, jdk: Jdk, local: Path | None = None) -> None:
    """Fetch a program and prepare it, in a folder that is not there yet.

    Raises `UserError` if that fails, or if the archive is not the expected one; see
    `repository.content` for `local`.
    """
    target = home(project, program)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        draft = unpack(program, Path(folder), local)
        for place, source in program.files.items():
            (draft / place).parent.mkdir(parents=True, exist_ok=True)
            (draft / place).symlink_to(project.root / source)
        file, *words = program.prepare
        log = project.state / "build.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        command = [str(draft / file), *words]
        if programs.run_in_foreground(command, jdk.environment(), draft, log) != 0:
            raise UserError(f"{file} failed; the end of {project.shown(log)}:\n{tail(log)}")
        # Another command may have been quicker.
        if not target.is_dir():
            draft.replace(target)


def unpack(program: Program, folder: Path, local: Path | None = None) -> Path:
    """Fetch a program into an empty folder, as it is released; return the folder in it.

    Raises `UserError` as `lay_out` does.
    """
    with repository.client() as http:
        content = repository.content(program.archive, program.sha256, http, local)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(folder)
        for entry in archive.infolist():
            # The library drops the modes of files.
            if entry.external_attr >> 16 & 0o100:
                (folder / entry.filename).chmod(0o755)
    (unpacked,) = folder.iterdir()
    return unpacked


def is_laid_out(project: Project, program: Program) -> bool:
    """Return whether a program is ready to start."""
    return home(project, program).is_dir()


def require(project: Project, program: Program) -> None:
    """Check that a program is laid out; raise `UserError` if it is not."""
    if not is_laid_out(project, program):
        raise UserError(
            f"not laid out: {program.archive}", "./testbed up without --no-build fetches it."
        )
