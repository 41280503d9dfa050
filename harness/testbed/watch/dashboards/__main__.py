"""Writes the dashboards that Grafana is provisioned with."""

from __future__ import annotations

import sys

from testbed.model.errors import UserError
from testbed.model.project import Project
from testbed.watch.dashboards.files import write

try:
    root = Project.find().root
    print(*write(root, root / "grafana" / "dashboards"), sep="\n")
except UserError as problem:
    sys.exit(problem.message)
