"""Read result files of other tools than JMeter into the rows of a sample file.

- k6: ``--out json`` and ``--out csv``. Each of its metrics has a line of its own; those of one
  request follow each other. A line has the time of the request's end.
- Gatling 3.12 and older: ``simulation.log``, a text. It is binary since 3.13.

What a tool does not record stays unknown, and `Source.lacks` says so. Tools that write summaries
are refused: no sample is made up.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from testbed.analysis.sample_files import cut
from testbed.model.errors import UserError

SAMPLES = "samples of JMeter, k6 (--out json=FILE.json) or Gatling (3.12 or older)"

SUMMARIES = (
    (r"^Running .*\btest @ ", "wrk, wrk2 or Hyperfoil"),
    (r"^Phase,Metric,Start,End,|hyperfoil\.io/run-schema|^PHASE +METRIC +THROUGHPUT", "Hyperfoil"),
    (r'^\s*\{[^{]*"(metrics|root_group)"\s*:', "k6's end-of-test summary"),
)
"""Expressions for the beginnings of files without samples, and what writes them."""

HEAD = 4000
"""As many characters of a file tell what wrote it."""

_DURATION, _BLOCKED, _FAILED = "http_req_duration", "http_req_blocked", "http_req_failed"
_TAGS = ("status", "error", "error_code", "name", "url", "group", "vu")
_KEPT = rf"({_DURATION}|{_BLOCKED}|{_FAILED}|vus|checks)"
_POINT = pl.Struct(
    {
        "metric": pl.String,
        "data": pl.Struct(
            {
                "time": pl.String,
                "value": pl.Float64,
                "tags": pl.Struct(dict.fromkeys(_TAGS, pl.String)),
                "metadata": pl.Struct({"vu": pl.String}),
            }
        ),
    }
)
_MOMENT = "%Y-%m-%dT%H:%M:%S%.f%#z"

KINDS = ("RUN", "ASSERTION", "REQUEST", "USER", "GROUP", "ERROR", "")
"""Of rows of Gatling."""

REDIRECTS = ("301", "302", "303", "307", "308")


@dataclass(frozen=True)
class Source:
    """The tool that wrote a file, and what the file does not tell."""

    tool: str = "JMeter"
    lacks: tuple[str, ...] = ()
    """What files of JMeter tell and this one does not, in words."""
    users: pl.DataFrame | None = None
    """How many ``users`` ran from ``from_ms`` to ``to_ms``, where the rows name no threads; None if
    unknown.
    """
    whole_seconds: bool = False
    """Whether times are whole seconds; durations are not."""


JMETER = Source()


@dataclass(frozen=True)
class Imported:
    """The rows of a file of another tool."""

    source: Source
    rows: pl.DataFrame
    """As `testbed.analysis.sample_files.loose` returns them; ``row`` is the line, from 0."""
    left_out: Mapping[str, int]
    """Number of rows that are no load, by kind."""


def read(path: Path, text: str) -> Imported | None:
    """Return what a file of another tool holds; None if no such tool wrote it.

    Raises `UserError` if the tool is known and its file has no samples that can be read.
    """
    head = text[:HEAD]
    if "\0" in head:
        raise UserError(
            f"{path.name} is binary, as Gatling's simulation.log since 3.13, which only Gatling "
            f"reads: give {SAMPLES}"
        )
    if re.match(r'\s*\{.*"type":\s*"(Metric|Point)"', head):
        return _k6_json(path, text)
    if head.startswith("metric_name,timestamp,metric_value,"):
        return _k6_csv(path, text)
    if re.match(r"(RUN|ASSERTION)\t", head):
        return _gatling(path, text)
    for beginning, tool in SUMMARIES:
        if re.search(beginning, head, re.MULTILINE):
            raise UserError(
                f"{path.name} is of {tool}, without samples, so its failures and its interval "
                f"cannot be computed: give {SAMPLES}"
            )
    if head.lstrip().startswith("{"):
        raise UserError(f"{path.name} line 1: JSON, but not of k6 run --out json: give {SAMPLES}")
    return None


def _k6_json(path: Path, text: str) -> Imported:
    lines = pl.DataFrame({"line": text.split("\n")}).with_row_index("row")
    line = pl.col("line").str.strip_chars()
    broken = ~(line.str.starts_with("{") & line.str.ends_with("}")) & (line != "")
    lines = lines.filter(line.str.contains(rf'"metric":\s*"{_KEPT}"') | broken)
    try:
        decoded = lines["line"].str.json_decode(_POINT)
    except pl.exceptions.ComputeError:
        decoded = pl.Series(map(_json_or_nothing, lines["line"])).str.json_decode(_POINT)
    data = pl.col("data").struct
    tag = data.field("tags").struct
    points = pl.DataFrame({"row": lines["row"], "point": decoded}).unnest("point")
    return _k6(
        path,
        points.select(
            "row",
            "metric",
            data.field("time").str.to_datetime(_MOMENT, time_unit="ns", strict=False).alias("at"),
            data.field("value"),
            *(tag.field(name) for name in _TAGS if name != "vu"),
            # Older versions count it among the tags.
            pl.coalesce(data.field("metadata").struct.field("vu"), tag.field("vu")).alias("vu"),
        )
        # The other lines of these metrics declare them.
        .filter(pl.col("at").is_not_null() | pl.col("metric").is_null()),
    )


def _json_or_nothing(line: str) -> str:
    try:
        json.loads(line)
    except ValueError:
        return "{}"
    return line


def _k6_csv(path: Path, text: str) -> Imported:
    try:
        table = pl.read_csv(
            io.BytesIO(text.encode()),
            infer_schema=False,
            truncate_ragged_lines=True,
            row_index_name="row",
        )
    except pl.exceptions.PolarsError as error:
        raise UserError(f"{path.name} cannot be read as CSV of k6 from line 2 on") from error
    further = [pl.col(name) for name in ("metadata", "extra_tags") if name in table.columns]
    unknown = pl.lit(None, pl.String)
    vu = pl.coalesce(unknown, *further)
    # Empty for a request in no group, as in JSON.
    group = pl.col("group").fill_null("") if "group" in table.columns else unknown
    points = table.filter(pl.col("metric_name").str.contains(f"^{_KEPT}$")).select(
        # The header is line 1.
        pl.col("row") + 1,
        pl.col("metric_name").alias("metric"),
        _k6_moment(table["timestamp"]).alias("at"),
        pl.col("metric_value").cast(pl.Float64, strict=False).alias("value"),
        *(
            pl.col(name) if name in table.columns else unknown.alias(name)
            for name in _TAGS
            if name not in ("vu", "group")
        ),
        group.alias("group"),
        (pl.col("vu") if "vu" in table.columns else vu.str.extract(r"(?:^|&)vu=(\d+)")).alias("vu"),
    )
    exact = table["timestamp"].str.contains(r"^\d{13,}$").all()
    return _k6(path, points, whole_seconds=not exact)


def _k6_moment(texts: pl.Series) -> pl.Expr:
    """Return the time of a row, by ``K6_CSV_TIME_FORMAT``: a number of some unit, or a date."""
    if not texts.str.contains(r"^\d+$").all():
        return pl.col("timestamp").str.to_datetime(_MOMENT, time_unit="ns", strict=False)
    # 10 digits are seconds, 13 milliseconds and so on.
    number = pl.col("timestamp").str.pad_end(19, "0").cast(pl.Int64, strict=False)
    return number.cast(pl.Datetime("ns", "UTC"))


def _k6(path: Path, points: pl.DataFrame, *, whole_seconds: bool = False) -> Imported:
    """Return the requests of k6 as rows.

    `points` has ``row``, ``metric``, ``at`` (the end), ``value`` and the tags; ``metric`` is null
    in a damaged line. An operation lasts from the request for a connection to the last byte, as
    JMeter counts.
    """
    requests = points.filter(pl.col("metric").str.starts_with("http_req_")).with_columns(
        (pl.col("metric") == _DURATION).cum_sum().alias("request")
    )
    durations = requests.filter(pl.col("metric") == _DURATION)
    if durations.is_empty():
        raise UserError(f"{path.name} has no {_DURATION}: k6 recorded no HTTP request in it")
    for metric in (_BLOCKED, _FAILED):
        following = (
            requests.filter(pl.col("metric") == metric)
            .unique("request", keep="first")
            .select("request", "at", pl.col("value").alias(metric))
        )
        durations = durations.join(following, on=["request", "at"], how="left")
        if durations[metric].is_null().all():
            raise UserError(
                f"{path.name} line {durations['row'][0] + 1}: no {metric} of the same request "
                f"follows {_DURATION}: give the file as k6 0.31 or newer wrote it"
            )
    # Requests of setup and teardown have no virtual user.
    of_nobody = pl.col("vu").is_null() & pl.col("vu").is_not_null().any()
    within = pl.col("group").is_in(["::setup", "::teardown"]).fill_null(False)
    started = durations.filter(~(within | of_nobody))
    if started.is_empty():
        raise UserError(f"{path.name} has no samples of users")
    elapsed = pl.col("value") + pl.col(_BLOCKED)
    end_ms = pl.col("at").dt.epoch("ns") / 1_000_000
    rows = started.select(
        "row",
        (end_ms - elapsed).round().cast(pl.Int64).alias("start_ms"),
        elapsed.round().cast(pl.Int64).alias("elapsed_ms"),
        pl.coalesce("name", "url", pl.lit("")).alias("label"),
        pl.when(pl.col("status") == "0")
        .then(pl.format("k6 error {}", pl.col("error_code").fill_null("")))
        .otherwise(pl.col("status"))
        .alias("code"),
        pl.format("VU {}", "vu").alias("thread"),
        (pl.col(_FAILED) == 0).alias("ok"),
        pl.col("error").alias("message"),
        pl.col("url").alias("URL"),
    )
    damaged = points.filter(pl.col("metric").is_null()).select("row")
    users = None if rows["thread"].is_not_null().all() else _k6_users(points)
    checks = points.filter(pl.col("metric") == "checks")["value"]
    redirects = int(rows["code"].is_in(REDIRECTS).sum())
    source = Source(
        "k6",
        lacks=_stated(
            (
                _threads("those of vus, recorded each second", users),
                rows["thread"].is_null().any(),
            ),
            ("times below a second: stalls and the trend are not checked", whole_seconds),
            (
                "groups: requests of setup and teardown count as operations",
                points["group"].is_null().all() and rows["thread"].is_null().any(),
            ),
            ("checks of the answer: a success is one by its status", checks.is_empty()),
            (
                f"the request of a check: {int((checks == 0).sum()):,} of {checks.len():,} checks "
                "failed, which is in no figure",
                not checks.is_empty(),
            ),
            (
                f"a redirect's request: {redirects:,} redirects count as operations",
                redirects > 0,
            ),
        ),
        users=users,
        whole_seconds=whole_seconds,
    )
    return Imported(
        source,
        rows=_columns(pl.concat([rows, damaged], how="diagonal")),
        left_out=_counted({"of setup and teardown": durations.height - started.height}),
    )


def _k6_users(points: pl.DataFrame) -> pl.DataFrame | None:
    """Return how many users ran, from the first to the last of equal samples."""
    samples = points.filter(pl.col("metric") == "vus").select(
        pl.col("at").dt.epoch("ms").alias("at_ms"), pl.col("value").cast(pl.Int64).alias("users")
    )
    if samples.is_empty():
        return None
    spells = samples.sort("at_ms", maintain_order=True).group_by(
        pl.col("users").rle_id().alias("spell"), maintain_order=True
    )
    return spells.agg(
        pl.col("at_ms").first().alias("from_ms"),
        pl.col("at_ms").last().alias("to_ms"),
        pl.col("users").first(),
    ).drop("spell")


def _gatling(path: Path, text: str) -> Imported:
    """Return the requests of a ``simulation.log``.

    Fields are separated by tabs, the first is the kind. Until 3.3 requests and users have a number.
    """
    lines = pl.Series("fields", text.split("\n")).str.strip_chars_end("\r").str.split("\t")
    table = lines.to_frame().with_row_index("row")
    fields = pl.col("fields").list
    table = table.with_columns(fields.first().alias("kind"))
    of_kind = dict(table.group_by("kind").len().iter_rows())
    requests = table.filter(pl.col("kind") == "REQUEST")
    if requests.is_empty():
        raise UserError(f"{path.name} has no REQUEST: Gatling recorded no request in it")
    status_at = _status_at(path, requests)

    def field(offset: int) -> pl.Expr:
        return fields.get(status_at + offset, null_on_oob=True)

    start, end = (field(offset).cast(pl.Int64, strict=False) for offset in (-2, -1))
    message = field(1).str.strip_chars()
    rows = requests.select(
        "row",
        start.alias("start_ms"),
        (end - start).alias("elapsed_ms"),
        field(-3).alias("label"),
        pl.coalesce(
            message.str.extract(r"^status\..*\bfound (\d{3})$"),
            message.str.extract(r"^((?:\w+\.)+\w*(?:Exception|Error))\b"),
        ).alias("code"),
        pl.lit(None, pl.String).alias("thread"),
        field(0)
        .replace_strict({"OK": True, "KO": False}, default=None, return_dtype=pl.Boolean)
        .alias("ok"),
        pl.when(message != "").then(message).alias("message"),
        pl.lit(None, pl.String).alias("URL"),
    )
    damaged = table.filter(~pl.col("kind").is_in(KINDS)).select("row")
    users = _gatling_users(table.filter(pl.col("kind") == "USER"), status_at)
    source = Source(
        "Gatling",
        lacks=_stated(
            (_threads("those that had started and not ended", users), True),
            ("response codes, but those of failed checks of the status", True),
        ),
        users=users,
    )
    return Imported(
        source,
        rows=_columns(pl.concat([rows, damaged], how="diagonal")),
        left_out=_counted(
            {
                "of groups": of_kind.get("GROUP", 0),
                "of errors without a request": of_kind.get("ERROR", 0),
            }
        ),
    )


def _status_at(path: Path, requests: pl.DataFrame) -> int:
    """Return which field of a request is OK or KO."""
    for fields in requests["fields"]:
        for at in (5, 6, 7):
            if len(fields) > at and fields[at] in ("OK", "KO"):
                return at
    raise UserError(
        f"{path.name} line {requests['row'][0] + 1}: a REQUEST without OK or KO: "
        f"{cut(' '.join(requests['fields'][0]))}"
    )


def _gatling_users(events: pl.DataFrame, status_at: int) -> pl.DataFrame | None:
    """Return how many users ran, from each start or end of one to the next."""
    fields = pl.col("fields").list
    step = fields.get(2 if status_at == 5 else 3, null_on_oob=True).replace_strict(
        {"START": 1, "END": -1}, default=None, return_dtype=pl.Int64
    )
    steps = (
        events.select(fields.last().cast(pl.Int64, strict=False).alias("at_ms"), step.alias("step"))
        .drop_nulls()
        .group_by("at_ms")
        .agg(pl.col("step").sum())
        .filter(pl.col("step") != 0)
        .sort("at_ms")
    )
    if steps.is_empty():
        return None
    last = pl.col("at_ms").max()
    return steps.select(
        pl.col("at_ms").alias("from_ms"),
        pl.col("at_ms").shift(-1).fill_null(last).alias("to_ms"),
        pl.col("step").cum_sum().alias("users"),
    )


def _threads(source: str, users: pl.DataFrame | None) -> str:
    if users is None:
        return "threads and users: whether all ran together is not checked"
    return f"threads: users are {source}"


def _stated(*sentences: tuple[str, bool | None]) -> tuple[str, ...]:
    return tuple(sentence for sentence, holds in sentences if holds)


def _counted(kinds: Mapping[str, int]) -> dict[str, int]:
    return {kind: count for kind, count in kinds.items() if count}


def _columns(rows: pl.DataFrame) -> pl.DataFrame:
    """Return rows in the order of the file, with all columns of a sample file."""
    return rows.sort("row").with_columns(
        pl.col("label", "thread").cast(pl.Categorical),
        pl.col("code").fill_null(""),
        *(pl.lit(None, pl.Int64).alias(name) for name in ("intended_ms", "since_ms", "bytes")),
        pl.lit(None, pl.String).alias("response_message"),
    )
