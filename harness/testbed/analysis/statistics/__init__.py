"""Statistics of the report: pure functions, each with the source of its formula.

The pair of starts is the statistical unit, or the run where runs are no pairs. Within a run
response times are autocorrelated, so that their number says little about how well they are known.
"""
