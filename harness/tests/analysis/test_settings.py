"""Settings that are varied."""

from __future__ import annotations

from pathlib import Path

from testbed.analysis.figures import levels
from testbed.analysis.samples import load
from testbed.analysis.settings import varied_settings
from testbed.analysis.studies import by_system
from testbed.analysis.verdicts import judge_all

from .synthetic import write_run


def test_settings_that_are_varied_make_a_curve(tmp_path: Path) -> None:
    for pause, share in ((0, 0.5), (10, 0.2), (50, 0.0)):
        write_run(
            tmp_path / str(pause),
            variant="async",
            preset="thesis",
            failures={"not_ready": share} if share else None,
            record={"system": f"async-{pause}", "settings": {"pause": str(pause), "fetch": "once"}},
        )
        made = tmp_path / str(pause) / "runs" / "async-list-thesis-010-1"
        (tmp_path / "runs").mkdir(exist_ok=True)
        made.rename(tmp_path / "runs" / f"async-{pause}-1")
    judged = judge_all(load(tmp_path))
    (points,) = varied_settings(by_system(judged.used.measurements)).values()
    assert sorted((point.value, round(point.failed.estimate, 1)) for point in points) == [
        (0, 0.5),
        (10, 0.2),
        (50, 0.0),
    ]
    (plate,) = levels.by_setting(judged)
    assert plate.name == "by-setting-list-thesis-embedded-pause"
