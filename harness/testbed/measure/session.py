"""One start of systems that are up together: warm-up, runs and their records."""

from __future__ import annotations

import contextlib
import itertools
import math
import shutil
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from testbed.deploy import machine
from testbed.deploy.deployer import polls
from testbed.deploy.meter import Usage, risen
from testbed.deploy.stack import Stack
from testbed.experiment import arrivals
from testbed.experiment.arrivals import Planned
from testbed.experiment.declaration import Experiment
from testbed.experiment.runs import Allocation, Cell, Run, Start, System
from testbed.measure import load, machine_watch, metrics, results_directory, warming
from testbed.measure.autoscaler import Autoscaler
from testbed.measure.dependencies import Dependencies, Show, reached
from testbed.measure.ledger import Accounting
from testbed.measure.load import Generator, Load, Outcome, Part, Seen
from testbed.measure.machine_watch import Others, Reading
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

TIME_WAIT_S = 60.0
"""How long Linux keeps the port of a closed connection; lists wait for it if ports are few."""

FUTILE = 2
"""Repeats in a row that are disturbed again, after which this start repeats nothing more."""

QUIET_MACHINE_S = 10
"""The longest wait for other programs to become quiet before a repeat, in seconds."""

GRACE_S = 1
"""How long after the last planned arrival of an open loop a late operation may still begin."""


@dataclass
class Member:
    """A system that is up.

    `began` is the monotonic time at which its start began. `loads` counts the windows and blocks
    that it has had. `lacks` says by workload why it is not warm; None without a warm-up. `pids` are
    process ids on this machine.
    """

    system: System
    stack: Stack
    began: float
    loads: int = 0
    lacks: Mapping[str, str] | None = None
    pids: tuple[int, ...] = ()

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
    scraper: Scraper | None = None
    accounting: Accounting | None = None
    autoscaler: Autoscaler | None = None
    load: Load | None = None
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
        recordings = {run.system: self._begin(run) for run in self.start.runs(cell)}
        with contextlib.ExitStack() as limited:
            for one in recordings.values():
                one.allocation = allocation
                system, stack = one.member.system, one.member.stack
                cpus = system.measured_cpus if allocation is None else allocation.shares
                limited.enter_context(stack.limited(cpus))
                if one.autoscaler is not None:
                    limited.callback(one.autoscaler.reset)
            if self.plan.in_turns:
                return self._measure_in_turns(cell, recordings, began)
            (one,) = recordings.values()
            return [self._measure_at_once(one, began)]

    def _measure_in_turns(
        self, cell: Cell, recordings: Mapping[str, Recording], began: float
    ) -> list[dict[str, Any]]:
        """Measure a run of each system, in blocks that take turns.

        A disturbed turn is repeated once, with the blocks of every system: a single block would
        change the order.
        """
        for turn in self.start.turns(cell, self.plan.each):
            disturbed = self._turn(turn, recordings)
            self.repeats.first(disturbed=disturbed)
            if disturbed and self._may_repeat(cell):
                self.repeats.again(disturbed=self._turn(turn, recordings))
        for one in recordings.values():
            # Before the harness sends requests of its own.
            self._keep_metrics(one, "after")
        return [self._end(one, began, self._complete_after(one)) for one in recordings.values()]

    def _turn(self, turn: Sequence[System], recordings: Mapping[str, Recording]) -> bool:
        """Measure a turn of blocks; return whether one was disturbed, so that none counts."""
        measured, plan = [], self.plan
        for system in turn:
            recording = recordings[system.name]
            asked = self._load_of(recording, plan.ramp, duration=plan.load_s)
            file = recording.folder / f"block-{len(recording.blocks) + 1}.csv"
            self._block(recording, asked, file, planned_s=plan.load_s, settle_s=plan.settle_s)
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

    def _measure_at_once(self, one: Recording, began: float) -> dict[str, Any]:
        """Measure a run of one load; the experiment gives its length."""
        plan, level, planned_s = self.plan, one.run.level, None
        known: dict[str, Any] = {}
        if (planned := plan.arrivals_of(one.run)) is not None:
            asked, known = self._arrivals(one, planned)
        else:
            asked = self._load_of(one, plan.ramp, loops=plan.loops, duration=plan.duration)
            if plan.loops is None:
                planned_s = plan.duration
            elif plan.duration is None:
                known["expected_operations"] = level.threads * plan.loops
        file = one.folder / "samples.csv"
        if plan.disturb is None:
            self._block(one, asked, file, planned_s=planned_s)
            self.repeats.first(disturbed=one.blocks[-1]["disturbed"])
            if one.blocks[-1]["disturbed"] and self._repeats_at_once(one):
                one.discarded.append(one.blocks.pop()["others"])
                one.seen.clear()
                file.unlink()
                self._refresh(one.member)
                self._keep_metrics(one, "before")
                self._block(one, asked, file, planned_s=planned_s)
                self.repeats.again(disturbed=one.blocks[-1]["disturbed"])
            if one.accounting is not None and plan.drain is not None:
                known["ledger"] = self._drain(one, one.accounting, plan.drain)
            self._keep_metrics(one, "after")
            known |= self._complete_after(one)
            return self._end(one, began, known)
        suspension = Suspension(plan.disturb, one.member.stack.held)
        with suspension.during():
            self._block(one, asked, file, planned_s=planned_s, suspension=suspension)
            # Before the context resumes a service that was stopped for good.
            known |= self._complete_after(one)
        # A service that was stopped for good answers only now.
        self._keep_metrics(one, "after")
        return self._end(one, began, known | {"disturbance": suspension.record()})

    def _repeats_at_once(self, one: Recording) -> bool:
        """Return whether a disturbed run of one load is measured again.

        Counters of a whole start, such as those of work in queues, cannot be reset.
        """
        if one.accounting is not None or one.autoscaler is not None or one.scraper is not None:
            return False
        if one.member.system.generators > 1:
            return False
        return self._may_repeat(Cell(one.run.workload, one.run.level))

    def _arrivals(self, one: Recording, planned: Planned) -> tuple[Load, dict[str, Any]]:
        if not planned.offsets.size:
            raise UserError(f"{one.run.id}: no arrival in {planned.length_s:g} s at this rate")
        file = one.folder / "arrivals.csv"
        arrivals.write(file, planned.offsets)
        length = math.ceil(planned.length_s) + GRACE_S + planned.patience_s
        return self._load_of(one, self.plan.ramp, duration=length, arrivals=file), {
            "rate": one.run.level.value,
            "arrivals": planned.describe(),
            "expected_operations": len(planned.offsets),
        }

    def _load_of(self, one: Recording, ramp: int, **bounds: Any) -> Load:
        run = one.run
        return self._load(one.member, run.workload, run.level.threads, ramp, **bounds)

    def _load(self, member: Member, workload: str, threads: int, ramp: int, **bounds: Any) -> Load:
        """Return a load on a system; `bounds` go to `testbed.measure.load.load_for`."""
        return load.load_for(
            self.dependencies.project,
            member.system.variant,
            workload,
            threads=threads,
            ramp=ramp,
            ports=member.stack.deployment.front_ports,
            host=member.stack.deployment.front_host,
            properties=member.system.properties,
            **bounds,
        )

    def _window(self, member: Member, workload: str, folder: Path) -> Window:
        """Load a system with one workload for a few seconds; the samples are not kept."""
        rule = self.plan.warmup
        # Each window has its own file: JMeter appends, and the exporter follows files by name.
        samples = folder / f"samples.{member.system.name}.{member.loads}.csv"
        name = f"warm-up {member.system.name} {workload}"
        asked = self._load(member, workload, rule.threads, 0, duration=rule.window)
        age_s, reading, meter = member.age_s, self._read(), member.stack.meter()
        used, compiled_s = meter.read(), warming.compilers_s(member.pids)
        clock = time.monotonic()
        seen = self._put(member, name, asked, samples, cold=True).seen
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
        )

    def _warm_up_once(
        self, member: Member, workloads: Iterable[str], windows: list[Window], folder: Path
    ) -> None:
        """Do as a run does, with some workloads; append a window of each."""
        self._refresh(member)
        # The first scrape loads classes, which invalidates compiled code.
        metrics.keep(folder, member.stack.endpoints())
        for workload in workloads:
            windows.append(self._window(member, workload, folder))

    def _refresh(self, member: Member) -> None:
        """Delete the data of a system, and wait for a full answer."""
        self.dependencies.reset(member.stack.deployment)
        member.stack.await_converged(self.show.waiting, SETTLE_LIMIT_S)

    def _begin(self, run: Run) -> Recording:
        member = self.members[run.system]
        one = Recording(run, member, results_directory.fresh_folder(self.results / "runs" / run.id))
        self._refresh(member)
        ledger = systems.declaration(run.variant).ledger
        if ledger is not None and self.plan.drain is not None:
            one.accounting = Accounting(ledger, member.stack)
            one.accounting.begin(self.show.waiting, self.plan.drain)
        answering = self._keep_metrics(one, "before")
        if member.system.scrape is not None:
            endpoints = member.stack.endpoints()
            asked = {name: endpoints[name] for name in answering}
            one.scraper = Scraper(member.system.scrape, asked)
        if (rule := member.system.autoscale) is not None:
            request = member.system.limits[rule.service].cpus
            assert request is not None
            one.autoscaler = Autoscaler(rule, request, member.stack, one.folder)
        return one

    def _keep_metrics(self, one: Recording, when: str) -> list[str]:
        return metrics.keep(one.folder / f"metrics-{when}", one.member.stack.endpoints())

    def _block(
        self,
        one: Recording,
        asked: Load,
        file: Path,
        *,
        planned_s: int | None,
        settle_s: float = 0.0,
        suspension: Suspension | None = None,
    ) -> None:
        """Put one load on a system; record the resource use of all systems meanwhile."""
        member, one.load = one.member, asked
        meters = {name: other.stack.meter() for name, other in self.members.items()}
        age_s = member.age_s
        reading = self._read()
        before = {name: meter.read() for name, meter in meters.items()}
        with contextlib.ExitStack() as meanwhile:
            if one.scraper is not None:
                meanwhile.enter_context(one.scraper.during())
            if one.autoscaler is not None:
                meanwhile.enter_context(one.autoscaler.during())
            outcome = self._put(member, one.run.id, asked, file, suspension)
        others = self._others(reading)
        after = {name: meter.read() for name, meter in meters.items()}
        used = {name: risen(before[name], after[name], "cpu_s") for name in meters}
        if one.autoscaler is not None:
            # With the instances that were not there before.
            after[one.run.system] = member.stack.meter().read()
            used[one.run.system] |= one.autoscaler.used
            started = dict.fromkeys(after[one.run.system], Usage(0.0, 0.0, 0, 0.0))
            before[one.run.system] = started | before[one.run.system]
        own = before[one.run.system], after[one.run.system]
        one.seen.append(outcome.seen)
        one.blocks.append(
            {
                "file": file.name,
                "started": outcome.started.isoformat(),
                "finished": outcome.finished.isoformat(),
                "place": member.loads,
                "age_s": round(age_s, 1),
                "planned_s": planned_s,
                "settle_s": settle_s,
                "server_cpu_s": used.pop(one.run.system),
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
        suspension: Suspension | None = None,
        *,
        cold: bool = False,
    ) -> Outcome:
        """Put one load on; raise `UserError` if a generator records nothing, or no operation.

        A `cold` system may need longer for its first operations than a load lasts.
        """

        def watch(latest: Seen) -> None:
            if suspension is not None:
                suspension.watch(latest)
            self.show.loading(name, latest)

        generators = self.generators[: member.system.generators]
        outcome = load.together(generators, asked, samples, watch)
        for generator, part in zip(generators, outcome.parts, strict=True):
            if not (part.samples and (outcome.seen.operations or cold)):
                why = load.why_nothing(part.file, generator.log)
                raise UserError(f"no operation was recorded on {name}: {why}", f"See {part.file}.")
        return outcome

    def _end(self, one: Recording, began: float, known: Mapping[str, Any]) -> dict[str, Any]:
        """Complete a run's folder, and return its record."""
        plan, member = self.plan, one.member
        record = {
            **self._what(one.run, member.system),
            **self._how(one),
            "server_pss_mb": _proportional_mb(member.stack),
            "start_s": member.stack.record.start_s,
            "warm": member.warm,
            "why_cold": member.why_cold,
            # Otherwise the load would not have begun.
            "complete_before": True,
            "disturbance": None,
            "discarded": one.discarded,
            "scraped": None if one.scraper is None else one.scraper.record(),
            "scaling": None if one.autoscaler is None else one.autoscaler.record(),
            "loops": plan.loops,
            "duration_s": plan.duration,
            **dict.fromkeys(("rate", "arrivals", "expected_operations")),
            **known,
        }
        if plan.slo is not None:
            record["slo"] = asdict(reached(plan.slo, one.folder, record))
        goodput = partial(self.dependencies.goodput, one.folder, record)
        record |= plan.entries(one.run, one.allocation, record, goodput)
        # The first cell after a start includes the start and the warm-up.
        record["spent_s"] = round((time.monotonic() - began) / len(self.members), 3)
        results_directory.complete(one.folder, record)
        self.dependencies.annotate(one.run.id, record)
        # A run's own time: the listener counts starts and warm-ups apart.
        own_s = (time.monotonic() - one.begun) / len(self.members)
        self.show.measured(one.run, one.seen, own_s)
        return record

    def _drain(self, one: Recording, accounting: Accounting, limit_s: float) -> dict[str, Any]:
        """Return the record's part on the accepted work, with what the drain has cost."""
        meter = one.member.stack.meter()
        before = meter.read()
        found = accounting.end(self.show.waiting, limit_s, one.folder)
        after = meter.read()
        peaks = {part: used.peak_mb for part, used in after.items() if used.peak_mb is not None}
        return found | {"cpu_s": risen(before, after, "cpu_s"), "peak_mb": peaks}

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

    def _how(self, one: Recording) -> dict[str, Any]:
        """Return the record's part on the load and its cost."""
        blocks, put = one.blocks, one.load
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
            "properties": {**put.properties, **named},
            "generator_cpu_s": round(sum(block["generator_cpu_s"] for block in counting), 3),
            "generator_cpus": self.generators[0].usable_cpus(one.member.system.generators),
        }

    def _complete_after(self, one: Recording) -> dict[str, bool | str]:
        """Return whether the front door gives a full answer in time, else what is missing."""
        self.show.waiting("a full answer")
        limit_s = AFTER_LIMIT_S if self.plan.local_ports is None else AFTER_LIMIT_S + TIME_WAIT_S
        for _ in polls(limit_s, 0.2):
            if (missing := one.member.stack.missing()) is None:
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
