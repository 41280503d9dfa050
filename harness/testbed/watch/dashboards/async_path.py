"""Async path: broker service, queues, cinemas, MongoDB."""

from __future__ import annotations

from grafana_foundation_sdk.models.dashboard import Dashboard

from testbed.watch.dashboards import hops
from testbed.watch.dashboards.shapes import (
    ASYNC,
    COUNT,
    PER_SECOND,
    SECONDS,
    Query,
    Row,
    dashboard,
    lines,
    per_second,
)

BROKER = f'{ASYNC}, service="broker-service"'
#: RabbitMQ itself: some meters of the services have the same names.
SERVER = f'{ASYNC}, job="rabbitmq"'


def async_path() -> Dashboard:
    """Return the dashboard that follows a request through the asynchronous variant."""
    return dashboard(
        "testbed-async-path",
        "Async path",
        "A request's way through the asynchronous variant: broker service, its queue, a cinema, "
        "MongoDB, the response queue, and back.",
        ["async"],
        [
            _front_door(),
            _waiting(),
            _queues(),
            hops.cinemas(
                ASYNC,
                lines(
                    "Requests set aside",
                    "By cinema: requests that failed three times and are in deadLetterQueue; their "
                    "clients were told that they failed. Zero in a healthy run.",
                    PER_SECOND,
                    Query(
                        per_second(f"cinema_requests_dead_lettered_total{{{ASYNC}}}"), "{{service}}"
                    ),
                ),
            ),
            hops.database(ASYNC),
        ],
    )


def _front_door() -> Row:
    return Row(
        "Broker service: the front door",
        [
            [
                lines(
                    "Requests per second",
                    "Paths that end in {id} are fetches. One fetch for each request is what "
                    "waiting clients do; more are clients that poll.",
                    PER_SECOND,
                    Query(f"variant_service_uri:http_requests:rate30s{{{BROKER}}}", "{{uri}}"),
                ),
                lines(
                    "Answers of 500 and above",
                    "For a request: RabbitMQ is away, or nothing is bound to take it. For a fetch: "
                    "no cinema answered in time, or the work failed. Zeros are a healthy run.",
                    PER_SECOND,
                    Query(f"variant_service_uri:http_failures:rate30s{{{BROKER}}}", "{{uri}}"),
                ),
                lines(
                    "Time at the broker service, p95",
                    "A request takes until RabbitMQ has confirmed it. A fetch takes until the "
                    "answer is there: most of an operation's time is in it.",
                    SECONDS,
                    Query(
                        f"variant_service_uri:http_duration_seconds:p95_30s{{{BROKER}}}", "{{uri}}"
                    ),
                ),
            ]
        ],
    )


def _waiting() -> Row:
    return Row(
        "Broker service: requests and answers meet",
        [
            [
                lines(
                    "Operations waiting for an answer",
                    "Accepted, and not answered yet, at the moment of a scrape. It follows the "
                    "load; if it rises under steady load, cinemas or queues are behind.",
                    COUNT,
                    Query(f'broker_operations{{{ASYNC}, state="pending"}}', "waiting"),
                ),
                lines(
                    "Age of the oldest of them",
                    "Up to the deadline (5 s); then a list is answered with the cinemas that did "
                    "answer. A saw-tooth up to the deadline is a cinema that does not answer. "
                    "While no requests come, operations beyond it are let go every minute.",
                    SECONDS,
                    Query(f"broker_operations_pending_age_seconds{{{ASYNC}}}", "oldest"),
                ),
                lines(
                    "Answers kept",
                    "Answered operations in the store, until they expire. It grows with the load "
                    "and then stays level.",
                    COUNT,
                    Query(f'broker_operations{{{ASYNC}, state="settled"}}', "kept"),
                ),
                lines(
                    "Answers dropped before their time",
                    "More than 20,000 operations in a minute fill the store, and the oldest "
                    "answers make room. Harmless when they have been fetched; who comes later gets "
                    "410.",
                    PER_SECOND,
                    Query(per_second(f"broker_operations_evicted_total{{{ASYNC}}}"), "dropped"),
                ),
            ],
            [
                lines(
                    "Responses per second, by what became of them",
                    "Late: after the deadline, for a later fetch. Duplicate: that cinema had "
                    "answered. Unknown: nobody asked, for example before a restart. A list has a "
                    "response from every cinema.",
                    PER_SECOND,
                    Query(
                        per_second(f"broker_responses_total{{{ASYNC}}}"),
                        "{{reception}}",
                    ),
                ),
                lines(
                    "Requests published per second, by what became of them",
                    "Confirmed: RabbitMQ has them. Refused or returned: no queue took them, the "
                    "client gets 503. Not sent: no connection.",
                    PER_SECOND,
                    Query(per_second(f"rabbitmq_published_total{{{BROKER}}}"), "published"),
                    Query(
                        per_second(f"rabbitmq_acknowledged_published_total{{{BROKER}}}"),
                        "confirmed",
                    ),
                    Query(
                        per_second(f"rabbitmq_not_acknowledged_published_total{{{BROKER}}}"),
                        "refused",
                    ),
                    Query(per_second(f"rabbitmq_unrouted_published_total{{{BROKER}}}"), "returned"),
                    Query(per_second(f"rabbitmq_failed_to_publish_total{{{BROKER}}}"), "not sent"),
                ),
            ],
        ],
    )


def _queues() -> Row:
    return Row(
        "Queues",
        [
            [
                lines(
                    "Wait in a queue, p95",
                    "From a message's publisher to its listener, by queue. Where it is high, the "
                    "consumers behind that queue are the bottleneck.",
                    SECONDS,
                    Query(f"variant_queue:queue_wait_seconds:p95_30s{{{ASYNC}}}", "{{queue}}"),
                ),
                lines(
                    "Messages in all queues",
                    "Ready: not yet with a consumer. Unacknowledged: with one, worked on or "
                    "fetched ahead.",
                    COUNT,
                    Query(f"sum(rabbitmq_queue_messages_ready{{{SERVER}}})", "ready"),
                    Query(f"sum(rabbitmq_queue_messages_unacked{{{SERVER}}})", "unacknowledged"),
                ),
                lines(
                    "Messages delivered again",
                    "By queue. A consumer took the message and ended, or lost its connection, "
                    "before it had confirmed it.",
                    PER_SECOND,
                    Query(per_second(f"queue_redelivered_total{{{ASYNC}}}"), "{{queue}}"),
                ),
                lines(
                    "Messages given back",
                    "By service: rejected by its listener, or returned to the queue. Zero in a "
                    "healthy run.",
                    PER_SECOND,
                    Query(
                        per_second(f'rabbitmq_rejected_total{{{ASYNC}, job="services"}}'),
                        "{{service}} rejected",
                    ),
                    Query(
                        per_second(f'rabbitmq_requeued_total{{{ASYNC}, job="services"}}'),
                        "{{service}} requeued",
                    ),
                ),
            ]
        ],
    )
