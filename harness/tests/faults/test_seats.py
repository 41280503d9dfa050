"""Buyers who compete for the seats of a showing."""

from __future__ import annotations

import random
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta

import pytest

from contract.product import Product

from .accounting import Entry, Load, Outcome, evenly, of, statuses
from .clients import carried_out, reserving, undocumented, wanted
from .recording import Progress, Sized

CINEMA = "cineworld"
SEATS = 100
BUYERS = 500
AT_ONCE = 100
TRIES = 5
"""Of a buyer who gets no answer in time, or is told to come back."""
FIRST = date(2026, 1, 1)
LATEST = 1_000_000
"""Days after it: what earlier checks have sold may still be stored, and is for other days."""


@pytest.mark.start(settings={"CINEMA_SEATS": str(SEATS)})
@pytest.mark.promise(
    "no-seat-is-sold-twice",
    "As many reservations are made as a showing has seats, and not one more.",
)
def test_no_seat_is_sold_twice(
    product: Product, figures: dict[str, str], progress: Progress, sized: Sized
) -> None:
    """500 buyers, a hundred of them at once, want a seat of a showing that has 100. The next day's
    showing comes next. 100 buyers must get a seat, and the others be told that it is sold out, or
    after five tries that there is no answer."""
    begin = FIRST + timedelta(random.randrange(LATEST))
    days = [str(begin + timedelta(number)) for number in range(sized(20, 2))]
    seats = len(days) * SEATS
    with Load(reserving(product, CINEMA), evenly(50, 100)):
        progress("warming up")
    entries: list[Entry] = []

    def buy(key: str, day: str) -> Outcome:
        body = wanted(CINEMA, key, date=day, tickets=1)
        for _ in range(TRIES):
            outcome = carried_out(
                product,
                lambda: product.http.post(
                    product.make_path(CINEMA), json=body, headers={"Idempotency-Key": key}
                ),
            )
            if outcome.final not in (503, 504):
                break
        return outcome

    with ThreadPoolExecutor(AT_ONCE) as buyers:
        for number, day in enumerate(days, 1):
            progress(f"showing {number} of {len(days)}")
            keys = [uuid.uuid4().hex for _ in range(BUYERS)]
            outcomes = buyers.map(buy, keys, [day] * BUYERS)
            entries += [
                Entry(key, 0, 0, outcome) for key, outcome in zip(keys, outcomes, strict=True)
            ]
    sold = Counter(
        booked["date"] for booked in product.reservations(CINEMA) if booked["date"] in days
    )
    figures["buyers"] = f"{len(entries):,}"
    figures["answers"] = statuses(entries)
    figures["seats sold"] = of(sold.total(), seats)
    figures["showings with more sold than they have"] = of(
        [day for day in days if sold[day] > SEATS], days
    )
    assert not undocumented(entries)
    assert {sold[day] for day in days} == {SEATS}, sold
    counts = Counter(entry.outcome.final for entry in entries)
    assert counts[product.made] <= seats <= counts[product.made] + counts[503] + counts[504], counts
    assert set(counts) <= {product.made, 409, 503, 504}, counts
