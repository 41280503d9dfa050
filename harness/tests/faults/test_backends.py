"""A registry, a database or a message server that goes away and comes back."""

from __future__ import annotations

import pytest

from contract.product import Product
from testbed.deploy.stack import Stack

from . import queues
from .accounting import Entry, Load, evenly, note, of, quantile, require_right, statuses
from .clients import reserving, settled, undocumented
from .conftest import RECOVERY_S, backend
from .recording import Progress, Sized

CINEMA = "cineworld"
RATE = 5
AFTERWARDS = 20

IN_TIME_S = 12.0
"""How long a client may wait: for a request to be taken over, for its deadline, and a margin."""

BACKENDS = {"sync": ("eureka-server", "mongodb"), "async": ("mongodb", queues.SERVER)}


@pytest.mark.promise(
    "backends-return",
    "While a backend is away requests are refused in time; when it is back all goes on by itself.",
)
def test_backends_return(
    stack: Stack,
    product: Product,
    variant: str,
    figures: dict[str, str],
    progress: Progress,
    sized: Sized,
) -> None:
    """Reservations arrive at a constant rate. For the middle third, the registry (`sync`), the
    database, or the message server (`async`) is cut off the network. Without containers it is
    suspended, and database and message server are one process."""
    if variant == "async":
        queues.taken(stack, queues.DEAD_LETTERS)
    away = sized(30, 6)
    entries: list[Entry] = []
    afterwards: list[Entry] = []
    for name in dict.fromkeys(backend(stack, kind) for kind in BACKENDS[variant]):
        progress(f"{name} is away for {away} s")
        # A client may have to wait for its answer for most of the time.
        with Load(reserving(product, CINEMA), evenly(RATE, 3 * away * RATE), workers=96) as load:
            load.await_due(1 / 3)
            with stack.cut_off(name):
                load.await_due(2 / 3)
        stack.await_converged(lambda _: None, RECOVERY_S)
        with Load(reserving(product, CINEMA), evenly(RATE, AFTERWARDS)) as later:
            pass
        failed = [entry.due_s for entry in load.entries if not entry.outcome.served]
        figures[f"answers, {name}"] = statuses(load.entries)
        back = max(0.0, max(failed, default=0.0) - 2 * away)
        figures[f"last failure after its return, {name}"] = f"{back:.1f} s"
        entries += load.entries
        afterwards += later.entries
    account = settled(product, [*entries, *afterwards], CINEMA)
    answers = {entry.outcome.final or entry.outcome.status for entry in entries}
    failed_later = [entry for entry in afterwards if not entry.outcome.served]
    figures["failed afterwards"] = of(failed_later, afterwards)
    note(figures, account)
    slowest = quantile(entries, 1)
    figures["slowest answer"] = f"{slowest:.1f} s"
    letters = queues.taken(stack, queues.DEAD_LETTERS) if variant == "async" else []
    figures["dead letters"] = f"{len(letters):,}"
    stack.require_alive()
    assert not undocumented(entries)
    assert answers <= {product.made, 503, 504}, f"answers {answers}"
    assert slowest < IN_TIME_S, f"the slowest answer came after {slowest:.1f} s"
    assert not failed_later, statuses(afterwards)
    require_right(account)
    assert not letters, "a request became a dead letter"


@pytest.fixture
def database_of_its_own(variant: str, pytestconfig: pytest.Config) -> None:
    """Skip, before the system is started, where a crash of the database ends the messages too."""
    if variant == "async" and pytestconfig.getoption("--backends") == "embedded":
        pytest.skip("needs RabbitMQ: --backends docker")


@pytest.mark.usefixtures("database_of_its_own")
@pytest.mark.start(on_disk=True)
@pytest.mark.promise(
    "stored-survives-a-crash",
    "What was acknowledged before the database crashed is stored after it has started again.",
)
def test_stored_survives_a_crash(
    stack: Stack,
    product: Product,
    variant: str,
    figures: dict[str, str],
    progress: Progress,
    sized: Sized,
) -> None:
    """Reservations arrive at a constant rate. MongoDB is killed after a third and started again
    after two thirds. At the end each reservation is looked up in the cinema's list. Without
    containers MongoDB's stand-in keeps its data in a file; in `async` it is in one process with a
    message server that does not."""
    away = sized(30, 6)
    database = backend(stack, "mongodb")
    rate = 2 * RATE
    with Load(reserving(product, CINEMA), evenly(rate, 3 * away * rate), workers=96) as load:
        load.await_due(1 / 3)
        stack.kill_service(database)
        load.await_due(2 / 3)
        progress("starting the database")
        stack.start_service(database)
    stack.await_converged(lambda _: None, RECOVERY_S)
    with Load(reserving(product, CINEMA), evenly(RATE, AFTERWARDS)) as later:
        pass
    progress("looking up what is stored")
    account = settled(product, [*load.entries, *later.entries], CINEMA)
    failed_later = [entry for entry in later.entries if not entry.outcome.served]
    figures["answers"] = statuses(load.entries)
    figures["failed afterwards"] = of(failed_later, later.entries)
    note(figures, account)
    answers = {entry.outcome.final or entry.outcome.status for entry in load.entries}
    stack.require_alive()
    assert not undocumented(account.entries)
    assert answers <= {product.made, 503, 504}, f"answers {answers}"
    assert not failed_later, statuses(later.entries)
    require_right(account)
