"""A network of its own for an experiment, with few ports for connections to choose from."""

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
    """Move this process, and what it starts from now on, to a network that has a loopback only.

    Nothing outside is reached from there, and nothing there from outside. Connections have the
    given ports to choose from, and a closed one keeps its port for a minute, as it does between
    machines (within one machine Linux would reuse it after a second). The harness asks from an
    address of its own, so that it finds the services when they have used their ports up.

    Raises
    ------
    UserError
        When the system cannot or may not do that.
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
    """Return the kernel's settings under ``net.ipv4``."""
    return {"ip_local_port_range": f"{ports.first} {ports.last}", "tcp_tw_reuse": "0"}


def _unshare() -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if library.unshare(CLONE_NEWNET) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
