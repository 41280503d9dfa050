"""What happens when a service cannot be suspended, or the load fails meanwhile."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import NoReturn

import pytest

from testbed.experiment.parts import Disturb
from testbed.measure.companions import Loading
from testbed.measure.samplefile import Seen
from testbed.measure.suspension import Suspension
from testbed.model.errors import UserError


def plan(lasting: float) -> Disturb:
    return Disturb.model_validate({"service": "gateway", "at": 0, "for": lasting})


def begun() -> Seen:
    return Seen(first_ms=round(1000 * time.time()))


def test_a_service_that_cannot_be_suspended_is_an_error_and_was_never_stopped() -> None:
    asked = threading.Event()

    def refuse(name: str) -> NoReturn:
        asked.set()
        raise UserError(f"service {name!r} does not run")

    suspension = Suspension(plan(1), refuse)
    with suspension.during(loading := Loading()):
        loading.watchers[0](begun())
        assert asked.wait(60)

    with pytest.raises(UserError, match="'gateway' does not run"):
        suspension.record()
    assert suspension.stopped is None


def test_an_error_in_the_load_resumes_the_service() -> None:
    suspended, resumed = threading.Event(), threading.Event()

    @contextlib.contextmanager
    def hold(_: str) -> Iterator[None]:
        suspended.set()
        try:
            yield
        finally:
            resumed.set()

    suspension = Suspension(plan(3600), hold)
    with pytest.raises(KeyError, match="load"), contextlib.ExitStack() as running:
        running.callback(suspension.end)
        with suspension.during(loading := Loading()):
            loading.watchers[0](begun())
            assert suspended.wait(60)
            raise KeyError("load")

    assert resumed.is_set()
