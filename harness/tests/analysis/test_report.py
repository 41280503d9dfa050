"""The report is one file that answers first."""

from __future__ import annotations

import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import psutil
import pytest

from testbed.analysis import sections
from testbed.analysis.comparison import compare
from testbed.analysis.report import NOTEBOOK, results_from_environment, write_report
from testbed.analysis.samples import load
from testbed.analysis.summary import summarise, tabulate
from testbed.errors import UserError

from .synthetic import write_run


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
    assert write_report(comparison, out) == out / "report.html"
    assert files_in(comparison) == before
    return out


@pytest.fixture(scope="module")
def page(written: Path) -> Page:
    return Page((written / "report.html").read_text(encoding="utf-8"))


def test_report_refers_to_nothing_outside_itself(page: Page) -> None:
    assert not {tag for tag, _ in page.tags} & {"script", "link", "iframe", "object", "base"}
    sources = [attrs["src"] for _, attrs in page.tags if "src" in attrs]
    assert len(sources) == 8
    assert all(source and source.startswith("data:image/png;base64,") for source in sources)
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
    answer = page.text.index("Not decided.")
    assert page.text.index("how sure are we?") < answer < page.text.index("The numbers")
    assert "one run per cell gives no interval" in page.text


def test_every_figure_has_a_caption_and_a_text_alternative(page: Page) -> None:
    images = [attrs for tag, attrs in page.tags if tag == "img"]
    captions = [tag for tag, _ in page.tags if tag == "figcaption"]
    assert len(images) == len(captions) == 8
    assert all("preset tuned, embedded backends" in (image["alt"] or "") for image in images)


def test_report_tells_environment_and_experiment(page: Page) -> None:
    assert "machine / cpus" in page.text
    assert "name: synthetic" in page.text


def test_figures_and_table_lie_beside_the_report(written: Path, comparison: Path) -> None:
    figures = sorted(file.name for file in (written / "figures").iterdir())
    assert len(figures) == 8
    assert all((written / "figures" / name).read_bytes().startswith(b"\x89PNG") for name in figures)
    assert (written / "summary.csv").read_text() == summarise(comparison).write_csv()


def test_report_leaves_no_kernel_running(written: Path) -> None:
    children = psutil.Process().children(recursive=True)
    assert not [child for child in children if "ipykernel" in " ".join(child.cmdline())]


def test_loose_sample_files_are_reported_on_without_touching_their_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = write_run(tmp_path / "made", loops=20)
    loose = tmp_path / "loose"
    loose.mkdir()
    shutil.copy(run / "samples.csv", loose / "sync-list-10-threads.jtl")
    before = files_in(loose)
    monkeypatch.chdir(tmp_path)
    page = write_report(loose)
    assert page.resolve() == tmp_path / "report-loose" / "report.html"
    assert files_in(loose) == before
    text = Page(page.read_text(encoding="utf-8")).text
    assert "preset and backends not stated" in text
    assert "no level was measured in both variants" in text


def test_tells_what_is_wrong_before_it_starts_a_kernel(tmp_path: Path) -> None:
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


def test_notebook_is_stored_without_outputs_and_has_no_functions() -> None:
    for cell in json.loads(NOTEBOOK.read_text())["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            assert cell["execution_count"] is None
            assert not re.search(r"\b(def|class|lambda|global)\b", "".join(cell["source"]))


def test_compares_the_variants_level_by_level(comparison: Path) -> None:
    summary = summarise(comparison)
    compared = compare(summary)
    assert compared.select("workload", "threads").rows() == [
        (workload, threads) for workload in ("list", "reserve") for threads in (10, 50, 100)
    ]
    rows = {
        (row["variant"], row["workload"], row["threads"]): row
        for row in summary.iter_rows(named=True)
    }
    for row in compared.iter_rows(named=True):
        sync, other = (
            rows[variant, row["workload"], row["threads"]] for variant in ("sync", "async")
        )
        assert row["p95_ms_ratio"] == pytest.approx(other["p95_ms"] / sync["p95_ms"])
        assert row["ok_per_s_ratio"] == pytest.approx(other["ok_per_s"] / sync["ok_per_s"])


def test_answer_names_runs_that_are_in_no_figure(tmp_path: Path) -> None:
    write_run(tmp_path)
    broken = write_run(tmp_path, threads=20)
    (broken / "samples.csv").unlink()
    measured = load(tmp_path)
    assert f"`{broken.name}`" in sections.answer(measured, tabulate(measured))


def test_answer_claims_nothing_where_a_variant_never_succeeded(tmp_path: Path) -> None:
    write_run(tmp_path)
    write_run(tmp_path, variant="async", failures={"not_ready": 1.0})
    measured = load(tmp_path)
    answer = sections.answer(measured, tabulate(measured))
    assert "Not decided" in answer
    assert "| 100.0 % |" in answer
