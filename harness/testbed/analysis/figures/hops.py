"""The figure of where the time of operations went, hop by hop."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from testbed.analysis.figures.looks import COLOURS, HATCHES
from testbed.analysis.figures.plates import Plate, plate, span, subplots, unique
from testbed.analysis.hops import Journey, Kind, by_study
from testbed.analysis.results import load_words
from testbed.analysis.studies import Study

FAMILIES = {
    "operation": (Kind.OPERATION,),
    "front door": (Kind.FRONT_DOOR, Kind.FETCH),
    "aggregator": (Kind.AGGREGATOR, Kind.QUESTION),
    "queues": (Kind.REQUEST_QUEUE, Kind.RESPONSE_QUEUE),
    "cinemas": (Kind.CINEMA_EDGE, Kind.CINEMA_WORK),
    "database": (Kind.DATABASE,),
}
"""Hops that look alike."""

OPERATION_COLOUR = "#dddddd"
LEVELS_DRAWN = 3


def hops(found: Iterable[Journey]) -> Iterator[Plate]:
    """Draw the mean time of a call at each hop, per workload; nothing where no run has timers."""
    for study, part in by_study(found).items():
        yield plate("hops", study, _draw_hops, part)


def _draw_hops(study: Study, part: Sequence[Journey]) -> tuple[Figure, str]:
    systems = unique(one.cell.system for one in part)
    levels = sorted({one.cell.level for one in part})
    shown = unique((levels[0], levels[len(levels) // 2], levels[-1]))[:LEVELS_DRAWN]
    names = {
        system: [
            hop.name
            for hop in sorted(
                {way.hop for one in part if one.cell.system == system for way in one.passages}
            )
        ]
        for system in systems
    }
    heights = [len(names[system]) + 1.5 for system in systems]
    figure, grid = subplots(
        len(systems), len(shown), 0.24 * sum(heights) + 0.9, height_ratios=heights, sharex="col"
    )
    for row, system in zip(grid, systems, strict=True):
        for axes, level in zip(row, shown, strict=True):
            axes.grid(False, axis="y")
            axes.set_title(f"{system}, {load_words(study.mode, level)}")
            axes.set_yticks(range(len(names[system])), names[system])
            axes.set_ylim(len(names[system]) - 0.5, -0.5)
            if axes is not row[0]:
                axes.tick_params(labelleft=False)
            journey = next(
                (one for one in part if (one.cell.system, one.cell.level) == (system, level)), None
            )
            if journey is None:
                axes.text(0.5, 0.5, "not measured", transform=axes.transAxes, ha="center")
            else:
                _draw_journey(axes, journey, names[system])
    for axes in grid[-1]:
        axes.set_xlabel("mean time of one call [ms]")
        axes.set_xlim(right=1.4 * axes.get_xlim()[1])
    return figure, (
        f"Mean time of one call at each hop of {study.workload} operations, from the outside in, "
        f"at the lowest, a middle and the highest level, {study.conditions}, "
        f"{span([one.runs for one in part], 'run')} per cell: by the timers of the services, and "
        f"for the operation by JMeter. Beside each bar: the time, and how often an operation calls "
        f"it unless that is once. A hop waits for those below it that it calls; cinemas that are "
        f"asked at once overlap, so bars do not add up. Colours and hatches tell front door, "
        f"aggregator, queues, cinemas and database apart."
    )


def _draw_journey(axes: Axes, journey: Journey, names: Sequence[str]) -> None:
    for one in journey.passages:
        family = next(i for i, kinds in enumerate(FAMILIES.values()) if one.hop.kind in kinds)
        place = names.index(one.hop.name)
        axes.barh(
            place,
            one.call_ms,
            height=0.72,
            color=COLOURS[family - 1] if family else OPERATION_COLOUR,
            hatch=HATCHES[family],
            edgecolor="white" if family else "#888888",
        )
        times = "" if abs(one.calls - 1) < 0.05 else f"{one.calls:.2g} × "
        axes.annotate(
            f"{times}{one.call_ms:.1f}",
            (one.call_ms, place),
            xytext=(3, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
        )
