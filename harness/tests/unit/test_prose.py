"""Pages for readers have short sentences."""

from __future__ import annotations

import re
from itertools import pairwise
from statistics import median

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from testbed.model.project import Project

MOST_WORDS = 10
"""Of the median sentence."""

PAGES = (
    "README.md",
    "docs/how-it-works.md",
    "docs/instances.md",
    "docs/performance.md",
    "docs/rates.md",
    "docs/tested.md",
    "docs/tickets.md",
)

SENTENCE_END = re.compile(r"(?<=[.?!])\)?\s+")


def words_of(paragraph: Token) -> str:
    """The paragraph's words. A piece of code is one."""
    return "".join(
        {"code_inline": "code", "softbreak": " "}.get(part.type, part.content)
        for part in paragraph.children or ()
    )


def lengths(text: str) -> list[int]:
    """The number of words of each sentence, without headings, tables and examples."""
    tokens = MarkdownIt().enable("table").parse(text)
    paragraphs = [token for before, token in pairwise(tokens) if before.type == "paragraph_open"]
    sentences = [
        sentence for paragraph in paragraphs for sentence in SENTENCE_END.split(words_of(paragraph))
    ]
    counted = [len(re.findall(r"\S*\w\S*", sentence)) for sentence in sentences]
    return [count for count in counted if count]


def test_sentences_are_counted_without_tables_and_code() -> None:
    text = "# A title\n\nOne `a b` three. Four [five](six)?\n\n| a | table |\n|---|---|\n\n- Six.\n"
    assert lengths(text) == [3, 2, 1]


@pytest.mark.parametrize("page", PAGES)
def test_the_median_sentence_is_short(page: str) -> None:
    text = (Project.find().root / page).read_text(encoding="utf-8")
    assert median(lengths(text)) <= MOST_WORDS
