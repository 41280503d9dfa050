"""Testbed overview: both variants in the same terms."""

from __future__ import annotations

from grafana_foundation_sdk.models.dashboard import Dashboard

from testbed.watch.dashboards.shapes import (
    ASYNC,
    BYTES,
    CHOSEN,
    CORES,
    COUNT,
    PER_SECOND,
    PRODUCT,
    SECONDS,
    SHARE,
    WATCHING,
    Panel,
    Query,
    Row,
    State,
    dashboard,
    lines,
    timeline,
)


def overview() -> Dashboard:
    """Return the dashboard on which variants are compared."""
    return dashboard(
        "testbed-overview",
        "Testbed overview",
        "What users get from each variant, where the time goes, what it costs and what is short.",
        ["sync", "async"],
        [_users(), _load(), _time(), _cost(), _short()],
    )


def _users() -> Row:
    return Row(
        "What users get",
        [
            [
                lines(
                    "Operations per second",
                    "Dashed: operations that users began. Solid: results that they got. A gap "
                    "between the two is work that fails or piles up. An operation of async is a "
                    "request and its fetches, counted once. In preset thesis the aggregator asks "
                    "through the gateway again; its questions count as operations of sync then.",
                    PER_SECOND,
                    Query(f"variant:operations_offered:rate30s{{{CHOSEN}}}", "{{variant}} offered"),
                    Query(f"variant:operations_served:rate30s{{{CHOSEN}}}", "{{variant}} served"),
                    by_variant=True,
                ),
                lines(
                    "Failures per second, by class",
                    "Answers that are no result. 4xx: the client's request was wrong. 500: a fault "
                    "of ours. 503: something needed is away or full, or a circuit is open. 504: "
                    "something needed was too slow. Zeros are a healthy run.",
                    PER_SECOND,
                    Query(
                        f"variant_class:front_failures:rate30s{{{CHOSEN}}}",
                        "{{variant}} {{class}}",
                    ),
                ),
                timeline(
                    "Services",
                    "Ready: it serves. Not ready: it runs, but cannot reach its database, its "
                    "registry or RabbitMQ. Away: it cannot be scraped, because it has ended or has "
                    "no time to answer.",
                    Query(
                        f"(up{{{CHOSEN}}} + on (variant, service, job, instance) application_ready)"
                        f" or up{{{CHOSEN}}} * 2",
                        "{{variant}} {{service}}",
                    ),
                    [
                        State(2, "ready", "green"),
                        State(1, "not ready", "orange"),
                        State(0, "away", "red"),
                    ],
                ),
            ],
            [_percentile(percent) for percent in (50, 95, 99)],
            [
                timeline(
                    "Alerts",
                    "Which alert fired when, and for whom. What each means stands in "
                    "prometheus/rules/alerts.yml. Empty in a healthy run.",
                    Query(
                        "max by (variant, alertname, service, name) "
                        f'(ALERTS{{alertstate="firing", {CHOSEN}}})',
                        "{{variant}} {{alertname}} {{service}} {{name}}",
                    ),
                    [State(1, "firing", "red")],
                    empty="No alert is firing",
                ),
            ],
        ],
    )


def _percentile(percent: int) -> Panel:
    return lines(
        f"Time to a result, p{percent}",
        f"{percent} of 100 results took no longer at the front door. sync: the one exchange. "
        "async: the fetch, which waits for the result; the request before it is short, and part of "
        "the whole operation below. Interpolated within buckets of 1, 2 and 5: good for comparing, "
        "not to the millisecond.",
        SECONDS,
        Query(f"variant:result_duration_seconds:p{percent}_30s{{{CHOSEN}}}", "{{variant}}"),
        by_variant=True,
    )


def _load() -> Row:
    return Row(
        "What JMeter sees",
        [
            [
                lines(
                    "Operations of JMeter per second",
                    "Dashed: those that were to begin; in an open loop the gap to the others is "
                    "what the system does not keep up with. Failed ones have a wrong answer or "
                    "none. A level is named where the harness runs the load.",
                    PER_SECOND,
                    *(
                        Query(
                            f"variant_workload_level:jmeter_{what}:rate30s{{{CHOSEN}}}",
                            f"{{{{variant}}}} {{{{workload}}}} {{{{level}}}} {shown}",
                        )
                        for what, shown in (
                            ("offered", "offered"),
                            ("served", "served"),
                            ("failures", "failed"),
                        )
                    ),
                    by_variant=True,
                ),
                lines(
                    "Response time in JMeter",
                    "From the intended start of an operation to its usable result, requests and "
                    "fetches together; of successful operations. Interpolated within buckets.",
                    SECONDS,
                    *(
                        Query(
                            f"variant_workload_level:jmeter_duration_seconds:p{percent}_30s"
                            f"{{{CHOSEN}}}",
                            f"{{{{variant}}}} {{{{workload}}}} {{{{level}}}} p{percent}",
                        )
                        for percent in (50, 95, 99)
                    ),
                    by_variant=True,
                ),
                lines(
                    "Active threads of JMeter",
                    "The users of a closed loop, or the most operations that an open loop may have "
                    "under way. 0 when no plan runs.",
                    COUNT,
                    Query(
                        f"jmeter_active_threads{{{CHOSEN}}}",
                        "{{variant}} {{workload}} {{level}}",
                    ),
                    by_variant=True,
                ),
            ],
        ],
    )


def _time() -> Row:
    return Row(
        "Where the time goes",
        [
            [
                lines(
                    "Mean time of each hop: $variant",
                    "Hops with higher numbers happen within those with lower ones. Not every "
                    "operation takes every hop: run one workload at a time. Where a line is far "
                    "below the one before it, the time is lost. sync: between 1 and 2 the gateway, "
                    "between 3 and 4 the network and the cinema's edge. async: in 3 and 6 a queue "
                    "whose consumers are behind. Between 4 and 5: the cinema itself.",
                    SECONDS,
                    Query(f"variant_hop:duration_seconds:mean_30s{{{CHOSEN}}}", "{{hop}}"),
                    repeated=True,
                )
            ],
        ],
    )


def _cost() -> Row:
    return Row(
        "What it costs",
        [
            [
                lines(
                    "Processors by service: $variant",
                    "Stacked up to what the machine spends in all. The rest is everything that "
                    "tells Prometheus nothing: MongoDB, and the load generator if it runs here.",
                    CORES,
                    Query(f"variant_job_service:cpu_cores:rate30s{{{CHOSEN}}}", "{{service}}"),
                    Query(
                        f"clamp_min(variant:machine_busy_cores:rate30s{{{CHOSEN}}} - on (variant) "
                        f"sum by (variant) (variant_job_service:cpu_cores:rate30s{{{CHOSEN}}}), 0)",
                        "the rest",
                    ),
                    stacked=True,
                    repeated=True,
                )
            ],
            [
                lines(
                    "Memory by service: $variant",
                    "Of a JVM what it has reserved: heap, code, classes. Of the others what is "
                    "resident. MongoDB tells nothing.",
                    BYTES,
                    Query(f"variant_service:memory_bytes:sum{{{CHOSEN}}}", "{{service}}"),
                    stacked=True,
                    repeated=True,
                )
            ],
            [
                lines(
                    "Processor time per served operation",
                    "What the product's services and RabbitMQ spend on one result; MongoDB is not "
                    "in it. The lower line is the cheaper pattern. Meaningless while hardly "
                    "anything is served.",
                    SECONDS,
                    Query(
                        "sum by (variant) (variant_job_service:cpu_cores:rate30s"
                        f"{{{CHOSEN}, {PRODUCT}}})"
                        f" / (variant:operations_served:rate30s{{{CHOSEN}}} > 0)",
                        "{{variant}}",
                    ),
                    by_variant=True,
                ),
                lines(
                    "Processor time of watching",
                    "What Prometheus and its exporters take themselves.",
                    CORES,
                    Query(
                        f"variant_job_service:cpu_cores:rate30s{{{CHOSEN}, {WATCHING}}}",
                        "{{variant}} {{service}}",
                    ),
                ),
            ],
        ],
    )


def _short() -> Row:
    return Row(
        "What is short",
        [
            [
                lines(
                    "Machine busy",
                    "The share of all processors that is in use. Near 100 % everything waits for a "
                    "processor, and times say more about the machine than about a pattern.",
                    SHARE,
                    Query(
                        f"variant:machine_busy_cores:rate30s{{{CHOSEN}}}"
                        f" / variant:machine_cores:count{{{CHOSEN}}}",
                        "{{variant}}",
                    ),
                    maximum=1,
                    by_variant=True,
                ),
                lines(
                    "Threads that want a processor",
                    "Running or waiting to run, at the moment of each scrape. Dashed: how many "
                    "processors there are. Far above it the machine is the bottleneck.",
                    COUNT,
                    Query(f"node_procs_running{{{CHOSEN}}}", "{{variant}}"),
                    Query(f"variant:machine_cores:count{{{CHOSEN}}}", "{{variant}} processors"),
                    by_variant=True,
                ),
                lines(
                    "Exchanges under way at the front door",
                    "How many requests are being answered at a time, on average. It cannot exceed "
                    "what the clients have open; while it rises and the served rate does not, work "
                    "only waits longer.",
                    COUNT,
                    Query(f"variant:front_exchanges:mean_30s{{{CHOSEN}}}", "{{variant}}"),
                    by_variant=True,
                ),
            ],
            [
                lines(
                    "Connections in use, by pool",
                    "Taken from each pool at the moment of a scrape. A line that lies flat at the "
                    "pool's size is a pool that is too small, or a server behind it that is slow.",
                    COUNT,
                    Query(
                        f"variant_service_pool:connections_in_use:sum{{{CHOSEN}}}",
                        "{{variant}} {{service}}: {{pool}}",
                    ),
                ),
                lines(
                    "Requests that wait for a connection, by pool",
                    "Above 0 for more than a moment the pool is the bottleneck: the time is lost "
                    "before the next service sees the request.",
                    COUNT,
                    Query(
                        f"variant_service_pool:connections_pending:sum{{{CHOSEN}}}",
                        "{{variant}} {{service}}: {{pool}}",
                    ),
                ),
                lines(
                    "Work held in queues",
                    "Ready: in RabbitMQ, not yet with a consumer. Unacknowledged: with one. "
                    "Waiting: operations whose answer the broker service does not have yet. A line "
                    "that only rises is a consumer slower than the publishers.",
                    COUNT,
                    Query(
                        f"sum by (variant) (rabbitmq_queue_messages_ready{{{CHOSEN}, {ASYNC}}})",
                        "{{variant}} ready",
                    ),
                    Query(
                        f"sum by (variant) (rabbitmq_queue_messages_unacked{{{CHOSEN}, {ASYNC}}})",
                        "{{variant}} unacknowledged",
                    ),
                    Query(
                        f'broker_operations{{{CHOSEN}, {ASYNC}, state="pending"}}',
                        "{{variant}} waiting",
                    ),
                ),
            ],
        ],
    )
