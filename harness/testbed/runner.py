"""Carries out an experiment: round after round, start after start, until nothing is left."""

from __future__ import annotations

import contextlib
import itertools
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from testbed import files, load, results_directory
from testbed.bench import Bench, Show
from testbed.ending import ending
from testbed.experiment import Experiment
from testbed.load import Generator
from testbed.schedule import Start, next_cell, round_of
from testbed.session import Member, Session


def carry_out(bench: Bench, plan: Experiment, results: Path, show: Show) -> None:
    """Measure what is left of an experiment; each run is complete in its folder before the next.

    What comes next depends on the plan and on finished runs alone, so that a stopped experiment
    goes on as if it had not been. An error or an interrupt ends the generator and the systems; what
    was measured stays.

    Parameters
    ----------
    results
        Where to, and what is there already.
    show
        Is told how it goes on.
    """
    done = results_directory.finished(results)
    log = results / results_directory.GENERATOR_LOG
    with load.Generator.started(bench.generator, log) as generator:
        for number in itertools.count(1):
            for start in round_of(plan, number):
                if next_cell(plan, start, done) is not None:
                    _carry_out_start(bench, generator, plan, start, results, show, done)
                    if len(start.systems) > 1:
                        show.known(bench.narrowing(results))
            reason = ending(
                plan,
                number,
                done,
                lambda: bench.could_tell(results, plan.precision.figure) if plan.precision else {},
            )
            if reason is not None:
                files.write_json(results / "ending.json", asdict(reason))
                if plan.precision is not None:
                    show.decided(reason.text)
                return
            if plan.precision is not None and number >= plan.precision.min_repetitions:
                show.decided(f"not precise enough after {number} rounds: one more")


def _carry_out_start(
    bench: Bench,
    generator: Generator,
    plan: Experiment,
    start: Start,
    results: Path,
    show: Show,
    done: dict[str, dict[str, Any]],
) -> None:
    show.starting(start)
    began = time.monotonic()
    with contextlib.ExitStack() as running:
        members = {}
        for system in start.systems:
            stack = bench.system(system)
            member = Member(system, stack, time.monotonic())
            stack.start(show.waiting)
            running.callback(stack.stop)
            members[system.name] = member
        show.started(start)
        session = Session(bench, generator, plan, start, members, results, show)
        session.warm_up()
        cell = None
        while (cell := next_cell(plan, start, done, cell)) is not None:
            records = session.measure(cell, began)
            for run, record in zip(start.runs(cell), records, strict=True):
                done[run.id] = record
                if (verdict := bench.judge(results, run.id)) is not None:
                    show.judged(run, verdict)
                if record["complete_after"] is not True:
                    # A system that does not recover cannot be measured any further.
                    members[run.system].stack.require_alive()
            began = time.monotonic()
