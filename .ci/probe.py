#!/usr/bin/env python3
"""Asks a running variant, or a result file, and says what is wrong.

probe.py list VARIANT PORT CINEMAS [MISSING]   one list of movies names so many cinemas, and who is missing
probe.py targets PORT FILE                     Prometheus reaches every target of a file
probe.py samples FILE LABEL OPERATIONS         no sample failed, and so many are labelled LABEL
probe.py source PORT REQUESTS                  a feed has asked its source at least once, and at most so often
probe.py old PORT                              a cache before a feed whose source refuses tells rates that it knows
probe.py refused PORT                          a cache hands a refusal of its source to all that wait, at once
probe.py dashboards PORT VARIANT SECONDS FOLDER
    within so many seconds Prometheus has data for every query that a folder's dashboards have for a variant
"""

import csv
import json
import re
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

# As long as an answer is waited for at most, by a client and by what it asks.
WAIT_S, PREFERRED_S = 120, 30
# More than FEED_FRESH in check-variant.sh, and less than FEED_STALE.
RATE_OLD_S = 3
CLIENTS = 10
CROWD = 30
# Nginx lets requests wait for each other for so long by default.
LOCKED_S = 5
TRIES = 3

# What a dashboard asks for is looked for in this time before now, at the data source's own resolution.
LOOK_BACK_S = 300
STEP_S = 5
# What Grafana puts in place of its variables at that resolution.
VARIABLES = {"$__rate_interval": "20s", "$__interval": f"{STEP_S}s", "$__range": f"{LOOK_BACK_S}s"}
# Dashboard and panel that show nothing as long as all is well.
RIGHTLY_EMPTY = {("Testbed overview", "Alerts")}
POOLS = {
    ("Testbed overview", "Connections in use, by pool"),
    ("Testbed overview", "Requests that wait for a connection, by pool"),
}
# Posters and rates come over clients without a pool. Who builds a ticket on request has no queue, as its panel says.
EMPTY_OF = {
    **dict.fromkeys(("poster-composite", "poster-chain", "poster-chain-forward", "feed"), POOLS),
    "ticket-direct": {("Tickets: on request", "Wait for the builder, mean")},
}


def main(arguments: list[str]) -> None:
    match arguments:
        case ["list", variant, port, cinemas, *missing]:
            wrong = wrong_list(variant, f"http://localhost:{port}", int(cinemas), missing)
        case ["targets", port, file]:
            wrong = wrong_targets(f"http://localhost:{port}", Path(file))
        case ["samples", file, label, operations]:
            wrong = wrong_samples(Path(file), label, int(operations))
        case ["source", port, requests]:
            wrong = wrong_source(f"http://localhost:{port}", int(requests))
        case ["old", port]:
            wrong = wrong_old(f"http://localhost:{port}")
        case ["refused", port]:
            wrong = wrong_refusals(f"http://localhost:{port}")
        case ["dashboards", port, variant, seconds, folder]:
            wrong = wrong_dashboards(f"http://localhost:{port}", variant, float(seconds), Path(folder))
        case _:
            sys.exit(__doc__)
    if wrong:
        sys.exit(wrong)


def get(url: str, **headers: str) -> tuple[int, dict[str, str], str]:
    request = urllib.request.Request(url, headers=headers)
    with urllib.request.urlopen(request, timeout=WAIT_S) as answer:
        return answer.status, dict(answer.headers), answer.read().decode()


def wrong_list(variant: str, base: str, cinemas: int, missing: list[str]) -> str | None:
    status, headers, body = get(f"{base}/api/movie/list")
    if variant == "async":
        if status != 202:
            return f"the request is answered with {status}"
        status, headers, body = get(f"{base}/api/movie/list/{body.strip()}", Prefer=f"wait={PREFERRED_S}")
    if status != 200:
        return f"the list is answered with {status}"
    answered = [cinema["cinemaName"] for cinema in json.loads(body) if cinema["movies"]]
    named = headers.get("Cinemas-Missing", "").replace(" ", "").split(",")
    if len(answered) != cinemas or named != (missing or [""]):
        return f"answered: {answered}, named as missing: {named}"
    return None


def wrong_targets(base: str, file: Path) -> str | None:
    expected = set(re.findall(r"[\w-]+:\d+", file.read_text()))
    _, _, body = get(f"{base}/api/v1/targets?state=active")
    up = {
        target["labels"]["instance"]
        for target in json.loads(body)["data"]["activeTargets"]
        if target["health"] == "up"
    }
    return f"not up: {sorted(expected - up)}" if expected != up else None


def wrong_samples(file: Path, label: str, operations: int) -> str | None:
    with file.open(newline="") as rows:
        samples = list(csv.DictReader(rows))
    failed = [row for row in samples if row["success"] != "true"]
    if failed:
        kinds = {(row["label"], row["responseCode"], row["failureMessage"]) for row in failed}
        return f"{len(failed)} of {len(samples)} samples failed: {sorted(kinds)[:5]}"
    count = sum(row["label"] == label for row in samples)
    return f"{count} operations, not {operations}" if count != operations else None


def wrong_source(base: str, requests: int) -> str | None:
    _, _, body = get(f"{base}/actuator/prometheus")
    counts = re.findall(r"^feed_source_seconds_count{.*} (\S+)$", body, re.MULTILINE)
    asked = sum(map(float, counts))
    return None if 1 <= asked <= requests else f"it was asked {asked:.0f} times, not 1 to {requests}"


def wrong_old(base: str) -> str | None:
    # A cache keeps an answer for each address, so that the source refuses the first request of some of them.
    addresses = [f"{base}/api/rates/eur_usd?address={number}" for number in range(20)]
    # All clients ask for one address at once.
    asked = [address for address in addresses for _ in range(CLIENTS)]
    with ThreadPoolExecutor(CLIENTS) as clients:
        first = list(clients.map(answered, asked))
        end = time.monotonic() + WAIT_S
        for address in addresses:
            while time.monotonic() < end and not answered(address):
                pass
        time.sleep(RATE_OLD_S)
        failed = list(clients.map(answered, asked)).count(False)
    if all(first):
        return "the source has refused nothing"
    return f"{failed} requests failed for rates that were known" if failed else None


def wrong_refusals(base: str) -> str | None:
    def seconds(address: str) -> float:
        began = time.monotonic()
        if answered(address):
            sys.exit("the source has answered")
        return time.monotonic() - began

    # A slow machine may be late by itself, but not each time.
    for _ in range(TRIES):
        with ThreadPoolExecutor(CROWD) as clients:
            times = list(clients.map(seconds, [f"{base}/api/rates/eur_usd?address=refused"] * CROWD))
        late = sum(took >= LOCKED_S for took in times)
        if not late:
            break
    return f"{late} of {CROWD} clients waited for {LOCKED_S} s or more" if late else None


def answered(address: str) -> bool:
    try:
        get(address)
    except urllib.error.HTTPError as refused:
        if refused.code != 503:
            raise
        return False
    return True


class PanelQuery(NamedTuple):
    dashboard: str
    panel: str
    expr: str
    legend: str


def wrong_dashboards(base: str, variant: str, seconds: float, folder: Path) -> str | None:
    empty = RIGHTLY_EMPTY | EMPTY_OF.get(variant, set())
    asked = [query for query in panel_queries(folder, variant) if query[:2] not in empty]
    if not asked:
        return f"no dashboard in {folder} is meant for {variant}"
    end = time.monotonic() + seconds
    lacking = {query: why for query in asked if (why := lacks(base, query, variant))}
    while lacking and time.monotonic() < end:
        time.sleep(STEP_S / 2)
        lacking = {query: why for query in lacking if (why := lacks(base, query, variant))}
    print(f"{len(asked) - len(lacking)} of {len(asked)} panel queries have data")
    return "\n".join(
        f"{query.dashboard} / {query.panel}: {why}: {query.expr}" for query, why in lacking.items()
    )


def panel_queries(folder: Path, variant: str) -> Iterator[PanelQuery]:
    """The queries meant for a variant: those that name it, or none while their dashboard's tags do."""
    for file in sorted(folder.glob("*.json")):
        dashboard = json.loads(file.read_text())
        for panel in dashboard["panels"]:
            for target in panel.get("targets", []):
                legend = target.get("legendFormat", "")
                query = PanelQuery(dashboard["title"], panel["title"], target["expr"], legend)
                named = re.findall(r'variant="([\w-]+)"', query.expr)
                tagged = f"variant:{variant}" in dashboard["tags"]
                if variant in named if named else tagged:
                    yield query


def lacks(base: str, query: PanelQuery, variant: str) -> str | None:
    """Why a query draws nothing, or None if it does."""
    try:
        drawn = series(base, query, variant, time.time() - LOOK_BACK_S)
    except urllib.error.HTTPError as refused:
        return json.loads(refused.read())["error"]
    return None if any(drawn.values()) else "no data"


def series(base: str, query: PanelQuery, variant: str, since: float) -> dict[str, list[float]]:
    """What a query draws from a moment to now, by its legend. Not a number is not drawn."""
    expr = query.expr.replace("$variant", variant)
    for name, value in VARIABLES.items():
        expr = expr.replace(name, value)
    now = time.time()
    asked = {"query": expr, "start": min(since, now), "end": now, "step": STEP_S}
    _, _, body = get(f"{base}/api/v1/query_range?{urlencode(asked)}")
    drawn: dict[str, list[float]] = {}
    for result in json.loads(body)["data"]["result"]:
        legend = re.sub(r"{{(\w+)}}", lambda label: result["metric"].get(label[1], ""), query.legend)
        values = [float(value) for _, value in result["values"] if value != "NaN"]
        drawn.setdefault(legend, []).extend(values)
    return drawn


if __name__ == "__main__":
    main(sys.argv[1:])
