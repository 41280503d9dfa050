"""How precisely the ratio of systems is known, which decides when an experiment ends."""

from __future__ import annotations

from pathlib import Path

from testbed.analysis.decisions import comparisons, presets_apart
from testbed.analysis.quantities import FIGURES
from testbed.analysis.samples import load
from testbed.analysis.verdicts import judge_all
from testbed.errors import UserError, unknown


def widths(results: Path, figure: str) -> dict[tuple[str, float], float | None]:
    """Return how precisely the ratio of the systems is known, per workload and level.

    Parameters
    ----------
    results
        A results directory, finished or not.
    figure
        One of `FIGURES`.

    Returns
    -------
    dict
        Half the width of the ratio's interval, relative to the ratio; the widest where there are
        several pairs of systems. None where a pair has no interval yet, as with fewer than two
        valid runs of a side.

    Raises
    ------
    UserError
        If there is no such figure.
    """
    if figure not in FIGURES:
        raise unknown("figure", figure, FIGURES)
    try:
        judged = judge_all(load(results))
    except UserError:
        return {}
    cells = {run.cell for run in judged.results.runs}
    found: dict[tuple[str, float], float | None] = {}
    known: dict[tuple[str, float], list[float | None]] = {}
    for one in comparisons(judged):
        interval = one.ratios[figure].interval
        width = (
            (interval.high - interval.low) / 2 / interval.estimate
            if interval is not None and interval.estimate > 0
            else None
        )
        known.setdefault((one.question.workload, one.level), []).append(width)
    pairs = max(len({cell.system for cell in cells}) - 1, 1)
    for cell in sorted(cells, key=lambda cell: (cell.workload, cell.level)):
        seen = known.get((cell.workload, cell.level), [])
        complete = len(seen) >= (1 if presets_apart(judged.results) else pairs)
        values = [width for width in seen if width is not None]
        whole = complete and len(values) == len(seen)
        found[cell.workload, cell.level] = max(values) if whole else None
    return found
