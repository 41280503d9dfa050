"""From JMeter's result files to operations, tables, figures and the report.

Each step takes what the one before it returns: `results` finds runs, `samples` reads them,
`verdicts` judges them, and of those that may be used `decisions` compares systems, `quantities`
says by which figures, `summary` makes one row per cell and `hops` tells where time went.
`statistics` holds the formulas. The report is said by `sections` and `claims`, drawn by `figures`,
and put together by `report` from ``analysis/report.ipynb``.
"""
