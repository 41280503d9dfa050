"""Requests that are made up from the OpenAPI document are answered as it says.

``TESTBED_FUZZ_CASES`` is the number of random requests to each operation. If it is set, chains of
requests that use what was answered before follow.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .accounts import ADMINISTRATOR
from .product import Product

ASKED_FOR = os.environ.get("TESTBED_FUZZ_CASES")
CASES = int(ASKED_FOR or 50)
PHASES = ("examples", "coverage", "fuzzing", *(["stateful"] if ASKED_FOR else []))
SEED = 1

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "unsupported_method",
    "allow_header_conformance",
)
SETTINGS = """
[checks.not_a_server_error]
# 503 and 504 are documented: what a service needs does not answer.
expected-statuses = ["2xx", "3xx", "4xx", "503", "504"]

[dictionaries.cinemas]
values = ["cineworld", "dundrum", "ucd"]

[parameters]
# Else no cinema would be there.
"path.cinema" = { dictionary = "cinemas", probability = 0.8 }
"""


@pytest.mark.timeout(360 + 3 * CASES)
def test_made_up_requests_are_answered_as_documented(product: Product, tmp_path: Path) -> None:
    settings = tmp_path / "schemathesis.toml"
    settings.write_text(SETTINGS, encoding="utf-8")
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(settings)]
    command += ["run", f"{product.base_url}/openapi.yaml", "--url", product.base_url]
    command += ["--auth", ":".join(ADMINISTRATOR)]
    command += ["--checks", ",".join(CHECKS), "--phases", ",".join(PHASES), "--tls-verify", "false"]
    command += ["--max-examples", str(CASES), "--seed", str(SEED), "--generation-database", "none"]
    # They wait on purpose, and open the circuit breaker.
    command += ["--exclude-path-regex", "/delay/", "--no-color"]

    # In a folder of its own, as it leaves files behind.
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
