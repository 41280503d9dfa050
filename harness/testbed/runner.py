"""Carries out an experiment: starts, warm-ups, runs, and what is written of each."""

from __future__ import annotations

import contextlib
import itertools
import json
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from testbed import (
    arrivals,
    database,
    environment,
    experiment,
    files,
    load,
    metrics,
    search,
    usage,
)
from testbed.disturbance import Disturbance
from testbed.errors import UserError
from testbed.experiment import Experiment, Slo, System
from testbed.load import Load, Seen
from testbed.meter import cpu_between
from testbed.processes import ProcessId
from testbed.project import Project
from testbed.schedule import (
    CLOSED,
    OPEN,
    Level,
    Run,
    Start,
    open_level,
    round_of,
    rounds,
    schedule,
)
from testbed.stack import Stack

SETTLE_LIMIT_S = 90.0
"""How long a system may take, after one run, to give a full answer again."""

PARTIAL = ".partial"
"""Ends the name of the folder of a run that is not finished."""

AFTER_LIMIT_S = 15.0
"""How long a system may take, after a run, to be called complete again."""

GRACE_S = 1
"""How long after the last planned arrival of an open loop a late operation may still begin."""

Widths = Callable[[Path, str], Mapping[tuple[str, float], float | None]]
"""Returns, by workload and level, how wide the interval of the ratio of two systems is."""


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

    def judged(self, run: Run, verdict: str) -> None:
        """A run that ended is not simply valid."""

    def decided(self, text: str) -> None:
        """A rule says whether, and why, the experiment goes on."""


def _widths(results: Path, figure: str) -> Mapping[tuple[str, float], float | None]:
    # Loaded here: the numerical libraries take a second, which other experiments need not wait for.
    from testbed.analysis import decisions

    return decisions.widths(results, figure)


def _judge(results: Path, run: str) -> str | None:
    from testbed.analysis import samples, verdicts
    from testbed.analysis.results import find_results

    found = find_results(results)
    measurement = samples.measure(next(one for one in found.runs if one.id == run))
    verdict = verdicts.judge(measurement, found.environment)
    return None if verdict.status == "valid" else str(verdict)


def _reached(slo: Slo, folder: Path, record: Mapping[str, Any]) -> dict[str, Any]:
    from testbed.analysis import objective, samples
    from testbed.analysis.results import run_of

    return asdict(objective.reached_by(slo, samples.measure(run_of(folder, record))))


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
        Returns the stack of a system.
    describe
        Returns what the results are measured with.
    reset
        Empties what runs store, given the connection string of MongoDB.
    ceilings
        Returns the operations per second that the generator can reach at most, by plan.
    widths
        Returns how wide the intervals of results are.
    judge
        Says what keeps a run, by its name, from being valid; None where nothing does.
    """

    project: Project
    generator: list[str]
    system: Callable[[System], Stack]
    describe: Callable[[], dict[str, Any]]
    reset: Callable[[str], object] = database.empty_reservations
    ceilings: Callable[[], Mapping[str, float]] = dict
    widths: Widths = _widths
    judge: Callable[[Path, str], str | None] = _judge


def new_results(project: Project, name: str, moment: datetime) -> Path:
    """Return a folder that does not exist yet for the results of an experiment."""
    stem = f"{name}-{moment:%Y%m%d-%H%M%S}"
    results, number = project.results / stem, 2
    while results.exists():
        results, number = project.results / f"{stem}-{number}", number + 1
    return results


def begin(bench: Bench, plan: Experiment, results: Path) -> None:
    """Write down what is going to be measured, and with what."""
    described = {
        **bench.describe(),
        "generator_ceiling": dict(bench.ceilings()),
        "seed": plan.seed,
    }
    (results / "runs").mkdir(parents=True)
    (results / "warmup").mkdir()
    (results / "experiment.yaml").write_text(plan.to_yaml(), encoding="utf-8")
    files.write_json(results / "environment.json", described)


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


def finished(results: Path) -> dict[str, dict[str, Any]]:
    """Return the records of the runs that were measured, by their names."""
    return {
        file.parent.name: json.loads(file.read_text(encoding="utf-8"))
        for file in sorted((results / "runs").glob("*/run.json"))
    }


def next_run(
    plan: Experiment, start: Start, done: Mapping[str, Mapping[str, Any]], last: Run | None = None
) -> Run | None:
    """Return what is measured next after a start; None when all is.

    Parameters
    ----------
    start
        The start.
    done
        The records of finished runs, by name: the only thing that a search depends on.
    last
        What was measured last, so that the workloads of a search alternate.
    """
    if plan.search is None:
        return next((run for run in start.runs if run.id not in done), None)
    names = start.workloads
    if last is not None:
        turn = names.index(last.workload) + 1
        names = (*names[turn:], *names[:turn])
    for workload in names:
        rate = search.next_rate(plan.search, tried(start, workload, done))
        if rate is not None:
            return start.run(workload, open_level(plan, rate))
    return None


def tried(start: Start, workload: str, done: Mapping[str, Mapping[str, Any]]) -> dict[float, bool]:
    """Return whether the objective was met, by the rates that a search has tried."""
    return {
        record["level"]: bool(record["slo"]["met"])
        for record in done.values()
        if (record["system"], record["workload"], record["repetition"])
        == (start.system, workload, start.repetition)
    }


def unfinished(plan: Experiment, done: Mapping[str, Mapping[str, Any]]) -> tuple[Start, ...]:
    """Return the starts that are certain to be needed still, in order, each as it was scheduled.

    Parameters
    ----------
    done
        The records of finished runs, by name.
    """
    return tuple(start for start in schedule(plan) if next_run(plan, start, done) is not None)


@dataclass(frozen=True)
class Ending:
    """Why an experiment needs no further round.

    Parameters
    ----------
    rule
        ``repetitions``, ``search``, ``precise`` or ``budget``.
    rounds
        How many were measured.
    spent_min
        Minutes that the runs took, with starts and warm-ups.
    widths
        The relative half-width of the interval in each cell; None where it cannot be computed.
    """

    rule: str
    rounds: int
    spent_min: float
    widths: dict[str, float | None]

    @property
    def text(self) -> str:
        """Say it."""
        shown = ", ".join(
            f"{cell} {'unknown' if width is None else f'±{width:.1%}'}"
            for cell, width in self.widths.items()
        )
        match self.rule:
            case "precise":
                return f"precise enough after {self.rounds} rounds: {shown}"
            case "budget":
                return f"budget spent after {self.rounds} rounds, not precise enough: {shown}"
            case _:
                return f"{self.rounds} rounds measured"


def ending(
    plan: Experiment,
    repetition: int,
    done: Mapping[str, Mapping[str, Any]],
    widths: Callable[[], Mapping[tuple[str, float], float | None]],
) -> Ending | None:
    """Return why no round follows one that is complete; None when one does.

    Parameters
    ----------
    repetition
        The number of the round.
    done
        The records of finished runs.
    widths
        Computes how wide the intervals are; asked only where it matters.
    """
    spent_min = round(sum(record.get("spent_s") or 0 for record in done.values()) / 60, 2)
    if plan.precision is None:
        rule = "repetitions" if plan.search is None else "search"
        return Ending(rule, repetition, spent_min, {}) if repetition >= rounds(plan) else None
    if repetition < plan.precision.min_repetitions:
        return None
    if any(record["repetition"] > repetition for record in done.values()):
        return None  # Decided before an interruption.
    known = {f"{workload} {level:g}": width for (workload, level), width in widths().items()}
    precise = known and all(
        width is not None and width <= plan.precision.half_width for width in known.values()
    )
    if precise:
        return Ending("precise", repetition, spent_min, known)
    if spent_min >= plan.precision.budget_min:
        return Ending("budget", repetition, spent_min, known)
    return None


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
    done = finished(results)
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
        for workload in start.workloads:
            if _has_runs_left(plan, start, workload, done):
                _warm_up(bench, plan, start, workload, stack, results, show)
        run = None
        while (run := next_run(plan, start, done, run)) is not None:
            work = _Work(bench, plan, system, stack, results / "runs", show)
            record = work.measure(run, began)
            done[run.id] = record
            if (verdict := bench.judge(results, run.id)) is not None:
                show.judged(run, verdict)
            began = time.monotonic()
            if record["complete_after"] is not True:
                # A system that does not recover cannot be measured any further.
                stack.require_alive()
    finally:
        stack.stop()


def _has_runs_left(
    plan: Experiment, start: Start, workload: str, done: Mapping[str, Mapping[str, Any]]
) -> bool:
    return next_run(plan, _only(start, workload), done) is not None


def _only(start: Start, workload: str) -> Start:
    runs = tuple(run for run in start.runs if run.workload == workload)
    return replace(start, workloads=(workload,), runs=runs)


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
    level = Level(CLOSED, plan.warmup.threads, plan.warmup.threads)
    system = plan.system(start.system)
    work = _Work(bench, plan, system, stack, results / "warmup", show)
    show.warmed(name, work.warm_up(start.run(workload, level), name))


@dataclass(frozen=True)
class _Work:
    """Puts one load after another on a running system, and writes down what becomes of each."""

    bench: Bench
    plan: Experiment
    system: System
    stack: Stack
    parent: Path
    show: Show

    def warm_up(self, run: Run, name: str) -> Seen:
        """Put the load on that precedes all runs."""
        folder = self._fresh_folder(name)
        limits = self._load(run, min(self.plan.ramp, 1), duration=self.plan.warmup.duration)
        record, seen = self._put_load(run, limits, folder, name, None)
        record |= {"loops": None, "duration_s": self.plan.warmup.duration, "warmup": True}
        self._finish(folder, name, record)
        return seen

    def measure(self, run: Run, began: float) -> dict[str, Any]:
        """Measure one run; `began` is when the time that is spent on it did."""
        plan, folder = self.plan, self._fresh_folder(run.id)
        extra: dict[str, Any] = {"rate": None, "arrivals": None, "expected_operations": None}
        if run.level.mode == OPEN:
            limits, extra = self._arrivals(run, folder)
        else:
            limits = self._load(run, plan.ramp, loops=plan.loops, duration=plan.duration)
            if plan.duration is None and plan.loops is not None:
                extra["expected_operations"] = run.level.threads * plan.loops
        disturbance = None if plan.disturb is None else Disturbance(plan.disturb, self.stack.held)
        record, seen = self._put_load(run, limits, folder, run.id, disturbance)
        record |= {"loops": plan.loops, "duration_s": plan.duration, "warmup": False, **extra}
        if plan.slo is not None:
            record["slo"] = _reached(plan.slo, folder, record)
        # All that was needed for it: for the first run after a start, start and warm-ups too.
        record["spent_s"] = round(time.monotonic() - began, 1)
        self._finish(folder, run.id, record)
        self.show.measured(run, seen)
        return record

    def _arrivals(self, run: Run, folder: Path) -> tuple[Load, dict[str, Any]]:
        plan = self.plan
        schedule = plan.schedule if run.level.changing else None
        seed = arrivals.seed_of(plan, run.workload, run.level.value, run.repetition)
        offsets = arrivals.offsets(plan, run.level.value, seed, schedule)
        if not offsets.size:
            raise UserError(f"{run.id}: no arrival in {arrivals.length_s(plan):g} s at this rate")
        file = folder / "arrivals.csv"
        arrivals.write(file, offsets)
        limits = self._load(
            run, plan.ramp, duration=round(arrivals.length_s(plan)) + GRACE_S, arrivals=file
        )
        return limits, {
            "rate": run.level.value,
            "arrivals": arrivals.describe(plan, seed, len(offsets), schedule),
            "expected_operations": len(offsets),
        }

    def _load(
        self,
        run: Run,
        ramp: int,
        *,
        loops: int | None = None,
        duration: int | None = None,
        arrivals: Path | None = None,
    ) -> Load:
        return load.load_for(
            self.bench.project,
            run.variant,
            run.workload,
            threads=run.level.threads,
            ramp=ramp,
            port=self.stack.deployment.front_port,
            loops=loops,
            duration=duration,
            arrivals=arrivals,
            properties=self.system.properties,
        )

    def _fresh_folder(self, name: str) -> Path:
        folder, final = self.parent / f"{name}{PARTIAL}", self.parent / name
        # A warm-up is repeated with every start: one from before an interruption is of no use.
        for left in (folder, final):
            shutil.rmtree(left, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def _finish(self, folder: Path, name: str, record: dict[str, Any]) -> None:
        files.write_json(folder / "run.json", record)
        folder.replace(self.parent / name)

    def _put_load(
        self, run: Run, limits: Load, folder: Path, name: str, disturbance: Disturbance | None
    ) -> tuple[dict[str, Any], Seen]:
        """Run one load from a fresh state; return its record and what was seen last."""
        bench, stack, show = self.bench, self.stack, self.show
        bench.reset(stack.deployment.mongodb_uri)
        stack.await_converged(show.waiting, SETTLE_LIMIT_S)
        meter, log = stack.meter(), folder / "jmeter.log"
        seen = Seen()

        def watch(latest: Seen) -> None:
            nonlocal seen
            seen = latest
            if disturbance is not None:
                disturbance.watch(latest)
            show.loading(name, latest)

        @contextlib.contextmanager
        def accompanied(generator: ProcessId) -> Iterator[None]:
            with contextlib.ExitStack() as beside:
                beside.enter_context(stack.accompanied_by(load.GENERATOR, generator, log))
                with_generator = stack.meter({load.GENERATOR: generator})
                beside.enter_context(usage.recording(folder / "usage.csv", with_generator))
                yield

        metrics.keep(folder / "metrics-before", stack.endpoints())
        before = meter.read()
        with contextlib.nullcontext() if disturbance is None else disturbance.during():
            outcome = load.run(
                bench.generator, limits, folder / "samples.csv", log, accompanied, watch
            )
            after = meter.read()
            # Before a service that was stopped for good goes on.
            complete_after = self._complete_again()
        metrics.keep(folder / "metrics-after", stack.endpoints())
        if outcome.exit_code != 0:
            raise UserError(
                f"JMeter failed on {name} (exit code {outcome.exit_code}), see {folder}:\n"
                + log.with_suffix(".out").read_text(encoding="utf-8", errors="replace")[-2000:]
            )
        if seen.operations == 0:
            raise UserError(
                f"no operation was recorded on {name}: "
                + load.why_nothing(folder / "samples.csv", log),
                f"See {folder}.",
            )
        record = {
            "system": run.system,
            "variant": run.variant,
            "preset": run.preset,
            "settings": {
                **self.system.settings,
                # What else tells systems apart; how they fetch has a key of its own.
                **{key: v for key, v in self.system.properties.items() if key != "fetch"},
            },
            "workload": run.workload,
            "mode": run.level.mode,
            "level": run.level.value,
            "threads": run.level.threads,
            "repetition": run.repetition,
            "backends": self.plan.backends,
            "started": outcome.started.isoformat(),
            "finished": outcome.finished.isoformat(),
            "fetch": self.system.fetch,
            "plan": limits.plan.name,
            "properties": _portable(limits),
            "jmeter_exit": outcome.exit_code,
            "wall_s": outcome.duration_s,
            "server_cpu_s": cpu_between(before, after),
            "server_rss_mb": {part: round(used.rss_mb, 1) for part, used in after.items()},
            "generator_cpu_s": outcome.cpu_s,
            "generator_cpus": environment.usable_cpus(),
            "generator_ceiling_per_s": self._ceiling(limits),
            "start_s": stack.record.start_s,
            # Else the load would not have begun.
            "complete_before": True,
            "complete_after": complete_after,
            "disturbance": None if disturbance is None else disturbance.record(),
        }
        return record, seen

    def _complete_again(self) -> bool | str:
        """Return whether the front door gives a full answer, or what is missing after a while."""
        self.show.waiting("a full answer")
        deadline = time.monotonic() + AFTER_LIMIT_S
        while (missing := self.stack.missing()) is not None:
            if time.monotonic() >= deadline:
                return missing
            time.sleep(0.2)
        return True

    def _ceiling(self, limits: Load) -> float | None:
        described = json.loads((self.parent.parent / "environment.json").read_text("utf-8"))
        found = described.get("generator_ceiling", {}).get(limits.plan.name)
        return None if found is None else float(found)


def _portable(limits: Load) -> dict[str, str]:
    """Return the properties of a load; a file beside the record is named without its folder."""
    named = {} if limits.arrivals is None else {"arrivals": limits.arrivals.name}
    return {**limits.properties, **named}
