"""Carries out an experiment: round after round, start after start."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from testbed.deploy import machine
from testbed.experiment.declaration import Experiment
from testbed.experiment.runs import Start
from testbed.experiment.schedule import round_of
from testbed.experiment.stopping import Ending, ending
from testbed.measure import machine_watch, results_directory
from testbed.measure.dependencies import Dependencies, Show, judge
from testbed.measure.load import Generator
from testbed.measure.session import Member, Session, named
from testbed.model import files


def carry_out(dependencies: Dependencies, plan: Experiment, results: Path, show: Show) -> None:
    """Measure the rest of an experiment; each run's folder is complete before the next run.

    The next run depends only on the plan and on finished runs, so a stopped experiment can resume.
    An error or an interrupt ends the generators and the systems; finished runs stay.
    """
    if (ended := results / results_directory.ENDING).is_file():
        # Its budget is spent, also if these runs are interrupted.
        ended.replace(results / results_directory.FORMER_ENDING)
    log = results / results_directory.GENERATOR_LOG
    most = max(system.generators for system in plan.compared)
    with dependencies.generators(log, most) as generators:
        reason = _carry_out_rounds(dependencies, generators, plan, results, show)
        # The systems have ended: the processors are free.
        results_directory.add_ceilings(dependencies, results, generators[0])
    files.write_json(results / results_directory.ENDING, asdict(reason))
    if plan.precision is not None:
        show.decided(reason.text)


def _carry_out_rounds(
    dependencies: Dependencies,
    generators: Sequence[Generator],
    plan: Experiment,
    results: Path,
    show: Show,
) -> Ending:
    done = results_directory.finished(results)
    number = 0
    while True:
        number += 1
        for start in round_of(plan, number):
            if plan.next_cell(start, done) is not None:
                _carry_out_start(dependencies, generators, plan, start, results, show, done)
                if len(start.systems) > 1:
                    show.narrowed(dependencies.narrowing(results))
        reason = ending(plan, number, done, partial(dependencies.reach, results))
        if reason is not None:
            return reason
        if plan.precision is not None and number >= plan.precision.min_repetitions:
            show.decided(f"not decided after {number} rounds: one more")


def _carry_out_start(
    dependencies: Dependencies,
    generators: Sequence[Generator],
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
            stack = dependencies.system(system)
            member = Member(system, stack, time.monotonic())
            with named(system.name, start):
                stack.start(show.waiting)
            running.callback(stack.stop)
            dependencies.keep_answers(stack.deployment)
            member.pids = stack.pids()
            members[system.name] = member
        show.started(start)
        session = Session(dependencies, generators, plan, start, members, results, show)
        session.warm_up()
        _part_cores(plan, generators, members)
        cell = None
        while (cell := plan.next_cell(start, done, cell)) is not None:
            records = session.measure(cell, began, plan.allocation(start, cell, done))
            for run, record in zip(start.runs(cell), records, strict=True):
                done[run.id] = record
                if (verdict := judge(results, run.id)) is not None:
                    show.judged(run, verdict)
                if record["complete_after"] is not True:
                    # A system that does not recover cannot be measured any further.
                    members[run.system].stack.require_alive()
            began = time.monotonic()
    blocks = (block for record in done.values() for block in record["blocks"])
    results_directory.describe_others(results, machine_watch.summary(blocks))


def _part_cores(
    plan: Experiment, generators: Sequence[Generator], members: Mapping[str, Member]
) -> None:
    """Give load generators and systems their cores; they started and warmed up on all of them."""
    if plan.cores_apart:
        own, others = machine.parted(plan.cores_apart)
        machine.keep_on((generator.process.pid for generator in generators), own)
        for member in members.values():
            machine.keep_on(member.pids, others)
