"""Writes the dashboards that Grafana is provisioned with."""

from __future__ import annotations

from testbed.dashboards.files import folder, write
from testbed.project import Project

for path in write(folder(Project.find())):
    print(path)
