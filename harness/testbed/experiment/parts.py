"""The value types and the sections of an experiment, each with its limits."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)

from testbed.experiment.settings import setting_name
from testbed.model.systems import Preset, Variant, Workload, declaration, fetches
from testbed.model.workloads import Pages

Fetch = Literal["wait", "immediate", "poll", "request"]
Arrivals = Literal["poisson", "constant"]
Figure = Literal["ok_per_s", "p95_ms", "cpu_ms_per_ok", "mean_ms"]
Together = Literal["all", "pairs", "none"]
DESIGNS: tuple[Together, ...] = ("all", "pairs", "none")

MAX_RATE = 100_000
SHARE = re.compile(r"([1-9]\d?(\.\d+)?|100)%")

_Value = TypeVar("_Value")


def _distinct(values: tuple[_Value, ...]) -> tuple[_Value, ...]:
    twice = sorted({str(value) for value in values if values.count(value) > 1})
    if twice:
        raise ValueError(f"{', '.join(twice)} is given more than once")
    return values


def rate_or_share(given: Any) -> float | str:
    """Return a rate in operations per second, or a share such as ``50%`` as it is given.

    Raises `ValueError` for anything else.
    """
    text = str(given).strip()
    if SHARE.fullmatch(text):
        return text
    try:
        rate = math.nan if isinstance(given, bool) else float(text)
    except ValueError:
        rate = math.nan
    if not 0 < rate <= MAX_RATE:
        raise ValueError(
            f"{given!r}: give operations/s up to {MAX_RATE:,}, such as 200, or a share from 1% to "
            "100%"
        )
    return rate


Several = Annotated[tuple[_Value, ...], Field(min_length=1), AfterValidator(_distinct)]
Nothing = tuple[()]
Threads = Annotated[int, Field(ge=1, le=999, strict=True)]
Seconds = Annotated[int, Field(ge=1, le=86_400, strict=True)]
Milliseconds = Annotated[int, Field(ge=0, le=600_000, strict=True)]
Count = Annotated[int, Field(ge=1, le=1_000_000, strict=True)]
Repetitions = Annotated[int, Field(ge=1, le=1000, strict=True)]
Rate = Annotated[float, Field(gt=0, le=MAX_RATE, allow_inf_nan=False)]
RateOrNone = Annotated[float, Field(ge=0, le=MAX_RATE, allow_inf_nan=False)]
RateOrShare = Annotated[float | str, BeforeValidator(rate_or_share)]
"""A rate, or a share of what a system can do, such as ``50%``."""
Setting = Annotated[str, Field(coerce_numbers_to_str=True, pattern=r"^[^\x00]*$")]
SettingName = Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]*$"), AfterValidator(setting_name)]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$", max_length=60)]
MAX_REPLICAS = 20
Replicas = Annotated[int, Field(ge=1, le=MAX_REPLICAS, strict=True)]
MAX_STORED = 10_000_000
Stored = Annotated[int, Field(ge=0, le=MAX_STORED, strict=True)]
Generators = Annotated[int, Field(ge=1, le=99, strict=True)]


def _address(url: str) -> str:
    parts = urlsplit(url)
    try:
        complete = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        complete = False
    if not complete or parts.query or parts.fragment or parts.username:
        raise ValueError(
            f"{url!r} is not the address of a front door: give http://HOST:PORT, or https, with a "
            "path if all paths begin with it"
        )
    return url.rstrip("/")


FrontDoor = Annotated[str, AfterValidator(_address)]

Share = Annotated[float, Field(gt=0, le=10, allow_inf_nan=False)]

SCALES = "replicas."
"""The prefix of a factor whose values are numbers of instances."""

STORED = "stored"
"""The factor whose values are numbers of documents that are stored before a run."""


def _counts(name: str) -> bool:
    return name == STORED or name.startswith(SCALES)


def _factor(name: str) -> str:
    return name if _counts(name) else setting_name(name)


def _numbers(factors: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    for name, values in factors.items():
        least, most = (0, MAX_STORED) if name == STORED else (1, MAX_REPLICAS)
        for value in values if _counts(name) else ():
            if not (value.isdecimal() and least <= int(value) <= most):
                raise ValueError(f"{name}: {value!r}: choose {least} to {most}")
    return factors


FactorName = Annotated[
    str,
    Field(pattern=r"^([A-Z][A-Z0-9_]*|replicas\.[a-z][a-z0-9-]*|stored)$"),
    AfterValidator(_factor),
]
Factors = Annotated[dict[FactorName, Several[Setting]], AfterValidator(_numbers)]

STRETCHES = 4
"""The least number of stretches, each with enough operations, of each workload in a warm-up."""


class Section(BaseModel):
    """A set of keys: immutable; an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class Warmup(Section):
    """The load before the first run after a start: every workload in turn.

    It ends when a system has done enough operations, its goodput no longer rises, its CPU time per
    operation no longer falls, and its compilers are quiet. Its results are stored apart from the
    runs.
    """

    threads: Threads = 100
    """Users of a closed loop."""
    window: Seconds = 5
    """Seconds of each workload in its turn."""
    operations: Count = 20_000
    """The least successful operations of each workload, or the least requests of its sessions. A
    JVM compiles a method after a number of calls, so the time follows from the machine.
    """
    at_most: Annotated[int, Field(ge=0, le=86_400, strict=True)] = 900
    """Seconds of a system after which it is measured even if it is not warm, lest a warm-up hangs;
    0 for no warm-up.
    """


class ServiceLimits(Section):
    """What each instance of a service may use; None for no limit of the experiment's."""

    cpus: Annotated[float, Field(ge=0.01, allow_inf_nan=False)] | None = None
    """CPU time per time: 0.5 is half a core."""
    memory_mb: Annotated[int, Field(ge=64, strict=True)] | None = None
    """In MB (10^6 bytes)."""
    since: Literal["start", "measurement"] = Field(default="start", alias="from")
    """Since when `cpus` holds: the start, or only during each run, with its drain. A JVM that
    starts with a part of a core takes minutes to be warm.
    """

    @model_validator(mode="after")
    def _check_limits(self) -> ServiceLimits:
        if self.cpus is None and self.memory_mb is None:
            raise ValueError("give cpus, memory_mb or both")
        return self

    @property
    def at_start(self) -> ServiceLimits:
        """The limits with which a service is started."""
        return self if self.since == "start" else self.model_copy(update={"cpus": None})


class ScalingRule(Section):
    """Starts and stops instances of a service while there is a load."""

    service: str
    """The service. It needs a CPU limit, which its utilisation is a share of."""
    least: Replicas = Field(default=1, alias="min")
    """Instances that are always there."""
    most: Replicas = Field(alias="max")
    """The most instances."""
    every: Seconds = 15
    """Seconds between two decisions."""

    @model_validator(mode="after")
    def _check_most(self) -> ScalingRule:
        if self.most <= self.least:
            raise ValueError(f"max: {self.most} is not above min ({self.least})")
        return self


class Hpa(ScalingRule):
    """The rule of Kubernetes' HorizontalPodAutoscaler with its default behaviour."""

    rule: Literal["hpa"] = "hpa"
    target: Share = 0.7
    """The utilisation that the ready instances shall have on average."""
    tolerance: Annotated[float, Field(ge=0, lt=1)] = 0.1
    """How far the ratio of utilisation and target may be from 1 without consequences."""
    stabilise_down: Annotated[int, Field(ge=0, le=3600, strict=True)] = 300
    """Seconds: the number falls to the highest that was recommended in this time."""


class Alarm(ScalingRule):
    """Adds an instance after some time above one utilisation; removes one after some time below
    another.
    """

    rule: Literal["alarm"] = "alarm"
    above: Share
    """The mean utilisation that lasts `above_for` before an instance is added."""
    above_for: Seconds = 60
    """In seconds."""
    below: Share | None = None
    """The mean utilisation; when it has been lower for `below_for`, an instance is removed. None:
    none is.
    """
    below_for: Seconds = 300
    """In seconds."""
    at_once: Share | None = None
    """The utilisation of any instance, in the mean of `at_once_for`, that adds one."""
    at_once_for: Seconds = 60
    """In seconds, rounded up to decisions. Each instance that starts begins it anew."""

    @model_validator(mode="after")
    def _check_band(self) -> Alarm:
        if self.below is not None and self.below >= self.above:
            raise ValueError(f"below: {self.below:g} is not below above ({self.above:g})")
        return self


Autoscale = Annotated[Hpa | Alarm, Field(discriminator="rule")]

_RULE: TypeAdapter[Autoscale] = TypeAdapter(Autoscale)


def _rules(given: Any, validate: ValidatorFunctionWrapHandler) -> tuple[Autoscale, ...]:
    """Read a rule for each of several services, or one without a list."""
    if not isinstance(given, (list, tuple)):
        return (_RULE.validate_python(given),)
    rules: tuple[Autoscale, ...] = validate(given)
    _distinct(tuple(rule.service for rule in rules))
    return rules


Autoscales = Annotated[
    tuple[Autoscale, ...],
    WrapValidator(_rules, json_schema_input_type=Autoscale | tuple[Autoscale, ...]),
]


def require_able(key: str, services: Iterable[str], variants: Iterable[str]) -> None:
    """Check that at least one variant has each service, and that the `key` may name it.

    Raises `ValueError` with the key, the service and the choices.
    """
    declarations = {name: declaration(name) for name in variants}
    which, able = {
        "replicas": ("countable", "that can run in several instances"),
        "autoscale": ("scalable", "that can run in several instances"),
        "limits": ("services", "that can be limited"),
    }[key]
    choices = dict.fromkeys(
        name for declared in declarations.values() for name in getattr(declared, which)
    )
    for service in services:
        if service not in choices:
            raise ValueError(
                f"{key}: {service!r} is no service of {' or '.join(declarations)} {able}; "
                f"choose from: {', '.join(choices)}"
            )


class SystemSpec(Section):
    """A compared system, as written under ``systems``.

    ``fetch`` and the keys after it, up to ``pause``, are for systems whose results are fetched.
    They are properties of the plan. Default: the plan's own value.
    """

    variant: Variant
    """What is started."""
    preset: Preset = "tuned"
    """Its JVM flags and settings."""
    settings: dict[SettingName, Setting] = {}
    """Environment settings of its services, on top of the experiment's."""
    fetch: Fetch | None = None
    """How results are fetched. Default: as the experiment does, or else the preset."""
    wait: Seconds | None = None
    """Seconds for a fetch, or for all polls of an operation together."""
    pollInterval: Milliseconds | None = None  # noqa: N815 (as the plans call it)
    """Milliseconds from a pending answer to the next poll."""
    pause: Milliseconds | None = None
    """Milliseconds between request and fetch, part of the operation's time."""
    keys: bool = False
    """Whether each reservation has an ``Idempotency-Key``."""
    until: date | None = None
    """Reservations are for random days before this one. Default: all for one showing."""
    pages: Pages | None = None
    """When a list has ended for the sessions that read it page by page: after a page that is not
    full (``short``) or one without items (``empty``). Default: the plan's own value.
    """
    scrape: Seconds | None = None
    """Seconds between two scrapes of every service's metrics under load; None for no scraping."""
    replicas: dict[str, Replicas] = {}
    """Instances of each service, on top of the experiment's."""
    limits: dict[str, ServiceLimits] = {}
    """The limits of each instance, by service, on top of the experiment's."""
    autoscale: Autoscales = ()
    """Each changes the instances of a service while there is a load."""
    stored: Stored | None = None
    """Documents that are stored before each run."""
    jars: Annotated[str, Field(min_length=1)] | None = None
    """A folder of the project with the jars of its services, such as those of an older commit.
    Default: those that the project builds.
    """
    generators: Generators | None = None
    """Load generators. Default: as many as the experiment has."""
    command: Annotated[str, Field(min_length=1)] | None = None
    """What starts it, in place of the command of its declaration."""
    images: dict[str, Annotated[str, Field(min_length=1)]] = {}
    """Images in place of those of its compose file, by service. Only of a user's own system."""
    target: FrontDoor | None = None
    """The front door of a system that runs already. It is neither started nor emptied, and what it
    uses is not known. `preset` is what it was started with.
    """

    @model_validator(mode="after")
    def _check_target(self) -> SystemSpec:
        started = ("settings", "replicas", "limits", "autoscale", "stored", "jars", "scrape")
        given = [name for name in (*started, "command", "images") if getattr(self, name)]
        if self.target is not None and given:
            raise ValueError(f"target and {', '.join(given)} exclude each other: it runs already")
        parts = urlsplit(self.target or "")
        plain = parts.scheme == "http" and parts.port is not None and not parts.path
        if self.target is not None and not (plain or declaration(self.variant).own):
            raise ValueError(
                f"target: {self.target!r} is not the address of a front door: give http://HOST:PORT"
            )
        return self

    @model_validator(mode="after")
    def _check_command(self) -> SystemSpec:
        place = declaration(self.variant).place
        if self.command is not None and place != "command":
            raise ValueError(f"command: {self.variant} is started from its compose file")
        if self.images and place != "compose":
            raise ValueError(f"images: {self.variant} has no compose file of yours")
        return self

    @model_validator(mode="after")
    def _check_services(self) -> SystemSpec:
        require_able("replicas", self.replicas, [self.variant])
        require_able("limits", self.limits, [self.variant])
        scaled = [rule.service for rule in self.autoscale]
        require_able("autoscale", scaled, [self.variant])
        if (front := declaration(self.variant).front.service) in scaled:
            raise ValueError(
                f"autoscale: {front} is the front door, whose instances the load asks in turn"
            )
        return self

    @model_validator(mode="after")
    def _check_fetch(self) -> SystemSpec:
        given = [
            name
            for name in ("fetch", "wait", "pollInterval", "pause")
            if getattr(self, name) is not None
        ]
        if given and not fetches(self.variant):
            raise ValueError(f"{', '.join(given)}: {self.variant} answers at once")
        return self


PLAIN = "plain"
"""The name of the first rung of a ladder."""

WITHOUT, PLUS = "without-", "plus-"
"""Name prefixes of systems that lack one factor of a ladder's top, or add one to it."""


class Rung(Section):
    """What a factor of a ladder changes in a system."""

    settings: dict[SettingName, Setting] = {}
    fetch: Fetch | None = None
    pollInterval: Milliseconds | None = None  # noqa: N815 (as the plans call it)


class Ladder(Section):
    """Climbs from a plain system to the best one, a factor at a time, then takes out each alone.

    It makes systems and groups. The first system of a group is the neighbour of one or two others:
    a start that two comparisons share takes less time than two starts.
    """

    top: SystemSpec
    """The last rung: every factor at its best."""
    factors: Annotated[dict[Name, Rung], Field(min_length=2)]
    """In the order of the climb, each with its plain values."""
    beyond: dict[Name, Rung] = {}
    """What is added to the top, each alone: patterns of their own."""

    @model_validator(mode="after")
    def _check_names(self) -> Ladder:
        if len(self.systems) != 2 * len(self.factors) + len(self.beyond):
            raise ValueError("two systems would have one name: choose other names of factors")
        rungs = [*self.factors.values(), *self.beyond.values()]
        if any(rung.fetch or rung.pollInterval for rung in rungs) and not fetches(self.top.variant):
            raise ValueError(f"fetch, pollInterval: {self.top.variant} answers at once")
        return self

    @property
    def systems(self) -> dict[str, SystemSpec]:
        """The systems by name: the rungs, the top without each factor, and what is beyond it.

        The top without its last factor is the last rung but one.
        """
        plain = list(self.factors.values())
        *below, top = climb(self.factors, self.top.preset)
        return {
            **{name: self._changed(*plain[place:]) for place, name in enumerate(below)},
            top: self.top,
            **{WITHOUT + name: self._changed(self.factors[name]) for name in below[1:]},
            **{PLUS + name: self._changed(rung) for name, rung in self.beyond.items()},
        }

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        rungs = climb(self.factors, self.top.preset)
        others = [name for name in self.systems if name not in rungs]
        middle = range(1, len(rungs), 2)
        steps = ((rungs[at], rungs[at - 1], *rungs[at + 1 : at + 2]) for at in middle)
        at_top = ((rungs[-1], *others[at : at + 2]) for at in range(0, len(others), 2))
        return (*steps, *at_top)

    def _changed(self, *rungs: Rung) -> SystemSpec:
        changed = self.top
        for rung in rungs:
            given = {key: getattr(rung, key) for key in ("fetch", "pollInterval")}
            changed = changed.model_copy(
                update={
                    "settings": {**changed.settings, **rung.settings},
                    **{key: value for key, value in given.items() if value is not None},
                }
            )
        return changed


def climb(factors: Iterable[str], top: str) -> list[str]:
    """Return the names of a ladder's rungs from below: each has one more factor at its best."""
    return [PLAIN, *list(factors)[:-1], top]


class Precision(Section):
    """Looks after each round, and repeats until every cell is decided or known precisely."""

    within: Annotated[float, Field(gt=0, lt=1)] = 0.10
    """How far the interval of `figure` may reach, relatively, in a cell that is not decided."""
    figure: Figure = "ok_per_s"
    """The compared figure. Of given rates in blocks, p95 takes the place of goodput."""
    budget_min: Annotated[float, Field(gt=0)] = 60
    """Minutes after which no further round begins, precise or not."""
    min_repetitions: Annotated[int, Field(ge=2, le=1000, strict=True)] = 2
    """Rounds before the first check."""


class Null(Section):
    """A comparison in which there can be no effect: a decision on it would be false."""

    system: Name
    """The compared system."""
    workloads: tuple[Workload, ...] = ()
    """The workloads that it cannot affect. Default: all."""


class Slo(Section):
    """The objective: what a user is promised."""

    p95_ms: Annotated[float, Field(gt=0)]
    """The time from the intended start within which 95 % of the correct answers arrive."""
    failed_share: Annotated[float, Field(ge=0, lt=1)] = 0.01
    """The share of arrivals that may fail or be dropped, from 0 to 1."""


class Grid(Section):
    """The values that a search may try: ``from``, then in steps of the resolution up to ``to``."""

    first: Rate = Field(alias="from")
    """The lowest value."""
    last: Rate = Field(alias="to")
    """The highest value."""
    resolution: Rate
    """The search ends when a passed and a failed value are this close."""

    @model_validator(mode="after")
    def _check_order(self) -> Grid:
        if self.last <= self.first:
            raise ValueError(f"to: {self.last:g} is not above from ({self.first:g})")
        return self


class Disturb(Section):
    """Suspends a service for a while during each run."""

    service: str
    """The name of the service."""
    at: Annotated[float, Field(ge=0)]
    """Seconds from the first operation."""
    lasting: Annotated[float, Field(gt=0)] | None = Field(default=None, alias="for")
    """Seconds. Without it, the service stays suspended until the completeness check after the run,
    which then fails.
    """
