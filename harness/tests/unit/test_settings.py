from __future__ import annotations

import pytest

from testbed.experiment.settings import own, setting_name


@pytest.mark.parametrize("name", ["SPRING_PROFILES_ACTIVE", "JAVA_TOOL_OPTIONS", *list(own())[:2]])
def test_other_properties_have_names_of_their_own(name: str) -> None:
    assert setting_name(name) == name


@pytest.mark.parametrize("name", ["AGGREGATOR_FANOUTS", "AGGREGATR_FAN_OUT"])
def test_a_name_that_is_near_one_is_refused_whatever_it_begins_with(name: str) -> None:
    with pytest.raises(ValueError, match=r"did you mean AGGREGATOR_FAN_OUT\?"):
        setting_name(name)


@pytest.mark.parametrize("name", ["CINEMA_NAME", "TESTBED_PRESET", "AGGREGATOR_GATEWAY_URL"])
def test_what_the_compose_files_set_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} cannot be set"):
        setting_name(name)
