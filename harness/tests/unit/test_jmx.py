"""A user's own JMeter plan: what is taken from it, and what is refused by name."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from testbed.analysis.samples import NOT_COUNTED
from testbed.model import jmx
from testbed.model.errors import UserError

from .conftest import HERE

SHOP = HERE / "shop.jmx"
THREADS = "${__P(threads,10)}"
LAST = """      <ResultCollector guiclass="ViewResultsFullVisualizer\""""
TRANSACTION = "TransactionController"
POST = '<stringProp name="HTTPSampler.method">POST'
SEARCH = """          <ConstantTimer guiclass="ConstantTimerGui\""""


def read(
    folder: Path, *changes: tuple[str, str], operations: tuple[str, ...] = ("Search",)
) -> jmx.UserPlan:
    """Read the plan of a folder of its own, in which texts are changed."""
    text = SHOP.read_text()
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    (folder / "shop.jmx").write_text(text)
    (folder / "words.csv").write_text("tea\n")
    jmx.read.cache_clear()
    return jmx.read(folder / "shop.jmx", "browse", operations)


def refusal(folder: Path, *changes: tuple[str, str], **given: tuple[str, ...]) -> str:
    with pytest.raises(UserError) as refused:
        read(folder, *changes, **given)
    return refused.value.message


def element(kind: str, name: str, settings: str = "", guiclass: str = "") -> str:
    return (
        f'<{kind} guiclass="{guiclass}" testclass="{kind}" testname="{name}" enabled="true">'
        f"{settings}</{kind}><hashTree/>"
    )


def setting(name: str, value: str) -> str:
    return f'<stringProp name="{name}">{value}</stringProp>'


def elements(plan: jmx.UserPlan) -> ET.Element:
    return ET.fromstring(f"<hashTree>{plan.elements}</hashTree>")


def test_a_plan_is_taken_without_its_listeners_and_what_is_disabled(tmp_path: Path) -> None:
    plan = read(tmp_path)
    tags = {each.tag for each in elements(plan).iter()}

    assert {"CookieManager", "CSVDataSet", "OnceOnlyController", "ConstantTimer"} <= tags
    assert not {"ResultCollector", "ConstantThroughputTimer", "ThreadGroup", "TestPlan"} & tags
    assert [each.get("name") for each in ET.fromstring(f"<a>{plan.variables}</a>")] == [
        "server",
        "context",
    ]
    assert (plan.on_error, plan.same_user, plan.is_session) == ("continue", "true", False)


def test_requests_go_to_the_system_and_files_are_found(tmp_path: Path) -> None:
    tree = elements(read(tmp_path))
    requests = list(tree.iter("HTTPSamplerProxy"))
    texts = [{each.get("name"): each.text for each in request} for request in requests]

    assert {text["HTTPSampler.domain"] for text in texts} == {"${testbed_host}"}
    assert {text["HTTPSampler.port"] for text in texts} == {"${testbed_port}"}
    assert {text["HTTPSampler.connect_timeout"] for text in texts} == {"${testbed_connectTimeout}"}
    assert texts[0]["HTTPSampler.path"] == "${testbed_prefix}${context}/login"
    (values,) = tree.iter("CSVDataSet")
    assert values.findtext("*[@name='filename']") == str(tmp_path / "words.csv")


def test_labels_say_which_requests_are_operations(tmp_path: Path) -> None:
    def labels(*operations: str) -> list[str | None]:
        tree = elements(read(tmp_path, operations=operations))
        return [request.get("testname") for request in tree.iter("HTTPSamplerProxy")]

    assert labels("Search") == ["beside Log in", "beside Home page", "${phase}browse"]
    assert labels("Search", "Home page") == [
        "beside Log in",
        "${phase}browse home-page",
        "${phase}browse search",
    ]
    assert NOT_COUNTED.removesuffix(")").endswith(jmx.BESIDE)


def test_pauses_and_further_requests_allow_a_closed_loop_alone(tmp_path: Path) -> None:
    timer = ('testname="Think" enabled="true"', 'testname="Think" enabled="false"')
    once = ('testname="Once" enabled="true"', 'testname="Once" enabled="false"')
    every = ("Home page", "Search")

    pausing = read(tmp_path, once, operations=every)
    assert (pausing.users_pause, pausing.only_closed) == (True, "its users pause")
    further = read(tmp_path, timer, operations=every)
    assert further.users_pause
    with pytest.raises(UserError, match=r"alone \(threads\), as it has requests .* Log in"):
        further.require_open()
    steady = read(tmp_path, timer, once, operations=every)
    assert (steady.users_pause, steady.only_closed) == (False, None)
    steady.require_open()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            (THREADS, "25"),
            "'Users' (ThreadGroup): the number of threads is '25': write ${__P(threads,25)}, "
            "which the experiment sets",
        ),
        (
            (">continue<", ">stopthread<"),
            "after an error it ends users (stopthread): choose Continue or Start Next Thread Loop",
        ),
        (
            (">${__P(port,8080)}<", ">${__Random(8000,8100)}<"),
            "port '${__Random(8000,8100)}' of 'HTTP Request Defaults' is made at run time: write "
            "${__P(port,8080)}, which the experiment sets",
        ),
        (
            ('HTTPSampler.domain"></stringProp>', 'HTTPSampler.domain">a.example</stringProp>'),
            "requests have several hosts, and one system is measured: '${__P(host,localhost)}' of "
            "'HTTP Request Defaults', 'a.example' of 'Log in' and 2 more",
        ),
        (
            ("${context}/login", "https://other.example/login"),
            "path 'https://other.example/login' has an address: write the path alone",
        ),
        (
            ('enabled="true"/>\n        <hashTree>', 'enabled="true"/><hashTree><x.Y/><hashTree/>'),
            "(x.Y): an element of a plugin, which the testbed's JMeter does not have",
        ),
        (
            (LAST, element("JDBCSampler", "Query") + LAST),
            "'Query' (JDBCSampler): only an HTTP Request is sent to the system that is measured",
        ),
        (
            (LAST, element("RunTime", "For") + LAST),
            "'For' (RunTime): the testbed does not take such elements: disable it",
        ),
        (
            (LAST, element("SetupThreadGroup", "Before") + LAST),
            "'Before' (SetupThreadGroup): a plan is run once for each block: prepare the system",
        ),
        (
            (LAST, element("x.UltimateThreadGroup", "Most") + LAST),
            "'Most' (x.UltimateThreadGroup): use a Thread Group with ${__P(threads,10)} threads",
        ),
        (
            (LAST, element("ThreadGroup", "More", setting("ThreadGroup.num_threads", "1")) + LAST),
            "it has 2 enabled Thread Groups: enable exactly one",
        ),
        (
            ('testname="Rate" enabled="false"', 'testname="Rate" enabled="true"'),
            "'Rate' (ConstantThroughputTimer): it sets a rate: give `rates` in the experiment",
        ),
        (
            (SEARCH, element("SyncTimer", "Wait") + SEARCH),
            "'Wait' (SyncTimer): it makes users wait for each other",
        ),
        (
            (LAST, element("IncludeController", "Other") + LAST),
            "'Other' (IncludeController): put what it leads to in its place",
        ),
        (
            (LAST, element("ConfigTestElement", "TCP", guiclass="TCPConfigGui") + LAST),
            "'TCP' (ConfigTestElement): only HTTP Request Defaults are taken",
        ),
        (
            (LAST, element("TestAction", "End", setting("ActionProcessor.action", "0")) + LAST),
            "'End' (TestAction): it ends users: choose from: pause, next loop",
        ),
        (
            (
                LAST,
                element("TransactionController", "All", setting(f"{TRANSACTION}.parent", "true"))
                + LAST,
            ),
            "its parent sample hides the requests: untick Generate parent sample",
        ),
        (
            ('name="recycle">true', 'name="recycle">false'),
            "'Words' (CSVDataSet): its values end: set Recycle on EOF to True",
        ),
        ((">words.csv<", ">other.csv<"), "file 'other.csv' is missing in "),
        (
            (">words.csv<", ">${__P(words)}<"),
            "file '${__P(words)}' is made at run time: write its path",
        ),
        (
            (">word<", ">offset<"),
            "variable 'offset' is the testbed's: choose another name",
        ),
        (
            ("${word}", "${offset}"),
            "variable 'offset' is the testbed's: choose another name",
        ),
        (
            ("${word}", "${__chooseRandom(a,b,c)}"),
            "function __chooseRandom: the testbed's JMeter does not have it",
        ),
        (
            ("${word}", "${__P( shop.word )}"),
            "property 'shop.word' has no default: write ${__P(shop.word,VALUE)}",
        ),
        (
            (">/shop<", ">${__P(context)}<"),
            "property 'context' has no default: write ${__P(context,VALUE)}",
        ),
        (
            (POST, setting("HTTPSampler.proxyHost", "p") + POST),
            "'Log in' (HTTPSamplerProxy): it is sent through a proxy",
        ),
        (
            (POST, setting("HTTPSampler.image_parser", "true") + POST),
            "it retrieves embedded resources, also from other servers: untick this",
        ),
        (
            ('user_define_classpath">', 'user_define_classpath">a.jar'),
            "'Shop' (TestPlan): it adds jars to the class path",
        ),
    ],
)
def test_what_cannot_be_controlled_is_refused_by_name(
    tmp_path: Path, change: tuple[str, str], words: str
) -> None:
    assert words in refusal(tmp_path, change)


@pytest.mark.parametrize(
    ("operations", "words"),
    [
        (("Serach",), "operation 'Serach': no enabled HTTP Request has this name; choose"),
        (("Once",), "operation 'Once': it is a controller: name the requests in it"),
        (("Search ${word}",), "it is made at run time: give the request a fixed name"),
        (("Search", "Search"), "another operation is called 'search' in results too"),
    ],
)
def test_an_operation_is_the_label_of_a_request(
    tmp_path: Path, operations: tuple[str, ...], words: str
) -> None:
    assert words in refusal(tmp_path, operations=operations)


def test_all_that_is_refused_is_named_at_once(tmp_path: Path) -> None:
    message = refusal(tmp_path, (THREADS, "25"), ("${__P(port,8080)}", "${__time()}"))
    assert len(message.splitlines()) == 3


def test_a_plan_of_another_thread_group_is_refused_by_that_alone(tmp_path: Path) -> None:
    message = refusal(
        tmp_path, ("<ThreadGroup ", "<x.AThreadGroup "), ("</ThreadGroup>", "</x.AThreadGroup>")
    )
    assert len(message.splitlines()) == 2


@pytest.mark.parametrize(
    "changes",
    [
        [("${__P(host,localhost)}", "shop.example"), ("${__P(port,8080)}", "8081")],
        [("${__P(host,localhost)}", "${__property(shop.host,,a)}"), (THREADS, "${__P(USERS, 1)}")],
    ],
)
def test_a_plan_may_name_its_server_and_its_properties_as_it_likes(
    tmp_path: Path, changes: list[tuple[str, str]]
) -> None:
    request = next(elements(read(tmp_path, *changes)).iter("HTTPSamplerProxy"))
    assert request.findtext("*[@name='HTTPSampler.domain']") == "${testbed_host}"


def test_properties_of_the_plan_have_the_values_of_the_experiment(tmp_path: Path) -> None:
    plan = read(
        tmp_path,
        (THREADS, "${__P( users ,10)}"),
        ("${__P(host,localhost)}", "${__P(shop.host)}"),
        ("${word}", "${__P(shop.host)} ${__P(shop.hosts,)} ${__property(users,,2)}"),
    )
    assert "${__P(host)} ${__P(shop.hosts,)} ${__property(threads,,2)}" in plan.elements
    assert "${__P(host)}" in plan.variables


def test_properties_that_no_request_needs_may_have_no_default(tmp_path: Path) -> None:
    plan = read(tmp_path, (">/shop<", ">${__P(rampUp)}<"), ("${context}/", "/"))
    assert "${__P(rampUp)}" in plan.variables


def test_a_name_without_letters_is_refused(tmp_path: Path) -> None:
    message = refusal(tmp_path, ('testname="Search"', 'testname="検索"'), operations=("検索",))
    assert "operation '検索': it has no letter from a to z and no digit" in message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<jmeterTestPlan>", "is not a JMeter plan: no element found"),
        ("<html/>", "is not a JMeter plan: it has no TestPlan"),
        (
            '<!DOCTYPE a [<!ENTITY b "c">]><jmeterTestPlan>&b;</jmeterTestPlan>',
            "is not a JMeter plan: it has a document type",
        ),
    ],
)
def test_what_is_no_plan_is_refused(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "shop.jmx").write_text(text)
    jmx.read.cache_clear()
    with pytest.raises(UserError) as refused:
        jmx.read(tmp_path / "shop.jmx", "browse", ("Search",))
    assert words in refused.value.message
    with pytest.raises(UserError, match="cannot be read: No such file"):
        jmx.read(tmp_path / "none.jmx", "browse", ("Search",))


@pytest.mark.parametrize(("quoted", "refused"), [("false", True), ("true", False)])
def test_a_blank_line_would_end_a_file_of_values(
    tmp_path: Path, quoted: str, refused: bool
) -> None:
    shop = tmp_path / "blank.csv"
    shop.write_bytes(b"tea\r\ncoffee\r\n\r\nmilk\r\n")
    changes = (
        (">words.csv<", ">blank.csv<"),
        ('name="quotedData">false', f'name="quotedData">{quoted}'),
    )
    if refused:
        assert "file 'blank.csv': line 3 is blank, which JMeter takes for the end" in refusal(
            tmp_path, *changes
        )
    else:
        read(tmp_path, *changes)
