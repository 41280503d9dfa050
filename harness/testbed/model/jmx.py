"""A user's own JMeter plan: what is taken from it, and what is refused.

What its users do is put into the plan that the testbed makes. The numbers of the thread group and
the address of the requests are those of the experiment.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from testbed.model.errors import UserError

BESIDE = "beside "
"""Prefix of the labels of requests that are not operations. Their rows are used in no figure."""

REQUESTS = frozenset({"HTTPSamplerProxy", "HTTPSampler", "HTTPSampler2"})
TIMERS = frozenset(
    (
        *("BeanShellTimer", "ConstantTimer", "GaussianRandomTimer", "JSR223Timer"),
        *("PoissonRandomTimer", "UniformRandomTimer"),
    )
)
CONTROLLERS = frozenset(
    (
        *("ForeachController", "IfController", "InterleaveControl", "LoopController"),
        *("OnceOnlyController", "RandomController", "RandomOrderController", "SwitchController"),
        *("ThroughputController", "TransactionController", "WhileController"),
    )
)
TAKEN = frozenset(
    (
        *REQUESTS,
        *TIMERS,
        *CONTROLLERS,
        *("GenericController", "RecordingController", "TestAction"),
        *("Arguments", "AuthManager", "CacheManager", "ConfigTestElement", "CookieManager"),
        *("CounterConfig", "CSVDataSet", "DNSCacheManager", "HeaderManager"),
        *("RandomVariableConfig", "UserParameters"),
        *("AnchorModifier", "BeanShellPreProcessor", "JSR223PreProcessor", "RegExUserParameters"),
        *("SampleTimeout", "URLRewritingModifier"),
        *("BeanShellPostProcessor", "BoundaryExtractor", "HtmlExtractor", "JMESPathExtractor"),
        *("JSONPostProcessor", "JSR223PostProcessor", "RegexExtractor", "XPathExtractor"),
        "XPath2Extractor",
        *("BeanShellAssertion", "DurationAssertion", "HTMLAssertion", "JMESPathAssertion"),
        *("JSONPathAssertion", "JSR223Assertion", "MD5HexAssertion", "ResponseAssertion"),
        *("SizeAssertion", "XMLAssertion", "XPathAssertion", "XPath2Assertion"),
    )
)
LISTENERS = frozenset(
    ("BackendListener", "MailerResultCollector", "ResultCollector", "ResultSaver", "Summariser")
)
"""Left out: the testbed writes the rows."""

OTHER_GROUP = "use a Thread Group with ${__P(threads,10)} threads, which the experiment sets"
_PER_BLOCK = "a plan is run once for each block: prepare the system before"
_ELSEWHERE = "put what it leads to in its place"
REFUSED: Mapping[str, str] = {
    "SetupThreadGroup": _PER_BLOCK,
    "PostThreadGroup": _PER_BLOCK,
    "ConstantThroughputTimer": "it sets a rate: give `rates` in the experiment",
    "PreciseThroughputTimer": "it sets a rate: give `rates` in the experiment",
    "SyncTimer": "it makes users wait for each other",
    "ModuleController": _ELSEWHERE,
    "IncludeController": _ELSEWHERE,
    "TestFragmentController": _ELSEWHERE,
}

ON_ERROR = {"continue": "Continue", "startnextloop": "Start Next Thread Loop"}

FLOW = {"1": "pause", "3": "next loop", "4": "next iteration", "5": "break"}
"""What a Flow Control Action may do; all others end users."""

FILES = frozenset({"filename", "File.path", "BeanShellAssertion.filename"})
"""Properties that name a file, which JMeter looks for beside the plan."""

PROPERTY = re.compile(r"\$\{__(?:P|property)\(\s*([^\s,)]+)\s*(?:,.*)?\)\}")
"""A value that is given when JMeter is started."""

GIVEN = frozenset(("threads", "ramp", "host", "port"))
"""The properties of every run."""

WITHOUT_DEFAULT = re.compile(r"\$\{__P\(\s*([^\s,)]+)\s*\)\}")

DEFINES = re.compile(r"(?i)(refname|variableNames?|referenceNames|CounterConfig\.name)$")
"""Properties that name variables, which their elements set."""

RESERVED = frozenset(
    (
        *("intended", "loadLength", "loadStart", "loopsOfEach", "offset", "opened", "phase"),
        *("refusal", "warmupLength", "warmupThreads"),
    )
)
"""Variables of the plan that the testbed makes."""

FUNCTIONS = frozenset(
    f"__{name}"
    for name in (
        *("BeanShell", "CSVRead", "FileToString", "P", "Random", "RandomDate"),
        *("RandomFromMultipleVars", "RandomString", "StringFromFile", "StringToFile"),
        *("TestPlanName", "UUID", "V", "XPath", "changeCase", "char", "counter"),
        *("dateTimeConvert", "digest", "escapeHtml", "escapeOroRegexpChars", "escapeXml", "eval"),
        *("evalVar", "groovy", "intSum", "isPropDefined", "isVarDefined", "javaScript", "jexl2"),
        *("jexl3", "log", "logn", "longSum", "machineIP", "machineName", "property"),
        *("regexFunction", "samplerName", "setProperty", "split", "threadGroupName", "threadNum"),
        *("time", "timeShift", "unescape", "unescapeHtml", "urldecode", "urlencode"),
    )
)
"""The functions of JMeter 5.6.3. It sends those that it does not have as they are written."""


@dataclass(frozen=True)
class UserPlan:
    """What the testbed takes from a plan."""

    file: Path
    operations: tuple[str, ...]
    elements: str
    """What users do, as XML."""
    variables: str
    """The variables of the test plan, as XML."""
    on_error: str
    """What follows a failed request, as JMeter has it."""
    same_user: str
    """Whether each iteration is by the same user, as JMeter has it."""
    users_pause: bool
    """Whether users pause, or send requests that are no operations."""
    only_closed: str | None
    """Why no open loop is possible; None if one is."""

    @property
    def is_session(self) -> bool:
        """Whether an operation consists of several requests."""
        return len(self.operations) > 1

    def require_open(self) -> None:
        """Raise `UserError` if no open loop is possible."""
        if self.only_closed is not None:
            raise UserError(
                f"{self.file.name} fits a closed loop alone (threads), as {self.only_closed}"
            )


@cache
def read(file: Path, workload: str, operations: tuple[str, ...]) -> UserPlan:
    """Read a plan; raise `UserError` naming all that is refused.

    `operations` are the labels of the requests that are operations, or a session together.
    """
    try:
        root = ET.parse(file, ET.XMLParser(target=_WithoutDoctype())).getroot()
    except OSError as problem:
        raise UserError(f"{file} cannot be read: {problem.strerror}") from None
    except (ET.ParseError, ValueError, LookupError) as problem:
        raise UserError(f"{file} is not a JMeter plan: {problem}") from None
    top = root.find("hashTree")
    plans = [] if top is None else [pair for pair in _pairs(top) if pair[0].tag == "TestPlan"]
    if root.tag != "jmeterTestPlan" or not plans:
        raise UserError(f"{file} is not a JMeter plan: it has no TestPlan")
    return _Reader(file, workload, operations, *plans[0]).read()


class _WithoutDoctype(ET.TreeBuilder):
    """Refuses a document type, which may declare entities."""

    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        raise ValueError("it has a document type")


class _Reader:
    """Reads a plan; changes its elements."""

    def __init__(
        self,
        file: Path,
        workload: str,
        operations: tuple[str, ...],
        plan: ET.Element,
        tree: ET.Element,
    ) -> None:
        self.file, self.workload, self.operations = file, workload, operations
        self.plan, self.tree = plan, tree
        self.problems: list[str] = []
        self.properties: dict[str, str] = {}
        """The testbed's names of the plan's properties."""
        self.addresses: dict[str, dict[str, list[str]]] = {"host": {}, "port": {}}
        """Requests and defaults by the host and by the port that they name."""
        variables = plan.find("elementProp[@name='TestPlan.user_defined_variables']")
        self.arguments = [] if variables is None else list(variables.iterfind(".//elementProp"))
        enabled = list(_every(tree))
        further = [element for element in enabled if element.tag == "Arguments"]
        self.variables = {
            _text(argument, "Argument.name"): _text(argument, "Argument.value")
            for argument in (
                *self.arguments,
                *(each for element in further for each in element.iterfind(".//elementProp")),
            )
        }
        self.defaults = [element for element in enabled if element.tag == "ConfigTestElement"]

    def read(self) -> UserPlan:
        """Return what is taken of the plan; raise `UserError` naming all that is refused."""
        if _text(self.plan, "TestPlan.user_define_classpath"):
            self._refuse(self.plan, "it adds jars to the class path")
        groups = [
            pair
            for pair in _pairs(self.tree)
            if pair[0].tag.endswith("ThreadGroup") and _is_enabled(pair[0])
        ]
        plain = [pair for pair in groups if pair[0].tag == "ThreadGroup"]
        if len(plain) != 1 and (plain or not groups):
            self.problems.append(f"it has {len(plain)} enabled Thread Groups: enable exactly one")
        users = self._users(*plain[0]) if len(plain) == 1 else ET.Element("hashTree")
        shared = self._taken(self.tree)
        for element, _ in groups:
            if element.tag != "ThreadGroup":
                self._refuse(element, REFUSED.get(element.tag, OTHER_GROUP))
        # Elements, and their settings.
        everything = [*shared.iter(), *users.iter()]
        self._check_variables(everything)
        self._check_files(everything)
        requests = [element for element in everything if element.tag in REQUESTS]
        for element in (*self.defaults, *requests):
            self._address(element)
        for name, values in self.addresses.items():
            self._check_address(name, values)
        self._rename(everything)
        self._check_properties(everything)
        beside = self._label(requests, everything) if len(plain) == 1 else []
        if self.problems:
            lines = "\n".join(f"  {problem}" for problem in self.problems)
            raise UserError(f"{self.file} cannot be measured with:\n{lines}")
        shared.extend((_generic("users of the plan"), users))
        group = plain[0][0]
        pausing = any(
            element.tag in TIMERS or (element.tag == "TestAction" and _action(element) == "1")
            for element in everything
        )
        return UserPlan(
            file=self.file,
            operations=self.operations,
            elements="".join(map(_xml, shared)),
            variables="".join(map(_xml, self.arguments)),
            on_error=_text(group, "ThreadGroup.on_sample_error") or "continue",
            same_user=_text(group, "ThreadGroup.same_user_on_next_iteration") or "true",
            users_pause=pausing or bool(beside),
            only_closed=self._only_closed(everything, beside, pausing),
        )

    def _refuse(self, element: ET.Element, why: str) -> None:
        self.problems.append(f"{element.get('testname', '')!r} ({element.tag}): {why}")

    def _users(self, group: ET.Element, tree: ET.Element) -> ET.Element:
        """Check the thread group, and return what its users do."""
        threads = _text(group, "ThreadGroup.num_threads")
        if not self._is_property(self._value(threads), "threads"):
            number = threads if threads.isdecimal() else "10"
            self._refuse(
                group,
                f"the number of threads is {threads!r}: write ${{__P(threads,{number})}}, which "
                "the experiment sets",
            )
        on_error = _text(group, "ThreadGroup.on_sample_error") or "continue"
        if on_error not in ON_ERROR:
            choices = " or ".join(ON_ERROR.values())
            self._refuse(group, f"after an error it ends users ({on_error}): choose {choices}")
        return self._taken(tree)

    def _taken(self, tree: ET.Element) -> ET.Element:
        """Return the elements of a tree that are taken, thread groups left out; name all others."""
        taken = ET.Element("hashTree")
        for element, inner in _pairs(tree):
            kind = element.tag
            if not _is_enabled(element) or kind in LISTENERS or kind.endswith("ThreadGroup"):
                continue
            if why := self._why_not(element):
                self._refuse(element, why)
            else:
                taken.extend((element, self._taken(inner)))
        return taken

    def _why_not(self, element: ET.Element) -> str | None:
        kind = element.tag
        if kind in REFUSED:
            return REFUSED[kind]
        if kind not in TAKEN and "." in kind:
            return "an element of a plugin, which the testbed's JMeter does not have"
        if kind not in TAKEN and kind.endswith("Sampler"):
            return "only an HTTP Request is sent to the system that is measured"
        if kind not in TAKEN:
            return "the testbed does not take such elements: disable it"
        if kind == "ConfigTestElement" and element.get("guiclass") != "HttpDefaultsGui":
            return "only HTTP Request Defaults are taken"
        if kind == "TestAction" and _action(element) not in FLOW:
            return f"it ends users: choose from: {', '.join(FLOW.values())}"
        if _text(element, "TransactionController.parent") == "true":
            return "its parent sample hides the requests: untick Generate parent sample"
        if kind == "CSVDataSet" and _text(element, "recycle") == "false":
            return "its values end: set Recycle on EOF to True"
        return None

    def _value(self, text: str) -> str:
        """Return what a text is by the variables of the plan."""
        for _ in range(5):
            variable = re.fullmatch(r"\$\{(\w+)\}", text)
            if variable is None or variable[1] not in self.variables:
                break
            text = self.variables[variable[1]]
        return text

    def _is_property(self, value: str, ours: str) -> bool:
        """Return whether a value is a property, which the testbed then gives."""
        if (match := PROPERTY.fullmatch(value)) is not None:
            self.properties[match[1]] = ours
        return match is not None

    def _rename(self, everything: list[ET.Element]) -> None:
        """Give the plan's properties the testbed's names, wherever the plan uses them."""
        settings = [setting for argument in self.arguments for setting in argument.iter()]
        for name, ours in self.properties.items():
            uses = re.compile(rf"(\$\{{__(?:P|property)\(\s*){re.escape(name)}(?=[\s,)])")
            for setting in (*settings, *everything):
                setting.text = setting.text and uses.sub(rf"\g<1>{ours}", setting.text)
            for variable, value in self.variables.items():
                self.variables[variable] = uses.sub(rf"\g<1>{ours}", value)

    def _check_properties(self, everything: list[ET.Element]) -> None:
        """Name properties that requests need and nobody gives: JMeter takes their value for 1."""
        used = " ".join(
            setting.text or "" for setting in everything if setting.get("name") not in FILES
        )
        for _ in range(5):
            for name in {*re.findall(r"\$\{(\w+)\}", used)} & self.variables.keys():
                used = used.replace(f"${{{name}}}", self.variables[name])
        for name in sorted({*WITHOUT_DEFAULT.findall(used)} - GIVEN):
            self.problems.append(f"property {name!r} has no default: write ${{__P({name},VALUE)}}")

    def _check_variables(self, everything: list[ET.Element]) -> None:
        of_plan = (setting for argument in self.arguments for setting in argument.iter())
        texts = " ".join(setting.text or "" for setting in (*of_plan, *everything))
        defined = ",".join(
            setting.text or "" for setting in everything if DEFINES.search(setting.get("name", ""))
        )
        names = {*re.findall(r"\$\{(\w+)\}", texts), *self.variables, *re.split(r"[,;]", defined)}
        for name in sorted(names & RESERVED):
            self.problems.append(f"variable {name!r} is the testbed's: choose another name")
        for name in sorted({*re.findall(r"\$\{(__(?!jm)\w+)", texts)} - FUNCTIONS):
            self.problems.append(f"function {name}: the testbed's JMeter does not have it")

    def _check_files(self, everything: list[ET.Element]) -> None:
        """Make paths of files absolute, as the plan that is run stands elsewhere."""
        of_rows = {
            _text(element, "filename")
            for element in everything
            # With quotes a blank line is a row.
            if element.tag == "CSVDataSet" and _text(element, "quotedData") != "true"
        }
        for setting in everything:
            if setting.get("name") not in FILES or not (name := setting.text):
                continue
            path = self.file.parent / name
            if "${" in name:
                self.problems.append(f"file {name!r} is made at run time: write its path")
            elif not path.is_file():
                self.problems.append(f"file {name!r} is missing in {self.file.parent}")
            elif blank := _blank_line(path) if name in of_rows else None:
                self.problems.append(
                    f"file {name!r}: line {blank} is blank, which JMeter takes for the end: "
                    "remove it"
                )
            setting.text = str(path.absolute())

    def _label(self, requests: list[ET.Element], everything: list[ET.Element]) -> list[str]:
        """Give rows the labels that the analysis reads; return the requests beside operations."""
        names = [element.get("testname", "") for element in requests]
        grouping = {element.get("testname") for element in everything if element.tag in CONTROLLERS}
        own: dict[str, str] = {}
        for label in self.operations:
            name = re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")
            if "${" in label:
                why = "it is made at run time: give the request a fixed name"
            elif label not in names and label in grouping:
                why = "it is a controller: name the requests in it"
            elif label not in names:
                choices = ", ".join(dict.fromkeys(names)) or "none, as the plan has no request"
                why = f"no enabled HTTP Request has this name; choose from: {choices}"
            elif not name:
                why = "it has no letter from a to z and no digit"
            elif name in own.values():
                why = f"another operation is called {name!r} in results too"
            else:
                own[label] = name
                continue
            self.problems.append(f"operation {label!r}: {why}")
        is_session = len(self.operations) > 1
        for element in everything:
            name = element.get("testname", "")
            if element.tag in REQUESTS and name in own:
                step = f" {own[name]}" if is_session else ""
                element.set("testname", f"${{phase}}{self.workload}{step}")
            elif element.tag in REQUESTS or element.tag == "TransactionController":
                element.set("testname", BESIDE + name)
        return [name for name in names if name not in own]

    def _address(self, element: ET.Element) -> None:
        """Note where a request is sent, and send it to the system that is measured."""
        for setting, name in (("domain", "host"), ("port", "port")):
            if given := self._value(_text(element, f"HTTPSampler.{setting}")):
                of = self.addresses[name].setdefault(given, [])
                of.append(element.get("testname", ""))
        path = _text(element, "HTTPSampler.path")
        if re.match(r"(?i)https?:", path):
            self._refuse(element, f"path {path!r} has an address: write the path alone")
        if _text(element, "HTTPSampler.proxyHost"):
            self._refuse(element, "it is sent through a proxy")
        if _text(element, "HTTPSampler.image_parser") == "true":
            self._refuse(
                element, "it retrieves embedded resources, also from other servers: untick this"
            )
        is_request = element.tag in REQUESTS
        of_defaults = any(_text(each, "HTTPSampler.path") for each in self.defaults)
        if path or (is_request and not of_defaults):
            between = "" if path.startswith(("/", "$")) else "/"
            _set(element, "path", f"{_ours('prefix')}{between}{path}")
        if not is_request:
            return
        for setting, name in (("domain", "host"), ("port", "port"), ("protocol", "protocol")):
            _set(element, setting, _ours(name))
        for setting, name in (
            ("connect_timeout", "connectTimeout"),
            ("response_timeout", "responseTimeout"),
        ):
            if not any(_text(each, f"HTTPSampler.{setting}") for each in (element, *self.defaults)):
                _set(element, setting, _ours(name))

    def _check_address(self, name: str, values: Mapping[str, Sequence[str]]) -> None:
        """Check that all requests go to one system."""
        requests = {
            value: f"{of[0]!r}" + (f" and {len(of) - 1} more" if of[1:] else "")
            for value, of in values.items()
        }
        for value, words in requests.items():
            if not self._is_property(value, name) and "$" in value:
                default = "localhost" if name == "host" else "8080"
                self.problems.append(
                    f"{name} {value!r} of {words} is made at run time: write "
                    f"${{__P({name},{default})}}, which the experiment sets"
                )
        if len(requests) > 1:
            places = ", ".join(f"{value!r} of {words}" for value, words in requests.items())
            self.problems.append(
                f"requests have several {name}s, and one system is measured: {places}"
            )

    def _only_closed(
        self, everything: list[ET.Element], beside: list[str], pausing: bool
    ) -> str | None:
        if pausing:
            return "its users pause"
        if beside:
            return f"it has requests beside the operations: {', '.join(beside)}"
        # A pass may then have no operation, or several.
        choosing = CONTROLLERS - {"TransactionController"}
        controllers = [element for element in everything if element.tag in choosing]
        if len(self.operations) == 1 and controllers:
            return f"its operation is in a controller ({controllers[0].tag})"
        return None


def _pairs(tree: ET.Element) -> Iterator[tuple[ET.Element, ET.Element]]:
    """Yield each element of a tree with the tree below it."""
    elements = list(tree)
    for index, element in enumerate(elements):
        if element.tag != "hashTree":
            following = elements[index + 1] if index + 1 < len(elements) else None
            below = following is not None and following.tag == "hashTree"
            yield element, following if below and following is not None else ET.Element("hashTree")


def _every(tree: ET.Element) -> Iterator[ET.Element]:
    """Yield each enabled element, at any depth."""
    for element, inner in _pairs(tree):
        if _is_enabled(element):
            yield element
            yield from _every(inner)


def _is_enabled(element: ET.Element) -> bool:
    return element.get("enabled", "true") == "true"


def _blank_line(file: Path) -> int | None:
    """Return the number of the first blank line of a file, from 1; None if there is none."""
    with file.open("rb") as lines:
        return next(
            (number for number, line in enumerate(lines, 1) if not line.strip(b"\r\n")), None
        )


def _text(element: ET.Element, name: str) -> str:
    """Return a property of an element; empty without it."""
    for setting in element:
        if setting.get("name") == name:
            return (setting.text or "").strip()
    return ""


def _ours(name: str) -> str:
    """Return what requests have in place of a variable of the testbed's plan."""
    return f"${{testbed_{name}}}"


def _action(element: ET.Element) -> str:
    return _text(element, "ActionProcessor.action")


def _set(element: ET.Element, name: str, value: str) -> None:
    for setting in element.findall(f"*[@name='HTTPSampler.{name}']"):
        element.remove(setting)
    ET.SubElement(element, "stringProp", name=f"HTTPSampler.{name}").text = value


def _generic(name: str) -> ET.Element:
    attributes = {"guiclass": "LogicControllerGui", "testclass": "GenericController"}
    return ET.Element("GenericController", {**attributes, "testname": name})


def _xml(element: ET.Element) -> str:
    return ET.tostring(element, encoding="unicode").replace("\r", "&#13;")
