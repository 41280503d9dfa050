"""Statistics of the report: pure functions, each with the source of its formula.

The run is the statistical unit. Within a run response times are autocorrelated, so that their
number says little about how well they are known; `batch_means` is for statements about one run,
`ratio_intervals` for statements about variants.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike
from scipy import optimize, stats

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval.

    Parameters
    ----------
    estimate, low, high
        In the unit of what is estimated.
    confidence
        Between 0 and 1.
    """

    estimate: float
    low: float
    high: float
    confidence: float = CONFIDENCE

    def contains(self, value: float) -> bool:
        """Return whether a value is compatible with the data."""
        return self.low <= value <= self.high


@dataclass(frozen=True)
class Trend:
    """A least-squares line ``slope * x + intercept`` and Pearson's correlation ``r``."""

    slope: float
    intercept: float
    r: float


def linear_trend(x: ArrayLike, y: ArrayLike) -> Trend:
    """Fit a straight line by least squares and correlate.

    Parameters
    ----------
    x, y
        Equally long, at least three points, neither of them constant.

    Raises
    ------
    ValueError
        If there are fewer than three points, for which r says nothing, or one side is constant.

    Notes
    -----
    r near 1 says that the points lie near a rising line, not that a system scales: it is reported
    because the thesis does (sections 4.3.3 and 5.3.3).
    """
    xs, ys = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if xs.shape != ys.shape or xs.ndim != 1 or xs.size < 3:
        raise ValueError(f"needs at least 3 points (x, y), got shapes {xs.shape} and {ys.shape}")
    if np.ptp(xs) == 0 or np.ptp(ys) == 0:
        raise ValueError("a correlation needs x and y that vary")
    dx, dy = xs - xs.mean(), ys - ys.mean()
    slope = float(dx @ dy / (dx @ dx))
    return Trend(
        slope=slope,
        intercept=float(ys.mean() - slope * xs.mean()),
        r=float(dx @ dy / np.sqrt((dx @ dx) * (dy @ dy))),
    )


def batch_means(values: ArrayLike, size: int = 1000, *, confidence: float = CONFIDENCE) -> Interval:
    """Return a confidence interval of the mean of autocorrelated observations of one run.

    Parameters
    ----------
    values
        Observations in order, shape (n,); an incomplete last batch is left out.
    size
        Observations per batch; 1000 as in Akbulut and Perros (2019).

    Returns
    -------
    Interval
        In the unit of ``values``.

    Raises
    ------
    ValueError
        If there are fewer than two batches.

    Notes
    -----
    With b batch means of variance s², the interval is mean ± t(b-1) · s / sqrt(b). Source: Law,
    Simulation Modeling and Analysis, 5th ed., section 9.5.3.
    """
    observed = np.asarray(values, dtype=float)
    batches = observed.size // size
    if batches < 2:
        raise ValueError(
            f"batch means need at least 2 batches of {size}, got {observed.size} observations"
        )
    means = observed[: batches * size].reshape(batches, size).mean(axis=1)
    centre = float(means.mean())
    error = float(means.std(ddof=1)) / math.sqrt(batches)
    reach = float(stats.t.ppf((1 + confidence) / 2, batches - 1)) * error
    return Interval(centre, centre - reach, centre + reach, confidence)


@dataclass(frozen=True)
class Truncation:
    """Where the warm-up of a run ends.

    Parameters
    ----------
    cut
        Observations to leave out from the start.
    observations
        Of the whole run.
    """

    cut: int
    observations: int

    @property
    def steady(self) -> bool:
        """Whether the run has a steady part: at most half of it is warm-up."""
        return 2 * self.cut <= self.observations


def mser5(values: ArrayLike) -> Truncation:
    """Find the end of the warm-up by the marginal standard error rule on batches of five.

    Parameters
    ----------
    values
        Observations in order, shape (n,), n at least 50.

    Raises
    ------
    ValueError
        If there are fewer than 50 observations.

    Notes
    -----
    Of the k means of five observations, the first d are cut that minimise
    ``sum((Y[d:] - mean(Y[d:]))²) / (k - d)²``. The last five candidates are left out, where a few
    means that happen to be alike would win. Sources: White, Simulation 69(6), 1997; Hoad, Robinson
    and Davies, Journal of the Operational Research Society 61(9), 2010.
    """
    observed = np.asarray(values, dtype=float)
    if observed.size < 50:
        raise ValueError(f"MSER-5 needs at least 50 observations, got {observed.size}")
    count = observed.size // 5
    means = observed[: count * 5].reshape(count, 5).mean(axis=1)
    means -= means.mean()
    left = np.arange(count, 0, -1)
    total = np.cumsum(means[::-1])[::-1]
    squares = np.cumsum(means[::-1] ** 2)[::-1]
    rule = (squares - total**2 / left) / left**2
    return Truncation(cut=5 * int(np.argmin(rule[: count - 5])), observations=observed.size)


def ratio_intervals(
    numerator: Sequence[ArrayLike],
    denominator: Sequence[ArrayLike],
    quantiles: Sequence[float | None] = (None,),
    *,
    confidence: float = CONFIDENCE,
    resamples: int = 4000,
    seed: int = 1,
) -> list[Interval]:
    """Return intervals of ratios of two variants by a hierarchical bootstrap over runs.

    Parameters
    ----------
    numerator, denominator
        One array of observations per run (response times in ms), at least two runs each. A figure
        that a run has one of, such as its goodput, is an array of length one.
    quantiles
        What to compare: quantiles, between 0 and 1, and for None the mean.
    resamples
        Bootstrap samples.
    seed
        Of the generator, so that the same data give the same intervals.

    Returns
    -------
    list of Interval
        Of numerator ÷ denominator, without unit, one for each of ``quantiles``; each holds by
        itself, not all of them at once.

    Raises
    ------
    ValueError
        If a side has fewer than two runs, or a run no observations.

    Notes
    -----
    Each bootstrap sample draws runs with replacement, then operations within each drawn run with
    replacement, pools them, and forms the ratio (Kalibera and Jones, Rigorous benchmarking in
    reasonable time, ISMM 2013). Drawing n operations is drawing how often each distinct time
    occurs, which is multinomial: the result is the same and the cost is that of the distinct times.
    Percentile intervals of few runs are too narrow; they are widened as Hesterberg proposes (What
    teachers should know about the bootstrap, The American Statistician 69(4), 2015: the expanded
    percentile interval), by Student's t and the bias of the bootstrap's variance. In simulation
    95 % intervals of log-normal figures then miss the truth in 10 % of cases with 3 runs of each
    side, in 6 % with 5 and in 5 % with 10.
    """
    rng = np.random.default_rng(seed)
    above, below = (_Pool.of(runs) for runs in (numerator, denominator))
    tail = _expanded_tail(confidence, above.runs, below.runs)
    drawn = above.resampled(rng, resamples), below.resampled(rng, resamples)
    intervals = []
    for quantile in quantiles:
        ratios = drawn[0].figures(quantile) / drawn[1].figures(quantile)
        low, high = np.quantile(ratios, [tail, 1 - tail])
        observed = above.pooled.figures(quantile) / below.pooled.figures(quantile)
        intervals.append(Interval(float(observed[0]), float(low), float(high), confidence))
    return intervals


@dataclass(frozen=True)
class _Pool:
    """Sets of observations, as how often each distinct value occurs in each.

    ``values`` has shape (k,), ascending; ``counts`` has shape (sets, k).
    """

    values: Floats
    counts: Counts

    @classmethod
    def of(cls, runs: Sequence[ArrayLike]) -> _Pool:
        """Count the observations of each run."""
        observed = [np.asarray(run, dtype=float).ravel() for run in runs]
        if len(observed) < 2:
            raise ValueError(f"an interval over runs needs at least 2 runs, got {len(observed)}")
        if not all(run.size for run in observed):
            raise ValueError("a run has no observations")
        values = np.unique(np.concatenate(observed))
        counts = [
            np.bincount(np.searchsorted(values, run), minlength=values.size) for run in observed
        ]
        return cls(values, np.stack(counts))

    @property
    def runs(self) -> int:
        return len(self.counts)

    @property
    def pooled(self) -> _Pool:
        """All observations as one set."""
        return _Pool(self.values, self.counts.sum(axis=0, keepdims=True))

    def resampled(self, rng: np.random.Generator, resamples: int) -> _Pool:
        """Return bootstrap samples, each one set: runs drawn, and observations within them."""
        sizes = self.counts.sum(axis=1)
        chosen = rng.integers(self.runs, size=(resamples, self.runs))
        drawn = np.zeros((resamples, self.values.size), dtype=np.int64)
        for run in range(self.runs):
            times = (chosen == run).sum(axis=1)
            drawn += rng.multinomial(times * sizes[run], self.counts[run] / sizes[run])
        return _Pool(self.values, drawn)

    def figures(self, quantile: float | None) -> Floats:
        """Return the mean, or the linearly interpolated quantile, of each set, shape (sets,)."""
        sizes = self.counts.sum(axis=1)
        if quantile is None:
            means: Floats = self.counts @ self.values / sizes
            return means
        position = (sizes - 1) * quantile
        reached = self.counts.cumsum(axis=1)
        below, above = (
            self.values[(reached > place[:, None]).argmax(axis=1)]
            for place in (np.floor(position), np.ceil(position))
        )
        interpolated: Floats = below + (position - np.floor(position)) * (above - below)
        return interpolated


def _expanded_tail(confidence: float, *runs: int) -> float:
    """Return the tail probability of the expanded percentile interval of a comparison."""
    fewest = min(runs)
    t = stats.t.ppf((1 + confidence) / 2, sum(runs) - len(runs))
    return float(stats.norm.cdf(-math.sqrt(fewest / (fewest - 1)) * t))


def wilson(successes: int, trials: int, *, confidence: float = CONFIDENCE) -> Interval:
    """Return Wilson's score interval of a share.

    Parameters
    ----------
    successes, trials
        Counts, ``0 <= successes <= trials``, at least one trial.

    Returns
    -------
    Interval
        Of the share, within 0 to 1. It holds for independent trials; failures that come in bursts
        are less well known than it says.

    Raises
    ------
    ValueError
        If the counts are no counts of a share.

    Notes
    -----
    Source: Wilson, Journal of the American Statistical Association 22, 1927.
    """
    if not 0 <= successes <= trials or trials == 0:
        raise ValueError(f"no share: {successes} of {trials}")
    share = successes / trials
    z2 = float(stats.norm.ppf((1 + confidence) / 2)) ** 2
    centre = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    reach = math.sqrt(z2 * (share * (1 - share) / trials + z2 / (4 * trials**2))) / (
        1 + z2 / trials
    )
    low = 0.0 if successes == 0 else centre - reach
    high = 1.0 if successes == trials else centre + reach
    return Interval(share, low, high, confidence)


Band = Literal["high", "low", "not efficient"]


def efficiency(levels: ArrayLike, response: ArrayLike) -> Floats:
    """Return the efficiency of each level, in percent.

    Parameters
    ----------
    levels
        Threads, ascending, shape (n,).
    response
        Mean or percentile of the response time at each level, shape (n,), positive.

    Returns
    -------
    array
        ``E_i = 100 · R_b · i / (b · R_i)``, shape (n,), where b is the first level. With b = 1 this
        is the efficiency of Akbulut and Perros (IEEE Internet Computing 23(6), 2019, equations 1
        and 2); with another first level it is relative to that level.

    Raises
    ------
    ValueError
        If the shapes differ, the levels do not ascend or a response time is not positive.
    """
    threads, times = np.asarray(levels, dtype=float), np.asarray(response, dtype=float)
    if threads.shape != times.shape or threads.ndim != 1 or not threads.size:
        raise ValueError(f"needs as many levels as times, got {threads.shape} and {times.shape}")
    if threads[0] <= 0 or np.any(np.diff(threads) <= 0) or np.any(times <= 0):
        raise ValueError("needs ascending positive levels and positive response times")
    percents: Floats = 100 * (times[0] / threads[0]) * threads / times
    return percents


def efficiency_band(percent: float) -> Band:
    """Return the band of an efficiency in percent (Akbulut and Perros 2019): 100 and 75 divide."""
    if percent >= 100:
        return "high"
    return "low" if percent >= 75 else "not efficient"


@dataclass(frozen=True)
class Scalability:
    """A fitted Universal Scalability Law.

    Parameters
    ----------
    rate
        Throughput of one thread, operations/s (λ).
    contention
        Share of the work that is serial (σ), 0 or more.
    coherency
        Cost of keeping threads consistent with one another (κ), 0 or more.
    levels
        Lowest and highest level of the fit; the law is not to be used outside of them.
    residual
        Standard deviation of the residuals, operations/s.
    """

    rate: Interval
    contention: Interval
    coherency: Interval
    levels: tuple[float, float]
    residual: float

    @property
    def peak(self) -> float | None:
        """Level of the highest throughput, None where the fit has none within its levels."""
        if self.coherency.estimate <= 0 or self.contention.estimate >= 1:
            return None
        level = math.sqrt((1 - self.contention.estimate) / self.coherency.estimate)
        return level if self.levels[0] <= level <= self.levels[1] else None

    def throughput(self, levels: ArrayLike) -> Floats:
        """Return the fitted throughput, operations/s, at levels within those of the fit.

        Raises
        ------
        ValueError
            If a level lies outside: the law is not extrapolated.
        """
        threads = np.asarray(levels, dtype=float)
        low, high = self.levels
        if np.any((threads < low) | (threads > high)):
            raise ValueError(f"levels {threads} lie outside of the fit's, {low:g} to {high:g}")
        return _usl(threads, self.rate.estimate, self.contention.estimate, self.coherency.estimate)


def fit_scalability(
    levels: ArrayLike, throughput: ArrayLike, *, confidence: float = CONFIDENCE
) -> Scalability:
    """Fit the Universal Scalability Law by least squares.

    Parameters
    ----------
    levels
        Threads, shape (n,), at least four different ones; repeated levels are welcome.
    throughput
        Operations/s at each, shape (n,), positive.

    Returns
    -------
    Scalability
        Parameters with intervals of Student's t on n - 3 degrees of freedom from the linearised
        fit, cut at 0 for contention and coherency, which cannot be negative. An estimate of 0 lies
        on that border; its interval is then a rough guide.

    Raises
    ------
    ValueError
        If there are too few levels, a throughput is not positive, or no fit is found.

    Notes
    -----
    ``X(N) = λN / (1 + σ(N-1) + κN(N-1))``. Source: Gunther, Guerrilla Capacity Planning, 2007,
    chapter 5.
    """
    threads, rates = np.asarray(levels, dtype=float), np.asarray(throughput, dtype=float)
    if threads.shape != rates.shape or np.unique(threads).size < 4:
        raise ValueError(
            f"the fit needs at least 4 different levels with a throughput each, got {threads} "
            f"and {rates}"
        )
    if np.any(threads <= 0) or np.any(rates <= 0):
        raise ValueError("the fit needs positive levels and throughputs")
    start = [float((rates / threads).max()), 0.01, 1e-5]
    try:
        best, covariance = optimize.curve_fit(
            _usl,
            threads,
            rates,
            p0=start,
            bounds=([0, 0, 0], [np.inf, np.inf, np.inf]),
            x_scale=[start[0], 0.01, 1e-4],
            xtol=1e-12,
            ftol=1e-12,
            max_nfev=20_000,
        )
    except RuntimeError as error:
        raise ValueError(f"the Universal Scalability Law fits no such data: {error}") from error
    reach = stats.t.ppf((1 + confidence) / 2, threads.size - 3) * np.sqrt(np.diag(covariance))
    rate, contention, coherency = (
        Interval(float(value), max(0.0, float(value - half)), float(value + half), confidence)
        for value, half in zip(best, reach, strict=True)
    )
    residuals = rates - _usl(threads, *best)
    return Scalability(
        rate,
        contention,
        coherency,
        levels=(float(threads.min()), float(threads.max())),
        residual=float(np.sqrt(residuals @ residuals / (threads.size - 3))),
    )


def _usl(threads: Floats, rate: float, contention: float, coherency: float) -> Floats:
    return rate * threads / (1 + contention * (threads - 1) + coherency * threads * (threads - 1))


@dataclass(frozen=True)
class LittlesLaw:
    """How a run stands to Little's law.

    Parameters
    ----------
    expected
        Operations in the system by the load's set-up: the threads of a closed loop.
    observed
        Throughput times response time.
    tolerance
        Of the deviation.
    """

    expected: float
    observed: float
    tolerance: float

    @property
    def deviation(self) -> float:
        """Relative deviation of what was observed, -1 or more."""
        return self.observed / self.expected - 1

    @property
    def holds(self) -> bool:
        """Whether the deviation is within tolerance."""
        return abs(self.deviation) <= self.tolerance


def littles_law(
    threads: float,
    throughput: float,
    response_s: float,
    *,
    think_s: float = 0.0,
    tolerance: float = 0.05,
) -> LittlesLaw:
    """Check ``N = X · (R + Z)``.

    Parameters
    ----------
    threads
        N, of the closed loop.
    throughput
        X, all operations/s, failed ones included, over a time in which all threads ran.
    response_s
        R, the mean response time of the same operations, seconds.
    think_s
        Z, what a thread waits between operations, seconds.
    tolerance
        5 % unless told.

    Raises
    ------
    ValueError
        If an argument is negative, or there are no threads.

    Notes
    -----
    Less than N says that threads spent their time elsewhere: in the generator, or not yet started.
    Source: Little, Operations Research 9(3), 1961.
    """
    if threads <= 0 or min(throughput, response_s, think_s) < 0:
        raise ValueError("needs threads, and no negative throughput or time")
    return LittlesLaw(float(threads), throughput * (response_s + think_s), tolerance)


@dataclass(frozen=True)
class Capacity:
    """The highest level at which an objective is kept.

    Parameters
    ----------
    level
        The highest tried level that it is more likely than not kept at; None if it is not even at
        the lowest.
    low
        The highest tried level at or below which the limit lies with less than half of what the
        confidence leaves; None if even the lowest level may be too high.
    high
        The lowest tried level that is too high with as much certainty; None if even the highest
        level may be kept.
    confidence
        Of the limit lying between ``low`` and ``high``.
    trials
        Runs that it is taken from.
    """

    level: float | None
    low: float | None
    high: float | None
    confidence: float
    trials: int


def capacity(
    levels: ArrayLike,
    met: Sequence[bool],
    *,
    confidence: float = CONFIDENCE,
    mistaken: float = 0.1,
) -> Capacity:
    """Return the highest level at which an objective is kept, from runs that kept it or did not.

    Parameters
    ----------
    levels
        Of each run, shape (n,), positive; repeated and unordered ones are welcome.
    met
        Whether the run kept the objective, shape (n,).
    mistaken
        Probability that a run's outcome is not what the limit says, below one half: chance, a
        disturbed machine.

    Raises
    ------
    ValueError
        If there are no runs, the shapes differ, a level is not positive, or ``mistaken`` is not
        between 0 and 0.5.

    Notes
    -----
    The limit lies in one of the gaps between tried levels, below the lowest or above the highest,
    each as likely beforehand; each run multiplies the gaps it speaks for by ``1 - mistaken`` and
    the others by ``mistaken``. This is the posterior of probabilistic bisection: Horstein, IEEE
    Transactions on Information Theory 9(3), 1963; Waeber, Frazier and Henderson, SIAM Journal on
    Control and Optimization 51(3), 2013.
    """
    tried, kept = np.asarray(levels, dtype=float), np.asarray(met, dtype=bool)
    if tried.ndim != 1 or not tried.size or tried.shape != kept.shape or np.any(tried <= 0):
        raise ValueError(f"needs runs with a positive level each, got {tried} and {kept}")
    if not 0 < mistaken < 0.5:
        raise ValueError(f"mistaken must lie between 0 and 0.5, got {mistaken}")
    distinct = np.unique(tried)
    # Row: gap, the limit lying at or above so many of the distinct levels. Column: run.
    reached = np.searchsorted(distinct, tried)[None, :] < np.arange(distinct.size + 1)[:, None]
    agree = reached == kept[None, :]
    logs = np.where(agree, math.log(1 - mistaken), math.log(mistaken)).sum(axis=1)
    posterior = np.exp(logs - logs.max())
    posterior /= posterior.sum()
    kept_at = 1 - np.cumsum(posterior)[:-1]  # probability that each distinct level is kept
    tail = (1 - confidence) / 2

    def highest(probability: float) -> float | None:
        fitting = distinct[kept_at >= probability]
        return float(fitting[-1]) if fitting.size else None

    too_high = distinct[kept_at <= tail]
    return Capacity(
        level=highest(0.5),
        low=highest(1 - tail),
        high=float(too_high[0]) if too_high.size else None,
        confidence=confidence,
        trials=int(tried.size),
    )


def false_positive_share(
    intervals: Iterable[Interval], *, null: float = 1.0, confidence: float = CONFIDENCE
) -> Interval:
    """Return the share of comparisons of identical variants that found a difference.

    Parameters
    ----------
    intervals
        Of the ratio of identical twins (A/A), one per comparison, at least one.
    null
        What the ratio is in truth.

    Returns
    -------
    Interval
        Of the share; sound intervals give one minus their confidence.

    Raises
    ------
    ValueError
        If there are no comparisons.
    """
    found = [not interval.contains(null) for interval in intervals]
    if not found:
        raise ValueError("no comparisons of identical twins")
    return wilson(sum(found), len(found), confidence=confidence)


def minimum_detectable_ratio(
    cells: Iterable[ArrayLike],
    runs: int,
    *,
    confidence: float = CONFIDENCE,
    power: float = 0.8,
) -> float:
    """Return the smallest ratio of two variants that so many runs of each would tell from 1.

    Parameters
    ----------
    cells
        One array per cell with a figure of each of its runs, positive, such as the p95 in ms; cells
        with at least two runs count, and there must be one. How much runs of one cell differ is
        all that is taken from them.
    runs
        Of each variant, at least two.
    power
        Probability of telling it.

    Returns
    -------
    float
        Above 1; its reciprocal is the smallest decrease.

    Raises
    ------
    ValueError
        If no cell has two runs, a figure is not positive, or ``runs`` is less than two.

    Notes
    -----
    With s the pooled standard deviation of the logarithms, the ratio is
    ``exp((t(1-α/2) + t(power)) · s · sqrt(2 / runs))`` on ``2 · runs - 2`` degrees of freedom.
    Source: Bloom, Evaluation Review 19(5), 1995.
    """
    logs = []
    for cell in cells:
        figures = np.asarray(cell, dtype=float)
        if np.any(figures <= 0):
            raise ValueError("a logarithm needs positive figures")
        if figures.size > 1:
            logs.append(np.log(figures))
    if not logs or runs < 2:
        raise ValueError("needs a cell with at least 2 runs, and at least 2 runs to plan with")
    squares = sum(float(((log - log.mean()) ** 2).sum()) for log in logs)
    spread = math.sqrt(squares / sum(log.size - 1 for log in logs))
    freedom = 2 * runs - 2
    quantiles = stats.t.ppf([(1 + confidence) / 2, power], freedom)
    return math.exp(float(quantiles.sum()) * spread * math.sqrt(2 / runs))
