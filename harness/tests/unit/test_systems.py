"""Systems are declared as data; what is wrong with a declaration is named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import testbed
from testbed.model import systems
from testbed.model.errors import UserError

from .conftest import shop, write


def declare(root: Path, name: str, text: str) -> None:
    write(root, {f"systems/{name}/system.yaml": text})


def test_systems_that_answer_directly_come_first(tmp_path: Path) -> None:
    declare(tmp_path, "alpha", shop("acknowledged"))
    declare(tmp_path, "beta", shop(workloads="buy: /buy, look: /look"))
    declare(tmp_path, "gamma", shop(workloads="look: /look"))
    declared = systems.declarations(tmp_path)
    assert list(declared) == ["beta", "gamma", "alpha"]
    assert declared["beta"].workloads == {"buy": "/buy", "look": "/look"}


def test_systems_that_are_not_compared_come_last(tmp_path: Path) -> None:
    declare(tmp_path, "alpha", shop() + "compared: false\n")
    declare(tmp_path, "beta", shop("acknowledged"))
    declared = systems.declarations(tmp_path)
    assert list(declared) == ["beta", "alpha"]


def test_a_system_has_what_it_does_not_declare_from_the_one_that_it_extends(tmp_path: Path) -> None:
    declare(tmp_path, "alpha", shop("acknowledged") + "nouns: {buy: orders}\n")
    declare(tmp_path, "beta", "extends: ../alpha/system.yaml\nprotocol: direct\n")
    declare(tmp_path, "gamma", "extends: ../beta/system.yaml\ncompose: gamma.yml\n")
    alpha, gamma = (systems.declarations(tmp_path)[name] for name in ("alpha", "gamma"))
    assert (gamma.name, gamma.protocol, gamma.compose) == ("gamma", "direct", "gamma.yml")
    assert (gamma.nouns, gamma.front, gamma.reset) == (alpha.nouns, alpha.front, alpha.reset)


def test_the_systems_of_the_movie_tickets_are_compared() -> None:
    assert systems.compared() == ("sync", "async")
    assert set(systems.names()) > {"poster-chain", "poster-composite", "poster-chain-forward"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (shop("guessed"), "protocol"),
        (shop() + "colour: red\n", "colour"),
        (shop(workloads=""), "workloads"),
        ("just words", "not a mapping"),
        ("[", "line 1"),
        ("extends: ../alfa/system.yaml", "alfa"),
        ("extends: system.yaml", "extends leads back to it"),
    ],
)
def test_what_is_wrong_with_a_declaration_is_named(tmp_path: Path, text: str, message: str) -> None:
    declare(tmp_path, "broken", text)
    with pytest.raises(UserError, match=r"system\.yaml is not a valid system") as problem:
        systems.declarations(tmp_path)
    assert message in problem.value.message


def test_a_system_that_is_not_declared_is_refused_with_the_choices() -> None:
    with pytest.raises(UserError, match="unknown variant 'both'; choose from: sync, async"):
        systems.declaration("both")
    assert systems.fetches("async")
    assert not systems.fetches("sync")
    assert not systems.fetches("both")


def test_a_timer_belongs_to_the_hop_whose_every_part_fits() -> None:
    rule = systems.HopRule(
        name="a question to {cinema}",
        metric="questions",
        service="front-.*",
        labels={"uri": "/api.*"},
        workloads=("list",),
    )
    labels = {"uri": "/api/list", "cinema": "ucd"}
    assert rule.name_for("front-door", labels, "list") == "a question to ucd"
    assert rule.name_for("back-door", labels, "list") is None
    assert rule.name_for("front-door", labels, "reserve") is None
    assert rule.name_for("front-door", {"uri": "/health"}, "list") is None


def test_no_module_names_a_system_or_its_product() -> None:
    names = "|".join(map(re.escape, systems.names()))
    # A name may be a keyword of Python.
    named = re.compile(rf"cinema|(?<![a-z])({names})(?![a-z]| def | for | with )", re.IGNORECASE)
    package = Path(testbed.__file__).parent
    lines = [
        f"{module.relative_to(package)}:{number}: {line.strip()}"
        for module in package.rglob("*.py")
        for number, line in enumerate(module.read_text().splitlines(), 1)
    ]
    assert lines
    assert not list(filter(named.search, lines))


def test_every_workload_has_a_noun_for_reports() -> None:
    for declaration in systems.declarations().values():
        assert declaration.nouns.keys() == declaration.every_workload.keys(), declaration.name
    assert systems.noun("reserve") == "reservations"
    assert systems.noun("swim") == "swim operations"
