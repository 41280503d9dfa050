"""Sends operations at planned times, and accounts for every one of them by its key.

This is not the load generator, which is JMeter: it measures nothing, and shares the processors with
the system. It knows what became of each operation.
"""

from __future__ import annotations

import itertools
import math
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

NO_WORD_YET = frozenset({404, 410, 503, 504})
"""Answers to a fetch that do not say what became of the operation."""

WORKERS = 48
"""Operations in flight at most."""

STALLED_S = 120.0
"""How long a load may go on without any operation ending. Longer than every client waits."""


@dataclass(frozen=True)
class Outcome:
    """What a client was told of one operation.

    Parameters
    ----------
    status
        Of the first answer; None if there was none.
    id
        Of what was made, or under which the operation was acknowledged; None without either.
    final
        The status of the result; None if there was no answer.
    why
        The problem of the last answer, or the client's own.
    """

    status: int | None
    id: str | None = None
    final: int | None = None
    why: str | None = None

    @property
    def served(self) -> bool:
        """Whether the client has its result."""
        return self.final is not None and 200 <= self.final < 300 and self.final != 202


@dataclass(frozen=True)
class Entry:
    """One operation of an account.

    Parameters
    ----------
    key
        Names the operation in what is stored.
    due_s
        When it was to begin, from the start of the load.
    took_s
        From then to its last answer: with the wait for a free worker.
    """

    key: str
    due_s: float
    took_s: float
    outcome: Outcome


@dataclass(frozen=True)
class Account:
    """What clients were told of operations, and how often each is stored."""

    entries: tuple[Entry, ...]
    stored: Mapping[str, int]

    @property
    def acknowledged(self) -> list[Entry]:
        """Those that have an id."""
        return [entry for entry in self.entries if entry.outcome.id is not None]

    @property
    def unanswered(self) -> list[Entry]:
        """Those whose client was told nothing: they may be stored or not."""
        return [entry for entry in self.entries if entry.outcome.status is None]

    @property
    def lost(self) -> list[Entry]:
        """Acknowledged, neither stored nor refused."""
        return [
            entry
            for entry in self.acknowledged
            if not self.stored.get(entry.key) and not _refused(entry)
        ]

    @property
    def doubled(self) -> list[Entry]:
        """Stored more than once."""
        return [entry for entry in self.entries if self.stored.get(entry.key, 0) > 1]

    @property
    def unwanted(self) -> list[Entry]:
        """Stored although the client was told that it would not be: 503, or refused."""
        return [
            entry
            for entry in self.entries
            if self.stored.get(entry.key) and (entry.outcome.status == 503 or _refused(entry))
        ]


def _refused(entry: Entry) -> bool:
    final = entry.outcome.final
    return final is not None and final >= 400 and final not in NO_WORD_YET


class Load:
    """Operations that begin at planned times while the body of a ``with`` statement runs.

    The end of the body waits until all have ended. An error in it lets no further one begin.

    Parameters
    ----------
    send
        Carries out the operation of a key; ends within a limit of its own.
    arrivals
        When each is to begin, in seconds from the start.
    workers
        Operations in flight at most. One that finds no free worker begins late.
    notice
        Progress listener.
    """

    def __init__(
        self,
        send: Callable[[str], Outcome],
        arrivals: Sequence[float],
        workers: int = WORKERS,
        notice: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._send = send
        self._arrivals = arrivals
        self._notice = notice
        self._numbers = itertools.count()
        self._run = uuid.uuid4().hex[:12]
        self._changed = threading.Condition()
        self._stopped = threading.Event()
        self._entries: list[Entry] = []
        self._problem: BaseException | None = None
        self._threads = [
            threading.Thread(target=self._work, name=f"client-{number}", daemon=True)
            for number in range(min(workers, len(arrivals)))
        ]
        self._began = 0.0

    def __enter__(self) -> Load:
        self._began = time.monotonic()
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None and not self._stopped.is_set():
                self.await_ended(len(self._arrivals))
        finally:
            self._stopped.set()
        if kind is None:
            for thread in self._threads:
                thread.join()
            self._raise()

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The operations that have ended, in the order in which they were due."""
        with self._changed:
            return tuple(sorted(self._entries, key=lambda entry: entry.due_s))

    @property
    def elapsed_s(self) -> float:
        """Seconds from the start of the load."""
        return time.monotonic() - self._began

    def await_ended(self, count: int) -> None:
        """Wait until so many operations have ended; raise what kept one from being sent."""
        with self._changed:
            while len(self._entries) < count:
                self._raise()
                before = len(self._entries)
                self._changed.wait(STALLED_S)
                if len(self._entries) == before and self._problem is None:
                    raise TimeoutError(f"no operation has ended for {STALLED_S:.0f} s")

    def await_share(self, share: float) -> None:
        """Wait until a share of all operations has ended."""
        self.await_ended(math.ceil(share * len(self._arrivals)))

    def await_due(self, share: float) -> None:
        """Wait until a share of all operations was due, whether they have ended or not."""
        due = self._began + self._arrivals[math.ceil(share * len(self._arrivals)) - 1]
        self._stopped.wait(max(0.0, due - time.monotonic()))
        self._raise()

    def end(self) -> None:
        """Let no further operation begin."""
        self._stopped.set()

    def _raise(self) -> None:
        if self._problem is not None:
            raise self._problem

    def _work(self) -> None:
        try:
            while (number := next(self._numbers)) < len(self._arrivals):
                due = self._began + self._arrivals[number]
                if self._stopped.wait(max(0.0, due - time.monotonic())):
                    return
                key = f"{number}.{self._run}"
                outcome = self._send(key)
                entry = Entry(key, self._arrivals[number], time.monotonic() - due, outcome)
                with self._changed:
                    self._entries.append(entry)
                    self._notice(f"{len(self._entries):,} of {len(self._arrivals):,} operations")
                    self._changed.notify_all()
        except BaseException as problem:
            with self._changed:
                self._problem = problem
                self._changed.notify_all()


def evenly(rate: float, count: int) -> list[float]:
    """Return the arrivals of `count` operations at `rate` per second."""
    return [number / rate for number in range(count)]


def failed_seconds(entries: Iterable[Entry]) -> int:
    """Return in how many seconds of the load an operation was due that was not served."""
    return len({math.floor(entry.due_s) for entry in entries if not entry.outcome.served})


def quantile(entries: Iterable[Entry], share: float) -> float:
    """Return the time in seconds within which a share of the operations ended."""
    times = sorted(entry.took_s for entry in entries)
    return times[max(0, math.ceil(share * len(times)) - 1)]


def statuses(entries: Iterable[Entry]) -> str:
    """Return how many operations had which last status, such as ``200: 48, 503: 2``."""
    counts = Counter(
        str(entry.outcome.final or entry.outcome.status or "none") for entry in entries
    )
    return ", ".join(f"{status}: {count:,}" for status, count in sorted(counts.items()))


def of(part: Sequence[object] | int, whole: Sequence[object] | int) -> str:
    """Return a count of a whole, such as ``0 of 10,000``."""
    count, all_ = (len(part) if isinstance(part, Sequence) else part for part in (part, whole))
    return f"{count:,} of {all_:,}"


def note(figures: dict[str, str], account: Account) -> None:
    """Note what an account shows."""
    figures["lost"] = of(account.lost, account.acknowledged)
    figures["stored twice"] = of(account.doubled, account.entries)
    figures["refused but stored"] = of(account.unwanted, account.entries)
    figures["without an answer"] = of(account.unanswered, account.entries)


def require_right(account: Account) -> None:
    """Check that what is stored is what clients were told."""
    assert not account.lost, "an acknowledged reservation is not stored"
    assert not account.doubled, "a reservation is stored twice"
    assert not account.unwanted, "a refused reservation is stored"
