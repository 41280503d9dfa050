#!/usr/bin/env bash
# ruptures 1.1.10 (Python), detection of change points, with its default settings.
# Guess: a clean step at run 12 of 30 (100 ms before, 120 ms after, noise of 1 ms) is one change, at 12.
# What happens: changes are looked for at every fifth run alone (`jump=5`). Binseg, Dynp and Window report 10,
# and Pelt two changes, 10 and 15. A step at 17 is 15 for Dynp, two changes for Pelt. With `jump=1` all are right.
# Why it matters: the commit that is said to have made a service slower is up to three away from the one that did, and
# Pelt shows two regressions where there is one. A history of benchmarks has few runs, not thousands of samples.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

python_packages ruptures==1.1.10 numpy==2.4.6

cat > changes.py <<'END'
import sys

import numpy
import ruptures

failed = False
for at, expected in [(12, ([10, 15], [10], [10], [10])), (17, ([15, 20], [15], [15], [15]))]:
    runs = numpy.where(numpy.arange(30) < at, 100.0, 120.0) + numpy.random.default_rng(1).normal(0, 1, 30)

    def changes(**settings):
        pelt = ruptures.Pelt("l2", **settings).fit(runs).predict(pen=50)
        others = (
            ruptures.Binseg("l2", **settings),
            ruptures.Dynp("l2", **settings),
            ruptures.Window(10, "l2", **settings),
        )
        return tuple(
            [int(change) for change in ends[:-1]]
            for ends in (pelt, *(search.fit(runs).predict(n_bkps=1) for search in others))
        )

    seen, every = changes(), changes(jump=1)
    print(f"step at run {at}: Pelt {seen[0]}, Binseg {seen[1]}, Dynp {seen[2]}, Window {seen[3]}; jump=1: {every}")
    if seen != expected or every != ([at],) * 4:
        failed = True
        print(f"NO LONGER SO: {expected}; with jump=1 [{at}] each")
sys.exit(failed)
END
packages/bin/python changes.py
