"""JMeter's result files, read into samples and operations.

A sample is one HTTP exchange. An operation is one thing a user wanted: in the asynchronous variant
it runs from the start of the request to the end of the fetch that brought the result. Two layouts
are understood:

- this project's plans label the operation's row with the workload (``list``), and its exchanges
  ``list request`` and ``list fetch``, from the first of which to the end of the last it lasts; a
  synchronous operation is its one exchange;
- files without such labels, as published with the thesis: each row of a synchronous file is an
  operation; in an asynchronous file a request and the fetch that follows it on the same thread are.

In an open loop a user wants something at the time that the plan says, whether or not the load
generator gets to it then: response times count from that intended start (Tene's coordinated
omission), and what the generator did late, or not at all, is counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from testbed.analysis.results import Cell, Results, Run, find_results
from testbed.errors import UserError
from testbed.load import GENERATOR, LATE_MS

FAILURES = (
    "breaker_open",
    "no_port",
    "time_limit",
    "not_ready",
    "partial",
    "rejected",
    "connect",
    "wrong_body",
    "other",
)
"""Failure classes of an operation."""

NOT_BEGUN = "not_begun"
"""The failure class of a planned arrival that never became an operation."""

CLASSES = (*FAILURES, NOT_BEGUN)
"""Failure classes of arrivals."""

STEPS = ("exchange", "request", "fetch")
"""What a sample is to its operation: all of it, its acknowledged request, or one of its fetches."""

MISSING_CINEMA = 0.8
"""Share of the usual answer size below which an unchecked list answer lacks a cinema.

One cinema of three is 27 to 29 % of the answer in the published sample files; headers that vary
are 3 %.
"""

_FAILURE = pl.Enum(FAILURES)
_STEP = pl.Enum(STEPS)
_COLUMNS = {
    "timeStamp": pl.Int64,
    "elapsed": pl.Int64,
    "label": pl.Categorical,
    "responseCode": pl.String,
    "threadName": pl.Categorical,
    "success": pl.Boolean,
    "failureMessage": pl.String,
}
_NO_CINEMA = r'(?i)cinemas-missing|"cinemaName"'
"""What the plans' assertions look for: no header that names missing cinemas, and every cinema."""

_FETCH_URL = r"/(list|make)/[^/]+$"


@dataclass(frozen=True)
class Usage:
    """What a run's processes used, about once a second.

    Parameters
    ----------
    peak_rss_mb
        The highest sum of the resident memory of all servers, MB.
    generator_cores
        The median of the cores that the load generator kept busy in the second half of the run:
        its start, which takes seconds of CPU, says nothing of what it can do.
    server_cores
        The same of all servers together.
    """

    peak_rss_mb: float | None
    generator_cores: float | None
    server_cores: float | None


@dataclass(frozen=True)
class Pace:
    """What a run got done while its load was whole.

    Parameters
    ----------
    operations, ok
        How many, and how many of them were successful.
    seconds
        In which time.
    """

    operations: int
    ok: int
    seconds: float

    @property
    def ok_per_s(self) -> float | None:
        """The goodput; None where no time passed."""
        return self.ok / self.seconds if self.seconds else None


@dataclass(frozen=True)
class Measurement:
    """The samples and operations of one run.

    Parameters
    ----------
    run
        Where they come from.
    samples
        One row per HTTP exchange in order of its start: ``start_ms`` (since the epoch),
        ``elapsed_ms``, ``code``, ``ok``, ``step`` (see `STEPS`).
    operations
        One row per operation in order of its (intended) start: ``start_ms``, ``elapsed_ms`` (from
        the intended start in an open loop), ``code`` (of the answer that decided it), ``ok``,
        ``failure`` (see `FAILURES`; null where ok), ``intended_ms`` (null in a closed loop),
        ``service_ms`` (from the actual start), ``thread``.
    strays
        Samples that belong to no finished operation.
    damaged
        Rows that could not be read, as the last one of a file whose writer was killed.
    usage
        Memory and the generator's CPU over the run, None where not recorded.
    whole
        The run as recorded, where this is only the steady part of it; None where this is all.
    overloaded
        Whether its verdict says that the system did not carry the load.
    """

    run: Run
    samples: pl.DataFrame
    operations: pl.DataFrame
    strays: int = 0
    damaged: int = 0
    usage: Usage | None = None
    whole: Measurement | None = None
    overloaded: bool = False

    @property
    def late(self) -> int:
        """Arrivals of an open loop that started over `LATE_MS` after their intended start."""
        late = (pl.col("start_ms") - pl.col("intended_ms") > LATE_MS).sum()
        return int(self.operations.select(late).item())

    @property
    def dropped(self) -> int:
        """Planned arrivals that never became an operation, in the whole run."""
        plan, operations = self.run.arrivals, (self.whole or self).operations
        return max(0, plan.planned - operations.height) if plan else 0

    @property
    def duration_s(self) -> float:
        """Seconds from the start of the first sample to the end of the last.

        One late answer makes it longer, so that no rate is taken over it that can be had otherwise.
        """
        start, elapsed = self.samples["start_ms"].to_numpy(), self.samples["elapsed_ms"].to_numpy()
        return float((start + elapsed).max() - start.min()) / 1000

    @property
    def pace(self) -> Pace:
        """What was done while the load was whole.

        Closed loop: the operations that ended in the time that all threads ran. Open loop: the
        operations of the plan, in the time of its arrivals. Where that time is not known, or fewer
        operations ended in it than there are threads: all, from the first start to the last end.
        """
        found = self._planned() if self.run.cell.mode == "open" else self._together()
        if found is not None:
            return found
        operations = self.operations
        return Pace(operations.height, int(operations["ok"].sum()), self.duration_s)

    def _planned(self) -> Pace | None:
        """Return what became of the plan's arrivals; of those that are left, since the first."""
        plan, operations = self.run.arrivals, self.operations
        intended = operations["intended_ms"].drop_nulls().to_numpy()
        if plan is None or plan.length_s is None or not intended.size:
            return None
        first = (self.whole or self).operations["intended_ms"].drop_nulls().to_numpy().min()
        seconds = plan.length_s - float(intended.min() - first) / 1000
        if seconds <= 0:
            return None
        return Pace(operations.height, int(operations["ok"].sum()), seconds)

    def _together(self) -> Pace | None:
        operations = self.operations
        if operations.is_empty():
            return None
        opened, closed = together(operations)
        end = pl.col("start_ms") + pl.col("service_ms")
        ended = operations.filter((end > opened) & (end <= closed))
        if closed <= opened or ended.height < operations["thread"].n_unique():
            return None
        return Pace(ended.height, int(ended["ok"].sum()), (closed - opened) / 1000)


@dataclass(frozen=True)
class Measured:
    """All runs of a results directory, read.

    Parameters
    ----------
    results
        Where they come from.
    measurements
        In the order of ``results.runs``.
    unreadable
        Why, by id, of the runs that could not be read.
    """

    results: Results
    measurements: tuple[Measurement, ...]
    unreadable: Mapping[str, str] = field(default_factory=dict)

    def by_cell(self) -> dict[Cell, list[Measurement]]:
        """Return the measurements of each cell, cells in order."""
        cells: dict[Cell, list[Measurement]] = {}
        for measurement in self.measurements:
            cells.setdefault(measurement.run.cell, []).append(measurement)
        return cells


def load(path: Path) -> Measured:
    """Read every run of a results directory, or of a plain directory of sample files.

    One broken sample file does not spoil the others: it is named in ``unreadable``.

    Raises
    ------
    UserError
        If there is nothing to read; see `find_results`.
    """
    results = find_results(path)
    measurements: list[Measurement] = []
    unreadable: dict[str, str] = {}
    for run in results.runs:
        try:
            measurements.append(measure(run))
        except UserError as error:
            unreadable[run.id] = error.message
    if not measurements:
        run_id, reason = next(iter(unreadable.items()))
        raise UserError(f"none of the {len(unreadable)} runs can be read; {run_id}: {reason}")
    return Measured(results, tuple(measurements), unreadable)


def measure(run: Run) -> Measurement:
    """Read the sample file of a run.

    Raises
    ------
    UserError
        If the file is missing, is not a JMeter CSV file with a header, or has no samples.
    """
    path, workload = run.samples, run.cell.workload
    if not path.is_file():
        raise UserError(f"sample file {str(path)!r} does not exist")
    try:
        head = pl.scan_csv(path, infer_schema=False).head(1).collect()
        labelled = str(head["label"].item() if head.height else "").split(" ")[0] == workload
        rows = _rows(run, labelled, "intended" in head.columns)
    except pl.exceptions.PolarsError as error:
        raise UserError(f"{str(path)!r} is not a JMeter CSV file with a header: {error}") from error
    good = rows.drop_nulls(["start_ms", "elapsed_ms", "ok"])
    if good.is_empty():
        raise UserError(f"{str(path)!r} has no samples")
    if labelled:
        samples, operations, strays = _by_label(good, workload)
    elif run.cell.variant == "async":
        samples, operations, strays = _by_pair(good, workload)
    else:
        samples, operations, strays = _each(good, workload)
    return Measurement(
        run=run,
        samples=_in_order(samples, pl.col("step").cast(_STEP)),
        operations=_in_order(
            operations.with_columns(
                pl.col("elapsed_ms").cast(pl.Int32).alias("service_ms"),
                pl.col("elapsed_ms")
                + (pl.col("start_ms") - pl.col("intended_ms")).fill_null(0).clip(0),
            ),
            pl.col("failure").cast(_FAILURE),
            "intended_ms",
            "service_ms",
            "thread",
        ),
        strays=strays,
        damaged=rows.height - good.height,
        usage=_usage(run),
    )


def together(operations: pl.DataFrame) -> tuple[float, float]:
    """Return from when to when all threads of a closed loop ran, ms since the epoch.

    Parameters
    ----------
    operations
        Of one run, at least one, with ``thread``, ``start_ms`` and ``service_ms``.

    Returns
    -------
    tuple of float
        The last thread's first start, and the first thread's last end, which may be before it.
    """
    spans = operations.group_by("thread").agg(
        pl.col("start_ms").min().alias("first"),
        (pl.col("start_ms") + pl.col("service_ms")).max().alias("last"),
    )
    opened, closed = spans.select(pl.col("first").max(), pl.col("last").min()).row(0)
    return float(opened), float(closed)


def failure_class() -> pl.Expr:
    """Return the failure class of a failed exchange from its ``step``, ``code`` and ``message``.

    The response code decides; where it cannot (a 503 may be an open circuit, a lack of local ports
    or a refusal, a 200 may lack a cinema), the message of the plan's failed assertion does.
    """
    code, message = pl.col("code"), pl.col("message").fill_null("")
    fetched = pl.col("step") == "fetch"
    return (
        pl.when(fetched & code.is_in(["202", "404", "410"]))
        .then(pl.lit("not_ready"))
        .when(code.str.contains("^2") & message.str.contains(_NO_CINEMA))
        .then(pl.lit("partial"))
        .when(code.str.contains("^2"))
        .then(pl.lit("wrong_body"))
        .when((code == "503") & message.str.contains("circuit-open"))
        .then(pl.lit("breaker_open"))
        .when((code == "503") & message.str.contains("ports-exhausted"))
        .then(pl.lit("no_port"))
        .when(code.is_in(["503", "429"]))
        .then(pl.lit("rejected"))
        .when(code == "504")
        .then(pl.lit("time_limit"))
        .when(code.str.contains(r"^\D"))
        .then(pl.lit("connect"))
        .otherwise(pl.lit("other"))
    )


def _rows(run: Run, labelled: bool, intended: bool) -> pl.DataFrame:
    """Read the needed columns in file order; a field that cannot be read is null."""
    more: dict[str, type[pl.DataType]] = {} if labelled else {"URL": pl.String, "bytes": pl.Int64}
    planned = pl.col("intended") if intended else pl.lit(None, pl.Int64)
    return (
        pl.scan_csv(
            run.samples,
            schema_overrides={**_COLUMNS, **more, **({"intended": pl.Int64} if intended else {})},
            ignore_errors=True,
        )
        .select(
            pl.col("timeStamp").alias("start_ms"),
            pl.col("elapsed").alias("elapsed_ms"),
            "label",
            pl.col("responseCode").fill_null("").alias("code"),
            pl.col("threadName").alias("thread"),
            pl.col("success").alias("ok"),
            pl.col("failureMessage").alias("message"),
            planned.alias("intended_ms"),
            *more,
        )
        .collect()
    )


def _in_order(rows: pl.DataFrame, *last: pl.Expr | str) -> pl.DataFrame:
    """Return the columns of a measurement in order of the (intended) start, as small as they go."""
    return rows.sort(pl.coalesce("intended_ms", "start_ms"), maintain_order=True).select(
        "start_ms",
        pl.col("elapsed_ms").cast(pl.Int32),
        pl.col("code").cast(pl.Categorical),
        "ok",
        *last,
    )


def _usage(run: Run) -> Usage | None:
    """Read what the run's processes used; None where that was not recorded."""
    file = run.samples.parent / "usage.csv"
    if not run.recorded or not file.is_file():
        return None
    kinds = {"time_s": pl.Float64, "service": pl.String, "cpu_s": pl.Float64, "rss_mb": pl.Float64}
    try:
        seen = pl.read_csv(file, schema_overrides=kinds, ignore_errors=True).drop_nulls()
        generator = seen.filter(pl.col("service") == GENERATOR)
        servers = seen.filter(pl.col("service") != GENERATOR)
    except pl.exceptions.PolarsError:
        return None
    peak = servers.group_by("time_s").agg(pl.col("rss_mb").sum())["rss_mb"].max()
    half = pl.col("time_s") >= seen.select(pl.col("time_s").max() / 2).item()
    return Usage(
        peak_rss_mb=float(peak) if isinstance(peak, float) else None,
        generator_cores=_busy_cores(generator, half),
        server_cores=_busy_cores(servers, half),
    )


def _busy_cores(readings: pl.DataFrame, when: pl.Expr) -> float | None:
    """Return the median of the cores that services kept busy together, from reading to reading."""
    steps = (
        readings.sort("time_s")
        .select("time_s", pl.col("cpu_s", "time_s").diff().over("service").name.suffix("_step"))
        .drop_nulls()
        .filter(when)
        .group_by("time_s")
        .agg((pl.col("cpu_s_step") / pl.col("time_s_step")).sum().alias("cores"))
    )
    cores = steps["cores"].median()
    return float(cores) if isinstance(cores, float) else None


def _by_label(rows: pl.DataFrame, workload: str) -> tuple[pl.DataFrame, pl.DataFrame, int]:
    """Split the files of this project's plans, whose operations are labelled with the workload."""
    is_operation = pl.col("label") == workload
    step = (
        pl.col("label")
        .cast(pl.String)
        .replace_strict(
            {f"{workload} request": "request", f"{workload} fetch": "fetch"}, default="exchange"
        )
    )
    rows = rows.with_columns(step.alias("step"))
    samples = rows.filter(~is_operation)
    if samples.is_empty():
        return rows, rows.with_columns(_failures()), 0
    # A thread writes the exchanges of an operation, then the operation's own row.
    rows = rows.with_columns(
        (is_operation.cum_sum().over("thread") - is_operation.cast(pl.UInt32)).alias("turn")
    )
    operations = rows.filter(is_operation)
    finished = operations.group_by("thread").agg(pl.col("turn").max().alias("last"))
    strays = (
        rows.filter(~is_operation)
        .join(finished, on="thread", how="left")
        .select((pl.col("turn") > pl.col("last").fill_null(-1)).sum())
        .item()
    )
    exchanges = rows.filter(~is_operation)
    deciding = (
        exchanges.filter(~pl.col("ok"))
        .group_by("thread", "turn", maintain_order=True)
        .agg(pl.col("step", "code", "message").last())
    )
    # JMeter's own row begins before the first exchange and ends after the last one, by whatever the
    # generator does in between; a synchronous exchange has no such row, so it is left out of both.
    spans = exchanges.group_by("thread", "turn").agg(
        pl.col("start_ms").min().alias("first_ms"),
        (pl.col("start_ms") + pl.col("elapsed_ms")).max().alias("last_ms"),
    )
    operations = (
        operations.drop("step", "message")
        .join(deciding, on=["thread", "turn"], how="left", suffix="_decided")
        .join(spans, on=["thread", "turn"], how="left")
        .with_columns(
            pl.coalesce("code_decided", "code").alias("code"),
            pl.coalesce("first_ms", "start_ms").alias("start_ms"),
            pl.coalesce(pl.col("last_ms") - pl.col("first_ms"), "elapsed_ms").alias("elapsed_ms"),
        )
        .with_columns(_failures())
    )
    return samples, operations, strays


def _each(rows: pl.DataFrame, workload: str) -> tuple[pl.DataFrame, pl.DataFrame, int]:
    """Take each row of a synchronous file without operation labels as an operation."""
    rows = rows.with_columns(pl.lit("exchange").alias("step"))
    return rows, _without_partial(rows.with_columns(_failures()), workload), 0


def _by_pair(rows: pl.DataFrame, workload: str) -> tuple[pl.DataFrame, pl.DataFrame, int]:
    """Pair each request with the fetch that follows it on its thread.

    A fetch is told by its URL, so a missing row costs its own operation and no other.
    """
    is_fetch = pl.col("URL").str.contains(_FETCH_URL)
    rows = rows.with_columns(
        pl.when(is_fetch).then(pl.lit("fetch")).otherwise(pl.lit("request")).alias("step")
    )
    before = [
        pl.col(name).shift(1).over("thread").alias(f"request_{name}")
        for name in ("step", "start_ms", "ok", "code")
    ]
    pairs = rows.with_columns(before).filter(
        (pl.col("step") == "fetch") & (pl.col("request_step") == "request")
    )
    operations = pairs.with_columns(
        pl.col("request_start_ms").alias("start_ms"),
        (pl.col("start_ms") + pl.col("elapsed_ms") - pl.col("request_start_ms")).alias(
            "elapsed_ms"
        ),
        pl.when("request_ok").then("code").otherwise("request_code").alias("code"),
        pl.when("request_ok").then("step").otherwise("request_step").alias("step"),
        (pl.col("ok") & pl.col("request_ok")).alias("ok"),
    ).with_columns(_failures())
    return rows, _without_partial(operations, workload), rows.height - 2 * pairs.height


def _failures() -> pl.Expr:
    return pl.when(~pl.col("ok")).then(failure_class()).alias("failure")


def _without_partial(operations: pl.DataFrame, workload: str) -> pl.DataFrame:
    """Count list answers that lack a cinema as failed, where no assertion of the plan did."""
    if workload != "list":
        return operations
    usual = pl.col("bytes").filter(pl.col("ok")).median()
    partial = pl.col("ok") & (pl.col("bytes") < MISSING_CINEMA * usual)
    return operations.with_columns(
        pl.when(partial).then(pl.lit("partial")).otherwise("failure").alias("failure"),
        (pl.col("ok") & ~partial).alias("ok"),
    )
