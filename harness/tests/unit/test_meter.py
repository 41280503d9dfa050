from __future__ import annotations

from pathlib import Path

from testbed.deploy.meter import descendants, proportional_mb

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


def test_descendants_are_those_of_each_thread_and_of_each_child(tmp_path: Path) -> None:
    for place, children in {"7/task/7": "8 ", "7/task/9": "10 ", "8/task/8": "11 "}.items():
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "children").write_text(children)

    assert sorted(descendants(7, tmp_path)) == [8, 10, 11]
    assert descendants(10, tmp_path) == []
