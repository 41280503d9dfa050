from __future__ import annotations

import os
import socket

import pytest

from testbed.deploy import ports
from testbed.model.errors import UserError

from .conftest import unused_port


def test_a_port_nobody_uses_any_more_is_free() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert ports.is_free(port)


@pytest.mark.parametrize("address", ["127.0.0.1", "0.0.0.0"])
def test_a_port_somebody_listens_on_is_not(address: str) -> None:
    with socket.create_server((address, 0)) as server:
        assert not ports.is_free(server.getsockname()[1])


def test_names_port_service_and_holder() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        busy = server.getsockname()[1]
        with pytest.raises(UserError) as refused:
            ports.require_free({"eureka-server": (unused_port(),), "broker-service": (busy,)})

    assert f"port {busy} (broker-service) is in use by" in refused.value.message
    assert f"(pid {os.getpid()})" in refused.value.message
    assert "eureka-server" not in refused.value.message


def test_says_nothing_when_all_are_free() -> None:
    ports.require_free({"one": (unused_port(), unused_port())})


@pytest.mark.parametrize("given", ["abc", "0", "65536", "-1", ""])
def test_a_port_that_is_none_is_named(given: str) -> None:
    with pytest.raises(UserError, match=f"RABBITMQ_PORT is '{given}'; choose a port"):
        ports.parse("RABBITMQ_PORT", given)
