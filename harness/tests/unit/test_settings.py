from __future__ import annotations

import re
from pathlib import Path

import pytest

from testbed.experiment.settings import CHOSEN_OTHERWISE, OWN, known
from testbed.model.project import Project

SOURCES = sorted(Project.find().root.glob("*/src/main/java/**/*.java"))


def components(source: str, record: str) -> list[tuple[str, str]]:
    """Return type and name of each component of a Java record."""
    head = source[source.index(f"record {record}(") + len(f"record {record}(") :]
    depth, end = 1, 0
    while depth:
        depth += {"(": 1, ")": -1}.get(head[end], 0)
        end += 1
    plain = re.sub(r"@\w+(\([^)]*\))?", "", head[: end - 1])
    found = (one.split() for one in plain.split(",") if one.strip())
    return [(kind, name) for kind, name in found]


def variables(source: str, record: str, prefix: str) -> set[str]:
    found: set[str] = set()
    for kind, name in components(source, record):
        variable = prefix + "_" + re.sub("([A-Z])", r"_\1", name).upper()
        nested = f"record {kind}(" in source
        found |= variables(source, kind, variable) if nested else {variable}
    return found


def bound(file: Path) -> set[str]:
    """Return the environment variables that the configuration properties of a file are bound to."""
    source = file.read_text(encoding="utf-8")
    found: set[str] = set()
    for match in re.finditer(r'@ConfigurationProperties\("([^"]+)"\)[^{]*?record (\w+)\(', source):
        prefix = match[1].replace(".", "_").replace("-", "_").upper()
        found |= variables(source, match[2], prefix)
    return found


def test_the_names_are_those_of_the_services_properties() -> None:
    names = {name for file in SOURCES for name in bound(file)}

    # The buckets are no property of ours: Spring's own take their value from this variable.
    assert names - set(CHOSEN_OTHERWISE) == set(OWN) - {"TESTBED_HISTOGRAM_BUCKETS"}


@pytest.mark.parametrize("name", ["SPRING_PROFILES_ACTIVE", "JAVA_TOOL_OPTIONS", *OWN[:2]])
def test_other_properties_have_names_of_their_own(name: str) -> None:
    assert known(name) == name


def test_a_name_that_is_near_one_is_told() -> None:
    with pytest.raises(ValueError, match=r"did you mean AGGREGATOR_FAN_OUT\?"):
        known("AGGREGATOR_FANOUTS")


def test_a_name_that_is_nearly_one_of_ours_is_refused_whatever_it_begins_with() -> None:
    with pytest.raises(ValueError, match=r"did you mean AGGREGATOR_FAN_OUT\?"):
        known("AGGREGATR_FAN_OUT")
