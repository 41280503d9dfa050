"""Statistics of the report: pure functions, each with the source of its formula.

The run is the statistical unit. Within a run response times are autocorrelated, so that their
number says little about how well they are known; `batch_means` is for statements about one run,
`ratio_intervals` for statements about variants.
"""
