"""False decisions are counted over all published results, and the page says how many."""

from __future__ import annotations

import pytest
from scipy import stats

from testbed.analysis import nulls
from testbed.analysis.nulls import NullFamily
from testbed.experiment import reading
from testbed.model.errors import UserError
from testbed.model.project import Project

from .conftest import PROJECT

DECLARED = """
name: mine
systems: {left: {variant: sync}, right: {variant: sync}}
workloads: [list]
threads: [10]
loops: 10
nulls: [NULL]
"""


def test_the_page_of_the_method_has_the_rate_of_false_decisions() -> None:
    families = nulls.null_families(Project(PROJECT, PROJECT / ".testbed"))
    assert {family.folder for family in families} >= {"aa", "two-generators", "growth-stored"}
    text = " ".join((PROJECT / "docs" / "method.md").read_text(encoding="utf-8").split())
    assert nulls.words(families) in text


def test_a_family_is_false_if_one_of_its_cells_is() -> None:
    families = [
        NullFamily("a", "x", "y", figure, 4, false)
        for figure, false in zip("pqr", (0, 3, 0), strict=True)
    ]
    rate = nulls.false_rate(families)
    low, high = stats.beta.ppf([0.025, 0.975], [1, 2], [3, 2])
    assert (rate.estimate, rate.low, rate.high) == pytest.approx((1 / 3, low, high))
    assert nulls.words(families).startswith("1 of 3 null families have a false decision (1 to 91 %")


@pytest.mark.parametrize(
    ("null", "message"),
    [
        ("{system: left}", "nulls: 'left' is compared with no reference; choose from: right"),
        ("{system: right, workloads: [reserve]}", "nulls: 'reserve' is not measured"),
        ("{system: right}", ""),
    ],
)
def test_a_null_is_of_a_comparison_that_is_measured(null: str, message: str) -> None:
    text = DECLARED.replace("NULL", null)
    if not message:
        assert reading.parse(text, "mine").nulls[0].system == "right"
        return
    with pytest.raises(UserError, match=message):
        reading.parse(text, "mine")
