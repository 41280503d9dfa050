"""Writes the dashboards that Grafana is provisioned with."""

from __future__ import annotations

from testbed.model.project import Project
from testbed.watch.dashboards.files import folder, write

for path in write(folder(Project.find())):
    print(path)
