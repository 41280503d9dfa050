"""What happens to a stack when the command that owns it is killed."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from testbed.deploy import leftovers, programs, record, watchdog
from testbed.deploy.programs import ProcessId
from testbed.deploy.stack import Stack
from testbed.model.project import Project

from .conftest import HERE, deployed, fake_service

OWNER = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from tests.unit.conftest import deployed, fake_service
from testbed.model.project import Project
from testbed.deploy.stack import Stack
import os
project = Project(Path(sys.argv[1]), Path(sys.argv[2]))
running = Stack(project, deployed((fake_service("one"), fake_service("two"))), os.environ)
running.start()
held = running.suspended("two")
held.__enter__()
print("up", flush=True)
time.sleep(60)
"""


@pytest.fixture
def stack(make_stack: Callable[..., Stack]) -> Stack:
    """A stack of one service, not started."""
    return make_stack(deployed((fake_service("one"),)))


def gone(ids: list[ProcessId], limit_s: float) -> bool:
    deadline = time.monotonic() + limit_s
    while any(id_.find() for id_ in ids):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


def test_killing_the_owner_leaves_nothing_running(project: Project) -> None:
    owner = subprocess.Popen(
        [
            *(sys.executable, "-c", OWNER, str(project.root), str(project.state)),
            str(HERE.parent.parent),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert owner.stdout is not None
    assert owner.stdout.readline() == "up\n"
    recorded = record.load(project)
    assert recorded is not None
    services = [service.process for service in recorded.running]
    children = [ProcessId.of(child.pid) for child in psutil.Process(owner.pid).children()]
    guards = [child for child in children if child not in services]
    assert len(services) == 2
    assert len(guards) == 1

    owner.send_signal(signal.SIGKILL)
    owner.communicate()

    # No further command is needed, and one that is held still is no exception.
    assert gone([*services, *guards], 60)
    assert record.load(project) is None


def test_a_stack_that_ends_as_it_should_has_no_guard_left(stack: Stack) -> None:
    before = {child.pid for child in psutil.Process().children()}
    stack.start()
    stack.stop()

    assert {child.pid for child in psutil.Process().children()} <= before


def test_a_stack_left_in_the_background_is_not_guarded(
    project: Project,
    stack: Stack,
) -> None:
    before = {child.pid for child in psutil.Process().children()}
    stack.start(background=True)
    recorded = record.load(project)
    assert recorded is not None

    new = {child.pid for child in psutil.Process().children()} - before
    assert new == {recorded.running[0].process.pid}
    leftovers.end(project, recorded)


def test_a_guard_leaves_the_stack_of_another_command_alone(
    project: Project,
    stack: Stack,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(watchdog, "ENDING_LIMIT_S", 0.2)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO()))
    stack.start()
    try:
        # It sees the end of its input, as after a kill; but its owner, this process, still runs.
        watchdog.watch(project, programs.own())
        assert stack.missing() is None
        assert record.load(project) is not None
        assert os.getpid() == record.load(project).owner.pid  # type: ignore[union-attr]
    finally:
        stack.stop()


def test_a_guard_that_is_dismissed_touches_nothing_and_has_loaded_little(
    project: Project, stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack.start()
    recorded = record.load(project)
    assert recorded is not None
    monkeypatch.setattr(ProcessId, "find", lambda _: None)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(watchdog.DISMISSED)))
    watchdog.watch(project, programs.own())
    monkeypatch.undo()

    assert record.load(project) == recorded
    stack.stop()
    loaded = "import sys, testbed.deploy.watchdog; print('pydantic' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", loaded], text=True) == "False\n"


def test_an_owner_that_closed_its_pipe_and_has_not_ended_yet_is_waited_for(
    project: Project,
    stack: Stack,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stack.start()
    recorded = record.load(project)
    assert recorded is not None
    assert recorded.owner is not None
    find, owner = ProcessId.find, recorded.owner
    looks = iter([psutil.Process(), psutil.Process(), None])
    monkeypatch.setattr(ProcessId, "find", lambda id_: next(looks) if id_ == owner else find(id_))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO()))

    watchdog.watch(project, owner)

    monkeypatch.undo()
    assert gone([service.process for service in recorded.running], 60)
    assert record.load(project) is None
    stack.stop()


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parent)
