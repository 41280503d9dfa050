"""Which system is better for which load, and how certain that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

from testbed.analysis import objective
from testbed.analysis.capacities import capacities
from testbed.analysis.decisions import HEADLINE, Decision, decide
from testbed.analysis.grouping import grouped
from testbed.analysis.quantities import WORDS
from testbed.analysis.samples import load
from testbed.analysis.sections import ladder
from testbed.analysis.sections.disturbed import disturbance_words
from testbed.analysis.statistics.capacity import Capacity
from testbed.analysis.statistics.intervals import CONFIDENCE
from testbed.analysis.statistics.ratios import ALIKE
from testbed.analysis.tables import (
    DECIDED_NOTE,
    DECIDED_TEXT,
    FIGURE,
    MISSING,
    by_systems,
    decided_rows,
    effect,
    factor,
    markdown_table,
    percent,
    ratio_words,
    remarks,
)
from testbed.analysis.verdicts import Judged, judge_all
from testbed.model.errors import UserError
from testbed.model.loads import Mode, load_unit, load_words

MODES = {"closed": "Threads, in a closed loop", "open": "Arrivals per second, in an open loop"}

INVALID_SPELT = 4
"""Most invalid runs that are named; of more, the reasons are counted."""


def heading(judged: Judged) -> str:
    """Return the title and one line about what was measured."""
    cells = list(judged.recorded.by_cell())
    where = {(cell.workload, cell.mode, cell.level) for cell in cells}
    # A search has a cell for each amount of CPU of a system.
    searched = [one.demand["system"] for one in judged.results.runs if one.demand]
    systems = _listed(list(dict.fromkeys(searched)) or judged.results.systems)
    workloads = _listed(list(dict.fromkeys(cell.workload for cell in cells)))
    loads = [
        f"{words}: {', '.join(f'{level:g}' for level in levels)}."
        for mode, words in MODES.items()
        if (levels := sorted({cell.level for cell in cells if cell.mode == mode}))
    ]
    return (
        f"# Microservice patterns under load: {systems}\n\n"
        f"Results `{judged.results.path.resolve().name}`. Workloads: {workloads}. "
        f"{' '.join(loads)} "
        f"{len(judged.recorded.measurements)} runs of {len(where)} cells."
    )


def answer(judged: Judged, decisions: Sequence[Decision]) -> str:
    """Return the decisions: a table for each comparison and a sentence for each workload."""
    if judged.results.declared.get("demand"):
        return (
            f"This experiment searched for the least CPU that is enough; see below. {_used(judged)}"
        )
    if judged.results.declared.get("search"):
        return (
            "This experiment searched for the highest rate that meets the objective; see below. "
            + _used(judged)
        )
    if judged.results.declared.get("ladder"):
        return f"This experiment is a ladder; what each step is worth is below. {_used(judged)}"
    if not any(one.ratio is not None for one in decisions):
        return (
            "**Nothing is decided:** no load has runs of a system and its reference that may "
            f"decide. {_used(judged)}"
        )
    parts = ["\n".join(f"- {sentence}" for sentence in sentences(decisions))]
    for title, part in by_systems(decisions).items():
        table = markdown_table(decided_rows(part), DECIDED_TEXT)
        parts.append(f"**{title}.** {DECIDED_NOTE}.\n\n{table}")
        parts.append("\n".join(f"- {remark}" for remark in remarks(part)))
    return "\n\n".join(filter(None, parts))


def told(judged: Judged, decisions: Sequence[Decision]) -> dict[str, Any]:
    """Return what the terminal prints of a report; see `testbed.analysis.report.Written`."""
    doubtful = {run: str(one) for run, one in judged.verdicts.items() if one.status != "valid"}
    searched = bool(judged.results.declared.get("search"))
    own = _limits(judged) if searched else ladder.sentences(judged, decisions)
    return {
        "decisions": [] if own else [asdict(one) for one in decisions],
        "sentences": [
            *filter(None, [disturbance_words(judged.results)]),
            *(own or sentences(decisions)),
        ],
        "doubtful": {**doubtful, **judged.recorded.unreadable},
    }


def sentences(decisions: Sequence[Decision]) -> list[str]:
    """Return one sentence for each comparison and workload."""
    told = []
    for part in by_systems(decisions).values():
        known = [one for one in part if one.ratio is not None]
        for (workload, _), ones in grouped(known, lambda one: (one.workload, one.mode)).items():
            system, reference = ones[0].system, ones[0].reference
            clauses = [
                f"{WORDS[figure]} {_clause(decided, reference)}"
                for figure in HEADLINE
                if (decided := [one for one in ones if one.figure == figure])
            ]
            one_pair = all(one.pair_spread is None and one.pairs == 1 for one in ones)
            only = " One pair of starts: another may differ." if one_pair else ""
            told.append(f"{workload}: {system}'s {'; its '.join(clauses)}.{only}")
    return told


def how_sure(judged: Judged, decisions: Sequence[Decision]) -> str:
    """Return one paragraph about the data behind the decisions."""
    words = [_used(judged), _ending(judged.results.ending)]
    if decisions and judged.results.runs[0].recorded:
        pairs = sorted({one.pairs for one in decisions})
        words.append(
            f"Each cell has {_span([str(count) for count in pairs])} "
            f"pair{'' if pairs[-1] == 1 else 's'} of starts that decide."
        )
        spreads: dict[str, list[float]] = {}
        for one in decisions:
            if one.pair_spread is not None:
                spreads.setdefault(one.figure, []).append(one.pair_spread)
        if spreads:
            listed = _listed(
                [
                    f"{_span([f'{100 * sd:.1f}' for sd in sorted(some)])} % in {FIGURE[figure]}"
                    for figure, some in spreads.items()
                ]
            )
            words.append(
                "The ratio's spread, over pairs of starts or as its blocks imply, whichever is "
                f"larger, is {listed}."
            )
        words.append(_idle(judged))
    return " ".join(filter(None, words))


def narrowing(results: Path) -> list[str]:
    """Return the goodput ratio of each cell so far; empty before the first pair."""
    try:
        found = decide(judge_all(load(results)))
    except UserError:
        return []
    return [
        f"{one.workload} {one.load}: goodput of {one.system} ÷ {one.reference} {ratio_words(one)}"
        + ("" if one.low is not None else ", no interval yet")
        for one in found
        if one.figure == "ok_per_s" and one.ratio is not None
    ]


def crossovers(decisions: Sequence[Decision]) -> str:
    """Return the levels between which one system becomes better; empty if there are none."""
    lines = []
    certain = sorted((one for one in decisions if one.decision in ("better", "worse")), key=_curve)
    for (system, reference, workload, mode, figure), part in grouped(certain, _curve).items():
        for below, above in pairwise(part):
            if below.decision != above.decision:
                lines.append(
                    f"- {workload}: between {below.level:g} and {above.level:g} {load_unit(mode)} "
                    f"{system} becomes {above.decision} than {reference} by {WORDS[figure]}"
                )
    return "\n".join(lines)


def capacity(judged: Judged) -> str:
    """Return the highest level at which each system meets the objective; empty without one."""
    if (slo := objective.declared(judged.results)) is None:
        return ""
    rows = [
        {
            "system": f"`{one.study.workload}`, {one.system}",
            "capacity": MISSING if one.found is None else _level(one.found, one.study.mode),
            "the limit lies between": MISSING if one.found is None else _between(one.found),
            "runs": one.found.trials if one.found else 0,
            "invalid, left out": one.invalid,
        }
        for one in capacities(judged, slo)
    ]
    if not rows:
        return (
            f"Objective: {objective.words(slo)}. No capacity: the load of each run changes by plan."
        )
    return (
        f"Objective: {objective.words(slo)}. Capacity is the highest tried level that meets it "
        f"with a probability of at least a half. The limit lies between the given levels with "
        f"{100 * CONFIDENCE:g} % probability, if one run in ten misleads. An overloaded run does "
        "not meet the objective.\n\n"
        + markdown_table(rows, ("system", "capacity", "the limit lies between"))
    )


def _limits(judged: Judged) -> list[str]:
    """Return one sentence for the capacity of each system; none without an objective."""
    slo = objective.declared(judged.results)
    return [
        f"{one.study.workload}, {one.system}: capacity {_level(one.found, one.study.mode)}; the "
        f"limit lies between {_between(one.found)}."
        for one in (capacities(judged, slo) if slo else ())
        if one.found is not None
    ]


def _level(found: Capacity, mode: Mode) -> str:
    return "below the lowest" if found.level is None else f"{found.level:g} {load_unit(mode)}"


def _between(found: Capacity) -> str:
    low = "below the lowest tried" if found.low is None else f"{found.low:g}"
    high = "above the highest tried" if found.high is None else f"{found.high:g}"
    return f"{low} and {high}"


def _curve(one: Decision) -> tuple[str, str, str, str, str]:
    return one.system, one.reference, one.workload, one.mode, one.figure


def _clause(ones: Sequence[Decision], reference: str) -> str:
    """Return the decisions by one figure: ``is 16 % lower than the reference's at …``."""
    parts = []
    for kind, known in sorted(grouped(ones, _kind).items()):
        where = f"at {_loads(known)}"
        ratios_ = [one.ratio or 1.0 for one in known]
        if kind == 2:
            parts.append(f"alike within {100 * (ALIKE - 1):.0f} % {where}")
        elif kind == 3:
            effects = sorted(one.could_tell for one in known if one.could_tell is not None)
            told = f" ({_span([*map(effect, effects)])} would be found)" if effects else ""
            parts.append(f"not known {where}{told}")
        else:
            shown = ", ".join(ratio_words(one) for one in known)
            if factor(max(ratios_)) or factor(min(ratios_)):
                times = [factor(ratio) or f"{ratio:#.2g}" for ratio in sorted(ratios_)]
                amount = f"{_span(times)} times {reference}'s"
            else:
                changes = sorted(100 * abs(ratio - 1) for ratio in ratios_)
                amount = f"{_span([f'{change:.0f}' for change in changes])} % "
                amount += "higher" if kind == 0 else "lower"
                amount += f" than {reference}'s"
            parts.append(f"{amount} {where} ({shown})")
    return f"is {_listed(parts)}"


def _kind(one: Decision) -> int:
    """Return 0 where the figure is higher, 1 lower, 2 alike, 3 not known."""
    if one.decision in ("better", "worse"):
        return 0 if (one.ratio or 1) > 1 else 1
    return 2 if one.decision == "alike" else 3


def _loads(ones: Sequence[Decision]) -> str:
    if len(ones) == 1:
        return load_words(ones[0].mode, ones[0].level)
    return f"{_listed([f'{one.level:g}' for one in ones])} {load_unit(ones[0].mode)}"


def _span(words: Sequence[str]) -> str:
    """Return the first and the last word: ``16 to 18``."""
    return " to ".join(dict.fromkeys((words[0], words[-1])))


def _idle(judged: Judged) -> str:
    """Return the CPU use of systems that were up without load."""
    blocks = [block for one in judged.used.measurements for block in one.run.blocks]
    seconds = sum((block.wall_s or 0) * len(block.idle_cpu_s) for block in blocks)
    if not seconds:
        return "The compared systems were not up together: their starts followed one another."
    spent = sum(sum(block.idle_cpu_s.values()) for block in blocks)
    return (
        "The compared systems were up together; one that waited used "
        f"{percent(spent / seconds)} of a core."
    )


def _used(judged: Judged) -> str:
    """Return how many runs are used, and why the others are not."""
    states = Counter(verdict.status for verdict in judged.verdicts.values())
    total = len(judged.verdicts) + len(judged.recorded.unreadable)
    words = [f"{len(judged.used.measurements)} of {total} runs are used."]
    if states["invalid"]:
        words.append(f"**{states['invalid']} invalid** and left out: {_why(judged)}.")
    if states["disturbed"]:
        words.append(f"**{states['disturbed']} disturbed:** shown, and not deciding.")
    if states["still warming"]:
        words.append(f"**{states['still warming']} still warming:** shown, and not deciding.")
    if states["overloaded"]:
        words.append(f"{states['overloaded']} did not carry the load, and are used.")
    if states["stalled"]:
        words.append(f"{states['stalled']} stalled, and are used.")
    if judged.recorded.unreadable:
        words.append(f"{len(judged.recorded.unreadable)} cannot be read.")
    return " ".join(words)


def _ending(ended: Mapping[str, Any]) -> str:
    """Return why an experiment ended, from ``ending.json``; empty if that is missing."""
    if not ended:
        return ""
    after = f"after {ended['rounds']} round{'' if ended['rounds'] == 1 else 's'}"
    effects = ended.get("could_tell") or {}
    known = [(effect, cell) for cell, effect in effects.items() if effect is not None]
    unknown = [cell for cell, effect in effects.items() if effect is None]
    told = []
    if known:
        least, cell = max(known)
        told.append(f"a difference of {percent(least)} would be found, {cell}")
    if unknown:
        told.append(f"for {_listed(unknown)} it is not known")
    match ended.get("rule"):
        case "precise":
            return f"The experiment ended {after}, as precise as declared: {'; '.join(told)}."
        case "budget":
            return (
                f"**The experiment ended {after} because its budget was spent**, less precise than "
                f"declared: {'; '.join(told)}."
            )
        case _:
            return f"The experiment ended {after}, as declared."


def _why(judged: Judged) -> str:
    """Return why runs are invalid: for few runs each with its reasons, else counts of reasons."""
    invalid = [verdict for verdict in judged.verdicts.values() if verdict.status == "invalid"]
    if len(invalid) <= INVALID_SPELT:
        return "; ".join(f"`{one.run_id}`, {', '.join(one.reasons)}" for one in invalid)
    names = Counter(
        check.name for one in invalid for check in one.checks if check.outcome == "failed"
    )
    return (
        ", ".join(f"{name} ({count})" for name, count in names.most_common())
        + "; the table under *Which runs may be believed* has the figures of each"
    )


def _listed(words: Sequence[str]) -> str:
    """Join words with commas and a last "and"."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
