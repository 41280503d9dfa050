"""The claims are the thesis's and the article's, and results decide on them."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import yaml

from testbed.analysis.claims.claim import Claim, Found, leaning, verdict
from testbed.analysis.claims.kinds import examine
from testbed.analysis.claims.reading import CLAIMS, read_claims
from testbed.analysis.claims.tables import consistency, held, replication, replication_data
from testbed.analysis.samples import load
from testbed.analysis.statistics.intervals import Interval
from testbed.analysis.verdicts import Judged, judge_all
from testbed.errors import UserError

from .synthetic import write_run

RECORD = {"wall_s": 1000.0}


def claim(name: str) -> Claim:
    (found,) = (one for one in read_claims() if one.id == name)
    return found


def write_cells(
    path: Path, median_ms: dict[str, float], threads: int = 100, runs: int = 3, **options: object
) -> Judged:
    for variant, median in median_ms.items():
        for repetition in range(1, runs + 1):
            write_run(
                path,
                variant=variant,
                threads=threads,
                repetition=repetition,
                loops=40,
                median_ms=median,
                record=RECORD,
                **options,  # type: ignore[arg-type]
            )
    return judge_all(load(path))


def test_every_statement_names_its_source_and_what_it_allows() -> None:
    known = read_claims()
    assert len({one.id for one in known}) == len(known) >= 40
    for one in known:
        assert one.source.startswith(("thesis", "Akbulut"))
        assert one.says
        assert one.accept is None or one.accept[0] < one.accept[1]
        assert (one.accept is None) == (one.kind in ("none", "efficiency"))


def test_published_figures_are_those_of_the_reference(reference: Path) -> None:
    with (reference / "thesis-measured.csv").open(newline="") as file:
        rows = [list(row.values()) for row in csv.DictReader(file)]
    ours = yaml.safe_load(CLAIMS.read_text())["published"]["cells"]
    assert [[str(value) for value in row[:3]] for row in ours] == [row[:3] for row in rows]
    assert [row[3:] for row in ours] == [[float(value) for value in row[3:]] for row in rows]


@pytest.mark.parametrize("variant", ["sync", "async"])
@pytest.mark.parametrize("workload", ["list", "reserve"])
def test_published_correlations_are_those_of_the_published_means(
    variant: str, workload: str
) -> None:
    rows = yaml.safe_load(CLAIMS.read_text())["published"]["cells"]
    known = [(row[2], row[3]) for row in rows if row[:2] == [variant, workload]]
    r = np.corrcoef(np.array(known).T)[0, 1]
    claimed = claim(f"correlation-{variant}-{workload}").fields["claimed"]
    assert r == pytest.approx(claimed, abs=0.0006)


def test_the_published_figures_contradict_the_conclusions() -> None:
    text = consistency()
    rows = {line.split(" | ")[0].strip("| "): line for line in text.splitlines()}
    for says, figure in {
        "list, 100 threads, sync about 25 % slower than async": "0.83 ×",
        "list, 100 threads, sync 7 times more error-prone than async": "28.47 ×",
        "reserve, sync about 5 times faster than async": "8.07 ×",
        "async list, less than 3 % failed at every level": "3.10 %",
    }.items():
        assert f"| {figure} | **disagrees** |" in rows[says]
    assert "| 0.998 | agrees |" in rows["async list, r = 0.998"]
    assert "E_i = 41.2 % from 2544.32 ms | **disagrees**" in text
    assert "E_i = 95.5 % from 399.89 ms | agrees" in text
    assert text.count("**disagrees**") == 9


def test_a_ratio_is_held_against_the_claim_in_both_counts(tmp_path: Path) -> None:
    judged = write_cells(tmp_path, {"sync": 120.0, "async": 96.0})
    slower = claim("list-slower-sync")
    per_operation = examine(slower, judged, "operation")
    assert per_operation.estimate == pytest.approx(1.25, rel=0.03)
    assert verdict(slower, per_operation) == "replicated"
    # An asynchronous operation is two samples, so that its mean per sample is half as long.
    per_sample = examine(slower, judged, "sample")
    assert per_sample.estimate == pytest.approx(2.5, rel=0.03)
    assert verdict(slower, per_sample) == "not replicated"


def test_few_runs_decide_nothing_but_point_somewhere(tmp_path: Path) -> None:
    judged = write_cells(tmp_path, {"sync": 120.0, "async": 96.0}, runs=2)
    found = examine(claim("list-slower-sync"), judged, "operation")
    assert verdict(claim("list-slower-sync"), found) == "not decidable here"
    assert leaning(claim("list-slower-sync"), found) == "replicated"
    claims = held(judged)
    assert "(2 runs; points to replicated)" in replication(judged, claims)
    data = replication_data(claims)
    row = data.row(by_predicate=_of("list-slower-sync", "per operation"), named=True)
    assert (row["verdict"], row["points_to"]) == ("not decidable here", "replicated")
    assert row["low"] < row["estimate"] < row["high"]
    assert (row["unit"], row["runs"]) == (found.unit, 2)


def _of(name: str, counted: str) -> pl.Expr:
    return (pl.col("claim") == name) & (pl.col("counted") == counted)


def test_what_was_not_measured_is_not_decidable(tmp_path: Path) -> None:
    judged = write_cells(tmp_path, {"sync": 120.0})
    found = examine(claim("list-slower-sync"), judged, "operation")
    assert found.note == "async list at 100 threads has no usable run"
    assert verdict(claim("list-slower-sync"), found) == "not decidable here"


def test_shares_of_failures_are_per_sample_or_per_operation(tmp_path: Path) -> None:
    judged = write_cells(tmp_path, {"async": 50.0}, failures={"not_ready": 0.04})
    under = claim("async-list-errors")
    per_sample, per_operation = (examine(under, judged, count) for count in ("sample", "operation"))
    assert per_sample.estimate == pytest.approx(0.02, rel=0.2)
    assert per_operation.estimate == pytest.approx(0.04, rel=0.2)
    assert verdict(under, per_sample) == "replicated"
    assert verdict(under, per_operation) == "not replicated"


def test_no_failure_at_all_makes_no_ratio(tmp_path: Path) -> None:
    judged = write_cells(tmp_path, {"sync": 50.0, "async": 50.0})
    found = examine(claim("list-more-errors-sync"), judged, "operation")
    assert (found.estimate, found.note) == (None, "neither failed")


def test_cells_of_the_thesis_preset_are_preferred(tmp_path: Path) -> None:
    for preset, median_ms in (("tuned", 10.0), ("thesis", 50.0)):
        for repetition in (1, 2, 3):
            write_run(
                tmp_path,
                preset=preset,
                repetition=repetition,
                median_ms=median_ms,
                record={**RECORD, "system": f"sync-{preset}"},
            )
    judged = judge_all(load(tmp_path))
    found = examine(claim("sync-list-10"), judged, "operation")
    assert found.estimate == pytest.approx(54, rel=0.05)
    assert "system sync-thesis (preset thesis, embedded backends)" in replication(
        judged, held(judged)
    )


@pytest.mark.parametrize(
    ("median_ms", "expected"),
    [
        ({10: 20.0, 20: 30.0, 100: 500.0}, "replicated"),  # 133 %, then 40 %
        ({10: 20.0, 20: 30.0, 100: 100.0}, "not replicated"),  # 133 %, then 200 %
        ({10: 20.0, 20: 60.0, 100: 500.0}, "not replicated"),  # 67 %, then 40 %
    ],
)
def test_efficiency_must_rise_above_100_and_fall_below(
    tmp_path: Path, median_ms: dict[int, float], expected: str
) -> None:
    for threads, median in median_ms.items():
        for repetition in (1, 2, 3):
            write_run(
                tmp_path,
                threads=threads,
                repetition=repetition,
                loops=40,
                median_ms=median,
                record=RECORD,
            )
    one = claim("efficiency-sync-list-mean")
    assert verdict(one, examine(one, judge_all(load(tmp_path)), "operation")) == expected


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (1.2, 1.4, "replicated"),
        (1.0, 1.1, "not replicated"),
        (1.6, 2.0, "not replicated"),
        (1.0, 1.3, "not decidable here"),
    ],
)
def test_the_whole_interval_must_lie_on_one_side(low: float, high: float, expected: str) -> None:
    found = Found((low + high) / 2, Interval((low + high) / 2, low, high), runs=5, unit="×")
    assert verdict(claim("list-slower-sync"), found) == expected


def test_names_a_kind_that_does_not_exist(tmp_path: Path) -> None:
    file = tmp_path / "claims.yaml"
    file.write_text("claims: [{id: one, source: s, says: x, kind: men}]")
    with pytest.raises(UserError, match="unknown kind of claim one 'men'; choose from: mean"):
        read_claims(file)
