"""A user's own system: its declaration, how it is started, its load plan, and its experiments."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import httpx
import jsonschema
import pytest
import yaml

from testbed.cli import listing, preparing, starting
from testbed.deploy import composefile
from testbed.deploy.deployments import Choice, elsewhere
from testbed.deploy.meter import ProcessMeter
from testbed.deploy.processes.commands import from_command
from testbed.deploy.programs import ProcessId
from testbed.deploy.stack import Stack
from testbed.experiment import planning, reading, settings
from testbed.measure import answers, plans
from testbed.measure.load import load_for
from testbed.model import jmx, systems
from testbed.model.errors import UserError
from testbed.model.project import FILE, Project
from testbed.watch.annotations import Grafana

from .conftest import HERE, forget_declarations, unused_port

pytestmark = pytest.mark.usefixtures("undeclared")

SHOP = """
name: versions
declares:
  shop:
    command: ./serve --port {port}
    environment: {MANAGED: "{port}1"}
    health: /health
    workloads:
      items: {get: /api/items, noun: lists, contains: ['"id":1']}
      order: {post: /api/orders, body: '{"a": 1}', status: 201}
systems:
  old: {variant: shop}
  new: {variant: shop, command: "./serve-new --port {port}", settings: {POOL_SIZE: 5}}
workloads: [items]
threads: [1]
blocks: {seconds: 4}
"""


@pytest.fixture
def own(own: Project) -> Project:
    for name in ("serve", "serve-new"):
        (own.folder / name).write_text("#!/bin/sh\n")
    return own


def refusal(text: str) -> str:
    with pytest.raises(UserError) as refused:
        reading.parse(text, "mine")
    return refused.value.message


def test_the_folder_with_the_file_is_the_users_and_what_ships_stays(own: Project) -> None:
    below = own.folder / "a" / "b"
    below.mkdir(parents=True)
    os.chdir(below)

    assert Project.find() == own
    assert own.results == own.folder / "results"
    assert own.root != own.folder
    assert "sync" in systems.names()


def test_an_installed_package_takes_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "lib" / "testbed"
    (package / "shipped").mkdir(parents=True)
    monkeypatch.delenv("TESTBED_ROOT", raising=False)
    monkeypatch.delenv("TESTBED_STATE", raising=False)
    monkeypatch.setattr("testbed.model.project.PACKAGE", package)
    monkeypatch.setattr("testbed.model.project.SHIPPED", package / "shipped")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    project = Project.find()

    assert not project.is_checkout
    assert project.folder == tmp_path
    assert project.jar("load-generator") == package / "shipped" / "load-generator.jar"
    assert project.jmeter_home.parent.parent == tmp_path / "cache"
    # It has neither compose files nor their variables, nor a Grafana of its own.
    assert composefile.env_files(project, {}) == ()
    assert Grafana.find(project, {}) is None
    assert settings.own.__wrapped__() == {}


def test_the_file_of_init_is_a_valid_project_with_an_experiment(own: Project) -> None:
    text = starting.TEMPLATE.read_text(encoding="utf-8")
    (own.folder / FILE).write_text(text)
    plan = reading.load(own, "versions")

    assert [system.command for system in plan.compared] == [
        "./serve --port {port}",
        "./serve-new --port {port}",
    ]
    assert plan.backends == "command"
    assert planning.expect(plan, {}).runs == 8
    with pytest.raises(UserError, match="is there already"):
        starting.init()


def test_editors_have_a_schema_of_the_file(own: Project) -> None:
    (own.folder / FILE).unlink()
    starting.init()
    schema = json.loads((own.folder / starting.SCHEMA).read_text())
    text = (own.folder / FILE).read_text()
    validator = jsonschema.Draft202012Validator(schema)

    assert text.startswith(f"# yaml-language-server: $schema={starting.SCHEMA}\n")
    assert list(validator.iter_errors(yaml.safe_load(text))) == []
    wrong = text.replace("threads: [10, 50]", "threads: ten").replace("port: 9000", "prot: 9000")
    assert {error.json_path for error in validator.iter_errors(yaml.safe_load(wrong))} == {
        "$.systems.shop",
        "$.experiments.versions",
    }


def test_results_tell_by_themselves_what_was_measured(own: Project) -> None:
    written = reading.parse(SHOP, "mine").to_yaml()
    forget_declarations()
    assert "shop" not in systems.names()

    again = reading.parse(written, "results")

    assert again.to_yaml() == written
    assert systems.noun("items") == "lists"
    assert again.system("new").settings == {"POOL_SIZE": "5"}
    assert again.system("new").deployed == {"command": "./serve-new --port {port}"}


def test_an_experiment_of_a_topic_of_its_own_is_listed_under_it(
    own: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    experiment = "{topic: mine, variants: [sync], threads: [1], duration: 1}"
    (own.folder / FILE).write_text(f"systems: {{}}\nexperiments: {{checkout: {experiment}}}\n")
    listing.show(own, as_json=False)

    lines = capsys.readouterr().out.splitlines()
    assert lines[lines.index("mine") + 1].startswith("checkout ")


def test_wrong_keys_of_the_file_are_named(own: Project) -> None:
    text = "systems: {a: {port: x, target: http://a, comand: b, workloads: {b: {get: c}}}}\n"
    (own.folder / FILE).write_text(text)
    with pytest.raises(UserError) as refused:
        reading.own(own)
    assert refused.value.message.splitlines()[1:] == [
        "  systems.a.port: 'x': input should be a valid integer",
        "  systems.a.workloads.b.path: 'c' is no path: it begins with /",
        "  systems.a.target: a target stands under the systems of an experiment",
        "  systems.a.comand: unknown key",
    ]


def test_an_experiment_of_what_ships_declares_nothing(own: Project) -> None:
    plan = reading.parse("name: a\nvariants: [sync, async]\nthreads: [1]\nduration: 1\n", "mine")

    assert "declares" not in plan.to_yaml()
    assert plan.backends == "embedded"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("get: /api/items", "get: api/items", "'api/items' is no path"),
        ("get: /api/items", "got: /api/items", "give one of get, post"),
        ("get: /api/items", "plan: a.jmx", "give plan and operations together"),
        (
            "get: /api/items, noun: lists",
            "plan: a.jmx, operations: Home",
            "plan excludes contains: the plan has its requests",
        ),
        ("  shop:\n", "  sync:\n", "'sync' is a system that ships: choose another name"),
        ("old: {variant: shop}", "old: {variant: shap}", "'shap' is unknown; choose from:"),
        ("health: /health", "healht: /health", "healht: unknown key (did you mean health?)"),
        ("    command: ./serve --port {port}\n", "", "systems.old: give its command, or a target"),
        ("blocks: {seconds: 4}", "duration: 9\ndrain: 9", "drain"),
        (
            "new: {variant: shop,",
            'new: {variant: shop, target: "http://a:1",',
            "target and settings, command exclude each other",
        ),
    ],
)
def test_what_is_wrong_is_named_with_the_choices(
    own: Project, old: str, new: str, words: str
) -> None:
    assert old in SHOP
    assert words in refusal(SHOP.replace(old, new))


def test_a_system_without_a_get_needs_a_path_for_its_health(own: Project) -> None:
    items = "      items: {get: /api/items, noun: lists, contains: ['\"id\":1']}\n"
    message = refusal(SHOP.replace(items, "").replace("    health: /health\n", ""))

    assert "health: give a path that answers 200, as no workload is a GET" in message


def choice(plan_text: str, name: str, offset: int = 0) -> Choice:
    plan = reading.parse(plan_text, "mine")
    system = plan.system(name)
    return Choice(
        system.variant,
        backends=plan.backends,
        settings=system.settings,
        port_offset=offset,
        command=system.command,
    )


def test_a_command_and_its_environment_are_given_the_port(own: Project) -> None:
    deployment = from_command(choice(SHOP, "new", 1000), own)

    (service,) = deployment.services
    assert service.command == (str(own.folder / "serve-new"), "--port", "10000")
    assert service.environ == {"MANAGED": "100001", "POOL_SIZE": "5"}
    assert service.health == "/health"
    assert deployment.front_ports == service.ports == (10_000,)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("./serve", "does not tell its port"),
        ("./missing {port}", "missing"),
        ("./serve '{port}", "cannot be read: No closing quotation"),
        ("' ' {port}", "cannot be started"),
    ],
)
def test_a_command_that_cannot_be_started_is_refused(
    own: Project, command: str, words: str
) -> None:
    plain = replace(choice(SHOP, "old"), command=command)
    plain.system.environment.clear()
    with pytest.raises(UserError) as refused:
        deployment = from_command(plain, own)
        Stack(own, deployment, os.environ).start()
    assert words in refused.value.message


def test_a_service_that_is_not_ready_is_named_with_its_answer(own: Project) -> None:
    text = SHOP.replace("./serve --port", f"{sys.executable} -m http.server")
    text = text.replace("health: /health", f"port: {unused_port()}\n    health: /none")
    deployment = from_command(choice(text, "old"), own)
    with pytest.raises(UserError, match="not ready in 2 s: shop: /none answers 404; the end of"):
        Stack(own, deployment, os.environ, ready_s=2).start()


def test_any_process_is_started_and_its_answers_are_kept(own: Project) -> None:
    port = unused_port()
    script = HERE / "fake_service.py"
    text = SHOP.replace("./serve --port", f"{sys.executable} {script} --port")
    text = text.replace("health: /health", f"port: {port}")
    deployment = from_command(choice(text, "old"), own)
    stack = Stack(own, deployment, os.environ)
    stack.start()
    try:
        answers.keep(own, deployment)
        used = stack.meter().read(pss=True)
        assert (
            httpx.get(f"http://127.0.0.1:{port}/", timeout=60, trust_env=False).status_code == 200
        )
    finally:
        stack.stop()

    assert (own.state / "answers" / "shop-items").read_text() == '{"status": "UP"}'
    assert used["shop"].cpu_s > 0
    assert used["shop"].rss_mb > 1
    # The service knows no POST; the reference server gives the same answer.
    assert (own.state / "answers" / "shop-order").is_file()


BURN = "import time\nwhile time.process_time() < 0.3: pass\n"

PARENT = f"""
import subprocess, sys
subprocess.run([sys.executable, "-c", {BURN!r}])
child = subprocess.Popen([sys.executable, "-c", {BURN + "print(flush=True); input()"!r}],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)
child.stdout.readline()
print(flush=True)
input()
"""


def test_what_a_command_starts_counts_while_it_runs_and_after_it_ended() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        usage = ProcessMeter({"a": ProcessId.of(parent.pid)}).read(pss=True)
        parent.communicate(b"\n")

    # Of one child that ended and of one that runs.
    assert usage["a"].cpu_s >= 0.58
    assert usage["a"].pss_mb is None or usage["a"].pss_mb > 2


def test_the_plan_of_an_own_system_is_made_where_its_state_is(own: Project) -> None:
    reading.parse(SHOP, "mine")
    plans.write_own(own, ["shop"])
    plan = ET.parse(own.plan("shop", "items"))

    assert own.plan("shop", "items").parent == own.state / "plans"
    assert own.plan("sync", "list").parent == own.plans
    request = next(plan.iter("HTTPSamplerProxy"))
    assert request.findtext("stringProp[@name='HTTPSampler.path']") == "${prefix}/api/items"
    assert '"id":1' in [text.text for text in plan.iterfind(".//collectionProp/stringProp")]
    sent = ET.parse(own.plan("shop", "order"))
    body = next(sent.iter("HTTPSamplerProxy")).findtext(".//stringProp[@name='Argument.value']")
    assert body == '{"a": 1}'


def with_plan(own: Project, **further: object) -> None:
    (own.folder / "shop.jmx").write_text((HERE / "shop.jmx").read_text())
    (own.folder / "words.csv").write_text("tea\n")
    workload = {"plan": "shop.jmx", "operations": "Search"}
    keys = {"health": "/ready", "workloads": {"browse": workload, "look": "/look"}}
    systems.declare({"shop": systems.OwnSystem.model_validate(keys | further)})


def test_a_plan_of_the_users_own_is_put_into_ours(own: Project) -> None:
    with_plan(own)
    plans.write_own(own, ["shop"])
    plan = ET.parse(own.plan("shop", "browse"))

    (group,) = plan.iter("ThreadGroup")
    assert group.findtext("stringProp[@name='ThreadGroup.num_threads']") == "${__P(threads,10)}"
    variables = {
        argument.get("name", "")
        for arguments in plan.iterfind(".//collectionProp[@name='Arguments.arguments']/..")
        if arguments.get("name") in (None, "TestPlan.user_defined_variables")
        for argument in arguments.iterfind("collectionProp/elementProp")
    }
    ours = {name for name in variables if name.startswith("testbed_")}
    assert {"testbed_host", "testbed_port"} <= ours
    # Those that no plan may have; two more are set for each operation.
    assert variables - ours == {"server", "context"} | jmx.RESERVED - {"intended", "offset"}
    assert [request.get("testname") for request in plan.iter("HTTPSamplerProxy")] == [
        *("beside Log in", "beside Home page", "${phase}browse")
    ]
    # Only answers to requests are known.
    system = systems.declaration("shop")
    assert [answer.request for answer in system.reference] == ["GET /look"]
    assert system.complete[0].get == "/ready"


def test_results_tell_which_plan_was_run(own: Project) -> None:
    order = "order: {post: /api/orders, body: '{\"a\": 1}', status: 201}"
    browse = "order: {plan: shop.jmx, operations: [Home page, Search], noun: visits}"
    assert order in SHOP
    written = reading.parse(SHOP.replace(order, browse), "mine").to_yaml()
    forget_declarations()

    assert reading.parse(written, "results").to_yaml() == written
    plan = systems.declaration("shop").plans["order"]
    assert (plan.file, plan.operations) == (
        str(own.folder / "shop.jmx"),
        ("Home page", "Search"),
    )


def test_requests_of_a_plan_have_the_token_of_the_system(own: Project) -> None:
    with_plan(own, token={"url": "http://a/token"})
    plans.write_own(own, ["shop"])
    text = own.plan("shop", "browse").read_text()

    assert "Bearer ${testbed_token}" in text
    assert '<elementProp name="testbed_token"' in text


def test_several_operations_of_a_plan_are_a_session(own: Project) -> None:
    visit = {"plan": "shop.jmx", "operations": ["Home page", "Search"]}
    with_plan(own)
    assert not plans.is_session(own, "shop", "browse")
    assert not plans.is_session(own, "shop", "look")
    with_plan(own, workloads={"visit": visit})
    assert plans.is_session(own, "shop", "visit")


def test_an_open_loop_of_a_plan_with_pauses_is_refused(own: Project) -> None:
    with_plan(own)
    open_loop = (
        "name: a\nsystems: {a: {variant: shop, target: 'http://a:1'}}\nworkloads: [browse]\n"
    )
    preparing.write_plans(own, reading.parse(f"{open_loop}threads: [1]\nduration: 1\n", "mine"))
    for load in (
        "rates: [10]\nduration: 1\n",
        # The results decide these rates.
        "threads: [1]\nrates: [50%]\nblocks: {seconds: 2, settle: 0}\n",
        "search: {from: 10, to: 20, resolution: 1}\nslo: {p95_ms: 1}\nduration: 1\n",
    ):
        with pytest.raises(UserError, match=r"shop\.jmx fits a closed loop alone .* users pause"):
            preparing.write_plans(own, reading.parse(f"{open_loop}{load}", "mine"))
    with pytest.raises(UserError, match="its users pause"):
        load_for(
            own, "shop", "browse", threads=1, ramp=0, ports=(1,), arrivals=own.folder / "arrivals"
        )


@pytest.mark.parametrize(
    ("target", "url", "properties"),
    [
        ("http://a.example:81", "http://a.example:81", {}),
        ("http://a.example", "http://a.example:80", {}),
        (
            "https://a.example/shop/",
            "https://a.example:443/shop",
            {"protocol": "https", "prefix": "/shop"},
        ),
        ("http://a:8/b", "http://a:8/b", {"protocol": "http", "prefix": "/b"}),
    ],
)
def test_a_target_may_be_behind_https_and_a_prefix(
    own: Project, target: str, url: str, properties: dict[str, str]
) -> None:
    new = 'new: {variant: shop, command: "./serve-new --port {port}", settings: {POOL_SIZE: 5}}'
    assert new in SHOP
    given = SHOP.replace(new, f'new: {{variant: shop, target: "{target}"}}')
    system = reading.parse(given, "mine").system("new")
    assert system.target is not None
    deployment = elsewhere(system.variant, system.preset, system.target)

    assert (deployment.front_url, deployment.front_properties) == (url, properties)
