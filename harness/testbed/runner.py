"""Carries out an experiment: starts, warm-ups, runs, and what is written of each."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from testbed import database, environment, experiment, load
from testbed.errors import UserError
from testbed.experiment import Experiment
from testbed.load import Load, Seen
from testbed.meter import cpu_between
from testbed.project import Project
from testbed.schedule import Run, Start, remaining, schedule
from testbed.stack import Stack

SETTLE_LIMIT_S = 90.0
"""How long a system may take, after one run, to give a full answer again."""

PARTIAL = ".partial"
"""Ends the name of the folder of a run that is not finished."""


class Show(Protocol):
    """Is told how an experiment goes on."""

    def starting(self, start: Start) -> None:
        """A variant is about to be started."""

    def waiting(self, what: str) -> None:
        """Something is being waited for."""

    def started(self, start: Start, seconds: float) -> None:
        """The variant reached all its cinemas."""

    def loading(self, name: str, seen: Seen) -> None:
        """A warm-up or a run goes on."""

    def warmed(self, name: str, seen: Seen) -> None:
        """A warm-up ended."""

    def measured(self, run: Run, seen: Seen) -> None:
        """A run ended."""


@dataclass(frozen=True)
class Bench:
    """What runs are carried out with.

    Parameters
    ----------
    project
        Where the plans are.
    generator
        Starts JMeter.
    system
        Returns the stack of a variant under a preset.
    describe
        Returns what the results are measured with.
    reset
        Empties what runs store, given the connection string of MongoDB.
    """

    project: Project
    generator: list[str]
    system: Callable[[str, str], Stack]
    describe: Callable[[], dict[str, Any]]
    reset: Callable[[str], object] = database.empty_reservations


def new_results(project: Project, name: str, moment: datetime) -> Path:
    """Return a folder that does not exist yet for the results of an experiment."""
    stem = f"{name}-{moment:%Y%m%d-%H%M%S}"
    results, number = project.results / stem, 2
    while results.exists():
        results, number = project.results / f"{stem}-{number}", number + 1
    return results


def begin(bench: Bench, plan: Experiment, results: Path) -> None:
    """Write down what is going to be measured, and with what."""
    (results / "runs").mkdir(parents=True)
    (results / "warmup").mkdir()
    (results / "experiment.yaml").write_text(plan.to_yaml(), encoding="utf-8")
    _write_json(results / "environment.json", {**bench.describe(), "seed": plan.seed})


def declared(results: Path) -> Experiment:
    """Read the experiment of a result directory.

    Raises
    ------
    UserError
        When it is no result directory.
    """
    file = results / "experiment.yaml"
    if not file.is_file():
        raise UserError(f"no results in {results}: {file.name} is missing")
    return experiment.parse(file.read_text(encoding="utf-8"), str(file))


def require_same(bench: Bench, results: Path) -> None:
    """Check that what is still to be measured is measured with the same as the rest was.

    Raises
    ------
    UserError
        Naming each difference, with both values.
    """
    recorded = json.loads((results / "environment.json").read_text(encoding="utf-8"))
    differing = environment.differences(recorded, bench.describe())
    if differing:
        raise UserError(
            "\n".join(["the rest would be measured with something else:", *differing]),
            "Restore it, or run the experiment anew.",
        )


def pending(plan: Experiment, results: Path) -> tuple[Start, ...]:
    """Return what is still to be measured, in order."""
    done = {file.parent.name for file in (results / "runs").glob("*/run.json")}
    return remaining(schedule(plan), done)


def carry_out(
    bench: Bench, plan: Experiment, starts: Sequence[Start], results: Path, show: Show
) -> None:
    """Measure runs; each is complete in its folder before the next one begins.

    An error or an interrupt ends the generator and the stack; what was measured stays.

    Parameters
    ----------
    starts
        What to measure, in order.
    results
        Where to.
    show
        Is told how it goes on.
    """
    for start in starts:
        show.starting(start)
        began = time.monotonic()
        stack = bench.system(start.variant, start.preset)
        stack.start(show.waiting)
        try:
            show.started(start, time.monotonic() - began)
            for workload in start.workloads:
                _warm_up(bench, plan, start, workload, stack, results, show)
            for run in start.runs:
                _measure(bench, plan, run, stack, results, show)
        finally:
            stack.stop()


def _warm_up(
    bench: Bench,
    plan: Experiment,
    start: Start,
    workload: str,
    stack: Stack,
    results: Path,
    show: Show,
) -> None:
    name = start.warmup_id(workload)
    run = Run(start.variant, workload, start.preset, plan.warmup.threads, start.repetition)
    limits = load.load_for(
        bench.project,
        run.variant,
        workload,
        threads=run.threads,
        loops=None,
        duration=plan.warmup.duration,
        ramp=min(plan.ramp, 1),
        port=stack.deployment.front_port,
        fetch=plan.fetch_of(run.preset),
    )
    seen = _put_load(bench, plan, run, limits, stack, results / "warmup", name, show)
    show.warmed(name, seen)


def _measure(
    bench: Bench, plan: Experiment, run: Run, stack: Stack, results: Path, show: Show
) -> None:
    limits = load.load_for(
        bench.project,
        run.variant,
        run.workload,
        threads=run.threads,
        loops=plan.loops,
        duration=plan.duration,
        ramp=plan.ramp,
        port=stack.deployment.front_port,
        fetch=plan.fetch_of(run.preset),
    )
    seen = _put_load(bench, plan, run, limits, stack, results / "runs", run.id, show)
    show.measured(run, seen)


def _put_load(
    bench: Bench,
    plan: Experiment,
    run: Run,
    limits: Load,
    stack: Stack,
    parent: Path,
    name: str,
    show: Show,
) -> Seen:
    """Run one load from a fresh state, and write its samples and its record."""
    folder, final = parent / f"{name}{PARTIAL}", parent / name
    # A warm-up is repeated with every start: one from before an interruption is of no use.
    for left in (folder, final):
        shutil.rmtree(left, ignore_errors=True)
    folder.mkdir(parents=True)
    warmup = parent.name == "warmup"

    bench.reset(stack.deployment.mongodb_uri)
    stack.await_converged(show.waiting, SETTLE_LIMIT_S)
    meter = stack.meter()
    seen = Seen()

    def watch(latest: Seen) -> None:
        nonlocal seen
        seen = latest
        show.loading(name, latest)

    before = meter.read()
    outcome = load.run(
        bench.generator,
        limits,
        folder / "samples.csv",
        folder / "jmeter.log",
        lambda identity: stack.accompanied_by("jmeter", identity, folder / "jmeter.log"),
        watch,
    )
    after = meter.read()
    stack.require_alive()
    if outcome.exit_code != 0 or not (folder / "samples.csv").is_file():
        raise UserError(
            f"JMeter failed on {name} (exit code {outcome.exit_code}), see {folder}:\n"
            + (folder / "jmeter.out").read_text(encoding="utf-8", errors="replace")[-2000:]
        )
    record = {
        **asdict(run),
        "backends": plan.backends,
        "started": outcome.started.isoformat(),
        "finished": outcome.finished.isoformat(),
        "loops": None if warmup else plan.loops,
        "duration_s": plan.warmup.duration if warmup else plan.duration,
        "fetch": plan.fetch_of(run.preset) if run.variant == "async" else None,
        "plan": limits.plan.name,
        "properties": dict(limits.properties),
        "jmeter_exit": outcome.exit_code,
        "wall_s": outcome.duration_s,
        "server_cpu_s": cpu_between(before, after),
        "server_rss_mb": {part: round(usage.rss_mb, 1) for part, usage in after.items()},
        "generator_cpu_s": outcome.cpu_s,
        "start_s": stack.record.start_s,
        "warmup": warmup,
    }
    _write_json(folder / "run.json", record)
    folder.replace(final)
    return seen


def _write_json(file: Path, data: dict[str, Any]) -> None:
    draft = file.with_suffix(".draft")
    draft.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    draft.replace(file)
