"""Whatever is asked, the answer is one that the OpenAPI document has."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract.fuzz import fuzz
from contract.product import Product

from .recording import Progress, Sized


@pytest.mark.promise(
    "every-answer-matches",
    "Every request gets an answer that the OpenAPI document has, and never an unexpected error.",
)
def test_every_answer_matches(
    product: Product, tmp_path: Path, figures: dict[str, str], progress: Progress, sized: Sized
) -> None:
    """Each operation gets made-up requests, valid ones and others. Then chains of requests follow
    the document's links: a reservation is made, then fetched or read. Status, headers and body of
    each answer are checked. 503 and 504 are documented and allowed; 500 is not."""
    cases = sized(1000, 10)
    progress(f"sending {cases:,} made-up requests to each operation")
    fuzzed = fuzz(product, tmp_path, cases, chains=True)
    figures["requests"] = f"{fuzzed.requests:,}"
    figures["links"] = fuzzed.links
    assert not fuzzed.wrong, fuzzed.wrong
    assert not fuzzed.links.startswith("0"), "no link was followed"
