"""Runs the report's notebook and converts it to a single HTML file."""

from __future__ import annotations

import base64
import html
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
import polars as pl
from ipykernel.kernelspec import get_kernel_dict
from IPython.display import Markdown, display
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from mistune import create_markdown
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbconvert import HTMLExporter
from rich.console import Console
from rich.markup import escape
from traitlets import default
from traitlets.config import Config

from testbed.analysis.decisions import Decision
from testbed.analysis.figures.figure import ReportFigure
from testbed.analysis.results import find_results
from testbed.analysis.summary import SCHEMA
from testbed.analysis.tables import print_decisions, print_table
from testbed.model.errors import UserError
from testbed.model.files import write

NOTEBOOK = Path(__file__).resolve().parents[3] / "analysis" / "report.ipynb"
RESULTS_VARIABLE = "TESTBED_RESULTS"
CELL_LIMIT_S = 1800


@dataclass(frozen=True)
class Written:
    """A written report, with what the terminal prints of it.

    ``page`` is ``report.html``, which refers to no other file. ``summary`` covers the runs that
    count. ``doubtful`` gives, by run, why it is not simply valid.
    """

    page: Path
    decisions: tuple[Decision, ...]
    sentences: tuple[str, ...]
    summary: pl.DataFrame
    doubtful: Mapping[str, str]

    def print(self, console: Console) -> None:
        """Print the figures of each cell, the doubtful runs and, last, the decisions."""
        print_table(self.summary, console)
        for run, why in self.doubtful.items():
            console.print(f"[yellow]{escape(run)}[/yellow] {escape(why)}", highlight=False)
        print_decisions(self.decisions, console)
        for sentence in self.sentences:
            console.print(escape(sentence), highlight=False)


def write_report(results: Path, out: Path | None = None) -> Written:
    """Compute the report of a results directory, or of a plain directory of sample files.

    ``report.html``, ``decisions.csv``, ``summary.csv`` and ``figures/*.png`` go to ``out``; sample
    files are only read. By default ``out`` is ``results``, or ``report-NAME`` in the working
    directory for a plain directory of sample files. Raises `UserError` if there is nothing to
    report on, or the notebook fails.
    """
    name = results.resolve().name
    loose = find_results(results).loose
    out = out or (Path(f"report-{name}") if loose else results)
    notebook = execute(results)
    for figure, image in _outputs(notebook, "image/png"):
        write(out / "figures" / f"{figure}.png", base64.b64decode(image))
    tables = dict(_outputs(notebook, "text/csv"))
    for table, text in tables.items():
        write(out / f"{table}.csv", text.encode())
    told = dict(_outputs(notebook, "application/json"))["told"]
    report = out / "report.html"
    write(report, page(notebook, name).encode())
    return Written(
        page=report,
        decisions=tuple(Decision(**fields) for fields in told["decisions"]),
        sentences=tuple(told["sentences"]),
        summary=pl.read_csv(tables["summary"].encode(), schema=SCHEMA),
        doubtful=told["doubtful"],
    )


def show(heading: str, *contents: str | ReportFigure, **named: object) -> None:
    """Show a part of the report in the notebook, or nothing if all ``contents`` are empty.

    ``heading`` is Markdown; it may be empty, or be followed by a paragraph. ``named`` data is kept
    for `write_report`: a table as CSV, anything else as JSON.
    """
    if not any(contents):
        return
    for content in filter(None, (heading, *contents)):
        display(  # type: ignore[no-untyped-call]
            Markdown(content) if isinstance(content, str) else content  # type: ignore[no-untyped-call]
        )
    for name, data in named.items():
        table = isinstance(data, pl.DataFrame)
        kind = "text/csv" if table else "application/json"
        display(  # type: ignore[no-untyped-call]
            {kind: data.write_csv() if isinstance(data, pl.DataFrame) else data, "text/html": ""},
            metadata={kind: {"name": name}},
            raw=True,
        )


def results_from_environment() -> Path:
    """Return the directory that ``TESTBED_RESULTS`` names; raise `UserError` if it is not set."""
    value = os.environ.get(RESULTS_VARIABLE)
    if not value:
        raise UserError(
            f"{RESULTS_VARIABLE} is not set",
            f"Name a results directory, for example {RESULTS_VARIABLE}=results/compare-...",
        )
    return Path(value)


def execute(results: Path) -> nbformat.NotebookNode:
    """Run the notebook on a results directory in a fresh kernel; return it with its outputs.

    Raises `UserError` with the error's message if a cell fails.
    """
    notebook: nbformat.NotebookNode = nbformat.read(  # type: ignore[no-untyped-call]
        NOTEBOOK, as_version=4
    )
    with TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook,
            kernel_manager_class=FreshKernel,
            config=_kernel_config(folder),
            timeout=CELL_LIMIT_S,
        )
        try:
            client.execute(env={**os.environ, RESULTS_VARIABLE: str(results.resolve())})
        except CellExecutionError as error:
            raise UserError(f"the report failed: {error.ename}: {error.evalue}") from error
    return notebook


def page(notebook: nbformat.NotebookNode, name: str) -> str:
    """Return an executed notebook as one HTML page without code or external references.

    HTML in its Markdown is shown as text: messages and environments come from result files.
    """
    markdown = create_markdown(escape=True, plugins=["table"])
    exporter = HTMLExporter(  # type: ignore[no-untyped-call]
        template_name="basic",
        exclude_input=True,
        exclude_input_prompt=True,
        exclude_output_prompt=True,
        exclude_anchor_links=True,
        filters={"markdown2html": lambda text: str(markdown(text))},
    )
    body, _ = exporter.from_notebook_node(notebook)
    package = files("testbed.analysis")
    return Template((package / "page.html").read_text(encoding="utf-8")).substitute(
        title=html.escape(f"{name}: microservice patterns under load"),
        style=(package / "page.css").read_text(encoding="utf-8"),
        body=body,
    )


class ThisPython(KernelSpecManager):
    """Starts the kernel with this interpreter, whatever kernels are installed."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        return KernelSpec(resource_dir="", **get_kernel_dict())


class FreshKernel(AsyncKernelManager):
    """A kernel of this interpreter; traitlets configures it by its class name."""

    @default("kernel_spec_manager")
    def _this_python(self) -> KernelSpecManager:
        return ThisPython()


def _kernel_config(folder: str) -> Config:
    """Configure a kernel that opens no TCP port; its sockets are in ``folder``."""
    return Config(
        FreshKernel={
            "transport": "ipc",
            "ip": f"{folder}/kernel",
            "connection_file": f"{folder}/kernel.json",
        }
    )


def _outputs(notebook: nbformat.NotebookNode, kind: str) -> Iterator[tuple[str, Any]]:
    """Yield the name and content of the named outputs of one MIME type."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            name = output.get("metadata", {}).get(kind, {}).get("name")
            if name and kind in output.get("data", {}):
                yield name, output["data"][kind]
