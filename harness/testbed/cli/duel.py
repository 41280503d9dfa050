"""The command that compares two versions of a user's own service: duel."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml
from rich.markup import escape

from testbed import LAUNCHER
from testbed.cli.console import console
from testbed.cli.experiments import measured_to_the_end
from testbed.cli.options import (
    FailIfOption,
    JsonOption,
    JunitOption,
    MarkdownOption,
    OffsetOption,
    PairsOption,
    QuickOption,
    UntilOption,
    parse_percent,
    require_one_length,
)
from testbed.experiment import reading
from testbed.experiment.declaration import Experiment
from testbed.model import systems, values
from testbed.model.errors import UserError
from testbed.model.project import Project

NAME = "duel"

VARIANT = "service"
"""What both systems are: two versions of it."""

_SERVICE = rf"^  declares\.{VARIANT}"
OPTIONS = {
    rf"{_SERVICE}: health:": "  --health:",
    rf"{_SERVICE}\.workloads\.(get|post)(\.path)?:": r"  --\1:",
    rf"{_SERVICE}\.workloads\.\w+\.headers:": "  --header:",
    rf"{_SERVICE}\.token\.": "  --token-",
    rf"{_SERVICE}\.(workloads\.\w+\.)?(\w+)(\[\d+\])?:": r"  --\2:",
    r"^  threads(\[\d+\])?:": "  --threads:",
    r"^  systems\.[^:]*\.target:": "  URL:",
    r"^  systems\.([^:]*): '\1':": r"  --names: '\1':",
}
"""What the keys of an experiment are given by."""

DECIDING = 3
"""Starts of a version alone: fewer decide nothing."""


def duel(
    url: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[URL URL]",
            help="Two services that run already, such as http://localhost:9001.",
        ),
    ] = None,
    command: Annotated[
        list[str] | None,
        typer.Option(
            help="Starts a version, with {port} where it takes its port. Give two; the first is "
            "the baseline."
        ),
    ] = None,
    compose: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A compose file: versions are images of a service."),
    ] = None,
    image: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SERVICE=IMAGE",
            help="With --compose: what a version runs. Give two, of one service.",
        ),
    ] = None,
    front: Annotated[
        str | None,
        typer.Option(
            metavar="SERVICE:PORT",
            help="With --compose: what is asked, and its port in its container.",
        ),
    ] = None,
    get: Annotated[str | None, typer.Option(metavar="PATH", help="What is asked.")] = None,
    post: Annotated[
        str | None, typer.Option(metavar="PATH", help="Where --body is sent, instead of --get.")
    ] = None,
    body: Annotated[
        str | None, typer.Option(help="A text, or @FILE. ${n} is the number of the request.")
    ] = None,
    csv: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Values: {NAME} in path, body and headers is the column of this name. Each "
            "request has the next row.",
        ),
    ] = None,
    header: Annotated[
        list[str] | None,
        typer.Option(metavar="'NAME: VALUE'", help="Of each request. Repeatable."),
    ] = None,
    token_url: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Gives a token, once before everything starts, for 'Authorization: Bearer'.",
        ),
    ] = None,
    token_form: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE",
            help="Sent there by POST; otherwise it is a GET. '${NAME}' as a value is read from the "
            "environment, and is in no result. Repeatable.",
        ),
    ] = None,
    token_member: Annotated[
        str, typer.Option(metavar="NAME", help="The member of the JSON answer that is the token.")
    ] = "access_token",
    status: Annotated[int, typer.Option(help="Of a right answer.")] = 200,
    contains: Annotated[
        list[str] | None, typer.Option(help="A text that a right answer contains. Repeatable.")
    ] = None,
    health: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="Answers 200 when a version is ready. Default: --get."),
    ] = None,
    port: Annotated[
        int,
        typer.Option(
            help="Of the first version; the second's is +1000. With --compose the first free one "
            "from there."
        ),
    ] = 9000,
    threads: Annotated[
        str, typer.Option(help="Users of a closed loop; several levels by commas.")
    ] = "10",
    names: Annotated[
        str | None, typer.Option(metavar="A,B", help="What the versions are called in the report.")
    ] = None,
    alone: Annotated[
        bool,
        typer.Option(
            "--alone",
            help="Measure one version and keep it: 'report NEW --compare OLD' compares such "
            "results, less surely than pairs. Three starts by default.",
        ),
    ] = False,
    quick: QuickOption = False,
    pairs: PairsOption = None,
    until: UntilOption = None,
    port_offset: OffsetOption = 0,
    fail_if: FailIfOption = None,
    as_json: JsonOption = False,
    junit: JunitOption = None,
    markdown: MarkdownOption = None,
) -> None:
    """Compare two versions of your own service: both up, warm, and loaded in turns.

    For example: duel --command './serve --port {port}' --command './serve-new --port {port}'
    --get /api/items --threads 10,50
    """
    require_one_length(quick=quick, pairs=pairs, until=until)
    count = 1 if alone else 2
    workload = _workload(get, post, body, csv, header or (), status, contains or ())
    system = {"port": port, "workloads": workload, **({"health": health} if health else {})}
    system |= _token(token_url, token_form or (), token_member)
    if compose or image or front:
        system |= _started(compose, front)
        if url or command:
            raise UserError("--compose excludes --command and URLs: give one kind of versions")
        versions: Sequence[dict[str, Any]] = _images(image or (), count)
    else:
        versions = _reached(url or (), command or (), count)
    if alone and (names is not None or until is not None):
        raise UserError("--alone excludes --names and --until: nothing is compared yet")
    plan = planned(
        system,
        {VARIANT: versions[0]} if alone else _named(versions, names or "first,second"),
        [_whole("--threads", text) for text in threads.split(",")],
        each=4,
        repetitions=1 if quick else pairs or (DECIDING if alone else 2),
        precision=None if until is None else parse_percent(until),
    )
    results = measured_to_the_end(
        plan, port_offset, fail_if=fail_if, as_json=as_json, junit=junit, markdown=markdown
    )
    if alone and not as_json:
        shown = escape(Project.find().shown(results))
        console.print(
            f"To compare with a later version: {LAUNCHER} report RESULTS --compare {shown}",
            soft_wrap=True,
        )


def planned(
    system: dict[str, Any],
    versions: dict[str, dict[str, Any]],
    threads: Sequence[int],
    *,
    each: int,
    repetitions: int,
    precision: float | None = None,
) -> Experiment:
    """Return the experiment that compares versions of a system; raise `UserError` if it is none."""
    length = {"repetitions": repetitions}
    data = {
        "name": NAME,
        "description": "Which version is better?",
        "declares": {VARIANT: system},
        "systems": {name: {"variant": VARIANT, **how} for name, how in versions.items()},
        "threads": list(threads),
        "blocks": {"seconds": 4, "settle": 1, "each": each},
        "warmup": {"threads": max(threads), "window": 4},
        **(length if precision is None else {"precision": {"within": precision}}),
    }
    try:
        return reading.parse(yaml.safe_dump(data, sort_keys=False), NAME)
    except UserError as problem:
        raise UserError(_of_options(problem.message), problem.hint) from problem


def _of_options(message: str) -> str:
    """Return what is wrong with an experiment as what is wrong with options."""
    first, *lines = message.splitlines()
    # The users of the warm-up are those of the highest level.
    described = [line for line in lines if not line.startswith("  warmup.threads")]
    for pattern, option in OPTIONS.items():
        described = [re.sub(pattern, option, line) for line in described]
    return "\n".join(["these options do not fit:" if lines else first, *described])


def _reached(urls: Sequence[str], commands: Sequence[str], count: int) -> list[dict[str, Any]]:
    """Return how each version is reached, or by which command it is started."""
    kind, given = ("target", urls) if urls else ("command", commands)
    if bool(urls) == bool(commands) or len(given) != count:
        wanted = "two URLs, or --command twice" if count == 2 else "one URL, or --command once"
        raise UserError(
            f"give {wanted}; there are {len(urls)} and {len(commands)}",
            "For example: duel http://localhost:9001 http://localhost:9002 --get /api/items",
        )
    return [{kind: value} for value in given]


def _started(compose: Path | None, front: str | None) -> dict[str, str]:
    """Return the keys of a system that a compose file starts."""
    if compose is None:
        raise UserError("--image and --front need --compose FILE")
    if not compose.is_file():
        raise UserError(f"--compose: no file {str(compose)!r}")
    if front is None:
        raise UserError("--compose needs --front SERVICE:PORT: what is asked, such as api:8080")
    try:
        systems.endpoint(front)
    except ValueError as problem:
        raise UserError(f"--front: {problem}") from None
    return {"compose": _inside(compose), "front": front}


def _inside(file: Path) -> str:
    """Return the path of a file from the user's folder, if it is in it."""
    file, folder = file.absolute(), Project.find().folder.absolute()
    return str(file.relative_to(folder) if file.is_relative_to(folder) else file)


def _token(url: str | None, form: Sequence[str], member: str) -> dict[str, Any]:
    """Return the key of a system that has a token fetched; empty for none."""
    if url is None:
        if form:
            raise UserError("--token-form needs --token-url URL")
        return {}
    pairs = [text.partition("=") for text in form]
    for text, (name, equals, _) in zip(form, pairs, strict=True):
        if not (name and equals):
            raise UserError(f"--token-form {text.partition('=')[0]!r} is not of the form KEY=VALUE")
    sent = {name: value for name, _, value in pairs}
    return {"token": {"url": url, "form": sent, "member": member}}


def _images(given: Sequence[str], count: int) -> list[dict[str, Any]]:
    """Return the image of each version."""
    pairs = [text.partition("=") for text in given]
    for text, (service, _, image) in zip(given, pairs, strict=True):
        if not (service and image):
            raise UserError(f"--image {text!r} is not of the form SERVICE=IMAGE")
    if len(given) != count:
        times = "twice, once for each version" if count == 2 else "once"
        raise UserError(
            f"give --image {times}; there are {len(given)}",
            "For example: --image api=shop:1.4 --image api=shop:1.5",
        )
    (first, _, old), (second, _, new) = pairs[0], pairs[-1]
    if first != second:
        raise UserError(
            f"--image: {first!r} and {second!r}: the versions differ in one service's image",
            "Give two images of one service.",
        )
    if old == new and count == 2:
        raise UserError(
            f"--image: {old!r} twice is an A/A: a version against itself",
            f"To check that nothing is found, give it a second name: docker tag {old} same:aa",
        )
    return [{"images": {service: image}} for service, _, image in pairs]


def _named(versions: Sequence[dict[str, Any]], names: str) -> dict[str, dict[str, Any]]:
    called = [name.strip() for name in names.split(",")]
    if len(called) != 2 or called[0] == called[1]:
        raise UserError(f"--names {names!r}: give two different names, such as main,new")
    return dict(zip(called, versions, strict=True))


def _workload(
    get: str | None,
    post: str | None,
    body: str | None,
    csv: Path | None,
    headers: Sequence[str],
    status: int,
    contains: Sequence[str],
) -> dict[str, Any]:
    if (get is None) == (post is None):
        raise UserError("give --get PATH or --post PATH: what is asked of both versions")
    if body is not None and post is None:
        raise UserError("--body needs --post PATH")
    method = "get" if post is None else "post"
    sent: dict[str, Any] = {}
    if body is not None:
        sent = {"file": body[1:]} if body.startswith("@") else {"body": body}
        if (file := sent.get("file")) and not Path(file).is_file():
            raise UserError(f"--body: no file {file!r}")
        if file and csv is not None:
            # A file is sent as it is, so without values.
            sent = {"body": Path(file).read_text(encoding="utf-8")}
    pairs = [text.partition(":") for text in headers]
    for text, (name, colon, _) in zip(headers, pairs, strict=True):
        if not (name.strip() and colon):
            raise UserError(f"--header {text!r} is not of the form 'NAME: VALUE'")
    if csv is not None:
        texts = (sent.get("body", ""), *(text for _, _, text in pairs))
        values.require_used(values.read(csv), str(get or post), texts)
        sent["csv"] = _inside(csv)
    return {
        method: {
            method: post if get is None else get,
            "noun": "requests",
            "status": status,
            "headers": {name.strip(): value.strip() for name, _, value in pairs},
            "contains": list(contains),
            **sent,
        }
    }


def _whole(option: str, text: str) -> int:
    if not text.strip().isdecimal():
        raise UserError(f"{option} {text!r} is not a whole number")
    return int(text)
