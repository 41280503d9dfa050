"""A client may send a request again."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

from contract.product import Product, problem
from testbed.deploy.stack import Stack

from .accounting import Outcome, of
from .clients import KEY, carried_out, front_of, service_of, stored, wanted
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
            stack.await_converged(lambda _: None, 60)
            rounds.append(list(clients.map(send, keys)))
    answers = [first + [later[number] for later in rounds] for number, first in enumerate(given)]
    differing = [some for some in answers if len({one.id for one in some}) > 1]
    failed = [one for some in answers for one in some if not one.served]
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
