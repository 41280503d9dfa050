from __future__ import annotations

import os
import subprocess
import sys

import pytest

from testbed.deploy.processes import namespace
from testbed.experiment.parts import LocalPorts

SCRIPT = """
import socket
import httpx
from testbed.deploy import ports, services
from testbed.deploy.processes import namespace
from testbed.experiment.parts import LocalPorts
from testbed.model.errors import UserError
try:
    namespace.enter(LocalPorts(first=20000, last=20007))
except UserError as problem:
    raise SystemExit(f"refused: {problem.message}")
server = socket.create_server(("127.0.0.1", 8099))
clients = []
try:
    for _ in range(20):
        clients.append(socket.create_connection(("127.0.0.1", 8099)))
except OSError as problem:
    print(len(clients), problem.errno, min(c.getsockname()[1] for c in clients) // 10)
print(ports.accepts(8099))
with services.client(0.2) as http:
    try:
        http.get("http://127.0.0.1:8099/")
    except httpx.ReadTimeout:
        print("connected")
"""


def test_the_kernel_is_told_the_range_and_not_to_reuse_at_once() -> None:
    assert namespace.settings(LocalPorts(first=20000, last=20127)) == {
        "ip_local_port_range": "20000 20127",
        "tcp_tw_reuse": "0",
    }


@pytest.mark.skipif(sys.platform != "linux" or os.getuid() != 0, reason="needs Linux and root")
def test_connections_run_out_of_ports_there() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=30, check=False
    )
    if "refused: " in done.stderr:
        pytest.skip(done.stderr.strip())

    # EADDRNOTAVAIL after as many connections as there are ports.
    assert done.stdout.split()[:3] == ["8", "99", "2000"]
    # The harness asks all the same.
    assert done.stdout.split()[3:] == ["True", "connected"], done.stderr
