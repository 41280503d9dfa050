"""Read sample files into rows.

Those of this project's plans have known columns. Loose files, which the testbed did not record, are
as JMeter's own settings may write them: JMeter lets its users choose the columns, the delimiter,
the format of the time and whether there is a header. What can be read for certain is read. Anything
else is refused in one sentence that names the file, the line, the column and the choice.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

import polars as pl

from testbed.model.errors import UserError

REQUIRED = ("timeStamp", "elapsed", "label", "success")
OPTIONAL = (
    *("responseCode", "responseMessage", "threadName", "failureMessage"),
    *("intended", "asOf", "URL", "bytes"),
)

SEPARATORS = (",", ";", "\t", "|")

DATES = ("%Y/%m/%d %H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M:%S%.f")
"""Formats of `timeStamp`; the first is JMeter's own."""

DATE = "2026/11/28 23:59:59.999"
"""An example of the first."""

CUT = 80
"""The most characters of a value in a message."""

SET_UP = r"^(setUp|tearDown) Thread Group\b"
"""JMeter's names of threads that do not put the load on the system."""

TRANSACTION = r"^Number of samples in transaction : (\d+)"
"""JMeter's message of the row of a transaction controller."""

SUB_RESULT = r"^(.+)-\d+$"
"""JMeter's label of a part of a sample: a redirect, or an embedded resource."""


_COLUMNS = {
    "timeStamp": pl.Int64,
    "elapsed": pl.Int64,
    "label": pl.Categorical,
    "responseCode": pl.String,
    "threadName": pl.Categorical,
    "success": pl.Boolean,
    "failureMessage": pl.String,
    "intended": pl.Int64,
    "asOf": pl.String,
}
_ISO = "%Y-%m-%dT%H:%M:%S%.fZ"


def recorded(path: Path) -> pl.DataFrame:
    """Read the needed columns of a recorded file in file order; an unreadable field is null."""
    try:
        try:
            return _scan_recorded(path)
        except pl.exceptions.ComputeError:
            return _scan_recorded(io.BytesIO(mended(text_of(path)).encode()))
    except (pl.exceptions.PolarsError, OSError) as error:
        first = cut(text_of(path).partition("\n")[0])
        raise UserError(
            f"{str(path)!r} is not a CSV file of the testbed's plans: its first line is {first}"
        ) from error


def _scan_recorded(source: Path | io.BytesIO) -> pl.DataFrame:
    table = pl.scan_csv(
        source,
        schema_overrides=_COLUMNS,
        ignore_errors=True,
        encoding="utf8-lossy",
        truncate_ragged_lines=True,
        row_index_name="row",
    )
    columns = table.collect_schema().names()
    planned = pl.col("intended") if "intended" in columns else pl.lit(None, pl.Int64)
    since = pl.col("asOf") if "asOf" in columns else pl.lit(None, pl.String)
    return table.select(*_named(planned, since)).collect()


def loose(path: Path, text: str) -> pl.DataFrame:
    """Read the text of a file of JMeter's that the testbed did not record."""
    return _loose(path, text).select(
        *_named(pl.col("intended"), pl.col("asOf")),
        pl.col("responseMessage").alias("response_message"),
        "URL",
        "bytes",
    )


def _named(planned: pl.Expr, since: pl.Expr) -> list[pl.Expr]:
    """Return the columns that are read, by the names that this module gives them."""
    return [
        pl.col("row"),
        pl.col("timeStamp").alias("start_ms"),
        pl.col("elapsed").alias("elapsed_ms"),
        pl.col("label").cast(pl.Categorical),
        pl.col("responseCode").fill_null("").alias("code"),
        pl.col("threadName").cast(pl.Categorical).alias("thread"),
        pl.col("success").alias("ok"),
        pl.col("failureMessage").alias("message"),
        planned.alias("intended_ms"),
        since.str.to_datetime(_ISO, time_unit="ms", strict=False)
        .dt.timestamp("ms")
        .alias("since_ms"),
    ]


def first_line(path: Path, rows: pl.DataFrame, is_line: bool = False) -> str:
    """Return the file and line of the first of some rows.

    A row may span several lines, unless its number is that of the line, from 0 (`is_line`).
    """
    if is_line:
        return f"{path.name} line {int(rows['row'].to_numpy().min()) + 1}"
    text = mended(text_of(path))
    records = csv.reader(io.StringIO(text, newline=""))
    # Skip the header and the rows before.
    for _ in islice(records, 1 + int(rows["row"].to_numpy().min())):
        pass
    return f"{path.name} line {records.line_num + 1}"


def _loose(path: Path, text: str) -> pl.DataFrame:
    """Return the rows of a sample file as text, with the columns of `REQUIRED` and `OPTIONAL`.

    ``row`` counts from 0. ``timeStamp`` (ms since the epoch) and ``elapsed`` (ms) are numbers,
    ``success`` is a truth value; all are null in a damaged row. A column that is not there is null.

    Raises `UserError` for a file that cannot be read for certain.
    """
    first, _, rest = text.partition("\n")
    separator = _separator(path, first)
    if not rest.strip():
        raise UserError(f"{path.name} has no samples: there is nothing after its first line")
    rows = _scan(path, text, separator)
    rows = rows.with_columns(
        pl.lit(None, pl.String).alias(name) for name in OPTIONAL if name not in rows.columns
    )
    _require_digits(path, rows)
    typed = rows.with_columns(
        _moment(rows["timeStamp"]).alias("timeStamp"),
        _number("elapsed").alias("elapsed"),
        pl.col("success")
        .str.to_lowercase()
        .replace_strict({"true": True, "false": False}, default=None, return_dtype=pl.Boolean),
        *(_number(name).alias(name) for name in ("intended", "bytes")),
    )
    for name, kind in (
        ("timeStamp", f"milliseconds since 1970, or a date like {DATE}"),
        ("elapsed", "a number of milliseconds"),
        ("success", "true or false"),
    ):
        if typed[name].is_null().all():
            raise UserError(f"{path.name} line 2: {name} is {cut(rows[name][0])}, not {kind}")
    return typed


def without_strange_rows(rows: pl.DataFrame) -> tuple[pl.DataFrame, Mapping[str, int]]:
    """Leave out the rows that are no load or that repeat others; return their number by kind.

    `rows` are in the order of the file, with the columns ``label``, ``thread`` and
    ``response_message``.

    - Set-up and tear-down thread groups put no load on the system.
    - A transaction controller writes a row after those of its samples, and a sample one before
      those of its parts. Either would count twice. The transaction and the whole sample stay, as a
      user waits for them.
    """
    left_out = {}
    for kind, strange in (
        ("of set-up and tear-down threads", pl.col("thread").cast(pl.String).str.contains(SET_UP)),
        ("of parts of samples", _part_of_sample()),
        ("within transactions", _within_transaction()),
    ):
        kept = rows.filter(~strange.fill_null(False))
        if count := rows.height - kept.height:
            left_out[kind] = count
        rows = kept
    return rows, left_out


def text_of(path: Path) -> str:
    """Return the text of a sample file; of a compressed one, if it ends in ``.gz``."""
    try:
        content = path.read_bytes()
        if path.suffix.lower() == ".gz":
            content = gzip.decompress(content)
    except (OSError, EOFError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else "damaged gzip"
        raise UserError(f"{path.name} cannot be read: {why}") from error
    text = content.decode("utf-8-sig", errors="replace")
    if not text.strip():
        raise UserError(f"{path.name} is empty")
    if text.lstrip().startswith("<"):
        raise UserError(
            f"{path.name} is XML, which JMeter writes only on request",
            "Write CSV: -Jjmeter.save.saveservice.output_format=csv",
        )
    return text


def _separator(path: Path, header: str) -> str:
    """Return the delimiter of the columns; refuse a file without a header or a needed column."""
    names = {separator: _names(header, separator) for separator in SEPARATORS}
    columns = {*REQUIRED, *OPTIONAL}
    separator = max(SEPARATORS, key=lambda separator: len(columns & {*names[separator]}))
    missing = [name for name in REQUIRED if name not in names[separator]]
    if len(missing) == len(REQUIRED):
        raise UserError(
            f"{path.name} line 1: no names of columns, but {cut(header.strip())}",
            "Write a header: -Jjmeter.save.saveservice.print_field_names=true",
        )
    if missing:
        raise UserError(
            f"{path.name} line 1: no column {', '.join(missing)}; there are "
            f"{', '.join(names[separator])}",
            f"Needed are {', '.join(REQUIRED)}.",
        )
    return separator


def _names(header: str, separator: str) -> list[str]:
    try:
        names = next(csv.reader([header.strip()], delimiter=separator), [])
    except csv.Error:
        # Too long for a field: no header.
        return []
    return [name.strip() for name in names]


def _scan(path: Path, text: str, separator: str) -> pl.DataFrame:
    """Read all columns as text; unclosed quotation marks do not reach beyond their record."""
    header, _, rest = text.partition("\n")
    names = _names(header, separator)
    wanted = [name for name in dict.fromkeys(names) if name in {*REQUIRED, *OPTIONAL}]

    def scan(body: str) -> pl.DataFrame:
        return pl.read_csv(
            io.BytesIO(body.encode()),
            separator=separator,
            has_header=False,
            schema=dict.fromkeys(_unique(names), pl.String),
            truncate_ragged_lines=True,
            row_index_name="row",
        ).select("row", *wanted)

    try:
        return scan(rest)
    except pl.exceptions.PolarsError:
        pass
    try:
        return scan(mended(rest))
    except pl.exceptions.PolarsError as error:
        raise UserError(f"{path.name} cannot be read as CSV from line 2 on") from error


def _unique(names: list[str]) -> list[str]:
    """Return names of columns of which none stands twice."""
    return [name if name not in names[:at] else f"{name} {at}" for at, name in enumerate(names)]


def mended(text: str) -> str:
    """Replace records with an unclosed quotation mark; the number of lines stays the same."""
    records = re.split(r"(?<=\n)(?=\d{10,}\D)", text)
    return "".join(
        record if record.count('"') % 2 == 0 else "?\n" * max(1, record.count("\n"))
        for record in records
    )


def _require_digits(path: Path, rows: pl.DataFrame) -> None:
    """Refuse times that a spreadsheet has rounded: 1.79591E+12."""
    rounded = rows.filter(pl.col("timeStamp").str.contains(r"(?i)^\d[\d.,]*e\+?\d+$"))
    if not rounded.is_empty():
        raise UserError(
            f"{path.name} line {rounded['row'][0] + 2}: timeStamp is "
            f"{cut(rounded['timeStamp'][0])}, which a spreadsheet has rounded",
            "Use the file that JMeter wrote.",
        )


def _number(name: str) -> pl.Expr:
    text = pl.col(name).str.strip_chars().str.replace(",", ".", literal=True)
    return text.cast(pl.Float64, strict=False).round().cast(pl.Int64, strict=False)


def _moment(texts: pl.Series) -> pl.Expr:
    """Return milliseconds since the epoch; the time zone of a date does not matter."""
    number = _number("timeStamp")
    if texts.str.strip_chars().str.contains(r"^\d+$").any():
        return number
    dates = [
        pl.col("timeStamp").str.strip_chars().str.to_datetime(pattern, time_unit="ms", strict=False)
        for pattern in DATES
    ]
    return pl.coalesce(dates).dt.timestamp("ms")


def _part_of_sample() -> pl.Expr:
    """Match parts of samples: rows within the time of their whole, which stands before them."""
    label = pl.col("label").cast(pl.String)
    whole = label.str.extract(SUB_RESULT, 1)
    start, end = pl.col("start_ms"), pl.col("start_ms") + pl.col("elapsed_ms")
    is_whole = whole.is_null() | ~whole.is_in(label.unique().implode())
    last = {
        name: pl.when(is_whole).then(value).forward_fill().over("thread")
        for name, value in (("label", label), ("start", start), ("end", end))
    }
    return ~is_whole & (last["label"] == whole) & (start >= last["start"]) & (end <= last["end"])


def _within_transaction() -> pl.Expr:
    """Match samples of which a transaction's row follows on the same thread."""
    counted = pl.col("response_message").cast(pl.String).str.extract(TRANSACTION, 1).cast(pl.Int64)
    is_transaction = counted.is_not_null()
    following = counted.backward_fill().over("thread")
    turn = (is_transaction.cum_sum() - is_transaction.cast(pl.UInt32)).over("thread")
    from_the_end = pl.int_range(pl.len(), 0, -1).over("thread", turn)
    # The transaction itself is the last of its turn.
    return ~is_transaction & (from_the_end - 1 <= following)


def cut(text: str | None) -> str:
    """Return a value as a message shows it."""
    shown = text or ""
    return repr(shown if len(shown) <= CUT else f"{shown[:CUT]}…")
