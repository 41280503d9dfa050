"""Turn result files into tables, figures and the report.

A result row flows through these modules, in this order:

- Reading: `results` finds runs, `sample_files` reads rows, `other_tools` those of tools other than
  JMeter, and `samples` makes samples and operations of them.
- Judging: `verdicts`.
- Figures of a run: `quantities` defines those that are compared. `exchanges`, `hops`, `accounts`,
  `caching`, `autoscaling`, `demands` and `objective` have those of one kind of experiment,
  `utilisation` says which limits were full. `per_run` makes tables of them, `studies` and
  `grouping` groups.
- Comparing: `decisions` compares systems, `aa` identical ones, `comparison` two results.
  `precision` says what would be detected. `summary` makes a row of each cell.
- Following from these: `ladders`, `scaling`, `capacities`, `prices`.
- Writing: `answer`, `tables`, `sections`, `claims` and `figures` make text and pictures. `report`
  runs ``analysis/report.ipynb``, `published` needs no samples, `flames` draws profiles.

`statistics` has the formulas, `arrays` the types of arrays.
"""
