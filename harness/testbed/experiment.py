"""Experiments as data: what is measured, how often, and at which load."""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails

from testbed.errors import UserError
from testbed.project import Project
from testbed.variants import STOPPABLE, Backends, Preset, Variant

Workload = Literal["list", "reserve"]
WORKLOADS: tuple[str, ...] = get_args(Workload)
Fetch = Literal["wait", "immediate", "poll"]
Arrivals = Literal["poisson", "constant"]
Figure = Literal["p95_ms", "mean_ms"]

FETCH_OF_PRESET: dict[str, Fetch] = {"tuned": "wait", "thesis": "immediate"}
"""How an asynchronous result is fetched, unless the experiment says otherwise."""

WARMUP_S = 8
WARMUP_THREADS = 50

_Value = TypeVar("_Value")


def _distinct(values: tuple[_Value, ...]) -> tuple[_Value, ...]:
    twice = sorted({str(value) for value in values if values.count(value) > 1})
    if twice:
        raise ValueError(f"{', '.join(twice)} is given more than once")
    return values


Several = Annotated[tuple[_Value, ...], Field(min_length=1), AfterValidator(_distinct)]
Distinct = Annotated[tuple[_Value, ...], AfterValidator(_distinct)]
Threads = Annotated[int, Field(ge=1, le=999, strict=True)]
Seconds = Annotated[int, Field(ge=1, le=86_400, strict=True)]
Milliseconds = Annotated[int, Field(ge=0, le=600_000, strict=True)]
Count = Annotated[int, Field(ge=1, le=1_000_000, strict=True)]
Repetitions = Annotated[int, Field(ge=1, le=1000, strict=True)]
Rate = Annotated[float, Field(gt=0, le=100_000, allow_inf_nan=False)]
Setting = Annotated[str, Field(coerce_numbers_to_str=True)]
SettingName = Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]*$")]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$", max_length=60)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class Warmup(_Model):
    """The load that precedes the first run after each start, of each workload; kept apart."""

    threads: Threads = WARMUP_THREADS
    duration: Seconds = WARMUP_S


class SystemSpec(_Model):
    """One compared thing, as it is written under ``systems``.

    Attributes
    ----------
    variant, preset
        What is started.
    settings
        Environment settings of its services, on top of the experiment's.
    fetch, wait, pollInterval, pause
        Properties of the asynchronous plans; None leaves the plan's own value (for ``fetch``, the
        experiment's or the preset's).
    """

    variant: Variant
    preset: Preset = "tuned"
    settings: dict[SettingName, Setting] = {}
    fetch: Fetch | None = None
    wait: Seconds | None = None
    pollInterval: Milliseconds | None = None  # noqa: N815 (as the plans call it)
    pause: Milliseconds | None = None

    @model_validator(mode="after")
    def _fetches(self) -> SystemSpec:
        given = [
            name
            for name in ("fetch", "wait", "pollInterval", "pause")
            if getattr(self, name) is not None
        ]
        if self.variant == "sync" and given:
            raise ValueError(f"{', '.join(given)}: for variant async only; sync fetches nothing")
        return self


class Steps(_Model):
    """A rate that rises (or falls) in steps within one run.

    Attributes
    ----------
    first, last, step
        Arrivals per second: ``from``, ``to`` and the distance of two steps.
    every
        Seconds that each step lasts.
    """

    kind: Literal["steps"]
    first: Rate = Field(alias="from")
    last: Rate = Field(alias="to")
    step: Rate
    every: Seconds

    @property
    def rates(self) -> tuple[float, ...]:
        """The rate of each step, arrivals per second."""
        count = int(abs(self.last - self.first) / self.step + 1e-9) + 1
        sign = 1 if self.last >= self.first else -1
        return tuple(self.first + sign * self.step * number for number in range(count))


class Ramp(_Model):
    """A rate that changes evenly over the duration of a run, arrivals per second."""

    kind: Literal["ramp"]
    first: Rate = Field(alias="from")
    last: Rate = Field(alias="to")


class Precision(_Model):
    """Repeat until the interval of the ratio of two systems is narrow enough.

    Attributes
    ----------
    figure
        Whose ratio.
    half_width
        The relative half-width that is enough, in every cell.
    budget_min
        Minutes after which no further round begins, precise or not.
    min_repetitions
        Rounds before the first look.
    """

    figure: Figure = "p95_ms"
    half_width: Annotated[float, Field(gt=0, lt=1)] = 0.05
    budget_min: Annotated[float, Field(gt=0)] = 30
    min_repetitions: Annotated[int, Field(ge=2, le=1000, strict=True)] = 3


class Slo(_Model):
    """What a user is promised.

    Attributes
    ----------
    p95_ms
        The time from the intended start within which 95 % of the right answers come.
    failed_share
        The share of arrivals, of 1, that may fail or be dropped.
    """

    p95_ms: Annotated[float, Field(gt=0)]
    failed_share: Annotated[float, Field(ge=0, lt=1)] = 0.01


class Search(_Model):
    """A search for the highest rate at which the objective is met.

    Attributes
    ----------
    first, last
        ``from``, ``to``: the first rate tried and the highest, arrivals per second.
    resolution
        The distance of a rate that passed to one that failed at which a search ends.
    repetitions
        Searches, each after a new start of every system.
    """

    first: Rate = Field(alias="from")
    last: Rate = Field(alias="to")
    resolution: Rate
    repetitions: Repetitions = 3

    @model_validator(mode="after")
    def _rises(self) -> Search:
        if self.last <= self.first:
            raise ValueError(f"to: {self.last:g} is not above from ({self.first:g})")
        return self


class Disturb(_Model):
    """Stops a service for a while during each run, as if its machine held its breath.

    Attributes
    ----------
    service
        Which.
    at
        Seconds from the first operation.
    lasting
        ``for``: seconds; without it, until it was seen whether the product is complete after the
        run, which it then is not.
    """

    service: str
    at: Annotated[float, Field(ge=0)]
    lasting: Annotated[float, Field(gt=0)] | None = Field(default=None, alias="for")


class LocalPorts(_Model):
    """The ports that connections may choose from, ``from`` and ``to`` included."""

    first: Annotated[int, Field(alias="from", ge=1024, le=65_535, strict=True)]
    last: Annotated[int, Field(alias="to", ge=1024, le=65_535, strict=True)]

    @model_validator(mode="after")
    def _rises(self) -> LocalPorts:
        if self.last <= self.first:
            raise ValueError(f"to: {self.last} is not above from ({self.first})")
        return self


@dataclass(frozen=True)
class System:
    """One compared thing, with everything that makes it differ from the others.

    Parameters
    ----------
    name
        Unique in the experiment.
    variant, preset
        What is started.
    settings
        Environment settings of its services, those of the experiment and factor values included.
    properties
        Of the plan: how results are fetched; empty for ``sync``.
    """

    name: str
    variant: str
    preset: str
    settings: Mapping[str, str]
    properties: Mapping[str, str]

    @property
    def fetch(self) -> str | None:
        """How an asynchronous result is fetched; None for ``sync``."""
        return self.properties.get("fetch")


class Experiment(_Model):
    """A declared set of runs: every system, workload and level, in every repetition.

    Attributes
    ----------
    name
        Names the result directory.
    description
        What it is for, in a sentence.
    variants, presets
        What is compared: their product.
    systems
        What is compared, by name, in place of variants and presets.
    factors
        Settings and their values; each system is measured under every combination.
    workloads
        What users do.
    threads
        The levels of a closed loop.
    rates
        The levels of an open loop, arrivals per second.
    schedule
        An open loop whose rate changes within each run.
    arrivals
        How the arrivals of an open loop lie in time.
    max_in_flight
        The most operations that an open loop has under way.
    loops
        Operations of each thread of a closed loop; without it, as many as fit the duration.
    duration
        Seconds of each run; without it, as long as the loops or steps take.
    ramp
        Seconds until all threads run.
    repetitions
        Rounds; each starts every system anew.
    precision
        When to stop, in place of a number of repetitions.
    slo
        What a user is promised.
    search
        Looks for the highest rate that meets the objective, in place of levels.
    disturb
        What happens to a service in each run.
    local_ports
        The ports that connections may choose from, in a network of the experiment's own.
    seed
        Decides the order, and the arrivals.
    fetch
        How an asynchronous result is fetched; None for the preset's own way.
    backends
        Where MongoDB and AMQP come from.
    warmup
        The load before the first run after each start.
    settings
        Environment settings of every service, on top of the preset.
    """

    name: Name
    description: str = ""
    variants: Several[Variant] = ("sync", "async")
    presets: Several[Preset] = ("tuned",)
    systems: dict[Name, SystemSpec] = {}
    factors: dict[SettingName, Several[Setting]] = {}
    workloads: Several[Workload] = ("list", "reserve")
    threads: Distinct[Threads] = ()
    rates: Distinct[Rate] = ()
    schedule: Annotated[Steps | Ramp, Field(discriminator="kind")] | None = None
    arrivals: Arrivals = "poisson"
    max_in_flight: Threads = 200
    loops: Count | None = None
    duration: Seconds | None = None
    ramp: Annotated[int, Field(ge=0, le=3600, strict=True)] = 1
    repetitions: Repetitions = 1
    precision: Precision | None = None
    slo: Slo | None = None
    search: Search | None = None
    disturb: Disturb | None = None
    local_ports: LocalPorts | None = None
    seed: Annotated[int, Field(ge=0, le=2**32 - 1, strict=True)] = 1
    fetch: Fetch | None = None
    backends: Backends = "embedded"
    warmup: Warmup = Warmup()
    settings: dict[str, Setting] = {}

    @model_validator(mode="after")
    def _has_a_load_with_an_end(self) -> Experiment:
        for key in ("threads", "rates"):
            if key in self.model_fields_set and not getattr(self, key):
                raise ValueError(f"{key}: []: give at least one")
        levels = [key for key in ("threads", "rates", "schedule") if getattr(self, key)]
        if not levels and self.search is None:
            raise ValueError("give threads, rates, schedule or search: a run needs a load")
        if self.search is not None and levels:
            raise ValueError(f"{levels[0]} and search exclude each other: give one")
        if self.threads and self.loops is None and self.duration is None:
            raise ValueError("give loops, duration or both: a run needs an end")
        steps = isinstance(self.schedule, Steps)
        if steps and self.duration is not None:
            raise ValueError("duration: the steps of a schedule say how long a run lasts")
        if self.duration is None and not steps and (levels != ["threads"]):
            raise ValueError("duration: missing; an open loop needs it")
        if steps and (self.threads or self.rates):
            raise ValueError("schedule of steps: threads and rates need an experiment of their own")
        return self

    @model_validator(mode="after")
    def _repeats_by_one_rule(self) -> Experiment:
        rules = [
            name
            for name, given in (
                ("repetitions", "repetitions" in self.model_fields_set and self.repetitions > 1),
                ("precision", self.precision is not None),
                ("search", self.search is not None),
            )
            if given
        ]
        if len(rules) > 1:
            raise ValueError(f"{rules[0]} and {rules[1]} exclude each other: give one")
        if self.search is not None and self.slo is None:
            raise ValueError("slo: missing; search looks for the highest rate that meets it")
        if self.precision is not None and len(self.compared) < 2:
            raise ValueError("precision: needs two systems, as it is that of their ratio")
        return self

    @model_validator(mode="after")
    def _compares_distinct_systems(self) -> Experiment:
        if self.systems:
            for key, default in (("variants", ("sync", "async")), ("presets", ("tuned",))):
                if key in self.model_fields_set and getattr(self, key) != default:
                    raise ValueError(f"{key} and systems exclude each other: give one")
        names = [one.name for one in self.compared]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"factors: two systems would be called {', '.join(twice)}")
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
    def _disturbs_what_is_there(self) -> Experiment:
        if self.disturb is None:
            return self
        for variant in sorted({one.variant for one in self.compared}):
            if self.disturb.service not in STOPPABLE[variant]:
                common = [
                    name
                    for name in STOPPABLE[variant]
                    if all(name in STOPPABLE[one.variant] for one in self.compared)
                ]
                raise ValueError(
                    f"disturb.service: {self.disturb.service!r} is no service of {variant}; "
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
        """The systems, in the order they are declared; factor values vary fastest."""
        names, values = list(self.factors), list(self.factors.values())
        made = []
        for name, spec in self._declared().items():
            for chosen in itertools.product(*values):
                label = "-".join((name, *map(_slug, chosen)))
                settings = {
                    **self.settings,
                    **spec.settings,
                    **dict(zip(names, chosen, strict=True)),
                }
                made.append(
                    System(label, spec.variant, spec.preset, settings, self._properties(spec))
                )
        return tuple(made)

    def system(self, name: str) -> System:
        """Return a system by its name."""
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
        if spec.variant == "sync":
            return {}
        given = {
            "fetch": spec.fetch or self.fetch or FETCH_OF_PRESET[spec.preset],
            "wait": spec.wait,
            "pollInterval": spec.pollInterval,
            "pause": spec.pause,
        }
        return {name: str(value) for name, value in given.items() if value is not None}

    def to_yaml(self) -> str:
        """Return the experiment with every default written out, but for what does not apply."""
        unused = {"variants", "presets"} if self.systems else {"systems"}
        if self.precision is not None or self.search is not None:
            unused.add("repetitions")
        data = self.model_dump(mode="json", by_alias=True, exclude=unused, exclude_none=True)
        empty = {key for key in ("factors", "threads", "rates") if not data[key]}
        data = {key: value for key, value in data.items() if key not in empty}
        return yaml.safe_dump(data, sort_keys=False, allow_unicode=True)


def _slug(value: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", value.lower()).strip("-") or "none"


def shipped(project: Project) -> list[str]:
    """Return the names of the experiments that ship with the project."""
    return sorted(path.stem for path in project.experiments.glob("*.yaml"))


def load(project: Project, argument: str) -> Experiment:
    """Read an experiment.

    Parameters
    ----------
    argument
        The path of a file, or the name of an experiment that ships with the project.

    Raises
    ------
    UserError
        When there is no such file, or it is not a valid experiment; names each key, its value and
        the choices.
    """
    path = Path(argument)
    if not path.is_file() and path.name == argument:
        path = project.experiments / f"{path.stem}.yaml"
    if not path.is_file():
        raise UserError(
            f"no experiment {argument!r}", f"Shipped ones: {', '.join(shipped(project))}."
        )
    return parse(path.read_text(encoding="utf-8"), project.shown(path))


def parse(text: str, origin: str) -> Experiment:
    """Read an experiment from YAML.

    Parameters
    ----------
    text
        The YAML.
    origin
        Named in errors.

    Raises
    ------
    UserError
        As `load`.
    """
    try:
        data: Any = yaml.safe_load(text)
    except yaml.MarkedYAMLError as problem:
        line = problem.problem_mark.line + 1 if problem.problem_mark else 1
        raise UserError(f"{origin}, line {line}: {problem.problem or 'not YAML'}") from problem
    except yaml.YAMLError as problem:
        raise UserError(f"{origin} is not YAML: {problem}") from problem
    if not isinstance(data, dict):
        raise UserError(f"{origin} is not an experiment: expected keys such as name and threads")
    try:
        return Experiment.model_validate(data)
    except ValidationError as problem:
        lines = [f"  {_told(error)}" for error in problem.errors()]
        raise UserError("\n".join([f"{origin} is not a valid experiment:", *lines])) from problem


def _told(error: ErrorDetails) -> str:
    """Say what is wrong with one key: its name, its value and the choices."""
    key = _key(error["loc"])
    value = error["input"]
    match error["type"]:
        case "missing":
            return f"{key}: missing"
        case "extra_forbidden":
            known = list(_known_keys(error["loc"][:-1]))
            near = difflib.get_close_matches(str(error["loc"][-1]), known, n=1)
            meant = f" (did you mean {near[0]}?)" if near else ""
            return f"{key}: unknown key{meant}; choose from: {', '.join(known)}"
        case "literal_error":
            choices = error["ctx"]["expected"].replace(" or ", ", ").replace("'", "")
            return f"{key}: {value!r} is unknown; choose from: {choices}"
        case "value_error":
            message = str(error["ctx"]["error"])
            return f"{key}: {message}" if key else message
        case "union_tag_invalid":
            given = value.get("kind") if isinstance(value, dict) else value
            return f"{key}.kind: {given!r} is unknown; choose from: steps, ramp"
        case "union_tag_not_found":
            return f"{key}.kind: missing; choose from: steps, ramp"
        case "model_type" | "model_attributes_type":
            return f"{key}: {value!r} is not a set of keys"
        case _:
            message = error["msg"][0].lower() + error["msg"][1:]
            return f"{key}: {value!r}: {message}"


def _key(location: tuple[int | str, ...]) -> str:
    text = ""
    if location[:1] == ("schedule",):
        # The kind that pydantic has chosen is no key.
        location = tuple(part for part in location if part not in ("steps", "ramp"))
    if "[key]" in location:
        location = location[:-1]
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f"{'.' if text else ''}{part}"
    return text


_PARTS: dict[str, tuple[type[BaseModel], ...]] = {
    "": (Experiment,),
    "warmup": (Warmup,),
    "systems": (SystemSpec,),
    "schedule": (Steps, Ramp),
    "precision": (Precision,),
    "slo": (Slo,),
    "search": (Search,),
    "disturb": (Disturb,),
    "local_ports": (LocalPorts,),
}


def _known_keys(location: tuple[int | str, ...]) -> tuple[str, ...]:
    first = str(location[0]) if location else ""
    models = _PARTS.get(first, (Experiment,))
    if first == "schedule":
        models = (Steps,) if "steps" in location else (Ramp,)
    fields = itertools.chain.from_iterable(model.model_fields.items() for model in models)
    return tuple(dict.fromkeys(field.alias or name for name, field in fields))
