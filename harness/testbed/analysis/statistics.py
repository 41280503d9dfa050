"""Statistics of the report: pure functions, each with the source of its formula."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True)
class Trend:
    """A least-squares line ``slope * x + intercept`` and Pearson's correlation ``r``."""

    slope: float
    intercept: float
    r: float


def linear_trend(x: ArrayLike, y: ArrayLike) -> Trend:
    """Fit a straight line by least squares and correlate.

    Parameters
    ----------
    x, y
        Equally long, at least three points, neither of them constant.

    Raises
    ------
    ValueError
        If there are fewer than three points, for which r says nothing, or one side is constant.

    Notes
    -----
    r near 1 says that the points lie near a rising line, not that a system scales: it is reported
    because the thesis does (sections 4.3.3 and 5.3.3).
    """
    xs, ys = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if xs.shape != ys.shape or xs.ndim != 1 or xs.size < 3:
        raise ValueError(f"needs at least 3 points (x, y), got shapes {xs.shape} and {ys.shape}")
    if np.ptp(xs) == 0 or np.ptp(ys) == 0:
        raise ValueError("a correlation needs x and y that vary")
    dx, dy = xs - xs.mean(), ys - ys.mean()
    slope = float(dx @ dy / (dx @ dx))
    return Trend(
        slope=slope,
        intercept=float(ys.mean() - slope * xs.mean()),
        r=float(dx @ dy / np.sqrt((dx @ dx) * (dy @ dy))),
    )
