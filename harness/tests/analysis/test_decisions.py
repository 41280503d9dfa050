"""What is decided follows from the pairs of starts, and from nothing else."""

from __future__ import annotations

import json
import math
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from scipy import stats

from testbed.analysis.decisions import (
    Decision,
    Outcome,
    decide,
    decided,
    paired_cells,
    references,
    tabulate,
)
from testbed.analysis.quantities import block_figures, run_figure
from testbed.analysis.results import find_results
from testbed.analysis.samples import load
from testbed.analysis.sections import answer
from testbed.analysis.statistics.intervals import Interval
from testbed.analysis.statistics.ratios import DecidedRatio, Design
from testbed.analysis.statistics.ratios import Verdict as Side
from testbed.analysis.statistics.sequential import sequential_ratios
from testbed.analysis.tables import (
    bound_text,
    decision_words,
    effect,
    print_decisions,
    ratio_text,
    ratio_words,
)
from testbed.analysis.verdicts import judge_all
from testbed.cli import gates

from .synthetic import write_blocks, write_pair, write_run


def change(record: Path, **fields: object) -> None:
    record.write_text(json.dumps({**json.loads(record.read_text()), **fields}))


def decision(**fields: object) -> Decision:
    defaults: dict[str, object] = {
        "system": "async",
        "reference": "sync",
        "workload": "list",
        "mode": "closed",
        "level": 10.0,
        "figure": "ok_per_s",
        "ratio": 0.84,
        "low": 0.81,
        "high": 0.87,
        "decision": "worse",
        "could_tell": 1.09,
        "pairs": 3,
        "pair_spread": 0.023,
        "age_s": 240.0,
        "reference_value": 2000.0,
    }
    return Decision(**{**defaults, **fields})  # type: ignore[arg-type]


def test_a_clear_difference_is_decided_for_the_better_system(tmp_path: Path) -> None:
    judged = write_pair(tmp_path)
    by_figure = {decision.figure: decision for decision in decide(judged)}
    assert {
        (decision.reference, decision.system, decision.pairs) for decision in decide(judged)
    } == {("sync", "async", 3)}
    assert list(by_figure) == ["ok_per_s", "p95_ms", "cpu_ms_per_ok"]
    assert by_figure["ok_per_s"].decision == by_figure["p95_ms"].decision == "worse"
    assert (by_figure["p95_ms"].low or 9) < 1.5 < (by_figure["p95_ms"].high or 0)
    assert by_figure["ok_per_s"].ratio == pytest.approx(1 / 1.5, rel=0.1)
    assert by_figure["cpu_ms_per_ok"].decision == "alike"


def test_systems_that_were_not_started_here_are_not_compared_by_cpu(tmp_path: Path) -> None:
    write_pair(tmp_path)
    for file in tmp_path.glob("runs/*/run.json"):
        change(file, server_cpu_s={})
    decisions = decide(judge_all(load(tmp_path)))
    assert {decision.figure for decision in decisions} == {"ok_per_s", "p95_ms"}
    assert not gates.failures(gates.parse(["not-known"]), decisions)


def test_one_run_without_cpu_leaves_its_cell_not_known(tmp_path: Path) -> None:
    write_pair(tmp_path)
    change(next(tmp_path.glob("runs/*/run.json")), server_cpu_s={})
    by_figure = {decision.figure: decision for decision in decide(judge_all(load(tmp_path)))}
    assert by_figure["cpu_ms_per_ok"].decision == "not known"


def test_the_interval_is_that_of_the_pairs_and_of_no_operation(tmp_path: Path) -> None:
    judged = write_pair(tmp_path, levels=(10,))
    runs = {
        (measurement.run.cell.system, measurement.run.repetition): measurement
        for measurement in judged.deciding
    }
    logs = [
        math.log(run_figure(runs["async", pair], "p95_ms") or 0)
        - math.log(run_figure(runs["sync", pair], "p95_ms") or 0)
        for pair in (1, 2, 3)
    ]
    low, high = stats.ttest_1samp(logs, 0).confidence_interval(0.95)
    (decision,) = [decision for decision in decide(judged) if decision.figure == "p95_ms"]
    assert (decision.low, decision.high) == pytest.approx((math.exp(low), math.exp(high)))
    assert decision.pair_spread == pytest.approx(np.std(logs, ddof=1))


def test_one_pair_takes_its_blocks_and_says_that_it_speaks_of_one_start(tmp_path: Path) -> None:
    for variant, medians in (("sync", (40.0, 42.0, 41.0)), ("async", (60.0, 66.0, 61.0))):
        write_blocks(tmp_path, variant=variant, medians_ms=medians, loops=300)
    judged = judge_all(load(tmp_path))
    sync, async_ = (
        [np.log(value) for value in block_figures(measurement, "ok_per_s") if value]
        for measurement in sorted(
            judged.deciding, key=lambda measurement: measurement.run.cell.system != "sync"
        )
    )
    low, high = stats.ttest_rel(async_, sync).confidence_interval(0.95)
    (decision,) = [decision for decision in decide(judged) if decision.figure == "ok_per_s"]
    assert (decision.low, decision.high) == pytest.approx((math.exp(low), math.exp(high)))
    assert (decision.pairs, decision.pair_spread, decision.decision) == (1, None, "worse")
    assert decision.age_s == 60
    assert answer.first(judged, [decision]).more.endswith("another pair may differ.")


def test_one_block_of_one_pair_decides_nothing(tmp_path: Path) -> None:
    judged = write_pair(tmp_path, runs=1, second=4.0)
    for decision in decide(judged):
        assert (decision.decision, decision.low, decision.could_tell) == ("not known", None, None)
        assert decision.reason == "one block of one pair"
    assert decide(judged)[1].ratio == pytest.approx(4, rel=0.15)


def test_a_run_that_may_not_decide_takes_its_pair_out_of_its_cell(tmp_path: Path) -> None:
    write_pair(tmp_path, levels=(10, 20))
    for name, fields in (("010-3", {"complete_before": "ucd"}), ("020-2", {"warm": False})):
        change(next(tmp_path.glob(f"runs/async*-{name}/run.json")), **fields)
    decisions = decide(judge_all(load(tmp_path)), ["p95_ms"])
    assert [(decision.pairs, decision.left_out) for decision in decisions] == [(2, 1), (2, 1)]
    for file in tmp_path.glob("runs/async*-020-*/run.json"):
        change(file, complete_before="ucd")
    nothing = [decision for decision in decide(judge_all(load(tmp_path))) if decision.level == 20]
    assert {
        (decision.ratio, decision.decision, decision.left_out, decision.reason)
        for decision in nothing
    } == {(None, "not known", 3, "no pair of runs counts")}


def test_a_run_without_successes_leaves_no_ratio(tmp_path: Path) -> None:
    write_pair(tmp_path, runs=2)
    write_run(tmp_path, repetition=3, median_ms=30)
    write_run(tmp_path, variant="async", repetition=3, failures={"not_ready": 1.0})
    decisions = {decision.figure: decision for decision in decide(judge_all(load(tmp_path)))}
    assert (decisions["p95_ms"].ratio, decisions["p95_ms"].reason) == (None, "a run has no p95")
    assert decisions["ok_per_s"].ratio is None


@pytest.mark.parametrize(
    ("side", "figures", "failed", "expected", "reason"),
    [
        ("lower", (40.0, 20.0), (0.0, 0.008), "better", ""),
        ("lower", (40.0, 20.0), (0.0, 0.02), "not known", "async is faster but fails more"),
        ("lower", (40.0, 20.0), (0.2, 0.0), "better", ""),
        ("higher", (20.0, 40.0), (0.02, 0.0), "not known", "sync is faster but fails more"),
        ("higher", (2.0, 3.0), (0, 0), "not known", "the difference is within the clock's 1 ms"),
        ("alike", (5.0, 5.0), (0, 0), "not known", "10 % of it is less than the clock's 1 ms"),
        ("alike", (50.0, 51.0), (0.0, 0.0), "alike", ""),
    ],
)
def test_response_times_decide_where_failures_and_the_clock_allow(
    side: Side,
    figures: tuple[float, float],
    failed: tuple[float, float],
    expected: Outcome,
    reason: str,
) -> None:
    ratio = figures[1] / figures[0]

    def of(figure: str) -> Decision:
        return decided(
            decision(figure=figure),
            DecidedRatio(Interval(ratio, ratio, ratio), side),
            (np.full(3, figures[0]), np.full(3, figures[1])),
            failed[1] - failed[0],
        )

    assert (of("p95_ms").decision, of("p95_ms").reason) == (expected, reason)
    # Goodput counts failures as they are, and no clock rounds it.
    assert of("ok_per_s").decision == {"lower": "worse", "higher": "better", "alike": "alike"}[side]
    assert of("ok_per_s").reference_value == pytest.approx(figures[0])


@pytest.mark.parametrize(
    ("figures", "spread", "expected"),
    [
        # Blocks that agree to the digit are not exact to the digit.
        ((4.0, 6.0), 0.0, (5.5 / 4.5, 6.5 / 3.5)),
        ((4.0, 6.0), 0.5, (1.0, 2.0)),
        ((0.5, 6.0), 0.0, (5.5 / 1.0, math.exp(50))),
        ((6.0, 0.5), 0.0, (math.exp(-50), 1.0 / 5.5)),
    ],
)
def test_an_interval_of_times_is_at_least_as_wide_as_the_clock_makes_it(
    figures: tuple[float, float], spread: float, expected: tuple[float, float]
) -> None:
    ratio = figures[1] / figures[0]
    given = DecidedRatio(
        Interval(ratio, ratio - spread, ratio + spread),
        "higher" if ratio > 1 else "lower",
        Design(0.0, 4, 3.0),
    )
    sides = tuple(np.full(4, figure) for figure in figures)
    of_times = decided(decision(figure="p95_ms"), given, sides, 0.0)
    assert (of_times.low, of_times.high) == pytest.approx(expected)
    assert of_times.could_tell == pytest.approx(1 + 1 / figures[0])
    of_goodput = decided(decision(figure="ok_per_s"), given, sides, 0.0)
    assert (of_goodput.low, of_goodput.high) == (ratio - spread, ratio + spread)
    assert of_goodput.could_tell == 1


def test_the_first_declared_system_is_the_reference_unless_groups_say_so(tmp_path: Path) -> None:
    names = ("sync-a", "sync-b", "async-a", "async-b")
    for number, name in enumerate(names, start=1):
        write_run(tmp_path, variant=name.split("-")[0], repetition=number, record={"system": name})
    declared = f"systems: {{{', '.join(f'{name}: {{}}' for name in names)}}}\n"
    file = tmp_path / "experiment.yaml"
    file.write_text(declared)
    assert references(find_results(tmp_path)) == [("sync-a", name) for name in names[1:]]
    file.write_text(f"{declared}groups: [[sync-b, sync-a], [async-a, async-b, missing]]\n")
    assert references(find_results(tmp_path)) == [("sync-b", "sync-a"), ("async-a", "async-b")]


def test_presets_of_one_variant_are_compared_with_one_another(tmp_path: Path) -> None:
    for preset in ("tuned", "thesis"):
        write_run(tmp_path, preset=preset, record={"system": preset})
    (tmp_path / "experiment.yaml").write_text("systems: {tuned: {}, thesis: {}}")
    (decision,) = decide(judge_all(load(tmp_path)), ["p95_ms"])
    assert (decision.reference, decision.system) == ("tuned", "thesis")


def test_the_table_of_decisions_is_for_scripts(tmp_path: Path) -> None:
    decisions = decide(write_pair(tmp_path))
    table = tabulate(decisions)
    names = (
        "system reference workload mode level figure ratio low high decision could_tell pairs "
        "reason reference_value pair_spread freedom evidence"
    )
    assert " ".join(table.columns) == names
    assert table.row(0)[:6] == ("async", "sync", "list", "closed", 10.0, "ok_per_s")
    assert tabulate([]).columns == table.columns


def test_decisions_fit_a_terminal_of_80_columns() -> None:
    decisions = [
        decision(workload=workload, level=level, figure=figure)
        for figure in ("ok_per_s", "p95_ms", "cpu_ms_per_ok")
        for workload in ("list", "reserve")
        for level in (10.0, 100.0)
    ]
    decisions.append(decision(figure="cpu_ms_per_ok", mode="open", left_out=2))
    console = Console(width=80, file=StringIO())
    with console.capture() as captured:
        print_decisions(decisions, console)
    text = captured.get()
    assert "…" not in text
    words = " ".join(text.split())
    assert "reserve 100 2,000 1,680 0.84 [0.81, 0.87] worse by 16 % 9 %" in words
    assert "list 10 arrivals/s: 2 pairs left out" in text


def test_comparisons_without_a_figure_are_a_line_and_the_legend_stands_once() -> None:
    nothing = {"ratio": None, "reference_value": None, "decision": "not known"}
    decisions = [
        decision(),
        decision(system="new"),
        decision(system="old", reason="no pair of runs counts", **nothing),
    ]
    console = Console(width=80, file=StringIO())
    with console.capture() as captured:
        print_decisions(decisions, console)
    text = captured.get()

    assert text.count("cell: workload") == answer.decided_table(decisions).count("Cell: ") == 1
    assert text.count("–") == answer.decided_table(decisions).count("| – |") == 0
    assert text.index("new against sync") < text.index("cell: workload")
    assert "old against sync\nlist 10 threads: goodput not known, no pair of runs counts\n" in text


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "worse by 16 %"),
        ({"ratio": 2.92, "figure": "p95_ms"}, "worse: × 2.9"),
        ({"ratio": 0.0045, "decision": "better"}, "better: × 0.0045"),
        ({"ratio": 1.19, "decision": "better"}, "better by 19 %"),
        ({"ratio": 1.01, "decision": "alike"}, "alike ±10 %"),
        ({"decision": "not known"}, "not known"),
        ({"ratio": None, "decision": "not known"}, "not known"),
    ],
)
def test_decisions_in_words(fields: dict[str, object], words: str) -> None:
    assert decision_words(decision(**fields)) == words


def test_a_small_ratio_is_told_as_a_factor() -> None:
    small = decision(figure="p95_ms", ratio=0.0045, low=0.0029, high=0.12, decision="better")

    assert ratio_words(small) == "0.0045 [0.0029, 0.12]"
    wide = decision(ratio=0.042, low=8.5e-17, high=2.1e13)
    assert ratio_words(wide) == "0.042 [<0.001, >1000]"


def test_wide_ratios_cut_nothing_off_at_80_columns() -> None:
    small = {"ratio": 0.0034, "low": 0.0021, "high": 0.0062, "could_tell": 7.8e18}
    wide = decision(mode="open", level=50.0, figure="p95_ms", decision="better", **small)
    console = Console(width=80, file=StringIO())
    with console.capture() as captured:
        print_decisions([wide], console)
    words = captured.get().split()
    assert {"[0.0021,", "0.0062]", "better:", "0.0034", "50/s", "100"} <= set(words)


def test_effects_in_words() -> None:
    assert [effect(ratio) for ratio in (1.09, 1.123, 2.3, None)] == ["9 %", "12 %", "× 2.3", "–"]
    assert effect(7.8e18) == "> × 100"


def test_no_ratio_is_rounded_to_nothing() -> None:
    assert [ratio_text(ratio) for ratio in (1.234, 0.0153, 0.0004, 2e6)] == [
        "1.23",
        "0.015",
        "<0.001",
        ">1000",
    ]


def test_no_end_of_an_interval_is_rounded_to_1() -> None:
    ends = (0.9961, 0.99999, 1.0, 1.0049, 1.02)
    assert [bound_text(end) for end in ends] == ["0.996", "0.99999", "1.00", "1.005", "1.02"]


def test_a_crossover_lies_between_levels_with_opposite_decisions() -> None:
    kinds: list[Outcome] = ["better", "not known", "worse", "worse"]
    decisions = [decision(level=10.0 * (i + 1), decision=kind) for i, kind in enumerate(kinds)]
    decisions += [
        decision(level=10.0, workload="reserve"),
        decision(level=20.0, workload="reserve"),
    ]
    assert answer.crossovers(decisions) == (
        "- list: between 10 and 30 threads async becomes worse than sync by goodput"
    )
    assert answer.crossovers(decisions[:2]) == ""


def test_progress_is_a_line_for_each_cell_from_the_first_pair_on(tmp_path: Path) -> None:
    assert answer.narrowing(tmp_path) == []
    write_pair(tmp_path, runs=1)
    write_run(tmp_path, threads=20)
    (line,) = answer.narrowing(tmp_path)
    assert line.startswith("list 10 threads: goodput of async ÷ sync 0.6")
    assert line.endswith(", no interval yet")
    for variant in ("sync", "async"):
        write_run(tmp_path, variant=variant, repetition=2)
    (line,) = answer.narrowing(tmp_path)
    assert "[" in line


def test_what_is_sure_is_told_with_pairs_spread_and_what_was_left_out(tmp_path: Path) -> None:
    for variant, medians in (("sync", (40.0, 42.0)), ("async", (60.0, 61.0))):
        for pair in (1, 2, 3):
            write_blocks(tmp_path, variant=variant, medians_ms=medians, repetition=pair)
    change(next(tmp_path.glob("runs/async*-3/run.json")), warm=False)
    judged = judge_all(load(tmp_path))
    words = answer.how_sure(judged, decide(judged))
    assert words.startswith("5 of 6 runs decide. **1 still warming up:** shown, but not deciding.")
    assert "Each cell has 2 pairs of starts that decide." in words
    assert "% in goodput" in words
    # 0.1 s of CPU in each block of 10 to 20 s.
    assert "one that waited used" in words
    (tmp_path / "classic").mkdir()
    classic = write_pair(tmp_path / "classic")
    assert "starts followed one another" in answer.how_sure(classic, decide(classic))


def test_pairs_that_agree_by_chance_are_as_uncertain_as_their_blocks(tmp_path: Path) -> None:
    for pair in (1, 2):
        for variant, medians in (("sync", (40.0,) * 4), ("async", (48.0, 36.0, 36.0, 48.0))):
            write_blocks(tmp_path, variant=variant, medians_ms=medians, repetition=pair, loops=300)
    judged = judge_all(load(tmp_path))
    runs = {
        (measurement.run.cell.system, measurement.run.repetition): measurement
        for measurement in judged.deciding
    }
    logs = [
        np.log(
            np.divide(*(block_figures(runs[name, pair], "ok_per_s") for name in ("async", "sync")))
        )
        for pair in (1, 2)
    ]
    implied = math.sqrt(np.mean([np.var(of_run, ddof=1) for of_run in logs]) / 4)
    reach = stats.t.ppf(0.975, 6) * implied / math.sqrt(2)
    (decision,) = decide(judged, ["ok_per_s"])

    assert decision.pair_spread == pytest.approx(implied)
    limits = [math.exp(np.mean(logs) + side) for side in (-reach, reach)]
    assert (decision.low, decision.high) == pytest.approx(limits)
    assert decision.decision == "not known"


def test_results_that_grow_until_they_are_decided_bear_any_number_of_looks(tmp_path: Path) -> None:
    write_pair(tmp_path, runs=5, levels=(10, 20))
    (tmp_path / "experiment.yaml").write_text("name: mine\nprecision: {within: 0.1}\n")
    judged = judge_all(load(tmp_path))
    cells = paired_cells(judged)["sync", "async"]
    by_goodput = decide(judged, ["ok_per_s"])
    expected = sequential_ratios([cell.differences("ok_per_s") for cell in cells])
    for decision, ratio in zip(by_goodput, expected, strict=True):
        assert ratio is not None
        assert (decision.low, decision.high) == (ratio.interval.low, ratio.interval.high)
        assert decision.decision == "worse"
        assert (decision.evidence or 0) > 2 / 0.05
    lines = answer.narrowing(tmp_path)
    assert "40 decides" in lines[0]
    # After two pairs there is evidence, and no interval yet.
    (few, _) = decide(judged, ["ok_per_s"], pairs=[1, 2])
    assert (few.low, few.reason) == (None, "too few pairs so far")
    assert few.evidence is not None


def test_by_p95_each_cell_has_a_spread_of_its_own(tmp_path: Path) -> None:
    judged = write_pair(tmp_path, levels=(10, 20))
    of_goodput, of_p95 = (
        {decision.pair_spread for decision in decide(judged, [figure])}
        for figure in ("ok_per_s", "p95_ms")
    )
    assert (len(of_goodput), len(of_p95)) == (1, 2)
