"""What caches save follows from the timer of what is behind them, and from the times in answers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from testbed.analysis import caching
from testbed.analysis.caching import Cached
from testbed.analysis.claims.claim import Claim, verdict
from testbed.analysis.samples import load
from testbed.analysis.sections import caches
from testbed.analysis.verdicts import Judged, judge_all
from testbed.model.systems import declaration

from .synthetic import examine, write_run
from .test_hops import write_timers

AGE_MS = 1500
FRESH_S = 2

CELL = {"variant": "feed", "workload": "rate", "settings": {"FEED_CACHE": "service"}}
CLAIM = {"id": "x", "source": "ours", "says": "so it is", "kind": "cache", "accept": (0.0, 1.05)}

Made = Callable[..., Judged]


def iso(at_ms: int) -> str:
    """Return a time as Java writes it: with as many digits as there are."""
    as_of = datetime.fromtimestamp(at_ms / 1000, UTC).replace(tzinfo=None)
    return f"{as_of.isoformat()}Z"


def run(folder: Path, repetition: int, answered: int, refused: int, age_ms: int = AGE_MS) -> None:
    made = write_run(
        folder,
        variant="feed",
        workload="rate",
        threads=1,
        loops=1000,
        median_ms=20,
        repetition=repetition,
        failures={"rejected": 0.1},
        record={"settings": {"FEED_FRESH": f"{FRESH_S}s", "FEED_CACHE": "service"}},
    )
    file = made / "samples.csv"
    rows = pl.read_csv(file)
    since = [
        iso(start + elapsed - age_ms) if ok else ""
        for start, elapsed, ok in rows.select("timeStamp", "elapsed", "success").iter_rows()
    ]
    rows.with_columns(pl.Series("asOf", since)).write_csv(file)
    counted = {
        'feed_source_seconds{outcome="answered"}': (answered, 0.4),
        'feed_source_seconds{outcome="refused"}': (refused, 0.2),
    }
    write_timers(made, {"feed-service": counted})


@pytest.fixture
def judged(tmp_path: Path) -> Judged:
    for repetition in (1, 2, 3):
        run(tmp_path, repetition, answered=11, refused=3)
    return judge_all(load(tmp_path))


def cached(judged: Judged) -> Cached:
    return caching.cached(judged)[0]


def test_what_is_not_asked_was_kept(judged: Judged) -> None:
    run = cached(judged)

    assert (run.operations, run.asked, run.refused) == (1000, 14, 3)
    assert run.kept_share == pytest.approx(1 - 14 / 1000)
    assert run.refused_share == pytest.approx(3 / 14)
    assert run.failed == pytest.approx(100, abs=40)
    assert run.fresh_s == FRESH_S


def test_what_is_kept_is_predicted_by_renewal(judged: Judged) -> None:
    run = cached(judged)

    cycle_s = run.request_s + FRESH_S * 11 / 14
    assert run.request_s == pytest.approx(0.6 / 14)
    per_cycle = 1 + 1000 / run.length_s * cycle_s
    assert run.predicted_share == pytest.approx(1 - 1 / per_cycle)
    assert run.asked_ratio == pytest.approx(14 / (1000 / per_cycle))


def test_answers_have_the_age_that_they_tell(judged: Judged) -> None:
    run = cached(judged)

    assert run.mean_age_s == run.oldest_s == AGE_MS / 1000
    assert run.oldest_share == pytest.approx(AGE_MS / 1000 / FRESH_S)
    assert caching.tabulate(judged)["oldest_s"].to_list() == [1.5] * 3


def test_the_table_has_a_row_for_each_cell(judged: Judged) -> None:
    assert "| feed |" in caches.kept(judged)
    assert "| 1.50 |" in caches.kept(judged)


@pytest.mark.parametrize(
    ("setting", "seconds"),
    [("2s", 2), ("1500ms", 1.5), ("1500", 1.5), ("2m", 120), ("1h", 3600), ("PT2S", None)],
)
def test_settings_have_the_forms_that_services_know(setting: str, seconds: float | None) -> None:
    caching = declaration("feed").cache
    assert caching is not None
    assert caching.fresh_s({"FEED_CACHE": "service", "FEED_FRESH": setting}) == seconds
    assert caching.fresh_s({"FEED_CACHE": "service"}) == 30
    assert caching.fresh_s({"FEED_FRESH": setting}) is None


def test_nothing_is_told_of_systems_without_caches(tmp_path: Path) -> None:
    write_run(tmp_path)
    judged = judge_all(load(tmp_path))

    assert caching.cached(judged) == []
    assert caches.kept(judged) == ""
    assert caching.tabulate(judged).is_empty()


@pytest.mark.parametrize(("figure", "expected"), [("oldest", 0.75), ("asked", 1.3)])
def test_claims_see_each_figure(judged: Judged, figure: str, expected: float) -> None:
    evidence = examine(Claim(**CLAIM, figure=figure, cell=CELL), judged)

    assert evidence.runs == 3
    assert evidence.estimate == pytest.approx(expected, rel=0.3)
    assert examine(Claim(**CLAIM, figure=figure, cell=CELL | {"level": 7}), judged).estimate is None


def test_one_run_with_too_old_an_answer_refutes_that_none_is(tmp_path: Path) -> None:
    for repetition, age_ms in enumerate((1000, 1500, 2500), 1):
        run(tmp_path, repetition, answered=11, refused=3, age_ms=age_ms)

    claim = Claim(**CLAIM, figure="oldest", cell=CELL)
    evidence = examine(claim, judge_all(load(tmp_path)))

    assert evidence.estimate == pytest.approx(1.25, rel=0.01)
    assert verdict(claim, evidence) == "not replicated"
