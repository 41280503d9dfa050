"""The value types and the sections of an experiment, each with its limits."""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from testbed.experiment.settings import known
from testbed.model.systems import Preset, Variant, fetches

Fetch = Literal["wait", "immediate", "poll"]
Arrivals = Literal["poisson", "constant"]
Figure = Literal["ok_per_s", "p95_ms", "cpu_ms_per_ok", "mean_ms"]
Together = Literal["all", "pairs", "none"]

_Value = TypeVar("_Value")


def _distinct(values: tuple[_Value, ...]) -> tuple[_Value, ...]:
    twice = sorted({str(value) for value in values if values.count(value) > 1})
    if twice:
        raise ValueError(f"{', '.join(twice)} is given more than once")
    return values


Several = Annotated[tuple[_Value, ...], Field(min_length=1), AfterValidator(_distinct)]
Nothing = tuple[()]
Threads = Annotated[int, Field(ge=1, le=999, strict=True)]
Seconds = Annotated[int, Field(ge=1, le=86_400, strict=True)]
Milliseconds = Annotated[int, Field(ge=0, le=600_000, strict=True)]
Count = Annotated[int, Field(ge=1, le=1_000_000, strict=True)]
Repetitions = Annotated[int, Field(ge=1, le=1000, strict=True)]
Rate = Annotated[float, Field(gt=0, le=100_000, allow_inf_nan=False)]
Setting = Annotated[str, Field(coerce_numbers_to_str=True)]
SettingName = Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]*$"), AfterValidator(known)]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$", max_length=60)]


WINDOWS = 4
"""The least number of windows of each workload in a warm-up."""


class Section(BaseModel):
    """A set of keys: immutable; an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class Warmup(Section):
    """The load before the first run after a start: every workload in turn.

    It ends when a system's goodput no longer rises and its compilers are quiet. Its results are
    stored apart from the runs.

    Attributes
    ----------
    threads
        Users of a closed loop.
    window
        Seconds of each workload in its turn.
    at_most
        Seconds after which a system is measured even if it is not warm; 0 for no warm-up.
    """

    threads: Threads = 100
    window: Seconds = 5
    at_most: Annotated[int, Field(ge=0, le=86_400, strict=True)] = 90


class Blocks(Section):
    """Measures a cell in short blocks, in balanced order, on systems that are up together.

    Attributes
    ----------
    seconds
        The length of a block.
    settle
        Seconds at the start of each block that are not counted.
    each
        Blocks per system and cell. Even, because every order is followed by its mirror image.
    """

    seconds: Annotated[int, Field(ge=2, le=3600, strict=True)] = 8
    settle: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 2
    each: Annotated[int, Field(ge=2, le=1000, multiple_of=2, strict=True)] = 2

    @model_validator(mode="after")
    def _measures_something(self) -> Blocks:
        if self.settle >= self.seconds:
            raise ValueError(f"settle: {self.settle:g} s leaves nothing of {self.seconds} s")
        return self


class SystemSpec(Section):
    """A compared system, as written under ``systems``.

    Attributes
    ----------
    variant, preset
        What is started.
    settings
        Environment settings of its services, on top of the experiment's.
    fetch, wait, pollInterval, pause
        Properties of the plans of systems whose results are fetched. ``wait`` is in seconds,
        ``pollInterval`` and ``pause`` are in milliseconds. None leaves the plan's own value; for
        ``fetch``, the experiment's or the preset's.
    scrape
        Seconds between two scrapes of every service's metrics under load; None for no scraping.
    """

    variant: Variant
    preset: Preset = "tuned"
    settings: dict[SettingName, Setting] = {}
    fetch: Fetch | None = None
    wait: Seconds | None = None
    pollInterval: Milliseconds | None = None  # noqa: N815 (as the plans call it)
    pause: Milliseconds | None = None
    scrape: Seconds | None = None

    @model_validator(mode="after")
    def _fetches(self) -> SystemSpec:
        given = [
            name
            for name in ("fetch", "wait", "pollInterval", "pause")
            if getattr(self, name) is not None
        ]
        if given and not fetches(self.variant):
            raise ValueError(f"{', '.join(given)}: {self.variant} answers at once")
        return self


class Steps(Section):
    """A rate that rises or falls in steps within one run.

    Attributes
    ----------
    first, last, step
        ``from``, ``to`` and the difference between two steps, in arrivals per second.
    every
        Seconds per step.
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


class Ramp(Section):
    """A rate that changes linearly from ``from`` to ``to`` over a run, in arrivals per second."""

    kind: Literal["ramp"]
    first: Rate = Field(alias="from")
    last: Rate = Field(alias="to")


class Precision(Section):
    """Repeats until a small enough difference between two systems is detectable.

    Attributes
    ----------
    could_tell
        The relative difference of `figure` that must be detectable in every cell.
    figure
        The compared figure.
    budget_min
        Minutes after which no further round begins, precise or not.
    min_repetitions
        Rounds before the first check.
    """

    could_tell: Annotated[float, Field(gt=0, lt=1)] = 0.10
    figure: Figure = "ok_per_s"
    budget_min: Annotated[float, Field(gt=0)] = 60
    min_repetitions: Annotated[int, Field(ge=2, le=1000, strict=True)] = 2


class Slo(Section):
    """The objective: what a user is promised.

    Attributes
    ----------
    p95_ms
        The time from the intended start within which 95 % of the correct answers arrive.
    failed_share
        The share of arrivals that may fail or be dropped, from 0 to 1.
    """

    p95_ms: Annotated[float, Field(gt=0)]
    failed_share: Annotated[float, Field(ge=0, lt=1)] = 0.01


class Search(Section):
    """A search for the highest rate that meets the objective.

    Attributes
    ----------
    first, last
        ``from``, ``to``: the first and the highest rate to try, in arrivals per second.
    resolution
        The search ends when a passed and a failed rate are this close, in arrivals per second.
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


class Disturb(Section):
    """Suspends a service for a while during each run.

    Attributes
    ----------
    service
        The name of the service.
    at
        Seconds from the first operation.
    lasting
        ``for``: seconds. Without it, the service stays suspended until the completeness check after
        the run, which then fails.
    """

    service: str
    at: Annotated[float, Field(ge=0)]
    lasting: Annotated[float, Field(gt=0)] | None = Field(default=None, alias="for")


class LocalPorts(Section):
    """The local ports that connections may use, ``from`` and ``to`` included."""

    first: Annotated[int, Field(alias="from", ge=1024, le=65_535, strict=True)]
    last: Annotated[int, Field(alias="to", ge=1024, le=65_535, strict=True)]

    @model_validator(mode="after")
    def _rises(self) -> LocalPorts:
        if self.last <= self.first:
            raise ValueError(f"to: {self.last} is not above from ({self.first})")
        return self
