"""The first line says what is decided, or why nothing is, and what to do next."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from testbed.analysis.answer import Answer, Measured, answer, strongest
from testbed.analysis.decisions import Decision, decide
from testbed.analysis.samples import load
from testbed.analysis.sections import answer as section
from testbed.analysis.verdicts import judge_all

from .synthetic import write_run


def decision(**fields: object) -> Decision:
    defaults: dict[str, object] = {
        "system": "async",
        "reference": "sync",
        "workload": "reserve",
        "mode": "closed",
        "level": 10.0,
        "figure": "ok_per_s",
        "ratio": 0.5,
        "low": 0.45,
        "high": 0.56,
        "decision": "worse",
        "could_tell": 1.3,
        "pairs": 2,
        "reason": "",
    }
    return Decision(**{**defaults, **fields})  # type: ignore[arg-type]


UNKNOWN = {"decision": "not known", "ratio": 1.2, "low": 0.6, "high": 2.4, "could_tell": 2.3}


def line_of(*decisions: Decision, **measured: object) -> str:
    return answer(decisions, Measured(**measured)).line  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        (
            {},
            "async serves half the reservations of sync at 10 threads "
            "(0.50, certain within 0.45 to 0.56).",
        ),
        (
            {"ratio": 1.3, "low": 1.2, "high": 1.4, "decision": "better", "workload": "list"},
            "async serves 30 % more lists than sync at 10 threads "
            "(1.30, certain within 1.20 to 1.40).",
        ),
        (
            {"ratio": 0.84, "low": 0.72, "high": 0.9996, "mode": "open"},
            "async serves 16 % fewer reservations than sync at 10 arrivals/s "
            "(0.84, certain within 0.72 to 0.99960).",
        ),
        (
            {"figure": "p95_ms", "ratio": 2.5, "low": 2.1, "high": 3.0},
            "Reservations of async take 2.5 times as long as those of sync at 10 threads, by the "
            "95th percentile (2.50, certain within 2.10 to 3.00).",
        ),
        (
            {"figure": "p95_ms", "ratio": 0.72, "low": 0.6, "high": 0.8, "decision": "better"},
            "Reservations of async take 28 % less time than those of sync at 10 threads, by the "
            "95th percentile (0.72, certain within 0.60 to 0.80).",
        ),
        (
            {"figure": "cpu_ms_per_ok", "ratio": 1.97, "low": 1.6, "high": 2.4, "level": 1.0},
            "async needs twice the CPU time of sync for reservations at 1 thread "
            "(1.97, certain within 1.60 to 2.40).",
        ),
        (
            {"ratio": 0.0034, "low": 0.002, "high": 0.006},
            "async serves 0.0034 times the reservations of sync at 10 threads "
            "(0.0034, certain within 0.002 to 0.006).",
        ),
        (
            {"ratio": 1.01, "low": 0.97, "high": 1.06, "decision": "alike", "workload": "swim"},
            "async serves as many swim operations as sync, within 10 %, at 10 threads "
            "(1.01, certain within 0.97 to 1.06).",
        ),
    ],
)
def test_a_decision_is_one_sentence(fields: Mapping[str, object], line: str) -> None:
    assert line_of(decision(**fields)) == line


def test_the_strongest_difference_in_goodput_comes_first_and_the_others_are_counted() -> None:
    weak = decision(workload="list", ratio=0.8, low=0.7, high=0.95)
    alike = decision(workload="list", level=100.0, ratio=1.0, low=0.96, high=1.04, decision="alike")
    cpu = decision(figure="cpu_ms_per_ok", ratio=4.0, low=3.0, high=5.0)
    unknown = decision(level=100.0, **UNKNOWN)
    answered = answer([weak, cpu, alike, decision(), unknown], Measured(name="compare"))
    assert answered.line.startswith("async serves half the reservations of sync at 10 threads")
    assert answered.more == "Of 4 other comparisons, 3 are decided: 2 worse, 1 alike."
    assert answered.next == "./testbed compare --until 10% to decide the others"
    assert strongest([unknown, cpu, alike]) is cpu
    assert strongest([unknown, alike]) is alike
    assert strongest([unknown]) is None


def test_of_several_systems_the_line_names_the_two_it_speaks_of() -> None:
    better = decision(system="both", ratio=3, low=2.5, high=3.5, decision="better")
    decisions = [decision(system="kept"), better]
    assert line_of(*decisions).startswith("both serves 3 times the reservations of sync")


def test_a_decision_on_one_pair_says_so_and_asks_for_more() -> None:
    answered = answer([decision(pairs=1)], Measured(name="quick"))
    assert answered.lines == (
        "This is one pair of starts; another pair may differ.",
        "Next: ./testbed compare, which measures two pairs of starts",
    )


@pytest.mark.parametrize(
    ("measured", "line", "following"),
    [
        (
            {"name": "compare"},
            "only a factor of 2.3 would have been seen with 2 pairs of starts.",
            "./testbed compare --until 25%",
        ),
        (
            {"name": "compare", "disturbed": "Other programs used 1.3 of 2 cores."},
            "only a factor of 2.3 would have been seen, as other programs used the machine.",
            "./testbed compare --until 25%",
        ),
        (
            {"name": "quick", "runs": {"valid": 6, "still warming": 2}},
            "only a factor of 2.3 would have been seen, as 2 of 8 runs were still warming up.",
            "./testbed compare, which measures two pairs of starts",
        ),
        (
            {"name": "compare-rate"},
            "only a factor of 2.3 would have been seen with 2 pairs of starts.",
            "the same with --pairs 4 to decide the others",
        ),
        (
            {"name": "quick-rate"},
            "only a factor of 2.3 would have been seen with 2 pairs of starts.",
            "the same without --quick, which measures two pairs of starts",
        ),
        # What kept most runs, though a few blocks were disturbed.
        (
            {
                "name": "compare",
                "runs": {"valid": 3, "still warming": 5},
                "disturbed": "Other programs used 1.3 of 2 cores.",
            },
            "only a factor of 2.3 would have been seen, as 5 of 8 runs were still warming up.",
            "./testbed compare --until 25%",
        ),
        (
            {"name": "mine", "runs": {"valid": 7, "invalid": 1}},
            "only a factor of 2.3 would have been seen, as 1 of 8 runs was invalid.",
            "raise `repetitions` of experiment mine",
        ),
    ],
)
def test_nothing_decided_says_why_and_what_to_do(
    measured: Mapping[str, object], line: str, following: str
) -> None:
    decisions = [decision(**UNKNOWN), decision(figure="p95_ms", **{**UNKNOWN, "could_tell": 1.5})]
    answered = answer(decisions, Measured(**measured))  # type: ignore[arg-type]
    assert answered.line == f"No difference could be shown: {line}"
    assert answered.next == following
    assert answered.disturbed == measured.get("disturbed", "")


def test_no_ratio_at_all_says_that_no_pair_counts() -> None:
    nothing = decision(
        **{**UNKNOWN, "ratio": None, "low": None, "high": None, "could_tell": None, "pairs": 0}
    )
    runs = {"still warming": 8}
    assert line_of(nothing, runs=runs) == (
        "No difference could be shown: no pair of runs counts, as 8 of 8 runs were still warming "
        "up."
    )


def test_a_single_block_of_each_cannot_tell() -> None:
    unknown = decision(**{**UNKNOWN, "low": None, "high": None, "could_tell": None})
    assert line_of(unknown) == (
        "No difference could be shown: one run of each system does not tell how much runs differ."
    )


def test_one_system_says_what_it_serves(tmp_path: Path) -> None:
    write_run(tmp_path)
    judged = judge_all(load(tmp_path))
    answered = section.first(judged, decide(judged))
    assert answered.line.startswith("sync serves ")
    assert " lists/s at 10 threads, 95 % of them within " in answered.line
    assert answered.line.endswith(". There is nothing to compare it with.")
    assert answered.next == "./testbed compare"
    for file in tmp_path.glob("runs/*/run.json"):
        file.write_text(json.dumps({**json.loads(file.read_text()), "complete_before": "504"}))
    assert section.first(judge_all(load(tmp_path)), []).line.startswith("No run counts.")


def test_what_disturbed_the_machine_has_a_line_of_its_own() -> None:
    answered = Answer("Answer.", "", "Other programs used 1.3 of 2 cores.", "close them")
    assert answered.lines == ("Other programs used 1.3 of 2 cores.", "Next: close them")
    assert section.lead(answered) == (
        "> **Answer.**\n>\n> Other programs used 1.3 of 2 cores.\n>\n> Next: close them"
    )
