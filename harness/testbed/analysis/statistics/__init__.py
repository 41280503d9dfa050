"""Statistics of the report: pure functions, each with the source of its formula.

The statistical unit is the pair of starts, or the run if runs are not paired. Response times within
a run are autocorrelated, so their number says little about precision.
"""
