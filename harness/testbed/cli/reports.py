"""Commands on results: report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from testbed.cli import gates
from testbed.cli.console import EXIT_FAILED, console, output_as, print_json, step
from testbed.cli.options import JsonOption
from testbed.model.errors import UserError
from testbed.model.project import Project

if TYPE_CHECKING:
    from testbed.analysis.decisions import Decision
    from testbed.analysis.report import Written


def report(
    results: Annotated[
        Path, typer.Argument(help="A result directory, or one of analysis/published.")
    ],
    against: Annotated[
        Path | None,
        typer.Option("--compare", help="Compare with these results, the base; no report."),
    ] = None,
    fail_above: Annotated[
        float | None,
        typer.Option(
            help="With --compare: exit with 1 when a figure is decided to be worse and "
            "its ratio is beyond this factor, for example 1.10, when failures have become more "
            "frequent, or when a cell of the base is missing. Needs three deciding runs of each."
        ),
    ] = None,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="With --compare: even if environments or loads differ.")
    ] = False,
    publish: Annotated[
        bool,
        typer.Option(
            "--publish",
            help="Write the tables into analysis/published/NAME too, those of each block and check "
            "included. The results must be of a commit.",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Write the summary, the figures and the report of results, or compare two of them."""
    if publish:
        if against is not None or as_json:
            raise UserError("--publish excludes --compare and --json")
        _publish(Project.find(), results)
    elif against is None:
        if fail_above is not None or anyway:
            raise UserError("--fail-above and --anyway need --compare RESULTS")
        project = Project.find()
        with output_as(json_only=as_json):
            decisions = decided(results) if as_json else ()
            write_report(project, results)
            if as_json:
                print_json(as_data(project, results, decisions))
    elif as_json:
        raise UserError("--json and --compare exclude each other: give one")
    elif _compare_results(results, against, fail_above, anyway=anyway):
        raise typer.Exit(EXIT_FAILED)


def write_report(project: Project, results: Path) -> None:
    # Imported here: other commands need not wait a second for the numerical libraries.
    from testbed.analysis import report as analysis_report
    from testbed.analysis.published import published_folders

    published = published_folders(results)
    for folder in published:
        _show(project, analysis_report.write_published(folder))
    if not published:
        with step(console, "Writing the report"):
            written = analysis_report.write_report(results)
        _show(project, written)


def _publish(project: Project, results: Path) -> None:
    from testbed.analysis import publishing

    judged = publishing.require_publishable(results)
    write_report(project, results)
    name = str(judged.results.declared["name"])
    folder = project.root / "analysis" / "published" / name
    publishing.publish(results, judged, folder)
    console.print(f"Published: {escape(project.shown(folder))}")


def _show(project: Project, written: Written) -> None:
    written.print(console)
    console.print(f"Report: [bold]{escape(project.shown(written.page))}[/bold]")


def decided(results: Path) -> tuple[Decision, ...]:
    """Return what is decided of each cell by each headline figure.

    Raises `UserError` for a folder of several published results.
    """
    from testbed.analysis.decisions import decide
    from testbed.analysis.published import published_folders, published_tables
    from testbed.analysis.samples import load
    from testbed.analysis.verdicts import judge_all

    folders = published_folders(results)
    if len(folders) > 1:
        raise UserError(
            f"--json: {results} holds several results",
            f"Give one of them: {', '.join(map(str, folders))}.",
        )
    if folders:
        return published_tables(folders[0]).decisions
    return tuple(decide(judge_all(load(results))))


def as_data(
    project: Project,
    results: Path,
    decisions: Sequence[Decision],
    failed: Sequence[gates.Failure] = (),
) -> dict[str, Any]:
    """Return decisions and failed gates for JSON, as ``docs/scripts.md`` describes it."""
    return {
        "results": project.shown(results),
        "decisions": [gates.as_data(decision) for decision in decisions],
        "failed": [failure.as_data() for failure in failed],
    }


def _compare_results(results: Path, base: Path, fail_above: float | None, *, anyway: bool) -> bool:
    """Print two results side by side; return whether there is a regression to fail on."""
    from testbed.analysis import comparison

    with step(console, "Comparing"):
        compared = comparison.side_by_side(results, base, anyway=anyway)
        regressions = [] if fail_above is None else comparison.regressions(compared, fail_above)
    comparison.print_comparison(compared, console)
    if fail_above is None:
        return False
    for regression in regressions:
        console.print(f"[red]worse[/red] {escape(regression)}", highlight=False)
    if compared.undecidable == len(compared.runs):
        raise UserError(
            "--fail-above decides nothing: no cell has enough usable runs on both sides",
            "Measure with `repetitions: 3` or more in the experiment.",
        )
    console.print(f"Regressions (factor {fail_above:g}): {len(regressions) or 'none'}")
    return bool(regressions or compared.missing)
