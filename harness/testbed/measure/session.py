"""One start of systems that are up together: warm-up, runs and their records."""

from __future__ import annotations

import contextlib
import itertools
import math
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from testbed.deploy import machine
from testbed.deploy.deployer import polls
from testbed.deploy.meter import Usage, risen
from testbed.deploy.services import client
from testbed.deploy.stack import Stack
from testbed.experiment.declaration import Experiment
from testbed.experiment.open_loop import seed_of
from testbed.experiment.runs import Allocation, Cell, Planned, Run, Start, System
from testbed.measure import load, machine_watch, metrics, plans, results_directory, warming
from testbed.measure.autoscaler import Autoscaler, ScaledService
from testbed.measure.companions import Companion, Loading
from testbed.measure.dependencies import Dependencies, Show, reached
from testbed.measure.ledger import Accounting
from testbed.measure.load import Generator, Load, Outcome, Part
from testbed.measure.machine_watch import Others, Reading
from testbed.measure.samplefile import Seen
from testbed.measure.scraping import Scraper
from testbed.measure.suspension import Suspension
from testbed.measure.warming import Window
from testbed.model import systems
from testbed.model.errors import UserError
from testbed.model.loads import load_words

SETTLE_LIMIT_S = 90.0
"""How long a system may take, before a load, to give a full answer again."""

AFTER_LIMIT_S = 15.0
"""How long a system may take, after a run, to give a full answer and count as complete."""

FUTILE = 2
"""Repeats in a row that are disturbed again, after which this start repeats nothing more."""

QUIET_MACHINE_S = 10
"""The longest wait for other programs to become quiet before a repeat, in seconds."""

GRACE_S = 1
"""How long after the last planned arrival of an open loop a late operation may still begin."""


NOT_IN_EVERY_RUN = (
    *("disturbance", "scraped", "scaling"),
    *("rate", "arrivals", "expected_operations"),
)
"""Entries of a record that are None unless something sets them."""


@contextlib.contextmanager
def named(system: str, start: Start) -> Iterator[None]:
    """Let errors say of which of several systems they are: both may be versions of one service."""
    try:
        yield
    except UserError as problem:
        if len(start.systems) == 1:
            raise
        raise UserError(f"{system}: {problem.message}", problem.hint) from problem


@dataclass
class Member:
    """A system that is up.

    `began` is the monotonic time at which its start began. `loads` counts the windows and blocks
    that it has had. `lacks` says by workload why it is not warm; None without a warm-up. `pids` are
    process ids on this machine. `token` is what its loads are sent with, if it wants one.
    """

    system: System
    stack: Stack
    began: float
    loads: int = 0
    lacks: Mapping[str, str] | None = None
    pids: tuple[int, ...] = ()
    token: str | None = field(default=None, repr=False)

    @property
    def age_s(self) -> float:
        return time.monotonic() - self.began

    @property
    def warm(self) -> bool | None:
        return None if self.lacks is None else not self.lacks

    @property
    def why_cold(self) -> str | None:
        """What it lacks to be warm, in words; None if it is, or without a warm-up."""
        lacks = self.lacks or {}
        return "; ".join(f"{workload}: {why}" for workload, why in lacks.items()) or None


@dataclass
class Recording:
    """A run that is being measured."""

    run: Run
    member: Member
    folder: Path
    allocation: Allocation | None = None
    companions: list[Companion] = field(default_factory=list)
    load: Load | None = None
    entries: dict[str, Any] = field(default_factory=dict)
    """Entries of its record."""
    blocks: list[dict[str, Any]] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)
    discarded: list[dict[str, Any]] = field(default_factory=list)
    """What others used during a whole run that was measured again."""
    begun: float = field(default_factory=time.monotonic)


@dataclass
class Repeats:
    """Tells whether it is worth repeating what other programs disturbed."""

    in_vain: int = 0
    """Repeats in a row that were disturbed again."""

    @property
    def worthwhile(self) -> bool:
        return self.in_vain < FUTILE

    def first(self, *, disturbed: bool) -> None:
        """Note a first measurement: if it was not disturbed, the machine is quiet again."""
        if not disturbed:
            self.in_vain = 0

    def again(self, *, disturbed: bool) -> None:
        """Note a repeat."""
        self.in_vain = self.in_vain + 1 if disturbed else 0


@dataclass(frozen=True)
class Session:
    """Puts one load after another on running systems."""

    dependencies: Dependencies
    generators: Sequence[Generator]
    plan: Experiment
    start: Start
    members: Mapping[str, Member]
    results: Path
    show: Show
    repeats: Repeats = field(default_factory=Repeats)

    def warm_up(self) -> None:
        """Load each system until it is warm, or until more load would not help.

        Raises `UserError` as `measure` does.
        """
        rule = self.plan.warmup
        if not rule.at_most:
            return
        folder = results_directory.fresh_folder(self.results / "warmup" / self.start.id)
        windows: dict[str, list[Window]] = {name: [] for name in self.members}
        spent: dict[str, list[float]] = {name: [] for name in self.members}
        every = self.start.workloads
        cold = {name: list(every) for name in self.members}
        while cold:
            for name, workloads in cold.items():
                began = time.monotonic()
                self._warm_up_once(self.members[name], workloads, windows[name], folder)
                spent[name].append(time.monotonic() - began)
            cold = {
                name: workloads
                for name in cold
                if warming.has_time(spent[name], rule)
                and (workloads := warming.cold(windows[name], every, rule.operations))
            }
        for name, member in self.members.items():
            member.lacks = warming.lacks(windows[name], every, rule.operations)
        self.show.waiting("the compilers")
        warming.await_quiet([pid for member in self.members.values() for pid in member.pids])
        everything = sorted(
            itertools.chain.from_iterable(windows.values()), key=lambda window: window.age_s
        )
        warming.write(self.results / "warmup" / f"{self.start.id}.csv", everything)
        shutil.rmtree(folder)
        self.show.warmed(self.start, "; ".join(map(_warmth, self.members.values())))

    def measure(
        self, cell: Cell, began: float, allocation: Allocation | None = None
    ) -> list[dict[str, Any]]:
        """Measure a cell on every system, and return the records of the runs.

        The time spent counts from `began`, by the monotonic clock. `allocation` limits the CPU
        meanwhile. Raises `UserError` when the generator fails or no operation is recorded.
        """
        with contextlib.ExitStack() as running:
            recordings = {run.system: self._begin(run, running) for run in self.start.runs(cell)}
            for recording in recordings.values():
                recording.allocation = allocation
                system, stack = recording.member.system, recording.member.stack
                cpus = system.measured_cpus if allocation is None else allocation.shares
                running.enter_context(stack.limited(cpus))
            if self.plan.in_turns:
                self._measure_in_turns(cell, recordings)
            else:
                (recording,) = recordings.values()
                self._measure_at_once(recording)
            for recording in recordings.values():
                for companion in recording.companions:
                    recording.entries |= companion.record()
            for recording in recordings.values():
                # Before the harness sends requests of its own.
                self._keep_metrics(recording, "after")
            return [self._end(recording, began) for recording in recordings.values()]

    def _measure_in_turns(self, cell: Cell, recordings: Mapping[str, Recording]) -> None:
        """Measure a run of each system, in blocks that take turns.

        A disturbed turn is repeated once, with the blocks of every system: a single block would
        change the order.
        """
        for turn in self.start.turns(cell, self.plan.each):
            disturbed = self._turn(turn, recordings)
            self.repeats.first(disturbed=disturbed)
            if disturbed and self._may_repeat(cell):
                self.repeats.again(disturbed=self._turn(turn, recordings))

    def _turn(self, turn: Sequence[System], recordings: Mapping[str, Recording]) -> bool:
        """Measure a turn of blocks; return whether one was disturbed, so that none counts."""
        measured, plan = [], self.plan
        for system in turn:
            recording = recordings[system.name]
            number = len(recording.blocks)
            file = recording.folder / f"block-{number + 1}.csv"
            # With the number, arrivals are the same for the blocks of every system.
            if (planned := plan.arrivals_of(recording.run, number)) is not None:
                asked = self._arrivals(recording, planned, f"arrivals-{number + 1}.csv")
                planned_s = None
            else:
                asked = self._load_of(recording, plan.ramp, block=number, duration=plan.load_s)
                planned_s = plan.load_s
            self._block(recording, asked, file, planned_s=planned_s, settle_s=plan.settle_s)
            if planned is not None:
                recording.blocks[-1]["arrivals"] = planned.describe()
            measured.append(recording.blocks[-1])
        disturbed = any(block["disturbed"] for block in measured)
        for block in measured:
            block["counts"] = not disturbed
        return disturbed

    def _may_repeat(self, cell: Cell) -> bool:
        """Wait for other programs to become quiet; return whether a repeat is worthwhile."""
        what = f"{cell.workload}, {load_words(cell.level.mode, cell.level.value)}"
        if not self.repeats.worthwhile:
            self.show.noticed(f"{what}: disturbed again, so not repeated")
            return False
        for _ in range(QUIET_MACHINE_S):
            before = self._read()
            time.sleep(machine_watch.SAMPLE_S)
            others = self._others(before)
            if others is None or not others.disturbing:
                break
            self.show.waiting(f"other programs, which use {machine_watch.words(others)}")
        self.show.noticed(f"{what}: disturbed by other programs, measured again")
        return True

    def _read(self) -> Reading | None:
        """Read the machine; None where it is not watched."""
        watch = self.dependencies.watch
        if watch is None:
            return None
        return watch.read([pid for member in self.members.values() for pid in member.pids])

    def _others(self, before: Reading | None) -> Others | None:
        """Return what others have used since a reading."""
        return None if before is None else machine_watch.between(before, self._read())

    def _measure_at_once(self, recording: Recording) -> None:
        """Measure a run of one load; the experiment gives its length."""
        plan, planned_s = self.plan, None
        if (planned := plan.arrivals_of(recording.run)) is not None:
            asked = self._arrivals(recording, planned, "arrivals.csv")
            recording.entries |= {
                "arrivals": planned.describe(),
                "expected_operations": len(planned.offsets),
            }
        else:
            asked = self._load_of(recording, plan.ramp, loops=plan.loops, duration=plan.duration)
            if plan.loops is None:
                planned_s = plan.duration
            elif plan.duration is None:
                recording.entries["expected_operations"] = recording.run.level.threads * plan.loops
        file = recording.folder / "samples.csv"
        self._block(recording, asked, file, planned_s=planned_s)
        self.repeats.first(disturbed=recording.blocks[-1]["disturbed"])
        if recording.blocks[-1]["disturbed"] and self._repeats_at_once(recording):
            recording.discarded.append(recording.blocks.pop()["others"])
            recording.seen.clear()
            file.unlink()
            self._refresh(recording.member)
            self._keep_metrics(recording, "before")
            self._block(recording, asked, file, planned_s=planned_s)
            self.repeats.again(disturbed=recording.blocks[-1]["disturbed"])

    def _repeats_at_once(self, recording: Recording) -> bool:
        """Return whether a disturbed run of one load is measured again.

        Counters of a whole start, such as those of work in queues, cannot be reset.
        """
        if recording.companions or recording.member.system.generators > 1:
            return False
        return self._may_repeat(Cell(recording.run.workload, recording.run.level))

    def _arrivals(self, recording: Recording, planned: Planned, name: str) -> Load:
        if not planned.offsets.size:
            raise UserError(
                f"{recording.run.id}: no arrival in {planned.length_s:g} s at this rate"
            )
        file = recording.folder / name
        planned.write(file)
        length = math.ceil(planned.length_s) + GRACE_S + planned.patience_s
        recording.entries["rate"] = recording.run.level.value
        return self._load_of(recording, self.plan.ramp, duration=length, arrivals=file)

    def _load_of(self, recording: Recording, ramp: int, *, block: int = 0, **bounds: Any) -> Load:
        run = recording.run
        # As of arrivals: the same for the blocks of every system.
        choices = seed_of(self.plan.seed, run.workload, run.level.value, run.repetition, block)
        bounds = {"choices": choices, **bounds}
        return self._load(recording.member, run.workload, run.level.threads, ramp, **bounds)

    def _load(self, member: Member, workload: str, threads: int, ramp: int, **bounds: Any) -> Load:
        """Return a load on a system; `bounds` go to `testbed.measure.load.load_for`."""
        deployment = member.stack.deployment
        token = {} if member.token is None else {load.TOKEN: member.token}
        return load.load_for(
            self.dependencies.project,
            member.system.variant,
            workload,
            threads=threads,
            ramp=ramp,
            ports=deployment.front_ports,
            host=deployment.front_host,
            properties={**member.system.properties, **deployment.front_properties, **token},
            **bounds,
        )

    def _window(self, member: Member, workload: str, samples: Path) -> Window:
        """Load a system with one workload for a few seconds; the samples are not kept."""
        rule = self.plan.warmup
        name = f"warm-up {member.system.name} {workload}"
        once = {"duration": rule.window, "choices": member.loads}
        asked = self._load(member, workload, rule.threads, 0, **once)
        if asked.properties.get("fetch") == "immediate":
            # Nearly all would fail, though the system does their work: no successes, no end.
            asked = replace(asked, properties={**asked.properties, "fetch": "wait"})
        age_s, reading, meter = member.age_s, self._read(), member.stack.meter()
        used, compiled_s = meter.read(), warming.compilers_s(member.pids)
        clock = time.monotonic()
        outcome = self._put(member, name, asked, samples, cold=True)
        machine_s = (time.monotonic() - clock) * machine.usable_cpus()
        cpu_s = sum(risen(used, meter.read(), "cpu_s").values()) or None
        compiled_after_s, others = warming.compilers_s(member.pids), self._others(reading)
        member.loads += 1
        compiling = None
        if compiled_s is not None and compiled_after_s is not None:
            # A compiler thread that ended takes its time with it.
            compiled_s = max(0.0, compiled_after_s - compiled_s)
            compiling = compiled_s / machine_s
            cpu_s = None if cpu_s is None else cpu_s - compiled_s
        seen, requests = outcome.seen, None
        if plans.is_session(self.dependencies.project, member.system.variant, workload):
            rows = sum(part.samples for part in outcome.parts) - seen.operations
            # Of those that failed, about their share.
            requests = round(rows * (1 - seen.failed / max(1, seen.operations)))
        return Window(
            system=member.system.name,
            workload=workload,
            age_s=age_s,
            seconds=rule.window,
            ok_per_s=(seen.operations - seen.failed) / rule.window,
            failed=seen.failed,
            compiling=compiling,
            cpu_s=cpu_s,
            others=None if others is None else others.share,
            requests=requests,
        )

    def _warm_up_once(
        self, member: Member, workloads: Iterable[str], windows: list[Window], folder: Path
    ) -> None:
        """Do as a run does, with some workloads; append a window of each."""
        self._refresh(member)
        # The first scrape loads classes, which invalidates compiled code.
        metrics.keep(folder, member.stack.endpoints())
        for workload in workloads:
            # Each window has its own file: JMeter appends, and the exporter follows files by name.
            samples = folder / f"samples.{member.system.name}.{member.loads}.csv"
            windows.append(self._window(member, workload, samples))
            own = systems.declaration(member.system.variant).own
            if own and warming.fails(windows, workload):
                why = load.why_nothing(samples, self.generators[0].log)
                raise UserError(
                    f"{member.system.name}: {workload} had {windows[-1].failed:,} answers in "
                    f"{windows[-1].seconds:g} s, and no right one: {why}"
                )

    def _refresh(self, member: Member) -> None:
        """Delete the data of a system, and wait for a full answer."""
        self.dependencies.reset(member.stack.deployment)
        with named(member.system.name, self.start):
            member.stack.await_converged(self.show.waiting, SETTLE_LIMIT_S)
        # A new one for each run: none ends within it.
        if member.stack.deployment.ask_token is not None:
            with client() as http:
                member.token = member.stack.deployment.ask_token(http)

    def _begin(self, run: Run, running: contextlib.ExitStack) -> Recording:
        """Prepare a run; what it leaves behind on its system ends with `running`."""
        member, plan = self.members[run.system], self.plan
        system, stack = member.system, member.stack
        folder = results_directory.fresh_folder(self.results / "runs" / run.id)
        recording = Recording(run, member, folder)
        self._refresh(member)
        ledger = systems.declaration(run.variant).ledger
        if ledger is not None and plan.drain is not None:
            accounting = Accounting(ledger, stack, folder, plan.drain, self.show.waiting)
            accounting.begin()
            recording.companions.append(accounting)
        answering = self._keep_metrics(recording, "before")
        if system.scrape is not None:
            endpoints = stack.endpoints()
            asked = {name: endpoints[name] for name in answering}
            recording.companions.append(Scraper(system.scrape, asked))
        if system.autoscale:
            requests = {name: limits.cpus for name, limits in system.limits.items() if limits.cpus}
            services = [
                ScaledService(rule, requests[rule.service], stack) for rule in system.autoscale
            ]
            autoscaler = Autoscaler(services, folder)
            running.callback(autoscaler.reset)
            recording.companions.append(autoscaler)
        if plan.disturb is not None:
            complete = partial(self._complete_after, recording)
            suspension = Suspension(plan.disturb, stack.suspended, complete)
            running.callback(suspension.end)
            recording.companions.append(suspension)
        return recording

    def _keep_metrics(self, recording: Recording, when: str) -> list[str]:
        return metrics.keep(
            recording.folder / f"metrics-{when}", recording.member.stack.endpoints()
        )

    def _block(
        self,
        recording: Recording,
        asked: Load,
        file: Path,
        *,
        planned_s: int | None,
        settle_s: float = 0.0,
    ) -> None:
        """Put one load on a system; record the resource use of all systems meanwhile."""
        member, recording.load = recording.member, asked
        meters = {name: other.stack.meter() for name, other in self.members.items()}
        age_s = member.age_s
        reading = self._read()
        before = {name: meter.read() for name, meter in meters.items()}
        loading = Loading()
        with contextlib.ExitStack() as meanwhile:
            for companion in recording.companions:
                meanwhile.enter_context(companion.during(loading))
            outcome = self._put(member, recording.run.id, asked, file, loading.watchers)
        others = self._others(reading)
        after = {name: meter.read() for name, meter in meters.items()}
        used = {name: risen(before[name], after[name], "cpu_s") for name in meters}
        if loading.cpu_s:
            # With the instances that were not there before.
            after[recording.run.system] = member.stack.meter().read()
            used[recording.run.system] |= loading.cpu_s
            started = dict.fromkeys(after[recording.run.system], Usage(0.0, 0.0, 0, 0.0))
            before[recording.run.system] = started | before[recording.run.system]
        own = before[recording.run.system], after[recording.run.system]
        recording.seen.append(outcome.seen)
        recording.blocks.append(
            {
                "file": file.name,
                "started": outcome.started.isoformat(),
                "finished": outcome.finished.isoformat(),
                "place": member.loads,
                "age_s": round(age_s, 1),
                "planned_s": planned_s,
                "settle_s": settle_s,
                "server_cpu_s": used.pop(recording.run.system),
                "idle_cpu_s": {name: round(sum(idle.values()), 3) for name, idle in used.items()},
                "server_rss_mb": {part: round(usage.rss_mb, 1) for part, usage in own[1].items()},
                "server_throttled": risen(*own, "throttled"),
                "server_throttled_s": risen(*own, "throttled_s"),
                "server_peak_mb": {
                    part: round(usage.peak_mb, 1)
                    for part, usage in own[1].items()
                    if usage.peak_mb is not None
                },
                "generator_cpu_s": outcome.cpu_s,
                "wall_s": outcome.duration_s,
                "samples": outcome.samples,
                "others": None if others is None else asdict(others),
                "disturbed": (disturbed := others is not None and others.disturbing),
                "counts": not disturbed,
                **_of_each(outcome.parts),
            }
        )
        member.loads += 1

    def _put(
        self,
        member: Member,
        name: str,
        asked: Load,
        samples: Path,
        watchers: Sequence[Callable[[Seen], None]] = (),
        *,
        cold: bool = False,
    ) -> Outcome:
        """Put one load on; raise `UserError` if a generator records nothing, or no operation.

        A `cold` system may need longer for its first operations than a load lasts.
        """

        def watch(latest: Seen) -> None:
            for watcher in watchers:
                watcher(latest)
            self.show.loading(name, latest)

        generators = self.generators[: member.system.generators]
        outcome = load.together(generators, asked, samples, watch)
        for generator, part in zip(generators, outcome.parts, strict=True):
            if not (part.samples and (outcome.seen.operations or cold)):
                why = load.why_nothing(part.file, generator.log)
                raise UserError(f"no operation was recorded on {name}: {why}", f"See {part.file}.")
        return outcome

    def _end(self, recording: Recording, began: float) -> dict[str, Any]:
        """Complete a run's folder, and return its record."""
        plan, member = self.plan, recording.member
        if "complete_after" not in recording.entries:
            recording.entries |= self._complete_after(recording)
        record = {
            **self._what(recording.run, member.system),
            **self._how(recording),
            "server_pss_mb": _proportional_mb(member.stack),
            "start_s": member.stack.record.start_s,
            "warm": member.warm,
            "why_cold": member.why_cold,
            # Otherwise the load would not have begun.
            "complete_before": True,
            "discarded": recording.discarded,
            "loops": plan.loops,
            "duration_s": plan.duration,
            **dict.fromkeys(NOT_IN_EVERY_RUN),
            **recording.entries,
        }
        if plan.slo is not None:
            record["slo"] = asdict(reached(plan.slo, recording.folder, record))
        goodput = partial(self.dependencies.goodput, recording.folder, record)
        record |= plan.entries(recording.run, recording.allocation, record, goodput)
        # The first cell after a start includes the start and the warm-up.
        record["spent_s"] = round((time.monotonic() - began) / len(self.members), 3)
        results_directory.complete(recording.folder, record)
        self.dependencies.annotate(recording.run.id, record)
        # A run's own time: the listener counts starts and warm-ups apart.
        own_s = (time.monotonic() - recording.begun) / len(self.members)
        self.show.measured(recording.run, recording.seen, own_s)
        return record

    def _what(self, run: Run, system: System) -> dict[str, Any]:
        """Return the record's part on the system, the workload and the level."""
        cpus = run.level.cpus
        return {
            # Each allocation of CPU is a system of its own in the results.
            "system": run.system if cpus is None else f"{run.system} at {cpus:g} cores",
            "variant": run.variant,
            "preset": run.preset,
            "settings": {
                **system.settings,
                # Other properties that distinguish systems; `fetch` has a key of its own.
                **{key: v for key, v in system.properties.items() if key != "fetch"},
                **({} if system.scrape is None else {"scrape": str(system.scrape)}),
                **system.deployed,
            },
            "fetch": system.fetch,
            "workload": run.workload,
            "mode": run.level.mode,
            "level": run.level.value,
            "threads": run.level.threads,
            "repetition": run.repetition,
            "round": self.start.round,
            "backends": self.members[run.system].stack.deployment.backends,
        }

    def _how(self, recording: Recording) -> dict[str, Any]:
        """Return the record's part on the load and its cost."""
        blocks, put = recording.blocks, recording.load
        assert put is not None
        counting = [block for block in blocks if block["counts"]] or blocks
        # The arrivals are beside the record: the file is named without its folder.
        named = {} if put.arrivals is None else {"arrivals": put.arrivals.name}
        return {
            "started": blocks[0]["started"],
            "finished": blocks[-1]["finished"],
            "age_s": blocks[0]["age_s"],
            "place": blocks[0]["place"],
            "blocks": blocks,
            "planned_blocks": self.plan.each,
            "wall_s": round(sum(block["wall_s"] for block in counting), 3),
            **{
                figure: {
                    part: round(sum(block[figure].get(part, 0) for block in counting), 3)
                    for part in counting[0][figure]
                }
                for figure in ("server_cpu_s", "server_throttled", "server_throttled_s")
            },
            "server_rss_mb": blocks[-1]["server_rss_mb"],
            "server_peak_mb": blocks[-1]["server_peak_mb"],
            "plan": put.plan.name,
            **self._of_own_plan(recording.run),
            "properties": {**put.without_token, **named},
            "generator_cpu_s": round(sum(block["generator_cpu_s"] for block in counting), 3),
            "generator_cpus": machine.usable_cpus(),
            **({"cores_apart": self.plan.cores_apart} if self.plan.cores_apart else {}),
        }

    def _of_own_plan(self, run: Run) -> dict[str, Any]:
        """Return the record's part on a plan of the user's own; empty if users never pause."""
        plan = systems.user_plan(run.variant, run.workload)
        return {"users_pause": True} if plan and plan.users_pause else {}

    def _complete_after(self, recording: Recording) -> dict[str, bool | str]:
        """Return whether the front door gives a full answer in time, else what is missing."""
        self.show.waiting("a full answer")
        for _ in polls(AFTER_LIMIT_S, 0.2):
            if (missing := recording.member.stack.missing()) is None:
                break
        return {"complete_after": missing or True}


def _of_each(parts: Sequence[Part]) -> dict[str, Any]:
    """Return the part of a block's record on each of several generators."""
    if len(parts) == 1:
        return {}
    return {"generators": [{**asdict(part), "file": part.file.name} for part in parts]}


def _proportional_mb(stack: Stack) -> dict[str, float]:
    """Return the proportional memory of each part, in MB; empty unless all can be read."""
    usages = stack.meter().read(pss=True).items()
    read = {name: round(usage.pss_mb, 1) for name, usage in usages if usage.pss_mb is not None}
    return read if len(read) == len(usages) else {}


def _warmth(member: Member) -> str:
    why = "" if member.why_cold is None else f" ({member.why_cold})"
    warm = "warm" if member.warm else "not warm"
    return f"{member.system.name} {warm} at an age of {member.age_s:.0f} s{why}"
