"""Which system is better for which load, and how certain that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl

from testbed.analysis import objective
from testbed.analysis.answer import Answer, Measured, answer
from testbed.analysis.capacities import capacities
from testbed.analysis.decisions import Decision, decide
from testbed.analysis.grouping import grouped
from testbed.analysis.quantities import GOODPUT, QUANTITIES
from testbed.analysis.results import Results
from testbed.analysis.samples import load
from testbed.analysis.sections import demand, ladder
from testbed.analysis.statistics.capacity import Capacity
from testbed.analysis.statistics.intervals import CONFIDENCE
from testbed.analysis.statistics.ratios import ALPHA
from testbed.analysis.summary import tabulate
from testbed.analysis.tables import (
    DECIDED_NOTE,
    DECIDED_TEXT,
    MISSING,
    any_value,
    by_systems,
    decided_rows,
    markdown_table,
    percent,
    ratio_words,
    remarks,
)
from testbed.analysis.verdicts import DECIDING, Judged, judge_all
from testbed.model import systems
from testbed.model.errors import UserError
from testbed.model.loads import Mode, load_unit, load_words

MODES = {"closed": "Threads, in a closed loop", "open": "Arrivals per second, in an open loop"}

STILL_DECIDING = (
    ("overloaded", "the load was not carried"),
    ("stalled", "no operation ended for a while"),
    ("users pause", "their users pause"),
)
"""Statuses of runs that are not valid and decide, with the reason in words."""

SPELT = 4
"""Most runs that are named with what is wrong; of more invalid ones, the reasons are counted."""


def title(judged: Judged) -> str:
    """Return the title of the page: the systems."""
    # A search has a cell for each amount of CPU of a system.
    searched = [run.demand["system"] for run in judged.results.runs if run.demand]
    return f"# {listed(list(dict.fromkeys(searched)) or judged.results.systems)} under load"


def heading(judged: Judged) -> str:
    """Return one line about what was measured."""
    cells = list(judged.recorded.by_cell())
    where = {(cell.workload, cell.mode, cell.level) for cell in cells}
    workloads = listed(list(dict.fromkeys(cell.workload for cell in cells)))
    loads = [
        f"{words}: {', '.join(f'{level:g}' for level in levels)}."
        for mode, words in MODES.items()
        if (levels := sorted({cell.level for cell in cells if cell.mode == mode}))
    ]
    return (
        f"Results `{judged.results.path.resolve().name}`. Workloads: {workloads}. "
        f"{' '.join(loads)} "
        f"{len(judged.recorded.measurements)} runs of {len(where)} cells."
    )


def first(judged: Judged, decisions: Sequence[Decision], disturbed: str = "") -> Answer:
    """Return the answer in one line, with what to do next.

    ``disturbed`` is one sentence on what disturbed the measurement; empty if nothing did.
    """
    return answer(
        decisions,
        Measured(
            name=str(judged.results.declared.get("name") or ""),
            runs=Counter(verdict.status for verdict in judged.verdicts.values()),
            disturbed=disturbed,
            own=_own(judged, decisions),
            fastest=fastest(tabulate(judged.used)),
        ),
    )


def lead(answered: Answer) -> str:
    """Return the answer as the first paragraph of the page."""
    return "\n>\n".join(f"> {line}" for line in (f"**{answered.line}**", *answered.lines))


def decided(judged: Judged, decisions: Sequence[Decision]) -> str:
    """Return a table of the decisions for each comparison; empty if there are none to show."""
    return "" if _own(judged, decisions) else decided_table(decisions)


def decided_table(decisions: Sequence[Decision]) -> str:
    """Return a table of decisions for each comparison, and remarks on them."""
    parts = []
    noted = False
    for title, part in by_systems(decisions).items():
        parts.append(f"**{title}**")
        if any_value(part):
            parts.append(markdown_table(decided_rows(part), DECIDED_TEXT))
            noted = True
        parts.append("\n".join(f"- {remark}" for remark in remarks(part)))
    if noted:
        parts.append(f"{DECIDED_NOTE[0].upper()}{DECIDED_NOTE[1:]}.")
    return "\n\n".join(filter(None, parts))


def printed(judged: Judged, decisions: Sequence[Decision], answered: Answer) -> dict[str, Any]:
    """Return what the terminal prints of a report; see `testbed.analysis.report.Written`."""
    own = _own(judged, decisions)
    return {
        "answer": asdict(answered),
        "decisions": [] if own else [asdict(decision) for decision in decisions],
        "own": list(own),
        "used": used(judged).replace("**", "").replace("`", ""),
    }


def fastest(summary: pl.DataFrame) -> str:
    """Return the highest goodput of a summary in words; empty without one."""
    rows = summary.drop_nulls("ok_per_s").sort("ok_per_s", descending=True)
    if rows.is_empty():
        return ""
    row = rows.row(0, named=True)
    load, goodput = load_words(row["mode"], row["level"]), f"{row['ok_per_s']:,.3g}"
    if row["ok_per_s"] >= 100:
        goodput = f"{row['ok_per_s']:,.0f}"
    p95 = "" if row["p95_ms"] is None else f", 95 % of them within {row['p95_ms']:,.0f} ms"
    return f"{row['system']} serves {goodput} {systems.noun(row['workload'])}/s at {load}{p95}"


def _own(judged: Judged, decisions: Sequence[Decision]) -> Sequence[str]:
    """Return the sentences of an experiment that does not simply compare; else none."""
    declared = judged.results.declared
    if declared.get("demand"):
        return demand.sentences(judged) or ["The search for the least CPU has no result."]
    if declared.get("search"):
        return _limits(judged) or ["The search for the highest rate has no result."]
    if declared.get("ladder"):
        return ladder.sentences(judged, decisions)
    return ()


def how_sure(judged: Judged, decisions: Sequence[Decision]) -> str:
    """Return one paragraph about the data behind the decisions."""
    words = [
        used(judged),
        _ending(judged.results.ending),
        lowered_words(judged.results),
        _without_shares(judged.results),
    ]
    if decisions and judged.results.runs[0].recorded:
        pairs = sorted({decision.pairs for decision in decisions})
        words.append(
            f"Each cell has {_span([str(count) for count in pairs])} "
            f"pair{'' if pairs[-1] == 1 else 's'} of starts that decide."
        )
        ages = [decision.age_s for decision in decisions if decision.age_s is not None]
        if ages:
            minutes = [f"{age / 60:.0f}" for age in (min(ages), max(ages))]
            words.append(f"The systems were measured {_span(minutes)} minutes after their start.")
        spreads: dict[str, list[float]] = {}
        for decision in decisions:
            if decision.pair_spread is not None:
                spreads.setdefault(decision.figure, []).append(decision.pair_spread)
        if spreads:
            spread = listed(
                [
                    f"{_span([f'{100 * sd:.1f}' for sd in sorted(sds)])} % in "
                    f"{QUANTITIES[figure].label}"
                    for figure, sds in spreads.items()
                ]
            )
            words.append(
                "Between pairs of starts the ratio differs by a standard deviation of "
                f"{spread}; what its blocks imply counts where it is more."
            )
        words.append(_idle(judged))
    return " ".join(filter(None, words))


def narrowing(results: Path) -> list[str]:
    """Return the goodput ratio of each cell so far; empty before the first pair."""
    try:
        decisions = decide(judge_all(load(results)))
    except UserError:
        return []
    of_goodput = [decision for decision in decisions if decision.figure == GOODPUT.name]
    return [
        f"{decision.workload} {decision.load}: goodput of {decision.system} ÷ "
        f"{decision.reference} {ratio_words(decision)}"
        + ("" if decision.low is not None else ", no interval yet")
        + _evidence(decision, of_goodput)
        for decision in of_goodput
        if decision.ratio is not None
    ]


def _evidence(decision: Decision, family: Sequence[Decision]) -> str:
    """Return in words how much evidence there is, and how much certainly decides."""
    if decision.evidence is None:
        return ""
    cells = sum(
        (other.system, other.reference) == (decision.system, decision.reference) for other in family
    )
    return f"; evidence {decision.evidence:.3g}, {cells / ALPHA:.0f} decides"


def crossovers(decisions: Sequence[Decision]) -> str:
    """Return the levels between which one system becomes better; empty if there are none."""
    lines = []
    certain = sorted(
        (decision for decision in decisions if decision.decision in ("better", "worse")), key=_curve
    )
    for (system, reference, workload, mode, figure), part in grouped(certain, _curve).items():
        for below, above in pairwise(part):
            if below.decision != above.decision:
                lines.append(
                    f"- {workload}: between {below.level:g} and {above.level:g} {load_unit(mode)} "
                    f"{system} becomes {above.decision} than {reference} by "
                    f"{QUANTITIES[figure].words}"
                )
    return "\n".join(lines)


def capacity(judged: Judged) -> str:
    """Return the highest level at which each system meets the objective; empty without one."""
    if (slo := objective.declared(judged.results)) is None:
        return ""
    rows = [
        {
            "system": f"`{limit.study.workload}`, {limit.system}",
            "capacity": MISSING
            if limit.capacity is None
            else _level(limit.capacity, limit.study.mode),
            "the limit lies between": MISSING
            if limit.capacity is None
            else _between(limit.capacity),
            "runs": limit.capacity.trials if limit.capacity else 0,
            "invalid, left out": limit.invalid,
        }
        for limit in capacities(judged, slo)
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
        f"{limit.study.workload}, {limit.system}: capacity "
        f"{_level(limit.capacity, limit.study.mode)}; the limit lies between "
        f"{_between(limit.capacity)}."
        for limit in (capacities(judged, slo) if slo else ())
        if limit.capacity is not None
    ]


def _level(capacity: Capacity, mode: Mode) -> str:
    return "below the lowest" if capacity.level is None else f"{capacity.level:g} {load_unit(mode)}"


def _between(capacity: Capacity) -> str:
    low = "below the lowest tried" if capacity.low is None else f"{capacity.low:g}"
    high = "above the highest tried" if capacity.high is None else f"{capacity.high:g}"
    return f"{low} and {high}"


def _curve(decision: Decision) -> tuple[str, str, str, str, str]:
    return decision.system, decision.reference, decision.workload, decision.mode, decision.figure


def _span(words: Sequence[str]) -> str:
    """Return the first and the last word: ``16 to 18``."""
    return " to ".join(dict.fromkeys((words[0], words[-1])))


def _idle(judged: Judged) -> str:
    """Return the CPU use of systems that were up without load."""
    blocks = [block for measurement in judged.used.measurements for block in measurement.run.blocks]
    seconds = sum((block.wall_s or 0) * len(block.idle_cpu_s) for block in blocks)
    if not seconds:
        return "The compared systems were not up together: their starts followed one another."
    spent = sum(sum(block.idle_cpu_s.values()) for block in blocks)
    return (
        "The compared systems were up together; one that waited used "
        f"{percent(spent / seconds)} of a core."
    )


def used(judged: Judged) -> str:
    """Return how many runs decide, and why the others do not."""
    states = Counter(str(verdict.status) for verdict in judged.verdicts.values())
    words = count_words(states, len(judged.recorded.unreadable), _why(judged))
    reasons = [
        f"{reason if name in reason else f'{name}: {reason}'}".rstrip(".") + "."
        for name, reason in judged.recorded.unreadable.items()
    ]
    further = f"The report names {len(reasons) - SPELT} more." if len(reasons) > SPELT else ""
    return " ".join(filter(None, (words, *reasons[:SPELT], further)))


def count_words(states: Mapping[str, int], unreadable: int = 0, why: str = "") -> str:
    """Return how many runs decide by the status of each; ``why`` is about the invalid ones."""
    total = sum(states.values()) + unreadable
    deciding = sum(states.get(status, 0) for status in DECIDING)
    words = [f"{deciding} of {total} runs decide."]
    if count := states.get("invalid"):
        words.append(f"**{count} invalid** and left out{f': {why}' if why else ''}.")
    words += [
        f"**{count} {name}:** shown, but not deciding."
        for status, name in (("disturbed", "disturbed"), ("still warming", "still warming up"))
        if (count := states.get(status))
    ]
    words += [
        f"Deciding, though {why_not}: {count}."
        for status, why_not in STILL_DECIDING
        if (count := states.get(status))
    ]
    if unreadable:
        words.append(f"{unreadable} cannot be read.")
    return " ".join(words)


def _ending(ended: Mapping[str, Any]) -> str:
    """Return why an experiment ended, from ``ending.json``; empty if that is missing."""
    if not ended:
        return ""
    after = f"after {ended['rounds']} round{'' if ended['rounds'] == 1 else 's'}"
    reached = ended.get("reach") or {}
    open_cells = [(far, cell) for cell, far in reached.items() if far]
    unknown = [cell for cell, far in reached.items() if far is None]
    precision = []
    if open_cells:
        furthest, cell = max(open_cells)
        precision.append(f"the widest interval reaches {percent(furthest)} further, {cell}")
    if unknown:
        precision.append(f"there is none for {listed(unknown)}")
    shown = f": {'; '.join(precision)}" if precision else ""
    match ended.get("rule"):
        case "precise":
            return f"The experiment ended {after}, decided or as precise as declared{shown}."
        case "budget":
            return (
                f"**The experiment ended {after} because its budget was spent**, less precise than "
                f"declared{shown}."
            )
        case _:
            return f"The experiment ended {after}, as declared."


def lowered_words(results: Results) -> str:
    """Return what of the design memory did not allow; empty if all of it was measured."""
    lowered = results.environment.get("lowered") or {}
    return " ".join(
        f"**Measured in another design than declared**, for lack of memory: {key} "
        f"{values['measured']} instead of {values['declared']}."
        for key, values in lowered.items()
    )


def _without_shares(results: Results) -> str:
    """Return which workloads were not measured at each share that is declared as a rate."""
    rates = results.declared.get("rates") or ()
    if not (results.ending and any(isinstance(rate, str) for rate in rates)):
        return ""
    levels: dict[tuple[str, str], set[float]] = {}
    for run in results.runs:
        measured = levels.setdefault((run.cell.workload, run.cell.system), set())
        if run.cell.mode == "open":
            measured.add(run.cell.level)
    less = sorted({of for (of, _), measured in levels.items() if len(measured) < len(rates)})
    if not less:
        return ""
    return (
        f"**Not measured at each share**: {listed(less)}, as so little is served that nobody would "
        "arrive in a block."
    )


def _why(judged: Judged) -> str:
    """Return why runs are invalid: for few runs each with its reasons, else counts of reasons."""
    invalid = [verdict for verdict in judged.verdicts.values() if verdict.status == "invalid"]
    if len(invalid) <= SPELT:
        return "; ".join(f"`{run.run_id}`, {', '.join(run.reasons)}" for run in invalid)
    names = Counter(
        check.name for run in invalid for check in run.checks if check.outcome == "failed"
    )
    return (
        ", ".join(f"{name} ({count})" for name, count in names.most_common())
        + "; the table under *Which runs may be believed* has the figures of each"
    )


def listed(words: Sequence[str]) -> str:
    """Join words with commas and a last "and"."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
