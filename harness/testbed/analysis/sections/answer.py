"""What was measured, which system served which load better, and how sure that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from testbed.analysis import objective
from testbed.analysis.capacities import capacities
from testbed.analysis.crossover import crossing
from testbed.analysis.decisions import (
    DECIDING_RUNS,
    FAILS_APART,
    Comparison,
    Gap,
    Winner,
    by_pair,
    gaps,
    stretches,
)
from testbed.analysis.quantities import FIGURES, QUANTILES, WORDS
from testbed.analysis.results import load_unit
from testbed.analysis.statistics.intervals import CONFIDENCE
from testbed.analysis.tables import (
    MISSING,
    Column,
    condition,
    markdown_table,
    percent,
    share_with_interval,
    word,
)
from testbed.analysis.verdicts import Judged
from testbed.experiment_parts import Slo

MODES = {"closed": "Threads, in a closed loop", "open": "Arrivals per second, in an open loop"}

INVALID_SPELT = 4
"""Invalid runs that are named on top; of more, the reasons are counted."""

SHORT = {"cpu_ms_per_ok": "CPU per ok"}
"""Words for the head of a narrow column."""

RATIOS_NOTE = (
    "The second system's figure divided by the first's, with its 95 % interval over runs, the "
    "wider of the hierarchical bootstrap's and of Welch's; **bold** where it is decided, "
    f"that is, the interval excludes 1 and both sides have {DECIDING_RUNS} usable runs or more "
    "(percentiles must also differ by more than the clock's 1 ms, and by response times no system "
    f"wins whose failed share is over {100 * FAILS_APART:g} percentage point higher). Each "
    "interval holds by itself, not all of them at once. Failure shares, in per cent, have the "
    "wider of Wilson's interval over operations and Student's over runs."
)
CAPACITY = (
    Column("system", word("what"), numeric=False),
    Column("capacity", word("level"), numeric=False),
    Column("the limit lies between", word("interval"), numeric=False),
    Column("runs", word("trials")),
    Column("invalid, left out", word("invalid")),
)


def heading(judged: Judged) -> str:
    """Return the title, and in one line what was measured."""
    cells = list(judged.recorded.by_cell())
    systems = _listed(judged.results.systems)
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
        f"{len(judged.recorded.measurements)} runs of {len(cells)} cells."
    )


def answer(judged: Judged, compared: Sequence[Comparison]) -> str:
    """Return which system served which load better, and how sure that is."""
    paragraphs = [" ".join(filter(None, [_used(judged), _ending(judged.results.ending)]))]
    if not compared:
        paragraphs.append(
            "**Not decided:** no level has usable runs of two systems, so nothing can be compared."
        )
    for part in by_pair(compared).values():
        paragraphs += [f"### {_about(part[0])}", *_headline(part, gaps(judged, part))]
        paragraphs.append("\n".join(f"- {_sentence(one)}" for one in part))
    slo = objective.declared(judged.results)
    if slo is not None:
        paragraphs += ["### Capacity", _capacity(judged, slo)]
    return "\n\n".join(paragraphs)


def ratios(compared: Sequence[Comparison]) -> str:
    """Return every ratio with its interval, runs and failure shares."""
    tables = []
    for part in by_pair(compared).values():
        rows = (
            {
                "level": f"{one.level:g}",
                **{figure: _ratio(one, figure) for figure in FIGURES},
                "failed": " / ".join(share_with_interval(failed) for failed in one.failed),
                "runs": f"{one.runs[0]} / {one.runs[1]}",
            }
            for one in part
        )
        columns = (
            Column(load_unit(part[0].question.mode), word("level")),
            *(Column(SHORT.get(figure, WORDS[figure]), word(figure)) for figure in FIGURES),
            Column(f"failed, {part[0].first} / {part[0].second}", word("failed")),
            Column("runs", word("runs")),
        )
        tables.append(f"**{_about(part[0])}**\n\n" + markdown_table(rows, columns))
    if not tables:
        return "There is nothing to compare."
    return "\n\n".join([RATIOS_NOTE, *tables])


def _used(judged: Judged) -> str:
    """Return how many runs are used, and why the others are not."""
    states = Counter(verdict.status for verdict in judged.verdicts.values())
    total = len(judged.verdicts) + len(judged.recorded.unreadable)
    words = [f"{len(judged.used.measurements)} of {total} runs are used."]
    if states["invalid"]:
        words.append(f"**{states['invalid']} invalid** and left out: {_why(judged)}.")
    if states["not steady"]:
        words.append(
            f"{states['not steady']} never settled (*not steady*): used whole, and marked below."
        )
    if states["overloaded"]:
        words.append(
            f"{states['overloaded']} did not carry the load (*overloaded*): used whole, and marked "
            "below."
        )
    if judged.recorded.unreadable:
        words.append(f"{len(judged.recorded.unreadable)} cannot be read.")
    return " ".join(words)


def _ending(ended: Mapping[str, Any]) -> str:
    """Return why an experiment ended, from its ``ending.json``; nothing where that is missing."""
    if not ended:
        return ""
    after = f"after {ended['rounds']} round{'' if ended['rounds'] == 1 else 's'}"
    widths = ended.get("widths") or {}
    known = [(width, cell) for cell, width in widths.items() if width is not None]
    unknown = [cell for cell, width in widths.items() if width is None]
    told = []
    if known:
        width, cell = max(known)
        told.append(f"the widest interval is ±{percent(width)}, {cell}")
    if unknown:
        told.append(f"none is known of {_listed(unknown)}")
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
    """Return why runs are invalid: each run with its reasons, or of many how often which."""
    invalid = [verdict for verdict in judged.verdicts.values() if verdict.status == "invalid"]
    if len(invalid) <= INVALID_SPELT:
        return "; ".join(f"`{one.run_id}`, {', '.join(one.reasons)}" for one in invalid)
    names = Counter(
        check.name for one in invalid for check in one.checks if check.outcome == "failed"
    )
    return (
        ", ".join(f"{name} ({count})" for name, count in names.most_common())
        + "; [each with its figures](#Which-runs-may-be-believed)"
    )


def _about(one: Comparison) -> str:
    question = one.question
    words = (
        condition(question.preset, question.backends)
        if question.preset
        else (f"{question.backends} backends")
    )
    loop = "" if question.mode == "closed" else ", open loop"
    return f"`{question.workload}`: {one.second} against {one.first} ({words}{loop})"


def _headline(part: Sequence[Comparison], gaps: Sequence[Gap]) -> Iterator[str]:
    """Return in which load range which system wins, and where they cross."""
    first = part[0]
    names = {"first": first.first, "second": first.second}
    unit = load_unit(first.question.mode)
    for figure in ("p95_ms", "ok_per_s"):
        words = []
        for stretch in stretches(part, figure, gaps):
            levels = (
                f"{stretch.low:g}"
                if stretch.low == stretch.high
                else f"{stretch.low:g} to {stretch.high:g}"
            )
            winner = names[stretch.winner] if stretch.winner else None
            words.append(
                f"{levels} {unit}: **{winner}**" if winner else f"{levels} {unit}: not decided"
            )
        line = f"Better {WORDS[figure]}, by load: {'; '.join(words)}."
        crossed = crossing(part, figure)
        if crossed is not None:
            again = (
                f", the first of {crossed.crossings} crossovers" if crossed.crossings > 1 else ""
            )
            line += (
                f" Crossover at about {crossed.level:.0f} {unit} "
                f"[{crossed.interval.low:.0f}, {crossed.interval.high:.0f}]{again}."
            )
        if figure in QUANTILES:
            line += _of_successes(part)
        yield line
    if gaps:
        yield f"Not compared: {'; '.join(_gaps(gaps, unit))}."
    runs = [count for one in part for count in one.runs]
    if max(runs) == 1:
        yield (
            "**Not decided.** Each cell has one usable run, and one run per cell gives no interval:"
            " it cannot tell the effect of the pattern from what differs between any two runs. "
            "The ratios below are what was seen, not a finding."
        )
    elif min(runs) < DECIDING_RUNS:
        yield (
            f"A level is decided only with {DECIDING_RUNS} usable runs of each system or more; "
            f"fewer give an interval at best."
        )


def _sentence(one: Comparison) -> str:
    """Return one level's answer."""
    winner = one.winner("p95_ms")
    names = {"first": one.first, "second": one.second}
    ratio = one.ratios["p95_ms"]
    runs = (
        f"{one.runs[0]} + {one.runs[1]} runs"
        if one.runs[0] != one.runs[1]
        else f"{one.runs[0]} " + ("run" if one.runs[0] == 1 else "runs") + " each"
    )
    decided = f"p95 {_decision(one, 'p95_ms')}, goodput {_decision(one, 'ok_per_s')}"
    if winner and _fails_more(one, winner):
        decided += f"; on p95 by response time alone: {names[winner]} also fails more often"
    marked = f", {one.not_steady} not steady" if one.not_steady else ""
    marked += f", {one.overloaded} overloaded" if one.overloaded else ""
    failures = ", ".join(
        f"{name} {percent(failed.estimate)}"
        for name, failed in zip((one.first, one.second), one.failed, strict=True)
    )
    if ratio.observed is None:
        return (
            f"For `{one.question.workload}`, at {one.load}, there is no p95 to compare; "
            f"failed: {failures}; {runs}{marked}; **not decided**."
        )
    return (
        f"For `{one.question.workload}`, at {one.load}, {one.second}'s p95 is "
        f"{_ratio(one, 'p95_ms')} × {one.first}'s, its goodput {_ratio(one, 'ok_per_s')} ×; "
        f"failed: {failures}; {runs}{marked}; {decided}."
    )


def _decision(one: Comparison, figure: str) -> str:
    names = {"first": one.first, "second": one.second}
    winner, failing = one.winner(figure), one.fast_but_failing(figure)
    if failing is not None:
        return f"**not decided**, as {names[failing]} is faster but fails more"
    return "**not decided**" if winner is None else f"**decided: {names[winner]}**"


def _of_successes(part: Sequence[Comparison]) -> str:
    """Return of how many operations the response times say nothing, where that matters."""
    worst = max(
        (
            (failed.estimate, f"{name}, at {one.load}")
            for one in part
            if one.failures_matter
            for name, failed in zip((one.first, one.second), one.failed, strict=True)
        ),
        default=None,
    )
    if worst is None:
        return ""
    return f" Times are of successes only, and up to {percent(worst[0])} failed ({worst[1]})."


def _gaps(gaps: Sequence[Gap], unit: str) -> Iterator[str]:
    """Return at which levels nothing was compared, by reason."""
    for why in dict.fromkeys(gap.why for gap in gaps):
        levels = _listed([f"{gap.level:g}" for gap in gaps if gap.why == why])
        yield f"at {levels} {unit}, {why}"


def _fails_more(one: Comparison, winner: Winner) -> bool:
    """Return whether the winner's share of failures is higher for certain."""
    if min(one.runs) < DECIDING_RUNS:
        return False
    first, second = one.failed
    return first.low > second.high if winner == "first" else second.low > first.high


def _capacity(judged: Judged, slo: Slo) -> str:
    """Return the highest level at which each system keeps the objective."""
    rows = []
    for one in capacities(judged, slo):
        what = {"what": f"`{one.question.workload}`, {one.system}", "invalid": one.invalid}
        found = one.found
        if found is None:
            rows.append({**what, "level": MISSING, "interval": MISSING, "trials": 0})
            continue
        unit = load_unit(one.question.mode)
        low = f"{found.low:g}" if found.low is not None else "below the lowest tried"
        high = f"{found.high:g}" if found.high is not None else "above the highest tried"
        rows.append(
            {
                **what,
                "level": (
                    f"{found.level:g} {unit}" if found.level is not None else "below the lowest"
                ),
                "interval": f"{low} to {high}",
                "trials": found.trials,
            }
        )
    if not rows:
        return (
            f"Objective: {objective.words(slo)}. No capacity: the load of each run changes by plan."
        )
    return (
        f"Objective: {objective.words(slo)}. Capacity is the highest tried level at which it is "
        f"more likely than not kept, with the levels between which the limit lies with "
        f"{100 * CONFIDENCE:g} % probability, when one run in ten may speak against the truth. "
        "An overloaded run did not keep it.\n\n" + markdown_table(rows, CAPACITY)
    )


def _ratio(one: Comparison, figure: str) -> str:
    """Return a ratio with its interval, bold where it is decided."""
    ratio = one.ratios[figure]
    if ratio.observed is None:
        return MISSING
    interval = ratio.interval
    words = f"{ratio.observed:.2f}"
    if interval is not None:
        words += f" [{interval.low:.2f},\N{NO-BREAK SPACE}{interval.high:.2f}]"
    return f"**{words}**" if one.winner(figure) else words


def _listed(words: Sequence[str]) -> str:
    """Return words with commas and a last "and"."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
