"""Ends a stack when the command that owns it was killed without a chance to do it itself.

Runs as a process of its own whose standard input is a pipe that the owner holds open: the end of
the pipe is the end of the owner, whatever ended it.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from testbed.deploy import leftovers, processes, record
from testbed.model.project import Project


def start(project: Project) -> subprocess.Popen[bytes]:
    """Start a guard over the stack of this process; closing its input lets it go."""
    owner = processes.own()
    return subprocess.Popen(
        [
            *(
                sys.executable,
                "-m",
                "testbed.deploy.watchdog",
                str(project.root),
                str(project.state),
            ),
            *(str(owner.pid), repr(owner.created)),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd=project.root,
    )


def dismiss(guard: subprocess.Popen[bytes]) -> None:
    """Let a guard go."""
    assert guard.stdin is not None
    guard.stdin.close()
    try:
        guard.wait(timeout=10)
    except subprocess.TimeoutExpired:
        guard.kill()
        guard.wait()


def watch(project: Project, owner: processes.ProcessId) -> None:
    """Wait for the end of the input, then end what the owner has left behind.

    Parameters
    ----------
    owner
        The process that started this one. A stack that another command has started in the meantime,
        or that was left up on purpose, is not touched.
    """
    sys.stdin.buffer.read()
    known = record.load(project)
    if known is None or known.owner != owner or owner.find() is not None:
        return
    leftovers.end(project, known)


def main() -> None:
    """Guard the stack of the process that started this one."""
    root, state, pid, created = sys.argv[1:]
    owner = processes.ProcessId(int(pid), float(created))
    watch(Project(Path(root), Path(state)), owner)


if __name__ == "__main__":
    main()
