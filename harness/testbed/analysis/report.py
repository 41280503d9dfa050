"""Runs the report's notebook and converts it to a single HTML file.

This needs no Jupyter: a notebook is a JSON file with cells of Python and Markdown. Opened in
Jupyter, the notebook shows the same.
"""

from __future__ import annotations

import base64
import html
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from string import Template
from typing import Any

import polars as pl
from markdown_it import MarkdownIt
from rich.console import Console
from rich.markup import escape

from testbed.analysis.answer import Answer
from testbed.analysis.decisions import Decision
from testbed.analysis.figures.figure import MIME, ReportFigure
from testbed.analysis.published import contents, published_tables
from testbed.analysis.results import find_results
from testbed.analysis.summary import SCHEMA
from testbed.analysis.tables import print_decisions, print_table
from testbed.model.errors import UserError
from testbed.model.files import write
from testbed.model.project import SHIPS

NOTEBOOK = SHIPS / "analysis" / "report.ipynb"
RESULTS_VARIABLE = "TESTBED_RESULTS"

CONTENTS_TAG = "h2"
"""The headings that the list of contents names."""

CONTENTS_MARK = "<p>[contents]</p>"
"""What the list of contents takes the place of."""


@dataclass(frozen=True)
class Output:
    """A part of the report: its content by MIME type, and what is known of that content."""

    data: Mapping[str, Any]
    metadata: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Execution:
    """What `execute` runs the notebook on, and what the notebook has shown so far."""

    results: Path
    outputs: list[Output] = field(default_factory=list)


_execution: ContextVar[Execution | None] = ContextVar("execution", default=None)
"""None in Jupyter."""


@dataclass(frozen=True)
class Written:
    """A written report, with what the terminal prints of it.

    ``page`` is ``report.html``, which refers to no other file. ``summary`` covers the runs that
    count.
    """

    page: Path
    answer: Answer
    decisions: tuple[Decision, ...]
    own: tuple[str, ...]
    """The sentences of a search or a ladder, the first of which is the answer."""
    summary: pl.DataFrame
    used: str
    """How many runs decide, and why the others do not."""

    def print(self, console: Console) -> None:
        """Print the answer, then the decisions, or what was measured if nothing is compared."""
        console.print(f"[bold]{escape(self.answer.line)}[/bold]", highlight=False)
        for line in self.answer.lines:
            console.print(escape(line), highlight=False)
        console.print()
        for sentence in self.own[1:]:
            console.print(escape(sentence), highlight=False)
        if self.decisions:
            print_decisions(self.decisions, console)
        elif not self.own:
            print_table(self.summary, console)
        console.print(escape(self.used), highlight=False)


def write_report(results: Path, out: Path | None = None) -> Written:
    """Compute the report of a results directory, or of a plain directory of sample files.

    ``report.html``, ``decisions.csv``, ``summary.csv`` and ``figures/*`` go to ``out``; sample
    files are only read. By default ``out`` is ``results``, or ``report-NAME`` in the working
    directory for a plain directory of sample files. Raises `UserError` if there is nothing to
    report on, or the notebook fails.
    """
    name = results.resolve().name
    loose = find_results(results).loose
    out = out or (Path(f"report-{name}") if loose else results)
    outputs = execute(results)
    for kind, mime in MIME.items():
        for figure, image in _named(outputs, mime):
            write(out / "figures" / f"{figure}.{kind}", base64.b64decode(image))
    tables = dict(_named(outputs, "text/csv"))
    for table, text in tables.items():
        write(out / f"{table}.csv", text.encode())
    printed = dict(_named(outputs, "application/json"))["printed"]
    report = out / "report.html"
    write(report, page(outputs, name).encode())
    decisions = tuple(Decision(**fields) for fields in printed["decisions"])
    return Written(
        page=report,
        answer=Answer(**printed["answer"]),
        decisions=decisions,
        own=tuple(printed["own"]),
        summary=pl.read_csv(tables["summary"].encode(), schema=SCHEMA),
        used=printed["used"],
    )


def write_published(tables: Path, out: Path | None = None) -> Written:
    """Write the report of published tables, whose samples are not kept.

    ``report.html`` goes to ``out``, by default ``report-NAME`` in the working directory. Raises
    `UserError` if a table is missing.
    """
    published = published_tables(tables)
    report = (out or Path(f"report-{published.name}")) / "report.html"
    outputs = [_output(content) for part in contents(published) for content in part]
    write(report, page(outputs, published.name).encode())
    return Written(
        page=report,
        answer=published.answer,
        decisions=published.decisions,
        own=(),
        summary=published.summary,
        used=published.used,
    )


def show(heading: str, *contents: str | ReportFigure, **named: object) -> None:
    """Show a part of the report in the notebook, or nothing if all ``contents`` are empty.

    ``heading`` is Markdown; it may be empty, or be followed by a paragraph. ``named`` data is kept
    for `write_report`: a table as CSV, anything else as JSON.
    """
    if not any(contents):
        return
    parts: tuple[str | ReportFigure, ...] = (heading, *contents)
    for content in (part for part in parts if part):
        _display(_output(content))
    for name, data in named.items():
        if isinstance(data, pl.DataFrame):
            _display_named("text/csv", name, data.write_csv())
        else:
            _display_named("application/json", name, data)


def _display_named(kind: str, name: str, content: object) -> None:
    _display(Output({kind: content, "text/html": ""}, {kind: {"name": name}}))


def _display(output: Output) -> None:
    if (execution := _execution.get()) is not None:
        execution.outputs.append(output)
        return
    # Jupyter brings it.
    from IPython.display import display

    display(output.data, metadata=output.metadata, raw=True)


def results_from_environment() -> Path:
    """Return the directory to report on; in Jupyter the one that ``TESTBED_RESULTS`` names.

    Raises `UserError` if that is not set.
    """
    if (execution := _execution.get()) is not None:
        return execution.results
    value = os.environ.get(RESULTS_VARIABLE)
    if not value:
        raise UserError(
            f"{RESULTS_VARIABLE} is not set",
            f"Name a results directory, for example {RESULTS_VARIABLE}=results/compare-...",
        )
    return Path(value)


def execute(results: Path) -> list[Output]:
    """Run the notebook on a results directory; return its Markdown and outputs in their order.

    Raises `UserError` with the error's message if a cell fails.
    """
    execution = Execution(results.resolve())
    names: dict[str, object] = {"__name__": "__main__"}
    token = _execution.set(execution)
    try:
        for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
            source = "".join(cell["source"])
            if cell["cell_type"] == "markdown":
                _display(Output({"text/markdown": source}))
            else:
                exec(compile(source, f"{NOTEBOOK.name}, cell {cell['id']}", "exec"), names)
    except UserError:
        raise
    except Exception as error:
        raise UserError(f"the report failed: {type(error).__name__}: {error}") from error
    finally:
        _execution.reset(token)
    return execution.outputs


def page(outputs: Iterable[Output], name: str) -> str:
    """Return the notebook's outputs as one HTML page without code or external references.

    HTML in Markdown is shown as text: messages and environments come from result files. The list of
    contents takes the place of `CONTENTS_MARK`.
    """
    headings: list[str] = []
    body = "".join(_parts(outputs, headings))
    links = "".join(
        f'<li><a href="#part-{number}">{html.escape(text)}</a></li>'
        for number, text in enumerate(headings, 1)
    )
    navigation = f'<nav aria-label="Contents"><ul>{links}</ul></nav>' if links else ""
    package = files("testbed.analysis")
    return Template((package / "page.html").read_text(encoding="utf-8")).substitute(
        title=html.escape(f"{name}: microservice patterns under load"),
        style=(package / "page.css").read_text(encoding="utf-8"),
        body=body.replace(CONTENTS_MARK, navigation, 1),
    )


def _parts(outputs: Iterable[Output], headings: list[str]) -> Iterator[str]:
    """Yield the HTML of outputs; narrow figures that follow one another are a group.

    Adds the headings that the list of contents names to ``headings``.
    """
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    for narrow, part in groupby(outputs, key=lambda output: MIME["svg"] in output.data):
        shown = "".join(
            output.data["text/html"]
            if "text/html" in output.data
            else _rendered(markdown, output.data["text/markdown"], headings)
            for output in part
        )
        yield f'<div class="figures">{shown}</div>\n' if narrow else shown


def _rendered(markdown: MarkdownIt, text: str, headings: list[str]) -> str:
    """Return Markdown as HTML: its headings have ids, its tables' headers a scope."""
    tokens = markdown.parse(text)
    for token, content in zip(tokens, [*tokens[1:], None], strict=True):
        if token.type == "heading_open" and token.tag == CONTENTS_TAG and content is not None:
            headings.append(content.content)
            token.attrSet("id", f"part-{len(headings)}")
        elif token.type == "th_open":
            token.attrSet("scope", "col")
    return str(markdown.renderer.render(tokens, markdown.options, {}))


def _output(content: str | ReportFigure) -> Output:
    if isinstance(content, str):
        return Output({"text/markdown": content})
    return Output(*content._repr_mimebundle_())


def _named(outputs: Iterable[Output], kind: str) -> Iterator[tuple[str, Any]]:
    """Yield the name and content of the named outputs of one MIME type."""
    for output in outputs:
        if kind in output.metadata:
            yield output.metadata[kind]["name"], output.data[kind]
