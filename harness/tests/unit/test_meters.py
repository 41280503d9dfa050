"""Nothing of ours depends on what other people's meters and files get wrong."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

from testbed.analysis import samples
from testbed.analysis.results import Cell
from testbed.model.project import Project

ROOT = Project.find().root
METER = re.compile(r'(?:Counter|Timer|Gauge|DistributionSummary)\s*\.builder\(\s*"([\w.]+)"')


def texts(*patterns: str) -> dict[Path, str]:
    files = [file for pattern in patterns for file in ROOT.glob(pattern)]
    assert files
    return {file: file.read_text(encoding="utf-8") for file in files}


def test_no_meter_has_a_name_that_prometheus_renames_or_drops() -> None:
    names = {
        name for text in texts("*/src/main/**/*.java").values() for name in METER.findall(text)
    }
    assert "http.server.requests" in names
    assert not {name for name in names if re.search(r"[._](created|total|info|bucket)$", name)}


@pytest.mark.parametrize(
    ("patterns", "used"),
    [
        # Micrometer's lie below every sample; buckets give quantiles that can be added up.
        (("*/src/main/**/*.java",), r"publishPercentiles\("),
        (("*/src/main/resources/*.yml", "presets/**/*.jvm"), r"(?<!-)\bpercentiles:"),
        (("grafana/dashboards/*.json", "prometheus/rules/*.yml"), r"\bquantile\s*=~?"),
        # JMeter's is 0 for answers without a body.
        (("harness/testbed/analysis/**/*.py", "harness/testbed/measure/**/*.py"), r"[\"']Latency"),
        (("harness/testbed/watch/**/*.py", "analysis/*.ipynb"), r"[\"']Latency"),
    ],
)
def test_figures_that_mislead_are_not_used(patterns: tuple[str, ...], used: str) -> None:
    misleading = {
        str(file.relative_to(ROOT))
        for file, text in texts(
            *(pattern for pattern in patterns if list(ROOT.glob(pattern)))
        ).items()
        if re.search(used, text)
    }
    assert not misleading


def test_bytes_of_refused_requests_change_nothing() -> None:
    """JMeter records a stack trace as the answer of a request that was refused."""

    def succeeded(refused_bytes: int) -> list[bool]:
        rows = pl.DataFrame(
            {"ok": [True, True, False], "bytes": [900, 910, refused_bytes], "failure": ""}
        )
        cell = Cell("sync", "list", "tuned", "embedded", 10)
        return samples._without_partial(rows, cell)["ok"].to_list()

    assert succeeded(0) == succeeded(5_000_000) == [True, True, False]
