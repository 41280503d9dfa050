"""How systems are drawn: colours, markers and lines, and the style of all figures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))
GREY = "#555555"
GREEN = "#009E73"
DARK_RED = "#882255"

WIDTH_IN = 9.0
NARROW_IN = 4.2
"""Width of figures that fit a phone: 390 pixels show them at almost their size."""
DPI = 144

STYLE: dict[Any, Any] = {
    "font.size": 9.5,
    "axes.titlesize": 10,
    "figure.labelsize": "medium",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
}

NARROW_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "testbed",
    "figure.constrained_layout.h_pad": 0.06,
}
"""Of SVG: text stays text, in a font of the reader."""


@dataclass(frozen=True)
class LineStyle:
    """How a system is drawn in one figure."""

    colour: str
    marker: str
    line: Any

    @property
    def marks(self) -> dict[str, Any]:
        """Keywords of a plot with marks."""
        return {"color": self.colour, "marker": self.marker}


def line_styles(systems: Iterable[str]) -> dict[str, LineStyle]:
    """Return the style of each system in one figure; the order of the systems decides."""
    places = {system: i % len(COLOURS) for i, system in enumerate(dict.fromkeys(systems))}
    return {system: LineStyle(COLOURS[i], MARKERS[i], LINES[i]) for system, i in places.items()}
