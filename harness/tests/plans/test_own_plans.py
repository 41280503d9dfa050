"""A user's own plan is run with the numbers of the experiment, and read as one of ours."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from testbed.analysis.results import Run, run_of
from testbed.analysis.samples import Measurement, measure
from testbed.analysis.verdicts import SHORTEST_WINDOW, Verdict, judge
from testbed.measure import plans
from testbed.measure.load import Generator, load_for
from testbed.model import systems
from testbed.model.project import FILE, Project
from testbed.model.systems import OwnSystem

from .conftest import ATTEMPTS
from .test_open_loop import arrivals_file

SHOP = Path(__file__).parents[1] / "unit" / "shop.jmx"

TIMER = 'testclass="ConstantTimer" testname="Think" enabled="true"'
PAGE = b"<h1>Example Domain</h1>"
ONCE = 'testclass="OnceOnlyController" testname="Once" enabled="true"'


class Shop(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        assert isinstance(self.server, Server)
        self.server.asked.append((self.path, self.headers.get("Cookie")))
        # Beside what a busy generator needs between two requests.
        time.sleep(0.02)
        self.send_response({"/shop/old": 302, "/test": 404}.get(self.path, 200))
        self.send_header("Location", "/shop/new")
        self.send_header("Set-Cookie", "user=1")
        self.send_header("Content-Length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *_: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Shop)
        self.asked: list[tuple[str, str | None]] = []


@pytest.fixture
def shop() -> Iterator[Server]:
    with Server() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    """Return the project of a user's folder with the plan, which is the working folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TESTBED_STATE", str(tmp_path / "state"))
    (tmp_path / FILE).write_text("systems: {}\n")
    (tmp_path / "words.csv").write_text("tea\ncoffee\n")
    yield Project.find()
    systems._declared.clear()
    systems._own.cache_clear()


def declare(
    own: Project, operations: list[str], *changes: tuple[str, str], plan: Path = SHOP
) -> None:
    """Declare workload `browse` with a plan, in which texts are changed."""
    text = plan.read_text(encoding="utf-8")
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    (own.folder / "shop.jmx").write_text(text, encoding="utf-8")
    workload = {"plan": "shop.jmx", "operations": operations}
    keys = {"health": "/", "workloads": {"browse": workload}}
    systems.declare({"shop": OwnSystem.model_validate(keys)})
    plans.write_own(own, ["shop"])


def disabled(start: str) -> tuple[str, str]:
    return start, start.replace('enabled="true"', 'enabled="false"')


def put(
    generator: Generator, own: Project, shop: Server, **bounds: object
) -> tuple[Measurement, Verdict]:
    """Put a load on, and return what the analysis makes of it."""
    shop.asked.clear()
    (own.folder / "block.csv").unlink(missing_ok=True)
    ports = (shop.server_address[1],)
    load = load_for(own, "shop", "browse", ramp=0, ports=ports, **bounds)  # type: ignore[arg-type]
    outcome = generator.run(load, own.folder / "block.csv")
    plan = systems.user_plan("shop", "browse")
    assert plan is not None
    record = {
        "variant": "shop",
        "workload": "browse",
        "preset": "tuned",
        "mode": "open" if "arrivals" in bounds else "closed",
        "threads": bounds["threads"],
        "users_pause": plan.users_pause,
        "blocks": [
            {
                "file": "block.csv",
                "samples": outcome.samples,
                "planned_s": bounds.get("duration"),
                "started": outcome.started.isoformat(),
                "finished": outcome.finished.isoformat(),
            }
        ],
    }
    run: Run = run_of(own.folder, record)
    return (measured := measure(run)), judge(measured, {})


def put_undisturbed(
    generator: Generator,
    own: Project,
    shop: Server,
    least: int,
    failing: Iterable[str] = (),
    **bounds: object,
) -> tuple[Measurement, Verdict]:
    """Put a load on, again if the machine stood still meanwhile.

    Then there are less than `least` operations, or other checks fail than those of `failing`.
    """
    for _ in range(ATTEMPTS):
        measured, verdict = put(generator, own, shop, **bounds)
        if measured.operations.height >= least and failures(verdict) == set(failing):
            break
    return measured, verdict


def failures(verdict: Verdict) -> set[str]:
    return {name for name, outcome in outcomes(verdict).items() if outcome == "failed"}


def outcomes(verdict: Verdict) -> dict[str, str]:
    return {check.name: check.outcome for check in verdict.checks}


def test_an_operation_is_one_request_and_others_stand_beside_it(
    generator: Generator, own: Project, shop: Server
) -> None:
    declare(own, ["Search"])
    measured, verdict = put_undisturbed(
        generator, own, shop, 11, ["users pause"], threads=3, duration=4
    )

    paths = Counter(path for path, _ in shop.asked)
    assert paths["/shop/login"] == 3
    assert paths["/shop/new"] == paths["/shop/old"]
    # Each request has the next value, and the cookie of an earlier answer.
    assert abs(paths["/shop/search?q=tea"] - paths["/shop/search?q=coffee"]) <= 3
    assert sum(cookie is None for _, cookie in shop.asked) == 3
    # The scheduler ends users that would pause beyond the end.
    assert 10 < measured.operations.height < 3 * 4 / 0.3
    assert measured.operations["ok"].all()
    assert measured.operations["elapsed_ms"].median() < 250
    assert set(measured.others) == {"beside Log in", "beside Home page"}
    assert verdict.status == "users pause"
    assert failures(verdict) == {"users pause"}


def test_several_requests_are_a_session_without_its_pauses(
    generator: Generator, own: Project, shop: Server
) -> None:
    declare(own, ["Home page", "Search"])
    measured, verdict = put_undisturbed(generator, own, shop, 11, threads=2, duration=4)

    assert set(measured.samples["step"].cast(str).to_list()) == {"home-page", "search"}
    assert measured.operations.height > 10
    assert measured.operations["elapsed_ms"].median() < 250
    # The end of the load cuts the last pause of each user short.
    assert measured.operations["service_ms"].median() >= 300
    assert set(measured.others) == {"beside Log in"}
    assert not failures(verdict)


def test_a_plan_without_pauses_is_checked_like_one_of_ours(
    generator: Generator, own: Project, shop: Server, tmp_path: Path
) -> None:
    declare(own, ["Home page", "Search"], disabled(TIMER), disabled(ONCE))
    # Little's law is checked from so many operations on.
    least = 2 * 2 * SHORTEST_WINDOW
    measured, verdict = put_undisturbed(generator, own, shop, least, threads=2, duration=6)
    results = outcomes(verdict)
    assert (results["Little's law"], results["labels"], results["rows"]) == ("passed",) * 3
    assert measured.others == {}

    file = arrivals_file(tmp_path, [50 * number for number in range(40)])
    measured, verdict = put(generator, own, shop, threads=5, arrivals=file)
    assert measured.operations.height == 40
    assert measured.operations["intended_ms"].diff().drop_nulls().to_list() == [50] * 39


def test_a_request_that_fails_fails_the_session(
    generator: Generator, own: Project, shop: Server
) -> None:
    declare(own, ["Home page", "Search"], disabled(TIMER), ('"49586">200<', '"49586">204<'))
    measured, _ = put(generator, own, shop, threads=1, loops=5)

    assert measured.operations.height == 5
    assert not measured.operations["ok"].any()


def test_a_plan_of_jmeters_own_templates_runs_with_two_changes(
    generator: Generator, own: Project, shop: Server
) -> None:
    declare(
        own,
        ["Home Page", "Page Returning 404"],
        ('num_threads">5<', 'num_threads">${__P(threads,5)}<'),
        (">example.org<", ">${__P(host,example.org)}<"),
        plan=own.jmeter_home / "bin" / "templates" / "build-web-test-plan.jmx",
    )
    measured, verdict = put_undisturbed(generator, own, shop, 4, threads=2, duration=5)

    # It pauses for a second between its two requests.
    assert 4 <= measured.operations.height <= 10
    assert measured.operations["ok"].all()
    operations = measured.operations
    assert operations["elapsed_ms"].median() < 900 < operations["service_ms"].median()
    assert verdict.status == "valid", verdict
