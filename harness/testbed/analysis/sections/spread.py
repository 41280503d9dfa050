"""The spread between equal measurements, and what it means for the number of pairs."""

from __future__ import annotations

from collections.abc import Sequence

from testbed.analysis.precision import PLANNED_PAIRS, spreads
from testbed.analysis.tables import FIGURE, MISSING, Column, effect, markdown_table, word
from testbed.analysis.verdicts import Judged

SPREAD = (
    Column("figure", word("figure"), numeric=False),
    Column("blocks of a run", word("block")),
    Column("ratio, pairs of starts", word("pair")),
    Column("ratio, invocations", word("invocation")),
    *(
        Column(f"detectable, {pairs} pair{'' if pairs == 1 else 's'}", word(f"{pairs}"))
        for pairs in PLANNED_PAIRS
    ),
)


def spread(invocations: Sequence[Judged]) -> str:
    """Return the spread of blocks, pairs and invocations; empty if none is known."""
    found = [one for one in spreads(invocations) if one.block is not None or one.pair is not None]
    if not found:
        return ""
    rows = [
        {
            "figure": FIGURE[one.figure],
            "block": _percent(one.block),
            "pair": _percent(one.pair),
            "invocation": _percent(one.invocation),
            **{f"{pairs}": effect(ratio) for pairs, ratio in one.could_tell.items()},
        }
        for one in found
    ]
    return (
        "Relative standard deviations: of blocks within a run, and of the ratio of two systems "
        "over pairs of starts and over invocations. Detectable is the smallest difference that "
        "80 % of experiments with these cells and so many pairs find; one pair speaks of its own "
        "starts only.\n\n" + markdown_table(rows, SPREAD)
    )


def _percent(sd: float | None) -> str:
    return MISSING if sd is None else f"{100 * sd:.1f} %"
