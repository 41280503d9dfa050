"""Two versions of a user's own service, compared by one command."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from testbed.analysis.decisions import DECIDING_RUNS
from testbed.cli import duel as duelling
from testbed.cli import gates, summaries
from testbed.cli.duel import planned
from testbed.deploy import programs
from testbed.deploy.building import build, wheel
from testbed.experiment.declaration import Experiment
from testbed.experiment.planning import WARMING_PER_S, expect
from testbed.experiment.schedule import schedule
from testbed.model import systems
from testbed.model.project import Project

from .test_cli import typed
from .test_gates import BETTER, UNKNOWN, WORSE

pytestmark = pytest.mark.usefixtures("undeclared")

COMMANDS = ("--command", "a {port}", "--command", "b {port}")
ALONE = ("--command", "a {port}", "--get", "/", "--alone")
COMPOSE = ("--compose", "docker-compose.sync.yml", "--front", "api:8080")
IMAGES = ("--image", "api=shop:1", "--image", "api=shop:2")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--get", "/"], "give two URLs, or --command twice; there are 0 and 0"),
        (["http://a:1", "--get", "/"], "there are 1 and 0"),
        (["http://a:1", "http://b:1", *COMMANDS, "--get", "/"], "there are 2 and 2"),
        (COMMANDS, "give --get PATH or --post PATH"),
        ([*COMMANDS, "--get", "/", "--post", "/"], "give --get PATH or --post PATH"),
        ([*COMMANDS, "--get", "items"], "--get: 'items' is no path"),
        ([*COMMANDS, "--get", ""], "--get: '' is no path"),
        ([*COMMANDS, "--get", "/", "--threads", "0"], "not fit: --threads: 0: input should be"),
        ([*COMMANDS, "--get", "/", "--threads", "9,9"], "not fit: --threads: 9 is given more"),
        ([*COMMANDS, "--get", "/", "--port", "70000"], "not fit: --port: 70000: input should be"),
        ([*COMMANDS, "--get", "/", "--status", "999"], "--status: 999 is no status of HTTP"),
        ([*COMMANDS, "--get", "/", "--contains", ""], "--contains: '': string should have at"),
        ([*COMMANDS, "--get", "/", "--header", "A B: c"], "--header: 'A B: c' is no header"),
        ([*COMMANDS, "--get", "/", "--header", "A: b\nC: d"], r"'A: b\nC: d' is no header"),
        ([*COMMANDS, "--get", "/", "--token-url", "a"], "--token-url: 'a': string should match"),
        ([*COMMANDS, "--get", "/", "--names", "a/b,c"], "--names: 'a/b': string should match"),
        ([*COMMANDS, "--post", "/"], "--health: give a path that answers 200"),
        ([*COMMANDS, "--get", "/", "--threads", "ten"], "--threads 'ten' is not a whole number"),
        ([*COMMANDS, "--get", "/", "--names", "a,a"], "--names 'a,a': give two different names"),
        ([*COMMANDS, "--get", "/", "--names", "a,a,b"], "--names 'a,a,b': give two different"),
        ([*COMMANDS, "--get", "/", "--header", "A"], "--header 'A' is not of the form"),
        ([*COMMANDS, "--get", "/", "--body", "A"], "--body needs --post PATH"),
        ([*COMMANDS, "--post", "/", "--body", "@none"], "--body: no file 'none'"),
        ([*COMMANDS, "--get", "/", "--quick", "--pairs", "3"], "exclude each other"),
        ([*COMMANDS, "--get", "/", "--fail-if", "bad"], "choose from: worse"),
        (["ftp://a:1", "http://b:1", "--get", "/"], "'ftp://a:1' is not the address"),
        ([*COMMANDS, "--get", "/a/{id}"], "{id} in '/a/{id}' needs csv: a file with this column"),
        ([*COMMANDS, "--get", "/", "--csv", "none.csv"], "none.csv cannot be read: No such file"),
        (["--image", "a=b", "--get", "/"], "--image and --front need --compose"),
        (["--compose", "none.yml", "--get", "/"], "--compose: no file 'none.yml'"),
        ([*COMPOSE[:2], *IMAGES, "--get", "/"], "--compose needs --front SERVICE:PORT"),
        ([*COMPOSE, *COMMANDS, "--get", "/"], "--compose excludes --command and URLs"),
        ([*COMPOSE, "http://a:1", "http://b:1", "--get", "/"], "--compose excludes --command"),
        ([*COMPOSE, "--front", "api", "--get", "/"], "--front: 'api' is not of the form"),
        ([*COMPOSE, "--get", "/"], "give --image twice, once for each version; there are 0"),
        ([*COMPOSE, *IMAGES[:2], "--get", "/"], "there are 1"),
        ([*COMPOSE, *IMAGES, *IMAGES[:2], "--get", "/"], "there are 3"),
        ([*COMPOSE, *IMAGES[:2], "--image", "shop:2", "--get", "/"], "--image 'shop:2' is not of"),
        ([*COMPOSE, *IMAGES[:2], "--image", "db=b", "--get", "/"], "'api' and 'db'"),
        ([*COMPOSE, *IMAGES[:2], *IMAGES[:2], "--get", "/"], "docker tag shop:1 same:aa"),
        ([*COMMANDS, "--get", "/", "--alone"], "give one URL, or --command once; there are 0 and"),
        ([*COMPOSE, *IMAGES, "--get", "/", "--alone"], "give --image once; there are 2"),
        ([*ALONE, "--names", "a,b"], "--alone excludes --names and --until"),
        ([*ALONE, "--fail-if", "worse"], "duel compares no cells: it has one system"),
    ],
)
def test_a_wrong_option_is_refused_before_anything_starts(
    tmp_path: Path, arguments: list[str], words: str
) -> None:
    ended = typed(tmp_path, "duel", *arguments)

    assert ended.returncode == 1
    assert words in " ".join(ended.stderr.split())
    assert "Traceback" not in ended.stderr
    # An error says nothing of what follows from it.
    assert "unknown; choose from" not in ended.stderr


def test_a_duel_is_an_experiment_in_blocks_with_pairs_of_starts() -> None:
    plan = planned(
        {"port": 7000, "workloads": {"get": {"get": "/a", "noun": "requests"}}},
        {"main": {"command": "a {port}"}, "new": {"command": "b {port}"}},
        [10, 50],
        each=4,
        repetitions=2,
    )

    starts = schedule(plan)
    assert [[system.name for system in start.systems] for start in starts] == [["main", "new"]] * 2
    assert plan.each == 4
    assert plan.backends == "command"
    assert systems.noun("get") == "requests"
    (start, _) = expect(plan, {}).starts
    assert (start.start_s, start.warm_up_s) == (0, 2 * 20_000 / WARMING_PER_S)


def test_a_version_alone_is_started_as_often_as_a_comparison_needs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    measured: list[Experiment] = []

    def measure(plan: Experiment, *_: object, **__: object) -> Path:
        measured.append(plan)
        return tmp_path / "results"

    monkeypatch.setattr(duelling, "measured_to_the_end", measure)
    duelling.duel(command=["a {port}"], get="/", alone=True)

    (plan,) = measured
    assert [[system.name for system in start.systems] for start in schedule(plan)] == [
        ["service"]
    ] * DECIDING_RUNS
    assert "report RESULTS --compare" in capsys.readouterr().out


def test_junit_has_a_case_for_each_cell_and_a_failure_for_each_gate() -> None:
    decisions = [WORSE, BETTER, UNKNOWN]
    failed = gates.failures(gates.parse(["worse", "beyond 1.1"]), decisions)
    suite = ET.fromstring(summaries.junit("duel-1", decisions, failed))

    assert (suite.get("tests"), suite.get("failures")) == ("3", "1")
    cases = suite.findall("testcase")
    assert [len(case.findall("failure")) for case in cases] == [2, 0, 0]
    assert cases[0].get("name") == "reserve, 10 threads: goodput"
    assert cases[2].findtext("system-out") == "0.90 [0.70, 1.20], not known"


def test_markdown_begins_with_the_answer() -> None:
    decisions = [WORSE, UNKNOWN]
    failed = gates.failures(gates.parse(["worse"]), decisions)
    text = summaries.markdown("duel|1", decisions, failed)

    assert text.startswith("### duel\\|1\n\nasync serves half the reservations of sync")
    assert (
        "| async ÷ sync | reserve, 10 threads | goodput | 0.50 [0.40, 0.80] | **worse** |" in text
    )
    assert "- worse: reserve, 10 threads" in text
    assert "No difference could be shown." in summaries.markdown("a", [UNKNOWN], [])


def test_the_package_has_all_that_it_reads_of_the_checkout() -> None:
    project = Project.find()

    assert all(list(project.root.glob(pattern)) for pattern in wheel.CONTENTS)
    assert "load-generator" in [module.name for module in build.modules(project)]


def test_the_wheel_is_for_every_user_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def build_one(_: str, command: list[str], **__: object) -> str:
        made = Path(command[command.index("--out-dir" if command[0] == "uv" else "-w") + 1])
        made.mkdir()
        (made / "a.whl").touch(mode=0o600)
        return ""

    monkeypatch.setattr(programs, "output_of", build_one)
    jar = tmp_path / "a.jar"
    jar.touch()
    (tmp_path / "other").touch()
    made = wheel.make(Project.find(), jar, tmp_path / "dist")

    assert made.stat().st_mode == (tmp_path / "other").stat().st_mode
