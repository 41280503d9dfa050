"""Where commands print, and the exit codes that they end with."""

from __future__ import annotations

from rich.console import Console

EXIT_FAILED = 1
EXIT_INTERRUPTED = 130

console = Console(highlight=False)
errors = Console(stderr=True, highlight=False)
