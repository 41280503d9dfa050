"""Cells by the value of a setting that was varied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from testbed.analysis.quantities import failed_share
from testbed.analysis.samples import Measurement
from testbed.analysis.statistics.intervals import Interval


@dataclass(frozen=True)
class SettingPoint:
    """A cell by the value of one numeric setting.

    Parameters
    ----------
    group
        The system's variant, with what else tells it from others.
    level
        The load.
    value
        Of the setting.
    failed
        Share of failed operations.
    """

    group: str
    level: float
    value: float
    failed: Interval


def varied_settings(
    systems: Mapping[str, Mapping[float, Sequence[Measurement]]],
) -> dict[str, list[SettingPoint]]:
    """Return the cells by each numeric setting that has two values or more among the systems."""
    found: dict[str, list[SettingPoint]] = {}
    for levels in systems.values():
        for level, runs in levels.items():
            run = runs[0].run
            for name, value in run.settings.items():
                number = _number(value)
                if number is None:
                    continue
                others = [
                    f"{key} {kept}" for key, kept in sorted(run.settings.items()) if key != name
                ]
                group = ", ".join([run.cell.variant, *others])
                point = SettingPoint(group, level, number, failed_share(runs))
                found.setdefault(name, []).append(point)
    return {
        name: points for name, points in found.items() if len({point.value for point in points}) > 1
    }


def _number(value: object) -> float | None:
    try:
        return float(str(value))
    except ValueError:
        return None
