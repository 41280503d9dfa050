#!/usr/bin/env python3
"""Asks a running variant, or a result file, and says what is wrong.

probe.py list VARIANT PORT CINEMAS [MISSING]   one list of movies names so many cinemas, and who is missing
probe.py targets PORT FILE                     Prometheus reaches every target of a file
probe.py samples FILE LABEL OPERATIONS         no sample failed, and so many are labelled LABEL
"""

import csv
import json
import re
import sys
import urllib.request
from pathlib import Path

WAIT_S = 10


def main(arguments: list[str]) -> None:
    match arguments:
        case ["list", variant, port, cinemas, *missing]:
            wrong = wrong_list(variant, f"http://localhost:{port}", int(cinemas), missing)
        case ["targets", port, file]:
            wrong = wrong_targets(f"http://localhost:{port}", Path(file))
        case ["samples", file, label, operations]:
            wrong = wrong_samples(Path(file), label, int(operations))
        case _:
            sys.exit(__doc__)
    if wrong:
        sys.exit(wrong)


def get(url: str, **headers: str) -> tuple[int, dict[str, str], str]:
    request = urllib.request.Request(url, headers=headers)
    with urllib.request.urlopen(request, timeout=2 * WAIT_S) as answer:
        return answer.status, dict(answer.headers), answer.read().decode()


def wrong_list(variant: str, base: str, cinemas: int, missing: list[str]) -> str | None:
    status, headers, body = get(f"{base}/api/movie/list")
    if variant == "async":
        if status != 202:
            return f"the request is answered with {status}"
        status, headers, body = get(f"{base}/api/movie/list/{body.strip()}", Prefer=f"wait={WAIT_S}")
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
    found = sum(row["label"] == label for row in samples)
    return f"{found} operations, not {operations}" if found != operations else None


if __name__ == "__main__":
    main(sys.argv[1:])
