"""What is decided, in the forms that CI shows: JUnit's XML and Markdown."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from typing import TYPE_CHECKING

from testbed.cli.gates import Failure
from testbed.model.loads import load_words

if TYPE_CHECKING:
    from testbed.analysis.decisions import Decision


def junit(name: str, decisions: Sequence[Decision], failed: Sequence[Failure]) -> str:
    """Return a test suite with a case for each cell and figure; a failed gate is its failure."""
    from testbed.analysis.quantities import QUANTITIES
    from testbed.analysis.tables import ratio_words

    suite = ET.Element(
        "testsuite",
        name=name,
        tests=str(len(decisions)),
        failures=str(len({id(failure.decision) for failure in failed})),
    )
    for decision in decisions:
        case = ET.SubElement(
            suite,
            "testcase",
            classname=f"{decision.system} ÷ {decision.reference}",
            name=f"{_cell(decision)}: {QUANTITIES[decision.figure].words}",
        )
        for failure in failed:
            if failure.decision is decision:
                ET.SubElement(case, "failure", message=str(failure), type=str(failure.gate))
        output = ET.SubElement(case, "system-out")
        outcome = f"{ratio_words(decision)}, {decision.decision}"
        output.text = ": ".join(filter(None, (outcome, decision.reason)))
    ET.indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suite, "unicode") + "\n"


def markdown(name: str, decisions: Sequence[Decision], failed: Sequence[Failure]) -> str:
    """Return the answer in a sentence, a table of all cells, and the failed gates."""
    from testbed.analysis.answer import sentence, strongest
    from testbed.analysis.quantities import QUANTITIES
    from testbed.analysis.tables import ratio_words

    headline = strongest(decisions)
    answer = "No difference could be shown" if headline is None else sentence(headline)
    rows = [
        f"| {_safe(decision.system)} ÷ {_safe(decision.reference)} | {_safe(_cell(decision))} | "
        f"{QUANTITIES[decision.figure].words} | {ratio_words(decision)} | **{decision.decision}** |"
        for decision in decisions
    ]
    lines = [
        f"### {_safe(name)}",
        "",
        f"{_safe(answer)}.",
        "",
        "| systems | load | figure | ratio | decided |",
        "|---|---|---|---|---|",
        *rows,
    ]
    if failed:
        lines += ["", "Failed:", "", *(f"- {_safe(str(failure))}" for failure in failed)]
    return "\n".join(lines) + "\n"


def _cell(decision: Decision) -> str:
    return f"{decision.workload}, {load_words(decision.mode, decision.level)}"


def _safe(text: str) -> str:
    """Escape what would be markup in a cell of a table."""
    return text.replace("|", "\\|").replace("<", "&lt;")
