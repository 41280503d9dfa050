"""The systems that can be measured.

Those that ship are declared in ``systems/NAME/system.yaml``, a user's own in their ``testbed.yaml``
or in an experiment.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from testbed.model import jmx, values
from testbed.model.declared import Declared, read
from testbed.model.errors import UserError, unknown
from testbed.model.jmx import UserPlan
from testbed.model.project import FILE, Project
from testbed.model.values import PLACE
from testbed.model.workloads import WorkloadDeclaration

Preset = Literal["tuned", "thesis"]
OwnPlace = Literal["command", "compose"]
"""What starts a user's own system."""
Backends = Literal["embedded", "docker", "local", OwnPlace]
Protocol = Literal["direct", "acknowledged"]

_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION = re.compile(rf"(\d+)({'|'.join(_SECONDS)})?")

PRESETS: tuple[str, ...] = get_args(Preset)
BACKENDS: tuple[str, ...] = get_args(Backends)
OWN_PLACES: tuple[str, ...] = get_args(OwnPlace)


class Endpoint(Declared):
    """A service of the compose file and a port in its container."""

    service: str
    port: Annotated[int, Field(ge=1, le=65_535)]


class Probe(Declared):
    """A GET request to the front door that a complete system answers with 200.

    `items` is the least number of entries in the JSON list; it changes with the number of services
    of a kind. `incomplete_header` names what the answer lacks; a full answer does not have this
    header. `service` is the one that answers: without it there is no such request.
    """

    get: str
    items: int | None = None
    incomplete_header: str | None = None
    service: str | None = None


class Kind(Declared):
    """Services that differ only in some settings. An experiment may say how many there are."""

    services: Annotated[tuple[str, ...], Field(min_length=1)]
    """The services in the compose file, in order. A smaller number starts the first ones."""
    further: dict[str, str]
    """Settings of each further one, which is otherwise like the last. ``{number}`` is 2, 3 and so
    on.
    """


class Stored(Declared):
    """The documents that are stored before a run if an experiment asks for them."""

    database: str
    collection: str
    document: dict[str, Any]
    """Each has an id of its own."""


class Work(Declared):
    """What one operation causes if nothing fails and nothing is remembered from an earlier one."""

    requests: int
    """HTTP requests, the client's own included."""
    conversions: int
    """Objects that are made of JSON or BSON, or turned into it."""
    queries: int
    """Commands to the database."""
    messages: int
    """Messages that are taken from a queue."""


class Reset(Endpoint):
    """The collections to empty in every database whose name starts with `databases`."""

    databases: str
    collections: tuple[str, ...]
    stored: Stored | None = None


class Restore(Endpoint):
    """The statements that put the tables of PostgreSQL back as they were before a run.

    They are executed in each of `databases` that has the table `where`, each in a transaction of
    its own.
    """

    databases: Annotated[tuple[str, ...], Field(min_length=1)]
    where: str
    statements: Annotated[tuple[str, ...], Field(min_length=1)]
    settings: dict[str, str] = Field(default_factory=dict)
    """Settings of the server, each with the value (as by ``SHOW``) without which nothing is
    measured.
    """


class Accepted(Declared):
    """Where accepted work is stored: its ids are the ``_id`` of the documents.

    `number` is a field whose first number is the place of the work in its run, from 1.
    """

    databases: str
    collection: str
    number: str


class Ledger(Declared):
    """What became of accepted work, by id."""

    service: str
    """The service that reports it."""
    path: str
    """On the actuator's port. A JSON object: lists of ids by what became of them (``built``,
    ``dropped``, ``failed``, ``refused``, since the start), when each was built (``builtAt``, ms
    since the epoch), and the numbers ``settled`` and ``waiting``. With ``ids=false`` the lists are
    empty.
    """
    accepted: Accepted
    places: dict[str, int] = Field(default_factory=dict)
    """The setting that limits how much may wait, with its default; a value of 0 is no limit. Empty
    if nothing may wait.
    """
    held: dict[str, int] = Field(default_factory=dict)
    """Settings whose product is how much work consumers hold in addition, with their defaults."""
    embedded_counts_held: bool = False
    """Whether the embedded backends count what consumers hold as waiting, so that it takes places.
    """

    def capacity(self, settings: Mapping[str, str], backends: str) -> float:
        """Return how much accepted work there can be at once; infinite without a limit."""
        values = {name: int(settings.get(name, value)) for name, value in self.places.items()}
        if 0 in values.values():
            return math.inf
        product = math.prod(int(settings.get(name, value)) for name, value in self.held.items())
        beside = self.held and not (self.embedded_counts_held and backends == "embedded")
        return sum(values.values()) + (product if beside else 0)


class Caching(Declared):
    """The source that a system's caches spare, and how long they keep an answer."""

    metric: str
    """The timer of requests to it, by its name in Prometheus, without ``_count`` or ``_sum``."""
    refused: dict[str, str]
    """The labels of those requests that it refused."""
    setting: str
    """The setting that says how long an answer is fresh."""
    fresh: str
    """Its default."""
    kept_with: dict[str, str] = Field(default_factory=dict)
    """Settings without which nothing is kept."""

    def fresh_s(self, settings: Mapping[str, str]) -> float | None:
        """Return how long an answer is kept under some settings, in seconds.

        None if nothing is kept, or if the setting is not a number of milliseconds or a number with
        ``ms``, ``s``, ``m`` or ``h``.
        """
        if any(settings.get(name) != value for name, value in self.kept_with.items()):
            return None
        match = _DURATION.fullmatch(settings.get(self.setting, self.fresh))
        return None if match is None else int(match[1]) * _SECONDS[match[2] or "ms"]


class HopRule(Declared):
    """A rule that assigns timers to one hop of an operation."""

    name: str
    """May hold ``{label}`` for the value of a label."""
    metric: str
    """The timer's name in Prometheus, without ``_count`` or ``_sum``."""
    service: str | None = None
    """A regular expression; None for every service."""
    labels: dict[str, str] = Field(default_factory=dict)
    """A regular expression for each label that must match."""
    workloads: tuple[str, ...] = ()
    """Empty for all workloads."""

    def name_for(self, service: str, labels: Mapping[str, str], workload: str) -> str | None:
        """Return the name of the hop of a timer; None if the rule does not match it."""
        fits = (
            (not self.workloads or workload in self.workloads)
            and (self.service is None or re.fullmatch(self.service, service))
            and all(
                re.fullmatch(pattern, labels.get(key, "")) for key, pattern in self.labels.items()
            )
        )
        return self.name.format_map(defaultdict(str, labels)) if fits else None


class Handicap(Declared):
    """A setting that slows a part of a system by a known amount of CPU time, a duration.

    `calls` says how often one operation burns this time, by workload, unless one of the settings
    `unless` has this value.
    """

    part: str
    """What burns it, as users call it."""
    setting: str
    calls: dict[str, int]
    unless: dict[str, str] = Field(default_factory=dict)


class ReferenceAnswer(Declared):
    """An answer of the server that shows the load generator's highest rate."""

    request: str
    """How the request line begins: method and path."""
    status: HTTPStatus = HTTPStatus.OK
    file: str | None = None
    """A file of the project: the body of the answer."""
    echo: dict[str, str] = Field(default_factory=dict)
    """In place of a file: the body is the JSON object of the request, with these members added."""
    headers: dict[str, str] = Field(default_factory=dict)
    """Headers of the answer. Without a content type, it is JSON."""


class Token(Declared):
    """Where a token is fetched, once before everything starts.

    Each request then has ``Authorization: Bearer TOKEN``.
    """

    url: Annotated[str, Field(pattern=r"^https?://[^/\s]+")]
    form: dict[str, Annotated[str, Field(coerce_numbers_to_str=True)]] = Field(default_factory=dict)
    """What is sent by POST; without it the URL is asked by GET. A value ``${NAME}`` is that of the
    environment, so that results have no secret.
    """
    member: Annotated[str, Field(min_length=1)] = "access_token"
    """The member of the answer, a JSON object, that is the token."""


class TokenService(Declared):
    """What issues tokens to clients, where a setting asks for them."""

    setting: str
    """The service starts where this setting has a value other than off."""
    default: str = "off"
    """The value of that setting where it is not set."""
    issuer: str
    """The setting of the others that has its URL."""
    service: str
    port: int
    issuer_path: str = ""
    """The path of that URL."""
    path: str
    """Where tokens are asked for, below that URL."""
    form: dict[str, str]
    """What a client sends by POST. The member ``access_token`` of the answer is its token."""


class PlanDeclaration(Declared):
    """A JMeter plan of the user's own."""

    file: str
    operations: Annotated[tuple[str, ...], Field(min_length=1)]
    """Labels of its requests. Several are a session, which is one operation."""


class SystemDeclaration(Declared):
    name: str
    """The name of its folder in ``systems``, or the one that the user gave it."""
    own: bool = False
    """Whether it is the user's own."""
    extends: str | None = None
    """The path, from this file, of the declaration whose keys it has unless it has its own."""
    compose: str = ""
    """The compose file: services, ports, environment, health and start order. Empty for a system of
    the user's that a command starts, or that runs already.
    """
    free_from: int = 0
    """The port of this machine from which on a free one leads to the front of a user's compose
    file.
    """
    command: str | None = None
    """What starts it, if not a compose file."""
    environment: dict[str, str] = Field(default_factory=dict)
    """Of that command."""
    front: Endpoint
    """The endpoint that receives the load."""
    protocol: Protocol
    """``direct``: the answer is the result. ``acknowledged``: the client asks, then fetches."""
    accounts: bool = False
    """Whether its front door may ask for an account. Only then its plans send one: a cache keeps no
    answer to a request with an account.
    """
    token: Token | None = None
    """What requests to a user's system are sent with."""
    tokens: TokenService | None = None
    """What issues tokens to clients of ours, if anything does."""
    compared: bool = True
    """Whether an experiment that names no systems compares it. It then has workloads in common with
    all others of this kind.
    """
    workloads: Annotated[dict[str, str], Field(min_length=1)]
    """The path of each. Its plan is ``jmeter/NAME-WORKLOAD.jmx``."""
    further_workloads: dict[str, str] = Field(default_factory=dict)
    """The same, of workloads that an experiment has only if it names them."""
    requests: dict[str, WorkloadDeclaration] = Field(default_factory=dict)
    """What is sent and checked, by workload; ``jmeter/workloads`` has those that are not here."""
    plans: dict[str, PlanDeclaration] = Field(default_factory=dict)
    """Plans of the user's own, by workload."""
    nouns: dict[str, str] = Field(default_factory=dict)
    """What operations are called in reports, in the plural, by workload."""
    work: dict[str, Work] = Field(default_factory=dict)
    """What an operation causes, by workload."""
    refusals: tuple[str, ...] = ()
    """Problem types of refused requests that the plans look for first."""
    complete: Annotated[tuple[Probe, ...], Field(min_length=1)]
    services: tuple[str, ...] = ()
    """The services of the system's own code. An experiment may limit their CPU and memory."""
    scalable: tuple[str, ...] = ()
    """The services that may run in several instances."""
    numbered: dict[str, str] = Field(default_factory=dict)
    """Those of them whose instances must know their number, and the setting that tells it."""
    kinds: dict[str, Kind] = Field(default_factory=dict)
    """Kinds of services of which there may be more or fewer."""
    stoppable: tuple[str, ...] = ()
    """The services that an experiment may suspend."""
    ledger: Ledger | None = None
    """What became of accepted work; None if an answer is the end of an operation."""
    cache: Caching | None = None
    """Its caches; None if it has none. Its answers tell the time of their data."""
    measured: dict[str, str] = Field(default_factory=dict)
    """Settings of its services in every experiment that does not set them."""
    reset: Reset | None = None
    """What is emptied before each run; None if the system stores nothing in MongoDB."""
    restore: Restore | None = None
    """What is put back before each run; None if the system stores nothing in PostgreSQL."""
    reference: tuple[ReferenceAnswer, ...]
    """The reference server's answers to the plans' requests; where results are fetched, those."""
    hops: tuple[HopRule, ...] = ()
    """From the outermost to the innermost."""
    partial_answer: str | None = None
    """A regular expression for the messages of failed assertions that mean a partial answer; None
    if the system gives none.
    """
    handicaps: tuple[Handicap, ...] = ()
    color: str | None = None
    """Of the system's lines in Grafana, by one of Grafana's names; None lets Grafana choose."""

    @property
    def place(self) -> OwnPlace | None:
        """What starts it if it is the user's own; None otherwise."""
        if not self.own:
            return None
        return "compose" if self.compose else "command"

    @property
    def countable(self) -> tuple[str, ...]:
        """The services and kinds of services whose number an experiment can set."""
        return (*self.scalable, *self.kinds)

    @property
    def every_workload(self) -> dict[str, str]:
        """The path of each workload, also of those that must be named."""
        return self.workloads | self.further_workloads


PORT = "{port}"
"""What stands for the port in a command and its environment."""

HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""The name of a header, by RFC 9110."""

METHODS = ("get", "post", "put", "patch", "delete")

OwnName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$", max_length=60)]
OwnWorkloadName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=60)]
"""The name of a plan is that of the system, a hyphen and that of the workload."""


def _path(path: str) -> str:
    if not path.startswith("/"):
        raise ValueError(f"{path!r} is no path: it begins with /")
    return path


UrlPath = Annotated[str, AfterValidator(_path)]


def _status(number: int) -> int:
    if number not in {status.value for status in HTTPStatus}:
        raise ValueError(f"{number} is no status of HTTP, such as 200 or 404")
    return number


def _headers(lines: dict[str, str]) -> dict[str, str]:
    for name, value in lines.items():
        if not HEADER.fullmatch(name) or not value.isprintable():
            raise ValueError(f"{f'{name}: {value}'!r} is no header: NAME: VALUE, in one line")
    return lines


def endpoint(text: str) -> Endpoint:
    """Return a service and its port, given as ``SERVICE:PORT``; raise `ValueError` otherwise."""
    service, _, port = text.partition(":")
    if not (service and port.isdecimal() and 1 <= int(port) <= 65_535):
        raise ValueError(f"{text!r} is not of the form SERVICE:PORT, such as api:8080")
    return Endpoint(service=service, port=int(port))


def _front(text: str) -> str:
    endpoint(text)
    return text


def _listed(labels: Any) -> Any:
    return [labels] if isinstance(labels, str) else labels


def _with_methods(schema: dict[str, Any]) -> None:
    schema["properties"] |= {method: {"type": "string"} for method in METHODS}
    schema.pop("required", None)


class OwnWorkload(WorkloadDeclaration):
    """A workload of a user's system. ``get: PATH`` is short for method and path, as is ``post``."""

    model_config = ConfigDict(json_schema_extra=_with_methods)

    path: UrlPath = ""
    """Empty with a plan."""
    headers: Annotated[dict[str, str], AfterValidator(_headers)] = Field(default_factory=dict)
    status: Annotated[int, AfterValidator(_status)] = 200
    contains: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    plan: Annotated[str, Field(min_length=1)] | None = None
    """In place of a request: a JMeter plan, by its path from the user's folder."""
    operations: Annotated[tuple[str, ...], BeforeValidator(_listed), Field(min_length=1)] | None = (
        None
    )
    """The labels of the plan's requests that are operations; several are a session."""
    noun: str | None = None
    """What operations are called in reports, in the plural."""

    @model_validator(mode="before")
    @classmethod
    def _check_method(cls, keys: Any) -> Any:
        if not isinstance(keys, Mapping):
            return {"path": keys}
        if keys.get("plan") is not None:
            # In results the path is empty.
            return {key: value for key, value in keys.items() if value or key != "path"}
        given = [method for method in METHODS if method in keys]
        if len(given) + ("path" in keys) != 1:
            raise ValueError(
                f"give one of {', '.join(METHODS)} with a path, such as get: /items, or a plan"
            )
        rest = {key: value for key, value in keys.items() if key not in given}
        return (
            rest | {"method": method.upper(), "path": keys[method]}
            if (method := next(iter(given), None))
            else rest
        )

    @model_validator(mode="after")
    def _check_plan(self) -> OwnWorkload:
        if (self.plan is None) != (self.operations is None):
            raise ValueError(
                "give plan and operations together: a file, and labels of its requests"
            )
        further = {
            name
            for name, field in type(self).model_fields.items()
            if getattr(self, name) != field.get_default(call_default_factory=True)
        } - {"plan", "operations", "noun", "description"}
        if self.plan is not None and further:
            raise ValueError(
                f"plan excludes {', '.join(sorted(further))}: the plan has its requests"
            )
        return self

    @model_validator(mode="after")
    def _check_values(self) -> OwnWorkload:
        if self.csv is None and (place := PLACE.search(self.path)):
            raise ValueError(f"{place[0]} in {self.path!r} needs csv: a file with this column")
        if self.csv is not None and self.file is not None:
            raise ValueError("csv and file exclude each other: a file is sent as it is")
        return self


class OwnSystem(Declared):
    """A user's own system, as ``testbed.yaml`` has it under ``systems``."""

    command: str | None = None
    """What starts it, in the user's folder and without a shell; `PORT` stands for its port. None
    for a system that runs already, or whose command differs from one compared system to the next.
    """
    environment: dict[str, Annotated[str, Field(coerce_numbers_to_str=True)]] = Field(
        default_factory=dict
    )
    """Environment of the command, beside that of the harness; values may have `PORT`."""
    compose: Annotated[str, Field(min_length=1)] | None = None
    """In place of a command: a compose file, by its path from the user's folder."""
    front: Annotated[str, AfterValidator(_front)] | None = None
    """Which of its services is asked, and at which port in its container: ``SERVICE:PORT``."""
    port: Annotated[int, Field(ge=1, le=60_000, strict=True)] = 9000
    """Its port. A system that is up beside it has a port 1000 above, and so on. With a compose file
    it is the first one that is free from there.
    """
    token: Token | None = None
    """A token for the requests."""
    health: UrlPath | None = None
    """The path that answers 200 when it is ready. Default: that of the first GET."""
    workloads: Annotated[dict[OwnWorkloadName, OwnWorkload], Field(min_length=1)]
    """What users do, by name."""

    @model_validator(mode="after")
    def _check_compose(self) -> OwnSystem:
        if (self.compose is None) != (self.front is None):
            raise ValueError("give compose and front together: a compose file, and SERVICE:PORT")
        if self.compose is not None and (self.command is not None or self.environment):
            raise ValueError("compose excludes command and environment")
        return self

    @model_validator(mode="after")
    def _check_token(self) -> OwnSystem:
        names = {name.lower() for each in self.workloads.values() for name in each.headers}
        if self.token is not None and "authorization" in names:
            raise ValueError("token and a header Authorization exclude each other: give one")
        return self

    @model_validator(mode="after")
    def _check_health(self) -> OwnSystem:
        if self._probe is None:
            raise ValueError("health: give a path that answers 200, as no workload is a GET")
        return self

    @property
    def _probe(self) -> str | None:
        gets = (
            each.path
            for each in self.workloads.values()
            if each.plan is None and each.method == "GET"
        )
        return self.health or next(gets, None)

    def _ready(self, project: Project) -> str:
        """Return the path that answers 200 when it is ready; with values, those of a first row."""
        assert self._probe is not None
        files = [each.csv for each in self.workloads.values() if each.path == self._probe]
        if not (files and files[0]):
            return self._probe
        # Results are read where there is no such file.
        with contextlib.suppress(UserError):
            return values.fill(self._probe, values.read(project.folder / files[0]).first)
        return self._probe

    def declared(self, name: str, project: Project) -> SystemDeclaration:
        """Return its declaration in full."""
        requests = {key: each for key, each in self.workloads.items() if each.plan is None}
        begins = {key: PLACE.split(each.path)[0] for key, each in requests.items()}
        every = sorted(requests.items(), key=lambda item: -len(begins[item[0]]))
        return SystemDeclaration(
            name=name,
            own=True,
            command=self.command,
            environment=self.environment,
            compose=str(project.folder.absolute() / self.compose) if self.compose else "",
            front=endpoint(self.front) if self.front else Endpoint(service=name, port=self.port),
            free_from=self.port,
            protocol="direct",
            token=self.token,
            compared=False,
            workloads={key: each.path for key, each in self.workloads.items()},
            requests={
                key: each.model_copy(
                    update={
                        kind: name and str(project.folder.absolute() / name)
                        for kind, name in (("file", each.file), ("csv", each.csv))
                    }
                )
                for key, each in requests.items()
            },
            plans={
                key: PlanDeclaration(
                    file=str(project.folder.absolute() / each.plan), operations=each.operations
                )
                for key, each in self.workloads.items()
                if each.plan is not None and each.operations is not None
            },
            nouns={key: each.noun for key, each in self.workloads.items() if each.noun},
            complete=(Probe(get=self._ready(project)),),
            reference=tuple(
                ReferenceAnswer(
                    request=f"{each.method} {begins[key]}",
                    status=HTTPStatus(each.status),
                    file=str(project.state / "answers" / f"{name}-{key}"),
                )
                for key, each in every
            ),
        )


def _new(systems: dict[str, OwnSystem]) -> dict[str, OwnSystem]:
    for name in systems:
        if name in _shipped(Project.find().root):
            raise ValueError(f"{name!r} is a system that ships: choose another name")
    return systems


OwnSystems = Annotated[dict[OwnName, OwnSystem], AfterValidator(_new)]


class ProjectFile(Declared):
    """A user's ``testbed.yaml``."""

    systems: OwnSystems = Field(default_factory=dict)
    experiments: dict[OwnName, dict[str, Any]] = Field(default_factory=dict)
    """As files of ``experiments`` have them, without ``name``."""


_declared: dict[str, OwnSystem] = {}
"""The user's systems that experiments declare."""


@cache
def _shipped(root: Path) -> Mapping[str, SystemDeclaration]:
    files = sorted((root / "systems").glob("*/system.yaml"))
    variants = [read(SystemDeclaration, "system", file, name=file.parent.name) for file in files]
    ordered = sorted(
        variants, key=lambda variant: (not variant.compared, variant.protocol != "direct")
    )
    return {variant.name: variant for variant in ordered}


def project_file(project: Project) -> ProjectFile:
    """Return what the user's own folder declares; raise `UserError` if that is not valid."""
    file = project.folder / FILE
    return read(ProjectFile, "project", file) if file.is_file() else ProjectFile()


def declare(systems: Mapping[str, OwnSystem]) -> None:
    """Add systems of the user's to those that are known, in place of any of the same name."""
    _declared.update(systems)
    _own.cache_clear()


def declare_recorded(keys: Any) -> None:
    """Add the user's systems that results recorded; none if this version cannot read them."""
    with contextlib.suppress(ValidationError):
        declare(TypeAdapter(dict[str, OwnSystem]).validate_python(keys or {}))


def own() -> Mapping[str, OwnSystem]:
    """Return the user's own systems by name."""
    return {**project_file(Project.find()).systems, **_declared}


@cache
def _own(project: Project) -> Mapping[str, SystemDeclaration]:
    return {name: system.declared(name, project) for name, system in own().items()}


def declarations(root: Path | None = None) -> Mapping[str, SystemDeclaration]:
    """Return all variants by name: `compared` ones first, then ``direct`` ones, then by alphabet.

    The user's own are the last; with a `root`, only those that ship in it are returned. Raises
    `UserError` if a declaration is not valid.
    """
    if root is not None:
        return _shipped(root)
    project = Project.find()
    return {**_shipped(project.root), **_own(project)}


def names() -> tuple[str, ...]:
    """Return the names of all variants, in the order of `declarations`."""
    return tuple(declarations())


def compared() -> tuple[str, ...]:
    """Return the names of the variants that are compared if none are named."""
    return tuple(name for name, variant in declarations().items() if variant.compared)


def declaration(name: str) -> SystemDeclaration:
    """Return the declaration of a variant; raise `UserError` if there is none."""
    if name not in declarations():
        raise unknown("variant", name, names())
    return declarations()[name]


def user_plan(name: str, workload: str) -> UserPlan | None:
    """Return a user's own plan of a workload, None if there is none.

    Raises `UserError` if that cannot be measured with.
    """
    if (declared := declaration(name).plans.get(workload)) is None:
        return None
    return jmx.read(Path(declared.file), workload, declared.operations)


def workloads(of: Iterable[str] | None = None, *, every: bool = False) -> tuple[str, ...]:
    """Return the workloads of all variants, or those that the variants in `of` have in common.

    With `every`, also those that an experiment has only if it names them.
    """

    def served(name: str) -> Iterable[str]:
        declared = declaration(name)
        return declared.every_workload if every else declared.workloads

    sets = [set(served(name)) for name in (names() if of is None else of)]
    everywhere = set.union(*sets) if of is None else set.intersection(*sets)
    ordered = (workload for name in names() for workload in served(name))
    return tuple(workload for workload in dict.fromkeys(ordered) if workload in everywhere)


def noun(workload: str) -> str:
    """Return what the operations of a workload are called, in the plural."""
    declared = (each.nouns.get(workload) for each in declarations().values())
    return next(filter(None, declared), f"{workload} operations")


def fetches(name: str) -> bool:
    """Return whether the results of a variant are fetched; False for an undeclared variant."""
    declared = declarations().get(name)
    return declared is not None and declared.protocol == "acknowledged"


def instance(service: str, number: int) -> str:
    """Return the name of an instance of a service; the first has the name of the service."""
    return service if number == 1 else f"{service}.{number}"


def service_of(instance: str) -> str:
    return instance.partition(".")[0]


def number_of(instance: str) -> int:
    return int(instance.partition(".")[2] or 1)


def _one_of(choices: Callable[[], tuple[str, ...]]) -> AfterValidator:
    def choice(name: str) -> str:
        if name not in choices():
            raise ValueError(f"{name!r} is unknown; choose from: {', '.join(choices())}")
        return name

    return AfterValidator(choice)


Variant = Annotated[str, _one_of(names)]
"""The name of a declared variant."""

Workload = Annotated[str, _one_of(lambda: workloads(every=True))]
"""A workload of a declared variant."""
