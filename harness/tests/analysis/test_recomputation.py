"""Every published decision, computed again by a program that shares no code with the harness.

It needs numpy and scipy, and reads the published tables only. Folders with ``blocks.csv`` are
decided by today's rule. Older ones were decided with one variance for all cells and the degrees of
freedom of independent cells; where their blocks decided, the deviation follows from one published
number, and must explain all others. ``LATER`` has what today's rule would decide of them.
"""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from scipy import optimize, stats

PUBLISHED = Path(__file__).resolve().parents[3] / "analysis" / "published"
LATER = PUBLISHED / "decided-otherwise-today.csv"
FOLDERS = sorted(file.parent for file in PUBLISHED.glob("**/decisions.csv"))
DECIDING = {"valid", "users pause", "overloaded", "stalled"}
MARGIN = math.log(1.1)
Row = dict[str, str]


@dataclass
class Cell:
    """A row of decisions.csv, with the runs that it is about."""

    row: Row
    logs: dict[int, float]
    """The logarithm of the ratio by pair."""
    blocks: dict[int, np.ndarray[Any, Any]]
    reference: list[float]

    @property
    def has_interval(self) -> bool:
        return bool(self.row["low"])

    @property
    def unit(self) -> np.ndarray[Any, Any]:
        return np.array(list(self.logs.values()))


def read(file: Path) -> list[Row]:
    with file.open(newline="") as lines:
        return list(csv.DictReader(lines))


def families(folder: Path) -> Iterator[tuple[tuple[str, str, str], list[Cell]]]:
    runs: dict[tuple[str, ...], dict[int, Row]] = defaultdict(dict)
    for row in read(folder / "runs.csv"):
        if row["verdict"] in DECIDING:
            place = row["system"], row["workload"], row["mode"], row["level"]
            runs[place][int(row["pair"])] = row
    blocks: dict[tuple[str, int], list[Row]] = defaultdict(list)
    if (folder / "blocks.csv").is_file():
        for row in read(folder / "blocks.csv"):
            blocks[row["run"], 0].append(row)
    cells_of: dict[tuple[str, str, str], list[Cell]] = defaultdict(list)
    for row in read(folder / "decisions.csv"):
        # Older tables lack the mode: a level was of one mode only.
        modes = [
            place[2] for place in runs if (place[1], place[3]) == (row["workload"], row["level"])
        ]
        where = row["workload"], row.get("mode") or next(iter(modes), "closed"), row["level"]
        below, above = (runs[row[side], *where] for side in ("reference", "system"))
        figure = row["figure"]
        shared = sorted(below.keys() & above.keys())
        values = {
            pair: [float(side[pair][figure] or 0) for side in (below, above)] for pair in shared
        }
        complete = all(min(both) > 0 for both in values.values())
        logs = (
            {pair: math.log(both[1] / both[0]) for pair, both in values.items()} if complete else {}
        )
        of_blocks = {}
        for pair in logs if blocks else ():
            sides = (blocks[side[pair]["run"], 0] for side in (below, above))
            both = list(zip(*sides, strict=False))
            of_blocks[pair] = np.array(
                [math.log(float(b[figure]) / float(a[figure])) for a, b in both]
            )
        cell = Cell(row, logs, of_blocks, [both[0] for both in values.values()])
        cells_of[row["reference"], row["system"], figure].append(cell)
    yield from cells_of.items()


def holm(pvalues: Sequence[float]) -> tuple[list[bool], list[float]]:
    order = sorted(range(len(pvalues)), key=lambda place: pvalues[place])
    rejected, levels = [False] * len(pvalues), [0.0] * len(pvalues)
    left = len(pvalues)
    for place in order:
        levels[place] = 0.05 / left
        if pvalues[place] <= 0.05 / left:
            rejected[place] = True
            left -= 1
        else:
            for other in order[len(pvalues) - left :]:
                levels[other] = 0.05 / left
            break
    return rejected, levels


def decide(
    means: Sequence[float], errors: Sequence[float], freedom: Sequence[float]
) -> list[tuple[str, float, float]]:
    """Return the verdict and the interval of each cell of a family."""
    differs, not_alike = [], []
    for mean, error, df in zip(means, errors, freedom, strict=True):
        differs.append(2 * stats.t.sf(abs(mean) / error, df) if error else float(mean == 0))
        not_alike.append(
            max(stats.t.sf((mean + MARGIN) / error, df), stats.t.cdf((mean - MARGIN) / error, df))
            if error
            else float(abs(mean) >= MARGIN)
        )
    (apart, levels), (alike, alike_levels) = holm(differs), holm(not_alike)
    decided = []
    for place, (mean, error, df) in enumerate(zip(means, errors, freedom, strict=True)):
        side = levels[place] / 2
        level = (
            alike_levels[place]
            if alike[place]
            else side
            if apart[place]
            else min(alike_levels[place], side)
        )
        reach = stats.t.isf(level, df) * error
        verdict = "alike" if alike[place] else "not known"
        if apart[place] and not alike[place]:
            verdict = "higher" if mean > 0 else "lower"
        decided.append((verdict, math.exp(mean - reach), math.exp(mean + reach)))
    return decided


def could_tell(error: float, freedom: float, cells: int) -> float:
    critical = stats.t.isf(0.05 / (2 * cells), freedom)
    shift = optimize.brentq(
        lambda at: 1 - stats.nct.cdf(critical, freedom, at) - 0.8,
        0,
        2 * (critical + stats.t.ppf(0.8, freedom)),
    )
    return math.exp(min(shift * error, 700))


def within(groups: Sequence[np.ndarray[Any, Any]]) -> tuple[float, int]:
    several = [group for group in groups if group.size > 1]
    freedom = sum(group.size - 1 for group in several)
    squares = sum(((group - group.mean()) ** 2).sum() for group in several)
    return (math.sqrt(squares / freedom) if freedom else math.nan), freedom


def between(cells: Sequence[Cell]) -> tuple[float, float]:
    """Return the deviation between pairs, and Satterthwaite's degrees of freedom, by traces."""
    several = [cell for cell in cells if len(cell.logs) > 1]
    sd, freedom = within([cell.unit for cell in several])
    if not freedom or not sd:
        return sd, freedom
    index = [(place, pair) for place, cell in enumerate(several) for pair in cell.logs]
    size = len(index)
    centre, start = np.eye(size), np.zeros((size, size))
    for i, (cell, pair) in enumerate(index):
        for j, (other, of_other) in enumerate(index):
            centre[i, j] -= (cell == other) / len(several[cell].logs)
            start[i, j] = cell != other and pair == of_other
    rest = centre @ np.array([several[cell].logs[pair] for cell, pair in index])
    weight = np.trace(centre @ start @ centre @ start)
    share = float(np.clip(rest @ start @ rest / weight / sd**2, 0, 1)) if weight > 1e-9 else 0.0
    variance = np.eye(size) + share * start
    product = centre @ variance
    return sd, np.trace(product) ** 2 / np.trace(product @ product)


def today(
    cells: Sequence[Cell], blocks: tuple[float, int] | None = None
) -> list[tuple[str, float, float] | None]:
    """Decide a family by today's rule; ``blocks`` replaces what blocks.csv would say."""
    spread: dict[int, tuple[float, float]] = {}
    everyone = list(range(len(cells)))
    # Of percentiles each cell has a variance of its own.
    percentile = cells[0].row["figure"] in ("p95_ms", "p99_ms")
    for part in [[place] for place in everyone] if percentile else [everyone]:
        group = [cells[place] for place in part]
        sd, freedom = between(group)
        if math.isnan(sd):
            continue
        # Of older folders only the deviation over all cells is known.
        of_blocks = blocks and (blocks[0], blocks[1] / (len(cells) if percentile else 1))
        if blocks is None:
            values = [values for cell in group for values in cell.blocks.values()]
            block_sd, block_freedom = within(values)
            if block_freedom:
                of_blocks = block_sd / math.sqrt(max(map(len, values))), block_freedom
        if of_blocks is not None and of_blocks[0] > sd:
            ratio = of_blocks[0] / sd if sd else math.inf
            sd, freedom = of_blocks[0], min(of_blocks[1], freedom * ratio**4)
        spread |= dict.fromkeys(part, (sd, freedom))
    places = sorted(spread)
    decided = decide(
        [cells[place].unit.mean() for place in places],
        [spread[place][0] / math.sqrt(len(cells[place].logs)) for place in places],
        [spread[place][1] for place in places],
    )
    by_place = dict(zip(places, decided, strict=True))
    return [by_place.get(place) for place in range(len(cells))]


def then(cells: Sequence[Cell], each: int) -> tuple[float, float, bool]:
    """Return the deviation and the degrees of freedom behind an older family.

    And whether they are of blocks.
    """
    one_pair = max(len(cell.logs) for cell in cells) < 2
    sd, freedom = within([cell.unit for cell in cells])
    candidates: list[tuple[float, float, bool]] = []
    if freedom and explains(cells, sd, freedom, one_pair, each):
        return sd, freedom, False
    first = max(cells, key=lambda cell: len(cell.logs))
    size = each if one_pair else len(first.logs)
    most = sum(max(1, len(cell.logs)) * (each - 1) for cell in cells)
    for of_blocks in range(most, 0, -1):
        error = math.log(float(first.row["could_tell"]))
        error /= math.log(could_tell(1.0, of_blocks, len(cells)))
        block_sd = error * math.sqrt(size)
        if (one_pair or not freedom or block_sd >= sd * (1 - 1e-9)) and explains(
            cells, block_sd, of_blocks, one_pair, each
        ):
            candidates.append((block_sd, of_blocks, True))
            break
    assert candidates, "no deviation explains this family"
    return candidates[0]


def explains(cells: Sequence[Cell], sd: float, freedom: float, one_pair: bool, each: int) -> bool:
    """Return whether one deviation gives every interval and detectable difference of a family."""
    means = [math.log(float(cell.row["ratio"])) for cell in cells]
    sizes = [each if one_pair else len(cell.logs) for cell in cells]
    errors = [sd / math.sqrt(size) for size in sizes]
    decided = decide(means, errors, [freedom] * len(cells))
    for cell, error, (_, low, high) in zip(cells, errors, decided, strict=True):
        least = could_tell(error, freedom, len(cells))
        for ours, theirs in ((low, "low"), (high, "high"), (least, "could_tell")):
            if not math.isclose(ours, float(cell.row[theirs]), rel_tol=1e-6):
                return False
    return True


def by_clock(cell: Cell, low: float, high: float) -> tuple[float, float]:
    """Return an interval of percentiles that is as wide as a clock of whole milliseconds makes it.

    Each percentile is that of a number of whole milliseconds: half of one more, or less.
    """
    if cell.row["figure"] not in ("p95_ms", "p99_ms"):
        return low, high
    below = math.exp(np.log(cell.reference).mean())
    above = below * math.exp(cell.unit.mean())
    assert below > 0.5 and above > 0.5
    return min(low, (above - 0.5) / (below + 0.5)), max(high, (above + 0.5) / (below - 0.5))


def agrees(cell: Cell, verdict: str) -> bool:
    """Return whether a verdict by the interval is that of the row, unless the row has a reason."""
    row = cell.row
    more_is_better = row["figure"] == "ok_per_s"
    if verdict in ("higher", "lower"):
        verdict = "better" if (verdict == "higher") == more_is_better else "worse"
    return (
        row["decision"] == verdict
        or bool(row.get("reason"))
        or row["decision"] == "not known" == verdict
    )


def recomputed(folder: Path) -> tuple[int, int]:
    """Compute every row of a folder's decisions; return how many there are, and with intervals."""
    declared = yaml.safe_load((folder / "experiment.yaml").read_text())
    each = (declared.get("blocks") or {}).get("each", 1)
    rows = intervals = 0
    for _, cells in families(folder):
        rows += len(cells)
        for cell in cells:
            if cell.logs:
                ratio = math.exp(cell.unit.mean())
                assert math.isclose(ratio, float(cell.row["ratio"]), rel_tol=1e-9)
                assert int(cell.row["pairs"]) == len(cell.logs)
                if cell.row.get("reference_value"):
                    value = math.exp(np.log(cell.reference).mean())
                    assert math.isclose(value, float(cell.row["reference_value"]), rel_tol=1e-9)
        checkable = [cell for cell in cells if cell.has_interval]
        intervals += len(checkable)
        if not checkable:
            continue
        if (folder / "blocks.csv").is_file():
            decided = today([cell for cell in cells if cell.logs])
            for cell, judged in zip((cell for cell in cells if cell.logs), decided, strict=True):
                assert (judged is not None) == cell.has_interval
                if judged is not None:
                    assert agrees(cell, judged[0])
                    low, high = by_clock(cell, *judged[1:])
                    assert math.isclose(low, float(cell.row["low"]), rel_tol=1e-7)
                    assert math.isclose(high, float(cell.row["high"]), rel_tol=1e-7)
            continue
        sd, freedom, _ = then(checkable, each)
        one_pair = max(len(cell.logs) for cell in checkable) < 2
        means = [math.log(float(cell.row["ratio"])) for cell in checkable]
        errors = [sd / math.sqrt(each if one_pair else len(cell.logs)) for cell in checkable]
        for cell, (verdict, _, _) in zip(
            checkable, decide(means, errors, [freedom] * len(checkable)), strict=True
        ):
            assert agrees(cell, verdict)
    return rows, intervals


def otherwise(folder: Path) -> list[Row]:
    """Return the decisions of an older folder that today's rule would not make, or would."""
    declared = yaml.safe_load((folder / "experiment.yaml").read_text())
    each = (declared.get("blocks") or {}).get("each", 1)
    changed = []
    for _, cells in families(folder):
        checkable = [cell for cell in cells if cell.has_interval and len(cell.logs)]
        if not checkable or max(len(cell.logs) for cell in checkable) < 2:
            continue
        sd, freedom, of_blocks = then(checkable, each)
        for cell, judged in zip(
            checkable, today(checkable, (sd, int(freedom)) if of_blocks else None), strict=True
        ):
            verdict = judged[0] if judged else "not known"
            if cell.row.get("reason") or agrees(cell, verdict):
                continue
            if verdict in ("higher", "lower"):
                better = (verdict == "higher") == (cell.row["figure"] == "ok_per_s")
                verdict = "better" if better else "worse"
            changed.append(
                {
                    "folder": str(folder.relative_to(PUBLISHED)),
                    **{
                        key: cell.row[key]
                        for key in ("system", "reference", "workload", "level", "figure")
                    },
                    "ratio": f"{float(cell.row['ratio']):.2f}",
                    "then": f"{cell.row['decision']} [{float(cell.row['low']):.2f}, "
                    f"{float(cell.row['high']):.2f}]",
                    "today": f"{verdict} [{judged[1]:.2f}, {judged[2]:.2f}]" if judged else verdict,
                }
            )
    return changed


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: str(folder.relative_to(PUBLISHED)))
def test_every_published_row_is_what_its_runs_say(folder: Path) -> None:
    rows, intervals = recomputed(folder)
    assert rows >= intervals


def all_otherwise() -> list[Row]:
    older = [folder for folder in FOLDERS if not (folder / "blocks.csv").is_file()]
    return [row for folder in older for row in otherwise(folder)]


def test_what_today_would_be_decided_otherwise_is_listed() -> None:
    assert read(LATER) == all_otherwise()


if __name__ == "__main__":
    listed = all_otherwise()
    with LATER.open("w", newline="") as out:
        writer = csv.DictWriter(out, list(listed[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(listed)
    print(len(listed))
