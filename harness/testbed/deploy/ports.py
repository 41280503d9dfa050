"""Finds which TCP ports of this machine are taken, and by which process."""

from __future__ import annotations

import socket
from collections.abc import Iterable, Mapping

import psutil

from testbed.model.errors import UserError

LOOPBACK = "127.0.0.1"

ACCEPT_LIMIT_S = 1.0


def is_free(port: int) -> bool:
    """Return whether a server could be started on a port."""
    if accepts(port):
        return False
    with socket.socket() as probe:
        # Like servers: a port in TIME_WAIT is not taken.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def accepts(port: int, address: str = LOOPBACK) -> bool:
    """Return whether a server accepts connections on a port."""
    try:
        socket.create_connection((address, port), ACCEPT_LIMIT_S).close()
    except OSError:
        return False
    return True


def taken(ports: Iterable[int]) -> dict[int, str]:
    """Return the given ports that are in use, with the process that has each."""
    busy = [port for port in ports if not is_free(port)]
    holders = _holders() if busy else {}
    # This user may not see every process.
    return {port: holders.get(port, "an unknown process") for port in busy}


def parse(name: str, given: str | int) -> int:
    """Return a port given by an environment variable.

    Raises `UserError` if it is not a number from 1 to 65535.
    """
    if not str(given).isdecimal() or not 1 <= int(given) <= 65535:
        raise UserError(f"{name} is {given!r}; choose a port from 1 to 65535")
    return int(given)


def require_free(wanted: Mapping[str, tuple[int, ...]]) -> None:
    """Check that the ports of each service are free.

    Raises `UserError`, which names each port in use, the service that needs it and
    the process that has it.
    """
    owners = {port: name for name, ports in wanted.items() for port in ports}
    if busy := taken(owners):
        lines = [f"port {port} ({owners[port]}) is in use by {by}" for port, by in busy.items()]
        raise UserError(
            "\n".join(lines),
            "Stop what uses them, or move the whole stack: --port-offset 10000.",
        )


def _holders() -> dict[int, str]:
    try:
        connections = psutil.net_connections(kind="tcp")
    except (psutil.AccessDenied, PermissionError):
        return {}
    holders: dict[int, str] = {}
    for connection in connections:
        address = connection.laddr
        if address and connection.status == psutil.CONN_LISTEN and connection.pid is not None:
            try:
                name = psutil.Process(connection.pid).name()
            except psutil.Error:
                continue
            holders[address.port] = f"{name} (pid {connection.pid})"
    return holders
