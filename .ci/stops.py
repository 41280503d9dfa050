#!/usr/bin/env python3
"""stops.py VARIANT PROMETHEUS_PORT FRONT_PORT: whether the dashboards tell what has happened.

Stops the containers that a running variant stands on, one after the other, while JMeter asks for lists and
reservations, and looks for what docs/dashboards.md ("When something stops") says of each. Asks Prometheus what
the panels themselves ask.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from probe import STEP_S, PanelQuery, panel_queries, series

ROOT = Path(__file__).resolve().parent.parent
CINEMAS = ("cinema-cineworld-service", "cinema-dundrum-service", "cinema-ucd-service")
USERS = 20
# The load ends by itself then, if this script cannot end it.
LONGEST_S = 600
# A rate spans 30 s, so that a change takes so long to be seen in full: what must not happen is waited for as long.
HELD_S = 45
PATIENCE_S = 120

OVERVIEW = "Testbed overview"
READY, NOT_READY, AWAY = 2, 1, 0


class Picture(NamedTuple):
    """What a series of a panel has to show, or never to show, while something is stopped."""

    dashboard: str
    panel: str
    series: str
    words: str
    fits: Callable[[float], bool]
    never: bool = False

    def __str__(self) -> str:
        return f"{self.dashboard} / {self.panel}: {self.series.strip()} {self.words}"


class Story(NamedTuple):
    """What is stopped, what is seen then, and what is seen when it is back."""

    stopped: str
    then: tuple[Picture, ...]
    back: tuple[Picture, ...] = ()


def services(variant: str, state: float, *names: str) -> tuple[Picture, ...]:
    word = {READY: "ready", NOT_READY: "not ready", AWAY: "away"}[state]
    return tuple(
        Picture(OVERVIEW, "Services", f"{variant} {name}", word, lambda value: value == state)
        for name in names
    )


def alerts(variant: str, alert: str, *names: str, never: bool = False) -> tuple[Picture, ...]:
    word = "never fires" if never else "fires"
    return tuple(
        Picture(OVERVIEW, "Alerts", f"{variant} {alert} {name}", word, lambda value: value == 1, never)
        for name in names
    )


def above(dashboard: str, panel: str, series: str, least: float = 0) -> Picture:
    return Picture(dashboard, panel, series, f"above {least:g}", lambda value: value > least)


def nothing(dashboard: str, panel: str, series: str) -> Picture:
    return Picture(dashboard, panel, series, "at 0", lambda value: value == 0)


FAILURES, OPERATIONS = "Failures per second, by class", "Operations per second"
GATEWAY = "api-gateway-service"

STORIES = {
    "sync": (
        Story(
            "cinema-cineworld-service",
            (
                *services("sync", AWAY, "cinema-cineworld-service"),
                *alerts("sync", "TargetDown", "cinema-cineworld-service "),
                *alerts("sync", "BreakerOpen", f"{GATEWAY} cinema-cineworld-service"),
                Picture("Sync path", "State of the breakers", "cinema-cineworld-service", "open", lambda value: value == 2),
                above("Sync path", "Failed and refused calls per second", "cinema-cineworld-service refused"),
                above(OVERVIEW, FAILURES, "sync 503 unavailable"),
                above(OVERVIEW, OPERATIONS, "sync served"),
            ),
        ),
        # Last: the stand-in for MongoDB keeps its data in memory.
        Story(
            "mongodb",
            (
                *services("sync", NOT_READY, *CINEMAS),
                *alerts("sync", "NotReady", *(f"{name} " for name in CINEMAS)),
                *alerts("sync", "BreakerOpen", *(f"{GATEWAY} {name}" for name in CINEMAS), never=True),
                above(OVERVIEW, FAILURES, "sync 503 unavailable"),
                above(OVERVIEW, FAILURES, "sync 504 too late"),
                nothing(OVERVIEW, OPERATIONS, "sync served"),
            ),
        ),
    ),
    "async": (
        Story(
            "cinema-cineworld-service",
            (
                *services("async", AWAY, "cinema-cineworld-service"),
                *alerts("async", "TargetDown", "cinema-cineworld-service "),
                above("Async path", "Messages in all queues", "ready"),
                *alerts("async", "QueueGrowing", " "),
                # Users whose answers all come at the deadline, every 5 s as the scrapes: always at the same age.
                above("Async path", "Age of the oldest of them", "oldest", 1),
                above(OVERVIEW, FAILURES, "async 504 too late"),
                above(OVERVIEW, OPERATIONS, "async served"),
            ),
            (above("Async path", "Responses per second, by what became of them", "late"),),
        ),
        Story(
            "rabbitmq",
            (
                *services("async", AWAY, "rabbitmq"),
                *services("async", NOT_READY, "broker-service", *CINEMAS),
                *alerts("async", "TargetDown", "rabbitmq "),
                *alerts("async", "NotReady", "broker-service ", *(f"{name} " for name in CINEMAS)),
                above(OVERVIEW, FAILURES, "async 503 unavailable"),
                nothing(OVERVIEW, OPERATIONS, "async served"),
            ),
        ),
        Story(
            "mongodb",
            (
                *services("async", NOT_READY, *CINEMAS),
                *alerts("async", "NotReady", *(f"{name} " for name in CINEMAS)),
                *alerts("async", "DeadLetters", *(f"{name} " for name in CINEMAS), never=True),
                above("Async path", "Age of the oldest of them", "oldest", 1),
                above(OVERVIEW, FAILURES, "async 504 too late"),
                nothing(OVERVIEW, OPERATIONS, "async served"),
            ),
        ),
    ),
}


class Dashboards:
    """The panels of a variant, as Prometheus fills them."""

    def __init__(self, variant: str, prometheus: str) -> None:
        self.variant, self.prometheus = variant, prometheus
        self.queries: dict[tuple[str, str], list[PanelQuery]] = {}
        for query in panel_queries(ROOT / "grafana/dashboards", variant):
            self.queries.setdefault(query[:2], []).append(query)

    def drawn(self, dashboard: str, panel: str, since: float) -> dict[str, list[float]]:
        """The values of a panel's series since a moment, by their legend."""
        values: dict[str, list[float]] = {}
        for query in self.queries[dashboard, panel]:
            values |= series(self.prometheus, query, self.variant, since)
        return values

    def shows(self, picture: Picture, since: float) -> bool:
        values = self.drawn(picture.dashboard, picture.panel, since).get(picture.series, [])
        return any(map(picture.fits, values)) is not picture.never

    def all_is_well(self) -> bool:
        now = time.time()
        states = self.drawn(OVERVIEW, "Services", now)
        return set(map(tuple, states.values())) == {(READY,)} and not self.drawn(OVERVIEW, "Alerts", now)


def await_pictures(dashboards: Dashboards, pictures: tuple[Picture, ...], since: float) -> list[str]:
    """What is not seen in time; what must never be seen is looked for once, at the end."""
    lacking = [picture for picture in pictures if not picture.never]
    forbidden = [picture for picture in pictures if picture.never]
    until = since + (HELD_S if forbidden else 0)
    while time.time() < until or (lacking and time.time() < since + PATIENCE_S):
        time.sleep(STEP_S / 2)
        lacking = [picture for picture in lacking if not dashboards.shows(picture, since)]
    wrong = [picture for picture in forbidden if not dashboards.shows(picture, since)]
    return [f"not as said: {picture}" for picture in (*lacking, *wrong)]


def tell(dashboards: Dashboards, story: Story, since: float) -> None:
    """Print what the panels of a story have drawn, for whoever writes or doubts docs/dashboards.md."""
    for panel in dict.fromkeys(picture[:2] for picture in (*story.then, *story.back)):
        for legend, values in sorted(dashboards.drawn(*panel, since).items()):
            print(f"    {' / '.join(panel)}: {legend}: {' '.join(f'{value:.3g}' for value in values)}")


def carry_out(dashboards: Dashboards, story: Story) -> list[str]:
    print(f"  {story.stopped} is stopped", flush=True)
    since = time.time()
    compose(dashboards.variant, "stop", story.stopped)
    wrong = await_pictures(dashboards, story.then, since)
    compose(dashboards.variant, "start", story.stopped)
    back = time.time()
    while not dashboards.all_is_well() and time.time() < back + PATIENCE_S:
        time.sleep(STEP_S / 2)
    if not dashboards.all_is_well():
        wrong.append(f"{story.stopped} is back, and not all is well: {dashboards.drawn(OVERVIEW, 'Services', time.time())}")
    print(f"  {story.stopped} is back, all is well after {time.time() - back:.0f} s")
    wrong += await_pictures(dashboards, story.back, back)
    if wrong or os.environ.get("TELL"):
        tell(dashboards, story, since)
    return [f"{story.stopped}: {line}" for line in wrong]


def compose(variant: str, *arguments: str) -> None:
    command = ["docker", "compose", "--progress", "quiet", "--file", f"docker-compose.{variant}.yml", *arguments]
    subprocess.run(command, cwd=ROOT, check=True)


@contextmanager
def load(variant: str, workload: str, port: str) -> Iterator[None]:
    """Users who ask again and again, whatever they are answered."""
    limits = {"threads": USERS, "loops": -1, "duration": LONGEST_S, "port": port}
    with tempfile.TemporaryDirectory() as folder:
        generator = subprocess.Popen(
            [
                *("./testbed", "jmeter", "--", "-n", "-t", f"jmeter/{variant}-{workload}.jmx"),
                *("-l", f"{folder}/samples.csv", "-j", f"{folder}/jmeter.log"),
                *(f"-J{name}={value}" for name, value in limits.items()),
            ],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            yield
        finally:
            os.killpg(generator.pid, signal.SIGKILL)
            generator.wait()


def main(variant: str, prometheus_port: str, front_port: str) -> None:
    dashboards = Dashboards(variant, f"http://localhost:{prometheus_port}")
    # A load that outlives this script would be felt by whatever comes next.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended from outside"))
    wrong = []
    with ExitStack() as loads:
        for workload in ("list", "reserve"):
            loads.enter_context(load(variant, workload, front_port))
        wrong += await_pictures(dashboards, (above(OVERVIEW, OPERATIONS, f"{variant} served"),), time.time())
        for story in STORIES[variant]:
            wrong += carry_out(dashboards, story)
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in STORIES:
        sys.exit(__doc__)
    main(*sys.argv[1:])
