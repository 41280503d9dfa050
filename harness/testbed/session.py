"""One start of a system: its warm-ups and runs, and what is written down of each."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from testbed import arrivals, environment, load, metrics, results_directory, usage
from testbed.bench import Bench, Show
from testbed.disturbance import Disturbance
from testbed.errors import UserError
from testbed.experiment import Experiment, System
from testbed.load import Load, Outcome, Seen
from testbed.meter import cpu_between
from testbed.processes import ProcessId
from testbed.schedule import CLOSED, OPEN, Level, Run, Start
from testbed.scraping import Scraper
from testbed.stack import Stack

SETTLE_LIMIT_S = 90.0
"""How long a system may take, after one run, to give a full answer again."""

AFTER_LIMIT_S = 15.0
"""How long a system may take, after a run, to be called complete again."""

TIME_WAIT_S = 60.0
"""How long Linux keeps the port of a closed connection: a list waits for it where ports are few."""

GRACE_S = 1
"""How long after the last planned arrival of an open loop a late operation may still begin."""


@dataclass(frozen=True)
class Session:
    """Puts one load after another on a running system.

    Parameters
    ----------
    bench
        What runs are carried out with.
    plan
        The experiment.
    system, stack
        What was started.
    results
        The results directory.
    ceilings
        Operations per second that the generator reaches at most, by plan.
    show
        Is told how it goes on.
    """

    bench: Bench
    plan: Experiment
    system: System
    stack: Stack
    results: Path
    ceilings: Mapping[str, float]
    show: Show

    def warm_up(self, start: Start, workload: str) -> None:
        """Put the load on that precedes all runs of a workload; it is kept apart.

        Raises
        ------
        UserError
            As `measure`.
        """
        warmup, name = self.plan.warmup, start.warmup_id(workload)
        run = start.run(workload, Level(CLOSED, warmup.threads, warmup.threads))
        folder = results_directory.fresh_folder(self.results / "warmup" / name)
        limits = self._load(run, min(self.plan.ramp, 1), duration=warmup.duration)
        record, seen = self._put_load(run, limits, folder, name, None)
        record |= {"loops": None, "duration_s": warmup.duration, "warmup": True}
        results_directory.complete(folder, record)
        self.bench.mark(name, record)
        self.show.warmed(name, seen)

    def measure(self, run: Run, began: float) -> dict[str, Any]:
        """Measure one run, and return its record.

        Parameters
        ----------
        began
            When the time that is spent on it began, by the monotonic clock.

        Raises
        ------
        UserError
            When the generator fails, or no operation is recorded.
        """
        plan = self.plan
        folder = results_directory.fresh_folder(self.results / "runs" / run.id)
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
            record["slo"] = asdict(self.bench.reached(plan.slo, folder, record))
        # All that was needed for it: for the first run after a start, start and warm-ups too.
        record["spent_s"] = round(time.monotonic() - began, 1)
        results_directory.complete(folder, record)
        self.bench.mark(run.id, record)
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

    def _put_load(
        self, run: Run, limits: Load, folder: Path, name: str, disturbance: Disturbance | None
    ) -> tuple[dict[str, Any], Seen]:
        """Run one load from a fresh state; return its record and what was seen last."""
        bench, stack, show = self.bench, self.stack, self.show
        bench.reset(stack.deployment.mongodb_uri)
        stack.await_converged(show.waiting, SETTLE_LIMIT_S)
        meter, log, samples = stack.meter(), folder / "jmeter.log", folder / "samples.csv"
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

        endpoints = stack.endpoints()
        answering = metrics.keep(folder / "metrics-before", endpoints)
        scraper = None
        if self.system.scrape is not None:
            scraper = Scraper(self.system.scrape, {name: endpoints[name] for name in answering})
        before = meter.read()
        with _during(disturbance):
            with _during(scraper):
                outcome = load.run(bench.generator, limits, samples, log, accompanied, watch)
            after = meter.read()
            if disturbance is None:
                # Before the harness itself asks the product.
                metrics.keep(folder / "metrics-after", stack.endpoints())
            # Before a service that was stopped for good goes on.
            complete_after = self._complete_again()
        if disturbance is not None:
            # A service that was stopped for good says nothing sooner.
            metrics.keep(folder / "metrics-after", stack.endpoints())
        _require_operations(name, outcome, seen, folder)
        record = {
            **self._what(run),
            **self._how(limits, outcome),
            "server_cpu_s": cpu_between(before, after),
            "server_rss_mb": {part: round(used.rss_mb, 1) for part, used in after.items()},
            "start_s": stack.record.start_s,
            # Else the load would not have begun.
            "complete_before": True,
            "complete_after": complete_after,
            "disturbance": None if disturbance is None else disturbance.record(),
            "scraped": None if scraper is None else scraper.record(),
        }
        return record, seen

    def _what(self, run: Run) -> dict[str, Any]:
        """Return the part of a record that says what was measured."""
        return {
            "system": run.system,
            "variant": run.variant,
            "preset": run.preset,
            "settings": {
                **self.system.settings,
                # What else tells systems apart; how they fetch has a key of its own.
                **{key: v for key, v in self.system.properties.items() if key != "fetch"},
                **({} if self.system.scrape is None else {"scrape": str(self.system.scrape)}),
            },
            "fetch": self.system.fetch,
            "workload": run.workload,
            "mode": run.level.mode,
            "level": run.level.value,
            "threads": run.level.threads,
            "repetition": run.repetition,
            "backends": self.plan.backends,
        }

    def _how(self, limits: Load, outcome: Outcome) -> dict[str, Any]:
        """Return the part of a record that says how the load was put on."""
        # A file beside the record is named without its folder.
        named = {} if limits.arrivals is None else {"arrivals": limits.arrivals.name}
        return {
            "started": outcome.started.isoformat(),
            "finished": outcome.finished.isoformat(),
            "wall_s": outcome.duration_s,
            "plan": limits.plan.name,
            "properties": {**limits.properties, **named},
            "jmeter_exit": outcome.exit_code,
            "generator_cpu_s": outcome.cpu_s,
            "generator_cpus": environment.usable_cpus(),
            "generator_ceiling_per_s": self.ceilings.get(limits.plan.name),
        }

    def _complete_again(self) -> bool | str:
        """Return whether the front door gives a full answer, or what is missing after a while."""
        self.show.waiting("a full answer")
        limit_s = AFTER_LIMIT_S if self.plan.local_ports is None else AFTER_LIMIT_S + TIME_WAIT_S
        deadline = time.monotonic() + limit_s
        while (missing := self.stack.missing()) is not None:
            if time.monotonic() >= deadline:
                return missing
            time.sleep(0.2)
        return True


def _during(beside: Disturbance | Scraper | None) -> contextlib.AbstractContextManager[None]:
    return contextlib.nullcontext() if beside is None else beside.during()


def _require_operations(name: str, outcome: Outcome, seen: Seen, folder: Path) -> None:
    samples, log = folder / "samples.csv", folder / "jmeter.log"
    if outcome.exit_code != 0:
        said = log.with_suffix(".out").read_text(encoding="utf-8", errors="replace")
        raise UserError(
            f"JMeter failed on {name} (exit code {outcome.exit_code}), see {folder}:\n"
            + said[-2000:]
        )
    if seen.operations == 0:
        raise UserError(
            f"no operation was recorded on {name}: {load.why_nothing(samples, log)}",
            f"See {folder}.",
        )
