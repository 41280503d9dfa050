"""A client may send a request again."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

from contract.accounts import ADMINISTRATOR, OTHER, USER, Account
from contract.product import Product, problem
from testbed.deploy.stack import Stack

from .accounting import Outcome, of
from .clients import KEY, carried_out, front_of, service_of, stored, wanted
from .conftest import RECOVERY_S
from .recording import Progress, Sized

AT_ONCE = 8


@pytest.mark.promise(
    "same-key-same-answer",
    "A reservation that is sent again with its Idempotency-Key is made once, with the same answer.",
)
def test_same_key_same_answer(
    stack: Stack,
    product: Product,
    variant: str,
    figures: dict[str, str],
    progress: Progress,
    sized: Sized,
) -> None:
    """Each reservation is sent by eight clients at once, sent again, and sent again after the
    cinema and then the front door were killed and started. Last comes another reservation with the
    same key."""
    cinema = "cineworld"
    keys = [uuid.uuid4().hex for _ in range(sized(200, 20))]

    def send(key: str) -> Outcome:
        return carried_out(
            product,
            lambda: product.http.post(
                product.make_path(cinema), json=wanted(cinema, key), headers={KEY: key}
            ),
        )

    with ThreadPoolExecutor(AT_ONCE) as clients:
        given = [list(clients.map(send, [key] * AT_ONCE)) for key in keys]
        progress("sending again")
        rounds = [list(clients.map(send, keys))]
        for victim in (service_of(cinema), front_of(variant)):
            progress(f"sending again after a crash of {victim}")
            stack.kill_service(victim)
            stack.start_service(victim)
            stack.await_converged(lambda _: None, RECOVERY_S)
            rounds.append(list(clients.map(send, keys)))
    answers = [first + [later[number] for later in rounds] for number, first in enumerate(given)]
    differing = [some for some in answers if len({outcome.id for outcome in some}) > 1]
    failed = [outcome for some in answers for outcome in some if not outcome.served]
    count = stored(product, cinema)
    doubled = [key for key in keys if count[key] > 1]
    figures["keys with different answers"] = of(differing, keys)
    figures["stored twice"] = of(doubled, keys)
    figures["failed"] = of(failed, sum(map(len, answers)))
    assert not failed, failed[0].why
    assert not differing, "the same key has got different ids"
    assert not doubled, "the same key is stored twice"
    for key in keys:
        other = wanted(cinema, key, tickets=3)
        answer = product.reserve(cinema, json=other, headers={KEY: key})
        problem(answer, 422, "idempotency-key-reused")
    figures["other reservations with a used key refused"] = of(keys, keys)


@pytest.mark.promise(
    "key-is-its-accounts",
    "Another account's equal Idempotency-Key neither reads, repeats nor blocks a reservation.",
)
def test_key_is_its_accounts(
    stack: Stack, product: Product, figures: dict[str, str], progress: Progress, sized: Sized
) -> None:
    """Another account reserves with a key that is not used yet. Then its owner, a third account,
    and the owner once more send a reservation of their own with it, the last the same as before."""
    cinema = "ucd"
    keys = [uuid.uuid4().hex for _ in range(sized(200, 20))]

    def send(key: str, account: Account, tickets: int) -> str | None:
        answer = product.http.post(
            product.make_path(cinema),
            json=wanted(cinema, key, tickets=tickets),
            headers={KEY: key, "Prefer": "wait=10"},
            auth=account,
        )
        return str(answer.json()["id"]) if answer.status_code == product.made else None

    blocked, read, repeated = list[str](), list[str](), list[str]()
    for number, key in enumerate(keys, 1):
        progress(f"{number} of {len(keys)} keys")
        before, own, after, again = (
            send(key, account, tickets)
            for account, tickets in ((OTHER, 3), (USER, 2), (ADMINISTRATOR, 2), (USER, 2))
        )
        if None in (before, own, after):
            blocked.append(key)
        if len({before, own, after}) < 3:
            read.append(key)
        if own != again:
            repeated.append(key)
    count = stored(product, cinema)
    figures["blocked by another account's key"] = of(blocked, keys)
    figures["answered with another account's"] = of(read, keys)
    figures["not found again by their own"] = of(repeated, keys)
    figures["stored otherwise than once each"] = of([k for k in keys if count[k] != 3], keys)
    assert not blocked, "another account's key blocks a reservation"
    assert not read, "another account's reservation is answered"
    assert not repeated, "a repeated reservation is another one"
    assert {count[key] for key in keys} == {3}
