"""Requests for what is inside of the services."""

from __future__ import annotations

import pytest

from contract.attacks import HEALTH_AND_METRICS, Attack, all_of_them, answer, doors
from contract.product import Product
from testbed.deploy.stack import Stack

from .accounting import Load, evenly, of
from .clients import reserving, undocumented
from .recording import Progress, Sized

CINEMA = "cineworld"


@pytest.mark.promise(
    "management-is-closed",
    "Health and metrics are all that services tell about themselves, at ports of their own.",
)
def test_management_is_closed(
    stack: Stack, product: Product, figures: dict[str, str], progress: Progress, sized: Sized
) -> None:
    """Requests of known attacks (endpoints that read or change settings, routes and memory, paths
    in disguise, expressions in headers and parameters) go to both ports of every service, while
    customers reserve. Each must be refused with a problem of status 4xx that tells nothing of the
    inside."""
    wrong_answers: list[str] = []
    asked = 0
    with Load(reserving(product, CINEMA), evenly(20, sized(400, 100)), notice=progress) as load:
        for door in doors(stack):
            for port in (door.management, door.port):
                for attack in all_of_them():
                    asked += 1
                    if wrong := answer(port, attack).wrong():
                        wrong_answers.append(f"{door.service} {port} {attack}: {wrong}")
    failed = [entry for entry in load.entries if not entry.outcome.served]
    open_at = [
        f"{door.service} {path}"
        for door in doors(stack)
        for path in HEALTH_AND_METRICS
        if answer(door.port, Attack("GET", path)).status != 404
        or answer(door.management, Attack("GET", path)).status != 200
    ]
    figures["requests not refused"] = f"{len(wrong_answers):,} of {asked:,}"
    figures["reservations that failed meanwhile"] = of(failed, load.entries)
    assert not wrong_answers, wrong_answers[0]
    assert not open_at, open_at
    assert not failed, undocumented(load.entries) or failed[0].outcome.why
    stack.require_alive()
