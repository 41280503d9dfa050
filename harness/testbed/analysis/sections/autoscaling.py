"""What an autoscaler cost and gave, beside fixed numbers of instances."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from testbed.analysis.autoscaling import Instances, instances
from testbed.analysis.grouping import grouped
from testbed.analysis.quantities import GOODPUT, P95, cell_figure, failed_share
from testbed.analysis.samples import Measurement
from testbed.analysis.tables import (
    Row,
    markdown_table,
    mean_known,
    number,
    of_cell,
    share_with_interval,
)
from testbed.analysis.verdicts import Judged

NOTE = (
    "*Instances* is the mean number over the load, and instance-seconds are what they cost: an "
    "instance counts from the decision to start it. *Asked for* and *ready* are when the first "
    "further instance was, in seconds since the load began. Goodput is that of the whole load, its "
    "first minute included. Figures are means over runs."
)


def autoscaled(judged: Judged) -> str:
    """Return a table of all systems of an experiment with an autoscaler; empty without one."""
    used = judged.used.measurements
    services = {scaled.service for measurement in used for scaled in measurement.run.scaling}
    rows = [
        row
        for service in sorted(services)
        for runs in grouped(used, lambda measurement: measurement.run.cell).values()
        if (row := _row(runs, service)) is not None
    ]
    table = markdown_table(rows, ("service", "system", "workload", "load"))
    return f"{NOTE}\n\n{table}" if rows else ""


def _row(runs: Sequence[Measurement], service: str) -> Row | None:
    scaled = [of_run for run in runs if (of_run := instances(run.run, service)) is not None]
    if len(scaled) < len(runs):
        return None
    goodput = cell_figure(runs, GOODPUT.name)
    seconds = fmean([of_run.instance_s for of_run in scaled])
    served = fmean([float(measurement.operations["ok"].sum()) for measurement in runs])
    return {
        "service": service,
        **of_cell(runs[0].run.cell),
        "runs": f"{len(runs)}",
        "instances": number(fmean([of_run.mean for of_run in scaled]), 2),
        "most": number(max(of_run.most for of_run in scaled)),
        "requested after, s": _times(scaled, "asked_s"),
        "ready after, s": _times(scaled, "ready_s"),
        GOODPUT.title: number(goodput, 1),
        P95.title: number(cell_figure(runs, P95.name)),
        "failed": share_with_interval(failed_share(runs)),
        "instance-s": number(seconds),
        "ok per instance-s": number(served / seconds if seconds else None, 1),
    }


def _times(scaled: Sequence[Instances], figure: str) -> str:
    return number(mean_known([getattr(of_run, figure) for of_run in scaled]))
