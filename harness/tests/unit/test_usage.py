from __future__ import annotations

import csv
import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from testbed import usage
from testbed.meter import Meters, ProcessMeter
from testbed.processes import ProcessId


def rows_of(file: Path) -> list[dict[str, str]]:
    with file.open(newline="") as lines:
        return list(csv.DictReader(lines))


def test_a_process_that_works_is_seen_to(tmp_path: Path) -> None:
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        meter = ProcessMeter({"busy": ProcessId.of(busy.pid), "self": ProcessId.of(os.getpid())})
        with usage.recording(tmp_path / "usage.csv", meter, every_s=0.1):
            time.sleep(1)
            # Other processes want the same cores.
            deadline = time.monotonic() + 30
            while meter.read()["busy"].cpu_s < 0.5 and time.monotonic() < deadline:
                time.sleep(0.1)
    finally:
        busy.kill()
        busy.wait()
    rows = [row for row in rows_of(tmp_path / "usage.csv") if row["service"] == "busy"]

    assert tuple(rows[0]) == usage.HEADER
    assert len(rows) >= 3
    used = float(rows[-1]["cpu_s"]) - float(rows[0]["cpu_s"])
    assert 0.1 < used <= float(rows[-1]["time_s"]) - float(rows[0]["time_s"]) + 0.1
    # The first reading may be of a process that has only just begun.
    assert float(rows[-1]["rss_mb"]) > 1


def test_a_process_that_ended_is_left_out(tmp_path: Path) -> None:
    short = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    meter = ProcessMeter({"short": ProcessId.of(short.pid)})
    assert set(meter.read()) == {"short"}
    short.kill()
    psutil.Process(short.pid)
    short.wait()

    assert meter.read() == {}


def test_several_meters_read_as_one() -> None:
    own = ProcessId.of(os.getpid())

    assert set(Meters((ProcessMeter({"a": own}), ProcessMeter({"b": own}))).read()) == {"a", "b"}


def test_a_process_is_looked_for_once_and_not_at_every_reading(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked_for: list[ProcessId] = []
    find = ProcessId.find

    def counted(one: ProcessId) -> psutil.Process | None:
        looked_for.append(one)
        return find(one)

    monkeypatch.setattr(ProcessId, "find", counted)
    own = ProcessId.of(os.getpid())
    meter = ProcessMeter({"own": own})

    assert all(set(meter.read()) == {"own"} for _ in range(3))
    assert looked_for == [own]


def test_an_error_in_the_body_is_not_hidden(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="mine"), usage.recording(tmp_path / "u.csv", Meters(())):
        raise ValueError("mine")
