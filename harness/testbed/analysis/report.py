"""Runs the report's notebook and makes one file of it."""

from __future__ import annotations

import base64
import html
import os
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
from ipykernel.kernelspec import get_kernel_dict
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbconvert import HTMLExporter
from traitlets import default
from traitlets.config import Config

from testbed.analysis.results import find_results
from testbed.errors import UserError

NOTEBOOK = Path(__file__).resolve().parents[3] / "analysis" / "report.ipynb"
RESULTS_VARIABLE = "TESTBED_RESULTS"
CELL_LIMIT_S = 1800


def write_report(results: Path, out: Path | None = None) -> Path:
    """Compute the report of a results directory.

    Parameters
    ----------
    results
        A results directory, or a plain directory of sample files; only read.
    out
        Where ``report.html``, ``summary.csv`` and ``figures/*.png`` go. By default ``results``; for
        a plain directory of sample files ``report-NAME`` in the working directory.

    Returns
    -------
    Path
        ``report.html``: one file, with no reference to any other.

    Raises
    ------
    UserError
        If there is nothing to report on, or the notebook fails.
    """
    name = results.resolve().name
    loose = find_results(results).loose
    out = out or (Path(f"report-{name}") if loose else results)
    notebook = execute(results)
    for figure, image in _outputs(notebook, "image/png"):
        _write(out / "figures" / f"{figure}.png", base64.b64decode(image))
    for table, text in _outputs(notebook, "text/csv"):
        _write(out / f"{table}.csv", text.encode())
    return _write(out / "report.html", page(notebook, name).encode())


def results_from_environment() -> Path:
    """Return the results directory that ``TESTBED_RESULTS`` names, for the notebook.

    Raises
    ------
    UserError
        If the variable is not set.
    """
    value = os.environ.get(RESULTS_VARIABLE)
    if not value:
        raise UserError(
            f"{RESULTS_VARIABLE} is not set",
            f"Name a results directory, for example {RESULTS_VARIABLE}=results/compare-...",
        )
    return Path(value)


def execute(results: Path) -> nbformat.NotebookNode:
    """Run the notebook on a results directory in a fresh kernel, and return it with its outputs.

    Raises
    ------
    UserError
        If a cell fails; the message is that of the error.
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
    """Return an executed notebook as one HTML page, without code and without references."""
    exporter = HTMLExporter(  # type: ignore[no-untyped-call]
        template_name="basic",
        exclude_input=True,
        exclude_input_prompt=True,
        exclude_output_prompt=True,
        exclude_anchor_links=True,
    )
    body, _ = exporter.from_notebook_node(notebook)
    package = files("testbed.analysis")
    return Template((package / "page.html").read_text(encoding="utf-8")).substitute(
        title=html.escape(f"{name}: microservice patterns under load"),
        style=(package / "page.css").read_text(encoding="utf-8"),
        body=body,
    )


class ThisPython(KernelSpecManager):
    """Starts the kernel with this very interpreter, whatever kernels the user has installed."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        return KernelSpec(resource_dir="", **get_kernel_dict())


class FreshKernel(AsyncKernelManager):
    """A kernel of this interpreter; traitlets configures it by the name of its class."""

    @default("kernel_spec_manager")
    def _this_python(self) -> KernelSpecManager:
        return ThisPython()


def _kernel_config(folder: str) -> Config:
    """Return the configuration of a kernel that opens no TCP port, with its sockets in a folder."""
    return Config(
        FreshKernel={
            "transport": "ipc",
            "ip": f"{folder}/kernel",
            "connection_file": f"{folder}/kernel.json",
        }
    )


def _outputs(notebook: nbformat.NotebookNode, kind: str) -> Iterator[tuple[str, Any]]:
    """Return the named outputs of one MIME type."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            name = output.get("metadata", {}).get(kind, {}).get("name")
            if name and kind in output.get("data", {}):
                yield name, output["data"][kind]


def _write(file: Path, content: bytes) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return file
