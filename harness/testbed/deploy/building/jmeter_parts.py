"""Lays out JMeter without Maven: its parts come from Maven's central repository."""

from __future__ import annotations

import io
import shutil
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from testbed.deploy.building import repository

LIST = Path(__file__).with_name("jmeter_parts.txt")

AT_ONCE = 8

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

    Each part is found as `repository.content` says, which also raises its errors.
    """
    parts = list(listed())
    draft = home.with_name(f"{home.name}.partial")
    shutil.rmtree(draft, ignore_errors=True)
    with repository.client(AT_ONCE) as http, ThreadPoolExecutor(AT_ONCE) as pool:
        contents = pool.map(
            lambda part: repository.content(part.source, part.sha256, http, local), parts
        )
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
