"""A finished figure with its caption."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from io import BytesIO
from typing import Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from testbed.analysis.figures.style import DPI, NARROW_STYLE, STYLE, WIDTH_IN
from testbed.analysis.results import UNSTATED
from testbed.analysis.studies import Study

Data = TypeVar("Data")

MIME = {"png": "image/png", "svg": "image/svg+xml"}

COLOURS = 256
"""Size of the palette: one byte per pixel."""


@dataclass(frozen=True)
class ReportFigure:
    """A finished figure, which a notebook shows as an image.

    ``name`` is that of its file without the suffix. ``caption`` is also the text alternative.
    """

    name: str
    caption: str
    image: bytes
    kind: Literal["png", "svg"] = "png"
    """SVG for narrow figures, which fit a phone; PNG for wide ones, which may have many points."""

    def _repr_mimebundle_(self, **_: object) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
        image, words = b64encode(self.image).decode(), escape(self.caption)
        mime = MIME[self.kind]
        html = (
            f'<figure class="{self.kind}"><div><img src="data:{mime};base64,{image}" '
            f'alt="{words}"></div><figcaption>{words}</figcaption></figure>'
        )
        return {"text/html": html, mime: image}, {mime: {"name": self.name}}


def figure_of(
    kind: str,
    title: str,
    study: Study,
    draw: Callable[[Study, Data], tuple[Figure, str]],
    data: Data,
) -> ReportFigure:
    """Draw and finish a figure; ``kind`` and ``study`` name its file.

    ``draw`` returns a figure and its caption, given the study and the data.
    """
    stated = [word for word in (study.preset, study.backends) if word != UNSTATED]
    stated += ["open"] if study.mode == "open" else []
    whole_title = f"{study.workload}: {title}  ({study.conditions})"
    name = "-".join([kind, study.workload, *stated])
    return finished(name, whole_title, lambda: draw(study, data))


def narrow(name: str, title: str, draw: Callable[[], tuple[Figure, str]]) -> ReportFigure:
    """Draw a figure that fits a phone, with its caption, and add a title."""
    # The same figure is the same file: no date, no random ids.
    caption, image = _saved(
        title, draw, STYLE | NARROW_STYLE, format="svg", metadata={"Date": None}
    )
    return ReportFigure(name, caption, image.getvalue(), "svg")


def finished(name: str, title: str, draw: Callable[[], tuple[Figure, str]]) -> ReportFigure:
    """Draw a figure with its caption, and add a title."""
    caption, image = _saved(title, draw, STYLE, format="png", dpi=DPI)
    return ReportFigure(name, caption, _small(image))


def _saved(
    title: str, draw: Callable[[], tuple[Figure, str]], style: dict[Any, Any], **options: Any
) -> tuple[str, BytesIO]:
    image = BytesIO()
    with rc_context(style):
        figure, caption = draw()
        figure.suptitle(title, x=0.01, ha="left", fontsize=10.5, fontweight="bold")
        figure.savefig(image, **options)
    return caption, image


def _small(image: BytesIO) -> bytes:
    """Return a PNG with a palette: it looks the same at less than half the size."""
    smaller = BytesIO()
    with Image.open(image) as drawn:
        # A palette has no transparency.
        drawn.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(
            smaller, format="png", optimize=True
        )
    return smaller.getvalue()


def subplots(
    rows: int, columns: int, height_in: float, *, width_in: float = WIDTH_IN, **options: Any
) -> tuple[Figure, list[list[Axes]]]:
    """Return a figure that shares no state with others, and its axes row by row."""
    figure = Figure(figsize=(width_in, height_in), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False, **options)
    return figure, grid.tolist()


def add_legend(figure: Figure, axes: Axes) -> None:
    """Add one legend for all axes, below them: the title above may be long."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))


def thinned(indices: npt.NDArray[np.intp], most: int) -> npt.NDArray[np.intp]:
    """Return at most ``most`` evenly spaced indices."""
    return indices[:: -(-indices.size // most) or 1]


def span(counts: Sequence[int], noun: str) -> str:
    """Return counts in words: ``one run``, ``3 runs`` or ``2 to 3 runs``."""
    fewest, most = min(counts), max(counts)
    if fewest == most:
        return f"one {noun}" if most == 1 else f"{most} {noun}s"
    return f"{fewest} to {most} {noun}s"
