"""What the tests of ticket and poster systems share: a checked client, and the services' memory."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

import httpx

from testbed.deploy.stack import Stack

from .conftest import PATIENCE_S
from .openapi import Document

CLIENTS = 8
HOSTILE = 1000
HOSTILE_IN_CHAINS = 250
"""A chain's first service decodes and refuses by the same code."""

GROWTH_MB = 64
"""What a service may take more while it refuses requests; one decoded image would be 2,700."""


def pause(seconds: float) -> None:
    """Wait in steps of 100 ms, so that a machine that stands still meanwhile adds to the wait."""
    for _ in range(round(10 * seconds)):
        time.sleep(0.1)


def address_of(stack: Stack) -> str:
    """Return the address of the front door."""
    return f"http://127.0.0.1:{stack.deployment.front_port}"


def checked_client(address: str, document: Document, prefix: str) -> httpx.Client:
    """Return a client of a front door; answers of paths with the prefix must fit the document."""

    def check(answer: httpx.Response) -> None:
        answer.read()
        if answer.request.url.path.startswith(prefix):
            document.check(answer)

    return httpx.Client(
        base_url=address,
        timeout=PATIENCE_S,
        trust_env=False,
        event_hooks={"response": [check]},
    )


def peak_mb(stack: Stack) -> dict[str, float]:
    """Return the most memory that each service has ever had."""
    peaks = {}
    for service in stack.record.running:
        for line in Path(f"/proc/{service.process.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                peaks[service.name] = int(line.split()[1]) / 1024
    return peaks


def assert_flat(before: Mapping[str, float], after: Mapping[str, float]) -> None:
    """Check that no service has taken more than `GROWTH_MB` between two calls of `peak_mb`."""
    assert {name for name in before if after[name] - before[name] > GROWTH_MB} == set(), (
        before,
        after,
    )
