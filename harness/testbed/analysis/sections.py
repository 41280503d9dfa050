"""The report's words, as Markdown: what the measurements say, and under which conditions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from testbed.analysis import objective
from testbed.analysis.decisions import (
    DECIDING_RUNS,
    FIGURES,
    WORDS,
    Comparison,
    Winner,
    by_pair,
    capacities,
    crossing,
    run_figure,
    stretches,
    twin_ratios,
)
from testbed.analysis.decisions import twins as twin_systems
from testbed.analysis.results import UNSTATED, Results
from testbed.analysis.samples import Measurement
from testbed.analysis.statistics import (
    CONFIDENCE,
    Interval,
    batch_means,
    minimum_detectable_ratio,
    wilson,
)
from testbed.analysis.tables import (
    CELL,
    COST,
    COST_NOTE,
    MISSING,
    SPEED,
    SPEED_NOTE,
    Column,
    condition,
    conditions,
    level,
    markdown_table,
    number,
    percent,
    share,
    word,
)
from testbed.analysis.verdicts import Check, Judged
from testbed.experiment import Slo
from testbed.load import LATE_MS

MODES = {"closed": "Threads, in a closed loop", "open": "Arrivals per second, in an open loop"}

SLOW_TIMES, SLOW_MS = 5, 50
"""What is slow where a service was stopped: so many times the median, and so many ms."""

INVALID_SPELT = 4
"""Invalid runs that are named on top; of more, the reasons are counted."""

NOTHING = "There is no usable run."

SHORT = {"cpu_ms_per_ok": "CPU per ok"}
"""Words for the head of a narrow column."""

BATCH = 1000
"""Operations per batch, as in Akbulut and Perros (2019)."""

RATIOS_NOTE = (
    "The second system's figure divided by the first's, with the 95 % interval of the "
    "hierarchical bootstrap over runs; **bold** where it is decided, that is, the interval "
    f"excludes 1 and both sides have {DECIDING_RUNS} usable runs or more (percentiles must also "
    "differ by more than the clock's 1 ms). Each interval holds by itself, not all of them at "
    "once. Failure shares have Wilson's interval, in per cent."
)
VALIDITY_NOTE = (
    "An *invalid* run is shown here and used nowhere else. A run that is *not steady* spent more "
    "than half of itself warming up: it is used whole, because to leave such runs out would "
    "favour the system that settles. Of every other run the numbers are of the steady part that "
    "MSER-5 leaves; `summary-recorded.csv` beside this report has every run whole. The mean is "
    "that of the whole run's successful operations, with the interval of batch means of 1000 "
    "operations."
)
DISTURBANCE_NOTE = (
    "In these runs a service was stopped for a while. Slow is an operation that took over "
    f"{SLOW_TIMES} times the run's median, and over {SLOW_MS} ms. A closed loop counts about one "
    "per thread for each time that the service is away, because its users stop asking; an open "
    "loop counts everyone who came meanwhile. Counted from the actual start, the time that an "
    "arrival waited for a free user is missed."
)

ARRIVALS = (
    *CELL,
    Column("operations", number("operations")),
    Column("late", number("late")),
    Column("dropped", number("dropped")),
    Column("mean from the intended start, ms", number("mean_ms", 1)),
    Column("mean from the actual start, ms", number("service_mean_ms", 1)),
    Column("p95, ms", number("p95_ms")),
)
DISTURBED = (
    Column("run", word("run"), numeric=False),
    Column("stopped", word("what"), numeric=False),
    Column("operations", number("operations")),
    Column("slow", number("slow")),
    Column("slow from the actual start", number("hidden")),
    Column("failed", number("failed")),
    Column("late", number("late")),
)
TWINS = (
    Column("figure", word("figure"), numeric=False),
    Column("comparisons", word("compared")),
    Column("intervals without 1 [95 %]", word("false")),
    Column("decided, wrongly", word("decided")),
    Column("smallest ratio told, 3 / 10 runs", word("detectable")),
)
CAPACITY = (
    Column("system", word("what"), numeric=False),
    Column("capacity", word("level"), numeric=False),
    Column("the limit lies between", word("interval"), numeric=False),
    Column("runs", word("trials")),
)
MEMORY = (
    Column("system", word("system"), numeric=False),
    Column("workload", word("workload"), numeric=False),
    Column("level", level),
    Column("CPU ms per successful operation", number("server_cpu_ms_per_ok", 2)),
    Column("MB at the end", number("server_rss_mb")),
    Column("MB at the peak", number("server_peak_rss_mb")),
    Column("generator CPU ms per operation", number("generator_cpu_ms_per_operation", 2)),
    Column("generator cores", number("generator_cores", 2)),
)

PER_SAMPLE = (
    *CELL,
    Column("samples", number("samples")),
    Column("mean of samples, ms", number("sample_mean_ms", 2)),
    Column("failed samples", share("failed_sample_share")),
    Column("operations", number("operations")),
    Column("mean of operations, ms", number("mean_ms", 2)),
    Column("failed operations", share("failed_share")),
)

ENVIRONMENT = (
    Column("what", word("what"), numeric=False),
    Column("value", word("value"), numeric=False),
)

UNCHECKED = (
    "The sample files hold no check of an answer's body. Answers far smaller than usual are taken "
    "for partial ones, that is, for lists that lack a cinema; the file itself calls them successes."
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
    paragraphs = [_used(judged)]
    if not compared:
        paragraphs.append(
            "**Not decided:** no level has usable runs of two systems, so nothing can be compared."
        )
    for part in by_pair(compared).values():
        paragraphs += [f"### {_about(part[0])}", *_headline(part)]
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
                "failed": " / ".join(_share(failed) for failed in one.failed),
                "runs": f"{one.runs[0]} / {one.runs[1]}",
            }
            for one in part
        )
        columns = (
            Column("threads" if part[0].question.mode == "closed" else "arrivals/s", word("level")),
            *(Column(SHORT.get(figure, WORDS[figure]), word(figure)) for figure in FIGURES),
            Column(f"failed, {part[0].first} / {part[0].second}", word("failed")),
            Column("runs", word("runs")),
        )
        tables.append(f"**{_about(part[0])}**\n\n" + markdown_table(rows, columns))
    if not tables:
        return "There is nothing to compare."
    return "\n\n".join([RATIOS_NOTE, *tables])


def validity(judged: Judged) -> str:
    """Return the verdict of each run, with the figure of each check."""
    rows = []
    for one in judged.recorded.measurements:
        verdict = judged.verdicts[one.run.id]
        checks = {check.name: check for check in verdict.checks}
        rows.append(
            {
                "run": f"`{one.run.id}`",
                "status": verdict.status if verdict.status == "valid" else f"**{verdict.status}**",
                **{name: _marked(check) for name, check in checks.items()},
                "mean": _batched(one),
            }
        )
    if not rows:
        return "No run can be read."
    names = [check.name for check in next(iter(judged.verdicts.values())).checks]
    known = [name for name in names if any(row[name] != MISSING for row in rows)]
    unknown_ = [name for name in names if name not in known]
    columns = (
        Column("run", word("run"), numeric=False),
        Column("verdict", word("status"), numeric=False),
        *(Column(name, word(name), numeric=False) for name in known),
        Column("mean, ms", word("mean"), numeric=False),
    )
    limits = "; ".join(
        f"{check.name}: {check.limit}"
        for check in next(iter(judged.verdicts.values())).checks
        if check.name in known
    )
    parts = [f"{VALIDITY_NOTE} Limits: {limits}."]
    if unknown_:
        parts.append(f"Recorded in no run, so not checked: {', '.join(unknown_)}.")
    parts.append(markdown_table(rows, columns))
    if judged.recorded.unreadable:
        parts.append("Runs that could not be read, and are in no figure:")
        parts.append(
            "\n".join(f"- `{run}`: {why}" for run, why in judged.recorded.unreadable.items())
        )
    return "\n\n".join(parts)


def loops(judged: Judged, recorded: pl.DataFrame) -> str:
    """Return what became of the arrivals of open loops, and open against closed loops.

    ``recorded`` is the summary of all runs: it is the invalid ones that drop arrivals.
    """
    parts = []
    arrivals = recorded.filter(pl.col("mode") == "open")
    if arrivals.is_empty():
        parts.append(
            "All loops were closed: a thread starts its next operation when the last one has "
            "ended, so that a slow answer slows the load down too, and response times say less of "
            "what users who arrive on their own would wait."
        )
    else:
        parts += [
            f"A late arrival started over {LATE_MS} ms after its intended time; a dropped one never"
            " did. Response times count from the intended start; the mean from the actual start "
            "stands beside them. All recorded runs are counted, invalid ones too.",
            markdown_table(arrivals.iter_rows(named=True), ARRIVALS),
        ]
    disturbed = [one for one in judged.recorded.measurements if one.run.disturbance]
    if disturbed:
        parts += [
            DISTURBANCE_NOTE,
            markdown_table((_disturbed(one) for one in disturbed), DISTURBED),
        ]
    return "\n\n".join(parts)


def twins(judged: Judged) -> str:
    """Return what identical twins tell of this machine: false differences, smallest effect."""
    found = twin_ratios(judged)
    if not any(found.values()):
        return (
            "This experiment has no identical twins with two runs each. `./testbed run "
            "experiments/aa.yaml` measures how often this machine shows a difference where there "
            "is none."
        )
    rows = []
    for figure, known in found.items():
        if not known:
            continue
        told = [(one, interval) for one, interval in known if min(one.runs) >= DECIDING_RUNS]
        excluding = [not interval.contains(1) for _, interval in known]
        decided = [one.winner(figure) is not None for one, _ in told]
        share = wilson(sum(excluding), len(excluding))
        detectable = _detectable(judged, figure)
        rows.append(
            {
                "figure": WORDS[figure],
                "compared": f"{len(known)}",
                "false": f"{sum(excluding)}: {_share(share)}",
                "decided": f"{sum(decided)} of {len(decided)}" if decided else MISSING,
                "detectable": detectable,
            }
        )
    names = sorted({" and ".join((first, second)) for _, first, second in twin_systems(judged)})
    return (
        f"Identical but for their names: {', '.join(names)}. A sound 95 % interval holds 1 in 95 "
        f"of 100 such comparisons; that of three runs of each side is known to do so in 90. "
        f"Comparisons of different figures are of the same runs, so they do not add up. The "
        f"smallest ratio is what {DECIDING_RUNS} and 10 runs of each side would tell from 1 four "
        f"times in five, from how much runs of one cell differ here.\n\n"
        + markdown_table(rows, TWINS)
    )


def numbers(summary: pl.DataFrame) -> str:
    """Return the tables of speed, and of failures and cost."""
    tables = [
        f"**{_capital(words)}.** {note}.\n\n" + markdown_table(part.iter_rows(named=True), columns)
        for words, part in conditions(summary)
        for columns, note in ((SPEED, SPEED_NOTE), (COST, COST_NOTE))
    ]
    if summary.is_empty():
        return NOTHING
    unchecked = summary.filter((pl.col("preset") == UNSTATED) & (pl.col("partial") > 0))
    return "\n\n".join(tables if unchecked.is_empty() else [*tables, UNCHECKED])


def cost(summary: pl.DataFrame) -> str:
    """Return what an operation costs, the servers' infrastructure included."""
    if summary.is_empty():
        return NOTHING
    return "\n\n".join(
        f"**{_capital(words)}**\n\n" + markdown_table(part.iter_rows(named=True), MEMORY)
        for words, part in conditions(summary)
    )


def per_sample(summary: pl.DataFrame) -> str:
    """Return the figures per HTTP exchange, beside those per operation."""
    if summary.is_empty():
        return NOTHING
    return "\n\n".join(
        f"**{_capital(words)}**\n\n" + markdown_table(part.iter_rows(named=True), PER_SAMPLE)
        for words, part in conditions(summary)
    )


def environment(results: Results) -> str:
    """Return what the measurements were made with."""
    if not results.environment:
        return "Not recorded: loose sample files say nothing of their conditions."
    rows = ({"what": what, "value": value} for what, value in _flat(results.environment))
    return markdown_table(rows, ENVIRONMENT)


def reproduction(results: Results) -> str:
    """Return the commands that give these figures again, and the experiment as it was run."""
    report = (
        "The same report from the same sample files, which are never changed:\n\n"
        "```\n./testbed report RESULTS\n```"
    )
    if not results.declaration:
        return report
    return (
        f"{report}\n\nThe same measurement, with this experiment saved as a file:\n\n"
        f"```\n./testbed run EXPERIMENT.yaml\n```\n\n```\n{results.declaration.strip()}\n```"
    )


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
    if judged.recorded.unreadable:
        words.append(f"{len(judged.recorded.unreadable)} cannot be read.")
    return " ".join(words)


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


def _headline(part: Sequence[Comparison]) -> Iterator[str]:
    """Return in which load range which system wins, and where they cross."""
    first = part[0]
    names = {"first": first.first, "second": first.second}
    unit = "threads" if first.question.mode == "closed" else "arrivals/s"
    for figure in ("p95_ms", "ok_per_s"):
        words = []
        for stretch in stretches(part, figure):
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
            sure = "" if crossed.decided else ", so whether they cross is not decided"
            again = (
                f" The observed ratio crosses {crossed.crossings} times; this is the first."
                if crossed.crossings > 1
                else ""
            )
            line += (
                f" Crossover at about {crossed.level:.0f} {unit} "
                f"[{crossed.interval.low:.0f}, {crossed.interval.high:.0f}], in "
                f"{100 * crossed.likelihood:.0f} % of resampled curves{sure}.{again}"
            )
        yield line
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
    winner = one.winner(figure)
    if winner is None:
        return "**not decided**"
    return f"**decided: {one.first if winner == 'first' else one.second}**"


def _fails_more(one: Comparison, winner: Winner) -> bool:
    """Return whether the winner's share of failures is higher for certain."""
    first, second = one.failed
    return first.low > second.high if winner == "first" else second.low > first.high


def _capacity(judged: Judged, slo: Slo) -> str:
    """Return the highest level at which each system keeps the objective."""
    rows = []
    for question, system, found in capacities(judged, slo):
        unit = "threads" if question.mode == "closed" else "arrivals/s"
        low = f"{found.low:g}" if found.low is not None else "below the lowest tried"
        high = f"{found.high:g}" if found.high is not None else "above the highest tried"
        rows.append(
            {
                "what": f"`{question.workload}`, {system}",
                "level": (
                    f"{found.level:g} {unit}" if found.level is not None else "below the lowest"
                ),
                "interval": f"{low} to {high}",
                "trials": found.trials,
            }
        )
    return (
        f"Objective: {objective.words(slo)}. Capacity is the highest tried level at which it is "
        f"more likely than not kept, with the levels between which the limit lies with "
        f"{100 * CONFIDENCE:g} % probability, when one run in ten may speak against the truth.\n\n"
        + markdown_table(rows, CAPACITY)
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


def _share(interval: Interval) -> str:
    low, high = 100 * interval.low, 100 * interval.high
    return f"{percent(interval.estimate)} [{low:.2g}, {high:.2g}]"


def _marked(check: Check) -> str:
    if check.outcome == "not known":
        return MISSING
    return f"**✗ {check.figure}**" if check.outcome == "failed" else check.figure


def _batched(measurement: Measurement) -> str:
    """Return a run's mean response time with its batch means interval."""
    elapsed = measurement.operations.filter("ok")["elapsed_ms"].to_numpy()
    if not elapsed.size:
        return MISSING
    if elapsed.size < 2 * BATCH:
        return f"{elapsed.mean():.1f}"
    found = batch_means(elapsed, BATCH)
    return f"{found.estimate:.1f} [{found.low:.1f}, {found.high:.1f}]"


def _detectable(judged: Judged, figure: str) -> str:
    """Return the smallest ratio that few and many runs would tell."""
    cells = [
        known
        for runs in judged.used.by_cell().values()
        if len(known := [value for one in runs if (value := run_figure(one, figure))]) > 1
    ]
    if not cells:
        return MISSING
    return " / ".join(
        f"{minimum_detectable_ratio(cells, runs):.3f}" for runs in (DECIDING_RUNS, 10)
    )


def _disturbed(measurement: Measurement) -> dict[str, Any]:
    """Return what a run counted of a service that was stopped."""
    run, operations = measurement.run, measurement.operations
    what = run.disturbance or {}
    for_s = float(what.get("for_s") or 0)
    times = operations["elapsed_ms"].to_numpy()
    limit = max(SLOW_MS, SLOW_TIMES * float(np.median(times))) if times.size else SLOW_MS
    slow = int((times > limit).sum())
    hidden = int((operations["service_ms"] > limit).sum())
    return {
        "run": f"{run.cell.system}, {run.cell.workload}, {run.cell.mode}, {run.cell.load}",
        "what": f"{what.get('service')} for {for_s:g} s",
        "operations": operations.height,
        "slow": slow,
        "hidden": hidden,
        "failed": int((~operations["ok"]).sum()),
        "late": measurement.late if run.cell.mode == "open" else None,
    }


def _listed(words: Sequence[str]) -> str:
    """Return words with commas and a last "and"."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _capital(words: str) -> str:
    return words[0].upper() + words[1:]


def _flat(tree: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """Return the leaves of nested mappings with their paths; lists are one leaf."""
    for key, value in tree.items():
        path = f"{above}{key}"
        if isinstance(value, Mapping):
            yield from _flat(value, f"{path} / ")
        elif isinstance(value, list):
            yield path, " ".join(str(item) for item in value)
        else:
            yield path, str(value)
