"""Answers that nobody fetches."""

from __future__ import annotations

import pytest

from contract.product import Asynchronous, problem
from testbed.deploy.stack import Stack

from .accounting import Load, evenly, of, statuses
from .clients import FULL, acknowledged, asking, front_of, heap, reading, reserving
from .conftest import Eventually
from .recording import Progress, Sized

CINEMA, SMALL = "ucd", "dundrum"
STORED = 400
EXPIRED_S = 120


@pytest.mark.variant("async")
@pytest.mark.promise(
    "store-is-bounded", "Answers that nobody fetches do not use up the front door's memory."
)
def test_store_is_bounded(
    stack: Stack,
    product: Asynchronous,
    figures: dict[str, str],
    progress: Progress,
    sized: Sized,
    eventually: Eventually,
) -> None:
    """Pages of 200 reservations are asked for and never fetched, then a million pages of one. Each
    request is acknowledged, or refused with 503 and Retry-After. Then the front door must serve,
    and every answer must expire."""
    front = front_of("async")
    with Load(reserving(product, CINEMA), evenly(100, STORED), notice=progress):
        pass
    before = stack.meter().read()[front].rss_mb
    first = product.http.get(product.list_path(CINEMA))
    path = f"{product.list_path(CINEMA)}?size=200"
    with Load(asking(product, path), evenly(200, sized(10_000, 2_000)), notice=progress) as load:
        pass
    figures["answers, large"] = statuses(load.entries)
    stack.require_alive()
    used = [heap(stack, front)]
    memory = [before, stack.meter().read()[front].rss_mb]
    small = f"{product.list_path(SMALL)}?size=1"
    asked = acknowledged(product, small, sized(1_000_000, 5_000), progress)
    figures["answers, small"] = ", ".join(
        f"{status}: {count:,}" for status, count in sorted(asked.items())
    )
    stack.require_alive()
    used.append(heap(stack, front))
    memory.append(stack.meter().read()[front].rss_mb)
    figures["memory of the front door"] = ", then ".join(f"{mb:,.0f} MB" for mb in memory)
    figures["heap in use after a collection"] = ", then ".join(f"{share:.0%}" for share in used)
    wrong = [entry for entry in load.entries if entry.outcome.status not in (202, 503)]
    figures["other answers than 202 and 503"] = of(
        len(wrong) + sum(count for status, count in asked.items() if status not in (202, 503)),
        len(load.entries) + asked.total(),
    )
    assert not wrong, wrong[0].outcome.why
    assert set(asked) <= {202, 503}, asked
    assert max(used) < FULL, f"{max(used):.0%} of the heap is in use"
    again = product.list_movies()
    assert again.status_code == 200, again.text
    progress("waiting until all answers have expired")
    # Not fetched: that would shorten their time. And the first may have made room for others.
    eventually(lambda: reading(stack, front, "broker_operations") == 0, EXPIRED_S)
    problem(product.fetch(first), 410, "correlation-expired")
