"""By how much figures differ over blocks, pairs of starts and invocations, as a Markdown table.

The table of docs/method.md comes from three invocations of ``./testbed compare``::

    .venv/bin/python harness/benchmarks/spread.py results/compare-*
"""

from __future__ import annotations

import argparse
from pathlib import Path

from testbed.analysis.samples import load
from testbed.analysis.sections.spread import spread
from testbed.analysis.verdicts import judge_all

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", nargs="+", type=Path)
    print(spread([judge_all(load(path)) for path in parser.parse_args().results]))
