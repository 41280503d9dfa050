"""Carries out an experiment: round after round, start after start, until nothing is left."""

from __future__ import annotations

import itertools
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from testbed import files, results_directory
from testbed.bench import Bench, Show
from testbed.ending import ending
from testbed.experiment import Experiment
from testbed.schedule import Start, next_run, round_of, unfinished_workloads
from testbed.session import Session


def carry_out(bench: Bench, plan: Experiment, results: Path, show: Show) -> None:
    """Measure what is left of an experiment; each run is complete in its folder before the next.

    What comes next depends on the plan and on finished runs alone, so that a stopped experiment
    goes on as if it had not been. An error or an interrupt ends the generator and the stack; what
    was measured stays.

    Parameters
    ----------
    results
        Where to, and what is there already.
    show
        Is told how it goes on.
    """
    done = results_directory.finished(results)
    for repetition in itertools.count(1):
        for start in round_of(plan, repetition):
            if next_run(plan, start, done) is not None:
                _carry_out_start(bench, plan, start, results, show, done)
        reason = ending(
            plan,
            repetition,
            done,
            lambda: bench.widths(results, plan.precision.figure) if plan.precision else {},
        )
        if reason is not None:
            files.write_json(results / "ending.json", asdict(reason))
            if plan.precision is not None:
                show.decided(reason.text)
            return
        if plan.precision is not None and repetition >= plan.precision.min_repetitions:
            show.decided(f"not precise enough after {repetition} rounds: one more")


def _carry_out_start(
    bench: Bench,
    plan: Experiment,
    start: Start,
    results: Path,
    show: Show,
    done: dict[str, dict[str, Any]],
) -> None:
    show.starting(start)
    began = time.monotonic()
    system = plan.system(start.system)
    stack = bench.system(system)
    stack.start(show.waiting)
    try:
        show.started(start, time.monotonic() - began)
        ceilings = results_directory.ceilings(results)
        session = Session(bench, plan, system, stack, results, ceilings, show)
        for workload in unfinished_workloads(plan, start, done):
            session.warm_up(start, workload)
        run = None
        while (run := next_run(plan, start, done, run)) is not None:
            record = session.measure(run, began)
            done[run.id] = record
            if (verdict := bench.judge(results, run.id)) is not None:
                show.judged(run, verdict)
            began = time.monotonic()
            if record["complete_after"] is not True:
                # A system that does not recover cannot be measured any further.
                stack.require_alive()
    finally:
        stack.stop()
