"""RabbitMQ: what the official overview dashboard shows, for one node."""

from __future__ import annotations

from grafana_foundation_sdk.models.dashboard import Dashboard

from testbed.watch.dashboards.shapes import (
    ASYNC,
    BYTES,
    COUNT,
    PER_SECOND,
    Panel,
    Query,
    Row,
    dashboard,
    lines,
    per_second,
)

#: RabbitMQ itself: some meters of the services have the same names.
SERVER = f'{ASYNC}, job="rabbitmq"'


def rabbitmq() -> Dashboard:
    """Return the dashboard of the message server."""
    return dashboard(
        "testbed-rabbitmq",
        "RabbitMQ",
        "The message server itself: what comes in, what goes out, what is left, what is short.",
        ["async"],
        [
            Row(
                "Messages in the queues",
                [
                    [
                        _level(
                            "Ready",
                            "Messages that no consumer has yet. Level: consumers keep up.",
                            ("ready", "rabbitmq_queue_messages_ready"),
                        ),
                        _level(
                            "Unacknowledged",
                            "Messages that consumers have and have not confirmed; each consumer "
                            "may have as many as its prefetch allows.",
                            ("unacknowledged", "rabbitmq_queue_messages_unacked"),
                        ),
                    ]
                ],
            ),
            Row(
                "Incoming",
                [
                    [
                        _flow(
                            "From publishers",
                            "All messages, and those whose publisher wants a confirmation: the "
                            "broker service's requests.",
                            ("received", "global_messages_received"),
                            ("to be confirmed", "global_messages_received_confirm"),
                            ("confirmed", "global_messages_confirmed"),
                        ),
                        _flow(
                            "Routed to queues",
                            "Copies: a request for a list goes to every cinema's queue.",
                            ("routed", "global_messages_routed"),
                        ),
                        _flow(
                            "Not routed",
                            "No queue was bound: dropped, or returned to a publisher that asked "
                            "for it. Zero, unless a cinema's queue is missing.",
                            ("dropped", "global_messages_unroutable_dropped"),
                            ("returned", "global_messages_unroutable_returned"),
                        ),
                    ]
                ],
            ),
            Row(
                "Outgoing",
                [
                    [
                        _flow(
                            "To consumers",
                            "Pushed to consumers that confirm each message, or that do not.",
                            ("to be confirmed", "global_messages_delivered_consume_manual_ack"),
                            ("not confirmed", "global_messages_delivered_consume_auto_ack"),
                        ),
                        _flow(
                            "Confirmed by consumers",
                            "As many as were delivered, or unacknowledged messages pile up.",
                            ("confirmed", "global_messages_acknowledged"),
                        ),
                        _flow(
                            "Delivered again",
                            "After a consumer or its connection was lost. Zero in a healthy run.",
                            ("again", "global_messages_redelivered"),
                        ),
                        _flow(
                            "Polled",
                            "Fetched one by one (basic.get), and fetched in vain. The testbed does "
                            "not poll: zero.",
                            ("to be confirmed", "global_messages_delivered_get_manual_ack"),
                            ("not confirmed", "global_messages_delivered_get_auto_ack"),
                            ("in vain", "global_messages_get_empty"),
                        ),
                    ]
                ],
            ),
            Row(
                "Who is connected",
                [
                    [
                        _level(
                            "Publishers and consumers",
                            "Channels that publish, and consumers of queues. A cinema that ends "
                            "takes its consumers with it.",
                            ("publishers", "rabbitmq_global_publishers"),
                            ("consumers", "rabbitmq_global_consumers"),
                        ),
                        _level(
                            "Connections, channels, queues",
                            "How many there are. The broker service takes a channel for every "
                            "publisher at a time.",
                            ("connections", "rabbitmq_connections"),
                            ("channels", "rabbitmq_channels"),
                            ("queues", "rabbitmq_queues"),
                        ),
                        _flow(
                            "Opened and closed",
                            "Churn. Channels opened all the time are a cache that is too small.",
                            ("connections opened", "connections_opened"),
                            ("connections closed", "connections_closed"),
                            ("channels opened", "channels_opened"),
                            ("channels closed", "channels_closed"),
                        ),
                        _flow(
                            "Queues declared, created, deleted",
                            "At the start of services. Silent afterwards.",
                            ("declared", "queues_declared"),
                            ("created", "queues_created"),
                            ("deleted", "queues_deleted"),
                        ),
                    ]
                ],
            ),
            Row(
                "What is short",
                [
                    [
                        _room(
                            "Memory before publishers are blocked",
                            "At 0 RabbitMQ stops reading from publishers; the broker service then "
                            "answers 503.",
                            BYTES,
                            "rabbitmq_resident_memory_limit_bytes",
                            "rabbitmq_process_resident_memory_bytes",
                        ),
                        _room(
                            "Disk before publishers are blocked",
                            "The same for free disk space.",
                            BYTES,
                            "rabbitmq_disk_space_available_bytes",
                            "rabbitmq_disk_space_available_limit_bytes",
                        ),
                        _room(
                            "File descriptors left",
                            "Connections and queue files need them.",
                            COUNT,
                            "rabbitmq_process_max_fds",
                            "rabbitmq_process_open_fds",
                        ),
                    ]
                ],
            ),
        ],
    )


def _level(title: str, meaning: str, *gauges: tuple[str, str]) -> Panel:
    """Draw gauges, each a legend and a metric."""
    return lines(
        title,
        meaning,
        COUNT,
        *(Query(f"sum({metric}{{{SERVER}}})", name) for name, metric in gauges),
    )


def _flow(title: str, meaning: str, *counters: tuple[str, str]) -> Panel:
    """Draw rates of counters, each a legend and a metric without ``rabbitmq_`` and ``_total``."""
    return lines(
        title,
        meaning,
        PER_SECOND,
        *(
            Query("sum(" + per_second(f"rabbitmq_{metric}_total{{{SERVER}}}") + ")", name)
            for name, metric in counters
        ),
    )


def _room(title: str, meaning: str, unit: str, limit: str, used: str) -> Panel:
    """Draw the difference between a limit and its use."""
    return lines(
        title,
        meaning,
        unit,
        Query(f"sum({limit}{{{SERVER}}}) - sum({used}{{{SERVER}}})", "left"),
    )
