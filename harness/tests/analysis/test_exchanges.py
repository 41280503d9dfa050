"""The times of the exchanges that operations are made of."""

from __future__ import annotations

from pathlib import Path

import pytest

from testbed.analysis import exchanges
from testbed.analysis.exchanges import ALL
from testbed.analysis.samples import load
from testbed.analysis.sections import exchanges as section
from testbed.analysis.verdicts import Judged, judge_all

from .synthetic import HEADER, write_run
from .test_samples import sample


def sessions(folder: Path) -> Judged:
    """Two sessions: one with two beans, and one that failed at its only page."""
    rows = [
        sample(0, 10, "read countries"),
        sample(10, 20, "read page"),
        sample(30, 4, "read details"),
        sample(34, 6, "read details"),
        sample(0, 41, "read", parts=4),
        sample(41, 14, "read countries"),
        sample(55, 50, "read page", "500", ok=False),
        sample(41, 65, "read", "", ok=False, parts=2),
    ]
    file = folder / "market-services-read-1-threads.csv"
    file.write_text("\n".join([HEADER, *rows]))
    return judge_all(load(folder))


def test_each_exchange_has_its_times_and_its_number_in_an_operation(tmp_path: Path) -> None:
    by_name = {each.exchange: each for each in exchanges.exchanged(sessions(tmp_path))}

    assert list(by_name) == ["countries", "page", "details", ALL]
    assert {name: each.per_operation for name, each in by_name.items()} == {
        "countries": 1,
        "page": 1,
        "details": 1,
        ALL: 3,
    }
    # Two sessions within 105 ms.
    assert by_name[ALL].per_s == pytest.approx(3 * 2 / 0.105)
    assert (by_name["details"].min_ms, by_name["details"].max_ms) == (4, 6)
    assert by_name["details"].p95_ms == pytest.approx(5.9)
    # A failed answer is in no time.
    assert (by_name["page"].mean_ms, by_name["page"].failed_share) == (20, 0.5)
    assert by_name[ALL].mean_ms == pytest.approx((10 + 20 + 4 + 6 + 14) / 5)
    assert by_name[ALL].failed_share == pytest.approx(1 / 6)


def test_the_report_shows_exchanges_beside_sessions(tmp_path: Path) -> None:
    text = section.exchanged(sessions(tmp_path))

    rows = [line.split("|") for line in text.splitlines() if "market-services" in line]
    assert [row[4].strip() for row in rows] == ["countries", "page", "details", ALL]
    assert [row[8].strip() for row in rows] == ["12.0", "20.0", "5.0", "10.8"]
    table = exchanges.tabulate(sessions(tmp_path))
    assert table["exchange"].to_list() == ["countries", "page", "details", ALL]


def test_requests_and_fetches_are_exchanges_too(tmp_path: Path) -> None:
    write_run(tmp_path, variant="async", loops=20, threads=2)
    every = exchanges.exchanged(judge_all(load(tmp_path)))

    assert [each.exchange for each in every] == ["request", "fetch", ALL]
    assert [each.per_operation for each in every] == [1, 1, 2]


def test_operations_of_one_exchange_have_no_such_table(tmp_path: Path) -> None:
    write_run(tmp_path, loops=20, threads=2)

    assert section.exchanged(judge_all(load(tmp_path))) == ""
