"""Sample files become samples and operations."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from testbed.analysis.results import Block, Cell, Run, find_results
from testbed.analysis.samples import FAILURES, Measurement, load, measure
from testbed.model.errors import UserError

from .synthetic import ANSWERS, EPOCH_MS, HEADER, write_blocks, write_run

NO_DUNDRUM = 'Test failed: text expected to contain /"cinemaName":"dundrum"/'
LIST = "http://localhost:8099/api/movie/list"


def sample(
    start: int,
    elapsed: int,
    label: str,
    code: str = "200",
    *,
    ok: bool = True,
    thread: int = 1,
    url: str = LIST,
    message: str = "",
    size: int = 1200,
    parts: int = 0,
) -> str:
    """Return one row of a JMeter CSV file; ``start`` in ms since the run's.

    Of a transaction, ``parts`` is the number of its samples.
    """
    summary = f'"Number of samples in transaction : {parts}, number of failing samples : 1"'
    message = '"' + message.replace('"', '""') + '"'
    return (
        f"{EPOCH_MS + start},{elapsed},{label},{code},{summary * (parts > 0)},users 1-{thread},"
        f"text,{str(ok).lower()},{message},{size},130,1,1,{url},{elapsed},0,0"
    )


def read(tmp_path: Path, variant: str, rows: list[str], workload: str = "list") -> Measurement:
    """Write rows to a loose sample file and read it."""
    file = tmp_path / "samples.csv"
    file.write_text("\n".join([HEADER, *rows]))
    return measure(Run("run", Cell(variant, workload, "tuned", "embedded", 1), (Block(file),)))


def test_counts_the_one_exchange_of_a_synchronous_operation(tmp_path: Path) -> None:
    measured = read(
        tmp_path, "sync", [sample(0, 10, "list"), sample(10, 30, "list", "500", ok=False)]
    )
    assert measured.samples.height == 2
    assert measured.operations["elapsed_ms"].to_list() == [10, 30]
    assert measured.operations["ok"].to_list() == [True, False]
    assert measured.duration_s == pytest.approx(0.040)


def steps_of_10_ms(thread: int, count: int, first: int = 0) -> list[str]:
    return [sample(first + 10 * i, 10, "list", thread=thread) for i in range(count)]


def test_one_late_answer_does_not_lower_the_goodput(tmp_path: Path) -> None:
    rows = [*steps_of_10_ms(1, 1000), *steps_of_10_ms(2, 990)]
    # The second thread's last answer takes 5 s: 200 operations/s until the first one ends.
    late = read(tmp_path, "sync", [*rows, sample(9900, 5000, "list", thread=2)])
    assert late.duration_s == pytest.approx(14.9)
    assert (late.pace.operations, late.pace.ok, late.pace.seconds) == (1990, 1990, 10)
    assert late.pace.ok_per_s == 199


def test_a_rate_is_of_the_time_in_which_all_threads_ran(tmp_path: Path) -> None:
    rows = [*steps_of_10_ms(1, 100), *steps_of_10_ms(2, 100, first=500)]
    measurement = read(
        tmp_path, "sync", [*rows, sample(1500, 10, "list", "500", ok=False, thread=2)]
    )
    assert (measurement.pace.operations, measurement.pace.ok, measurement.pace.seconds) == (
        100,
        100,
        0.5,
    )
    # Threads that never ran together, and too few operations for their rate to be told.
    for rows in (
        [*steps_of_10_ms(1, 10), *steps_of_10_ms(2, 10, first=900)],
        [sample(0, 1000, "list"), sample(999, 1000, "list", thread=2)],
    ):
        apart = read(tmp_path, "sync", rows)
        assert apart.pace.seconds == apart.duration_s


def test_counts_a_transaction_with_its_polls_as_one_operation(tmp_path: Path) -> None:
    measured = read(
        tmp_path,
        "async",
        [
            sample(0, 5, "list request", "202"),
            sample(5, 4, "list fetch", "202"),
            sample(19, 6, "list fetch"),
            sample(0, 25, "list"),
        ],
    )
    assert measured.operations["elapsed_ms"].to_list() == [25]
    assert measured.samples["step"].to_list() == ["request", "fetch", "fetch"]
    assert measured.strays == 0


def test_counts_a_session_with_any_number_of_exchanges_as_one_operation(tmp_path: Path) -> None:
    measured = read(
        tmp_path,
        "market-services",
        [
            sample(0, 5, "read countries"),
            sample(5, 4, "read page"),
            sample(10, 6, "read details"),
            sample(0, 25, "read", parts=3),
            sample(30, 5, "read countries"),
            sample(35, 7, "read page", "503", ok=False, message="urn:testbed:problem:unavailable"),
            sample(30, 20, "read", "", ok=False, parts=2),
        ],
        "read",
    )

    assert measured.samples["step"].to_list() == [
        *("countries", "page", "details"),
        *("countries", "page"),
    ]
    assert measured.operations["elapsed_ms"].to_list() == [16, 12]
    assert measured.operations["ok"].to_list() == [True, False]
    assert measured.operations["code"].to_list() == ["200", "503"]
    assert measured.operations["failure"].to_list() == [None, "rejected"]
    assert measured.strays == 0

    # Where users pause within a session, its time is that of its exchanges.
    paused = measure(replace(measured.run, users_pause=True)).operations
    assert paused["elapsed_ms"].to_list() == [15, 12]
    assert paused["service_ms"].to_list() == [16, 12]


def test_requests_beside_the_operations_of_a_users_plan_are_no_fault(tmp_path: Path) -> None:
    rows = [sample(0, 10, "list"), sample(10, 50, "beside Log in"), sample(60, 20, "list")]
    measured = measure(replace(read(tmp_path, "sync", rows).run, recorded=True))

    assert measured.operations["elapsed_ms"].to_list() == [10, 20]
    assert measured.others == {"beside Log in": 1}
    assert measured.faults == {}


def test_a_longer_label_in_a_file_of_another_plan_is_no_part_of_an_operation(
    tmp_path: Path,
) -> None:
    rows = [sample(0, 10, "list"), sample(10, 500, "list of halls"), sample(510, 30, "list")]
    measured = read(tmp_path, "sync", rows)

    assert measured.operations["elapsed_ms"].to_list() == [10, 30]
    assert measured.others == {"list of halls": 1}


def test_an_operation_lasts_from_its_first_exchange_to_the_end_of_its_last(tmp_path: Path) -> None:
    measured = read(
        tmp_path,
        "async",
        [
            sample(3, 5, "list request", "202"),
            sample(10, 4, "list fetch"),
            # The generator was busy with other things before and after.
            sample(0, 30, "list"),
        ],
    )
    assert measured.operations.select("start_ms", "elapsed_ms").rows() == [(EPOCH_MS + 3, 11)]


def test_samples_of_an_unfinished_operation_are_strays(tmp_path: Path) -> None:
    measured = read(
        tmp_path,
        "async",
        [
            sample(0, 5, "list request", "202"),
            sample(5, 5, "list fetch"),
            sample(0, 10, "list"),
            sample(10, 5, "list request", "202"),
            sample(0, 7, "list request", "202", thread=2),
        ],
    )
    assert measured.operations.height == 1
    assert measured.strays == 2


def test_failed_transaction_takes_class_and_code_of_its_own_failed_exchange(tmp_path: Path) -> None:
    measured = read(
        tmp_path,
        "async",
        [
            sample(0, 5, "list request", "202", thread=1),
            sample(1, 5, "list request", "503", ok=False, thread=2),
            sample(5, 6, "list fetch", "504", ok=False, thread=1),
            sample(1, 9, "list", "", ok=False, thread=2),
            sample(0, 11, "list", "", ok=False, thread=1),
            sample(12, 2, "list request", "202", thread=1),
            sample(14, 2, "list fetch", thread=1),
            sample(12, 4, "list", thread=1),
        ],
    )
    assert measured.operations.select("code", "failure").rows() == [
        ("504", "time_limit"),
        ("503", "rejected"),
        ("200", None),
    ]


def test_last_failed_exchange_decides_the_class(tmp_path: Path) -> None:
    measured = read(
        tmp_path,
        "async",
        [
            sample(0, 5, "list request", "202"),
            sample(5, 5, "list fetch", "500", ok=False),
            sample(15, 5, "list fetch", "504", ok=False),
            sample(0, 20, "list", "", ok=False),
        ],
    )
    assert measured.operations.select("code", "failure").rows() == [("504", "time_limit")]


@pytest.mark.parametrize(
    ("variant", "label", "code", "message", "expected"),
    [
        *(("async", "list fetch", *answer, name) for name, answer in ANSWERS.items()),
        *(("sync", "list", *ANSWERS[name], name) for name in FAILURES if name != "not_ready"),
        ("sync", "list", "202", "", "wrong_body"),
        ("sync", "list", "429", "", "rejected"),
        ("sync", "list", "404", "", "other"),
        ("sync", "list", "Non HTTP response code: java.net.SocketException", "", "connect"),
        ("async", "list request", "404", "", "other"),
        ("async", "list fetch", "404", "", "not_ready"),
        ("async", "list fetch", "410", "", "not_ready"),
        ("async", "list fetch", "200", NO_DUNDRUM, "partial"),
        ("async", "list request", "202", "", "wrong_body"),
    ],
)
def test_classifies_failures(
    tmp_path: Path, variant: str, label: str, code: str, message: str, expected: str
) -> None:
    rows = [sample(0, 5, label, code, ok=False, message=message)]
    if variant == "async":
        rows.append(sample(0, 5, "list", "", ok=False))
    measured = read(tmp_path, variant, rows)
    assert measured.operations["failure"].to_list() == [expected]
    assert set(ANSWERS) == set(FAILURES)


def test_pairs_each_request_with_its_fetch_where_there_is_no_transaction(tmp_path: Path) -> None:
    fetch = f"{LIST}/0a4edd53-5cd8-4b04-8265-64114f56de85"
    measured = read(
        tmp_path,
        "async",
        [
            sample(0, 60, "GET Request", thread=1),
            sample(3, 31, "GET Request", thread=2),
            sample(36, 9, "GET Request", thread=2, url=fetch),
            sample(70, 14, "GET Request", thread=1, url=fetch),
            sample(84, 10, "GET Request", thread=1),
            sample(95, 3, "GET Request", "500", ok=False, thread=1, url=fetch),
        ],
    )
    assert measured.operations.select("elapsed_ms", "ok", "code").rows() == [
        (84, True, "200"),
        (42, True, "200"),
        (14, False, "500"),
    ]
    assert measured.samples["step"].to_list().count("request") == 3


def test_a_missing_row_costs_one_pair_only(tmp_path: Path) -> None:
    fetch = f"{LIST}/0a4edd53-5cd8-4b04-8265-64114f56de85"
    measured = read(
        tmp_path,
        "async",
        [
            sample(0, 10, "GET Request"),
            sample(20, 10, "GET Request"),
            sample(30, 5, "GET Request", url=fetch),
            sample(40, 5, "GET Request", url=fetch),
            sample(50, 10, "GET Request"),
            sample(60, 7, "GET Request", url=fetch),
        ],
    )
    assert measured.operations["elapsed_ms"].to_list() == [15, 17]
    assert measured.strays == 2


def test_unchecked_list_answer_without_a_cinema_is_partial(tmp_path: Path) -> None:
    rows = [sample(10 * i, 5, "GET Request", size=1197) for i in range(9)]
    small = [
        sample(100, 5, "GET Request", size=1168),  # other headers
        sample(110, 5, "GET Request", size=871),  # two cinemas
    ]
    measured = read(tmp_path, "sync", rows + small)
    assert measured.operations["failure"].to_list() == [None] * 10 + ["partial"]
    assert measured.samples["ok"].all()


def test_sorts_operations_by_their_start(tmp_path: Path) -> None:
    measured = read(tmp_path, "sync", [sample(5, 1, "list"), sample(0, 9, "list", thread=2)])
    assert measured.operations["elapsed_ms"].to_list() == [9, 1]


def test_counts_a_row_that_was_cut_off(tmp_path: Path) -> None:
    measured = read(tmp_path, "sync", [sample(0, 5, "list"), f"{EPOCH_MS},1"])
    assert (measured.operations.height, measured.faults["damaged rows"].rows) == (1, 1)


def test_reads_messages_with_quotes_commas_and_line_ends(tmp_path: Path) -> None:
    message = 'Test failed: text expected to contain /"id",\n"name"/'
    measured = read(
        tmp_path,
        "sync",
        [sample(0, 5, "list", ok=False, message=message), sample(5, 5, "list")],
    )
    assert measured.operations["failure"].to_list() == ["wrong_body", None]


@pytest.mark.parametrize("text", ["", "no,header\n1,2\n", HEADER + "\n"])
def test_names_the_file_that_has_no_samples(tmp_path: Path, text: str) -> None:
    file = tmp_path / "samples.csv"
    file.write_text(text)
    with pytest.raises(UserError, match=r"samples\.csv"):
        measure(Run("run", Cell("sync", "list", "tuned", "embedded", 1), (Block(file),)))


def test_one_broken_run_does_not_spoil_the_others(tmp_path: Path) -> None:
    write_run(tmp_path, threads=10)
    broken = write_run(tmp_path, threads=20)
    (broken / "samples.csv").write_text("")
    measured = load(tmp_path)
    assert [m.run.cell.threads for m in measured.measurements] == [10]
    assert list(measured.unreadable) == [broken.name]


def test_finds_runs_and_leaves_warm_up_out(tmp_path: Path) -> None:
    write_run(tmp_path, variant="async", threads=20)
    write_run(tmp_path, variant="sync", threads=20, repetition=2)
    write_run(tmp_path, variant="sync", threads=20)
    write_run(tmp_path, variant="sync", threads=10, record={"warmup": True})
    runs = find_results(tmp_path).runs
    assert [(run.cell.variant, run.cell.threads, run.repetition) for run in runs] == [
        ("sync", 20, 1),
        ("sync", 20, 2),
        ("async", 20, 1),
    ]


def test_takes_the_level_of_a_loose_file_from_its_name(tmp_path: Path) -> None:
    for name in (
        "async-reserve-100-threads.jtl",
        "sync-list-20-threads.csv",
        "poster-chain-poster720-5-threads.csv",
        "measured.csv",
    ):
        (tmp_path / name).write_text(HEADER)
    cells = [run.cell for run in find_results(tmp_path).runs]
    assert [(cell.variant, cell.workload, cell.threads) for cell in cells] == [
        ("sync", "list", 20),
        ("poster-chain", "poster720", 5),
        ("async", "reserve", 100),
    ]


def test_tells_what_is_wrong_with_a_directory(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="does not exist"):
        find_results(tmp_path / "nowhere")
    with pytest.raises(UserError, match="no runs") as empty:
        find_results(tmp_path)
    assert "SYSTEM-WORKLOAD-N-threads.jtl" in (empty.value.hint or "")
    (tmp_path / "mine.jtl").write_text(HEADER)
    with pytest.raises(UserError, match=r"mine\.jtl"):
        find_results(tmp_path)


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ('{"variant": "sync"}', r"run\.json lacks the key 'workload'"),
        ('{"variant"', r"run\.json is not valid JSON"),
        (b"\xff", r"run\.json is not valid JSON"),
        ("[]", "must hold a JSON object"),
        (
            '{"variant": "a", "workload": "b", "preset": "c", "threads": "many"}',
            "a value of the wrong kind: .*'many'",
        ),
    ],
)
def test_one_record_that_cannot_be_read_is_named_and_loses_no_other_run(
    tmp_path: Path, record: str | bytes, reason: str
) -> None:
    folder = write_run(tmp_path)
    (folder / "run.json").write_bytes(record if isinstance(record, bytes) else record.encode())
    with pytest.raises(UserError, match=reason):
        find_results(tmp_path)
    write_run(tmp_path, threads=20)
    measured = load(tmp_path)
    assert [measurement.run.cell.threads for measurement in measured.measurements] == [20]
    assert list(measured.unreadable) == [folder.name]


def test_a_run_is_read_with_its_blocks_and_without_what_they_take_to_settle(tmp_path: Path) -> None:
    folder = write_blocks(tmp_path, medians_ms=(10, 12, 8), settle_s=0.3)
    (measured,) = load(tmp_path).measurements
    assert measured.whole is not None
    assert (measured.whole.operations.height, measured.rows) == (3000, (1000, 1000, 1000))
    assert (measured.run.age_s, measured.run.place, measured.run.warm) == (60, 4, True)
    assert (measured.run.server_cpu_s, measured.run.generator_cpu_s) == (6, 1.5)
    paces = []
    for index, block in enumerate(measured.blocks):
        rows = pl.read_csv(folder / f"block-{index + 1}.csv")
        start = pl.col("timeStamp") - rows["timeStamp"].min()
        assert block.operations.height == rows.filter(start >= 300).height < 1000
        assert block.whole is not None
        assert block.whole.operations.height == 1000
        assert block.run.age_s == 60 + 100 * index
        assert block.samples["block"].unique().to_list() == [index]
        # In the time that all threads run, each is busy: 10 threads of its mean response time.
        paces.append(block.pace)
        mean_ms = block.operations["elapsed_ms"].to_numpy().mean()
        assert block.pace.ok_per_s == pytest.approx(10_000 / mean_ms, rel=0.05)
    assert measured.pace.ok == sum(pace.ok for pace in paces)
    assert measured.pace.seconds == pytest.approx(sum(pace.seconds for pace in paces))
    # The pauses between blocks are no part of it.
    assert measured.duration_s < 10


def figures(measured: Measurement) -> tuple[object, ...]:
    return measured.operations.rows(), measured.samples.rows(), measured.pace, measured.duration_s


@pytest.mark.parametrize("variant", ["sync", "async"])
@pytest.mark.parametrize("recorded", [True, False])
def test_rows_of_other_labels_are_counted_and_change_no_figure(
    tmp_path: Path, variant: str, recorded: bool
) -> None:
    file = write_run(tmp_path, variant=variant, loops=10) / "samples.csv"
    if not recorded:
        file = file.rename(tmp_path / f"{variant}-list-10-threads.jtl")
        (tmp_path / "runs").rename(tmp_path / "elsewhere")
    (before,) = load(tmp_path).measurements
    header, *rows = file.read_text().splitlines()
    warm_up = [sample(-900 + 9 * i, 9, "warm-up list", ok=False) for i in range(50)]
    stranger = sample(0, 86_000, "reserve", "500", ok=False, thread=3)
    file.write_text("\n".join([header, *warm_up, rows[0], stranger, *rows[1:]]) + "\n")
    (after,) = load(tmp_path).measurements
    assert figures(after) == figures(before)
    assert after.others == {"warm-up list": 50, "reserve": 1}
    assert str(after.faults["labels"]) == f"1, the first in {file.name} line 53"


@pytest.mark.parametrize(
    ("bad", "rows"),
    [
        (f"{EPOCH_MS},-5,list,200,,users 1-1,text,true,,1,1,1,1,,1,0,0", 1),
        (f"{EPOCH_MS},99999999999999999999,list,200,,users 1-1,text,true,,1,1,1,1,,1,0,0", 1),
        (f"{EPOCH_MS},86400001,list,200,,users 1-1,text,true,,1,1,1,1,,1,0,0", 1),
        ("99999999999999999999,5,list,200,,users 1-1,text,true,,1,1,1,1,,1,0,0", 1),
        ("-1,5,list,200,,users 1-1,text,true,,1,1,1,1,,1,0,0", 1),
        ("10000000000000000,5,list,200,,users 1-1,text,true,,1,1,1,1,,1,0,0", 1),
        (f"{EPOCH_MS},5,list,200,,users 1-1,text,perhaps,,1,1,1,1,,1,0,0", 1),
        (f"{EPOCH_MS},5", 1),
        ("\0\0\0", 1),
        ("", 1),
        # A quotation that is not closed would take the rest of the file along.
        (f'{EPOCH_MS},5,list,200,,users 1-1,text,false,"Test failed,1,1,1,1,,1,0,0', 1),
        (f'{EPOCH_MS},5,list,200,,users 1-1,text,false,"two\nlines,1,1,1,1,,1,0,0', 2),
    ],
)
def test_one_bad_row_is_named_and_costs_no_other(tmp_path: Path, bad: str, rows: int) -> None:
    message = 'Test failed: text expected to contain /"id",\n"name"/'
    good = [
        sample(0, 5, "list", ok=False, message=message),
        *(sample(5 * i, 5, "list") for i in range(1, 3000)),
    ]
    measured = read(tmp_path, "sync", [*good[:2000], bad, *good[2000:]])
    assert measured.operations.height == 3000
    # The header and a message of two lines stand before.
    assert str(measured.faults["damaged rows"]) == f"{rows}, the first in samples.csv line 2003"


def test_text_that_is_not_utf_8_costs_no_row(tmp_path: Path) -> None:
    file = tmp_path / "sync-list-1-threads.jtl"
    rows = [sample(5 * i, 5, "list", message="caf\xe9") for i in range(100)]
    file.write_bytes("\n".join([HEADER, *rows]).encode("latin-1"))
    (measured,) = load(tmp_path).measurements
    assert (measured.operations.height, dict(measured.faults)) == (100, {})


def test_a_stray_row_years_away_does_not_break_the_reading(tmp_path: Path) -> None:
    rows = [
        sample(0, 5, "list request", "202"),
        sample(10**12, 5, "list fetch"),
        sample(0, 9, "list"),
    ]
    measured = read(tmp_path, "async", rows)
    assert measured.operations["elapsed_ms"].to_list() == [24 * 3600 * 1000]
