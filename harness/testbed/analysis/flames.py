"""Flame graphs of the samples that Java's flight recorder prints."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from html import escape
from itertools import groupby

WIDTH, ROW, LEAST = 1600, 17, 1.5
"""Of the picture, of a row, and of the narrowest frame that is drawn, in pixels."""

COLOURS = (("testbed.", "#56B4E9"), ("java.", "#cccccc"), ("jdk.", "#cccccc"), ("sun.", "#cccccc"))
"""Of our frames and those of the JDK, by how their names begin."""

OTHERS = "#E69F00"

Stack = tuple[str, ...]
"""The names of frames, the outermost first."""


def stacks(printed: Iterable[str], root: str) -> Counter[Stack]:
    """Count the stacks in the output of ``jfr print``; `root` is put below each."""
    counts: Counter[Stack] = Counter()
    frames: list[str] | None = None
    for line in map(str.strip, printed):
        if line == "stackTrace = [":
            frames = []
        elif frames is not None and line == "]":
            counts[root, *reversed(frames)] += 1
            frames = None
        elif frames is not None:
            frames.append(_name(line))
    return counts


def hottest(counted: Mapping[Stack, int], most: int = 10) -> list[tuple[str, float]]:
    """Return the methods with the most samples of their own, and their share of all samples."""
    own: Counter[str] = Counter()
    for stack, count in counted.items():
        own[stack[-1]] += count
    return [(name, count / own.total()) for name, count in own.most_common(most)]


def svg(counted: Mapping[Stack, int], title: str) -> str:
    """Draw a flame graph: a frame is as wide as its share, and stands on its caller.

    Frames narrower than `LEAST` are left out. The full name and the share show under the pointer.
    """
    total = sum(counted.values())
    frames: list[tuple[int, float, float, str, float]] = []

    def place(counted_stacks: list[tuple[Stack, int]], depth: int, left: float) -> None:
        for name, part in groupby(counted_stacks, lambda counted_stack: counted_stack[0][0]):
            above = list(part)
            share = sum(count for _, count in above) / total
            if share * WIDTH >= LEAST:
                frames.append((depth, left, share * WIDTH, name, share))
                place([(stack[1:], n) for stack, n in above if len(stack) > 1], depth + 1, left)
            left += share * WIDTH

    place(sorted(counted.items()), 0, 0.0)
    rows = max((depth for depth, *_ in frames), default=0) + 1
    height = (rows + 1) * ROW
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
            'font-family="sans-serif" font-size="11">',
            f'<text x="4" y="13" font-weight="bold">{escape(title)}, {total:,} samples</text>',
            *(_drawn(*frame, height) for frame in frames),
            "</svg>\n",
        ]
    )


def _drawn(depth: int, left: float, width: float, name: str, share: float, height: int) -> str:
    top = height - (depth + 1) * ROW
    colour = next((shade for start, shade in COLOURS if name.startswith(start)), OTHERS)
    short = ".".join(name.split(".")[-2:])[: int(width / 6.2)]
    text = f'<text x="{left + 2:.1f}" y="{top + 12}">{escape(short)}</text>'
    return (
        f'<g><title>{escape(name)}, {100 * share:.1f} %</title><rect x="{left:.1f}" y="{top}" '
        f'width="{max(width - 0.5, 0.5):.1f}" height="{ROW - 1}" fill="{colour}"/>'
        f"{text if len(short) > 2 else ''}</g>"
    )


def _name(frame: str) -> str:
    """Return a frame's class and method, without arguments, line and the address of a lambda."""
    return re.sub(r"(\$\$Lambda)\S*?(\.\w+)$", r"\1\2", frame.partition("(")[0])
