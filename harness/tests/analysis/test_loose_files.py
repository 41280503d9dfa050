"""Sample files that other people's JMeter wrote are read right, or refused in one sentence.

The files are made up, of the shapes that such files have; their figures were computed from the
rows by plain Python.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from testbed.analysis.decisions import decide
from testbed.analysis.results import find_results
from testbed.analysis.samples import Measurement, load
from testbed.analysis.sections.answer import used
from testbed.analysis.verdicts import Verdict, judge, judge_all
from testbed.model.errors import UserError

CASES = Path(__file__).parent / "cases"

HEADER = "timeStamp,elapsed,label,responseCode,threadName,success"


def unpacked(case: str, folder: Path) -> Path:
    for file in (CASES / case).glob("*.gz"):
        (folder / file.stem).write_bytes(gzip.decompress(file.read_bytes()))
    return folder


def only(folder: Path) -> tuple[Measurement, Verdict]:
    """Return the one run of a folder and its verdict."""
    (measurement,) = load(folder).measurements
    return measurement, judge(measurement, {})


def figures(measurement: Measurement) -> tuple[int, int, float, float]:
    """Return operations, failed ones, mean and p95 of the response times of successes."""
    operations = measurement.operations
    times = operations.filter("ok")["elapsed_ms"]
    p95 = times.quantile(0.95, "linear")
    assert p95 is not None
    return (
        operations.height,
        int((~operations["ok"]).sum()),
        round(float(times.to_numpy().mean()), 3),
        round(p95, 2),
    )


def figure(verdict: Verdict, name: str) -> str:
    (check,) = (check for check in verdict.checks if check.name == name)
    return check.figure


@pytest.mark.parametrize(
    ("case", "expected", "status"),
    [
        ("01-no-failure-message", (200, 10, 39.089, 57.0), "valid"),
        ("03-time-of-day", (200, 10, 39.874, 59.0), "valid"),
        ("07-list-of-another-product", (200, 0, 40.955, 58.0), "valid"),
        ("11-semicolons", (200, 10, 40.226, 57.0), "valid"),
    ],
)
def test_other_columns_times_and_delimiters_are_read(
    case: str, expected: tuple[int, int, float, float], status: str, tmp_path: Path
) -> None:
    measurement, verdict = only(unpacked(case, tmp_path))

    assert figures(measurement) == expected
    assert verdict.status == status, verdict


def test_a_transaction_does_not_count_beside_its_samples(tmp_path: Path) -> None:
    measurement, verdict = only(unpacked("02-transactions-with-think-time", tmp_path))

    assert figures(measurement) == (100, 0, 39.24, 53.05)
    assert measurement.pace.ok_per_s == pytest.approx(50, rel=0.03)
    assert figure(verdict, "labels") == (
        "operations have no labels; left out: 200 rows within transactions"
    )
    assert verdict.status == "users pause"


def test_set_up_threads_put_no_load_on_the_system(tmp_path: Path) -> None:
    measurement, verdict = only(unpacked("06-set-up-group", tmp_path))

    assert figures(measurement) == (200, 10, 39.837, 58.0)
    assert measurement.pace.ok_per_s == pytest.approx(87.92, rel=0.06)
    assert "1 rows of set-up and tear-down threads" in figure(verdict, "labels")
    assert verdict.status == "valid"


def test_users_that_pause_are_no_fault(tmp_path: Path) -> None:
    measurement, verdict = only(unpacked("09-think-time", tmp_path))

    assert figures(measurement) == (200, 10, 42.095, 59.55)
    assert measurement.pace.ok_per_s == pytest.approx(45.05, rel=0.06)
    assert verdict.status == "users pause"
    assert "users pause: 4" in str(verdict)
    assert judge_all(load(tmp_path)).deciding


def test_a_load_that_was_never_there_is_not_valid(tmp_path: Path) -> None:
    _, verdict = only(unpacked("04-threads-that-never-ran-together", tmp_path))

    assert verdict.status == "invalid"
    assert "threads together: never; at most 1 of 10 at a time" in str(verdict)


def test_a_rate_of_a_moment_does_not_stand_beside_a_mean_of_all(tmp_path: Path) -> None:
    _, verdict = only(unpacked("05-a-thread-that-stopped-early", tmp_path))

    assert verdict.status == "invalid"
    assert "threads together: 1 % (limit: at least 50 % of a block)" in str(verdict)


def test_threads_are_those_of_the_file(tmp_path: Path) -> None:
    rows = [f"{1_770_000_000_000 + 10 * at},10,a,200,users 1-1,true" for at in range(100)]
    (tmp_path / "shop-browse-4-threads.csv").write_text("\n".join([HEADER, *rows]))

    _, verdict = only(tmp_path)

    assert verdict.status == "invalid"
    assert "threads together: 1 in the file, 4 by its name" in str(verdict)


def test_a_file_is_refused_by_its_name_alone(tmp_path: Path) -> None:
    measured = load(unpacked("08-no-threads", tmp_path))

    assert [measurement.run.id for measurement in measured.measurements] == [
        "shop-orders-4-threads"
    ]
    assert measured.unreadable == {
        "shop-browse-0-threads.csv": "0 threads: choose 1 to 1,000,000",
    }


def test_two_files_of_one_run_are_refused_by_both_names(tmp_path: Path) -> None:
    unpacked("16-two-files-of-one-name", tmp_path)

    with pytest.raises(UserError) as refused:
        find_results(tmp_path)

    assert "shop-browse-4-threads.csv and shop-browse-4-threads.jtl are one run" in str(
        refused.value
    )


def test_a_log_beside_the_samples_of_its_name_is_not_read(tmp_path: Path) -> None:
    write(tmp_path, HEADER, *GOOD)
    write(tmp_path, "Summary = 200 in 1s", name="shop-browse-2-threads.log")
    write(tmp_path, "{}", name="shop-browse-2-threads.json")

    measured = load(tmp_path)

    assert [len(measurement.operations) for measurement in measured.measurements] == [200]
    assert not measured.unreadable


def test_repeated_runs_are_of_one_cell_and_decide(tmp_path: Path) -> None:
    judged = judge_all(load(unpacked("12-three-runs-of-a-cell", tmp_path)))

    assert sorted(
        (measurement.run.cell.variant, measurement.run.repetition)
        for measurement in judged.deciding
    ) == [(system, repetition) for system in ("alpha", "beta") for repetition in (1, 2, 3)]
    goodput = [decision for decision in decide(judged) if decision.figure == "ok_per_s"]
    assert [(decision.system, decision.decision) for decision in goodput] == [("beta", "worse")]
    assert goodput[0].ratio == pytest.approx(0.5, rel=0.1)


GOOD = [
    f"{1_770_000_000_000 + 10 * (at // 2)},10,browse,200,users 1-{1 + at % 2},true"
    for at in range(200)
]


def write(folder: Path, *lines: str, name: str = "shop-browse-2-threads.csv") -> Path:
    (folder / name).write_text("\n".join(lines))
    return folder


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["<?xml version='1.0'?>", "<testResults/>"], "is XML"),
        (GOOD, "line 1: no names of columns, but '1770000000000,10,browse,200,users 1-1,true'"),
        (
            ["timeStamp;label;success", "1;a;true"],
            "line 1: no column elapsed; there are timeStamp, label, success",
        ),
        (
            [HEADER, "yesterday,9,a,200,users 1-1,true"],
            "line 2: timeStamp is 'yesterday', not milliseconds since 1970, or a date like "
            "2026/11/28 23:59:59.999",
        ),
        ([HEADER, "1770000000000,fast,a,200,users 1-1,true"], "line 2: elapsed is 'fast', not a "),
        (
            [HEADER, GOOD[0], "1.79591E+12,9,browse,200,users 1-1,TRUE"],
            "line 3: timeStamp is '1.79591E+12', which a spreadsheet has rounded",
        ),
        ([HEADER, "1770000000000,9,a,200,users 1-1,yes"], "line 2: success is 'yes', not true or "),
        ([HEADER], "has no samples: there is nothing after its first line"),
        (["", " "], "is empty"),
        (["x" * 200_000, "y"], f"line 1: no names of columns, but '{'x' * 80}…'"),
    ],
)
def test_what_cannot_be_read_for_certain_is_refused_in_one_sentence(
    lines: list[str], message: str, tmp_path: Path
) -> None:
    write(tmp_path, *lines)

    with pytest.raises(UserError) as refused:
        load(tmp_path)

    assert f"shop-browse-2-threads: shop-browse-2-threads.csv {message}" in refused.value.message
    assert "polars" not in refused.value.message.lower()


def test_one_bad_file_does_not_end_the_report_of_all(tmp_path: Path) -> None:
    write(tmp_path, HEADER, *GOOD)
    write(tmp_path, "<xml/>", name="shop-buy-2-threads.jtl")
    write(tmp_path, HEADER, *GOOD, name="results.jtl")
    write(tmp_path, "a table of somebody", name="table.csv")

    measured = load(tmp_path)

    assert [measurement.run.id for measurement in measured.measurements] == [
        "shop-browse-2-threads"
    ]
    assert sorted(measured.unreadable) == ["results.jtl", "shop-buy-2-threads"]


def test_a_bad_file_is_compared_with_nothing_and_named(tmp_path: Path) -> None:
    for name in ("bad", "new", "old"):
        write(tmp_path, HEADER, *GOOD, name=f"{name}-browse-2-threads.csv")
    write(tmp_path, HEADER, name="bad-browse-2-threads.csv")
    write(tmp_path, HEADER, *GOOD, name="new-browse-0-threads.csv")

    judged = judge_all(load(tmp_path))

    assert {(decision.reference, decision.system) for decision in decide(judged)} == {
        ("new", "old")
    }
    words = used(judged)
    assert "2 cannot be read. new-browse-0-threads.csv: 0 threads: choose 1 to" in words
    assert "bad-browse-2-threads.csv has no samples" in words


def test_spreadsheets_and_windows_change_nothing(tmp_path: Path) -> None:
    upper = [row.replace("true", "TRUE").replace(",", ";") for row in GOOD]
    text = "\r\n".join(["\ufeff" + HEADER.replace(",", ";"), *upper])
    (tmp_path / "Shop2-Browse-2-threads.JTL.gz").write_bytes(gzip.compress(text.encode()))

    measurement, verdict = only(tmp_path)

    assert (measurement.operations.height, verdict.status) == (200, "valid")
    assert measurement.run.cell.variant == "Shop2"


def test_parts_of_a_sample_do_not_count_beside_it(tmp_path: Path) -> None:
    rows = []
    for at in range(100):
        start = 1_770_000_000_000 + 30 * at
        rows += [
            f"{start},30,home,200,users 1-1,true",
            f"{start},10,home-0,302,users 1-1,true",
            f"{start + 10},20,home-1,200,users 1-1,true",
        ]
    write(tmp_path, HEADER, *rows, name="shop-browse-1-threads.csv")

    measurement, verdict = only(tmp_path)

    assert measurement.operations["elapsed_ms"].to_list() == [30] * 100
    assert figure(verdict, "labels").endswith("left out: 200 rows of parts of samples")
    # Labels that end in a number are no parts by that alone.
    write(
        tmp_path,
        HEADER,
        *(row.replace("home,", "start,") for row in rows),
        name="shop-browse-1-threads.csv",
    )
    measurement, _ = only(tmp_path)
    assert measurement.operations.height == 300


def test_a_second_run_begins_with_names_of_columns(tmp_path: Path) -> None:
    write(tmp_path, HEADER, *GOOD, HEADER, *GOOD)

    _, verdict = only(tmp_path)

    assert verdict.status == "invalid"
    assert figure(verdict, "runs in one file") == (
        "a second begins in shop-browse-2-threads.csv line 202: write each run to a file of its own"
    )
    assert figure(verdict, "damaged rows") == "0"


def test_a_second_run_in_a_file_is_no_clock_that_was_set(tmp_path: Path) -> None:
    later = [f"{int(row[:13]) + 3_600_000}{row[13:]}" for row in GOOD]
    write(tmp_path, HEADER, *GOOD, *later)

    _, verdict = only(tmp_path)

    assert verdict.status == "invalid"
    assert (
        "runs in one file: a second begins in shop-browse-2-threads.csv line 202: write each run "
        "to a file of its own"
    ) in str(verdict)


def test_rows_that_two_listeners_wrote_count_once_and_are_told(tmp_path: Path) -> None:
    rows = [row.replace("browse", "items") for row in GOOD]
    write(tmp_path, HEADER, *(row for row in rows for _ in range(2)))

    measurement, verdict = only(tmp_path)

    assert measurement.operations.height == len(GOOD)
    assert verdict.status == "invalid"
    assert (
        "doubled rows: 200, the first in shop-browse-2-threads.csv line 3: two listeners write to "
        "one file"
    ) in str(verdict)


def test_two_rows_that_look_alike_are_no_second_listener(tmp_path: Path) -> None:
    rows = [row.replace("browse", "items") for row in GOOD]
    write(tmp_path, HEADER, *rows[:50], rows[49], *rows[51:])

    measurement, verdict = only(tmp_path)

    assert measurement.operations.height == len(GOOD)
    assert "doubled rows" not in str(verdict)
