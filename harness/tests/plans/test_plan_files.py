"""What holds for the text of every plan."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from testbed.model import systems
from testbed.model.project import Project

PLANS = sorted(Project.find().plans.glob("*.jmx"))
PLAN_IDS = [plan.stem for plan in PLANS]


def test_every_workload_of_a_system_has_a_plan() -> None:
    declared = systems.declarations().values()
    assert (
        sorted(
            f"{system.name}-{workload}" for system in declared for workload in system.every_workload
        )
        == PLAN_IDS
    )


@pytest.mark.parametrize("plan", PLANS, ids=PLAN_IDS)
def test_plan_has_no_listener_and_no_script(plan: Path) -> None:
    root = ET.parse(plan).getroot()
    names = {element.get("testclass", "") for element in root.iter()}
    assert not {name for name in names if name.startswith(("JSR223", "BeanShell", "BSF"))}
    assert not {name for name in names if name.endswith(("Collector", "Visualizer", "Summariser"))}
    assert "__groovy" not in plan.read_text(encoding="utf-8")


@pytest.mark.parametrize("plan", PLANS, ids=PLAN_IDS)
def test_samplers_keep_connections_and_have_time_outs(plan: Path) -> None:
    samplers = list(ET.parse(plan).getroot().iter("HTTPSamplerProxy"))
    assert samplers
    for sampler in samplers:
        settings = {setting.get("name"): setting.text for setting in sampler}
        assert settings["HTTPSampler.use_keepalive"] == "true"
        assert settings["HTTPSampler.implementation"] == "HttpClient4"
        assert settings["HTTPSampler.connect_timeout"] == "${connectTimeout}"
        assert settings["HTTPSampler.response_timeout"] == "${responseTimeout}"
        assert settings["HTTPSampler.follow_redirects"] == "false"


def test_plans_share_one_group_of_users() -> None:
    groups = [group for plan in PLANS for group in ET.parse(plan).getroot().iter("ThreadGroup")]
    assert len(groups) == len(PLANS)
    assert len({ET.tostring(group, encoding="unicode").strip() for group in groups}) == 1
