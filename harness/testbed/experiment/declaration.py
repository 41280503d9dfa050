"""Experiments as data: what is measured, how often, and at which load."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, TypeVar

import yaml
from pydantic import Discriminator, Field, Tag, TypeAdapter, model_validator

from testbed.experiment.parts import (
    SCALES,
    STORED,
    UNLIMITED,
    Arrivals,
    Autoscale,
    Blocks,
    Burst,
    Count,
    Demand,
    Disturb,
    Factors,
    Fetch,
    Generators,
    Ladder,
    LocalPorts,
    Name,
    Nothing,
    Precision,
    Rate,
    Repetitions,
    Replicas,
    Search,
    Seconds,
    Section,
    ServiceLimits,
    Setting,
    SettingName,
    Several,
    Slo,
    Steps,
    SystemSpec,
    Threads,
    Together,
    Warmup,
    require_able,
)
from testbed.model import systems as declared_systems
from testbed.model.project import Project
from testbed.model.systems import Backends, Preset, Variant, Workload

_Value = TypeVar("_Value")

FETCH_OF_PRESET: dict[str, Fetch] = {"tuned": "wait", "thesis": "immediate"}
"""How each preset fetches results, unless the experiment says otherwise."""


@dataclass(frozen=True)
class System:
    """One of the compared systems, with everything that makes it differ from the others."""

    name: str
    """Unique in the experiment."""
    variant: str
    preset: str
    settings: Mapping[str, str]
    """Environment settings of its services: those under which the system is measured, those of the
    experiment, its own, and factor values.
    """
    properties: Mapping[str, str]
    """Properties of the plan that say what is sent, and how results are fetched."""
    scrape: int | None = None
    """Seconds between two scrapes of every service's metrics; None for no scraping."""
    replicas: Mapping[str, int] = field(default_factory=dict)
    """Instances of each service; one where it is not named."""
    limits: Mapping[str, ServiceLimits] = field(default_factory=dict)
    """The limits of each instance, by service."""
    stored: int = 0
    """Documents that are stored before each run."""
    jars: str | None = None
    """The folder with the jars of its services; None for those that the project builds."""
    generators: int = 1
    """Load generators that put each load on it together."""
    autoscale: Autoscale | None = None
    """Changes the instances of a service under load; `replicas` has the most of them."""
    target: str | None = None
    """The front door of a system that runs already; None for one that is started."""

    @property
    def deployed(self) -> dict[str, str]:
        """What it is besides its settings, by key, such as ``limits.SERVICE.cpus``."""
        limits = {
            f"limits.{service}.{key}": f"{value:g}"
            for service, one in self.limits.items()
            for key, value in one.model_dump(exclude={"since"}, exclude_none=True).items()
        }
        counts = {name: str(count) for name, count in self.replicas.items()}
        if (rule := self.autoscale) is not None:
            counts[rule.service] = f"{rule.least} to {rule.most} by {rule.rule}"
        return {
            **{f"{SCALES}{name}": text for name, text in counts.items()},
            **limits,
            **({STORED: str(self.stored)} if self.stored else {}),
            **({} if self.jars is None else {"jars": self.jars}),
            **({} if self.target is None else {"target": self.target}),
        }

    @property
    def cpus(self) -> float:
        """The sum of the CPU limits of all instances, in cores."""
        return sum(
            (one.cpus or 0) * self.replicas.get(name, 1) for name, one in self.limits.items()
        )

    @property
    def measured_cpus(self) -> dict[str, float]:
        """The CPU limits of instances, in cores, that hold during each run only, by service."""
        return {
            name: one.cpus
            for name, one in self.limits.items()
            if one.cpus is not None and one.since == "measurement"
        }

    @property
    def fetch(self) -> str | None:
        """How results are fetched; None if the system answers at once."""
        return self.properties.get("fetch")


class Experiment(Section):
    """A declared set of runs: every system, workload and level, in every repetition.

    These are the keys of every kind of load. A subclass for each kind adds what the load needs. A
    key that the kind does not have is None there, or empty. ``arrivals``, ``max_in_flight`` and
    ``together`` are in every results directory, so every kind has them.
    """

    name: Name
    """The name of the result directory."""
    topic: str = ""
    """Under which heading `./testbed run` lists it, if it ships."""
    description: str = ""
    """The question that it answers, in one sentence."""
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
    slo: Slo | None = None
    """The objective: what a user is promised."""
    disturb: Disturb | None = None
    """Suspends a service in each run."""
    drain: Seconds | None = None
    """The most seconds to wait after a run until the system has no accepted work left."""
    local_ports: LocalPorts | None = None
    """The local ports of connections, in a network of the experiment's own."""
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
    backends: Backends = "embedded"
    """Where MongoDB and AMQP come from."""
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
    overcommit: bool = False
    """Whether the CPU limits of a system and one core for each load generator may add up to more
    than the machine has.
    """

    @model_validator(mode="after")
    def _climbs_in_blocks(self) -> Experiment:
        if self.ladder is None:
            return self
        if not isinstance(self, InBlocks):
            raise ValueError("ladder: only with blocks")
        if (self.systems, self.groups) != (self.ladder.systems, self.ladder.groups):
            raise ValueError("ladder makes systems and groups: leave them out")
        return self

    @model_validator(mode="after")
    def _groups_what_is_there(self) -> Experiment:
        names = [one.name for one in self.compared]
        for group in self.groups:
            for name in group:
                if name not in names:
                    raise ValueError(f"groups: {name!r}: choose from: {', '.join(names)}")
        if not isinstance(self, InBlocks):
            if self.together != "all":
                raise ValueError(f"together: {self.together!r}: only with blocks")
            return self
        alone = [one for one in names if not any(one in group for group in self.groups)]
        if self.groups and alone:
            raise ValueError(
                f"groups: {', '.join(alone)} is in none, and would not be measured in blocks"
            )
        if self.together == "pairs" and len(names) < 2:
            raise ValueError("together: 'pairs': needs two systems")
        return self

    @model_validator(mode="after")
    def _starts_all_users_in_time(self) -> Experiment:
        length = self.blocks.seconds if isinstance(self, InBlocks) else self.duration
        if length is not None and self.ramp > length:
            raise ValueError(
                f"ramp: {self.ramp} s is more than the {length} s of a load: its last users would "
                "begin after the end"
            )
        return self

    @model_validator(mode="after")
    def _repeats_by_one_rule(self) -> Experiment:
        if self.precision is not None and self.repetitions > 1:
            raise ValueError("repetitions and precision exclude each other: give one")
        if self.precision is not None and len(self.compared) < 2:
            raise ValueError("precision: needs two systems, as it is that of their ratio")
        return self

    @model_validator(mode="after")
    def _compares_distinct_systems(self) -> Experiment:
        if self.systems:
            for key, default in (
                ("variants", declared_systems.compared()),
                ("presets", ("tuned",)),
            ):
                if key in self.model_fields_set and getattr(self, key) != default:
                    raise ValueError(f"{key} and systems exclude each other: give one")
        if self.fetch is not None and not any(
            declared_systems.fetches(one.variant) for one in self.compared
        ):
            raise ValueError(f"fetch: {self.fetch!r}: these systems answer at once")
        names = [one.name for one in self.compared]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"factors: two systems would be called {', '.join(twice)}")
        return self

    @model_validator(mode="after")
    def _asks_for_what_there_is(self) -> Experiment:
        known = declared_systems.workloads((one.variant for one in self.compared), every=True)
        if not self.workloads:
            raise ValueError("workloads: these systems share no default workload: name some")
        for workload in self.workloads:
            if workload not in known:
                raise ValueError(
                    f"workloads: {workload!r} is not a workload of every system; "
                    f"choose from: {', '.join(known)}"
                )
        return self

    @model_validator(mode="after")
    def _varies_what_is_sent(self) -> Experiment:
        for spec in self._declared().values():
            if not (given := _sent(spec)):
                continue
            plans = (Project.find().plan(spec.variant, workload) for workload in self.workloads)
            known = {name for plan in plans for name in _properties_in(plan.read_text("utf-8"))}
            for name in given:
                if name not in known:
                    raise ValueError(
                        f"{name}: no plan of {spec.variant} for {' or '.join(self.workloads)} "
                        "reads it"
                    )
        return self

    @model_validator(mode="after")
    def _deploys_what_there_is(self) -> Experiment:
        variants = dict.fromkeys(one.variant for one in self.compared)
        require_able("replicas", self.replicas, variants)
        require_able("limits", self.limits, variants)
        varied = [name.removeprefix(SCALES) for name in self.factors if name.startswith(SCALES)]
        for variant in variants:
            # Of a system without the service, a factor would make two equal ones.
            require_able("replicas", varied, [variant])
        for one in self.compared:
            reset = declared_systems.declaration(one.variant).reset
            if one.stored and (reset is None or reset.stored is None):
                raise ValueError(f"stored: {one.variant} does not declare what is stored")
        return self

    @model_validator(mode="after")
    def _scales_what_it_can(self) -> Experiment:
        for name, spec in self._declared().items():
            if (rule := spec.autoscale) is None:
                continue
            where, counted = f"systems.{name}.autoscale", {**self.replicas, **spec.replicas}
            if rule.service in counted or f"{SCALES}{rule.service}" in self.factors:
                raise ValueError(f"{where} and replicas of {rule.service} exclude each other")
            limit = {**self.limits, **spec.limits}.get(rule.service)
            if limit is None or limit.cpus is None:
                raise ValueError(
                    f"{where}: the utilisation of {rule.service} is a share of its limit: "
                    f"give limits: {{{rule.service}: {{cpus: ...}}}}"
                )
            if isinstance(self, InBlocks | Demanded) or self.disturb is not None:
                raise ValueError(f"{where}: not with blocks, demand or disturb")
            if self.backends in ("docker", "kubernetes"):
                raise ValueError(f"{where}: for services as processes: backends embedded or local")
        return self

    @model_validator(mode="after")
    def _leaves_alone_what_runs_already(self) -> Experiment:
        if all(one.target is None for one in self.compared):
            return self
        changes = ("settings", "replicas", "limits", "factors", "disturb", "drain", "local_ports")
        given = [name for name in (*changes, "demand", "bare_servers") if getattr(self, name, None)]
        if given:
            raise ValueError(f"target and {', '.join(given)} exclude each other: it runs already")
        return self

    @model_validator(mode="after")
    def _has_a_user_for_each_generator(self) -> Experiment:
        levels = [*self.threads, self.max_in_flight]
        if self.warmup.at_most:
            levels.append(self.warmup.threads)
        if isinstance(self, Demanded):
            # What an operation costs is measured with a single user.
            levels.append(1)
        for one in self.compared:
            if one.generators > min(levels):
                raise ValueError(
                    f"generators: {one.name} has {one.generators}; the fewest users of a load are "
                    f"{min(levels)}"
                )
        return self

    @model_validator(mode="after")
    def _drains_what_is_accounted_for(self) -> Experiment:
        if self.drain is not None and self.disturb is not None:
            raise ValueError("drain and disturb exclude each other: give one")
        for one in self.compared if self.drain is not None else ():
            if declared_systems.declaration(one.variant).ledger is None:
                raise ValueError(f"drain: {one.variant} has no ledger of what it accepted")
        return self

    @model_validator(mode="after")
    def _has_its_own_network_alone(self) -> Experiment:
        if self.local_ports is not None and self.backends != "embedded":
            raise ValueError(
                f"local_ports: backends {self.backends!r} cannot be reached from a network of its "
                "own; choose embedded"
            )
        return self

    @model_validator(mode="after")
    def _changes_nothing_that_a_cluster_decides(self) -> Experiment:
        if self.backends != "kubernetes":
            return self
        # A drain and a scrape ask services at ports of this machine.
        never = ("disturb", "demand", "bare_servers", "drain")
        given = [name for name in never if getattr(self, name, None)]
        given += [f"scrape of {one.name}" for one in self.compared if one.scrape is not None]
        given += [
            f"limits of {one.name} from: measurement" for one in self.compared if one.measured_cpus
        ]
        if given:
            raise ValueError(f"{', '.join(given)}: not with backends 'kubernetes'")
        return self

    @model_validator(mode="after")
    def _disturbs_what_is_there(self) -> Experiment:
        if self.disturb is None:
            return self
        stoppable = [declared_systems.declaration(one.variant).stoppable for one in self.compared]
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
                if (rule := spec.autoscale) is not None:
                    counts[rule.service] = rule.most
                known = declared_systems.declaration(spec.variant)
                settings = {**known.measured, **self.settings, **spec.settings, **varied}
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
                        _of(known.countable, self.replicas | spec.replicas | counts),
                        _of(known.services, self.limits | spec.limits),
                        stored,
                        spec.jars,
                        spec.generators or self.generators,
                        rule,
                        spec.target,
                    )
                )
        return tuple(made)

    def system(self, name: str) -> System:
        return next(one for one in self.compared if one.name == name)

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
        if self.precision is not None or isinstance(self, Searched | Demanded):
            unused.add("repetitions")
        data = self.model_dump(mode="json", by_alias=True, exclude=unused, exclude_none=True)
        extra = ("factors", "threads", "groups", "replicas", "limits", "overcommit", "bare_servers")
        data = {key: value for key, value in data.items() if value or key not in extra}
        return yaml.safe_dump(data, sort_keys=False, allow_unicode=True)


class ClosedLoop(Experiment):
    """Threads that begin an operation when their last one has ended, for some loops or time."""

    @model_validator(mode="after")
    def _has_a_load_with_an_end(self) -> ClosedLoop:
        if not self.threads:
            raise ValueError("give threads, rates, schedule, burst or search: a run needs a load")
        if self.loops is None and self.duration is None:
            raise ValueError("give blocks, loops or duration: a run needs an end")
        return self


class InBlocks(Experiment):
    """A closed loop in short blocks, which alternate between systems that are up together.

    With every other kind, systems are started one after another.
    """

    threads: Several[Threads]
    blocks: Blocks
    ramp: Annotated[int, Field(ge=0, le=1, strict=True)] = 1
    loops: None = None
    duration: None = None
    disturb: None = None
    drain: None = None
    local_ports: None = None


class OpenLoop(Experiment):
    """Arrivals that do not wait for answers; beside them, a closed loop may be measured."""

    duration: Seconds

    @model_validator(mode="after")
    def _has_loops_for_threads_alone(self) -> OpenLoop:
        if self.loops is not None and not self.threads:
            raise ValueError(f"loops: {self.loops}: an open loop has none; its end is the duration")
        return self


class AtRates(OpenLoop):
    """An open loop at constant rates, in arrivals per second."""

    rates: Several[Rate]


class Searched(OpenLoop):
    """Searches for the highest rate of an open loop that meets the objective."""

    search: Search
    slo: Slo
    threads: Nothing = ()
    repetitions: Literal[1] = 1
    precision: None = None


class Stepped(Experiment):
    """An open loop whose rate changes in steps, which say how long a run lasts."""

    schedule: Steps
    threads: Nothing = ()
    loops: None = None
    duration: None = None


class InBurst(Experiment):
    """An open loop of a number of arrivals within a short time; their rate is the level."""

    burst: Burst
    threads: Nothing = ()
    loops: None = None
    duration: None = None


class Demanded(Experiment):
    """Searches for the least CPU with which a closed loop reaches a goodput.

    Systems start and warm up without a limit of CPU. It is set for each run, on running systems: a
    JVM that starts with a part of a core needs minutes to be warm.
    """

    threads: Several[Threads]
    demand: Demand
    duration: Seconds
    loops: None = None
    repetitions: Literal[1] = 1
    precision: None = None
    disturb: None = None
    drain: None = None

    @model_validator(mode="after")
    def _searches_what_is_there(self) -> Demanded:
        reference, names = self.demand.target.goodput_of, [one.name for one in self.compared]
        if reference is not None and reference not in names:
            raise ValueError(
                f"demand.target.goodput_of: {reference!r}: choose from: {', '.join(names)}"
            )
        if any(one.cpus for one in self.compared):
            raise ValueError("limits: cpus and demand exclude each other: give one")
        return self

    @property
    def compared(self) -> tuple[System, ...]:
        """The systems; each service can be limited while it runs."""
        return tuple(
            replace(
                one,
                limits={
                    name: one.limits.get(name, UNLIMITED)
                    for name in declared_systems.declaration(one.variant).services
                },
            )
            for one in super().compared
        )


def _sent(spec: SystemSpec) -> dict[str, str]:
    """Return the properties that decide what is sent; not every plan reads them."""
    return _given(keys="on" if spec.keys else None, until=spec.until)


def _given(**properties: object) -> dict[str, str]:
    return {name: str(value) for name, value in properties.items() if value is not None}


def _properties_in(plan: str) -> list[str]:
    """Return the properties that a JMeter plan reads."""
    return re.findall(r"(?:__P\(|getProperty\(')(\w+)", plan)


def load(keys: Any) -> str:
    """Return the kind of load of an experiment: the key that decides on the others."""
    given = keys if isinstance(keys, Mapping) else {}
    kinds = ("blocks", "search", "demand", "burst", "schedule", "rates")
    return next((one for one in kinds if one in given), "threads")


AnyLoad = Annotated[
    Annotated[ClosedLoop, Tag("threads")]
    | Annotated[InBlocks, Tag("blocks")]
    | Annotated[AtRates, Tag("rates")]
    | Annotated[Stepped, Tag("schedule")]
    | Annotated[InBurst, Tag("burst")]
    | Annotated[Searched, Tag("search")]
    | Annotated[Demanded, Tag("demand")],
    Discriminator(load),
]
EXPERIMENT: TypeAdapter[Experiment] = TypeAdapter(AnyLoad)
"""Validates the keys of an experiment: they are those of one kind of load."""


def _in_common(before: dict[str, Any]) -> tuple[str, ...]:
    """Return the default workloads, from the fields that are validated before them."""
    specs: Mapping[str, SystemSpec] = before.get("systems") or {}
    compared = {one.variant for one in specs.values()} or before.get("variants")
    return declared_systems.workloads(compared)


def _of(services: tuple[str, ...], given: Mapping[str, _Value]) -> dict[str, _Value]:
    return {name: value for name, value in given.items() if name in services}


def _slug(value: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", value.lower()).strip("-") or "none"
