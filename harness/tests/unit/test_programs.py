from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from testbed.deploy import programs
from testbed.deploy.programs import ProcessId

STUBBORN = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
    "print('ready', flush=True); time.sleep(60)"
)

PARENT = (
    "import subprocess, sys, time;"
    "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']);"
    "print('ready', flush=True); time.sleep(60)"
)


def sleeper(
    code: str = "import time; print('ready', flush=True); time.sleep(60)",
) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    return process


def test_finds_a_process_while_it_runs() -> None:
    with sleeper() as process:
        identity = ProcessId.of(process.pid)
        assert identity.find() == psutil.Process(process.pid)

        programs.stop([identity])

        assert identity.find() is None


def test_an_ended_child_that_nobody_waited_for_does_not_count_as_running() -> None:
    with sleeper("print('ready', flush=True)") as process:
        identity = ProcessId.of(process.pid)
        deadline = time.monotonic() + 60
        while identity.find() is not None and time.monotonic() < deadline:
            time.sleep(0.01)
        assert identity.find() is None


@pytest.mark.skipif(not psutil.LINUX, reason="of Linux's threads")
def test_a_process_runs_until_its_last_thread_has_ended() -> None:
    code = (
        "import ctypes, threading, time;"
        "threading.Thread(target=time.sleep, args=(60,)).start();"
        "print('ready', flush=True); ctypes.CDLL(None).pthread_exit(None)"
    )
    with sleeper(code) as process:
        identity = ProcessId.of(process.pid)
        first = psutil.Process(process.pid)
        while first.status() != psutil.STATUS_ZOMBIE:
            time.sleep(0.01)
        assert identity.find() == first

        programs.stop([identity])

        assert identity.find() is None


@pytest.mark.skipif(not psutil.LINUX, reason="others keep the time of day of a start")
def test_finds_a_process_after_the_clock_was_set(monkeypatch: pytest.MonkeyPatch) -> None:
    with sleeper() as process:
        identity = ProcessId.of(process.pid)
        moved = psutil.Process(process.pid).create_time() + 47
        monkeypatch.setattr(psutil.Process, "create_time", lambda _: moved)

        assert identity.find() == psutil.Process(process.pid)

        programs.stop([identity])
        assert identity.find() is None


def test_a_process_with_a_reused_number_is_not_ours_and_is_left_alone() -> None:
    with sleeper() as foreign:
        ours_before = ProcessId(foreign.pid, ProcessId.of(foreign.pid).created - 3600)

        assert ours_before.find() is None
        assert programs.stop([ours_before]) == []
        assert foreign.poll() is None
        foreign.kill()


def test_a_child_that_ends_between_two_looks_is_reaped(monkeypatch: pytest.MonkeyPatch) -> None:
    child = sleeper()
    reap = psutil.wait_procs
    looks: list[float] = []

    def look(some: list[psutil.Process], timeout: float) -> None:
        looks.append(timeout)
        if len(looks) > 1:
            reap(some, timeout=timeout)
            return
        # Just too early for one that is ending.
        while psutil.Process(child.pid).status() != psutil.STATUS_ZOMBIE:
            time.sleep(0.01)

    monkeypatch.setattr(psutil, "wait_procs", look)
    programs.stop([ProcessId.of(child.pid)])

    assert not psutil.pid_exists(child.pid)


def test_kills_what_does_not_end_in_time() -> None:
    with sleeper(STUBBORN) as stubborn, sleeper() as willing:
        ids = [ProcessId.of(stubborn.pid), ProcessId.of(willing.pid)]

        # Longer than a machine that stands still keeps the willing one from its end.
        killed = programs.stop(ids, grace=6)

        assert killed == [ids[0]]
        # It may have ended without having been asked for its exit yet.
        stubborn.wait(timeout=60)
        willing.wait(timeout=60)


def test_takes_what_its_parent_has_not_asked_for_as_ended() -> None:
    with sleeper(PARENT) as parent:
        (grandchild,) = psutil.Process(parent.pid).children()
        child = ProcessId.of(grandchild.pid)

        # Taken as running, it would be among those that had to be killed.
        assert programs.stop([child], grace=60) == []
        assert psutil.pid_exists(child.pid)
        parent.kill()


def test_ends_what_a_process_has_started_too() -> None:
    with sleeper(PARENT) as parent:
        (grandchild,) = psutil.Process(parent.pid).children()
        child = ProcessId.of(grandchild.pid)

        programs.stop([ProcessId.of(parent.pid)])

        assert child.find() is None


def test_ends_what_a_launcher_that_has_ended_has_left(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    launcher = programs.start(["sh", "-c", "sleep 60 & echo $!"], os.environ, log, tmp_path)
    launcher_id = ProcessId.of(launcher.pid)
    assert launcher.wait(timeout=60) == 0
    left = ProcessId.of(int(log.read_text()))

    programs.stop([launcher_id])

    assert left.find() is None


def test_a_background_process_has_a_session_of_its_own_and_a_log(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "x.log"
    process = programs.start(
        [sys.executable, "-c", "import os; print(os.environ['COLOUR'], os.getcwd())"],
        {**os.environ, "COLOUR": "blue"},
        log,
        tmp_path,
    )
    assert os.getsid(process.pid) == process.pid

    assert process.wait(timeout=60) == 0
    assert log.read_text().split() == ["blue", str(tmp_path)]


def test_a_signal_is_acted_on_after_an_uninterrupted_step() -> None:
    done = []

    def arrived(number: int, _frame: object) -> None:
        done.append("signal")

    before = signal.signal(signal.SIGTERM, arrived)
    try:
        with programs.uninterrupted():
            os.kill(os.getpid(), signal.SIGTERM)
            done.append("step")
    finally:
        signal.signal(signal.SIGTERM, before)

    assert done == ["step", "signal"]


def test_an_interrupted_foreground_command_is_ended(tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    inner_code = tmp_path / "inner.py"
    inner_code.write_text(
        "import os, pathlib, time\n"
        f"draft = pathlib.Path({str(mark)!r} + '.draft')\n"
        "draft.write_text(str(os.getpid()))\n"
        f"draft.rename({str(mark)!r})\n"
        "time.sleep(60)\n"
    )
    driver = (
        "import os, pathlib, sys; from testbed.deploy import programs;"
        "programs.end_on_signals();"
        f"command = [sys.executable, {str(inner_code)!r}];"
        "programs.run_in_foreground(command, os.environ, pathlib.Path('.'))"
    )
    outer = subprocess.Popen([sys.executable, "-c", driver], stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not mark.is_file() and time.monotonic() < deadline:
        time.sleep(0.02)
    inner = ProcessId.of(int(mark.read_text()))

    # To the outer one alone, as a supervisor would; a terminal signals both.
    outer.send_signal(signal.SIGTERM)

    assert outer.wait(timeout=60) != 0
    assert inner.find() is None


@pytest.mark.parametrize("code", [0, 3])
def test_returns_the_exit_code_of_a_foreground_command(tmp_path: Path, code: int) -> None:
    command = [sys.executable, "-c", f"print('told'); raise SystemExit({code})"]

    assert programs.run_in_foreground(command, os.environ, tmp_path, tmp_path / "out") == code
    assert (tmp_path / "out").read_text() == "told\n"


def test_prefers_or_defers_a_process_as_far_as_the_system_allows(tmp_path: Path) -> None:
    code = "import time; time.sleep(60)"
    process = programs.start([sys.executable, "-c", code], os.environ, tmp_path / "log", tmp_path)
    try:
        programs.prefer(process.pid, 5)
        assert os.getpriority(os.PRIO_PROCESS, process.pid) == 5
        if (group := Path(f"/proc/{process.pid}/autogroup")).is_file():
            assert group.read_text().endswith("nice 5\n")
        # Nobody may be told off for what the system refuses, nor for a process that has ended.
        programs.prefer(2**22 + 1, -10)
    finally:
        process.kill()
        process.wait()
