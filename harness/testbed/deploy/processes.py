"""Starts and ends processes, and never mistakes another process for one of ours."""

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

import psutil

START_TOLERANCE_S = 0.5
"""How far two readings of one process's start may lie apart."""

STOP_GRACE_S = 10.0
"""How long a process may take to end after TERM before it is killed."""

POLL_S = 0.05


class Interrupted(BaseException):
    """A signal asked this program to end; no handler of ordinary errors may swallow it."""


@dataclass(frozen=True)
class ProcessId:
    """A process, told apart from a later one with the same number by its start time.

    Parameters
    ----------
    pid
        The number that the system gave it.
    created
        When it started, in seconds: since the system's boot on Linux, else since the epoch.
    """

    pid: int
    created: float

    @classmethod
    def of(cls, pid: int) -> ProcessId:
        """Identify a running process.

        Raises
        ------
        psutil.NoSuchProcess
            When there is none of that number.
        """
        return cls(pid, _started(psutil.Process(pid)))

    def find(self) -> psutil.Process | None:
        """Return the process while it runs; None once it ended, its number in use again or not."""
        try:
            process = psutil.Process(self.pid)
            if abs(_started(process) - self.created) > START_TOLERANCE_S:
                return None
            if process.status() == psutil.STATUS_ZOMBIE:
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

    A session of its own keeps it alive after this one ends, and keeps a Ctrl-C in the terminal from
    reaching it before the harness has decided what ends in which order.

    Parameters
    ----------
    conversing
        Whether pipes to this process are its input and output; only its errors go to the log then.
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
    """Let the session of a process run before others, as far as this user and this system allow.

    Linux shares processors between sessions first (``sched_autogroup``), and only then between the
    processes of each by their own niceness; every process that is started here has its own session.

    Parameters
    ----------
    pid
        The process that leads the session.
    niceness
        From -20, first, to 19.
    """
    with contextlib.suppress(OSError):
        Path(f"/proc/{pid}/autogroup").write_text(f"{niceness}\n", encoding="ascii")
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, niceness)


def stop(ids: Iterable[ProcessId], grace: float = STOP_GRACE_S) -> list[ProcessId]:
    """End processes and what they started: TERM to all, KILL to those still there after a grace.

    Parameters
    ----------
    ids
        The processes; those that ended already are passed over.
    grace
        Seconds between TERM and KILL.

    Returns
    -------
    list of ProcessId
        Those that had to be killed.
    """
    own = {one.pid: one for one in ids}
    alive: dict[int, psutil.Process] = {}
    for one in own.values():
        if (process := one.find()) is not None:
            for member in [process, *_descendants(process)]:
                alive[member.pid] = member
    for process in alive.values():
        with contextlib.suppress(psutil.NoSuchProcess):
            process.terminate()
            # One that is held still does not see the signal before it goes on.
            process.resume()
    stubborn = _wait(alive.values(), grace)
    for process in stubborn:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    _wait(stubborn, grace)
    return [own[process.pid] for process in stubborn if process.pid in own]


def _wait(asked: Iterable[psutil.Process], limit_s: float) -> list[psutil.Process]:
    """Wait for processes to end, and return those that have not.

    One that has ended may stay in the table until its parent asks how: an orphan's is the system's
    first process, which takes its time on some machines.
    """
    deadline = time.monotonic() + limit_s
    running = list(asked)
    while True:
        # Asks for our own.
        psutil.wait_procs(running, timeout=0)
        running = [one for one in running if not _has_ended(one)]
        if not running or time.monotonic() >= deadline:
            return running
        time.sleep(POLL_S)


def _has_ended(process: psutil.Process) -> bool:
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def run_in_foreground(
    command: Sequence[str], environ: Mapping[str, str], folder: Path, output: Path | None = None
) -> int:
    """Run a command to its end and return its exit code; an interrupt ends it before it is raised.

    Parameters
    ----------
    output
        A file for its output; the terminal if not given.
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
                # As the terminal would: lets the command clean up after itself.
                with contextlib.suppress(ProcessLookupError):
                    process.send_signal(signal.SIGINT)
                try:
                    process.wait(timeout=30)
                except subprocess.TimeoutExpired:
                    stop([ProcessId.of(process.pid)])
            raise


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Let a short step run to its end: Ctrl-C, TERM and HUP are acted on after it.

    For a step that must not be left half done: starting a process and writing it down, ending what
    was started.
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
    # A harness started with nohup keeps running when its terminal goes.
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, interrupt)


def own() -> ProcessId:
    """Identify this process."""
    return ProcessId.of(os.getpid())


def _started(process: psutil.Process) -> float:
    """Return when a process started, by a clock that nobody sets.

    Linux writes it down in ticks since its boot. What `psutil` makes of that, a time of day, moves
    for every running process when the clock is set.

    Raises
    ------
    psutil.NoSuchProcess
        When it has ended.
    """
    if not psutil.LINUX:
        return process.create_time()
    try:
        line = Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError) as gone:
        raise psutil.NoSuchProcess(process.pid) from gone
    # The command's name, in parentheses, may hold anything. The start is field 22, the name 2.
    ticks = int(line.rpartition(")")[2].split()[19])
    return ticks / os.sysconf("SC_CLK_TCK")


def _descendants(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.NoSuchProcess:
        return []
