"""A results directory: its runs and the conditions they ran under."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import AfterValidator, BeforeValidator, TypeAdapter, ValidationError

from testbed.model import files, systems
from testbed.model.errors import UserError
from testbed.model.loads import DISTURBING_SHARE, Mode, load_words

UNSTATED = "unstated"
"""The preset and backends of a loose sample file, which does not state them."""

LOOSE_NAME = re.compile(
    r"(?P<variant>[a-z0-9]+(-[a-z0-9]+)*)-(?P<workload>[a-z][a-z0-9]*)-(?P<threads>\d+)-threads"
    r"(-(?P<repetition>[1-9]\d*))?",
    re.IGNORECASE,
)
LOOSE_SHAPE = "SYSTEM-WORKLOAD-N-threads.jtl, repeated ones SYSTEM-WORKLOAD-N-threads-2.jtl"

TABLE_END = re.compile(r"\.(jtl|csv)(\.gz)?$", re.IGNORECASE)

LOOSE_END = re.compile(r"\.(jtl|csv|json|log|txt)(\.gz)?$", re.IGNORECASE)

MOST_THREADS = 1_000_000
"""Of a name: more would be a number that means something else."""

NAME = re.compile(r"[A-Za-z0-9][\w .,=+-]*", re.ASCII)
"""A name in a record. Names become parts of files' names, of pages and of tables."""


def _name(text: str) -> str:
    """Return a name of a record; raise `ValueError` if it has characters that no name has."""
    if not NAME.fullmatch(text):
        raise ValueError(f"{text!r} is not a name")
    return text


Name = Annotated[str, AfterValidator(_name)]


@dataclass(frozen=True)
class Cell:
    """What repetitions of a run have in common."""

    variant: Name
    workload: Name
    preset: Name
    backends: Name
    threads: int
    """Closed loop: the users. Open loop: the limit of operations in flight."""
    system: Name = ""
    """The unique label of what is compared; by default the variant."""
    mode: Mode = "closed"
    """Closed loop: a user sends the next request after the answer. Open loop: users arrive by a
    plan.
    """
    level: float = 0.0
    """The load: threads (closed) or mean arrivals per second (open); by default the threads."""

    def __post_init__(self) -> None:
        """Fill in what old records lack."""
        object.__setattr__(self, "system", self.system or self.variant)
        object.__setattr__(self, "level", float(self.level or self.threads))

    @property
    def load(self) -> str:
        return load_words(self.mode, self.level)


@dataclass(frozen=True)
class Arrivals:
    """The plan of an open loop."""

    kind: str
    """``constant``, ``poisson``, ``phases`` or ``burst``."""
    planned: int
    """The number of operations."""
    length_s: float | None = None
    """The time in which they come; None if not recorded."""

    @property
    def steady(self) -> bool:
        """Whether the planned load is constant over the run."""
        return self.kind in ("constant", "poisson")


def total(figures: Iterable[float | None]) -> float | None:
    """Return the sum; None if a value is missing."""
    every = list(figures)
    present = [figure for figure in every if figure is not None]
    return sum(present) if len(present) == len(every) else None


@dataclass(frozen=True)
class Share:
    """What one of several load generators did in a block."""

    file: Path
    threads: int
    """Its users, or the most operations that it has in flight."""
    samples: int
    """Its own count of samples."""
    cpu_s: float


@dataclass(frozen=True)
class Others:
    """What other programs used of the machine during a block."""

    share: float
    """Of the machine, with what the hypervisor gave to another one."""
    cores: float = 0.0
    of: int = 0
    """The cores that there are."""
    steal: float = 0.0
    """The hypervisor's part, as a share of the machine."""
    names: tuple[str, ...] = ()
    """The programs that used most, the largest first."""


@dataclass(frozen=True)
class Block:
    """One short measurement of a run; what the record does not tell is None."""

    file: Path
    started_ms: float | None = None
    """When the load began, ms since the epoch."""
    finished_ms: float | None = None
    place: int | None = None
    """How many blocks and warm-up windows this stack had before."""
    age_s: float | None = None
    """Seconds from the start of the stack to the start of the block."""
    planned_s: float | None = None
    """Planned duration of the load; None if the number of operations bounds it."""
    settle_s: float = 0.0
    """Seconds at the start of the block that do not count."""
    server_cpu_s: Mapping[str, float] = field(default_factory=dict)
    idle_cpu_s: Mapping[str, float] = field(default_factory=dict)
    """CPU seconds of each other system that was up meanwhile."""
    generator_cpu_s: float | None = None
    wall_s: float | None = None
    delivered: int | None = None
    """The generator's own count of samples: rows that the file must have."""
    generators: tuple[Share, ...] = ()
    """Of each of several generators, whose files `file` stands for; empty if there was one."""
    others: Others | None = None
    """What other programs used meanwhile; None if that was not watched."""
    counts: bool = True
    """False if other programs disturbed the block, or one that took turns with it."""
    arrivals: Arrivals | None = None
    """The plan of an open loop in blocks."""

    @property
    def disturbed(self) -> bool:
        return self.others is not None and self.others.share > DISTURBING_SHARE

    @property
    def parts(self) -> tuple[Block, ...]:
        """The block of each generator by itself."""
        return tuple(
            replace(
                self,
                file=share.file,
                delivered=share.samples,
                generator_cpu_s=share.cpu_s,
                generators=(),
            )
            for share in self.generators
        ) or (self,)


@dataclass(frozen=True)
class Scaling:
    """The autoscaler of a service; its decisions are in `testbed.experiment.autoscaling.FILE`."""

    service: Name
    least: int
    instance_s: float
    """Seconds added up over instances, each from the decision to start it."""


def _autoscalers(recorded: Any) -> Any:
    """Return the list of a run record; earlier ones have a single autoscaler, or None."""
    return [recorded] if isinstance(recorded, dict) else recorded or ()


@dataclass(frozen=True)
class Run:
    """All blocks of one cell of one system in one pair of starts, as recorded."""

    id: Name
    cell: Cell
    blocks: tuple[Block, ...]
    """Those that count, in order of time; all where none counts. At least one; classic runs and
    open loops have one.
    """
    left_out: tuple[Block, ...] = ()
    """Those that do not count, if others do."""
    planned_blocks: int | None = None
    """How many blocks were to count; None if not recorded."""
    repetition: int = 1
    """Number of the pair of starts, from 1."""
    server_rss_mb: Mapping[str, float] = field(default_factory=dict)
    """Resident memory of each server process at the end of the run, MB."""
    server_pss_mb: Mapping[str, float] = field(default_factory=dict)
    """The same with a page that several processes share divided among them. Empty in containers,
    and in records from before it was read.
    """
    server_throttled_s: Mapping[str, float] = field(default_factory=dict)
    """Seconds that each server with limits waited because its CPU time was used up, added up over
    processors. Records from before limits have none.
    """
    server_peak_mb: Mapping[str, float] = field(default_factory=dict)
    """The most memory of each server with limits since its start, MB."""
    recorded: bool = False
    """Whether there is a ``run.json``; a loose sample file has none."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Of the system, factor values included."""
    expected_operations: int | None = None
    """How many operations the run was to make; None if time bounds it."""
    complete_before: bool | str | None = None
    """True if answers were complete before the run, else what was missing."""
    complete_after: bool | str | None = None
    """The same after the run."""
    generator_cpus: float | None = None
    cores_apart: int = 0
    """Of these, those that only the generators used."""
    generator_ceiling_per_s: float | None = None
    """Operations per second that this generator reached against a static endpoint."""
    arrivals: Arrivals | None = None
    """The plan of an open loop; of one in blocks, of all that count together."""
    disturbance: Mapping[str, Any] | None = None
    """What was done to a service during the run: ``service``, ``at_s``, ``for_s``, ``stopped``,
    ``started``.
    """
    scaling: Annotated[tuple[Scaling, ...], BeforeValidator(_autoscalers)] = ()
    """By which instances were started and stopped during the run, by service."""
    fetch: str | None = None
    """How results were fetched; None if none were."""
    users_pause: bool = False
    """Whether users of a user's own plan pause, or do what is no operation."""
    warm: bool | None = None
    """Whether the warm-up rule was met before the run; None if there was no rule."""
    why_cold: str | None = None
    """What the system lacked to be warm; None if it was warm, or if not recorded."""
    demand: Mapping[str, Any] | None = None
    """Of a run with a limit of CPU: ``system``, ``cpus``, ``shares``, ``wanted``, ``ok_per_s`` and
    ``met``.
    """
    ledger: Mapping[str, Any] | None = None
    """What became of the accepted work, see `testbed.measure.ledger`."""

    @property
    def generators(self) -> tuple[Run, ...]:
        """The run of each of several generators by itself; empty if there was one."""
        return tuple(
            replace(
                self,
                blocks=tuple(block.parts[index] for block in self.blocks),
                cell=replace(self.cell, threads=share.threads),
            )
            for index, share in enumerate(self.blocks[0].generators)
        )

    @property
    def watched(self) -> tuple[Block, ...]:
        """The blocks during which the use of the machine by other programs was watched."""
        return tuple(block for block in (*self.blocks, *self.left_out) if block.others is not None)

    @property
    def undisturbed(self) -> int:
        """How many blocks count."""
        return sum(block.counts for block in self.blocks)

    @property
    def disturbed(self) -> bool:
        """Whether too few blocks count for a decision: less than half of those planned."""
        wanted = self.planned_blocks or len(self.blocks)
        return 2 * self.undisturbed < wanted

    @property
    def folder(self) -> Path:
        return self.blocks[0].file.parent

    @property
    def age_s(self) -> float | None:
        """Seconds from the start of the stack to the start of the run."""
        return self.blocks[0].age_s

    @property
    def place(self) -> int | None:
        """How many blocks and warm-up windows the stack had before the run."""
        return self.blocks[0].place

    @property
    def server_cpu_s(self) -> float | None:
        """CPU seconds of all server processes during the blocks."""
        return total(sum(block.server_cpu_s.values()) or None for block in self.blocks)

    @property
    def cpu_s_by_service(self) -> Mapping[str, float]:
        """CPU seconds of each service during the blocks, its instances together."""
        spent: dict[str, float] = defaultdict(float)
        for block in self.blocks:
            for instance, seconds in block.server_cpu_s.items():
                spent[systems.service_of(instance)] += seconds
        return spent

    @property
    def generator_cpu_s(self) -> float | None:
        return total(block.generator_cpu_s for block in self.blocks)

    @property
    def wall_s(self) -> float | None:
        return total(block.wall_s for block in self.blocks)

    def cpu_limit(self, service: str) -> float | None:
        """Return the cores that each instance of a service may use; None without a limit."""
        given = self.settings.get(f"limits.{service}.cpus")
        return None if given is None else float(given)

    def replicas(self, service: str) -> int:
        """Return the instances of a service that a run without an autoscaler has."""
        return int(self.settings.get(f"replicas.{service}", 1))

    @property
    def stopped_for_good(self) -> bool:
        """Whether a service was stopped until the end, so that no full answer is expected then."""
        what = self.disturbance
        return bool(what and what.get("stopped") and what.get("for_s") is None)

    @property
    def away_ms(self) -> tuple[float, float] | None:
        """When a service was stopped and started, ms since the epoch; None if none was."""
        what = self.disturbance
        if what is None or not (what.get("stopped") and what.get("started")):
            return None
        stopped, started = (datetime.fromisoformat(what[key]) for key in ("stopped", "started"))
        return stopped.timestamp() * 1000, started.timestamp() * 1000


_RUN = TypeAdapter(Run)


@dataclass(frozen=True)
class Results:
    """A results directory: its runs and the conditions they ran under.

    ``runs`` holds at least one run, sorted by cell, then repetition. ``environment`` is
    ``environment.json``, ``declaration`` is ``experiment.yaml`` as run, and ``ending`` is
    ``ending.json``, which says why no further round was measured. They are empty if there is no
    such file. ``unreadable`` gives the reason by run id.
    """

    path: Path
    runs: tuple[Run, ...]
    environment: Mapping[str, Any] = field(default_factory=dict)
    declaration: str = ""
    ending: Mapping[str, Any] = field(default_factory=dict)
    unreadable: Mapping[str, str] = field(default_factory=dict)

    @property
    def loose(self) -> bool:
        """Whether this is a plain directory of sample files, which the testbed did not create."""
        return all(run.folder == self.path for run in self.runs)

    @property
    def declared(self) -> Mapping[str, Any]:
        """The declaration as data; empty if there is none or it cannot be read."""
        return _declared(self.declaration)

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems in the order of the declaration; the first is the base."""
        measured = list(dict.fromkeys(run.cell.system for run in self.runs))
        return tuple(sorted(measured, key=_declared_rank(self.declared)))


def recorded_results(path: Path, runs: tuple[Run, ...] = ()) -> Results:
    """Return a results directory with some runs, and the conditions that its files record."""
    return Results(
        path=path,
        runs=runs,
        environment=_json(path / "environment.json"),
        declaration=_text(path / "experiment.yaml"),
        ending=_json(path / "ending.json"),
    )


def find_results(path: Path) -> Results:
    """Find the runs in a results directory, or in a plain directory of sample files.

    ``path`` has ``runs/RUN_ID/run.json``, or files named ``SYSTEM-WORKLOAD-N-threads.jtl`` (or with
    another end of `LOOSE_END`). Raises `UserError` if there is no such directory, a symbolic link
    leads out of it, or it has no run whose record can be read.
    """
    if not path.is_dir():
        raise UserError(f"results directory {str(path)!r} does not exist")
    files.require_inside(path)
    environment = _json(path / "environment.json")
    runs, unreadable = _recorded_runs(path, environment.get("generator_ceiling", {}))
    if not runs and not unreadable:
        runs, unreadable = _loose_runs(path)
    if not runs and unreadable:
        raise none_can_be_read(unreadable)
    if not runs:
        raise UserError(
            f"no runs in {str(path)!r}",
            f"It needs runs/*/run.json, or sample files named {LOOSE_SHAPE}.",
        )
    declaration = _text(path / "experiment.yaml")
    declared = _declared(declaration)
    systems.declare_recorded(declared.get("declares"))
    rank, names = _declared_rank(declared), systems.names()

    def place(run: Run) -> tuple[str | float, ...]:
        """Sort by conditions, workload, declared system, variant, then level.

        Variants that the testbed does not know come last, by name.
        """
        cell = run.cell
        variant = names.index(cell.variant) if cell.variant in names else len(names)
        return (
            *(cell.preset, cell.backends, cell.workload, cell.mode),
            *(rank(cell.system), variant, cell.variant, cell.system, cell.level),
            *(run.repetition, run.id),
        )

    recorded = recorded_results(path, tuple(sorted(runs, key=place)))
    return replace(recorded, unreadable=unreadable)


def none_can_be_read(unreadable: Mapping[str, str]) -> UserError:
    """Return the error of results without a readable run, with the reason of the first."""
    run_id, why = next(iter(unreadable.items()))
    return UserError(f"none of the {len(unreadable)} runs can be read; {run_id}: {why}")


def _declared(declaration: str) -> Mapping[str, Any]:
    try:
        declared = yaml.safe_load(declaration)
    except yaml.YAMLError:
        return {}
    return declared if isinstance(declared, Mapping) else {}


def _declared_rank(declared: Mapping[str, Any]) -> Callable[[str], int]:
    """Return a function from a system to its place in a declaration.

    Factors make several systems of one declared name.
    """
    names = list(declared.get("systems") or declared.get("variants") or ())

    def rank(system: str) -> int:
        fitting = [
            name for name in names if system == name or system.startswith((f"{name}-", f"{name} "))
        ]
        return names.index(max(fitting, key=len)) if fitting else len(names)

    return rank


def run_of(folder: Path, record: Mapping[str, Any]) -> Run:
    """Return a run from its ``run.json`` record; the name of the folder is the run's id.

    Without ``blocks`` the run is one block, ``samples.csv``. Raises `UserError` if the record lacks
    what was measured, or has a value of the wrong kind.
    """
    given = _without_nulls(record)
    recorded = given.get("blocks") or [{**given, "file": "samples.csv"}]
    try:
        counting = [block for block in recorded if block.get("counts", True)]
        blocks = counting or recorded
        left_out = [block for block in recorded if block not in blocks]
        if len({len(block.get("generators", ())) for block in blocks}) > 1:
            raise ValueError("blocks differ in their number of generators")
        return _RUN.validate_python(
            {
                **given,
                "arrivals": given.get("arrivals") or _together(blocks),
                "id": folder.name,
                "cell": {"backends": UNSTATED, **given},
                "blocks": [_block(folder, _without_nulls(block)) for block in blocks],
                "left_out": [_block(folder, _without_nulls(block)) for block in left_out],
                "recorded": True,
            }
        )
    except KeyError as missing:
        raise UserError(f"{folder / 'run.json'} lacks the key {missing}") from missing
    except ValidationError as problem:
        first = problem.errors()[0]
        key, value = first["loc"][-1], first["input"]
        if first["type"] == "missing":
            raise UserError(f"{folder / 'run.json'} lacks the key {key!r}") from problem
        raise _wrong(folder, f"{key} is {value!r}: {first['msg']}") from problem
    except (AttributeError, TypeError, ValueError) as error:
        raise _wrong(folder, str(error)) from error


def _together(blocks: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return the plan of the arrivals of all blocks; None of a closed loop."""
    plans = [block["arrivals"] for block in blocks if block.get("arrivals")]
    if not plans:
        return None
    return {
        **plans[0],
        **{key: sum(plan[key] for plan in plans) for key in ("planned", "length_s")},
    }


def _wrong(folder: Path, why: str) -> UserError:
    return UserError(f"{folder / 'run.json'} has a value of the wrong kind: {why}")


def _without_nulls(record: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if value is not None}


def _block(folder: Path, block: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **block,
        "file": folder / _name(block["file"]),
        "started_ms": _moment_ms(block.get("started")),
        "finished_ms": _moment_ms(block.get("finished")),
        "delivered": block.get("samples"),
        "generators": [
            {**each, "file": folder / _name(each["file"])} for each in block.get("generators", ())
        ],
    }


def _recorded_runs(path: Path, ceilings: Mapping[str, float]) -> tuple[list[Run], dict[str, str]]:
    """Read each ``run.json`` except those of warm-ups; also return why some are unreadable.

    `ceilings` has the generator's highest rate by plan. Older records have their own.
    """
    runs, unreadable = [], {}
    for file in sorted(path.glob("runs/*/run.json")):
        try:
            record = _json(file)
            if not record.get("warmup"):
                ceiling = ceilings.get(record.get("plan", ""))
                record = {"generator_ceiling_per_s": ceiling} | record
                runs.append(run_of(file.parent, record))
        except UserError as error:
            unreadable[file.parent.name] = error.message
    return runs, unreadable


def _moment_ms(text: str | None) -> float | None:
    return None if text is None else datetime.fromisoformat(text).timestamp() * 1000


def _loose_runs(path: Path) -> tuple[list[Run], dict[str, str]]:
    """Find sample files by their names; also return why some are refused, by their names."""
    named = defaultdict(list)
    for file in sorted(path.iterdir()):
        if LOOSE_END.search(file.name) and file.is_file():
            named[LOOSE_END.sub("", file.name)].append(file)
    runs, unreadable = [], {}
    for name, alike in named.items():
        # Logs and summaries often have the name of the samples that they belong to.
        file, *others = [each for each in alike if TABLE_END.search(each.name)] or alike
        match = LOOSE_NAME.fullmatch(name)
        if match is None:
            # Others' tables are CSV files too.
            if ".jtl" in file.name.lower() or "-threads" in name:
                unreadable[file.name] = f"its name is not {LOOSE_SHAPE}"
        elif others:
            every = " and ".join(twin.name for twin in (file, *others))
            unreadable[name] = f"{every} are one run by their names: rename or delete one"
        elif not 0 < int(match["threads"]) <= MOST_THREADS:
            unreadable[file.name] = f"{match['threads']} threads: choose 1 to {MOST_THREADS:,}"
        else:
            cell = Cell(
                variant=match["variant"],
                workload=match["workload"],
                preset=UNSTATED,
                backends=UNSTATED,
                threads=int(match["threads"]),
            )
            repetition = int(match["repetition"] or 1)
            runs.append(Run(id=name, cell=cell, blocks=(Block(file),), repetition=repetition))
    return runs, unreadable


def _json(path: Path) -> dict[str, Any]:
    try:
        text = _text(path)
        fields = json.loads(text) if text else {}
    except ValueError as error:
        raise UserError(f"{path} is not valid JSON: {error}") from error
    if not isinstance(fields, dict):
        raise UserError(f"{path} must hold a JSON object")
    return fields


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""
