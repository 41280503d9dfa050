"""Results of the controls: decisions between identical systems, and a known difference."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import chain

from testbed.analysis.aa import DECIDING_PAIRS, identical, known_differences, null_families
from testbed.analysis.decisions import Decision, paired_cells
from testbed.analysis.precision import Spread, spreads
from testbed.analysis.quantities import QUANTITIES
from testbed.analysis.statistics.intervals import exact
from testbed.analysis.statistics.ratios import Layout, Verdict, simulated_outcomes
from testbed.analysis.tables import (
    MISSING,
    markdown_table,
    percent,
    ratio_words,
    share_with_interval,
)
from testbed.analysis.verdicts import Judged

EFFECT = 1.25
"""The ratio for which simulation shows how often it is detected."""


def aa(judged: Judged) -> str:
    """Return how often identical systems were called different; empty if none are compared."""
    families = null_families(judged)
    if not families:
        return ""
    decisions = list(chain.from_iterable(families))
    decided = Counter(decision.decision for decision in decisions)
    false = sum(
        any(decision.decision in ("better", "worse") for decision in family) for family in families
    )
    names = "; ".join(f"{first} and {other}" for first, other in sorted(identical(judged.results)))
    cells = max(map(len, paired_cells(judged).values()))
    blocks = max(len(run.blocks) for run in judged.results.runs)
    several = any(run.generators for run in judged.results.runs)
    return (
        f"Identical but for their names{' and load generators' if several else ''}: {names}. "
        f"{len(families)} families of {len(decisions)} comparisons (a family is one figure of all "
        f"cells, of {DECIDING_PAIRS} pairs of starts): **{false} with a false decision**, "
        f"{share_with_interval(exact(false, len(families)))} (95 %, Clopper and Pearson). Of the "
        f"comparisons {decided['alike']} are alike, {decided['not known']} not known. Families of "
        "different figures are of the same runs.\n\n"
        "So few families cannot show these rates, so they are simulated from the measured "
        f"spread: shares of cells, with {cells} cells in each experiment. With one pair the blocks "
        "are the unit and a decision holds for these starts only; the last column is how often it "
        "is wrong about other starts.\n\n"
        + markdown_table(
            [_simulated(spread, cells, blocks) for spread in spreads([judged])], ("figure",)
        )
    )


def known_difference(judged: Judged, decisions: Sequence[Decision]) -> str:
    """Return for each cell whether a known handicap was detected; empty without a handicap."""
    rows = [
        {
            "system": decision.system,
            "cell": f"{decision.workload}, {decision.load}",
            "expected": f"{expected:.2f}",
            "CPU ratio": ratio_words(decision),
            "covers it": "yes"
            if (decision.low or 2) <= expected <= (decision.high or 0)
            else "**no**",
            "detected": "yes"
            if decision.decision == ("worse" if expected > 1 else "better")
            else f"**no**: {decision.decision}",
        }
        for expected, decision in known_differences(judged.results, decisions)
    ]
    if not rows:
        return ""
    lines = []
    for system in dict.fromkeys(row["system"] for row in rows):
        ours = [row for row in rows if row["system"] == system]
        detected, covered = (
            sum(row[what] == "yes" for row in ours) for what in ("detected", "covers it")
        )
        lines.append(
            f"- {system}: detected in {detected} of {len(ours)} cells; the interval covers the "
            f"truth in {covered}"
        )
    return (
        "Expected is 1 + handicapped calls of an operation × handicap ÷ the reference's CPU time "
        "per operation.\n\n"
        + "\n".join(lines)
        + "\n\n"
        + markdown_table(rows, [title for title in rows[0] if title != "expected"])
    )


def _simulated(spread: Spread, cells: int, blocks: int) -> dict[str, str]:
    shares = 4 * [MISSING]
    if spread.pair is not None:
        ratio_sd = spread.ratio or 0.0
        # The spread of pairs includes that of their blocks.
        pair_sd = math.sqrt(max(spread.pair**2 - ratio_sd**2 / blocks, 0))

        def simulated(pairs: int, effect: float = 1.0) -> Counter[Verdict]:
            layout = Layout(cells, pairs, blocks, pair_sd, ratio_sd)
            return simulated_outcomes(layout, effect=effect)

        null = simulated(DECIDING_PAIRS)
        shares = [
            _share(null, "higher", "lower"),
            _share(null, "alike"),
            _share(simulated(DECIDING_PAIRS, EFFECT), "higher"),
            _share(simulated(1), "higher", "lower"),
        ]
    titles = (
        f"false decisions, {DECIDING_PAIRS} pairs",
        f"alike, {DECIDING_PAIRS} pairs",
        f"{100 * (EFFECT - 1):.0f} % more detected, {DECIDING_PAIRS} pairs",
        "false decisions, one pair",
    )
    return {"figure": QUANTITIES[spread.figure].label, **dict(zip(titles, shares, strict=True))}


def _share(outcomes: Counter[Verdict], *verdicts: Verdict) -> str:
    cells = outcomes.total()
    return percent(sum(outcomes[verdict] for verdict in verdicts) / cells) if cells else MISSING
