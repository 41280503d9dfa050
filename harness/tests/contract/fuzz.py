"""Asks a running system with requests that are made up from its OpenAPI document."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .accounts import ADMINISTRATOR
from .product import Product

PHASES = ("examples", "coverage", "fuzzing")
CHAINS = "stateful"
"""The phase that follows the document's links: an answer gives the parameters of a request."""

SEED = 1

# Not negative_data_rejection: parameters that no document has are ignored, as is usual.
CHECKS = (
    "not_a_server_error",
    "positive_data_acceptance",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "unsupported_method",
    "allow_header_conformance",
    "ensure_resource_availability",
)
SETTINGS = """
[checks.not_a_server_error]
# 503 and 504 are documented: what a service needs does not answer.
expected-statuses = ["2xx", "3xx", "4xx", "503", "504"]

[checks.positive_data_acceptance]
# 404, 409, 410 and 422 are about what is stored, the others about the client or the moment.
expected-statuses = ["2xx", "3xx", "401", "403", "404", "409", "410", "422", "429", "503", "504"]

[dictionaries]
amounts = { values = [0, 9.5, 30.25, 999999999.99] }
cinemas = { values = ["cineworld", "dundrum", "ucd"] }
movies = { values = ["CNW001", "MAD001", "UCD001"] }
times = { values = ["18:00", "10:30", "10:15"] }

[parameters]
# Else no cinema would be there, and no reservation would be made.
"path.cinema" = { dictionary = "cinemas", probability = 0.8 }
# "At most two decimals" cannot be told by multipleOf, which takes 19.99 for no multiple of 0.01.
"body.amount" = { dictionary = "amounts", probability = 1.0 }
"body.movieId" = { dictionary = "movies", probability = 0.8 }
"body.showTime" = { dictionary = "times", probability = 0.8 }
"""
HOOKS = """
import schemathesis


@schemathesis.deserializer("text/plain")
def text(_, response):
    return response.content.decode()
"""
"""Correlation ids are plain text, which Schemathesis does not read by itself."""


@dataclass(frozen=True)
class Fuzzed:
    """How a system has answered made-up requests.

    `wrong` tells each answer that is not as documented; empty if there is none. `links` is how many
    of the document's links were followed, such as ``2 covered / 2 selected``.
    """

    requests: int
    links: str
    wrong: str


def fuzz(product: Product, folder: Path, cases: int, *, chains: bool) -> Fuzzed:
    """Send each operation so many made-up requests; with `chains`, follow links as often.

    `folder` is for files of the tool.
    """
    (folder / "schemathesis.toml").write_text(SETTINGS, encoding="utf-8")
    (folder / "reading_text.py").write_text(HOOKS, encoding="utf-8")
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", "schemathesis.toml"]
    command += ["run", f"{product.base_url}/openapi.yaml", "--url", product.base_url]
    command += ["--auth", ":".join(ADMINISTRATOR)]
    command += ["--request-timeout", "60"]
    command += ["--checks", ",".join(CHECKS), "--tls-verify", "false", "--no-color"]
    command += ["--phases", ",".join([*PHASES, *([CHAINS] if chains else [])])]
    command += ["--max-examples", str(cases), "--seed", str(SEED), "--generation-database", "none"]
    # They wait on purpose, and open the circuit breaker.
    command += ["--exclude-path-regex", "/delay/"]
    done = subprocess.run(
        command,
        # Of its own, as it leaves files behind.
        cwd=folder,
        env={**os.environ, "SCHEMATHESIS_HOOKS": "reading_text", "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    output = done.stdout + done.stderr
    return Fuzzed(
        requests=int(_found(r"(\d+) generated", output)),
        links=_found(r"\d+ covered / \d+ selected", output),
        wrong="" if done.returncode == 0 else _failures(output),
    )


def _failures(output: str) -> str:
    """Return the failures, which begin with an operation; all that was told if they are not found.

    The first line is the reason of a broken promise.
    """
    return re.split(r"^=+ FAILURES =+\n_* *", output, maxsplit=1, flags=re.MULTILINE)[-1]


def _found(pattern: str, text: str) -> str:
    matches: Sequence[str] = re.findall(pattern, text)
    return matches[-1] if matches else "0"
