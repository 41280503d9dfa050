"""JVM: memory, collection, threads and processor time of every service."""

from __future__ import annotations

from grafana_foundation_sdk.models.dashboard import Dashboard

from testbed.watch.dashboards.shapes import (
    BYTES,
    BYTES_PER_SECOND,
    CHOSEN,
    CORES,
    COUNT,
    PER_SECOND,
    SECONDS,
    SHARE,
    Query,
    Row,
    dashboard,
    lines,
    per_second,
)

SERVICE = "{{variant}} {{service}}"


def jvm() -> Dashboard:
    """Return the dashboard of the Java virtual machines."""
    heap = f'{{{CHOSEN}, area="heap"}}'
    return dashboard(
        "testbed-jvm",
        "JVM",
        "Memory, garbage collection, threads and processor time of every Java service.",
        ["sync", "async"],
        [
            Row(
                "Memory",
                [
                    [
                        lines(
                            "Heap in use",
                            "A saw-tooth is normal: it fills, and a collection empties it. What "
                            "remains after each fall is what the service really holds.",
                            BYTES,
                            Query(
                                f"sum by (variant, service) (jvm_memory_used_bytes{heap})", SERVICE
                            ),
                        ),
                        lines(
                            "Heap in use, of what it may have",
                            "If its low points near 100 %, the heap is too small, and collections "
                            "take over.",
                            SHARE,
                            Query(
                                f"sum by (variant, service) (jvm_memory_used_bytes{heap}) / "
                                f"sum by (variant, service) (jvm_memory_max_bytes{heap} > 0)",
                                SERVICE,
                            ),
                            maximum=1,
                        ),
                        lines(
                            "Allocated per second",
                            "How fast the service makes garbage. It follows the load; compared per "
                            "operation it tells which pattern copies more.",
                            BYTES_PER_SECOND,
                            Query(
                                "sum by (variant, service) ("
                                + per_second(f"jvm_gc_memory_allocated_bytes_total{{{CHOSEN}}}")
                                + ")",
                                SERVICE,
                            ),
                        ),
                    ]
                ],
            ),
            Row(
                "Garbage collection",
                [
                    [
                        lines(
                            "Time paused",
                            "The share of time in which the service stood still. A few percent are "
                            "felt in p99.",
                            SHARE,
                            Query(
                                "sum by (variant, service) ("
                                + per_second(f"jvm_gc_pause_seconds_sum{{{CHOSEN}}}")
                                + ")",
                                SERVICE,
                            ),
                        ),
                        lines(
                            "Longest pause of late",
                            "No exchange that met it was faster than this. Of the last minutes.",
                            SECONDS,
                            Query(
                                f"max by (variant, service) (jvm_gc_pause_seconds_max{{{CHOSEN}}})",
                                SERVICE,
                            ),
                        ),
                        lines(
                            "Collections per second",
                            "Many short ones: a small young generation. See with time paused.",
                            PER_SECOND,
                            Query(
                                "sum by (variant, service) ("
                                + per_second(f"jvm_gc_pause_seconds_count{{{CHOSEN}}}")
                                + ")",
                                SERVICE,
                            ),
                        ),
                    ]
                ],
            ),
            Row(
                "Threads and processors",
                [
                    [
                        lines(
                            "Platform threads",
                            "Live threads; virtual ones are not among them. In preset thesis one "
                            "for every request at a time.",
                            COUNT,
                            Query(f"jvm_threads_live_threads{{{CHOSEN}}}", SERVICE),
                        ),
                        lines(
                            "Processors in use",
                            "By the service's own account. The service that takes most is where "
                            "making something cheaper pays.",
                            CORES,
                            Query(
                                "variant_job_service:cpu_cores:rate30s"
                                f'{{{CHOSEN}, job="services"}}',
                                SERVICE,
                            ),
                        ),
                        lines(
                            "Time spent compiling",
                            "The share of one processor that compiles code. While it is high the "
                            "service is not warm: what is measured is not its steady state.",
                            SHARE,
                            Query(
                                "sum by (variant, service) ("
                                + per_second(f"jvm_compilation_time_ms_total{{{CHOSEN}}}")
                                + ") / 1e3",
                                SERVICE,
                            ),
                        ),
                        lines(
                            "Warnings and errors logged",
                            "By service. The log says what they are.",
                            PER_SECOND,
                            Query(
                                "sum by (variant, service) ("
                                + per_second(
                                    f'logback_events_total{{{CHOSEN}, level=~"warn|error"}}'
                                )
                                + ")",
                                SERVICE,
                            ),
                        ),
                    ]
                ],
            ),
        ],
    )
