"""Experiments as data: what is measured, how often, and at which load."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

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

Variant = Literal["sync", "async"]
Workload = Literal["list", "reserve"]
Preset = Literal["tuned", "thesis"]
Backends = Literal["embedded", "docker", "local"]
Fetch = Literal["wait", "immediate", "poll"]

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
Threads = Annotated[int, Field(ge=1, le=999, strict=True)]
Seconds = Annotated[int, Field(ge=1, le=86_400, strict=True)]
Count = Annotated[int, Field(ge=1, le=1_000_000, strict=True)]
Setting = Annotated[str, Field(coerce_numbers_to_str=True)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Warmup(_Model):
    """The load that precedes the first run after each start, of each workload; kept apart."""

    threads: Threads = WARMUP_THREADS
    duration: Seconds = WARMUP_S


class Experiment(_Model):
    """A declared set of runs: every variant, preset, workload and level, in every repetition.

    Attributes
    ----------
    name
        Names the result directory.
    description
        What it is for, in a sentence.
    variants, presets, workloads
        What is compared.
    threads
        The levels of a closed loop.
    loops
        Operations of each thread; without it, as many as fit the duration.
    duration
        Seconds of each run; without it, as long as the loops take.
    ramp
        Seconds until all threads run.
    repetitions
        Rounds; each starts every variant anew.
    seed
        Decides the order.
    fetch
        How an asynchronous result is fetched; None for the preset's own way.
    backends
        Where MongoDB and AMQP come from.
    warmup
        The load before the first run after each start.
    settings
        Environment settings of every service, on top of the preset.
    """

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$", max_length=60)]
    description: str = ""
    variants: Several[Variant] = ("sync", "async")
    presets: Several[Preset] = ("tuned",)
    workloads: Several[Workload] = ("list", "reserve")
    threads: Several[Threads]
    loops: Count | None = None
    duration: Seconds | None = None
    ramp: Annotated[int, Field(ge=0, le=3600, strict=True)] = 1
    repetitions: Annotated[int, Field(ge=1, le=1000, strict=True)] = 1
    seed: Annotated[int, Field(strict=True)] = 1
    fetch: Fetch | None = None
    backends: Backends = "embedded"
    warmup: Warmup = Warmup()
    settings: dict[str, Setting] = {}

    @model_validator(mode="after")
    def _has_an_end(self) -> Experiment:
        if self.loops is None and self.duration is None:
            raise ValueError("give loops, duration or both: a run needs an end")
        return self

    def fetch_of(self, preset: str) -> Fetch:
        """Return how an asynchronous result is fetched under a preset."""
        return self.fetch or FETCH_OF_PRESET[preset]

    def to_yaml(self) -> str:
        """Return the experiment with every default written out."""
        return yaml.safe_dump(self.model_dump(mode="json"), sort_keys=False, allow_unicode=True)


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
        case "model_type" | "model_attributes_type":
            return f"{key}: {value!r} is not a set of keys"
        case _:
            message = error["msg"][0].lower() + error["msg"][1:]
            return f"{key}: {value!r}: {message}"


def _key(location: tuple[int | str, ...]) -> str:
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f"{'.' if text else ''}{part}"
    return text


def _known_keys(location: tuple[int | str, ...]) -> tuple[str, ...]:
    model = Warmup if location == ("warmup",) else Experiment
    return tuple(model.model_fields)
