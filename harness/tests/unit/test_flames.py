from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from testbed.analysis import flames

PRINTED = """
jdk.CPUTimeSample {
  startTime = 10:00:00.000 (2026-11-23)
  stackTrace = [
    java.util.HashMap.get(Object) line: 564
    shop.Store$$Lambda.0x00000008012345.apply(Object) line: 5
    shop.Store.<init>() line: 4
  ]
  eventThread = "x" (javaThreadId = 1)
}

jdk.CPUTimeSample {
  stackTrace = [
    shop.Store.<init>() line: 4
  ]
}

jdk.CPUTimeSample {
  stackTrace = null
}
"""


def test_stacks_begin_with_the_service_and_end_with_the_method() -> None:
    assert flames.stacks(PRINTED.splitlines(), "shop-service") == {
        (
            *("shop-service", "shop.Store.<init>", "shop.Store$$Lambda.apply"),
            "java.util.HashMap.get",
        ): 1,
        ("shop-service", "shop.Store.<init>"): 1,
    }


def test_the_hottest_methods_are_those_with_samples_of_their_own() -> None:
    counted = {("a", "x", "y"): 6, ("a", "x"): 3, ("b", "y"): 1}

    assert flames.hottest(counted) == [("y", 0.7), ("x", pytest.approx(0.3))]
    assert flames.hottest(counted, 1) == [("y", 0.7)]


def test_a_frame_is_as_wide_as_its_share_and_stands_on_its_caller() -> None:
    picture = flames.svg({("a", "x<1>", "y"): 6, ("a", "z"): 3, ("b",): 1}, "profile & co")
    space = "{http://www.w3.org/2000/svg}"
    root = ET.fromstring(picture)
    frames = {
        group.findtext(f"{space}title"): group.find(f"{space}rect")
        for group in root.iter(f"{space}g")
    }
    widths, tops = (
        {name: float(frame.attrib[key]) for name, frame in frames.items() if frame is not None}
        for key in ("width", "y")
    )

    assert set(frames) == {"a, 90.0 %", "x<1>, 60.0 %", "y, 60.0 %", "z, 30.0 %", "b, 10.0 %"}
    assert widths["a, 90.0 %"] == pytest.approx(0.9 * flames.WIDTH, abs=1)
    assert tops["a, 90.0 %"] == tops["b, 10.0 %"] > tops["z, 30.0 %"] == tops["x<1>, 60.0 %"]
    assert root.findtext(f"{space}text") == "profile & co, 10 samples"


def test_a_frame_that_is_too_narrow_is_left_out() -> None:
    picture = flames.svg({("a", "x"): 100_000, ("a", "y"): 1}, "x")

    assert ">x, 100.0 %<" in picture
    assert "y, 0.0 %" not in picture
