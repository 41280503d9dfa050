"""Marks runs in Grafana, where dashboards show them by their tags.

It happens between runs and is part of none. Where there is no Grafana nothing is done, and one that
does not answer soon is left alone for the rest of the experiment.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import dotenv
import httpx

from testbed.deploy import compose
from testbed.experiment.schedule import CLOSED
from testbed.model.errors import UserError
from testbed.model.project import Project

PATH = "/api/annotations"
TIMEOUT_S = 1.0

TAG, RUN = "testbed", "run"
"""The tags that dashboards ask for."""


@dataclass(frozen=True)
class Grafana:
    """Where Grafana is.

    Parameters
    ----------
    url
        Its address, without a slash at the end.
    username, password
        Of an account that may write annotations.
    named
        Whether the user has named it, and so is told when nobody is there.
    """

    url: str
    username: str
    password: str
    named: bool

    @classmethod
    def find(cls, project: Project, environ: Mapping[str, str] = os.environ) -> Grafana | None:
        """Return where Grafana may be; None where the user wants none.

        Parameters
        ----------
        project
            Whose ``.env`` has what the environment does not: ``PORT_GRAFANA``,
            ``GRAFANA_USERNAME`` and ``GRAFANA_PASSWORD``.
        environ
            ``GRAFANA_URL`` names one elsewhere; empty, it names none.

        Raises
        ------
        UserError
            When a file of settings is missing, or a setting.
        """
        settings: dict[str, str] = {}
        for file in compose.env_files(project, environ):
            settings |= {name: value or "" for name, value in dotenv.dotenv_values(file).items()}
        settings |= environ
        named = settings.get("GRAFANA_URL")
        if named == "":
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
    """Marks one load after another.

    Parameters
    ----------
    grafana
        Where to; None for nowhere.
    notice
        Told once, in a line, why nothing is marked.
    """

    def __init__(self, grafana: Grafana | None, notice: Callable[[str], None]) -> None:
        self._grafana = grafana
        self._notice = notice

    def mark(self, name: str, record: Mapping[str, Any]) -> None:
        """Mark a run that has ended; never raises.

        Parameters
        ----------
        name
            Its name.
        record
            What is written down of it.
        """
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
                # It may still come: to be refused costs nothing.
                return
            problem = "cannot be reached"
        except httpx.TimeoutException:
            problem = f"does not answer within {TIMEOUT_S:g} s"
        except (httpx.HTTPError, httpx.InvalidURL) as other:
            problem = f"cannot be asked ({type(other).__name__})"
        self._grafana = None
        self._notice(f"runs are not marked: Grafana at {grafana.url} {problem}")


def annotation(name: str, record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a load as Grafana's HTTP API takes it: a region of time with tags.

    Parameters
    ----------
    name
        Its name.
    record
        What is written down of it.
    """
    unit = " threads" if record["mode"] == CLOSED else "/s"
    labels = {
        **{key: record[key] for key in ("system", "variant", "preset", "workload")},
        "level": f"{record['level']:g}{unit}",
    }
    return {
        "time": _milliseconds(record["started"]),
        "timeEnd": _milliseconds(record["finished"]),
        "tags": [
            TAG,
            RUN,
            *(f"{key}:{value}" for key, value in labels.items()),
        ],
        "text": name,
    }


def _milliseconds(moment: str) -> int:
    return round(datetime.fromisoformat(moment).timestamp() * 1000)
