"""Stops a stack whose owner was killed before it could stop the stack itself.

Runs as a separate process. The owner holds a pipe to its standard input open. The pipe closes when
the owner ends, for any reason.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from pathlib import Path

from testbed.deploy import programs
from testbed.model.project import Project

ENDING_LIMIT_S = 5.0
"""How long an owner may take to end after its pipe was closed."""

POLL_S = 0.02

DISMISSED = b"dismissed"
"""What the owner says before it closes the pipe on purpose."""


def start(project: Project) -> subprocess.Popen[bytes]:
    """Start a watchdog for the stack of this process."""
    owner = programs.own()
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "testbed.deploy.watchdog"),
            *(str(project.root), str(project.state), str(owner.pid), repr(owner.created)),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd=project.root,
    )


def dismiss(process: subprocess.Popen[bytes]) -> None:
    """Dismiss a watchdog, and wait until it ends."""
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError), process.stdin as pipe:
        pipe.write(DISMISSED)
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def watch(project: Project, owner: programs.ProcessId) -> None:
    """Wait for the end of the input, then stop what the owner has left.

    `owner` is the process that started this one. A stack that another command has started
    meanwhile, or that was left up on purpose, is not touched.
    """
    if sys.stdin.buffer.read() == DISMISSED:
        return
    # Imported late: most watchdogs are dismissed, and loading these would take CPU time from the
    # system that starts.
    from testbed.deploy import leftovers, record
    from testbed.deploy.deployer import polls

    stack = record.load(project)
    if stack is None or stack.owner != owner:
        return
    # A process closes its pipes before it has ended.
    for _ in polls(ENDING_LIMIT_S, POLL_S):
        if owner.find() is None:
            leftovers.end(project, stack)
            return


def main() -> None:
    """Watch the stack of the process that started this one."""
    root, state, pid, created = sys.argv[1:]
    owner = programs.ProcessId(int(pid), float(created))
    watch(Project(Path(root), Path(state)), owner)


if __name__ == "__main__":
    main()
