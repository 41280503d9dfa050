"""Runs the report's notebook in this process, which saves the start of a kernel and its imports."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import nbformat
import pytest
from IPython.display import Markdown

from testbed.analysis import report
from testbed.analysis.report import Written


def write_report_here(results: Path, out: Path | None = None) -> Written:
    """Write a report as `write_report` does, without a kernel."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report, "execute", _execute)
        return report.write_report(results, out)


def _execute(results: Path) -> nbformat.NotebookNode:
    notebook = nbformat.read(report.NOTEBOOK, as_version=4)
    names: dict[str, object] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(report.RESULTS_VARIABLE, str(results.resolve()))
        for cell in notebook.cells:
            if cell.cell_type == "code":
                patch.setattr(report, "display", partial(_display, cell.outputs))
                exec(cell.source, names)
    return notebook


def _display(
    outputs: list[nbformat.NotebookNode],
    content: Any,
    metadata: dict[str, Any] | None = None,
    raw: bool = False,
) -> None:
    """Keep an output as a kernel would send it."""
    if raw:
        data = json.loads(json.dumps(content))
    elif isinstance(content, Markdown):
        data = {"text/markdown": content.data}
    else:
        data, metadata = content._repr_mimebundle_()
    outputs.append(nbformat.v4.new_output("display_data", data, metadata=metadata or {}))
