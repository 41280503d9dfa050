"""Console output of commands, and their exit codes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape

from testbed.model.words import duration

EXIT_FAILED = 1
EXIT_INTERRUPTED = 130

console = Console(highlight=False)
errors = Console(stderr=True, highlight=False)

Detail = Callable[[str], None]


@contextmanager
def step(console: Console, title: str) -> Iterator[Detail]:
    """Show a step while it runs, then its elapsed time.

    Yields a function that shows, on a terminal only, what the step waits for.
    """
    began, title = time.monotonic(), escape(title)
    with console.status(f"{title} …") as status:

        def detail(text: str) -> None:
            status.update(f"{title} … [dim]{escape(text)}[/dim] [dim]{seconds(began)}[/dim]")

        try:
            yield detail
        except BaseException:
            console.print(f"[red]✗[/red] {title} [dim]{seconds(began)}[/dim]")
            raise
    console.print(f"[green]✓[/green] {title} [dim]{seconds(began)}[/dim]")


def seconds(began: float) -> str:
    return duration(time.monotonic() - began)
