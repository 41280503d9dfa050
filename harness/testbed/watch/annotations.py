"""Annotates runs in Grafana; dashboards find the annotations by their tags.

Annotations are written between runs. Without a Grafana nothing is done. A Grafana that does not
answer within `TIMEOUT_S` is not asked again in the experiment.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import httpx

from testbed.deploy import composefile
from testbed.experiment.runs import CLOSED
from testbed.model.errors import UserError
from testbed.model.project import Project

PATH = "/api/annotations"
TIMEOUT_S = 1.0

TAG, RUN = "testbed", "run"
"""The tags that dashboards query."""


@dataclass(frozen=True)
class Grafana:
    """The address and account of Grafana.

    `url` has no slash at the end. The account may write annotations. `named` tells whether the user
    set ``GRAFANA_URL``; only then is a refused connection reported.
    """

    url: str
    username: str
    password: str
    named: bool

    @classmethod
    def find(cls, project: Project, environ: Mapping[str, str] = os.environ) -> Grafana | None:
        """Return where Grafana may be; None if ``GRAFANA_URL`` is set but empty, or if an installed
        package is not given it.

        ``GRAFANA_URL`` names a Grafana elsewhere. ``PORT_GRAFANA``, ``GRAFANA_USERNAME`` and
        ``GRAFANA_PASSWORD`` come from the environment, else from the project's ``.env``. Raises
        `UserError` when a file of settings or a setting is missing.
        """
        settings = composefile.variables(project, environ)
        named = settings.get("GRAFANA_URL")
        if named == "" or (named is None and not project.is_checkout):
            return None
        try:
            return cls(
                url=(named or f"http://127.0.0.1:{settings['PORT_GRAFANA']}").rstrip("/"),
                username=settings["GRAFANA_USERNAME"],
                password=settings["GRAFANA_PASSWORD"],
                named=named is not None,
            )
        except KeyError as missing:
            raise UserError(
                f"{missing.args[0]} is set neither in the environment nor in .env"
            ) from None


class Annotations:
    """Annotates one run after another; does nothing if `grafana` is None.

    `notice` gets one line, once, on why runs are not annotated.
    """

    def __init__(self, grafana: Grafana | None, notice: Callable[[str], None]) -> None:
        self._grafana = grafana
        self._notice = notice

    def annotate(self, name: str, record: Mapping[str, Any]) -> None:
        """Annotate a run that has ended; never raises."""
        grafana = self._grafana
        if grafana is None:
            return
        try:
            answer = httpx.post(
                grafana.url + PATH,
                json=annotation(name, record),
                auth=(grafana.username, grafana.password),
                timeout=TIMEOUT_S,
                trust_env=False,
            )
            if answer.is_success:
                return
            problem = f"answers {answer.status_code}"
        except httpx.ConnectError:
            if not grafana.named:
                # Grafana may start later, and a refused connection costs nothing.
                return
            problem = "cannot be reached"
        except httpx.TimeoutException:
            problem = f"does not answer within {TIMEOUT_S:g} s"
        except (httpx.HTTPError, httpx.InvalidURL) as other:
            problem = f"cannot be asked ({type(other).__name__})"
        self._grafana = None
        self._notice(f"runs are not annotated: Grafana at {grafana.url} {problem}")


def annotation(name: str, record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a run as Grafana's HTTP API takes it: a time region with tags."""
    unit = " threads" if record["mode"] == CLOSED else "/s"
    labels = {
        **{key: record[key] for key in ("system", "variant", "preset", "workload")},
        "level": f"{record['level']:g}{unit}",
    }
    return {
        "time": _milliseconds(record["started"]),
        "timeEnd": _milliseconds(record["finished"]),
        "tags": [TAG, RUN, *(f"{key}:{value}" for key, value in labels.items())],
        "text": name,
    }


def _milliseconds(moment: str) -> int:
    return round(datetime.fromisoformat(moment).timestamp() * 1000)
