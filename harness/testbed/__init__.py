"""Starts the variants of the product, measures them, and reports.

A package imports only packages that stand below it:

- `cli`: what a user types;
- `watch`: live metrics, annotations and dashboards;
- `measure`: carries out an experiment: load, warm-up, blocks, and what is recorded of each run;
- `analysis`: samples, verdicts, decisions, figures, the report;
- `deploy`: builds, starts and ends systems, as processes or containers;
- `experiment`: what an experiment is, its order, its arrivals, and when it is enough;
- `model`: errors, files, names and words that every package uses.
"""

from pathlib import Path

__version__ = "0.1.0"

LAUNCHER = "testbed" if (Path(__file__).parent / "shipped").is_dir() else "./testbed"
"""What a user types before a command: the launcher of a checkout, or an installed program."""
