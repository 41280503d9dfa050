"""Shows what is being done, and how long it took."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console

Detail = Callable[[str], None]


@contextmanager
def step(console: Console, title: str) -> Iterator[Detail]:
    """Show a step while it runs, then its elapsed time.

    Yields
    ------
    callable
        Shows a few words on what the step is waiting for (on a terminal only).
    """
    began = time.monotonic()
    with console.status(f"{title} …") as status:

        def detail(text: str) -> None:
            status.update(f"{title} … [dim]{text}[/dim] [dim]{seconds(began)}[/dim]")

        try:
            yield detail
        except BaseException:
            console.print(f"[red]✗[/red] {title} [dim]{seconds(began)}[/dim]")
            raise
    console.print(f"[green]✓[/green] {title} [dim]{seconds(began)}[/dim]")


def seconds(began: float) -> str:
    """Return the time since a monotonic clock reading, for people."""
    return duration(time.monotonic() - began)


def duration(elapsed: float) -> str:
    """Return seconds for people: ``8.3 s``, ``2 min 05 s``."""
    if elapsed < 60:
        return f"{elapsed:.1f} s"
    minutes, rest = divmod(round(elapsed), 60)
    return f"{minutes} min {rest:02d} s"
