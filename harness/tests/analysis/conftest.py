"""What the analysis tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .synthetic import write_results

PROJECT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small results directory; tests must not write into it."""
    return write_results(tmp_path_factory.mktemp("comparison"))


@pytest.fixture(scope="session")
def reference() -> Path:
    """The thesis's own result files, which are not part of the project."""
    folder = Path(os.environ.get("TESTBED_REFERENCE", PROJECT.parent / "shared" / "reference"))
    if not (folder / "thesis-measured.csv").is_file():
        pytest.skip(f"no sample files in {folder}; name their folder with TESTBED_REFERENCE")
    return folder
