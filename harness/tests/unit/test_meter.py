from __future__ import annotations

from pathlib import Path

from testbed.deploy.meter import proportional_mb

ROLLUP = """\
555500000000-7fff00000000 ---p 00000000 00:00 0                          [rollup]
Rss:              300000 kB
Pss:              250000 kB
Pss_Anon:         200000 kB
"""


def test_proportional_memory_is_read_in_megabytes(tmp_path: Path) -> None:
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "smaps_rollup").write_text(ROLLUP)

    assert proportional_mb(7, tmp_path) == 256.0


def test_memory_that_is_not_readable_is_unknown(tmp_path: Path) -> None:
    assert proportional_mb(7, tmp_path) is None
    (tmp_path / "8").mkdir()
    (tmp_path / "8" / "smaps_rollup").write_text("")
    assert proportional_mb(8, tmp_path) is None
