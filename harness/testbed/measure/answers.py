"""Keeps what a user's own system answers: the reference server then answers the same."""

from __future__ import annotations

import contextlib
from pathlib import Path

import httpx

from testbed.deploy import services
from testbed.deploy.services import Deployment
from testbed.model import files, systems, values
from testbed.model.project import Project

TIMEOUT_S = 30.0

VARIABLES = {"${n}": "0", "${run}": "run"}
"""What stands in a body for JMeter's variables."""


def keep(project: Project, deployment: Deployment) -> None:
    """Send each request of a user's own system once, and keep the body of its answer.

    Without an answer nothing is kept: the load will show what is wrong.
    """
    system = systems.declaration(deployment.variant)
    with services.client(TIMEOUT_S, deployment.headers) as http:
        for name, request in system.requests.items():
            path = system.workloads[name]
            if request.csv is not None:
                first = values.read(Path(request.csv)).first
                path, request = values.fill(path, first), request.filled(first)
            body = request.sent.encode()
            if request.file is not None:
                body = Path(request.file).read_bytes()
            for variable, text in VARIABLES.items():
                body = body.replace(variable.encode(), text.encode())
            with contextlib.suppress(httpx.HTTPError):
                answer = http.request(
                    request.method,
                    deployment.front_url + path,
                    content=body or None,
                    headers=request.headers,
                )
                files.write(project.state / "answers" / f"{system.name}-{name}", answer.content)
