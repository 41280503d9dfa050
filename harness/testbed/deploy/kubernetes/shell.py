"""A shell elsewhere, which is asked one command after another."""

from __future__ import annotations

import base64
import contextlib
import os
import select
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from testbed.deploy import programs
from testbed.deploy.programs import ProcessId
from testbed.model.errors import UserError

ANSWER_LIMIT_S = 60.0

CLOCK_READINGS = 9


class Shell:
    """A POSIX shell that stays open, because opening one costs as much as many commands.

    `folder` is a folder there for its files. Methods raise `UserError` when the shell has ended or
    does not answer in time.
    """

    def __init__(self, process: subprocess.Popen[bytes], folder: str) -> None:
        self._process = process
        self._folder = folder

    @classmethod
    @contextlib.contextmanager
    def entered(cls, enter: Sequence[str], folder: str, log: Path) -> Iterator[Shell]:
        """Start a shell; it ends with the context.

        `enter` is the prefix of a command that runs there; its input is passed on. `log` is a file
        for errors.
        """
        with programs.uninterrupted():
            process = programs.start([*enter, "sh"], os.environ, log, log.parent, conversing=True)
            own = ProcessId.of(process.pid)
        try:
            yield cls(process, folder)
        finally:
            with programs.uninterrupted(), contextlib.suppress(BrokenPipeError), process:
                programs.stop([own], grace=3)

    def ask(self, command: str) -> bytes:
        """Run a command, and return its output."""
        answer = f"{self._folder}/answer"
        # By a file, so that it is known how much there is to read.
        text = f"{{ {command}\n}} >{answer} </dev/null; wc -c <{answer}; cat {answer}\n"
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(text.encode())
            self._process.stdin.flush()
            return self._read(int(self._line()))
        except (OSError, ValueError) as problem:
            raise UserError(f"the shell at {self._folder} has ended") from problem

    def write(self, name: str, content: bytes) -> str:
        """Write a file into the folder, and return its path there."""
        path = f"{self._folder}/{name}"
        self.ask(f"base64 -d >{path} <<'END'\n{base64.encodebytes(content).decode()}END")
        return path

    def clock_ahead_ms(self) -> float:
        """Return how far the clock there is ahead of the one here, in ms.

        The error is at most half of what the quickest of `CLOCK_READINGS` answers took.
        """
        readings = []
        for _ in range(CLOCK_READINGS):
            before = time.time()
            there_ms = int(self.ask("date +%s%N")) / 1e6
            after = time.time()
            readings.append((after - before, there_ms - 500 * (before + after)))
        return round(min(readings)[1], 3)

    def _line(self) -> bytes:
        assert self._process.stdout is not None
        if not select.select([self._process.stdout], [], [], ANSWER_LIMIT_S)[0]:
            raise UserError(f"no answer of the shell at {self._folder} in {ANSWER_LIMIT_S:.0f} s")
        return self._process.stdout.readline()

    def _read(self, size: int) -> bytes:
        assert self._process.stdout is not None
        output = self._process.stdout.read(size)
        if len(output) < size:
            raise ValueError
        return output
