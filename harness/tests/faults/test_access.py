"""Only who may do something can do it."""

from __future__ import annotations

import math
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from contract import access
from contract.access import CLIENTS
from contract.accounts import OTHER
from contract.product import Product
from testbed.deploy.stack import Stack

from .accounting import Load, evenly, of, statuses
from .clients import front_of, reserving, undocumented
from .conftest import RECOVERY_S
from .recording import Progress, Sized

CHECKED_A_SECOND = 20
GUESSERS = 8


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
            stack.await_converged(lambda _: None, RECOVERY_S)
        for what, status, answer in access.answers(product):
            asked.append(what)
            progress(f"{len(asked)} requests")
            if answer.status_code != status:
                wrong.append(f"{what}: {answer.status_code}, not {status}")
    figures["clients"] = str(len(CLIENTS))
    figures["other answers than the rules have"] = of(wrong, asked)
    assert not wrong, wrong[0]


@pytest.mark.start(settings={"TESTBED_CLIENT_RATE_LIMIT": f"{CHECKED_A_SECOND}/s"})
@pytest.mark.promise(
    "passwords-are-not-guessed",
    "With a limit for each client no more passwords of an account are checked, and other accounts "
    "are served.",
)
def test_passwords_are_not_guessed(
    stack: Stack,
    product: Product,
    figures: dict[str, str],
    progress: Progress,
    sized: Sized,
) -> None:
    """Eight clients try passwords of one account without a pause. The limit is 20 requests a
    second. Meanwhile another account's reservations arrive at a constant rate."""
    seconds = sized(30, 5)
    answers: Counter[int] = Counter()

    def guess(until: float) -> Counter[int]:
        own: Counter[int] = Counter()
        while time.monotonic() < until:
            account = (OTHER[0], f"guess {own.total()}")
            own[product.http.get("/api/movie/list", auth=account).status_code] += 1
        return own

    progress("guessing")
    began = time.monotonic()
    with (
        ThreadPoolExecutor(GUESSERS) as guessers,
        Load(reserving(product, "cineworld"), evenly(4, 4 * seconds)) as load,
    ):
        for own in guessers.map(guess, [began + seconds] * GUESSERS):
            answers += own
    # Of the periods that have begun, the first and the last are not whole ones.
    most = CHECKED_A_SECOND * (math.ceil(time.monotonic() - began) + 1)
    checked = answers.total() - answers[httpx.codes.TOO_MANY_REQUESTS]
    failed = [entry for entry in load.entries if not entry.outcome.served]
    figures["passwords checked"] = of(checked, answers.total())
    figures["the limit allows"] = f"{most:,}"
    figures["failed at another account"] = of(failed, load.entries)
    assert not undocumented(load.entries)
    assert set(answers) <= {httpx.codes.UNAUTHORIZED, httpx.codes.TOO_MANY_REQUESTS}, answers
    assert checked <= most, f"{checked} passwords were checked"
    assert not failed, statuses(load.entries)
