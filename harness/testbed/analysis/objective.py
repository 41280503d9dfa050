"""Compares runs with an objective; searches and the report share this rule."""

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
    """What a run reached of an objective.

    ``p95_ms`` is of the right answers, from the intended start; None without any. ``failed_share``,
    of 1, includes dropped arrivals. ``met`` is also false if the load was not carried.
    """

    p95_ms: float | None
    failed_share: float
    met: bool


def reached(
    slo: Slo, response_ms: npt.NDArray[np.float64], ok: npt.NDArray[np.bool_], planned: int
) -> Reached:
    """Compare operations with an objective.

    ``response_ms`` is from the intended start to the end; it and ``ok`` have shape (n,).
    ``planned`` is n or more: arrivals that did not begin have failed.
    """
    right = response_ms[ok]
    p95 = float(np.quantile(right, 0.95)) if right.size else None
    failed = 1.0 if planned == 0 else 1 - right.size / planned
    met = p95 is not None and p95 <= slo.p95_ms and failed <= slo.failed_share
    return Reached(None if p95 is None else round(p95, 3), round(failed, 6), met)


def reached_by(slo: Slo, measurement: Measurement) -> Reached:
    """Compare a run with an objective.

    Dropped arrivals have failed. A run whose load was not carried does not meet the objective.
    """
    operations = measurement.operations
    of_run = reached(
        slo,
        operations["elapsed_ms"].to_numpy().astype(float),
        operations["ok"].to_numpy(),
        measurement.arrivals,
    )
    return of_run if carried(measurement) else replace(of_run, met=False)


def declared(results: Results) -> Slo | None:
    """Return the objective that an experiment declares; None if it declares none.

    Raises `UserError` if it is malformed.
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
    return f"p95 at most {slo.p95_ms:g} ms, at most {100 * slo.failed_share:g} % failed"
