"""Reads and stores the Prometheus metrics of services."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx

from testbed.deploy import ports, services

PATH = "/actuator/prometheus"
TIMEOUT_S = 5.0


def ask(http: httpx.Client, endpoints: Mapping[str, int]) -> dict[str, str]:
    """Return the metrics of each service that answers, by name; ask all at once.

    `endpoints` has the port of each service, by name.
    """
    if not endpoints:
        return {}

    def answer_of(port: int) -> str | None:
        try:
            answer = http.get(f"http://{ports.LOOPBACK}:{port}{PATH}")
        except httpx.HTTPError:
            return None
        return answer.text if answer.status_code == httpx.codes.OK else None

    with ThreadPoolExecutor(len(endpoints)) as pool:
        texts = dict(zip(endpoints, pool.map(answer_of, endpoints.values()), strict=True))
    return {name: text for name, text in texts.items() if text is not None}


def keep(folder: Path, endpoints: Mapping[str, int]) -> list[str]:
    """Write each instance's metrics to ``INSTANCE.prom``; return the names of those that answered.

    The other services have no file. The folder is created if any service answers. `endpoints` has
    the port of each service, by name.
    """
    with services.client(TIMEOUT_S) as http:
        answered = ask(http, endpoints)
    if answered:
        folder.mkdir(parents=True, exist_ok=True)
    for name, text in answered.items():
        (folder / f"{name}.prom").write_text(text, encoding="utf-8")
    return sorted(answered)
