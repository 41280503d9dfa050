"""Holds runs against what users are promised: the one rule of searches and of the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from pydantic import ValidationError

from testbed.analysis.results import Results
from testbed.analysis.samples import Measurement
from testbed.analysis.verdicts import carried
from testbed.experiment.parts import Slo
from testbed.model.errors import UserError


@dataclass(frozen=True)
class Reached:
    """What a run reached.

    Parameters
    ----------
    p95_ms
        95 % of the right answers came within this, from the intended start; None without any.
    failed_share
        The share of arrivals, of 1, that failed or were dropped.
    met
        Whether that is what was promised, and the load was carried.
    """

    p95_ms: float | None
    failed_share: float
    met: bool


def reached(
    slo: Slo, response_ms: npt.NDArray[np.float64], ok: npt.NDArray[np.bool_], planned: int
) -> Reached:
    """Compare operations with an objective.

    Parameters
    ----------
    slo
        The objective.
    response_ms, ok
        Of each operation: the time from its intended start to its end, in ms, and whether the
        answer was right; both of shape (n,).
    planned
        The arrivals that were planned, n or more: those that did not begin have failed.
    """
    right = response_ms[ok]
    p95 = float(np.quantile(right, 0.95)) if right.size else None
    failed = 1.0 if planned == 0 else 1 - right.size / planned
    met = p95 is not None and p95 <= slo.p95_ms and failed <= slo.failed_share
    return Reached(None if p95 is None else round(p95, 3), round(failed, 6), met)


def reached_by(slo: Slo, measurement: Measurement) -> Reached:
    """Compare a run with an objective.

    Arrivals of an open loop that were dropped have failed. A run in which the load was not carried
    does not meet it, whatever the answers say that came.
    """
    operations = measurement.operations
    found = reached(
        slo,
        operations["elapsed_ms"].to_numpy().astype(float),
        operations["ok"].to_numpy(),
        operations.height + measurement.dropped,
    )
    return found if carried(measurement) else replace(found, met=False)


def declared(results: Results) -> Slo | None:
    """Return the objective that an experiment declares; None where it declares none.

    Raises
    ------
    UserError
        If what it declares is no objective.
    """
    given = results.declared.get("slo")
    if not isinstance(given, Mapping):
        return None
    try:
        return Slo.model_validate(given)
    except ValidationError as problem:
        first = problem.errors()[0]
        key = ".".join(map(str, ("slo", *first["loc"])))
        raise UserError(
            f"{results.path / 'experiment.yaml'}: {key}: {first['msg'].lower()}"
        ) from problem


def words(slo: Slo) -> str:
    """Return an objective in words."""
    return f"p95 at most {slo.p95_ms:g} ms, at most {100 * slo.failed_share:g} % failed"
