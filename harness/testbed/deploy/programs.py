"""Starts and stops processes, and never mistakes another process for one of ours."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from testbed.model.errors import UserError

START_TOLERANCE_S = 0.5
"""The most that two readings of one process's start may differ."""

STOP_GRACE_S = 30.0
"""How long a process may take to end after TERM before it is killed.

Longer than the shutdown of a service: its drain, and 10 s at most for each phase after it.
"""

ASK_TIMEOUT_S = 60.0
POLL_S = 0.05


class Interrupted(BaseException):
    """A signal asked this program to end; not an `Exception`, so that no handler swallows it."""


@dataclass(frozen=True)
class ProcessId:
    """A process, told apart from a later one with the same number by its start time.

    `created` is in seconds: since boot on Linux, else since the epoch.
    """

    pid: int
    created: float

    @classmethod
    def of(cls, pid: int) -> ProcessId:
        """Identify a running process; raise `psutil.NoSuchProcess` if there is none."""
        return cls(pid, _started(psutil.Process(pid)))

    def find(self) -> psutil.Process | None:
        """Return the process; None if it has ended, even if its number is in use again."""
        try:
            process = psutil.Process(self.pid)
            if abs(_started(process) - self.created) > START_TOLERANCE_S:
                return None
            if _is_over(process):
                return None
        except psutil.NoSuchProcess:
            return None
        return process


def start(
    command: Sequence[str],
    environ: Mapping[str, str],
    log: Path,
    folder: Path,
    *,
    conversing: bool = False,
) -> subprocess.Popen[bytes]:
    """Start a background process in a session of its own, its output in a log file.

    The session lets the process outlive this one. It also keeps a Ctrl-C in the terminal away from
    the process, so that the harness decides what stops in which order. With `conversing`, input and
    output are pipes to this process; only errors go to the log.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        return subprocess.Popen(
            command,
            env=dict(environ),
            cwd=folder,
            stdin=subprocess.PIPE if conversing else subprocess.DEVNULL,
            stdout=subprocess.PIPE if conversing else output,
            stderr=output,
            start_new_session=True,
        )


def prefer(pid: int, niceness: int) -> None:
    """Run a session before or after others, as far as this user and this system allow.

    Linux shares processors between sessions first (``sched_autogroup``), then between the processes
    of a session by niceness. Every process started here has its own session. `pid` is the process
    that leads the session. `niceness` is from -20 (first) to 19.
    """
    with contextlib.suppress(OSError):
        Path(f"/proc/{pid}/autogroup").write_text(f"{niceness}\n", encoding="ascii")
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, niceness)


def stop(ids: Iterable[ProcessId], grace: float = STOP_GRACE_S) -> list[ProcessId]:
    """Stop processes and their descendants: TERM first, KILL after `grace` seconds.

    Ended processes are skipped. Returns those of `ids` that had to be killed.
    """
    own = {process_id.pid: process_id for process_id in ids}
    alive = _members(own.values())
    for process in alive:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.terminate()
            # A suspended process does not handle the signal before it resumes.
            process.resume()
    stubborn = _wait(alive, grace)
    _kill(stubborn, grace)
    return [own[process.pid] for process in stubborn if process.pid in own]


def kill(ids: Iterable[ProcessId]) -> None:
    """Kill processes and their descendants at once, as a crash ends them."""
    _kill(_members(ids), STOP_GRACE_S)


def _members(ids: Iterable[ProcessId]) -> list[psutil.Process]:
    """Return those that still run, with their descendants and the rest of their sessions.

    A launcher may end before what it has started, which then is nobody's descendant.
    """
    processes: dict[int, psutil.Process] = {}
    leaders = set()
    for process_id in ids:
        process = process_id.find()
        with contextlib.suppress(psutil.NoSuchProcess):
            if process is not None:
                processes |= {
                    member.pid: member for member in (process, *process.children(recursive=True))
                }
            elif psutil.pid_exists(process_id.pid) and not _is_over(psutil.Process(process_id.pid)):
                # The number is in use again. It is not while a session has it.
                continue
        leaders.add(process_id.pid)
    for pid in psutil.pids():
        with contextlib.suppress(OSError, psutil.NoSuchProcess):
            if os.getsid(pid) in leaders:
                processes.setdefault(pid, psutil.Process(pid))
    return list(processes.values())


def _kill(running: Iterable[psutil.Process], limit_s: float) -> None:
    asked = list(running)
    for process in asked:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    _wait(asked, limit_s)


def _wait(asked: Iterable[psutil.Process], limit_s: float) -> list[psutil.Process]:
    """Wait for processes to end, and return those that have not.

    An ended process stays in the process table until its parent reaps it. For an orphan, that is
    the system's first process, which is slow on some machines.
    """
    deadline = time.monotonic() + limit_s
    running = asked = list(asked)
    while True:
        # Reaps our own children.
        psutil.wait_procs(running, timeout=0)
        running = [process for process in running if not _has_ended(process)]
        if not running or time.monotonic() >= deadline:
            # One may have ended between the two.
            psutil.wait_procs(asked, timeout=0)
            return running
        time.sleep(POLL_S)


def _has_ended(process: psutil.Process) -> bool:
    try:
        return not process.is_running() or _is_over(process)
    except psutil.NoSuchProcess:
        return True


def _is_over(process: psutil.Process) -> bool:
    """Return whether a process has ended and is only waiting to be reaped.

    Its first thread may have ended before the others, which then still have its ports.
    """
    return process.status() == psutil.STATUS_ZOMBIE and process.num_threads() <= 1


def run_in_foreground(
    command: Sequence[str], environ: Mapping[str, str], folder: Path, output: Path | None = None
) -> int:
    """Run a command and return its exit code; an interrupt stops it before it is raised.

    `output` is a file for its output; None for the terminal.
    """
    with contextlib.ExitStack() as stack:
        target = None if output is None else stack.enter_context(output.open("wb"))
        process = subprocess.Popen(
            command,
            env=dict(environ),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=target,
            stderr=None if target is None else subprocess.STDOUT,
        )
        try:
            return process.wait()
        except BaseException:
            with uninterrupted():
                # Like the terminal: the command can clean up.
                with contextlib.suppress(ProcessLookupError):
                    process.send_signal(signal.SIGINT)
                try:
                    process.wait(timeout=30)
                except subprocess.TimeoutExpired:
                    stop([ProcessId.of(process.pid)])
            raise


def ask(
    command: Sequence[str],
    *,
    environ: Mapping[str, str] | None = None,
    given: str | None = None,
    timeout_s: float = ASK_TIMEOUT_S,
) -> subprocess.CompletedProcess[str]:
    """Run a command that reads `given`; raise `UserError` if it does not end in time."""
    try:
        return subprocess.run(
            command,
            env=environ,
            input=given,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=timeout_s,
            check=False,
            # Ctrl-C in the terminal must not reach the command: the harness may be stopping a stack
            # with it.
            start_new_session=True,
        )
    except subprocess.TimeoutExpired as problem:
        raise UserError(f"{' '.join(command)}: did not end within {timeout_s:.0f} s") from problem


def output_of(title: str, command: Sequence[str], **options: Any) -> str:
    """Return what a command prints; raise `UserError` if it fails. `options` go to `ask`."""
    answer = ask(command, **options)
    if answer.returncode != 0:
        raise UserError(f"{title} failed:\n{answer.stderr.strip()}")
    return answer.stdout


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Delay Ctrl-C, TERM and HUP until the body has run.

    For a step that must not be left half done: starting and recording a process, or stopping one.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # Python delivers signals to the main thread only.
        return
    arrived: list[int] = []
    handlers = {
        number: handler
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        if callable(handler := signal.getsignal(number))
    }
    for number in handlers:
        signal.signal(number, lambda got, _frame: arrived.append(got))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    if arrived:
        handlers[signal.Signals(arrived[0])](arrived[0], None)


def end_on_signals() -> None:
    """Make Ctrl-C, TERM and HUP raise `Interrupted`, so that this program cleans up and ends."""

    def interrupt(number: int, _frame: object) -> None:
        raise Interrupted(signal.Signals(number).name)

    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, interrupt)
    # A harness started with nohup keeps running when its terminal closes.
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, interrupt)


def own() -> ProcessId:
    return ProcessId.of(os.getpid())


def _started(process: psutil.Process) -> float:
    """Return when a process started; setting the clock does not change the value.

    Linux records ticks since boot. `psutil` turns them into a time of day, which moves for every
    running process when the clock is set. Raises `psutil.NoSuchProcess` if the process has ended.
    """
    if not psutil.LINUX:
        return process.create_time()
    try:
        line = Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError) as gone:
        raise psutil.NoSuchProcess(process.pid) from gone
    # Field 2, the command's name in parentheses, may hold anything. The start is field 22.
    ticks = int(line.rpartition(")")[2].split()[19])
    return ticks / os.sysconf("SC_CLK_TCK")
