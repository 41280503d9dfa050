"""The folders of the project and of its working state."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from testbed.model.errors import UserError

FILE = "testbed.yaml"
"""The file that makes a folder a user's own project."""

PACKAGE = Path(__file__).resolve().parents[1]

SHIPPED = PACKAGE / "shipped"
"""What an installed package has of the checkout that it was made of."""

SHIPS = SHIPPED if SHIPPED.is_dir() else PACKAGE.parents[1]
"""Where this package has its plans, its report and its case studies."""

CACHE = "testbed/jmeter-5.6.3"
"""Where an installed package lays out JMeter, in the user's folder of caches."""


@dataclass(frozen=True)
class Project:
    """The folders of one project.

    `root` holds what ships: a checkout with its root ``pom.xml``, or a part of an installed
    package. `state` holds the record and the logs of the running stack. `own` is a user's folder
    with declarations and results; None for those of `root`.
    """

    root: Path
    state: Path
    own: Path | None = None

    @classmethod
    def find(cls) -> Project:
        """Find what ships with this package, and the user's own folder.

        That is the nearest folder with a `FILE`, from the working folder upwards. Without one it is
        the checkout or, if the package is installed, the working folder. ``TESTBED_ROOT`` names a
        checkout. ``TESTBED_STATE`` names another state folder, for a second stack on other ports.
        """
        given = os.environ.get("TESTBED_ROOT")
        root = Path(given or PACKAGE.parents[1]).absolute()
        working = Path.cwd()
        folders = (folder for folder in (working, *working.parents) if (folder / FILE).is_file())
        own = next(folders, None)
        if not (root / "pom.xml").is_file():
            if given or not SHIPPED.is_dir():
                raise UserError(f"no testbed project in {root}", "Start it with ./testbed.")
            root, own = SHIPPED, own or working
        # Absolute: some commands run in other folders.
        state = Path(os.environ.get("TESTBED_STATE") or (own or root) / ".testbed").absolute()
        return cls(root, state, own)

    @property
    def is_checkout(self) -> bool:
        """Whether there are sources to build; otherwise the package is installed."""
        return self.root != SHIPPED

    @property
    def folder(self) -> Path:
        """The user's folder: commands of their systems run in it."""
        return self.own or self.root

    @property
    def jmeter_home(self) -> Path:
        if self.is_checkout:
            return self.root / ".testbed" / "jmeter"
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / CACHE

    @property
    def plans(self) -> Path:
        return self.root / "jmeter"

    @property
    def own_plans(self) -> Path:
        """The plans of the user's systems, which are made when they are measured."""
        return self.state / "plans"

    def token(self, system: str) -> Path:
        """Return the file with the token of a user's system, while it is measured."""
        return self.state / "tokens" / system

    def plan(self, system: str, workload: str) -> Path:
        return self.plan_named(f"{system}-{workload}.jmx")

    def plan_named(self, name: str) -> Path:
        own = self.own_plans / name
        return own if own.is_file() else self.plans / name

    @property
    def presets(self) -> Path:
        """The JVM argument files of the presets."""
        return self.root / "presets"

    @property
    def experiments(self) -> Path:
        return self.root / "experiments"

    @property
    def results(self) -> Path:
        return self.folder / "results"

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
        name = f"{module}.jar"
        return self.root / module / "target" / name if self.is_checkout else self.root / name

    def shown(self, path: Path) -> str:
        """Return a path relative to the working folder if it is below it, else as it is."""
        try:
            return str(path.resolve().relative_to(Path.cwd()))
        except ValueError:
            return str(path)
