"""However the steps of a poster are split among services, its client gets the same."""

from __future__ import annotations

import contextlib
import hashlib
import io
import random
import struct
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import httpx
import pytest
import yaml
from PIL import Image

from testbed.deploy.stack import Stack
from testbed.model import systems
from testbed.model.project import Project

from . import rest_client
from .conftest import BASE_URL, START_LIMIT_S, started
from .openapi import Document, document_text
from .product import problem
from .served import (
    CLIENTS,
    HOSTILE,
    HOSTILE_IN_CHAINS,
    address_of,
    assert_flat,
    checked_client,
    peak_mb,
)
from .test_request_files import ask, moved, variables

PORT_OFFSET = 6000
"""Of the first system; each further one has 1,000 more."""

SYSTEMS = ("poster-composite", "poster-chain", "poster-chain-forward")
SETTINGS = {"POSTER_WIRE": "raw"}
MODULE = "poster-service"
STEPS = "adjust, convert, label"
IMAGES = Project.find().plans / "images"
JPEG = {"Content-Type": "image/jpeg"}
PNG = {"Content-Type": "image/png"}

LARGE = bytes(9_000_000)

pytestmark = pytest.mark.timeout(2 * START_LIMIT_S)


@dataclass(frozen=True)
class Posters:
    """A running system."""

    name: str
    stack: Stack
    http: httpx.Client

    def edit(self, body: bytes, headers: Mapping[str, str]) -> httpx.Response:
        """Return the answer to a poster, checked against the document."""
        return self.http.post("/api/posters", content=body, headers=dict(headers))


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Posters]]:
    """All systems at once, by name."""
    if BASE_URL:
        pytest.skip("TESTBED_BASE_URL: another system runs")
    document = Document(MODULE)
    with contextlib.ExitStack() as open_until_the_end:
        posters_of = {}
        for place, name in enumerate(SYSTEMS):
            folder = tmp_path_factory.mktemp(name)
            stack = open_until_the_end.enter_context(
                started(name, SETTINGS, folder, PORT_OFFSET + 1000 * place)
            )
            http = checked_client(address_of(stack), document, "/api")
            posters_of[name] = Posters(name, stack, open_until_the_end.enter_context(http))
        yield posters_of


@pytest.fixture(params=SYSTEMS)
def posters(request: pytest.FixtureRequest, running: dict[str, Posters]) -> Posters:
    return running[request.param]


def noise(width: int, height: int, seed: int) -> bytes:
    """Return a PNG of random colours, which hides no difference."""
    pixels = random.Random(seed).randbytes(3 * width * height)
    file = io.BytesIO()
    Image.frombytes("RGB", (width, height), pixels).save(file, "PNG", compress_level=1)
    return file.getvalue()


@pytest.mark.parametrize("size", [(1280, 720), (1930, 300), (640, 1200)], ids=str)
def test_every_system_gives_the_same_pixels(
    running: dict[str, Posters], size: tuple[int, int]
) -> None:
    image = noise(*size, seed=1)

    answers = [system.edit(image, PNG) for system in running.values()]

    digests = {answer.headers["Poster-Digest"] for answer in answers}
    assert len(digests) == 1
    assert len({answer.content for answer in answers}) == 1
    assert {answer.headers["Poster-Steps"] for answer in answers} == {STEPS}
    gray = Image.open(io.BytesIO(answers[0].content))
    assert gray.mode == "L"
    raw = struct.pack(">IIB", *gray.size, 1) + gray.tobytes()
    assert hashlib.sha256(raw).hexdigest() in digests


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("720p", (1280, 720)),
        ("1440p", (1920, 1080)),
        ("2160p", (1920, 1080)),
    ],
)
def test_images_of_the_plans_are_edited(posters: Posters, name: str, size: tuple[int, int]) -> None:
    answer = posters.edit((IMAGES / f"{name}.jpg").read_bytes(), JPEG)

    assert answer.status_code == httpx.codes.OK
    edited = Image.open(io.BytesIO(answer.content))
    edited.load()
    assert (edited.format, edited.mode, edited.size) == ("JPEG", "L", size)


def test_the_system_is_complete_with_every_step(posters: Posters) -> None:
    assert posters.http.get("/api/posters/steps").json() == STEPS.split(", ")
    assert posters.stack.missing() is None


def test_the_document_is_served(posters: Posters) -> None:
    served = posters.http.get("/openapi.yaml").text
    assert yaml.safe_load(served) == yaml.safe_load(document_text(MODULE))


def test_requests_are_answered_as_titled(posters: Posters) -> None:
    folder = Project.find().root / "docs" / "requests" / "posters"
    file = folder / "posters.http"
    values = variables(file) | {"base": str(posters.http.base_url)}
    assert ask(file, posters.http, values) == len(
        list(rest_client.requests(file.read_text(encoding="utf-8")))
    )
    if posters.name == "poster-composite":
        return
    file = folder / "health.http"
    by = posters.stack.deployment.front_port - systems.declaration(posters.name).front.port
    assert ask(file, posters.http, moved(file, by)) == 9


def test_a_body_says_its_length(posters: Posters) -> None:
    answer = posters.http.post("/api/posters", content=iter([b"any"]), headers=JPEG)
    problem(answer, 411, "length-required")


def chunk(kind: bytes, content: bytes) -> bytes:
    checked = kind + content
    return struct.pack(">I", len(content)) + checked + struct.pack(">I", zlib.crc32(checked))


def bomb(width: int, height: int, kilobytes: int) -> bytes:
    """Return a small PNG that says it has many pixels, and has some of them."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    pixels = zlib.compress(bytes(1024 * kilobytes), 9)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    )


def hostile(rng: random.Random) -> tuple[bytes, Mapping[str, str]]:
    """Return a body that no service should decode to its end, and its headers."""
    jpeg = (IMAGES / "720p.jpg").read_bytes()
    kinds: list[Callable[[], tuple[bytes, Mapping[str, str]]]] = [
        lambda: (bomb(30_000, 30_000, 4000), PNG),
        lambda: (bomb(2**31 - 1, 2**31 - 1, 1), PNG),
        lambda: (bomb(3841, 2160, 100), PNG),
        lambda: (bomb(3000, 2000, 1), PNG),
        lambda: (jpeg[: rng.randrange(len(jpeg) - 10)], JPEG),
        lambda: (jpeg, PNG),
        lambda: (rng.randbytes(rng.randrange(5000)), JPEG),
        lambda: (rng.randbytes(rng.randrange(5000)), PNG),
        lambda: (struct.pack(">IIB", 2**31 - 1, 2**31 - 1, 3), {"Content-Type": "image/x-raw"}),
        lambda: (b"", JPEG),
        lambda: (LARGE, JPEG),
        lambda: (jpeg, {"Content-Type": "application/pdf"}),
        lambda: (jpeg, JPEG | {"Poster-Steps": "x" * rng.randrange(5000)}),
    ]
    return rng.choice(kinds)()


def test_hostile_images_are_refused_and_take_no_memory(posters: Posters) -> None:
    good = (IMAGES / "1440p.jpg").read_bytes()
    rng = random.Random(7)
    bodies = [
        hostile(rng)
        for _ in range(HOSTILE if posters.name == "poster-composite" else HOSTILE_IN_CHAINS)
    ]

    def sent(body_and_headers: tuple[bytes, Mapping[str, str]]) -> str:
        try:
            answer = posters.edit(*body_and_headers)
        except (httpx.WriteError, httpx.ReadError):
            # The server has refused and closes while a large body is still being sent.
            assert body_and_headers[0] is LARGE
            return "closed"
        assert httpx.codes.is_client_error(answer.status_code), answer.text
        return str(answer.status_code)

    with ThreadPoolExecutor(CLIENTS) as threads:
        list(threads.map(sent, bodies[:50]))
        assert all(
            answer.is_success
            for answer in threads.map(lambda _: posters.edit(good, JPEG), range(20))
        )
        before = peak_mb(posters.stack)
        statuses = Counter(threads.map(sent, bodies))
    after = peak_mb(posters.stack)

    assert {"413", "415", "422", "400"} <= set(statuses), statuses
    assert statuses["closed"] <= len(bodies) / 10
    assert_flat(before, after)
    assert posters.edit(good, JPEG).status_code == httpx.codes.OK
