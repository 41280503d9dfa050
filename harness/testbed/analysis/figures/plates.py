"""A finished figure with its caption, and what a figure is about."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from io import BytesIO
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import polars as pl
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from testbed.analysis.decisions import Question
from testbed.analysis.figures.looks import DPI, STYLE, WIDTH_IN
from testbed.analysis.results import UNSTATED
from testbed.analysis.samples import Measured, Measurement
from testbed.analysis.tables import condition

Data = TypeVar("Data")
Item = TypeVar("Item")


@dataclass(frozen=True)
class Study:
    """What one figure is about: cells that differ in system and level only."""

    workload: str
    preset: str
    backends: str
    mode: str = "closed"

    @property
    def conditions(self) -> str:
        """The words for its preset and backends."""
        words = condition(self.preset, self.backends)
        return words if self.mode == "closed" else f"{words}, open loop"

    @property
    def axis(self) -> str:
        """What its level is."""
        return "threads" if self.mode == "closed" else "arrivals per second"


@dataclass(frozen=True)
class Plate:
    """A finished figure; a notebook shows it as an image.

    Parameters
    ----------
    name
        Of its file, without the suffix.
    caption
        What it shows and how it was made; also its text alternative.
    png
        The image.
    """

    name: str
    caption: str
    png: bytes

    def _repr_mimebundle_(self, **_: object) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
        image, words = b64encode(self.png).decode(), escape(self.caption)
        html = (
            f'<figure><img src="data:image/png;base64,{image}" alt="{words}">'
            f"<figcaption>{words}</figcaption></figure>"
        )
        return {"text/html": html, "image/png": image}, {"image/png": {"name": self.name}}


TITLES = {
    "ratios": "which system is better, and how sure that is",
    "distribution": "distribution of response times",
    "efficiency": "efficiency and goodput",
    "by-setting": "correct answers by setting",
    "disturbance": "a service is stopped",
    "over-time": "response time over the run",
    "outcomes": "response codes by level",
    "scaling": "response time by level",
    "side-by-side": "systems side by side",
}


def plate(
    kind: str,
    study: Study,
    draw: Callable[[Study, Data], tuple[Figure, str]],
    data: Data,
    suffix: str = "",
) -> Plate:
    """Draw a figure and finish it.

    Parameters
    ----------
    kind
        One of `TITLES`.
    study
        What it is about; names the file, with the kind.
    draw
        Returns a figure and its caption, given the study and the data.
    data
        What is drawn.
    suffix
        Ends the name of the file, where a study has several figures of a kind.
    """
    image = BytesIO()
    with rc_context(STYLE):
        figure, caption = draw(study, data)
        figure.suptitle(
            f"{study.workload}: {TITLES[kind]}  ({study.conditions})",
            x=0.01,
            ha="left",
            fontsize=10.5,
            fontweight="bold",
        )
        figure.savefig(image, format="png", dpi=DPI)
    stated = [word for word in (study.preset, study.backends) if word != UNSTATED]
    stated += ["open"] if study.mode == "open" else []
    stated += [suffix] if suffix else []
    return Plate("-".join([kind, study.workload, *stated]), caption, image.getvalue())


def subplots(
    rows: int, columns: int, height_in: float, **options: Any
) -> tuple[Figure, list[list[Axes]]]:
    """Return a figure of its own, with no state shared with others, and its axes row by row."""
    ratios = {"height_ratios": options.pop("height_ratios", None)}
    figure = Figure(figsize=(WIDTH_IN, height_in), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False, gridspec_kw=ratios, **options)
    return figure, grid.tolist()


def measured_studies(measured: Measured) -> Iterator[tuple[Study, list[Measurement]]]:
    """Sort runs by what one figure is about."""
    studies: dict[Study, list[Measurement]] = {}
    for measurement in measured.measurements:
        cell = measurement.run.cell
        study = Study(cell.workload, cell.preset, cell.backends, cell.mode)
        studies.setdefault(study, []).append(measurement)
    yield from studies.items()


def summarised_studies(summary: pl.DataFrame) -> Iterator[tuple[Study, pl.DataFrame]]:
    """Sort the rows of a summary by what one figure is about."""
    keys = ("workload", "preset", "backends", "mode")
    for part in summary.partition_by(keys, maintain_order=True):
        yield Study(*(part[key][0] for key in keys)), part


def study_of(question: Question) -> Study:
    """Return what the figure of a question is about."""
    preset = question.preset or "several"
    return Study(question.workload, preset, question.backends, question.mode)


def unique(items: Iterable[Item]) -> list[Item]:
    """Return each item once, in order of its first appearance."""
    return list(dict.fromkeys(items))


def thinned(indices: npt.NDArray[np.intp], most: int) -> npt.NDArray[np.intp]:
    """Return evenly spaced ones of indices, at most so many."""
    return indices[:: -(-indices.size // most) or 1]


def span(counts: Sequence[int], noun: str) -> str:
    """Return counts in words: ``one run``, ``3 runs`` or ``2 to 3 runs``."""
    fewest, most = min(counts), max(counts)
    if fewest == most:
        return f"one {noun}" if most == 1 else f"{most} {noun}s"
    return f"{fewest} to {most} {noun}s"
