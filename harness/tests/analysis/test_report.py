"""The report is one file that answers first."""

from __future__ import annotations

import json
import re
import shutil
import sys
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from types import ModuleType

import pytest
from rich.console import Console

from testbed.analysis.decisions import decide
from testbed.analysis.decisions import tabulate as tabulate_decisions
from testbed.analysis.report import (
    NOTEBOOK,
    Output,
    execute,
    results_from_environment,
    write_report,
)
from testbed.analysis.samples import load
from testbed.analysis.sections import answer, cpu, validity
from testbed.analysis.summary import each_run, tabulate
from testbed.analysis.verdicts import judge_all
from testbed.model.errors import UserError

from .synthetic import write_pair, write_run

FIGURES = 5
"""Goodput, response times, ratios, and the failures of two workloads."""


class Page(HTMLParser):
    """The tags of a page, and its text outside of styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.styles = ""
        self._in_style = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._in_style = tag == "style"

    def handle_endtag(self, tag: str) -> None:
        self._in_style = False

    def handle_data(self, data: str) -> None:
        if self._in_style:
            self.styles += data
        else:
            self.text += data


def files_in(folder: Path) -> dict[str, int]:
    return {
        str(file.relative_to(folder)): file.stat().st_mtime_ns
        for file in folder.rglob("*")
        if file.is_file()
    }


@pytest.fixture(scope="module")
def written(comparison: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a report on the comparison."""
    before = files_in(comparison)
    out = tmp_path_factory.mktemp("report")
    assert write_report(comparison, out).page == out / "report.html"
    assert files_in(comparison) == before
    return out


@pytest.fixture(scope="module")
def page(written: Path) -> Page:
    return Page((written / "report.html").read_text(encoding="utf-8"))


def test_report_refers_to_nothing_outside_itself(page: Page) -> None:
    assert not {tag for tag, _ in page.tags} & {"script", "link", "iframe", "object", "base"}
    sources = [attrs["src"] for _, attrs in page.tags if "src" in attrs]
    assert len(sources) == FIGURES
    assert all(source and source.startswith("data:image/") for source in sources)
    links = [attrs["href"] for _, attrs in page.tags if "href" in attrs]
    assert all(link and link.startswith("#") for link in links)
    assert "@import" not in page.styles
    assert "url(" not in page.styles


def test_report_shows_no_code(page: Page) -> None:
    for cell in json.loads(NOTEBOOK.read_text())["cells"]:
        if cell["cell_type"] == "code":
            for line in cell["source"]:
                assert line.strip() == "" or len(line.strip()) < 5 or line.strip() not in page.text
    assert not re.search(r"\b(In|Out)\s*\[", page.text)
    assert "Traceback" not in page.text


def test_report_answers_before_it_shows(page: Page) -> None:
    headings = [tag for tag, _ in page.tags if tag in ("h1", "h2")]
    assert headings[:2] == ["h1", "h2"]
    answer = page.text.index("No difference could be shown: one run of each system does not")
    assert answer < page.text.index("What was decided") < page.text.index("How sure is that?")
    assert page.text.index("How sure is that?") < page.text.rindex("The numbers, and failures")
    assert "one block of one pair" in page.text


def test_a_comparison_says_nothing_of_claims_and_has_no_empty_part(page: Page) -> None:
    for absent in ("claims", "Crossover", "Efficiency", "Identical systems", "Open loops, and"):
        assert absent not in page.text
    assert not re.search(r"None|nan\b", page.text)


def test_every_figure_has_a_caption_and_a_text_alternative(page: Page) -> None:
    images = [attrs for tag, attrs in page.tags if tag == "img"]
    captions = [tag for tag, _ in page.tags if tag == "figcaption"]
    assert len(images) == len(captions) == FIGURES
    assert all(image["alt"] for image in images)


def test_contents_lead_to_every_part(page: Page) -> None:
    links = [attrs["href"] for tag, attrs in page.tags if tag == "a"]
    parts = [f"#{attrs['id']}" for tag, attrs in page.tags if tag == "h2"]
    assert links == parts
    assert len(parts) > 4
    assert "[contents]" not in page.text


def test_headers_of_tables_have_a_scope(page: Page) -> None:
    headers = [attrs for tag, attrs in page.tags if tag == "th"]
    assert headers
    assert all(attrs["scope"] == "col" for attrs in headers)


def test_report_tells_environment_and_experiment(page: Page) -> None:
    assert "machine / cpus" in page.text
    assert "name: synthetic" in page.text


def test_figures_and_table_lie_beside_the_report(written: Path, comparison: Path) -> None:
    figures = sorted(file.name for file in (written / "figures").iterdir())
    assert len(figures) == FIGURES
    for name in figures:
        start = b"\x89PNG" if name.endswith(".png") else b"<?xml"
        assert (written / "figures" / name).read_bytes().startswith(start)
    judged = judge_all(load(comparison))
    assert (written / "summary.csv").read_text() == tabulate(judged.used).write_csv()
    assert (written / "runs.csv").read_text() == each_run(judged).write_csv()
    assert (written / "cpu.csv").read_text() == cpu.tabulate(cpu.spent(judged)).write_csv()


def test_loose_sample_files_are_reported_on_without_touching_their_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = write_run(tmp_path / "made", loops=20)
    loose = tmp_path / "loose"
    loose.mkdir()
    shutil.copy(run / "samples.csv", loose / "sync-list-10-threads.jtl")
    before = files_in(loose)
    monkeypatch.chdir(tmp_path)
    page = write_report(loose).page
    assert page.resolve() == tmp_path / "report-loose" / "report.html"
    assert files_in(loose) == before
    text = Page(page.read_text(encoding="utf-8")).text
    assert "preset and backends not stated" in text
    assert "There is nothing to compare it with" in text
    assert "not replicated" in text


def test_tells_what_is_wrong_before_it_runs_the_notebook(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="does not exist"):
        write_report(tmp_path / "nowhere")
    with pytest.raises(UserError, match="no runs"):
        write_report(tmp_path)
    assert not list(tmp_path.iterdir())


def test_tells_in_one_line_why_the_notebook_failed(tmp_path: Path) -> None:
    run = write_run(tmp_path)
    (run / "samples.csv").unlink()
    with pytest.raises(UserError, match=r"none of the 1 runs can be read.*samples\.csv"):
        write_report(tmp_path)


def test_notebook_asks_for_its_parameter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TESTBED_RESULTS", raising=False)
    with pytest.raises(UserError, match="TESTBED_RESULTS is not set"):
        results_from_environment()


def test_jupyter_shows_what_the_report_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_run(tmp_path)
    cells = json.loads(NOTEBOOK.read_text())["cells"]
    texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    shown: list[Output] = []
    jupyter = ModuleType("IPython.display")
    jupyter.display = lambda data, metadata, raw: shown.append(Output(data, metadata))  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", jupyter)
    monkeypatch.setenv("TESTBED_RESULTS", str(tmp_path))
    names: dict[str, object] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)

    outputs = execute(tmp_path)

    assert shown
    assert shown == [output for output in outputs if output.data.get("text/markdown") not in texts]
    assert len(outputs) == len(shown) + len(texts)


def test_notebook_is_stored_without_outputs_and_has_no_functions() -> None:
    for cell in json.loads(NOTEBOOK.read_text())["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            assert cell["execution_count"] is None
            assert not re.search(r"\b(def|class|lambda|global)\b", "".join(cell["source"]))


def test_report_shows_what_it_leaves_out(tmp_path: Path) -> None:
    for variant in ("sync", "async"):
        write_run(tmp_path, variant=variant)
    bad = write_run(tmp_path, repetition=2, record={"complete_before": "cinema ucd was missing"})
    broken = write_run(tmp_path, threads=20)
    (broken / "samples.csv").unlink()
    judged = judge_all(load(tmp_path))
    words = answer.how_sure(judged, decide(judged))
    assert words.startswith("2 of 4 runs decide. **1 invalid** and left out: ")
    assert f"`{bad.name}`, complete before: cinema ucd was missing" in words
    table = validity.validity(judged)
    assert f"`{broken.name}`: sample file" in table
    assert f"| `{bad.name}` | **invalid** |" in table


def test_the_terminal_is_told_by_what_the_report_computed(tmp_path: Path) -> None:
    judged = write_pair(tmp_path / "results")
    for variant in ("sync", "async"):
        write_run(tmp_path / "results", variant=variant, repetition=4)
    record = tmp_path / "results" / "runs" / "sync-list-tuned-010-4" / "run.json"
    record.write_text(json.dumps({**json.loads(record.read_text()), "complete_before": "ucd"}))
    judged = judge_all(load(tmp_path / "results"))
    written = write_report(tmp_path / "results", tmp_path / "out")
    decisions = decide(judged)
    assert list(written.decisions) == decisions
    assert (tmp_path / "out" / "decisions.csv").read_text() == tabulate_decisions(
        decisions
    ).write_csv()
    assert written.summary.equals(tabulate(judged.used))
    console = Console(width=80, file=StringIO())
    with console.capture() as captured:
        written.print(console)
    text = captured.get()
    assert " ".join(text.split()).startswith(written.answer.line)
    assert written.answer.line.startswith("async serves ")
    words = " ".join(text.split())
    assert words.rindex("complete before: ucd") > words.rindex("worse by")
    assert len(text.splitlines()) < 24


def test_a_fast_system_that_fails_more_is_not_praised(tmp_path: Path) -> None:
    for repetition in (1, 2, 3):
        write_run(tmp_path, repetition=repetition, median_ms=40)
        write_run(
            tmp_path,
            variant="async",
            repetition=repetition,
            median_ms=10,
            failures={"rejected": 0.5},
        )
    judged = judge_all(load(tmp_path))
    words = answer.decided(judged, decide(judged))
    assert "list 10 threads: p95 not known, async is faster but fails more" in words
    assert re.search(r"\| p95 \| list 10 \| .* \| 0\.\d\d \[.*\] \| not known \|", words)


def test_the_thesis_has_its_claims_and_figures(tmp_path: Path) -> None:
    write_pair(tmp_path / "results", levels=(10, 20), second=1.4, change=0.8)
    (tmp_path / "results" / "experiment.yaml").write_text("name: mine\nclaims: true\n")
    page = Page(write_report(tmp_path / "results", tmp_path / "out").page.read_text("utf-8"))
    for part in ("claims of the thesis", "Scaling and efficiency"):
        assert part in page.text
    assert "between 10 and 20 threads async becomes better than sync by p95" in page.text
    assert (tmp_path / "out" / "claims.csv").is_file()
    assert (tmp_path / "out" / "figures" / "over-time-list-tuned-embedded.png").is_file()


def test_report_of_nothing_valid_still_says_why(tmp_path: Path) -> None:
    write_run(tmp_path, record={"complete_before": "504"})
    judged = judge_all(load(tmp_path))
    assert answer.first(judged, decide(judged)).line.startswith("No run counts.")
    words = answer.how_sure(judged, [])
    assert words.startswith("0 of 1 runs decide. **1 invalid** and left out: ")
    assert "complete before: 504" in words
    assert tabulate(judged.used).is_empty()
    assert write_report(tmp_path, tmp_path / "out").page.is_file()


@pytest.mark.parametrize(
    ("ended", "words"),
    [
        (None, "1 of 1 runs decide."),
        (
            {"rule": "repetitions", "rounds": 1, "reach": {}},
            "decide. The experiment ended after 1 round, as declared.",
        ),
        (
            {"rule": "precise", "rounds": 4, "reach": {"list 1": 0.09, "list 2": 0}},
            "The experiment ended after 4 rounds, decided or as precise as declared: "
            "the widest interval reaches 9.0 % further, list 1.",
        ),
        (
            {"rule": "budget", "rounds": 9, "reach": {"list 1": 0.3, "list 2": None}},
            "**The experiment ended after 9 rounds because its budget was spent**, less precise "
            "than declared: the widest interval reaches 30.0 % further, list 1; there is none for "
            "list 2.",
        ),
    ],
)
def test_answer_says_how_the_experiment_ended(
    tmp_path: Path, ended: dict[str, object] | None, words: str
) -> None:
    write_run(tmp_path)
    if ended is not None:
        (tmp_path / "ending.json").write_text(json.dumps(ended))
    assert answer.how_sure(judge_all(load(tmp_path)), []).endswith(words)
