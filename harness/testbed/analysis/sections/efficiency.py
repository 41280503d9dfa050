"""Response time, efficiency and goodput of each system at each level of a closed loop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from testbed.analysis.quantities import CPU, GOODPUT, MEAN, P95, Quantity, cell_figure
from testbed.analysis.samples import Measurement
from testbed.analysis.scaling import efficiencies
from testbed.analysis.statistics.intervals import Interval
from testbed.analysis.studies import by_system, measured_studies
from testbed.analysis.tables import MISSING, Row, markdown_table, number
from testbed.analysis.verdicts import Judged

NOTE = (
    "E_i is the efficiency relative to the lowest level, in percent, with its interval from two "
    "runs on; CPU is that of all servers."
)


def levels(judged: Judged) -> str:
    """Return a table of all closed loops; empty without one."""
    rows = [
        row
        for study, runs in measured_studies(judged.used).items()
        if study.mode == "closed"
        for row in _rows(study.workload, runs)
    ]
    return f"{NOTE}\n\n{markdown_table(rows, ('workload', 'system'))}" if rows else ""


def _rows(workload: str, runs: Sequence[Measurement]) -> Iterator[Row]:
    for system, levels in by_system(runs).items():
        on_mean, on_p95 = (efficiencies(levels, name) for name in (MEAN.name, P95.name))
        for level, measurements in sorted(levels.items()):
            yield {
                "workload": workload,
                "system": system,
                "threads": number(level),
                MEAN.title: _mean(measurements, MEAN),
                "E_i on the mean": _percent(on_mean.get(level)),
                P95.title: _mean(measurements, P95),
                "E_i on the p95": _percent(on_p95.get(level)),
                "ok/s": _mean(measurements, GOODPUT),
                CPU.title: _mean(measurements, CPU),
            }


def _mean(runs: Sequence[Measurement], quantity: Quantity) -> str:
    return number(cell_figure(runs, quantity.name), quantity.decimals)


def _percent(interval: Interval | None) -> str:
    if interval is None:
        return MISSING
    ends = f" [{interval.low:.0f}, {interval.high:.0f}]" if interval.low < interval.high else ""
    return f"{interval.estimate:.0f}{ends}"
