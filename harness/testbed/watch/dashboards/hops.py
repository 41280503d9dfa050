"""The rows that both variants share: cinemas and MongoDB."""

from __future__ import annotations

from testbed.watch.dashboards.shapes import (
    COUNT,
    PER_SECOND,
    SECONDS,
    Panel,
    Query,
    Row,
    lines,
    per_second,
)


def cinemas(variant: str, *more: Panel) -> Row:
    """Return the row about the cinemas' work, with the variant's own panels at its end.

    `variant` is the variant's label selector.
    """
    return Row(
        "Cinemas: the work itself, the same code in every variant",
        [
            [
                lines(
                    "Work per second",
                    "Work that was done, by cinema and operation; and work that was not, by "
                    "outcome. Repeated: a reservation that had been stored before. Refused: the "
                    "catalogue says no. Failed: a fault, or no database.",
                    PER_SECOND,
                    Query(
                        "sum by (service, operation) ("
                        + per_second(f'cinema_work_seconds_count{{{variant}, outcome="done"}}')
                        + ")",
                        "{{service}} {{operation}}",
                    ),
                    Query(
                        "sum by (outcome) ("
                        + per_second(f'cinema_work_seconds_count{{{variant}, outcome!="done"}}')
                        + ")",
                        "{{outcome}}",
                    ),
                ),
                lines(
                    "Time of the work, p95",
                    "The business of a cinema with its database commands, without the edge that "
                    "the request came through. If it is the same in two variants, their difference "
                    "is the pattern.",
                    SECONDS,
                    Query(
                        f"variant_service_operation:cinema_work_seconds:p95_30s{{{variant}}}",
                        "{{service}} {{operation}}",
                    ),
                ),
                *more,
            ]
        ],
    )


def database(variant: str) -> Row:
    """Return the row about MongoDB as the cinemas see it; `variant` is a label selector."""
    return Row(
        "MongoDB, as the cinemas see it",
        [
            [
                lines(
                    "Commands per second",
                    "By command and how it ended. A reservation is one find and one insert, a list "
                    "is one find.",
                    PER_SECOND,
                    Query(
                        "sum by (command, status) ("
                        + per_second(
                            "mongodb_driver_commands_seconds_count"
                            f'{{{variant}, collection!="unknown"}}'
                        )
                        + ")",
                        "{{command}} {{status}}",
                    ),
                ),
                lines(
                    "Time of a command, p95",
                    "From the driver's sending to the answer. If it rises while the rate does not, "
                    "MongoDB is short of something; it has no exporter here.",
                    SECONDS,
                    Query(
                        f"variant_service_command:mongodb_commands_seconds:p95_30s{{{variant}}}",
                        "{{service}} {{command}}",
                    ),
                ),
                lines(
                    "Connections to MongoDB",
                    "In use, open, and requests that wait for one, of all cinemas together. "
                    "Waiting above 0: the pool is the bottleneck, or MongoDB does not answer.",
                    COUNT,
                    Query(f"sum(mongodb_driver_pool_checkedout{{{variant}}})", "in use"),
                    Query(f"sum(mongodb_driver_pool_size{{{variant}}})", "open"),
                    Query(f"sum(mongodb_driver_pool_waitqueuesize{{{variant}}})", "waiting"),
                ),
                lines(
                    "Connections that were not to be had",
                    "Requests that gave up waiting for a connection, by cinema. Each failed with "
                    "503, or was tried again from its queue.",
                    PER_SECOND,
                    Query(
                        per_second(f"mongodb_driver_pool_checkoutfailed_total{{{variant}}}"),
                        "{{service}}",
                    ),
                ),
            ]
        ],
    )
