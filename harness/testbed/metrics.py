"""Keeps what the services say of themselves, as Prometheus would read it."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx

from testbed import ports

PATH = "/actuator/prometheus"
TIMEOUT_S = 5.0


def keep(folder: Path, endpoints: Mapping[str, int]) -> list[str]:
    """Write the metrics of each service to ``SERVICE.prom``.

    Parameters
    ----------
    folder
        Where to; made if any service answers.
    endpoints
        The port of each service, by its name.

    Returns
    -------
    list of str
        The services that answered; of the others there is no file.
    """
    if not endpoints:
        return []
    with (
        httpx.Client(timeout=TIMEOUT_S, trust_env=False, verify=False) as client,
        ThreadPoolExecutor(len(endpoints)) as pool,
    ):

        def ask(port: int) -> str | None:
            try:
                answer = client.get(f"http://{ports.LOOPBACK}:{port}{PATH}")
            except httpx.HTTPError:
                return None
            return answer.text if answer.status_code == httpx.codes.OK else None

        texts = dict(zip(endpoints, pool.map(ask, endpoints.values()), strict=True))
    answered = {name: text for name, text in texts.items() if text is not None}
    if answered:
        folder.mkdir(parents=True, exist_ok=True)
    for name, text in answered.items():
        (folder / f"{name}.prom").write_text(text, encoding="utf-8")
    return sorted(answered)
