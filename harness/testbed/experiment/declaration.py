"""Experiments as data: what is measured, how often, and at which load."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, TypeVar

import yaml
from pydantic import AfterValidator, Field, model_validator

from testbed.experiment.parts import (
    DESIGNS,
    SCALES,
    STORED,
    Arrivals,
    Count,
    Disturb,
    Factors,
    Fetch,
    Generators,
    Ladder,
    Name,
    Null,
    Precision,
    Repetitions,
    Replicas,
    Seconds,
    Section,
    ServiceLimits,
    Setting,
    SettingName,
    Several,
    Slo,
    SystemSpec,
    Threads,
    Together,
    Warmup,
    require_able,
)
from testbed.experiment.runs import (
    CLOSED,
    OPEN,
    Allocation,
    Cell,
    Level,
    Planned,
    Records,
    Run,
    Start,
    System,
)
from testbed.model import systems as declared_systems
from testbed.model.loads import load_words
from testbed.model.project import Project
from testbed.model.systems import (
    OWN_PLACES,
    Backends,
    OwnSystem,
    OwnSystems,
    Preset,
    Variant,
    Workload,
)

_Value = TypeVar("_Value")

FETCH_OF_PRESET: dict[str, Fetch] = {"tuned": "wait", "thesis": "immediate"}
"""How each preset fetches results, unless the experiment says otherwise."""

OPERATION_S = 0.001
"""Mean time per operation in experiments/thesis.yaml, used if only loops limit a run."""


def _declare(systems: dict[str, OwnSystem]) -> dict[str, OwnSystem]:
    declared_systems.declare(systems)
    return systems


class Experiment(Section):
    """A declared set of runs: every system, workload and level, in every repetition.

    These are the keys of every kind of load. A subclass for each kind (`testbed.experiment.loads`)
    adds what the load needs, and answers the questions at the end, which are answered here for a
    closed loop. A key that the kind does not have is None there, or empty. ``arrivals``,
    ``max_in_flight`` and ``together`` are in every results directory, so every kind has them.
    """

    in_turns: ClassVar[bool] = False
    """Whether systems are up together, and their blocks take turns."""
    searches: ClassVar[bool] = False
    """Whether the results decide what is measured."""
    limiting: ClassVar[tuple[str, ...]] = ()
    """Keys by which the CPU of running systems is limited, beside `limits`."""

    name: Name
    """The name of the result directory."""
    topic: str = ""
    """Under which heading `./testbed run` lists it."""
    description: str = ""
    """The question that it answers, in one sentence."""
    declares: Annotated[OwnSystems, AfterValidator(_declare)] = Field(
        default_factory=lambda: dict(declared_systems.own())
    )
    """The user's own systems, which the other keys may name. Default: those of ``testbed.yaml``, so
    that results tell by themselves what was measured.
    """
    variants: Several[Variant] = Field(default_factory=declared_systems.compared)
    """The compared systems are all combinations of variants and presets."""
    presets: Several[Preset] = ("tuned",)
    """The presets of each variant."""
    ladder: Ladder | None = None
    """A climb from a plain system to the best one. It makes the systems and the groups."""
    systems: dict[Name, SystemSpec] = Field(
        default_factory=lambda before: before["ladder"].systems if before["ladder"] else {}
    )
    """The compared systems by name, instead of variants and presets."""
    factors: Factors = Field(default_factory=dict)
    """Settings, ``replicas.SERVICE`` or ``stored``, and their values. Each system is measured under
    every combination.
    """
    workloads: Several[Workload] = Field(default_factory=lambda before: _in_common(before))
    """What users do. Default: the workloads that all compared systems have in common."""
    threads: Several[Threads] = ()
    """The levels of a closed loop."""
    arrivals: Arrivals = "poisson"
    """The arrival process of an open loop."""
    max_in_flight: Threads = 200
    """The most operations that an open loop has in flight."""
    loops: Count | None = None
    """Operations per thread of a closed loop. Default: as many as fit the duration."""
    duration: Seconds | None = None
    """Seconds per run. Default: as long as the loops or steps take."""
    groups: tuple[Annotated[Several[Name], Field(min_length=2)], ...] = Field(
        default_factory=lambda before: before["ladder"].groups if before["ladder"] else ()
    )
    """Groups of systems that are compared, and with ``blocks`` are up together. The first system of
    a group is its reference. Default: one group of all systems.
    """
    together: Together = "all"
    """Which systems of a group are up together, with ``blocks``: ``all``, ``pairs`` (each system
    with its reference) or ``none``. It is lowered if memory is too small.
    """
    ramp: Annotated[int, Field(ge=0, le=3600, strict=True)] = 1
    """Seconds until all threads run."""
    repetitions: Repetitions = 1
    """Rounds. Each round starts every system anew. With ``blocks``, a round is a pair of starts."""
    precision: Precision | None = None
    """When to stop, instead of a number of repetitions."""
    nulls: tuple[Null, ...] = ()
    """Comparisons, of a system with its reference, in which there can be no effect. They are
    counted into one rate of false decisions.
    """
    slo: Slo | None = None
    """The objective: what a user is promised."""
    disturb: Disturb | None = None
    """Suspends a service in each run."""
    drain: Seconds | None = None
    """The most seconds to wait after a run until the system has no accepted work left."""
    claims: bool = False
    """Whether the report compares the results with the claims of the thesis and the article."""
    bare_servers: bool = False
    """Whether the report compares the results with servers that answer the same without any work.
    They are measured once on a machine.
    """
    seed: Annotated[int, Field(ge=0, le=2**32 - 1, strict=True)] | None = None
    """Decides the order and the arrivals. Default: drawn when the experiment begins."""
    fetch: Fetch | None = None
    """How results are fetched, where they are fetched. Default: as the preset does."""
    backends: Backends = Field(default_factory=lambda before: _place_of(before))
    """Where MongoDB and AMQP come from; ``command`` or ``compose`` for the user's own systems."""
    warmup: Warmup = Warmup()
    """The load before the first run after each start."""
    settings: dict[SettingName, Setting] = Field(default_factory=dict)
    """Environment settings of every service, on top of the preset."""
    replicas: dict[str, Replicas] = Field(default_factory=dict)
    """Instances of each service, in every system that has it."""
    limits: dict[str, ServiceLimits] = Field(default_factory=dict)
    """The limits of each instance, by service, in every system that has it."""
    generators: Generators = 1
    """Load generators. Each has its share of the users, and every so many-th arrival of an open
    loop.
    """
    cores_apart: Annotated[int, Field(ge=0, le=1000, strict=True)] = 0
    """Cores of this machine that only the load generators use, and the systems the others, from
    the end of the warm-up on. 0: all share all.
    """
    overcommit: bool = False
    """Whether the CPU limits of a system and one core for each load generator may add up to more
    than the machine has.
    """

    @model_validator(mode="after")
    def _check_ladder(self) -> Experiment:
        if self.ladder is None:
            return self
        if not self.in_turns:
            raise ValueError("ladder: only with blocks")
        if (self.systems, self.groups) != (self.ladder.systems, self.ladder.groups):
            raise ValueError("ladder makes systems and groups: leave them out")
        return self

    @model_validator(mode="after")
    def _check_groups(self) -> Experiment:
        names = [system.name for system in self.compared]
        for group in self.groups:
            for name in group:
                if name not in names:
                    raise ValueError(f"groups: {name!r}: choose from: {', '.join(names)}")
        if not self.in_turns:
            if self.together != "all":
                raise ValueError(f"together: {self.together!r}: only with blocks")
            return self
        alone = [name for name in names if not any(name in group for group in self.groups)]
        if self.groups and alone:
            raise ValueError(
                f"groups: {', '.join(alone)} is in none, and would not be measured in blocks"
            )
        if self.together == "pairs" and len(names) < 2:
            raise ValueError("together: 'pairs': needs two systems")
        return self

    @model_validator(mode="after")
    def _check_nulls(self) -> Experiment:
        groups = self.groups or (tuple(system.name for system in self.compared),)
        compared = [name for group in groups for name in group[1:]]
        for null in self.nulls:
            if null.system not in compared:
                choices = ", ".join(compared)
                raise ValueError(
                    f"nulls: {null.system!r} is compared with no reference; choose from: {choices}"
                )
            for workload in null.workloads:
                if workload not in self.workloads:
                    raise ValueError(f"nulls: {workload!r} is not measured")
        return self

    @model_validator(mode="after")
    def _check_ramp(self) -> Experiment:
        if self.load_s is not None and self.ramp > self.load_s:
            raise ValueError(
                f"ramp: {self.ramp} s is more than the {self.load_s} s of a load: its last users "
                "would begin after the end"
            )
        return self

    @model_validator(mode="after")
    def _check_repetitions(self) -> Experiment:
        if self.precision is not None and self.repetitions > 1:
            raise ValueError("repetitions and precision exclude each other: give one")
        if self.precision is not None and len(self.compared) < 2:
            raise ValueError("precision: needs two systems, as it is that of their ratio")
        return self

    @model_validator(mode="after")
    def _check_systems(self) -> Experiment:
        if self.systems:
            for key, default in (
                ("variants", declared_systems.compared()),
                ("presets", ("tuned",)),
            ):
                if key in self.model_fields_set and getattr(self, key) != default:
                    raise ValueError(f"{key} and systems exclude each other: give one")
        if self.fetch is not None and not any(
            declared_systems.fetches(system.variant) for system in self.compared
        ):
            raise ValueError(f"fetch: {self.fetch!r}: these systems answer at once")
        names = [system.name for system in self.compared]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"factors: two systems would be called {', '.join(twice)}")
        return self

    @model_validator(mode="after")
    def _check_workloads(self) -> Experiment:
        served = declared_systems.workloads(
            (system.variant for system in self.compared), every=True
        )
        if not self.workloads:
            raise ValueError("workloads: these systems share no default workload: name some")
        for workload in self.workloads:
            if workload not in served:
                raise ValueError(
                    f"workloads: {workload!r} is not a workload of every system; "
                    f"choose from: {', '.join(served)}"
                )
        return self

    @model_validator(mode="after")
    def _check_sent(self) -> Experiment:
        for spec in self._declared().values():
            if not (given := _sent(spec)):
                continue
            plans = (Project.find().plan(spec.variant, workload) for workload in self.workloads)
            read = {name for plan in plans for name in _properties_in(plan.read_text("utf-8"))}
            for name in given:
                if name not in read:
                    raise ValueError(
                        f"{name}: no plan of {spec.variant} for {' or '.join(self.workloads)} "
                        "reads it"
                    )
        return self

    @model_validator(mode="after")
    def _check_deployed(self) -> Experiment:
        variants = dict.fromkeys(system.variant for system in self.compared)
        require_able("replicas", self.replicas, variants)
        require_able("limits", self.limits, variants)
        varied = [name.removeprefix(SCALES) for name in self.factors if name.startswith(SCALES)]
        for variant in variants:
            # Of a system without the service, a factor would make two equal ones.
            require_able("replicas", varied, [variant])
        for system in self.compared:
            reset = declared_systems.declaration(system.variant).reset
            if system.stored and (reset is None or reset.stored is None):
                raise ValueError(f"stored: {system.variant} does not declare what is stored")
        return self

    @model_validator(mode="after")
    def _check_autoscale(self) -> Experiment:
        ruled = [
            (name, spec, rule) for name, spec in self._declared().items() for rule in spec.autoscale
        ]
        for name, spec, rule in ruled:
            where, counted = f"systems.{name}.autoscale", {**self.replicas, **spec.replicas}
            if rule.service in counted or f"{SCALES}{rule.service}" in self.factors:
                raise ValueError(f"{where} and replicas of {rule.service} exclude each other")
            limit = {**self.limits, **spec.limits}.get(rule.service)
            if limit is None or limit.cpus is None:
                raise ValueError(
                    f"{where}: the utilisation of {rule.service} is a share of its limit: "
                    f"give limits: {{{rule.service}: {{cpus: ...}}}}"
                )
            if self.in_turns or self.limiting or self.disturb is not None:
                raise ValueError(f"{where}: not with blocks, demand or disturb")
            if self.backends == "docker":
                raise ValueError(f"{where}: for services as processes: backends embedded or local")
        return self

    @model_validator(mode="after")
    def _check_target(self) -> Experiment:
        if all(system.target is None for system in self.compared):
            return self
        changes = ("settings", "replicas", "limits", "factors", "disturb", "drain")
        given = self._given(*changes, *self.limiting, "bare_servers")
        if given:
            raise ValueError(f"target and {', '.join(given)} exclude each other: it runs already")
        return self

    @model_validator(mode="after")
    def _check_command(self) -> Experiment:
        for system in self.compared:
            place = declared_systems.declaration(system.variant).place
            if place == "command" and system.target is system.command is None:
                raise ValueError(f"systems.{system.name}: give its command, or a target")
            fits = self.backends == place if place else self.backends not in OWN_PLACES
            if system.target is None and not fits:
                raise ValueError(
                    f"backends: {self.backends!r}: {system.name} is started by "
                    f"{'a command' if place == 'command' else 'its compose file'}, unlike the "
                    "others"
                )
        if self.backends in OWN_PLACES:
            given = self._given("disturb", "drain", "bare_servers", *self.limiting)
            if given:
                raise ValueError(f"{', '.join(given)}: not with backends {self.backends!r}")
        return self

    @model_validator(mode="after")
    def _check_generators(self) -> Experiment:
        fewest = min([self.fewest_users, *([self.warmup.threads] if self.warmup.at_most else [])])
        for system in self.compared:
            if system.generators > fewest:
                raise ValueError(
                    f"generators: {system.name} has {system.generators}; the fewest users of a "
                    f"load are {fewest}"
                )
        return self

    @model_validator(mode="after")
    def _check_cores_apart(self) -> Experiment:
        if self.cores_apart and self.backends in ("docker", "compose"):
            raise ValueError("cores_apart: only of processes; the backends are containers")
        for system in self.compared if self.cores_apart else ():
            if system.autoscale or system.target is not None:
                kind = "an autoscaler" if system.target is None else "a target"
                raise ValueError(f"cores_apart: not with {kind}, as {system.name} has")
        return self

    @model_validator(mode="after")
    def _check_drain(self) -> Experiment:
        if self.drain is not None and self.disturb is not None:
            raise ValueError("drain and disturb exclude each other: give one")
        for system in self.compared if self.drain is not None else ():
            if declared_systems.declaration(system.variant).ledger is None:
                raise ValueError(f"drain: {system.variant} has no ledger of what it accepted")
        return self

    @model_validator(mode="after")
    def _check_disturb(self) -> Experiment:
        if self.disturb is None:
            return self
        stoppable = [
            declared_systems.declaration(system.variant).stoppable for system in self.compared
        ]
        common = [name for name in stoppable[0] if all(name in some for some in stoppable)]
        service = self.disturb.service
        if service not in common:
            raise ValueError(
                f"disturb.service: {service!r} cannot be suspended in every system; "
                f"choose from: {', '.join(common)}"
            )
        ends = self.disturb.at + (self.disturb.lasting or 0)
        if self.duration is not None and ends > self.duration:
            raise ValueError(
                f"disturb: ends after {ends:g} s, later than the run ({self.duration} s)"
            )
        return self

    @property
    def compared(self) -> tuple[System, ...]:
        """The systems in their declared order; factor values vary fastest."""
        names, values = list(self.factors), list(self.factors.values())
        made = []
        for name, spec in self._declared().items():
            for chosen in itertools.product(*values):
                label = "-".join((name, *map(_slug, chosen)))
                varied = dict(zip(names, chosen, strict=True))
                stored = int(varied.pop(STORED, spec.stored or 0))
                counts = {
                    key.removeprefix(SCALES): int(varied.pop(key))
                    for key in names
                    if key.startswith(SCALES)
                }
                counts |= {rule.service: rule.most for rule in spec.autoscale}
                variant = declared_systems.declaration(spec.variant)
                settings = {**variant.measured, **self.settings, **spec.settings, **varied}
                if spec.target is not None:
                    settings = {}
                made.append(
                    System(
                        label,
                        spec.variant,
                        spec.preset,
                        settings,
                        self._properties(spec),
                        spec.scrape,
                        _of(variant.countable, self.replicas | spec.replicas | counts),
                        _of(variant.services, self.limits | spec.limits),
                        stored,
                        spec.jars,
                        spec.generators or self.generators,
                        spec.autoscale,
                        spec.target,
                        (spec.command or variant.command) if spec.target is None else None,
                        spec.images,
                    )
                )
        return tuple(made)

    def system(self, name: str) -> System:
        return next(system for system in self.compared if system.name == name)

    def _declared(self) -> Mapping[str, SystemSpec]:
        if self.systems:
            return self.systems
        several = len(self.presets) > 1
        return {
            f"{variant}-{preset}" if several else variant: SystemSpec(
                variant=variant, preset=preset
            )
            for variant in self.variants
            for preset in self.presets
        }

    def _properties(self, spec: SystemSpec) -> dict[str, str]:
        sent = _sent(spec)
        if not declared_systems.fetches(spec.variant):
            return sent
        return sent | _given(
            fetch=spec.fetch or self.fetch or FETCH_OF_PRESET[spec.preset],
            wait=spec.wait,
            pollInterval=spec.pollInterval,
            pause=spec.pause,
        )

    def to_yaml(self) -> str:
        """Return the experiment with all defaults, without the keys that do not apply."""
        unused = {"variants", "presets"} if self.systems else {"systems"}
        if self.precision is not None:
            unused.add("repetitions")
        data = self.model_dump(mode="json", by_alias=True, exclude=unused, exclude_none=True)
        lists = ("factors", "threads", "groups", "nulls", "replicas", "limits")
        extra = (*lists, "cores_apart", "overcommit", "bare_servers", "declares")
        data = {key: value for key, value in data.items() if value or key not in extra}
        return yaml.safe_dump(data, sort_keys=False, allow_unicode=True)

    def _given(self, *names: str) -> list[str]:
        """Return those keys that have a value."""
        return [name for name in names if getattr(self, name)]

    # What each kind of load answers.

    @property
    def levels(self) -> tuple[Level, ...]:
        """The levels of each workload, closed loop first; empty for a search."""
        return tuple(Level(CLOSED, threads, threads) for threads in self.threads)

    @property
    def opens(self) -> bool:
        """Whether a load is an open loop."""
        return any(level.mode == OPEN for level in self.levels)

    @property
    def fewest_users(self) -> int:
        """The fewest users of a load."""
        return min([*self.threads, self.max_in_flight])

    @property
    def rounds(self) -> int:
        """The least number of rounds."""
        precision = self.precision
        return self.repetitions if precision is None else precision.min_repetitions

    @property
    def measured_first(self) -> str | None:
        """The system that is measured first in every round; None if the order decides it."""
        return None

    @property
    def load_s(self) -> int | None:
        """Seconds of a load that time ends; None if loops or arrivals do."""
        return self.duration

    @property
    def designs(self) -> tuple[Together, ...]:
        """What `together` may be, from the design that needs most memory on."""
        return DESIGNS

    @property
    def each(self) -> int:
        """Loads of a run."""
        return 1

    @property
    def settle_s(self) -> float:
        """Seconds at the start of each load that are not counted."""
        return 0.0

    def length_s(self, level: Level) -> float:
        """Return the expected seconds of a load."""
        by_loops = None if self.loops is None else level.threads * self.loops * OPERATION_S
        return min(seconds for seconds in (by_loops, self.load_s) if seconds is not None)

    def arrivals_of(self, run: Run, block: int = 0) -> Planned | None:
        """Return the arrivals of a block, from 0; None for a closed loop."""
        return None

    def next_cell(self, start: Start, done: Records, last: Cell | None = None) -> Cell | None:
        """Return the next cell to measure after a start; None if none is left.

        A search depends on `done` only. `last` is the cell measured last.
        """
        return next(iter(start.left(done)), None)

    def remaining(self, start: Start, done: Records) -> list[Level]:
        """Return the level of each run that is left after a start; of a search, of the most."""
        return [cell.level for cell in start.left(done) for _ in start.systems]

    def lines(self, start: Start, done: Records) -> list[str]:
        """Return what is left after a start in words, one line per cell."""
        return [self.words(start, cell) for cell in start.left(done)]

    def words(self, start: Start, cell: Cell) -> str:
        return f"{cell.workload}, {load_words(cell.level.mode, cell.level.value)}"

    def most_cpus(self, system: System) -> float:
        """Return the most cores that a system may use; 0 without a limit."""
        return system.cpus

    def allocation(self, start: Start, cell: Cell, done: Records) -> Allocation | None:
        """Return how CPU is limited in a cell, beside `limits`; None if it is not."""
        return None

    def entries(
        self,
        run: Run,
        allocation: Allocation | None,
        record: Mapping[str, Any],
        goodput: Callable[[], float],
    ) -> dict[str, Any]:
        """Return what only this kind adds to the record of a run.

        `goodput` computes the successful operations per second of the run.
        """
        return {}


def _sent(spec: SystemSpec) -> dict[str, str]:
    """Return the properties that decide what is sent; not every plan reads them."""
    return _given(keys="on" if spec.keys else None, until=spec.until, pages=spec.pages)


def _given(**properties: object) -> dict[str, str]:
    return {name: str(value) for name, value in properties.items() if value is not None}


def _properties_in(plan: str) -> list[str]:
    """Return the properties that a JMeter plan reads."""
    return re.findall(r"(?:__P\(|getProperty\(')(\w+)", plan)


def _in_common(before: dict[str, Any]) -> tuple[str, ...]:
    """Return the default workloads, from the fields that are validated before them."""
    specs: Mapping[str, SystemSpec] = before.get("systems") or {}
    compared = {spec.variant for spec in specs.values()} or before.get("variants")
    return declared_systems.workloads(compared)


def _place_of(before: dict[str, Any]) -> Backends:
    """Return the default backends, from the fields that are validated before them."""
    specs: Mapping[str, SystemSpec] = before.get("systems") or {}
    variants = [spec.variant for spec in specs.values()] or before["variants"]
    places = (declared_systems.declaration(variant).place for variant in variants)
    return next(filter(None, places), "embedded")


def _of(services: tuple[str, ...], given: Mapping[str, _Value]) -> dict[str, _Value]:
    return {name: value for name, value in given.items() if name in services}


def _slug(value: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", value.lower()).strip("-") or "none"
