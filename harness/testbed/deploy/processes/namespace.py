"""A network namespace for an experiment, with few local ports for connections."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from pathlib import Path

from testbed.deploy.ports import ask_from_own_address
from testbed.experiment.parts import LocalPorts
from testbed.model.errors import UserError

CLONE_NEWNET = 0x40000000
SETTINGS = Path("/proc/sys/net/ipv4")


def enter(ports: LocalPorts) -> None:
    """Move this process and its later children into a network that has only a loopback.

    The network is isolated from the outside in both directions. Connections use the given local
    ports. A closed connection keeps its port for a minute, as between machines. (Within one
    machine, Linux would reuse the port after a second.) The harness sends requests from its own
    address, so that it reaches the services when they have used up their ports.

    Raises `UserError` if the system does not support or allow this.
    """
    if not SETTINGS.is_dir() or shutil.which("ip") is None:
        raise UserError(
            "local_ports: needs Linux with the ip command",
            "Run the experiment there, or without local_ports.",
        )
    try:
        _unshare()
        subprocess.run(
            ["ip", "link", "set", "lo", "up"], check=True, capture_output=True, timeout=10
        )
        for name, value in settings(ports).items():
            (SETTINGS / name).write_text(value, encoding="ascii")
    except (OSError, subprocess.SubprocessError) as problem:
        raise UserError(
            f"local_ports: no network of its own ({problem})",
            "It needs the rights of root, or to run without local_ports.",
        ) from problem
    ask_from_own_address()


def settings(ports: LocalPorts) -> dict[str, str]:
    return {"ip_local_port_range": f"{ports.first} {ports.last}", "tcp_tw_reuse": "0"}


def _unshare() -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if library.unshare(CLONE_NEWNET) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
