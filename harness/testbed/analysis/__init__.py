"""Turn JMeter's result files into tables, figures and the report.

`results` finds runs, `samples` reads them, `verdicts` judges them, `decisions` compares systems,
`summary` makes one row per cell, and `hops` shows where the time went. `quantities` defines the
compared figures and `statistics` holds the formulas. `sections` and `claims` write the report's
text, `figures` draws, and `report` runs ``analysis/report.ipynb``.
"""
