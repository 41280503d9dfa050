from __future__ import annotations

from pathlib import Path

import pytest

from testbed import experiment
from testbed.errors import UserError
from testbed.project import Project

VALID = """
name: mine
threads: [1, 10]
loops: 5
"""


def error(text: str) -> str:
    with pytest.raises(UserError) as told:
        experiment.parse(text, "mine.yaml")
    return told.value.message


def test_reads_an_experiment_and_fills_in_defaults() -> None:
    plan = experiment.parse(VALID, "mine.yaml")

    assert plan.threads == (1, 10)
    assert plan.variants == ("sync", "async")
    assert plan.backends == "embedded"


def test_what_is_written_down_reads_back_the_same() -> None:
    plan = experiment.parse(VALID + "settings: {BROKER_STORE_CAPACITY: 100}\n", "mine.yaml")

    assert experiment.parse(plan.to_yaml(), "experiment.yaml") == plan
    assert plan.settings == {"BROKER_STORE_CAPACITY": "100"}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("variants: [sync, asynch]", "variants[1]: 'asynch' is unknown; choose from: sync, async"),
        ("backends: local-ish", "backends: 'local-ish' is unknown; choose from: embedded, docker"),
        ("fetch: later", "fetch: 'later' is unknown; choose from: wait, immediate, poll"),
        ("threads: [10, 0]", "threads[1]: 0: input should be greater than or equal to 1"),
        ("threads: [10, ten]", "threads[1]: 'ten'"),
        ("threads: []", "threads: []"),
        ("threads: [10, 10]", "threads: 10 is given more than once"),
        ("workloads: [list, list]", "workloads: list is given more than once"),
        ("loops: 1.5", "loops: 1.5"),
        ("repetitions: 0", "repetitions: 0"),
        ("warmup: {duration: 0}", "warmup.duration: 0"),
        ("warmup: {treads: 1}", "warmup.treads: unknown key (did you mean threads?)"),
        ("warmup: often", "warmup: 'often' is not a set of keys"),
        ("variant: [sync]", "variant: unknown key (did you mean variants?); choose from: name,"),
        ("name: No Spaces", "name: 'No Spaces'"),
    ],
)
def test_names_key_value_and_choices(line: str, told: str) -> None:
    key = line.split(":")[0]
    rest = [one for one in VALID.splitlines() if not one.startswith(f"{key}:")]

    assert told in error("\n".join([*rest, line]))


def test_tells_every_fault_at_once() -> None:
    message = error("name: mine\nvariants: [x]\nthreads: [0]\nloops: 1\n")

    assert "mine.yaml is not a valid experiment" in message
    assert "variants[0]" in message
    assert "threads[0]" in message


def test_a_run_needs_an_end() -> None:
    assert "give loops, duration or both" in error("name: mine\nthreads: [1]\n")


def test_threads_are_required() -> None:
    assert "threads: missing" in error("name: mine\nloops: 1\n")


@pytest.mark.parametrize("text", ["name: [unclosed", "a: b: c", "\tname: x"])
def test_names_the_line_of_broken_yaml(text: str) -> None:
    assert "mine.yaml, line" in error(text)


def test_a_list_is_no_experiment() -> None:
    assert "is not an experiment" in error("- 1\n- 2\n")


def test_the_preset_decides_how_results_are_fetched() -> None:
    plan = experiment.parse(VALID, "mine.yaml")
    polled = experiment.parse(VALID + "fetch: poll\n", "mine.yaml")

    assert (plan.fetch_of("tuned"), plan.fetch_of("thesis")) == ("wait", "immediate")
    assert polled.fetch_of("thesis") == "poll"


def test_an_unknown_experiment_lists_those_that_ship(project: Project) -> None:
    project.experiments.mkdir()
    (project.experiments / "quick.yaml").write_text(VALID)

    with pytest.raises(UserError) as told:
        experiment.load(project, "quik")

    assert "'quik'" in told.value.message
    assert told.value.hint == "Shipped ones: quick."
    assert experiment.load(project, "quick").name == "mine"


def test_an_experiment_is_found_by_its_path(project: Project, tmp_path: Path) -> None:
    file = tmp_path / "elsewhere.yaml"
    file.write_text(VALID)

    assert experiment.load(project, str(file)).name == "mine"


@pytest.mark.parametrize("name", ["quick", "compare", "hundred"])
def test_those_that_ship_measure_both_variants_under_both_workloads(name: str) -> None:
    plan = experiment.load(Project.find(), name)

    assert plan.name == name
    assert set(plan.variants) == {"sync", "async"}
    assert set(plan.workloads) == {"list", "reserve"}
