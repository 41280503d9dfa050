"""What pages refer to is there: files, headings, experiments, systems and promises."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from testbed.experiment.reading import shipped
from testbed.model import systems
from testbed.model.project import Project

ROOT = Project.find().root
PAGES = sorted(
    page
    for page in (*ROOT.glob("*.md"), *ROOT.glob("*/*.md"), *ROOT.glob("docs/*/*.md"))
    # Third parties' pages are installed below such folders.
    if not any(part.startswith(".") for part in page.relative_to(ROOT).parts)
)


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    tokens = MarkdownIt().parse(page.read_text(encoding="utf-8"))
    headings = [after.content for token, after in pairwise(tokens) if token.type == "heading_open"]
    return {
        re.sub(r"[^\w\- ]", "", re.sub(r"\]\(.*?\)", "", heading).lower()).replace(" ", "-")
        for heading in headings
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
    dead = []
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, heading = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists() or (
            heading and target.suffix == ".md" and heading not in anchors(target)
        ):
            dead.append(link)

    assert dead == []


@pytest.mark.parametrize(
    ("command", "choices"),
    [("run", set(shipped(Project.find()))), ("up", set(systems.names()))],
)
def test_commands_name_what_there_is(command: str, choices: set[str]) -> None:
    named = {
        (name, str(page.relative_to(ROOT)))
        for page in PAGES
        for name in re.findall(
            rf"\./testbed {command} ([a-z][a-z0-9-]*)", page.read_text(encoding="utf-8")
        )
    }

    assert named
    assert {place for place in named if place[0] not in choices} == set()
