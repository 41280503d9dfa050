"""Makes the package that is installed without a checkout."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from testbed.deploy import programs
from testbed.model.errors import UserError
from testbed.model.project import PACKAGE, SHIPPED, Project

CONTENTS = (
    *("jmeter/template.jmx.j2", "analysis/report.ipynb"),
    *("analysis/claims.yaml", "analysis/prices.yaml", "analysis/cases/*.yaml"),
)
"""What of the checkout the package has beside its code and the load generator's jar."""

TIMEOUT_S = 300.0


def make(project: Project, generator: Path, folder: Path) -> Path:
    """Write the wheel into a folder, with the jar `generator` in it; return its path.

    Raises `UserError` if pip fails.
    """
    with tempfile.TemporaryDirectory() as given:
        copy = Path(given) / "testbed"
        source = project.root / "harness"
        shutil.copytree(
            source / PACKAGE.name, copy / PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__")
        )
        shutil.copy(source / "pyproject.toml", copy)
        shutil.copy(project.root / "LICENSE", copy)
        shipped = copy / SHIPPED.relative_to(PACKAGE.parent)
        for pattern in CONTENTS:
            for file in sorted(project.root.glob(pattern)):
                target = shipped / file.relative_to(project.root)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, target)
        shutil.copy(generator, shipped)
        made = Path(given) / "made"
        command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", str(made), str(copy)]
        if shutil.which("uv"):
            command = ["uv", "build", "--wheel", "--out-dir", str(made), str(copy)]
        programs.output_of("making the wheel", command, timeout_s=TIMEOUT_S)
        wheels = list(made.glob("*.whl"))
        if not wheels:
            raise UserError(f"{' '.join(command)} made no wheel")
        folder.mkdir(parents=True, exist_ok=True)
        # Without its mode: builders make wheels that only their user can read.
        return Path(shutil.copyfile(wheels[0], folder / wheels[0].name))
