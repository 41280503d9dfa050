"""Only who may do something can do it."""

from __future__ import annotations

import pytest

from contract import access
from contract.access import CLIENTS
from contract.product import Product
from testbed.deploy.stack import Stack

from .accounting import of
from .clients import front_of
from .recording import Progress


@pytest.mark.promise(
    "only-who-may",
    "Only users reserve, only administrators list reservations, nobody gets another's answer.",
)
def test_only_who_may(
    stack: Stack, product: Product, variant: str, figures: dict[str, str], progress: Progress
) -> None:
    """Nobody in particular, a user, another user, an administrator and a wrong password ask for
    everything that the front door has, and for what it does not have. They do so again after it was
    killed and started."""
    asked: list[str] = []
    wrong: list[str] = []
    for again in (False, True):
        if again:
            progress("after a crash of the front door")
            stack.kill_service(front_of(variant))
            stack.start_service(front_of(variant))
            stack.await_converged(lambda _: None, 60)
        for what, status, answer in access.answers(product):
            asked.append(what)
            progress(f"{len(asked)} requests")
            if answer.status_code != status:
                wrong.append(f"{what}: {answer.status_code}, not {status}")
    figures["clients"] = str(len(CLIENTS))
    figures["other answers than the rules have"] = of(wrong, asked)
    assert not wrong, wrong[0]
