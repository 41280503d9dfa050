"""What this machine shows where there is no difference."""

from __future__ import annotations

from testbed.analysis.decisions import DECIDING_RUNS
from testbed.analysis.quantities import WORDS, run_figure
from testbed.analysis.statistics.power import false_positive_share, minimum_detectable_ratio
from testbed.analysis.tables import MISSING, Column, markdown_table, share_with_interval, word
from testbed.analysis.twins import twin_ratios
from testbed.analysis.twins import twins as twin_systems
from testbed.analysis.verdicts import Judged

TWINS = (
    Column("figure", word("figure"), numeric=False),
    Column("comparisons", word("compared")),
    Column("intervals without 1 [95 %]", word("false")),
    Column("decided, wrongly", word("decided")),
    Column("smallest ratio told, 3 / 10 runs", word("detectable")),
)


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
        share = false_positive_share(interval for _, interval in known)
        detectable = _detectable(judged, figure)
        rows.append(
            {
                "figure": WORDS[figure],
                "compared": f"{len(known)}",
                "false": f"{sum(excluding)}: {share_with_interval(share)}",
                "decided": f"{sum(decided)} of {len(decided)}" if decided else MISSING,
                "detectable": detectable,
            }
        )
    names = sorted({" and ".join((first, second)) for _, first, second in twin_systems(judged)})
    return (
        f"Identical but for their names: {', '.join(names)}. A sound 95 % interval holds 1 in 95 "
        f"of 100 such comparisons. "
        f"Comparisons of different figures are of the same runs, so they do not add up. The "
        f"smallest ratio is what {DECIDING_RUNS} and 10 runs of each side would tell from 1 in "
        f"about two of three and three of four cases, from how much runs of one cell differ "
        f"here.\n\n" + markdown_table(rows, TWINS)
    )


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
