"""The seeds' claims as hypotheses, held against results and against the published data.

Every claim is data (``analysis/claims.yaml``): what it says, where, and which values it allows.
Here are the few ways in which a claim of a kind is turned into a figure with an interval. Per
sample is the thesis's count: every HTTP exchange of a whole run, failed ones included. Per
operation is what a user waits: successful operations of the steady part, and its share of failed
ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt
import yaml
from scipy import stats

from testbed.analysis.decisions import DECIDING_RUNS
from testbed.analysis.samples import Measurement
from testbed.analysis.statistics import (
    CONFIDENCE,
    Interval,
    efficiency,
    linear_trend,
    ratio_intervals,
    wilson,
)
from testbed.analysis.tables import MISSING, Column, markdown_table, word
from testbed.analysis.verdicts import Judged
from testbed.errors import UserError, unknown

Floats = npt.NDArray[np.float64]
Count = Literal["sample", "operation"]
Outcome = Literal["replicated", "not replicated", "not decidable here"]

CLAIMS = Path(__file__).resolve().parents[3] / "analysis" / "claims.yaml"
PRESET = "thesis"
"""Preferred: it is configured as the thesis describes it."""

WORST = "worst"
LEVELS_FOR_INTERVAL = 4
"""Fisher's interval of a correlation needs so many points."""


@dataclass(frozen=True)
class Claim:
    """One quantitative statement.

    Parameters
    ----------
    id, source, says
        What it is called, where it stands, and what it says.
    kind
        One of those that ``claims.yaml`` explains.
    fields
        What the kind needs.
    accept
        Lowest and highest value that the statement allows; None for kinds without.
    known
        What is known of the cause of a disagreement.
    """

    id: str
    source: str
    says: str
    kind: str
    fields: Mapping[str, Any]
    accept: tuple[float, float] | None
    known: str = ""


@dataclass(frozen=True)
class Found:
    """What was found of a claim.

    Parameters
    ----------
    estimate
        None where nothing was.
    interval
        None where it cannot be told how sure the estimate is.
    runs
        Fewest runs of a cell behind it; None where there are no runs but published figures.
    unit
        How the figure is written.
    note
        What else is to be said, such as what is missing.
    verdict
        Where the kind decides by itself.
    """

    estimate: float | None
    interval: Interval | None = None
    runs: int | None = None
    unit: str = ""
    note: str = ""
    verdict: Outcome | None = None


@dataclass(frozen=True)
class Cells:
    """The runs of one variant and workload by level, as one count sees them.

    Parameters
    ----------
    times
        By level, one array of response times per run, ms.
    failed
        By level, failed and all of each run.
    """

    times: Mapping[float, Sequence[Floats]]
    failed: Mapping[float, Sequence[tuple[int, int]]]


class Source(Protocol):
    """Where figures come from."""

    def cells(self, variant: str, workload: str, count: Count) -> Cells | None:
        """Return the runs of a variant under a workload; None where there are none."""


@cache
def read_claims(file: Path = CLAIMS) -> tuple[Claim, ...]:
    """Return the claims.

    Raises
    ------
    UserError
        If the file is no such list, or a claim is of no known kind.
    """
    claims = []
    for fields in _document(file)["claims"]:
        if fields["kind"] not in KINDS:
            raise unknown(f"kind of claim {fields['id']}", fields["kind"], KINDS)
        accept = fields.get("accept")
        claims.append(
            Claim(
                id=fields["id"],
                source=fields["source"],
                says=fields["says"],
                kind=fields["kind"],
                fields=fields,
                accept=(float(accept[0]), float(accept[1])) if accept else None,
                known=fields.get("known", ""),
            )
        )
    return tuple(claims)


def examine(claim: Claim, judged: Judged, count: Count) -> Found:
    """Hold one claim against results."""
    return KINDS[claim.kind](claim, _Results(judged), count)


def verdict(claim: Claim, found: Found) -> Outcome:
    """Return what results say of a claim: the whole interval must lie on one side of its border."""
    if found.runs is not None and found.runs < DECIDING_RUNS and claim.kind != "correlation":
        return "not decidable here"
    return leaning(claim, found)


def leaning(claim: Claim, found: Found) -> Outcome:
    """Return what the figures alone point to, however few runs they are of."""
    if found.verdict is not None:
        return found.verdict
    if found.estimate is None or claim.accept is None:
        return "not decidable here"
    interval = found.interval or Interval(found.estimate, found.estimate, found.estimate)
    low, high = claim.accept
    if low <= interval.low and interval.high <= high:
        return "replicated"
    if interval.high < low or interval.low > high:
        return "not replicated"
    return "not decidable here"


def replication(judged: Judged) -> str:
    """Return the table of claims against results, in Markdown."""
    source = _Results(judged)
    cells = {
        (variant, workload): source.chosen(variant, workload)
        for variant in ("sync", "async")
        for workload in ("list", "reserve")
    }
    if not any(cells.values()):
        return (
            "No cell of the claims (sync and async, list and reserve, closed loop) has usable runs."
        )
    rows = []
    for claim in read_claims():
        founds = {count: KINDS[claim.kind](claim, source, count) for count in COUNTS}
        if claim.kind == "none":
            founds = {"sample": founds["sample"]}
        row = {"claim": claim.says, "source": claim.source, "known": claim.known.strip() or MISSING}
        for count in COUNTS:
            found = founds.get(count)
            row[count] = _words(claim, found) if found is not None else MISSING
        rows.append(row)
    used = "; ".join(sorted({words for words in cells.values() if words is not None}))
    return (
        f"Cells used: {used}. Fewer than {DECIDING_RUNS} usable runs of a cell decide nothing; "
        f"what they point to is in brackets. Absolute times depend on the machine.\n\n"
        + markdown_table(rows, REPLICATION)
    )


def consistency() -> str:
    """Return where the published figures contradict one another, in Markdown."""
    document = _document(CLAIMS)
    source = _Published(document["published"]["cells"])
    rows, missing = [], 0
    for claim in read_claims():
        if claim.id.startswith("samples-") or claim.kind in ("none", "efficiency"):
            continue
        found = KINDS[claim.kind](claim, source, "sample")
        if found.estimate is None:
            missing += 1
            continue
        agrees = leaning(claim, _exactly(found)) == "replicated"
        rows.append(
            {
                "claim": claim.says,
                "source": claim.source,
                "figure": _figure(found.estimate, found.unit),
                "agrees": "agrees" if agrees else "**disagrees**",
                "known": claim.known.strip() if not agrees else "",
            }
        )
    published = document["efficiency_published"]
    for check in published["checks"]:
        one = float(published["one_thread"][check["figure"]])
        percent = float(efficiency([1, check["threads"]], [one, check["response_ms"]])[1])
        low, high = check["accept"]
        agrees = low <= percent <= high
        rows.append(
            {
                "claim": f"{check['threads']} threads, {check['figure']}: {check['says']}",
                "source": published["source"],
                "figure": f"E_i = {percent:.1f} % from {check['response_ms']:g} ms",
                "agrees": "agrees" if agrees else "**disagrees**",
                "known": ""
                if agrees
                else "The published percentile and the published band "
                "exclude one another; which of the two is wrong is not known.",
            }
        )
    disagreeing = sum(row["agrees"] != "agrees" for row in rows)
    return (
        f"The data: {document['published']['source']}; for seed 2, the article's own figures. "
        f"**{disagreeing} of {len(rows)} statements disagree** with them; {missing} more need the "
        f"spread of single samples, which was not published for the cells they are about.\n\n"
        + markdown_table(rows, CONSISTENCY)
    )


class _Results:
    """Results as a source: of the variants' cells those of the thesis's preset, else the first."""

    def __init__(self, judged: Judged) -> None:
        self._judged = judged

    def cells(self, variant: str, workload: str, count: Count) -> Cells | None:
        times: dict[float, list[Floats]] = {}
        failed: dict[float, list[tuple[int, int]]] = {}
        for one in self._runs(variant, workload):
            rows = (one.whole or one).samples if count == "sample" else one.operations
            counted = rows if count == "sample" else rows.filter("ok")
            level = one.run.cell.level
            elapsed = counted["elapsed_ms"].to_numpy().astype(float)
            times.setdefault(level, []).append(elapsed)
            failed.setdefault(level, []).append((int((~rows["ok"]).sum()), rows.height))
        return Cells(times, failed) if times else None

    def chosen(self, variant: str, workload: str) -> str | None:
        """Return in words which cells stand for a variant."""
        runs = self._runs(variant, workload)
        if not runs:
            return None
        cell = runs[0].run.cell
        return f"system {cell.system} (preset {cell.preset}, {cell.backends} backends)"

    def _runs(self, variant: str, workload: str) -> list[Measurement]:
        every = [
            one
            for one in self._judged.used.measurements
            if (one.run.cell.variant, one.run.cell.workload, one.run.cell.mode)
            == (variant, workload, "closed")
        ]
        preferred = [one for one in every if one.run.cell.preset == PRESET] or every
        if not preferred:
            return []
        order = self._judged.results.systems
        system = min((one.run.cell.system for one in preferred), key=order.index)
        chosen = [one for one in preferred if one.run.cell.system == system]
        # One preset and one set of backends: cells of others are other cells.
        first = chosen[0].run.cell
        return [
            one
            for one in chosen
            if (one.run.cell.preset, one.run.cell.backends) == (first.preset, first.backends)
        ]


class _Published:
    """The thesis's published means and shares as a source: one figure per cell, per sample."""

    def __init__(self, rows: Sequence[Sequence[Any]]) -> None:
        self._rows = rows

    def cells(self, variant: str, workload: str, count: Count) -> Cells | None:
        known = [row for row in self._rows if (row[0], row[1]) == (variant, workload)]
        if count != "sample" or not known:
            return None
        return Cells(
            {float(row[2]): [np.array([float(row[3])])] for row in known},
            {float(row[2]): [(round(1_000_000 * row[4]), 1_000_000)] for row in known},
        )


def _mean(claim: Claim, source: Source, count: Count) -> Found:
    cell = claim.fields["cell"]
    runs = _times(source, cell, count)
    if runs is None:
        return Found(None, note=_missing(cell))
    estimate = float(np.concatenate(runs).mean())
    return Found(estimate, _over_runs([float(run.mean()) for run in runs]), len(runs), "ms")


def _failed(claim: Claim, source: Source, count: Count) -> Found:
    cell = claim.fields["cell"]
    cells = source.cells(cell["variant"], cell["workload"], count)
    levels = list(cells.failed) if cells else []
    if cell["level"] != WORST:
        levels = [level for level in levels if level == float(cell["level"])]
    if cells is None or not levels:
        return Found(None, note=_missing(cell))
    shares = {level: _share(cells.failed[level]) for level in levels}
    worst = max(shares, key=lambda level: shares[level].estimate)
    note = f"at {worst:g} threads, the worst of {len(levels)}" if cell["level"] == WORST else ""
    share = shares[worst]
    return Found(share.estimate, share, min(len(cells.failed[one]) for one in levels), "%", note)


def _ratio(claim: Claim, source: Source, count: Count) -> Found:
    above, below, figure = claim.fields["over"], claim.fields["under"], claim.fields["figure"]
    if figure == "failed":
        shares = [_counts(source, cell, count) for cell in (above, below)]
        for cell, known in zip((above, below), shares, strict=True):
            if known is None:
                return Found(None, note=_missing(cell))
        return _failed_ratio(*(known for known in shares if known is not None))
    runs = [_times(source, cell, count) for cell in (above, below)]
    for cell, times in zip((above, below), runs, strict=True):
        if times is None:
            return Found(None, note=_missing(cell))
    over, under = (times for times in runs if times is not None)
    fewest = min(len(over), len(under))
    if figure == "sd":
        spreads = [
            [float(run.std(ddof=1)) for run in side if run.size > 2] for side in (over, under)
        ]
        if not all(spreads) or min(spreads[1]) <= 0:
            return Found(None, note="needs the times of single samples")
        return _ratio_of(spreads[0], spreads[1], fewest)
    estimate = float(np.concatenate(over).mean() / np.concatenate(under).mean())
    if fewest < 2:
        return Found(estimate, None, fewest, "×")
    (interval,) = ratio_intervals(over, under)
    return Found(interval.estimate, interval, fewest, "×")


def _correlation(claim: Claim, source: Source, count: Count) -> Found:
    cell = claim.fields["cell"]
    cells = source.cells(cell["variant"], cell["workload"], count)
    known = {
        level: float(np.concatenate(runs).mean())
        for level, runs in sorted(cells.times.items() if cells else ())
        if sum(run.size for run in runs)
    }
    if len(known) < LEVELS_FOR_INTERVAL:
        return Found(None, note=f"{len(known)} levels; a correlation needs {LEVELS_FOR_INTERVAL}")
    r = linear_trend(list(known), list(known.values())).r
    runs = min(len(runs) for runs in cells.times.values()) if cells else 0
    reach = float(stats.norm.ppf((1 + CONFIDENCE) / 2)) / math.sqrt(len(known) - 3)
    centre = math.atanh(min(max(r, -1 + 1e-12), 1 - 1e-12))
    interval = Interval(r, math.tanh(centre - reach), math.tanh(centre + reach))
    return Found(r, interval, runs, "r", f"{len(known)} levels")


def _shares(claim: Claim, source: Source, count: Count) -> Found:
    cell = claim.fields["cell"]
    cells = source.cells(cell["variant"], cell["workload"], count)
    claimed = {float(level): share / 100 for level, share in claim.fields["claimed"].items()}
    shared = sorted(claimed.keys() & (cells.failed.keys() if cells else set()))
    if cells is None or not shared:
        return Found(None, note=_missing(cell))
    found = {level: _share(cells.failed[level]) for level in shared}
    apart = {level: abs(found[level].estimate - claimed[level]) for level in shared}
    worst = max(apart, key=lambda level: apart[level])
    low = max(
        max(found[level].low - claimed[level], claimed[level] - found[level].high, 0)
        for level in shared
    )
    high = max(
        max(found[level].high - claimed[level], claimed[level] - found[level].low)
        for level in shared
    )
    return Found(
        100 * apart[worst],
        Interval(100 * apart[worst], 100 * low, 100 * high),
        min(len(cells.failed[level]) for level in shared),
        "points",
        f"most at {worst:g} threads, {100 * found[worst].estimate:.1f} % for "
        f"{100 * claimed[worst]:g} %; {len(shared)} of {len(claimed)} levels",
    )


def _efficiency(claim: Claim, source: Source, count: Count) -> Found:
    cell, figure = claim.fields["cell"], claim.fields["figure"]
    cells = source.cells(cell["variant"], cell["workload"], count)
    known = {
        level: runs
        for level, runs in sorted(cells.times.items() if cells else ())
        if runs and all(run.size for run in runs)
    }
    if len(known) < 3:
        return Found(None, note=f"{len(known)} levels; a rise and a fall need 3")
    quantile = {"mean": None, "p95": 0.95}[figure]
    base, *others = known
    percents: dict[float, Interval] = {}
    for level in others:
        unit = 100 * level / base
        if min(len(known[base]), len(known[level])) > 1:
            (ratio,) = ratio_intervals(known[base], known[level], [quantile])
            percents[level] = Interval(unit * ratio.estimate, unit * ratio.low, unit * ratio.high)
        else:
            one, other = (
                float(pooled.mean() if quantile is None else np.quantile(pooled, quantile))
                for pooled in (np.concatenate(known[base]), np.concatenate(known[level]))
            )
            value = unit * one / other if other else math.inf
            percents[level] = Interval(value, value, value)
    *between, last = percents
    highest = max((percents[level] for level in between), key=lambda one: one.estimate)
    end = percents[last]
    found: Outcome = "not decidable here"
    if highest.low >= 100 > end.high:
        found = "replicated"
    elif end.low >= 100 or max(percents[level].high for level in between) < 100:
        found = "not replicated"
    kept = base
    for level, percent in percents.items():
        if percent.estimate < 100:
            break
        kept = level
    return Found(
        end.estimate,
        end,
        min(len(runs) for runs in known.values()),
        "% E_i",
        f"at {last:g} threads relative to {base:g}; at least 100 % up to {kept:g}",
        found,
    )


def _unmeasured(claim: Claim, source: Source, count: Count) -> Found:
    return Found(None, note=claim.fields["why"])


KINDS: Mapping[str, Callable[[Claim, Source, Count], Found]] = {
    "mean": _mean,
    "failed": _failed,
    "ratio": _ratio,
    "correlation": _correlation,
    "shares": _shares,
    "efficiency": _efficiency,
    "none": _unmeasured,
}
COUNTS: tuple[Count, ...] = ("sample", "operation")

REPLICATION = (
    Column("claim", word("claim"), numeric=False),
    Column("where", word("source"), numeric=False),
    Column("per sample", word("sample"), numeric=False),
    Column("per operation", word("operation"), numeric=False),
    Column("what is known", word("known"), numeric=False),
)
CONSISTENCY = (
    Column("statement", word("claim"), numeric=False),
    Column("where", word("source"), numeric=False),
    Column("from the published data", word("figure"), numeric=False),
    Column("", word("agrees"), numeric=False),
    Column("what is known", word("known"), numeric=False),
)


def _document(file: Path) -> Mapping[str, Any]:
    try:
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise UserError(f"{file} is no list of claims: {error}") from error
    if not isinstance(document, Mapping) or "claims" not in document:
        raise UserError(f"{file} lacks the key 'claims'")
    return document


def _times(source: Source, cell: Mapping[str, Any], count: Count) -> Sequence[Floats] | None:
    cells = source.cells(cell["variant"], cell["workload"], count)
    runs = cells.times.get(float(cell["level"])) if cells else None
    return runs if runs and all(run.size for run in runs) else None


def _counts(
    source: Source, cell: Mapping[str, Any], count: Count
) -> Sequence[tuple[int, int]] | None:
    cells = source.cells(cell["variant"], cell["workload"], count)
    return cells.failed.get(float(cell["level"])) if cells else None


def _share(runs: Sequence[tuple[int, int]]) -> Interval:
    """Return a share with the wider of Wilson's interval and, from three runs on, that over runs.

    Failures come in bursts, so that runs differ by more than chance among operations.
    """
    pooled = wilson(sum(bad for bad, _ in runs), sum(whole for _, whole in runs))
    over = _over_runs([bad / whole for bad, whole in runs])
    if over is None or len(runs) < DECIDING_RUNS:
        return pooled
    low, high = min(pooled.low, max(over.low, 0)), max(pooled.high, min(over.high, 1))
    return Interval(pooled.estimate, low, high)


def _failed_ratio(above: Sequence[tuple[int, int]], below: Sequence[tuple[int, int]]) -> Found:
    over, under = _share(above), _share(below)
    fewest = min(len(above), len(below))
    if over.estimate == under.estimate == 0:
        return Found(None, runs=fewest, note="neither failed")
    # The shares' intervals, each at its own end: wider than that of the ratio, never narrower.
    low = over.low / under.high if under.high else math.inf
    high = over.high / under.low if under.low else math.inf
    estimate = over.estimate / under.estimate if under.estimate else math.inf
    note = f"{100 * over.estimate:.2f} % and {100 * under.estimate:.2f} %"
    return Found(estimate, Interval(estimate, low, high), fewest, "×", note)


def _ratio_of(above: Sequence[float], below: Sequence[float], runs: int) -> Found:
    estimate = float(np.mean(above) / np.mean(below))
    if min(len(above), len(below)) < 2:
        return Found(estimate, None, runs, "×")
    (interval,) = ratio_intervals([[one] for one in above], [[one] for one in below])
    return Found(interval.estimate, interval, runs, "×")


def _over_runs(figures: Sequence[float]) -> Interval | None:
    """Return Student's interval of the mean over runs; None with one run."""
    if len(figures) < 2:
        return None
    values = np.array(figures)
    reach = float(
        stats.t.ppf((1 + CONFIDENCE) / 2, values.size - 1)
        * values.std(ddof=1)
        / math.sqrt(values.size)
    )
    centre = float(values.mean())
    return Interval(centre, centre - reach, centre + reach)


def _exactly(found: Found) -> Found:
    return Found(found.estimate, None, None, found.unit)


def _missing(cell: Mapping[str, Any]) -> str:
    level = cell.get("level", "any")
    where = "" if level in (WORST, "any") else f" at {level} threads"
    return f"{cell['variant']} {cell['workload']}{where} has no usable run"


def _words(claim: Claim, found: Found) -> str:
    """Return verdict, figure and interval."""
    outcome = verdict(claim, found)
    words = outcome if outcome == "not decidable here" else f"**{outcome}**"
    parts = list(_parts(found))
    if found.runs is not None and outcome == "not decidable here":
        runs = "1 run" if found.runs == 1 else f"{found.runs} runs"
        points = leaning(claim, found)
        hint = "" if points == outcome else f"; points to {points}"
        parts.append(f"({runs}{hint})")
    return f"{words}: {'; '.join(parts)}" if parts else words


def _parts(found: Found) -> Iterator[str]:
    if found.estimate is not None:
        text = _figure(found.estimate, found.unit)
        if found.interval is not None:
            low, high = (
                _figure(value, found.unit) for value in (found.interval.low, found.interval.high)
            )
            text += f" [{low},\N{NO-BREAK SPACE}{high}]"
        yield text
    if found.note:
        yield found.note


def _figure(value: float, unit: str) -> str:
    if math.isinf(value):
        return "∞"
    if unit == "%":
        return f"{100 * value:.2f} %"
    if unit == "r":
        return f"{value:.3f}"
    if unit == "ms":
        return f"{value:.1f} ms"
    return f"{value:.1f} {unit}" if unit in ("points", "% E_i") else f"{value:.2f} ×"
