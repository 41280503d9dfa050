"""Lays out JMeter without Maven: its parts come from Maven's central repository."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import httpx

from testbed.model.errors import UserError

LIST = Path(__file__).with_name("jmeter_parts.txt")

CENTRAL = "https://repo1.maven.org/maven2"
"""Where parts are fetched from, unless ``TESTBED_MAVEN`` names a mirror."""

AT_ONCE = 8
TIMEOUT_S = 60.0
TRIES = 3

CONFIGURATION = "bin/"
"""The place of the part that is unpacked."""


@dataclass(frozen=True)
class JMeterPart:
    sha256: str
    source: str
    """Its path in a Maven repository."""
    place: str
    """Its path in JMeter."""


def listed() -> Iterator[JMeterPart]:
    for line in LIST.read_text(encoding="ascii").splitlines():
        if not line.startswith("#"):
            yield JMeterPart(*line.split())


def is_complete(home: Path) -> bool:
    """Return whether a JMeter was laid out in a folder; half of one never is."""
    return home.is_dir()


def fetch(
    home: Path,
    notice: Callable[[str], None] = lambda _: None,
    local: Path | None = None,
) -> None:
    """Lay out JMeter in a folder that is not there yet.

    A part is taken from the repository `local`, by default the user's own of Maven, if it is there
    with the right SHA-256, and fetched otherwise. Raises `UserError` if one cannot be fetched, or
    is not the listed one.
    """
    own = local or Path.home() / ".m2" / "repository"
    parts = list(listed())
    draft = home.with_name(f"{home.name}.partial")
    shutil.rmtree(draft, ignore_errors=True)
    limits = httpx.Limits(max_connections=AT_ONCE)
    with (
        httpx.Client(timeout=TIMEOUT_S, follow_redirects=True, limits=limits) as http,
        ThreadPoolExecutor(AT_ONCE) as pool,
    ):
        contents = pool.map(lambda part: _content(part, own, http), parts)
        for number, (part, content) in enumerate(zip(parts, contents, strict=True), 1):
            notice(f"{number} of {len(parts)} parts")
            if part.place == CONFIGURATION:
                with zipfile.ZipFile(io.BytesIO(content)) as archive:
                    names = [name for name in archive.namelist() if name.startswith(CONFIGURATION)]
                    archive.extractall(draft, names)
            else:
                file = draft / part.place
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
    # JMeter complains when this folder of its release is missing.
    (draft / "lib" / "junit").mkdir()
    draft.replace(home)


def _content(part: JMeterPart, local: Path, http: httpx.Client) -> bytes:
    file = local / part.source
    if file.is_file() and _is(part, content := file.read_bytes()):
        return content
    base = os.environ.get("TESTBED_MAVEN") or CENTRAL
    url = f"{base.rstrip('/')}/{part.source}"
    for number in range(TRIES):
        try:
            content = http.get(url).raise_for_status().content
            break
        except (httpx.HTTPError, httpx.InvalidURL) as problem:
            if number + 1 == TRIES:
                raise UserError(
                    f"JMeter's part {url} cannot be fetched: {problem}",
                    "Is there a way to the internet? TESTBED_MAVEN names a mirror of Maven's "
                    "central repository.",
                ) from problem
    if not _is(part, content):
        raise UserError(f"{url} is not the part that is expected: its SHA-256 differs")
    return content


def _is(part: JMeterPart, content: bytes) -> bool:
    return hashlib.sha256(content).hexdigest() == part.sha256
