"""A reservation that was refused is not stored after all."""

from __future__ import annotations

import pytest

from testbed.deploy.stack import Stack

from .product import RUN, Product, reservation

BACKENDS = "embedded-backends"


@pytest.mark.variant("sync")
def test_one_that_is_refused_for_lack_of_a_database_is_not_made_later(
    stack: Stack, product: Product
) -> None:
    sent = reservation(clientEmail=f"refused@{RUN}")
    with stack.suspended(BACKENDS):
        answer = product.reserve("cineworld", json=sent)
    assert answer.status_code in {503, 504}, answer.text
    # What the cinema still did for the first would be done before all of these.
    for _ in range(20):
        assert product.reserve("cineworld", json=reservation()).status_code == product.made
    stored = {booked["clientEmail"] for booked in product.reservations("cineworld")}
    assert sent["clientEmail"] not in stored
