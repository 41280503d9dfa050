"""What the measurements were made with, and how to repeat them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from testbed.analysis.results import Results
from testbed.analysis.tables import markdown_table


def environment(results: Results) -> str:
    """Return the environment of the measurements; empty if it is not recorded."""
    if not results.environment:
        return ""
    return markdown_table(
        {"what": what, "value": value} for what, value in _flat(results.environment)
    )


def reproduction(results: Results) -> str:
    """Return the commands that reproduce the report and the measurement."""
    report = (
        "The same report from the same sample files, which are never changed:\n\n"
        "```\n./testbed report RESULTS\n```"
    )
    if not results.declaration:
        return report
    return (
        f"{report}\n\nThe same measurement, with this experiment saved as a file:\n\n"
        f"```\n./testbed run EXPERIMENT.yaml\n```\n\n```\n{results.declaration.strip()}\n```"
    )


def _flat(tree: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """Yield the leaves of nested mappings with their paths; a list is one leaf."""
    for key, value in tree.items():
        path = f"{above}{key}"
        if isinstance(value, Mapping):
            yield from _flat(value, f"{path} / ")
        elif isinstance(value, list):
            yield path, " ".join(str(item) for item in value)
        else:
            yield path, str(value)
