"""The kinds of load: each is a module with the keys of its experiments and what they ask for.

A kind answers the questions of `testbed.experiment.declaration.Experiment`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Union

from pydantic import AfterValidator, Discriminator, Tag, TypeAdapter

from testbed.experiment.declaration import Experiment
from testbed.experiment.loads import blocks, burst, closed, demand, rates, scheduled, search

KINDS: dict[str, type[Experiment]] = {
    "blocks": blocks.InBlocks,
    "search": search.Searched,
    "demand": demand.Demanded,
    "burst": burst.InBurst,
    "schedule": scheduled.Scheduled,
    "rates": rates.AtRates,
    "threads": closed.ClosedLoop,
}
"""By the key that decides on the kind. The first key that is given counts; without any, the last.
"""


def _kind(keys: Any) -> str:
    given = keys if isinstance(keys, Mapping) else {}
    return next((key for key in KINDS if key in given), "threads")


def _check_load(experiment: Experiment) -> Experiment:
    if not (experiment.levels or experiment.searches):
        # Those that need no threads, or rates, beside their key.
        *keys, last = [
            key
            for key, kind in reversed(KINDS.items())
            if not (kind.in_turns or kind.model_fields["threads"].is_required())
        ]
        raise ValueError(f"give {', '.join(keys)} or {last}: a run needs a load")
    return experiment


AnyLoad: Any = Annotated[
    Union[tuple(Annotated[kind, Tag(key)] for key, kind in KINDS.items())],  # noqa: UP007
    Discriminator(_kind),
]
EXPERIMENT: TypeAdapter[Experiment] = TypeAdapter(Annotated[AnyLoad, AfterValidator(_check_load)])
"""Validates the keys of an experiment: they are those of one kind of load."""
