"""How often published layouts decide falsely, and find 25 %, by simulation, as a Markdown table.

Of each comparison whose cells have two pairs of starts or more: shares of families with a false
decision, and of cells in which 25 % are found. *Before* is with one variance and C (P - 1) degrees
of freedom; *now* is `paired_ratios`::

    .venv/bin/python harness/benchmarks/simulated_decisions.py

The deviations of cells, and what a start shares, are those of the published pairs. Half of the
variance between pairs is taken to be that of blocks, which most folders do not have.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from dataclasses import replace
from operator import attrgetter
from pathlib import Path

import numpy as np
import polars as pl
import yaml
from scipy import stats

from testbed.analysis.arrays import Floats
from testbed.analysis.quantities import GOODPUT, P95
from testbed.analysis.statistics.ratios import (
    ALIKE,
    Layout,
    between_pairs,
    holm,
    pooled_sd,
    sd_of_means,
    simulated_families,
)
from testbed.analysis.tables import markdown_table
from testbed.analysis.verdicts import DECIDING

PUBLISHED = Path(__file__).resolve().parents[2] / "analysis" / "published"
EFFECT = 1.25


def comparisons(folder: Path, figure: str) -> Iterator[Floats]:
    """Yield of each comparison a row of pairs for each cell."""
    runs = pl.read_csv(folder / "runs.csv", infer_schema_length=None)
    runs = runs.filter(pl.col("verdict").is_in(DECIDING))
    decisions = pl.read_csv(folder / "decisions.csv", infer_schema_length=None)
    for reference, system in (
        decisions.select("reference", "system").unique(maintain_order=True).rows()
    ):
        sides = (
            runs.filter(pl.col("system") == name).select(
                "workload", "level", "pair", pl.col(figure).log()
            )
            for name in (reference, system)
        )
        below, above = sides
        both = below.join(above, on=("workload", "level", "pair"))
        table = both.select(
            "workload", "level", "pair", difference=pl.col(f"{figure}_right") - pl.col(figure)
        ).pivot("pair", index=("workload", "level"), values="difference")
        rows = table.drop("workload", "level").to_numpy().astype(float)
        kept = (~np.isnan(rows)).sum(axis=1) > 1
        if kept.any() and rows.shape[1] > 1:
            yield rows[kept]


def layout(rows: Floats, blocks: int, figure: str) -> Layout:
    """Return what the published pairs say of a comparison."""
    together, own = between_pairs(rows), pooled_sd([row[~np.isnan(row)] for row in rows])
    assert together is not None
    assert own is not None
    cells, pairs = rows.shape
    # Satterthwaite's degrees of freedom, solved for the share.
    excess = max(own.freedom / together.freedom - 1, 0.0)
    share = min(math.sqrt(excess / (cells - 1)), 1.0) if cells > 1 else 0.0
    unequal: tuple[float, ...] = ()
    sizes = tuple(range(cells)) if figure == P95.name else ()
    if sizes:
        of_cells = [pooled_sd([row[~np.isnan(row)]]) for row in rows]
        unequal = tuple((of_cell or own).sd / own.sd for of_cell in of_cells)
    half = own.sd / math.sqrt(2)
    return Layout(cells, pairs, blocks, half, half * math.sqrt(blocks), share, unequal, sizes)


def before(plan: Layout, effect: float, experiments: int) -> list[list[str]]:
    """Return the verdicts with one variance and the degrees of freedom of independent cells."""
    rng = np.random.default_rng(1)
    each = np.array(plan.unequal or [1.0] * plan.cells)
    verdicts = []
    for _ in range(experiments):
        own = math.sqrt(1 - plan.start_share) * rng.normal(0, 1, (plan.cells, plan.pairs))
        starts = own + math.sqrt(plan.start_share) * rng.normal(0, 1, (1, plan.pairs))
        noise = rng.normal(0, plan.block_sd, (plan.cells, plan.pairs, plan.blocks))
        ratios = math.log(effect) + each[:, None, None] * (plan.pair_sd * starts[..., None] + noise)
        means = ratios.mean(axis=2)
        deviation = pooled_sd(list(means))
        assert deviation is not None
        of_blocks = sd_of_means(list(ratios.reshape(-1, plan.blocks)))
        if of_blocks is not None and of_blocks.sd > deviation.sd:
            deviation = of_blocks
        error, margin = deviation.sd / math.sqrt(plan.pairs), math.log(ALIKE)
        centre = means.mean(axis=1)
        apart = holm(2 * stats.t.sf(np.abs(centre) / error, deviation.freedom)).rejected
        alike = holm(
            np.maximum(
                stats.t.sf((centre + margin) / error, deviation.freedom),
                stats.t.cdf((centre - margin) / error, deviation.freedom),
            )
        ).rejected
        sides = np.where(centre > 0, "higher", "lower")
        verdicts.append(list(np.where(apart & ~alike, sides, "not known")))
    return verdicts


def rates(null: list[list[str]], effect: list[list[str]]) -> tuple[float, float]:
    """Return the share of families with a false decision, and of cells with a found difference."""
    false = sum(any(verdict in ("higher", "lower") for verdict in family) for family in null)
    detected = [verdict == "higher" for family in effect for verdict in family]
    return false / len(null), sum(detected) / len(detected)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--experiments", type=int, default=1000)
    parser.add_argument("folders", nargs="*", help="of published results; all by default")
    arguments = parser.parse_args()
    experiments = arguments.experiments
    titled = False
    for file in sorted(PUBLISHED.glob("**/decisions.csv")):
        folder = file.parent
        if arguments.folders and str(folder.relative_to(PUBLISHED)) not in arguments.folders:
            continue
        declared = yaml.safe_load((folder / "experiment.yaml").read_text())
        blocks = (declared.get("blocks") or {}).get("each", 1)
        for figure in (GOODPUT, P95):
            plans = [
                layout(comparison, max(blocks, 2), figure.name)
                for comparison in comparisons(folder, figure.name)
            ]
            if not plans:
                continue
            # The comparison in which the start shifts its cells most.
            plan = max(plans, key=attrgetter("start_share", "cells"))
            if blocks < 2:  # One load in each run: nothing is known within it.
                whole = math.hypot(plan.pair_sd, plan.block_sd / math.sqrt(plan.blocks))
                plan = replace(plan, pair_sd=whole, block_sd=1e-9)
            old = rates(before(plan, 1.0, experiments), before(plan, EFFECT, experiments))
            families = (
                simulated_families(plan, effect=effect, experiments=experiments)
                for effect in (1.0, EFFECT)
            )
            now = rates(*families)  # type: ignore[arg-type]
            row = {
                "folder": str(folder.relative_to(PUBLISHED)),
                "figure": figure.label,
                "cells × pairs": f"{plan.cells} × {plan.pairs}",
                "shared by a start": f"{100 * plan.start_share:.0f} %",
                "false, before": f"{100 * old[0]:.1f} %",
                "false, now": f"{100 * now[0]:.1f} %",
                "25 % found, before": f"{100 * old[1]:.0f} %",
                "25 % found, now": f"{100 * now[1]:.0f} %",
            }
            # Each as it comes: the title and its rule once.
            lines = markdown_table([row], ("folder", "figure")).splitlines()
            print("\n".join(lines[2 if titled else 0 :]), flush=True)
            titled = True


if __name__ == "__main__":
    main()
