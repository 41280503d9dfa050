"""The claims are the thesis's and the article's, and results decide on them."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import yaml

from testbed.analysis.claims import examining
from testbed.analysis.claims.claim import Cells, Claim, Count, Evidence, leaning, verdict
from testbed.analysis.claims.reading import CLAIMS, read_claims
from testbed.analysis.claims.tables import consistency, examined, replication, replication_data
from testbed.analysis.samples import load
from testbed.analysis.statistics.intervals import Interval
from testbed.analysis.verdicts import Judged, judge_all
from testbed.model.errors import UserError

from .synthetic import examine, write_run

RECORD = {"wall_s": 1000.0}


def claim(name: str) -> Claim:
    (claim,) = (claim for claim in read_claims().claims if claim.id == name)
    return claim


@dataclass(frozen=True)
class GivenFigures:
    """A source of given runs: by level, mean response time and failed of 1000 for each run."""

    runs: Mapping[int, Sequence[tuple[float, int]]]
    unusable: Sequence[int] = ()
    count: Count = "operation"

    @property
    def judged(self) -> Judged:
        raise NotImplementedError

    def cells(self, variant: str, workload: str) -> Cells:
        spread = np.linspace(0.98, 1.02, 101)
        return Cells(
            {
                float(level): [mean * spread for mean, _ in runs]
                for level, runs in self.runs.items()
            },
            {float(level): [(bad, 1000) for _, bad in runs] for level, runs in self.runs.items()},
            [float(level) for level in (*self.runs, *self.unusable)],
        )


def examined_against(
    name: str, runs: Mapping[int, Sequence[tuple[float, int]]], unusable: Sequence[int] = ()
) -> tuple[str, Evidence]:
    """Return the verdict on a claim per operation, and the evidence."""
    evidence = examining.examine(claim(name), GivenFigures(runs, unusable))
    return verdict(claim(name), evidence), evidence


LEVELS = range(10, 101, 10)


def write_cells(
    path: Path, median_ms: dict[str, float], runs: int = 3, **options: object
) -> Judged:
    for variant, median in median_ms.items():
        for repetition in range(1, runs + 1):
            write_run(
                path,
                variant=variant,
                threads=100,
                repetition=repetition,
                loops=40,
                median_ms=median,
                record=RECORD,
                **options,  # type: ignore[arg-type]
            )
    return judge_all(load(path))


def test_every_statement_names_its_source_and_what_it_allows() -> None:
    claims = read_claims().claims
    assert len({claim.id for claim in claims}) == len(claims) >= 40
    for claim in claims:
        assert claim.source.startswith(("thesis", "Akbulut"))
        assert claim.says
        assert claim.accept is None or claim.accept[0] < claim.accept[1]
        assert (claim.accept is None) == (claim.kind in ("none", "efficiency"))


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
    published = [(row[2], row[3]) for row in rows if row[:2] == [variant, workload]]
    r = np.corrcoef(np.array(published).T)[0, 1]
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
    assert "| 41.19 % | **disagrees**" in rows["E_i on the p95 at 100 threads is low, 75 to 100 %"]
    assert "| 95.53 % | agrees" in rows["E_i on the mean at 100 threads is low, 75 to 100 %"]
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
    evidence = examine(claim("list-slower-sync"), judged, "operation")
    assert verdict(claim("list-slower-sync"), evidence) == "not decidable here"
    assert leaning(claim("list-slower-sync"), evidence) == "replicated"
    claims = examined(judged)
    assert "(2 runs; points to replicated)" in replication(judged, claims)
    data = replication_data(claims)
    row = data.row(by_predicate=_of("list-slower-sync", "per operation"), named=True)
    assert (row["verdict"], row["points_to"]) == ("not decidable here", "replicated")
    assert row["low"] < row["estimate"] < row["high"]
    assert (row["unit"], row["runs"]) == (evidence.unit, 2)


def _of(name: str, counted: str) -> pl.Expr:
    return (pl.col("claim") == name) & (pl.col("counted") == counted)


def test_what_was_not_measured_is_not_decidable(tmp_path: Path) -> None:
    judged = write_cells(tmp_path, {"sync": 120.0})
    evidence = examine(claim("list-slower-sync"), judged, "operation")
    assert evidence.note == "async list at 100 threads has no usable run"
    assert verdict(claim("list-slower-sync"), evidence) == "not decidable here"


def test_shares_of_failures_are_per_sample_or_per_operation(tmp_path: Path) -> None:
    judged = write_cells(tmp_path, {"async": 50.0}, failures={"not_ready": 0.04})
    under = claim("async-list-errors")
    per_sample, per_operation = (examine(under, judged, count) for count in ("sample", "operation"))
    assert per_sample.estimate == pytest.approx(0.02, rel=0.2)
    assert per_operation.estimate == pytest.approx(0.04, rel=0.2)
    assert verdict(under, per_sample) == "not decidable here"
    assert verdict(under, per_operation) == "not replicated"


@pytest.mark.parametrize(
    "name", ["async-list-errors", "async-list-codes", "correlation-async-list"]
)
def test_a_claim_about_every_level_needs_every_level(name: str) -> None:
    every = {level: [(float(level), 20)] * 3 for level in LEVELS}
    assert examined_against(name, every)[0] == "replicated"
    for lacking in ((), (10, 60)):
        few = {level: runs for level, runs in every.items() if level not in (100, *lacking)}
        outcome, evidence = examined_against(name, few)
        assert (outcome, leaning(claim(name), evidence)) == ("not decidable here",) * 2
        named = ", ".join(str(level) for level in (*lacking, 100))
        assert f"; nothing usable at {named} threads" in evidence.note
    outcome, evidence = examined_against(name, {**every, 50: [(50.0, 20)] * 2})
    assert (outcome, evidence.runs) == ("not decidable here", 2)
    assert leaning(claim(name), evidence) == "replicated"


@pytest.mark.parametrize("name", ["async-list-errors", "async-list-codes"])
def test_one_level_is_enough_to_be_wrong_at_every_level(name: str) -> None:
    assert examined_against(name, {20: [(20.0, 100)] * 3})[0] == "not replicated"
    # Few runs of another level do not help it, however they look.
    outcome, evidence = examined_against(name, {20: [(20.0, 100)] * 3, 30: [(30.0, 300)]})
    assert (outcome, evidence.runs) == ("not replicated", 3)
    assert (
        examined_against(name, {20: [(20.0, 20)] * 3, 30: [(30.0, 300)]})[0] == "not decidable here"
    )


def test_a_claim_about_every_level_asks_for_no_others() -> None:
    every = {level: [(float(level), 20)] * 3 for level in LEVELS}
    assert (
        examined_against("async-list-errors", {**every, 200: [(200.0, 500)] * 3})[0] == "replicated"
    )


def test_the_worst_level_is_as_bad_as_the_least_known_may_be() -> None:
    every = {level: [(float(level), 0)] * 3 for level in LEVELS}
    # 1.2 % in each run; and 1 % of which runs say very different things.
    apart = {**every, 40: [(40.0, 12)] * 3, 50: [(50.0, 0), (50.0, 0), (50.0, 30)]}
    outcome, evidence = examined_against("async-list-errors", apart)
    assert (evidence.estimate, outcome) == (0.012, "not decidable here")
    assert evidence.interval is not None
    assert evidence.interval.high > 0.03


def test_one_run_of_each_level_makes_no_correlation() -> None:
    outcome, evidence = examined_against(
        "correlation-sync-list", {level: [(float(level), 0)] for level in LEVELS}
    )
    assert (outcome, evidence.runs) == ("not decidable here", 1)
    assert leaning(claim("correlation-sync-list"), evidence) == "replicated"


def test_a_part_of_a_line_says_nothing_against_the_correlation_of_all_of_it() -> None:
    falling = {level: [(200.0 - level, 0)] * 3 for level in LEVELS}
    assert examined_against("correlation-sync-list", falling)[0] == "not replicated"
    del falling[100]
    assert examined_against("correlation-sync-list", falling)[0] == "not decidable here"


def test_levels_with_only_invalid_runs_are_named(tmp_path: Path) -> None:
    for threads, complete in ((10, True), (20, "dundrum is missing")):
        write_run(
            tmp_path,
            variant="async",
            threads=threads,
            record={**RECORD, "complete_before": complete},
        )
    evidence = examine(claim("async-list-errors"), judge_all(load(tmp_path)), "operation")
    assert evidence.note.startswith("most at 10 threads, 1 of 10 levels; nothing usable at 20, 30")


def test_times_of_survivors_are_said_to_be_theirs(tmp_path: Path) -> None:
    write_cells(tmp_path, {"async": 96.0}, failures={"not_ready": 0.5})
    judged = write_cells(tmp_path, {"sync": 120.0}, failures={"rejected": 0.002})
    mean, ratio = claim("async-list-100"), claim("list-slower-sync")
    good = pl.concat(
        [
            measurement.operations["ok"]
            for measurement in judged.used.measurements
            if "async" in measurement.run.id
        ]
    ).mean()
    assert isinstance(good, float)
    words = f"of the {100 * good:.1f} % that succeeded"
    assert examine(mean, judged, "operation").note == words
    evidence = examine(ratio, judged, "operation")
    assert evidence.note == f"async list at 100 threads: {words}"
    assert words in replication(judged, examined(judged))
    # The thesis's count has the times of failed samples too.
    assert examine(mean, judged, "sample").note == examine(ratio, judged, "sample").note == ""


@pytest.mark.parametrize("name", ["correlation-sync-list", "efficiency-sync-list-mean"])
def test_times_of_survivors_at_several_levels_are_said_to_be_theirs(name: str) -> None:
    levels = {level: [(float(level), 10)] * 3 for level in LEVELS}
    assert "succeeded" not in examined_against(name, levels)[1].note
    levels[40], levels[70] = [(40.0, 100)] * 3, [(70.0, 755)] * 3
    note = examined_against(name, levels)[1].note
    assert note.endswith("; of the 24.5 % that succeeded at 70 threads, the fewest")


def test_no_failure_at_all_makes_no_ratio(tmp_path: Path) -> None:
    judged = write_cells(tmp_path, {"sync": 50.0, "async": 50.0})
    evidence = examine(claim("list-more-errors-sync"), judged, "operation")
    assert (evidence.estimate, evidence.note) == (None, "neither failed")


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
    evidence = examine(claim("sync-list-10"), judged, "operation")
    assert evidence.estimate == pytest.approx(54, rel=0.05)
    assert "system sync-thesis (preset thesis, embedded backends)" in replication(
        judged, examined(judged)
    )


@pytest.mark.parametrize(
    ("median_ms", "expected"),
    [
        ({10: 20.0, 20: 30.0, 100: 500.0}, "replicated"),  # 133 %, then 40 %
        ({10: 20.0, 20: 30.0, 100: 100.0}, "not replicated"),  # 133 %, then 200 %
        ({10: 20.0, 20: 60.0, 100: 500.0}, "not replicated"),  # 67 %, then 40 %
    ],
)
def test_efficiency_must_be_100_up_to_the_border_and_less_above(
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
    efficiency = claim("efficiency-sync-list-mean")
    assert (
        verdict(efficiency, examine(efficiency, judge_all(load(tmp_path)), "operation")) == expected
    )


def percents(of: Mapping[int, float]) -> dict[int, list[tuple[float, int]]]:
    """Return three runs of the efficiencies, in percent relative to 10 threads."""
    return {level: [(10 * level / percent, 0)] * 3 for level, percent in {10: 100, **of}.items()}


@pytest.mark.parametrize(
    ("of", "expected", "note"),
    [
        (
            {50: 370, 90: 652},
            "not decidable here",
            "at 90 threads relative to 10; at least 100 % up to 90; no level above 94 threads",
        ),
        (
            {20: 80, 40: 90, 60: 120, 100: 60},
            "not replicated",
            "at 20 threads relative to 10; at least 100 % up to 10",
        ),
        (
            {50: 120, 90: 110, 100: 80, 120: 105},
            "not replicated",
            "at 120 threads relative to 10; at least 100 % up to 90",
        ),
        (
            {50: 120, 94: 110, 95: 90, 120: 80},
            "replicated",
            "at 120 threads relative to 10; at least 100 % up to 94",
        ),
        (
            {100: 60},
            "not decidable here",
            "at 100 threads relative to 10; at least 100 % up to 10; "
            "no level between 10 and 94 threads",
        ),
        (
            {100: 160},
            "not replicated",
            "at 100 threads relative to 10; at least 100 % up to 100; "
            "no level between 10 and 94 threads",
        ),
        ({}, "not decidable here", "needs a level up to 94 threads, and one above"),
    ],
)
def test_efficiency_is_judged_at_every_level_on_its_side_of_the_border(
    of: dict[int, float], expected: str, note: str
) -> None:
    outcome, evidence = examined_against("efficiency-sync-list-mean", percents(of))
    assert (outcome, evidence.note) == (expected, note)


def test_the_border_of_efficiency_is_that_of_its_figure() -> None:
    levels = percents({50: 120, 90: 110, 100: 80})
    assert examined_against("efficiency-sync-list-mean", levels)[0] == "replicated"
    assert examined_against("efficiency-sync-list-p95", levels)[0] == "not replicated"


def test_efficiency_above_the_border_alone_says_nothing_of_it() -> None:
    levels = {level: [(50.0, 0)] * 3 for level in (100, 150, 200)}
    assert examined_against("efficiency-sync-list-mean", levels)[0] == "not decidable here"


def test_efficiency_is_not_replicated_without_a_level_that_was_tried() -> None:
    outcome, evidence = examined_against(
        "efficiency-sync-list-mean", percents({50: 120, 100: 80}), [90]
    )
    assert outcome == "not decidable here"
    assert evidence.note.endswith("; nothing usable at 90 threads")
    outcome, evidence = examined_against(
        "efficiency-sync-list-mean", percents({50: 80, 100: 80}), [90]
    )
    assert outcome == "not replicated"


def test_efficiency_needs_enough_runs_where_it_is_breached() -> None:
    levels = percents({20: 120, 50: 80, 100: 80})
    few = {**levels, 100: levels[100][:2]}
    assert examined_against("efficiency-sync-list-mean", few)[0] == "not replicated"
    few = {**levels, 50: levels[50][:2]}
    assert examined_against("efficiency-sync-list-mean", few)[0] == "not decidable here"
    few = {**levels, 10: levels[10][:2]}
    assert examined_against("efficiency-sync-list-mean", few)[0] == "not decidable here"


def test_runs_in_which_a_service_was_stopped_are_no_evidence(tmp_path: Path) -> None:
    stopped = {"service": "cinema-cineworld-service", "at_s": 6.0, "for_s": 2.0}
    for repetition in (1, 2, 3):
        write_run(
            tmp_path,
            repetition=repetition,
            median_ms=5.0,
            record={**RECORD, "disturbance": stopped},
        )
    judged = judge_all(load(tmp_path))
    assert len(judged.used.measurements) == 3
    evidence = examine(claim("sync-list-10"), judged, "operation")
    assert (evidence.estimate, evidence.note) == (None, "sync list at 10 threads has no usable run")
    assert replication(judged, examined(judged)).startswith("No cell of the claims")
    write_run(tmp_path, repetition=4, median_ms=50.0, record={**RECORD, "disturbance": None})
    evidence = examine(claim("sync-list-10"), judge_all(load(tmp_path)), "operation")
    assert evidence.runs == 1
    assert evidence.estimate == pytest.approx(54, rel=0.05)


def test_levels_that_were_tried_and_were_invalid_are_known_to_efficiency(tmp_path: Path) -> None:
    for threads, complete in ((10, True), (50, True), (90, "dundrum is missing"), (100, True)):
        write_run(tmp_path, threads=threads, record={**RECORD, "complete_before": complete})
    judged = judge_all(load(tmp_path))
    evidence = examine(claim("efficiency-sync-list-mean"), judged, "operation")
    assert evidence.note.endswith("nothing usable at 90 threads")


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
    evidence = Evidence((low + high) / 2, Interval((low + high) / 2, low, high), runs=5, unit="×")
    assert verdict(claim("list-slower-sync"), evidence) == expected


def test_names_a_kind_that_does_not_exist(tmp_path: Path) -> None:
    file = tmp_path / "claims.yaml"
    file.write_text("claims: [{id: one, source: s, says: x, kind: men}]")
    with pytest.raises(UserError, match="unknown kind of claim one 'men'; choose from: mean"):
        read_claims(file)
