"""Sync path: gateway, aggregator, cinemas, MongoDB."""

from __future__ import annotations

from grafana_foundation_sdk.models.dashboard import Dashboard

from testbed.watch.dashboards import hops
from testbed.watch.dashboards.shapes import (
    COUNT,
    PER_SECOND,
    SECONDS,
    SHARE,
    SYNC,
    Query,
    Row,
    State,
    dashboard,
    lines,
    per_second,
    timeline,
)

GATEWAY = f'{SYNC}, service="api-gateway-service"'
AGGREGATOR = f'{SYNC}, service="aggregator-service"'
CINEMAS = f'{SYNC}, service=~"cinema-.+"'


def sync_path() -> Dashboard:
    """Return the dashboard that follows a request through the synchronous variant."""
    return dashboard(
        "testbed-sync-path",
        "Sync path",
        "A request's way through the synchronous variant: gateway, aggregator, cinemas, MongoDB.",
        ["sync"],
        [
            _gateway(),
            _breakers(),
            _aggregator(),
            hops.cinemas(
                SYNC,
                lines(
                    "Time at the cinemas' edge, p95",
                    "The whole exchange as the cinema sees it. What it has above the work is JSON "
                    "and waiting for a processor.",
                    SECONDS,
                    Query(
                        f"variant_service_uri:http_duration_seconds:p95_30s{{{CINEMAS}}}",
                        "{{service}} {{uri}}",
                    ),
                ),
            ),
            hops.database(SYNC),
            _pools(),
        ],
    )


def _gateway() -> Row:
    return Row(
        "Gateway: the front door",
        [
            [
                lines(
                    "Requests per second, by route",
                    "What came in, however it ended. /api goes to the aggregator, /cinema straight "
                    "to a cinema.",
                    PER_SECOND,
                    Query(f"variant_service_uri:http_requests:rate30s{{{GATEWAY}}}", "{{uri}}"),
                ),
                lines(
                    "Answers of 500 and above, by route",
                    "The route whose cinema or aggregator is in trouble. Zeros are a healthy run.",
                    PER_SECOND,
                    Query(f"variant_service_uri:http_failures:rate30s{{{GATEWAY}}}", "{{uri}}"),
                ),
                lines(
                    "Time at the gateway, p95",
                    "The whole exchange as the gateway sees it. Compare with the service behind "
                    "the route: what is above it is the gateway and the way.",
                    SECONDS,
                    Query(
                        f"variant_service_uri:http_duration_seconds:p95_30s{{{GATEWAY}}}", "{{uri}}"
                    ),
                ),
            ]
        ],
    )


def _breakers() -> Row:
    outcomes = "resilience4j_circuitbreaker_calls_seconds_count"
    refused = "resilience4j_circuitbreaker_not_permitted_calls_total"
    return Row(
        "Circuit breakers: one for each route",
        [
            [
                timeline(
                    "State of the breakers",
                    "Closed: requests pass. Open: they are answered with 503 at once, without "
                    "asking. Half open: a few pass, to see whether the service is back.",
                    Query(
                        "sum by (name) (resilience4j_circuitbreaker_state"
                        f'{{{SYNC}, state="half_open"}}) + 2 * sum by (name) '
                        "(resilience4j_circuitbreaker_state"
                        f'{{{SYNC}, state=~"open|forced_open"}})',
                        "{{name}}",
                    ),
                    [
                        State(0, "closed", "green"),
                        State(1, "half open", "yellow"),
                        State(2, "open", "red"),
                    ],
                ),
                lines(
                    "Calls per second, by outcome",
                    "All breakers together. Failed calls reached for the service; refused ones did "
                    "not, because the circuit was open.",
                    PER_SECOND,
                    Query(
                        "sum by (kind) (" + per_second(f"{outcomes}{{{SYNC}}}") + ")", "{{kind}}"
                    ),
                    Query("sum(" + per_second(f"{refused}{{{SYNC}}}") + ")", "refused"),
                ),
                lines(
                    "Failed and refused calls per second",
                    "By service: whose breaker it is. Failed, then refused, then failed again once "
                    "a second is a service that stays away.",
                    PER_SECOND,
                    Query(
                        "sum by (name) ("
                        + per_second(f'{outcomes}{{{SYNC}, kind="failed"}}')
                        + ")",
                        "{{name}} failed",
                    ),
                    Query(
                        "sum by (name) (" + per_second(f"{refused}{{{SYNC}}}") + ")",
                        "{{name}} refused",
                    ),
                ),
                lines(
                    "Share of failures that a breaker sees",
                    "Of its last calls. At 50 % it opens (preset tuned: of 100 calls, at least "
                    "20). Not drawn before there are enough of them.",
                    SHARE,
                    Query(
                        f"(resilience4j_circuitbreaker_failure_rate{{{SYNC}}} >= 0) / 100",
                        "{{name}}",
                    ),
                    maximum=1,
                ),
            ]
        ],
    )


def _aggregator() -> Row:
    return Row(
        "Aggregator: one list is a question to every cinema",
        [
            [
                lines(
                    "Lists per second",
                    "Lists asked for, and those answered with 500 or above: no cinema answered.",
                    PER_SECOND,
                    Query(f"variant_service_uri:http_requests:rate30s{{{AGGREGATOR}}}", "{{uri}}"),
                    Query(
                        f"variant_service_uri:http_failures:rate30s{{{AGGREGATOR}}}",
                        "{{uri}} failed",
                    ),
                ),
                lines(
                    "Questions per second, by cinema and outcome",
                    "A cinema with failed questions is missing from lists, which name it "
                    "(Cinemas-Missing).",
                    PER_SECOND,
                    Query(
                        "sum by (cinema, outcome) ("
                        + per_second(f"aggregator_questions_seconds_count{{{SYNC}}}")
                        + ")",
                        "{{cinema}} {{outcome}}",
                    ),
                ),
                lines(
                    "Time of a list and of its questions, p95",
                    "Asked in parallel a list takes as long as its slowest cinema; asked one after "
                    "another (preset thesis), as long as all of them.",
                    SECONDS,
                    Query(
                        f"variant_service_uri:http_duration_seconds:p95_30s{{{AGGREGATOR}}}",
                        "the list",
                    ),
                    Query(
                        f"variant_cinema:aggregator_questions_seconds:p95_30s{{{SYNC}}}",
                        "{{cinema}}",
                    ),
                ),
            ]
        ],
    )


def _pools() -> Row:
    return Row(
        "Pools of HTTP connections",
        [
            [
                lines(
                    "Connections in use",
                    "Of the gateway to each port (8081 the aggregator, 8082 and above the "
                    "cinemas), and of the aggregator. Preset tuned has 200 to each instance.",
                    COUNT,
                    Query(
                        f'variant_service_pool:connections_in_use:sum{{{SYNC}, pool=~"HTTP.*"}}',
                        "{{service}}: {{pool}}",
                    ),
                ),
                lines(
                    "Requests that wait for a connection",
                    "Each waits half a second at most (preset tuned), and is then answered with "
                    "503, or without that cinema.",
                    COUNT,
                    Query(
                        f'variant_service_pool:connections_pending:sum{{{SYNC}, pool=~"HTTP.*"}}',
                        "{{service}}: {{pool}}",
                    ),
                ),
                lines(
                    "Open connections of the gateway",
                    "In use and idle, by address. If it rises and falls all the time, connections "
                    "are closed and made anew under load.",
                    COUNT,
                    Query(
                        f"reactor_netty_connection_provider_total_connections{{{SYNC}}}",
                        "{{remote_address}}",
                    ),
                ),
            ]
        ],
    )
