"""Requests that are made up from the OpenAPI document are answered as it says.

``TESTBED_FUZZ_CASES`` is the number of random requests to each operation. If it is set, chains of
requests that use what was answered before follow.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .conftest import START_LIMIT_S
from .fuzz import fuzz
from .product import Product

ASKED_FOR = os.environ.get("TESTBED_FUZZ_CASES")
CASES = int(ASKED_FOR or 50)


@pytest.mark.timeout(START_LIMIT_S + 30 * CASES)
def test_made_up_requests_are_answered_as_documented(product: Product, tmp_path: Path) -> None:
    fuzzed = fuzz(product, tmp_path, CASES, chains=ASKED_FOR is not None)

    assert not fuzzed.wrong, fuzzed.wrong
    assert fuzzed.requests >= CASES
