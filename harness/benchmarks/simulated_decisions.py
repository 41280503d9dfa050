"""How often `compare` would decide falsely, and find 25 %, by simulation, as a Markdown table.

Shares of cells, for two pairs of starts, four cells and four blocks each::

    .venv/bin/python harness/benchmarks/simulated_decisions.py
"""

from __future__ import annotations

import itertools
import math

from testbed.analysis.statistics.ratios import simulated_outcomes
from testbed.analysis.tables import markdown_table

EXPERIMENTS = 2000

if __name__ == "__main__":
    rows = []
    for block_sd, pair_sd in itertools.product((0.05, 0.07, 0.11), (0.0, 0.03, 0.06)):
        false, found = (
            simulated_outcomes(
                pair_sd,
                # Of two systems, whose blocks differ by themselves.
                math.sqrt(2) * block_sd,
                cells=4,
                pairs=2,
                blocks=4,
                effect=effect,
                experiments=EXPERIMENTS,
            )
            for effect in (1.0, 1.25)
        )
        rows.append(
            {
                "blocks differ by": f"{100 * block_sd:.0f} %",
                "starts differ by": f"{100 * pair_sd:.0f} %",
                "false": f"{100 * (false['higher'] + false['lower']) / false.total():.1f} %",
                "25 % more found": f"{100 * found['higher'] / found.total():.0f} %",
            }
        )
    print(markdown_table(rows, ()))
