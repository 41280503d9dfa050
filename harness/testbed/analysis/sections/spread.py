"""The spread between equal measurements, and what it means for the number of pairs."""

from __future__ import annotations

from collections.abc import Sequence

from testbed.analysis.precision import spreads
from testbed.analysis.quantities import QUANTITIES
from testbed.analysis.tables import deviation, effect, markdown_table
from testbed.analysis.verdicts import Judged


def spread(invocations: Sequence[Judged]) -> str:
    """Return the spread of blocks, pairs and invocations; empty if none is known."""
    with_spread = [
        spread
        for spread in spreads(invocations)
        if spread.block is not None or spread.pair is not None
    ]
    if not with_spread:
        return ""
    several = len(invocations) > 1
    rows = [
        {
            "figure": QUANTITIES[spread.figure].label,
            "blocks of a run": deviation(spread.block),
            "ratio, pairs of starts": deviation(spread.pair),
            **({"ratio, invocations": deviation(spread.invocation)} if several else {}),
            **{
                f"detectable, {pairs} pair{'' if pairs == 1 else 's'}": effect(ratio)
                for pairs, ratio in spread.could_tell.items()
            },
        }
        for spread in with_spread
    ]
    return (
        "Relative standard deviations: of blocks within a run, and of the ratio of two systems "
        f"over pairs of starts{' and over invocations' if several else ''}. Detectable is the "
        "smallest difference that 80 % of experiments with these cells and this number of pairs "
        "would show. With one pair the result holds for these starts only.\n\n"
        + markdown_table(rows, ("figure",))
    )
