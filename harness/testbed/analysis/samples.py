"""Read result files into samples and operations.

A sample is one HTTP exchange. An operation is one user request with its result: if requests are
acknowledged, it lasts from the start of the request to the end of the fetch that returned the
result. Two layouts are supported:

- This project's plans label the row of an operation with the workload (``list``), and its exchanges
  ``list request`` and ``list fetch``, or as a session declares them. The operation lasts from the
  start of the first exchange to the end of the last. An operation of one exchange has its row only.
- Files without such labels, as published with the thesis or written by other plans
  (`testbed.analysis.sample_files`). Each row is an operation; in a file with fetches, a request and
  the next fetch on the same thread are one.
- Files of other tools (`testbed.analysis.other_tools`). Each request is an operation.

In an open loop, response times count from the intended start in the plan, even if the load
generator starts late (Tene's coordinated omission). Late and dropped arrivals are counted.

Where users of a user's own plan pause, the time of a session is that of its exchanges. Rows with
other labels, such as those of a warm-up, are counted but used in no figure. Rows with impossible
values are left out and reported with file and line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path

import polars as pl

from testbed.analysis import other_tools, sample_files
from testbed.analysis.grouping import grouped
from testbed.analysis.other_tools import JMETER, Source
from testbed.analysis.results import Block, Cell, Results, Run, find_results, none_can_be_read
from testbed.model.errors import UserError
from testbed.model.jmx import BESIDE
from testbed.model.loads import LATE_MS
from testbed.model.systems import declarations, fetches

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

NOT_BEGUN = "not_begun"
"""Failure class of a planned arrival that never became an operation."""

CLASSES = (*FAILURES, NOT_BEGUN)
"""Failure classes of arrivals."""

PARTIAL_SIZE = 0.8
"""Share of the median answer size below which an unchecked list answer is partial.

In the published sample files a missing part is 27 to 29 % of an answer, varying headers 3 %.
"""

_FAILURE = pl.Enum(FAILURES)
_FETCH_URL = r"/(list|make)/[^/]+$"

WARM_UP = "warm-up "
"""Prefix of the labels of a plan's own warm-up."""

NOT_COUNTED = f"^({WARM_UP}|{BESIDE})"
"""Labels of rows that are no fault, and used in no figure."""

LONGEST_MS = 24 * 3600 * 1000
"""Longest plausible time: one day."""

LATEST_MS = 10**13
"""Latest plausible moment, ms since the epoch: the year 2286."""

BACK_MS = 250
"""How much an exchange may begin before the end of the last one on its thread.

JMeter's clock was adjusted by up to 100 ms in our runs; a stepped clock moves by more.
"""

AHEAD_MS = 1000
"""Limit of a closed-loop thread's idle time, and of an exchange's distance from its block.

No garbage collection of the generator takes that long.
"""

ALIKE_MS = 2
"""Up to this time two exchanges may look the same: JMeter's clock often shifts by 1 ms."""

TWICE = 1 / 3
"""Share of a file's rows that are there again, above which two listeners wrote it.

Fewer may be alike: exchanges that a plugin makes side by side.
"""

FAULTS = DAMAGED, STRANGE, DOUBLED, CLOCK, APPENDED = (
    *("damaged rows", "labels", "doubled rows", "clock"),
    "runs in one file",
)
"""Kinds of wrong rows."""

PAUSE_MS, PAUSE_TIMES = 10_000, 5
"""A second run begins in a file after this time without an operation in flight, if the time is also
longer than any other such time, by this factor: users that pause do so again and again.
"""


@dataclass(frozen=True)
class Fault:
    """The number of wrong rows of one kind, and the file and line of the first."""

    rows: int
    first: str

    def __str__(self) -> str:
        return f"{self.rows:,}, the first in {self.first}"


@dataclass(frozen=True)
class Pace:
    """Work done under full load: operations, successful operations, and seconds."""

    operations: int
    ok: int
    seconds: float

    @property
    def ok_per_s(self) -> float | None:
        """The goodput; None if no time passed."""
        return self.ok / self.seconds if self.seconds else None

    @property
    def operations_per_s(self) -> float | None:
        """The throughput, failures included; None if no time passed."""
        return self.operations / self.seconds if self.seconds else None

    def __add__(self, other: Pace) -> Pace:
        return Pace(
            self.operations + other.operations, self.ok + other.ok, self.seconds + other.seconds
        )


@dataclass(frozen=True)
class Measurement:
    """The samples and operations of one run that count."""

    run: Run
    samples: pl.DataFrame
    """One row per HTTP exchange by start: ``start_ms`` (since the epoch), ``elapsed_ms``, ``code``,
    ``ok``, ``step`` (the exchange of an operation of several, such as ``request`` and ``fetch``;
    else ``exchange``), ``block`` (from 0).
    """
    operations: pl.DataFrame
    """One row per operation by (intended) start: ``start_ms``, ``elapsed_ms`` (from the intended
    start in an open loop), ``code`` (of the answer that decided it), ``ok``, ``failure`` (see
    `FAILURES`; null if ok), ``intended_ms`` (null in a closed loop), ``service_ms`` (from the
    actual start), ``thread``, ``block``, ``age_ms`` (at its end, since when the answer was so; null
    if it does not say).
    """
    strays: int = 0
    """Samples that belong to no finished operation."""
    faults: Mapping[str, Fault] = field(default_factory=dict)
    """Wrong rows by kind, one of `FAULTS`."""
    rows: tuple[int, ...] = ()
    """Number of all rows in each block's file."""
    others: Mapping[str, int] = field(default_factory=dict)
    """Number of rows that do not count, by label; by kind where rows carry no labels."""
    labelled: bool = True
    """Whether the rows carry this project's labels."""
    source: Source = JMETER
    """What wrote the rows, and what they do not tell."""
    whole: Measurement | None = None
    """The complete run, if this is a part of it; else None."""
    generators: tuple[Measurement, ...] = ()
    """What each of several load generators measured; empty if there was one."""
    overloaded: bool = False
    """Whether the verdict says that the system did not carry the load."""

    @cached_property
    def blocks(self) -> tuple[Measurement, ...]:
        """Each block as a run of its own."""
        if len(self.run.blocks) == 1:
            return (self,)
        return tuple(self._block(index) for index in range(len(self.run.blocks)))

    def _block(self, index: int) -> Measurement:
        mine, block = pl.col("block") == index, self.run.blocks[index]
        return Measurement(
            replace(self.run, blocks=(block,), arrivals=block.arrivals or self.run.arrivals),
            self.samples.filter(mine),
            self.operations.filter(mine),
            whole=self.whole and self.whole.blocks[index],
            overloaded=self.overloaded,
        )

    @property
    def recorded(self) -> Measurement:
        """The complete run, including what does not count."""
        return self.whole or self

    @property
    def late(self) -> int:
        """Arrivals of an open loop that started over `LATE_MS` after their intended start."""
        late = (pl.col("start_ms") - pl.col("intended_ms") > LATE_MS).sum()
        return int(self.operations.select(late).item())

    @property
    def dropped(self) -> int:
        """Planned arrivals of the complete run that never became an operation."""
        plan = self.run.arrivals
        return max(0, plan.planned - self.recorded.operations.height) if plan else 0

    @property
    def arrivals(self) -> int:
        """Operations that count, and planned ones that never began."""
        return self.operations.height + self.dropped

    @property
    def duration_s(self) -> float:
        """Seconds from the start of the first sample to the end of the last, summed over blocks.

        One late answer lengthens it, so rates use it only as a last resort.
        """
        end = (pl.col("start_ms") + pl.col("elapsed_ms")).max()
        spans = self.samples.group_by("block").agg(end - pl.col("start_ms").min())
        return int(spans[:, 1].sum()) / 1000

    @property
    def loaded_s(self) -> float | None:
        """Seconds under load, of the blocks that count; None if they were not recorded.

        An open loop begins with a wait for its time 0, which is none.
        """
        return self.recorded.duration_s if self.run.cell.mode == "open" else self.run.wall_s

    @cached_property
    def pace(self) -> Pace:
        """The operations and the time under full load, summed over blocks.

        Closed loop: the operations that ended while all threads ran. Open loop: the operations of
        the plan, over the time of its arrivals. If that time is unknown, or fewer operations ended
        in it than there are threads, all operations count, from the first start to the last end.
        """
        return sum((measurement._pace() for measurement in self.blocks), Pace(0, 0, 0))

    def _pace(self) -> Pace:
        pace = self._planned() if self.run.cell.mode == "open" else self._together()
        if pace is not None:
            return pace
        operations = self.operations
        return Pace(operations.height, int(operations["ok"].sum()), self.duration_s)

    def _planned(self) -> Pace | None:
        """Return the operations, over the time of the plan's arrivals."""
        plan, operations = self.run.arrivals, self.operations
        if plan is None or not plan.length_s or operations["intended_ms"].is_null().all():
            return None
        counted_s = plan.length_s - sum(block.settle_s for block in self.run.blocks)
        return Pace(operations.height, int(operations["ok"].sum()), counted_s)

    def _together(self) -> Pace | None:
        if (window := self.window) is None:
            return None
        ended = self.ended(*window)
        if ended.height < self.recorded.operations["thread"].n_unique():
            return None
        return Pace(ended.height, int(ended["ok"].sum()), (window[1] - window[0]) / 1000)

    @cached_property
    def window(self) -> tuple[float, float] | None:
        """When all threads of a closed loop ran and operations count, in ms since the epoch.

        For a single block. It begins with the last thread's first start, or with the first start
        that counts if that is later. It ends with the first thread's last end. None if there is no
        such time.
        """
        if self.operations.is_empty():
            return None
        if self.source.users is not None:
            return self._all_users()
        spans = self.recorded.operations.group_by("thread").agg(
            pl.col("start_ms").min().alias("first"),
            (pl.col("start_ms") + pl.col("service_ms")).max().alias("last"),
        )
        first, closed = spans.select(pl.col("first").max(), pl.col("last").min()).row(0)
        opened = max(float(first), float(self.operations["start_ms"].to_numpy().min()))
        return (opened, float(closed)) if closed > opened else None

    def _all_users(self) -> tuple[float, float] | None:
        """Return the longest time in which as many users ran as there are threads."""
        assert self.source.users is not None
        spells = self.source.users.filter(
            (pl.col("users") == self.run.cell.threads) & (pl.col("to_ms") > pl.col("from_ms"))
        ).sort(pl.col("to_ms") - pl.col("from_ms"))
        return None if spells.is_empty() else spells.select("from_ms", "to_ms").row(-1)

    def ended(self, after_ms: float, until_ms: float) -> pl.DataFrame:
        """Return the recorded operations that ended between two times, ms since the epoch."""
        end = pl.col("start_ms") + pl.col("service_ms")
        return self.recorded.operations.filter((end > after_ms) & (end <= until_ms))


@dataclass(frozen=True)
class Measured:
    """All runs of a results directory, in the order of ``results.runs``.

    ``unreadable`` gives the reason by run id.
    """

    results: Results
    measurements: tuple[Measurement, ...]
    unreadable: Mapping[str, str] = field(default_factory=dict)

    def by_cell(self) -> dict[Cell, list[Measurement]]:
        return grouped(self.measurements, lambda measurement: measurement.run.cell)


def load(path: Path) -> Measured:
    """Read every run of a results directory, or of a plain directory of sample files.

    A run that cannot be read is listed in ``unreadable``. A plain file that cannot be read is no
    run. Raises `UserError` if none can be read; see `find_results`.
    """
    results = find_results(path)
    measurements: list[Measurement] = []
    unreadable = dict(results.unreadable)
    for run in results.runs:
        try:
            measurements.append(measure(run))
        except UserError as error:
            unreadable[run.id] = error.message
    if not measurements:
        raise none_can_be_read(unreadable)
    runs = tuple(run for run in results.runs if run.recorded or run.id not in unreadable)
    return Measured(replace(results, runs=runs), tuple(measurements), unreadable)


def measure(run: Run) -> Measurement:
    """Read the sample files of a run.

    Raises `UserError` if a file is missing, has no samples, or is of no known format.
    """
    parts = [
        [_read(run, part, index) for part in block.parts] for index, block in enumerate(run.blocks)
    ]
    blocks = [_merged(generators) for generators in parts]
    begins = [
        1000 * block.settle_s
        + float(measurement.samples["start_ms"].to_numpy().min(initial=LATEST_MS))
        for block, measurement in zip(run.blocks, blocks, strict=True)
    ]
    begin = pl.lit(pl.Series(begins, dtype=pl.Float64)).gather(pl.col("block"))

    def settled(run: Run, measurements: Sequence[Measurement]) -> Measurement:
        whole = replace(_joined(measurements), run=run)
        if not any(block.settle_s for block in run.blocks):
            return whole
        return replace(
            whole,
            samples=whole.samples.filter(pl.col("start_ms") >= begin),
            operations=whole.operations.filter(pl.coalesce("intended_ms", "start_ms") >= begin),
            whole=whole,
        )

    alone = zip(run.generators, zip(*parts, strict=True), strict=False)
    return replace(settled(run, blocks), generators=tuple(settled(*pair) for pair in alone))


def _joined(parts: Sequence[Measurement]) -> Measurement:
    """Return the measurement of all parts of a run."""
    return replace(
        parts[0],
        samples=pl.concat([measurement.samples for measurement in parts]),
        operations=pl.concat([measurement.operations for measurement in parts]),
        strays=sum(measurement.strays for measurement in parts),
        faults={
            kind: Fault(sum(fault.rows for fault in faults), faults[0].first)
            for kind in FAULTS
            if (
                faults := [
                    measurement.faults[kind] for measurement in parts if kind in measurement.faults
                ]
            )
        },
        rows=tuple(chain.from_iterable(measurement.rows for measurement in parts)),
        others=sum((Counter(measurement.others) for measurement in parts), Counter[str]()),
    )


def _merged(generators: Sequence[Measurement]) -> Measurement:
    """Return the block that all generators measured together.

    Generators give their threads the same names.
    """
    if len(generators) == 1:
        return generators[0]
    named = [
        replace(
            measurement,
            operations=measurement.operations.with_columns(
                pl.format("generator {} {}", pl.lit(number), pl.col("thread").cast(pl.String))
                .cast(pl.Categorical)
                .alias("thread")
            ),
        )
        for number, measurement in enumerate(generators, 1)
    ]
    measurement = _joined(named)
    return replace(
        measurement,
        samples=measurement.samples.sort("start_ms", maintain_order=True),
        operations=measurement.operations.sort(
            pl.coalesce("intended_ms", "start_ms"), maintain_order=True
        ),
        rows=(sum(measurement.rows),),
    )


def failure_class(partial: str | None = None) -> pl.Expr:
    """Return the failure class of a failed exchange from ``step``, ``code`` and ``message``.

    The response code decides. Some codes are ambiguous: a 503 may be an open circuit, a lack of
    local ports or a refusal, and a 200 may lack a part. Then the message of the plan's failed
    assertion decides. ``partial`` is a regular expression for messages about a missing part; None
    if there are none.
    """
    code, message = pl.col("code"), pl.col("message").fill_null("")
    fetched = pl.col("step") == "fetch"
    return (
        pl.when(fetched & code.is_in(["202", "404", "410"]))
        .then(pl.lit("not_ready"))
        .when(code.str.contains("^2") & message.str.contains(partial or "^$^"))
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


def _read(run: Run, block: Block, index: int) -> Measurement:
    path, workload = block.file, run.cell.workload
    if not path.is_file():
        raise UserError(f"sample file {str(path)!r} does not exist")
    imported = None
    if run.recorded:
        rows = sample_files.recorded(path)
    else:
        content = sample_files.text_of(path)
        imported = other_tools.read(path, content)
        rows = imported.rows if imported else sample_files.loose(path, content)
    possible = (
        pl.col("start_ms").is_between(0, LATEST_MS)
        & pl.col("elapsed_ms").is_between(0, LONGEST_MS)
        & pl.col("ok").is_not_null()
        & (pl.col("intended_ms").is_between(0, LATEST_MS) | pl.col("intended_ms").is_null().all())
    ).fill_null(False)
    wrong = {DAMAGED: rows.filter(~possible)}
    good = rows.filter(possible)
    others: Mapping[str, int] = {}
    if good.is_empty():
        raise UserError(f"{str(path)!r} has no samples")
    text = pl.col("label").cast(pl.String)
    own = text.is_in([workload, f"{workload} request", f"{workload} fetch"])
    if run.recorded or _of_several(good, workload):
        own |= text.str.starts_with(f"{workload} ")
    labelled = run.recorded or (imported is None and bool(good.select(own.any()).item()))
    if labelled:
        wrong[STRANGE] = good.filter(~own & ~text.str.contains(NOT_COUNTED))
        others = dict(good.filter(~own).group_by(text).len().iter_rows())
        good, wrong[DOUBLED] = _once(good.filter(own), rows.height == block.delivered)
        samples, operations, strays = _by_label(good, run.cell)
        wrong[CLOCK] = _clock_steps(run, block, samples, operations)
    else:
        if imported:
            others = imported.left_out
        else:
            good, others = sample_files.without_strange_rows(good)
            once, twice = _once(good, False)
            if twice.height >= TWICE * good.height:
                good, wrong[DOUBLED] = once, twice
        if good.is_empty():
            raise UserError(f"{path.name} has no samples of users")
        paired = fetches(run.cell.variant)
        if paired and good["thread"].is_null().any():
            raise UserError(
                f"{path.name} names no threads, by which requests of {run.cell.variant} are paired "
                "with their fetches"
            )
        samples, operations, strays = (_by_pair if paired else _each)(good, run.cell)
    if not run.recorded:
        titles, wrong[DAMAGED] = _titles(wrong[DAMAGED])
        wrong[APPENDED] = _appended(samples) if titles.is_empty() else titles
        if not wrong[APPENDED].is_empty():
            # Another run is no clock that was set.
            wrong.pop(CLOCK, None)
    without_pauses = run.users_pause and "exchanges_ms" in operations.columns
    response = pl.coalesce("exchanges_ms", "elapsed_ms") if without_pauses else pl.col("elapsed_ms")
    return Measurement(
        run=run,
        samples=_in_order(samples, index, pl.col("step").cast(pl.Categorical)),
        operations=_in_order(
            operations.with_columns(
                pl.col("elapsed_ms").clip(0, LONGEST_MS).cast(pl.Int32).alias("service_ms"),
                (response + (pl.col("start_ms") - pl.col("intended_ms")).fill_null(0).clip(0))
                .clip(0, LONGEST_MS)
                .alias("elapsed_ms"),
                (pl.col("start_ms") + pl.col("elapsed_ms") - pl.col("since_ms")).alias("age_ms"),
            ),
            index,
            pl.col("failure").cast(_FAILURE),
            "intended_ms",
            "age_ms",
            "service_ms",
            "thread",
        ),
        strays=strays,
        faults={
            kind: Fault(table.height, sample_files.first_line(path, table, imported is not None))
            for kind, table in wrong.items()
            if not table.is_empty()
        },
        rows=(rows.height,),
        others=others,
        labelled=labelled,
        source=imported.source if imported else JMETER,
    )


def _titles(rows: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Split off the names of columns, which a file has again where another was appended to it."""
    titles = rows.select((pl.col("label").cast(pl.String) == "label").fill_null(False)).to_series()
    return rows.filter(titles), rows.filter(~titles)


def _once(rows: pl.DataFrame, complete: bool) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Split off rows that are there again, as where two listeners write to one file.

    Counts that agree with the generator's (`complete`) say that there are none.
    """
    if complete:
        return rows, rows.clear()
    # A thread makes one exchange at a time.
    first = pl.struct("thread", "label", "start_ms", "elapsed_ms").is_first_distinct()
    once = rows.select(first | (pl.col("elapsed_ms") <= ALIKE_MS)).to_series()
    return rows.filter(once), rows.filter(~once)


def _of_several(rows: pl.DataFrame, workload: str) -> bool:
    """Return whether an operation is a transaction of JMeter in a file that was not recorded."""
    is_operation = pl.col("label").cast(pl.String) == workload
    of_several = pl.col("response_message").str.contains(sample_files.TRANSACTION)
    return bool(rows.select((is_operation & of_several).any()).item())


def _clock_steps(
    run: Run, block: Block, samples: pl.DataFrame, operations: pl.DataFrame
) -> pl.DataFrame:
    """Return the rows, of exchanges and operations, before which a clock was set."""
    start, end = pl.col("start_ms"), pl.col("start_ms") + pl.col("elapsed_ms")
    before = end.shift(1).over("thread")
    wrong = start < before - BACK_MS
    if block.started_ms is not None and block.finished_ms is not None:
        wrong |= start < block.started_ms - AHEAD_MS
        wrong |= end > block.finished_ms + AHEAD_MS
    steps = [samples.filter(wrong.fill_null(False))]
    if run.cell.mode == "closed" and not run.users_pause:
        steps.append(operations.sort("row").filter(start > before + AHEAD_MS))
    return pl.concat(table.select("row") for table in steps).unique()


def _appended(samples: pl.DataFrame) -> pl.DataFrame:
    """Return the row with which a second run begins in a file; JMeter appends to files."""
    ordered = samples.sort("start_ms")
    end = (pl.col("start_ms") + pl.col("elapsed_ms")).cum_max().shift(1)
    pauses = ordered.with_columns((pl.col("start_ms") - end).fill_null(0).alias("pause"))
    longest = pauses["pause"].top_k(2)
    appended = longest.len() == 2 and longest[0] > max(PAUSE_MS, PAUSE_TIMES * longest[1])
    return pauses.filter(pl.col("pause") == longest[0]).head(1 if appended else 0)


def _in_order(rows: pl.DataFrame, block: int, *last: pl.Expr | str) -> pl.DataFrame:
    """Return a measurement's columns in compact types, sorted by (intended) start."""
    return rows.sort(pl.coalesce("intended_ms", "start_ms"), maintain_order=True).select(
        "start_ms",
        pl.col("elapsed_ms").cast(pl.Int32),
        pl.col("code").cast(pl.Categorical),
        "ok",
        *last,
        pl.lit(block, pl.UInt8).alias("block"),
    )


def _by_label(rows: pl.DataFrame, cell: Cell) -> tuple[pl.DataFrame, pl.DataFrame, int]:
    """Split rows of this project's plans by label into samples, operations and strays."""
    workload = cell.workload
    is_operation = pl.col("label") == workload
    step = pl.col("label").cast(pl.String).str.strip_prefix(f"{workload} ")
    rows = rows.with_columns(
        pl.when(is_operation).then(pl.lit("exchange")).otherwise(step).alias("step")
    )
    samples = rows.filter(~is_operation)
    if samples.is_empty():
        return rows, rows.with_columns(_failures(cell.variant)), 0
    # A thread writes the exchanges of an operation, then the operation's own row.
    rows = rows.with_columns(
        (is_operation.cum_sum().over("thread") - is_operation.cast(pl.UInt32)).alias("turn")
    )
    exchanges, operations = rows.filter(~is_operation), rows.filter(is_operation)
    strays = exchanges.join(operations, on=["thread", "turn"], how="anti").height
    deciding = (
        exchanges.filter(~pl.col("ok"))
        .group_by("thread", "turn", maintain_order=True)
        .agg(pl.col("step", "code", "message").last())
    )
    # JMeter's own row also contains the generator's time around the exchanges. Operations of a
    # single exchange have no such row, so that time is left out of both.
    spans = exchanges.group_by("thread", "turn").agg(
        pl.col("start_ms").min().alias("first_ms"),
        (pl.col("start_ms") + pl.col("elapsed_ms")).max().alias("last_ms"),
        pl.col("elapsed_ms").sum().alias("exchanges_ms"),
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
        .with_columns(_failures(cell.variant))
    )
    return samples, operations, strays


def _each(rows: pl.DataFrame, cell: Cell) -> tuple[pl.DataFrame, pl.DataFrame, int]:
    """Take each row of an unlabelled file without fetches as an operation."""
    rows = rows.with_columns(pl.lit("exchange").alias("step"))
    return rows, _without_partial(rows.with_columns(_failures(cell.variant)), cell), 0


def _by_pair(rows: pl.DataFrame, cell: Cell) -> tuple[pl.DataFrame, pl.DataFrame, int]:
    """Pair each request with the next fetch on its thread.

    The URL identifies a fetch, so a missing row affects only its own operation.
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
    ).with_columns(_failures(cell.variant))
    return rows, _without_partial(operations, cell), rows.height - 2 * pairs.height


def _failures(variant: str) -> pl.Expr:
    declared = declarations().get(variant)
    partial = declared.partial_answer if declared else None
    return pl.when(~pl.col("ok")).then(failure_class(partial)).alias("failure")


def _without_partial(operations: pl.DataFrame, cell: Cell) -> pl.DataFrame:
    """Count partial lists of our own systems as failed: the thesis's plans had no assertion."""
    declared = declarations().get(cell.variant)
    if cell.workload != "list" or declared is None or declared.partial_answer is None:
        return operations
    usual = pl.col("bytes").filter(pl.col("ok")).median()
    partial = pl.col("ok") & (pl.col("bytes") < PARTIAL_SIZE * usual)
    return operations.with_columns(
        pl.when(partial).then(pl.lit("partial")).otherwise("failure").alias("failure"),
        (pl.col("ok") & ~partial).alias("ok"),
    )
