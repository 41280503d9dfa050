"""Starts the variants of the product, measures them, and reports.

Where to look:

- what a user types: `cli`;
- what an experiment is: `experiment`, of `experiment_parts`, read by `experiment_file`;
- what is started, and how: `variants`, `services`, `stack`, `compose`, `aot_cache`, `build`, `jdk`;
- in which order, and when it is enough: `schedule`, `search`, `ending`, foretold by `planning`;
- one measurement: `runner` carries out an experiment, a `session` one start, `load` one run;
- what is written: `results_directory`, `environment`, `metrics`, `record`;
- how it is watched meanwhile: `live`, `marks`, `scraping`, `dashboards`;
- what becomes of it: `analysis`.
"""
