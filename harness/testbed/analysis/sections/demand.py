"""The least CPU with which each system reaches a goodput, and what that costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from testbed.analysis.demands import Alone, LeastCpu, alone, mean_cpu_ms, searches
from testbed.analysis.grouping import grouped
from testbed.analysis.prices import SIZES, price_list
from testbed.analysis.quantities import geometric_mean
from testbed.analysis.tables import MISSING, markdown_table, mean_known, number, percent, share
from testbed.analysis.verdicts import Judged
from testbed.model.loads import load_words

NOTE = (
    "Cores and memory are those of all services of the system together. With *too little* the "
    "goodput was not reached, with *enough* it was. Each search began with a new start: their "
    "differences show how exact one is. CPU is split among the services in proportion to the "
    "CPU time of an operation of a single thread. Predicted is the utilisation law: goodput × that "
    "CPU time. Memory is PSS where it was read, else RSS, at the end of the run with the least "
    "CPU. Used is the share of that CPU that was used; waited is how long the services had none "
    "left, added up over processors."
)
ALONE_NOTE = (
    "CPU time of one operation of a single thread without limits, and the highest goodput of one "
    "core: X ≤ 1/D, reached when CPU is split in these shares."
)


def least(judged: Judged, prices: str | None = None) -> str:
    """Return what the searches for the least CPU found; empty without one.

    ``prices`` is the name of a price list; None for no costs.
    """
    every, demands = sorted(searches(judged), key=_cell), alone(judged)
    if not every:
        return ""
    rows = [_row(part, demands, prices) for part in grouped(every, _cell).values()]
    parts = [NOTE, markdown_table(rows, ("workload", "system"))]
    if prices:
        parts.append(f"Costs by the price list {prices}: {price_list(prices).source}.")
    if listed := "; ".join(
        f"{search.system}, {search.threads} threads"
        for search in searches(judged)
        if search.contradicted
    ):
        parts.append(
            "In these searches some CPU was enough although more was not, so that the result may "
            f"be wrong: {listed}."
        )
    parts += [ALONE_NOTE, markdown_table(_demands(demands), ("workload", "system", "service"))]
    return "\n\n".join(parts)


def sentences(judged: Judged) -> list[str]:
    """Return one sentence for each workload and number of threads: the least CPU of each system."""
    lines = []
    studies = grouped(searches(judged), lambda search: (search.workload, search.threads))
    for (workload, threads), of_study in studies.items():
        needs = [
            f"{system} needs {_each([search.cpus for search in part], 'more than was tried')} cores"
            for system, part in grouped(of_study, lambda search: search.system).items()
        ]
        lines.append(f"{workload}, {load_words('closed', threads)}: {'; '.join(needs)}.")
    return lines


def published_split(judged: Judged, split: Mapping[str, float]) -> str:
    """Return how far a published split of CPU is from the best; empty if no system has it.

    ``split`` is by service.
    """
    whole = sum(split.values())
    shares = {service: share / whole for service, share in split.items()}
    fitting = [start for start in alone(judged) if split and start.cpu_ms.keys() == split.keys()]
    lines = []
    for (system, workload), starts in grouped(sorted(fitting, key=_whose), _whose).items():
        rates = [start.highest_rate(shares) for start in starts]
        best = [1000 / start.total_ms for start in starts if start.total_ms]
        lines.append(
            f"- {system}, {workload}: one core, split as published "
            f"({' : '.join(f'{share:g}' for share in split.values())}), allows "
            f"{number(mean_known(rates), 1)} operations per second; split by demand "
            f"{number(mean_known(best), 1)}."
        )
    return "\n".join(lines)


def _cell(search: LeastCpu) -> tuple[str, int, str]:
    return search.workload, search.threads, search.system


def _row(
    searches: Sequence[LeastCpu], demands: Sequence[Alone], prices: str | None
) -> dict[str, str]:
    first = searches[0]
    starts = [start for start in demands if _whose(start) == (first.system, first.workload)]
    own = sum(mean_cpu_ms(starts).values())
    wanted = geometric_mean([search.wanted for search in searches if search.wanted is not None])
    predicted = wanted * own / 1000 if wanted and starts else None
    costs: dict[str, str] = {}
    for sizes in SIZES if prices else ():
        list_ = price_list(prices or "")
        hourly = [list_.together(search.parts_gb, sizes) for search in searches if search.parts]
        costs[f"{sizes}, USD/h"] = number(mean_known(hourly), 5)
    return {
        "workload": first.workload,
        "threads": f"{first.threads}",
        "system": first.system,
        "goodput wanted, 1/s": number(wanted, 2),
        "too little, cores": _each([search.bracket.failed for search in searches], "below all"),
        "enough, cores": _each([search.bracket.passed for search in searches], "none"),
        "predicted, cores": number(predicted, 2),
        "memory, MB": number(mean_known([search.memory_mb for search in searches])),
        "used": share(mean_known([search.utilisation for search in searches])),
        "waited, s": number(mean_known([search.throttled_s for search in searches]), 1),
        **costs,
    }


def _demands(demands: Sequence[Alone]) -> Iterator[Mapping[str, str]]:
    for (system, workload), starts in grouped(sorted(demands, key=_whose), _whose).items():
        spent = mean_cpu_ms(starts)
        whole = sum(spent.values())
        for service, cpu_ms in spent.items():
            yield {
                "workload": workload,
                "system": system,
                "service": service,
                "CPU, ms": f"{cpu_ms:,.2f}",
                "share": percent(cpu_ms / whole) if whole else MISSING,
                "highest goodput of a core, 1/s": f"{1000 / cpu_ms:,.1f}" if cpu_ms else MISSING,
            }


def _whose(start: Alone) -> tuple[str, str]:
    return start.system, start.workload


def _each(values: Sequence[float | None], nothing: str) -> str:
    return ", ".join(nothing if value is None else f"{value:g}" for value in values)
