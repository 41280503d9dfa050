from __future__ import annotations

from testbed.deploy.building import settings_file
from testbed.experiment import settings
from testbed.model.project import Project


def test_the_settings_are_those_of_the_built_services() -> None:
    project = Project.find()

    written = settings.file(project).read_text(encoding="utf-8")

    assert written == settings_file.content(settings_file.described(project)), (
        "write it: ./testbed generate"
    )
