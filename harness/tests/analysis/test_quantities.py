"""How the figures of runs are computed."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from testbed.analysis.quantities import share_over_runs
from testbed.analysis.statistics.intervals import wilson


def test_failures_in_bursts_are_as_uncertain_as_their_runs() -> None:
    share = share_over_runs([(0, 2000), (0, 2000), (120, 2000)])
    reach = stats.t.ppf(0.975, 2) * 0.06 / math.sqrt(3) / math.sqrt(3)
    assert share.estimate == pytest.approx(0.02)
    # Wilson's interval over the 6000 operations would be 1.7 to 2.4 %.
    assert (share.low, share.high) == pytest.approx((0, 0.02 + reach))
    assert share_over_runs([(0, 2000), (60, 2000)]).high > 0.2


def test_failures_that_runs_agree_on_keep_wilsons_interval() -> None:
    assert share_over_runs([(40, 2000)] * 3) == wilson(120, 6000)
    assert share_over_runs([(0, 2000)] * 3) == wilson(0, 6000)
    assert share_over_runs([(40, 2000)]) == wilson(40, 2000)
