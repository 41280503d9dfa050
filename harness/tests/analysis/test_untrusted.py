"""Results from somebody else: nothing in them leads out of their folder or runs in the report."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console

from testbed.analysis.answer import Answer
from testbed.analysis.report import Written, write_report
from testbed.analysis.results import find_results
from testbed.model.errors import UserError

from .synthetic import write_blocks, write_run
from .test_report import Page

SCRIPT = "<script>alert(1)</script>"


@pytest.mark.parametrize(
    ("key", "name"),
    [
        *((key, SCRIPT) for key in ("system", "variant", "workload", "preset", "backends")),
        *(("system", name) for name in ("../../x", "=1+1", "@x", "[bold]", "a\n", "$x", ".", 5)),
    ],
)
def test_a_name_is_made_of_plain_characters(tmp_path: Path, key: str, name: object) -> None:
    write_run(tmp_path)
    bad = write_run(tmp_path, repetition=2, record={key: name})

    results = find_results(tmp_path)

    assert len(results.runs) == 1
    assert "has a value of the wrong kind" in results.unreadable[bad.name]


@pytest.mark.parametrize("name", ["=cmd", SCRIPT.replace("/", ""), "[red]x"])
def test_a_run_whose_folder_has_another_name_is_left_out(tmp_path: Path, name: str) -> None:
    write_run(tmp_path)
    write_run(tmp_path, repetition=2).rename(tmp_path / "runs" / name)

    assert list(find_results(tmp_path).unreadable) == [name]


@pytest.mark.parametrize("file", ["../../../secret.csv", "/etc/passwd", "..", "x/y.csv"])
def test_the_samples_of_a_run_are_beside_its_record(tmp_path: Path, file: str) -> None:
    write_run(tmp_path)
    bad = write_blocks(tmp_path, repetition=2)
    record = json.loads((bad / "run.json").read_text())
    record["blocks"][0]["file"] = file
    (bad / "run.json").write_text(json.dumps(record))

    assert f"{file!r} is not a name" in find_results(tmp_path).unreadable[bad.name]


@pytest.mark.parametrize(
    ("generators", "why"),
    [
        ([{"file": "../x.csv", "threads": 1, "samples": 1, "cpu_s": 1}], "is not a name"),
        ([{"file": "x.csv"}], "lacks the key 'threads'"),
        ([], "blocks differ in their number of generators"),
        (2, "value of the wrong kind"),
    ],
)
def test_the_generators_of_a_run_are_told_alike(
    tmp_path: Path, generators: object, why: str
) -> None:
    write_run(tmp_path)
    bad = write_blocks(tmp_path, repetition=2)
    record = json.loads((bad / "run.json").read_text())
    for block in record["blocks"]:
        block["generators"] = generators
    if generators == []:
        share = {"file": "x.csv", "threads": 1, "samples": 1, "cpu_s": 1}
        record["blocks"][0]["generators"] = [share]
    (bad / "run.json").write_text(json.dumps(record))

    assert why in find_results(tmp_path).unreadable[bad.name]


@pytest.mark.parametrize("place", ["figures", "report.html", "runs/sync-list-tuned-010-1/more"])
def test_no_link_leads_out_of_results(tmp_path: Path, place: str) -> None:
    results, outside = tmp_path / "results", tmp_path / "outside"
    write_run(results)
    outside.mkdir()
    link = results / place
    link.symlink_to(outside)

    with pytest.raises(UserError, match="leads out of the results"):
        write_report(results)

    assert list(outside.iterdir()) == []
    link.unlink()
    link.symlink_to(link)
    assert find_results(results).runs


def test_links_within_results_are_followed(tmp_path: Path) -> None:
    results = tmp_path / "results"
    run = write_run(results)
    (run / "samples.csv").rename(results / "moved.csv")
    (run / "samples.csv").symlink_to("../../moved.csv")
    (tmp_path / "elsewhere").symlink_to(results)

    assert find_results(tmp_path / "elsewhere").runs


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Page:
    """The report on results whose every free text is an attack."""
    results = tmp_path_factory.mktemp("attack")
    link = "[x](javascript:alert(1)) ![x](https://example.org/x.png)"
    write_run(results, record={"complete_before": f"{SCRIPT} {link}"})
    strange = write_run(results, variant="async")
    samples = pl.read_csv(strange / "samples.csv", infer_schema=False)
    label = pl.lit("<img src=x onerror=alert(1)>").alias("label")
    pl.concat([samples, samples[:3].with_columns(label)]).write_csv(strange / "samples.csv")
    (results / "environment.json").write_text(json.dumps({"machine": {SCRIPT: link}}))
    (results / "experiment.yaml").write_text(
        f"name: x\n# ```\n\n{SCRIPT}\n\n```mermaid\n{SCRIPT}\n"
    )
    out = tmp_path_factory.mktemp("out")
    return Page(write_report(results, out).page.read_text(encoding="utf-8"))


def test_html_of_results_is_text_in_the_report(page: Page) -> None:
    assert "script" not in {tag for tag, _ in page.tags}
    assert not [name for _, attributes in page.tags for name in attributes if name[:2] == "on"]
    assert page.text.count("alert(1)") >= 4
    assert SCRIPT in page.text
    assert "<img src=x onerror=alert(1)>" in page.text


def test_links_of_results_run_no_script(page: Page) -> None:
    targets = [attributes.get("href") or "" for _, attributes in page.tags]

    assert not [target for target in targets if "script:" in target]


def test_the_report_lets_a_browser_load_nothing(page: Page) -> None:
    (policy,) = (
        attributes["content"] or ""
        for tag, attributes in page.tags
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    )
    rules = dict(rule.split(maxsplit=1) for rule in policy.split("; "))

    assert rules == {
        "default-src": "'none'",
        "img-src": "data:",
        "style-src": "'unsafe-inline'",
    }


def test_a_name_in_brackets_is_printed_as_it_is() -> None:
    text = StringIO()
    none = pl.DataFrame(schema={"preset": pl.String, "backends": pl.String})
    answered = Answer("[bold]line", next="[red]do")
    Written(Path("x"), answered, (), (), none, "[red]used").print(Console(file=text))

    assert text.getvalue() == "[bold]line\nNext: [red]do\n\n[red]used\n"
