"""The folders of the project and of its working state."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from testbed.model.errors import UserError


@dataclass(frozen=True)
class Project:
    """The folders of one checkout.

    `root` holds the root ``pom.xml``. `state` holds the record and the logs of the running stack.
    """

    root: Path
    state: Path

    @classmethod
    def find(cls) -> Project:
        """Find the project that this package was installed from.

        ``TESTBED_ROOT`` names another root. ``TESTBED_STATE`` names another state folder, for a
        second stack on other ports.
        """
        root = Path(
            os.environ.get("TESTBED_ROOT") or Path(__file__).resolve().parents[3]
        ).absolute()
        if not (root / "pom.xml").is_file():
            raise UserError(f"no testbed project in {root}", "Start it with ./testbed.")
        # Absolute: some commands run in other folders.
        return cls(root, Path(os.environ.get("TESTBED_STATE") or root / ".testbed").absolute())

    @property
    def jmeter_home(self) -> Path:
        return self.root / ".testbed" / "jmeter"

    @property
    def plans(self) -> Path:
        return self.root / "jmeter"

    def plan(self, system: str, workload: str) -> Path:
        return self.plans / f"{system}-{workload}.jmx"

    @property
    def presets(self) -> Path:
        """The JVM argument files of the presets."""
        return self.root / "presets"

    @property
    def experiments(self) -> Path:
        return self.root / "experiments"

    @property
    def results(self) -> Path:
        return self.root / "results"

    @property
    def logs(self) -> Path:
        return self.state / "logs"

    @property
    def stack_file(self) -> Path:
        return self.state / "stack.json"

    def beside(self, slot: int) -> Project:
        """Return the project for a further stack, with its own record and logs.

        Slot 0 is the first stack, which uses the project's own state folder.
        """
        return replace(self, state=self.state / f"beside-{slot}") if slot else self

    def every_stack(self) -> list[Project]:
        """Return the project of each stack that may run, the first stack first."""
        return [
            self,
            *(replace(self, state=state) for state in sorted(self.state.glob("beside-*"))),
        ]

    def jar(self, module: str) -> Path:
        return self.root / module / "target" / f"{module}.jar"

    def shown(self, path: Path) -> str:
        """Return a path relative to the working folder if it is below it, else as it is."""
        try:
            return str(path.resolve().relative_to(Path.cwd()))
        except ValueError:
            return str(path)
