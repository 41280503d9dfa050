"""Files of k6 and Gatling become operations; summaries are refused in one sentence.

The files in ``cases/TOOL-VERSION`` were written by these tools, against a server on the same
machine that takes 20 to 59 ms and answers every tenth request with 503.
"""

from __future__ import annotations

import csv
import gzip
import json
import statistics
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from testbed.analysis.samples import Measurement, load
from testbed.analysis.sections.validity import validity
from testbed.analysis.verdicts import judge_all
from testbed.model.errors import UserError

from .test_loose_files import CASES, figure, figures, only, unpacked, write

Request = tuple[float, float, bool]
"""End and time of a request in ms, and whether it succeeded."""

START_S = 1_770_000_000


def raw(case: str) -> str:
    (file,) = (CASES / case).glob("*.gz")
    return gzip.decompress(file.read_bytes()).decode()


def of_k6(values: Iterator[tuple[str, float, float, str]]) -> list[Request]:
    """Return the requests of users from metric, end in ms, value and group of each line.

    The n-th line of each metric is of the n-th request.
    """
    lines = [each for each in values if each[3] not in ("::setup", "::teardown")]
    parts = [
        [line for line in lines if line[0] == metric]
        for metric in ("http_req_duration", "http_req_blocked", "http_req_failed")
    ]
    return [
        (end, duration + blocked, failed == 0)
        for (_, end, duration, _), (_, _, blocked, _), (_, _, failed, _) in zip(*parts, strict=True)
    ]


def of_k6_json(case: str) -> list[Request]:
    points = [line for line in map(json.loads, raw(case).splitlines()) if line["type"] == "Point"]
    return of_k6(
        (
            point["metric"],
            moment_ms(point["data"]["time"]),
            point["data"]["value"],
            (point["data"]["tags"] or {}).get("group", ""),
        )
        for point in points
    )


def moment_ms(text: str) -> float:
    """Return the milliseconds since the epoch of a time with more digits than Python reads."""
    head, _, rest = text.partition(".")
    digits = rest.rstrip("Z").split("+")[0]
    zone = rest[len(digits) :] or "Z"
    whole = datetime.fromisoformat(head + zone.replace("Z", "+00:00"))
    return whole.timestamp() * 1000 + float(f"0.{digits}") * 1000


def of_k6_csv(case: str, units_per_ms: float) -> list[Request]:
    return of_k6(
        (
            row["metric_name"],
            float(row["timestamp"]) / units_per_ms,
            float(row["metric_value"]),
            row["group"],
        )
        for row in csv.DictReader(raw(case).splitlines())
    )


def of_gatling(case: str) -> list[Request]:
    rows = [line.split("\t") for line in raw(case).splitlines() if line.startswith("REQUEST\t")]
    return [(int(row[4]), int(row[4]) - int(row[3]), row[5] == "OK") for row in rows]


def summarised(requests: list[Request]) -> tuple[int, int, float, float]:
    """Return operations, failed ones, mean and linear p95 of the whole ms of successes."""
    times = sorted(round(elapsed) for _, elapsed, ok in requests if ok)
    place = 0.95 * (len(times) - 1)
    below = int(place)
    above = min(below + 1, len(times) - 1)
    p95 = times[below] + (place - below) * (times[above] - times[below])
    failed = sum(not ok for _, _, ok in requests)
    return len(requests), failed, round(statistics.fmean(times), 3), round(p95, 2)


def lacks(measurement: Measurement) -> str:
    return "; ".join(measurement.source.lacks)


@pytest.mark.parametrize(
    ("case", "read", "status"),
    [
        ("k6-1.8.1-json", of_k6_json, "valid"),
        ("k6-1.8.1-json-with-vu", of_k6_json, "valid"),
        ("k6-1.8.1-csv", partial(of_k6_csv, units_per_ms=1e-3), "valid"),
        ("k6-0.52.0-json", of_k6_json, "valid"),
        ("k6-0.52.0-csv-unix-nano", partial(of_k6_csv, units_per_ms=1e6), "valid"),
        # Cold, it took 6 or 7 % of the time between its requests.
        ("gatling-3.9.5", of_gatling, "users pause"),
        ("gatling-3.12.0", of_gatling, "users pause"),
    ],
)
def test_the_requests_of_other_tools_are_operations(
    case: str, read: Callable[[str], list[Request]], status: str, tmp_path: Path
) -> None:
    requests = read(case)
    measurement, verdict = only(unpacked(case, tmp_path))

    assert len(requests) > 100
    assert figures(measurement) == summarised(requests)
    began = sorted(round(end - elapsed) for end, elapsed, _ in requests)
    assert measurement.operations["start_ms"].to_list() == began
    assert verdict.status == status, verdict
    window = measurement.window
    assert window is not None
    within = [ok for end, _, ok in requests if window[0] < end <= window[1]]
    seconds = (window[1] - window[0]) / 1000
    assert seconds > 1.5
    # A time is rounded, so an end may fall on the other side of a border.
    assert measurement.pace.ok_per_s == pytest.approx(sum(within) / seconds, abs=2.5 / seconds)


def test_users_are_counted_where_rows_name_no_threads(tmp_path: Path) -> None:
    for case in ("k6-1.8.1-json", "gatling-3.12.0"):
        (file,) = (CASES / case).glob("*.gz")
        folder = tmp_path / case
        folder.mkdir()
        (folder / file.name.replace("-2-", "-4-")).write_bytes(file.read_bytes())

        _, verdict = only(folder)

        assert verdict.status == "invalid"
        assert "threads together: 2 in the file, 4 by its name" in str(verdict)


def test_threads_are_virtual_users_where_rows_name_them(tmp_path: Path) -> None:
    measurement, _ = only(unpacked("k6-1.8.1-json-with-vu", tmp_path))

    assert measurement.source.users is None
    assert set(measurement.operations["thread"].cast(str)) == {"VU 1", "VU 2"}


def test_the_report_lists_what_a_file_does_not_tell(tmp_path: Path) -> None:
    for case in ("k6-1.8.1-csv", "gatling-3.12.0"):
        (file,) = (CASES / case).glob("*.gz")
        name = file.name.replace("shop", case.partition("-")[0])
        (tmp_path / name).write_bytes(file.read_bytes())

    text = validity(judge_all(load(tmp_path)))

    assert (
        "- `k6-browse-2-threads`, of k6: threads: users are those of vus, recorded each second; "
        "times below a second: stalls and the trend are not checked; the request of a check: "
    ) in text
    assert (
        "- `gatling-browse-2-threads`, of Gatling: threads: users are those that had started and "
        "not ended; response codes, but those of failed checks of the status."
    ) in text
    assert "Runs were loaded by different tools (Gatling, k6): a difference" in text


def test_what_is_no_load_is_left_out_and_told(tmp_path: Path) -> None:
    _, verdict = only(unpacked("k6-1.8.1-json", tmp_path))
    assert figure(verdict, "labels") == (
        "operations have no labels; left out: 2 rows of setup and teardown"
    )


def k6_lines(*requests: tuple[int, float, str]) -> list[str]:
    """Return lines of k6 for requests: their end in ms, duration and tags as JSON."""
    lines = ['{"type":"Metric","data":{"name":"vus","type":"gauge"},"metric":"vus"}']
    for end_ms, elapsed, tags in requests:
        seconds, ms = divmod(end_ms, 1000)
        at = datetime.fromtimestamp(START_S + seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
        for metric, value in (("duration", elapsed), ("blocked", 0), ("failed", 0)):
            lines.append(
                f'{{"metric":"http_req_{metric}","type":"Point","data":{{"time":"{at}.{ms:03}Z",'
                f'"value":{value},"tags":{{{tags}}}}}}}'
            )
    return lines


EVEN = k6_lines(*((10 * at, 9.6, '"status":"200"') for at in range(1, 200)))


def test_a_line_that_was_cut_is_damaged(tmp_path: Path) -> None:
    write(tmp_path, *EVEN, EVEN[-1][:50], name="shop-browse-1-threads.json")

    measurement, verdict = only(tmp_path)

    assert measurement.operations.height == 199
    assert measurement.operations["elapsed_ms"].unique().to_list() == [10]
    assert "damaged rows: 1, the first in shop-browse-1-threads.json line 599" in str(verdict)
    assert "threads and users: whether all ran together is not checked" in measurement.source.lacks


def test_refused_connections_and_redirects_are_told(tmp_path: Path) -> None:
    measurement, _ = only(unpacked("k6-1.8.1-redirects", tmp_path))

    assert measurement.operations["failure"].value_counts().drop_nulls().rows() == [("connect", 3)]
    assert "a redirect's request: 3 redirects count as operations" in lacks(measurement)
    other = tmp_path / "gatling"
    other.mkdir()
    measurement, _ = only(unpacked("gatling-3.10.5-errors", other))
    assert measurement.operations["failure"].to_list() == ["connect"]
    assert measurement.operations["code"].to_list() == ["j.n.ConnectException"]


RUN = "RUN\tShop\tshop\t1770000000000\t \t3.12.0"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            ["Running 2s test @ http://127.0.0.1:9001/", "  1 threads and 2 connections"],
            "is of wrk, wrk2 or Hyperfoil, without samples, so its failures and its interval "
            "cannot be computed: give samples of JMeter, k6 (--out json=FILE.json) or Gatling "
            "(3.12 or older)",
        ),
        (["Phase,Metric,Start,End,Requests"], "is of Hyperfoil, without samples"),
        (['{"$schema":"http://hyperfoil.io/run-schema/v3.0"}'], "is of Hyperfoil, without"),
        (['{"metrics": {"http_reqs": {"count": 3}}}'], "is of k6's end-of-test summary, without"),
        (['{"results": [1]}'], "line 1: JSON, but not of k6 run --out json: give samples of"),
        (EVEN[:1], "has no http_req_duration: k6 recorded no HTTP request in it"),
        (
            [line for line in EVEN if "failed" not in line],
            "line 2: no http_req_failed of the same request follows http_req_duration: give the "
            "file as k6 0.31 or newer wrote it",
        ),
        ([RUN], "has no REQUEST: Gatling recorded no request in it"),
        (
            [RUN, "REQUEST\t\titems\tyesterday"],
            "line 2: a REQUEST without OK or KO: 'REQUEST  items yesterday'",
        ),
    ],
)
def test_what_has_no_samples_is_refused_in_one_sentence(
    lines: list[str], message: str, tmp_path: Path
) -> None:
    write(tmp_path, *lines, name="shop-browse-2-threads.txt")

    with pytest.raises(UserError) as refused:
        load(tmp_path)

    assert f": shop-browse-2-threads.txt {message}" in refused.value.message


def test_the_binary_log_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"2-threads.log is binary, as Gatling's simulation.log"):
        load(unpacked("gatling-3.13.5-binary", tmp_path))


def test_requests_and_fetches_are_not_paired_without_threads(tmp_path: Path) -> None:
    write(tmp_path, *EVEN, name="async-list-1-threads.json")

    with pytest.raises(UserError, match=r"names no threads, by which requests of async are paired"):
        load(tmp_path)


def test_gatling_until_3_3_gives_users_numbers(tmp_path: Path) -> None:
    ok, refused = "OK\t ", "KO\tstatus.find.is(200), but actually found 503"
    rows = [
        f"REQUEST\t1\tvisit\titems\t{at}\t{at + 10}\t{refused if number == 7 else ok}"
        for number, at in enumerate(range(1_770_000_000_000, 1_770_000_001_000, 10))
    ]
    user = "USER\tshop\t1\t{}\t1770000000000\t{}"
    write(
        tmp_path,
        "RUN\tShop\tshop\t1770000000000\t \t3.3.1",
        user.format("START", 1_770_000_000_000),
        *rows,
        "GROUP\t1\tvisit\t1770000000000\t1770000001000\t1000\tOK",
        "ERROR\tno attribute\t1770000000500",
        user.format("END", 1_770_000_001_000),
        name="shop-browse-1-threads.log",
    )

    measurement, verdict = only(tmp_path)

    assert figures(measurement) == (100, 1, 10.0, 10.0)
    assert measurement.operations["code"].to_list()[7] == "503"
    assert measurement.operations["failure"].drop_nulls().to_list() == ["rejected"]
    assert measurement.window == (1_770_000_000_000, 1_770_000_001_000)
    assert figure(verdict, "labels").endswith(
        "left out: 1 rows of groups, 1 rows of errors without a request"
    )
    assert verdict.status == "valid", verdict


def test_columns_of_k6_that_are_not_there_are_told(tmp_path: Path) -> None:
    rows = ["metric_name,timestamp,metric_value,extra_tags,metadata"]
    for at in range(1, 101):
        for metric, value in (("duration", "9.6"), ("blocked", "0.0"), ("failed", "0.0")):
            rows.append(f"http_req_{metric},{START_S * 1000 + 10 * at},{value},,")
    write(tmp_path, *rows, name="shop-browse-1-threads.csv")

    measurement, _ = only(tmp_path)

    assert figures(measurement) == (100, 0, 10.0, 10.0)
    assert "groups: requests of setup and teardown count as operations" in measurement.source.lacks
    assert not measurement.source.whole_seconds
