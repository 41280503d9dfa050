"""The answer of an experiment: one line, and what to do next."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from testbed.analysis.decisions import Decision, Outcome
from testbed.analysis.quantities import COMPARED
from testbed.analysis.statistics.ratios import ALIKE
from testbed.analysis.tables import bound_text, ratio_text
from testbed.model import systems
from testbed.model.loads import load_words

NAMED = ((1 / 4, "a quarter of"), (1 / 3, "a third of"), (1 / 2, "half"), (2, "twice"))
"""Ratios that have a word of their own."""

PERCENTILES = {"p95_ms": "95th percentile", "p99_ms": "99th percentile"}

DECIDED: tuple[Outcome, ...] = ("better", "worse", "alike")

NEAR = 0.04
"""How far a ratio may be from such a word, as a share of it."""

WARMING = "still warming"

FASTER = "faster but fails more"
"""Part of the reason of a decision that failures prevent."""

OTHERS_USED_IT = "other programs used the machine"


@dataclass(frozen=True)
class Measured:
    """What an answer needs to know of an experiment beside its decisions."""

    name: str = ""
    """The experiment's; empty for sample files without one."""
    runs: Mapping[str, int] = field(default_factory=dict)
    """Number of runs by the status of their verdict."""
    disturbed: str = ""
    """One sentence on what disturbed the measurement; empty if nothing did."""
    own: Sequence[str] = ()
    """The results of a search or a ladder, which has sentences of its own."""
    fastest: str = ""
    """The highest goodput, in words, for results that compare nothing."""


@dataclass(frozen=True)
class Answer:
    """The answer in words, each of one sentence or two; `more` and `next` may be empty."""

    line: str
    more: str = ""
    """How many other comparisons are decided, and for which starts that holds."""
    disturbed: str = ""
    next: str = ""
    """What to do next."""

    @property
    def lines(self) -> tuple[str, ...]:
        """The sentences after the first line."""
        following = f"Next: {self.next}" if self.next else ""
        return tuple(filter(None, (self.more, self.disturbed, following)))


def answer(decisions: Sequence[Decision], measured: Measured) -> Answer:
    """Return the answer of an experiment."""
    if measured.own:
        line, *others = measured.own
        more = f"{len(others)} more results are below." if others else ""
        return Answer(line, more, measured.disturbed)
    if (headline := strongest(decisions)) is not None:
        line, more = f"{sentence(headline)}.", _others(headline, decisions)
    elif decisions:
        line, more = f"No difference could be shown: {_why_not(decisions, measured)}.", ""
    else:
        line = f"{measured.fastest or 'No run counts'}. There is nothing to compare it with."
        more = ""
    next_step = _next(decisions, headline, measured)
    return Answer(line, more, measured.disturbed, next_step)


def strongest(decisions: Iterable[Decision]) -> Decision | None:
    """Return the decision that comes first; None if nothing is decided.

    Differences come first, then those at a given rate, then goodput before other figures, then the
    interval that is farthest from 1.
    """
    decided = [decision for decision in decisions if decision.decision != "not known"]
    return min(
        decided,
        key=lambda decision: (
            not decision.different,
            decision.mode != "open",
            COMPARED.index(decision.figure),
            -_distance(decision) if decision.different else _distance(decision),
        ),
        default=None,
    )


def sentence(decision: Decision) -> str:
    """Return a decided decision in words, without a full stop.

    For example ``B serves half the orders of A at 10 threads (0.50, certain within
    0.45 to 0.56)``.
    """
    system, base = decision.system, decision.reference
    noun, load = systems.noun(decision.workload), load_words(decision.mode, decision.level)
    ratio = decision.ratio or 1.0
    certain = f"({ratio_text(ratio)}, certain within {interval_text(decision)})"
    if decision.decision == "alike":
        within = f"within {100 * (ALIKE - 1):.0f} %"
        words = {
            "ok_per_s": f"{system} serves as many {noun} as {base}, {within}, at {load}",
            **{
                figure: f"{_first_upper(noun)} of {system} take as long as those of {base}, "
                f"{within}, at {load}, by the {percentile}"
                for figure, percentile in PERCENTILES.items()
            },
            "cpu_ms_per_ok": f"{system} needs as much CPU time for {noun} as {base}, {within}, at "
            f"{load}",
        }
    else:
        words = {
            "ok_per_s": f"{system} serves {_amount(ratio, 'fewer', 'more', noun, base)} at {load}",
            **{
                figure: f"{_first_upper(noun)} of {system} take {_time(ratio, base)} at {load}, "
                f"by the {percentile}"
                for figure, percentile in PERCENTILES.items()
            },
            "cpu_ms_per_ok": f"{system} needs "
            f"{_amount(ratio, 'less', 'more', 'CPU time', base)} for {noun} at {load}",
        }
    return f"{words[decision.figure]} {certain}"


def effect_words(ratio: float) -> str:
    """Return a ratio above 1 as a difference: ``a difference of 9 %``, ``a factor of 2.3``."""
    if ratio >= 99.5:
        return "a factor above 100"
    if ratio >= 1.995:
        return f"a factor of {ratio:.2g}"
    return f"a difference of {100 * (ratio - 1):.2g} %"


def interval_text(decision: Decision) -> str:
    """Return the interval of a ratio: ``0.45 to 0.56``."""
    if decision.low is None or decision.high is None:
        return "no interval"
    return f"{bound_text(decision.low)} to {bound_text(decision.high)}"


def _distance(decision: Decision) -> float:
    """Return how far the interval is from a ratio of 1; for what is alike, how far it reaches."""
    ends = [abs(math.log(end)) for end in (decision.low, decision.high) if end]
    return (min(ends) if decision.different else max(ends)) if ends else 0.0


def _amount(ratio: float, less: str, more: str, what: str, base: str) -> str:
    """Return how much of something: ``half the orders of A``, ``30 % more orders than A``."""
    if words := _named(ratio):
        return f"{words} the {what} of {base}"
    if not 0.1 <= ratio < 1.995:
        return f"{ratio:.2g} times the {what} of {base}"
    return f"{100 * abs(ratio - 1):.2g} % {less if ratio < 1 else more} {what} than {base}"


def _time(ratio: float, base: str) -> str:
    if ratio >= 1.995 or _named(ratio) == "twice":
        return f"{_named(ratio) or f'{ratio:.2g} times'} as long as those of {base}"
    if ratio < 1 and (words := _named(ratio)):
        return f"{words} the time of those of {base}"
    if ratio < 0.1:
        return f"{ratio:.2g} times the time of those of {base}"
    side = "less time" if ratio < 1 else "longer"
    return f"{100 * abs(ratio - 1):.2g} % {side} than those of {base}"


def _first_upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _named(ratio: float) -> str:
    """Return the word for a ratio; empty if it has none."""
    return next((words for value, words in NAMED if abs(ratio / value - 1) <= NEAR), "")


def _others(headline: Decision, decisions: Sequence[Decision]) -> str:
    others = [decision for decision in decisions if decision is not headline]
    counts = Counter(decision.decision for decision in others)
    words = []
    if others:
        decided = len(others) - counts["not known"]
        listed = ", ".join(f"{counts[kind]} {kind}" for kind in DECIDED if counts[kind])
        count = f"{decided} {'is' if decided == 1 else 'are'} decided: {listed}"
        of_them = count if decided else "none is decided"
        words.append(f"Of {len(others)} other comparisons, {of_them}.")
    if max(decision.pairs for decision in decisions) == 1:
        words.append("This is one pair of starts; another pair may differ.")
    return " ".join(words)


def _why_not(decisions: Sequence[Decision], measured: Measured) -> str:
    """Return why no decision is decided, and what would have been seen."""
    cause = _cause(measured)
    effects = {
        figure: min(detectable)
        for figure in COMPARED
        if (
            detectable := [
                decision.could_tell
                for decision in decisions
                if decision.figure == figure and decision.could_tell
            ]
        )
    }
    if effects:
        seen = f"only {effect_words(next(iter(effects.values())))} would have been seen"
        pairs = max(decision.pairs for decision in decisions)
        with_pairs = f" with {pairs} pair{'' if pairs == 1 else 's'} of starts"
        return f"{seen}, as {cause}" if cause else seen + with_pairs
    if all(decision.ratio is None for decision in decisions):
        return f"no pair of runs counts{f', as {cause}' if cause else ''}"
    if any(FASTER in decision.reason for decision in decisions):
        return "the faster system fails more"
    return "one run of each system does not tell how much runs differ"


def _cause(measured: Measured) -> str:
    """Return what kept most runs from deciding; empty if none was kept."""
    kept = {status: measured.runs.get(status, 0) for status in ("disturbed", "invalid", WARMING)}
    status = max(kept, key=lambda status: kept[status])
    count = kept[status]
    if status == "disturbed" and (count or measured.disturbed):
        return OTHERS_USED_IT
    if not count:
        return ""
    words = "still warming up" if status == WARMING else status
    verb = "was" if count == 1 else "were"
    return f"{count} of {sum(measured.runs.values())} runs {verb} {words}"


def _next(decisions: Sequence[Decision], headline: Decision | None, measured: Measured) -> str:
    name = measured.name
    undecided = any(decision.decision == "not known" for decision in decisions)
    none_counts = decisions and all(decision.ratio is None for decision in decisions)
    if none_counts and _cause(measured) == OTHERS_USED_IT:
        return "the same again, once these programs have ended"
    if name == "quick":
        return "./testbed compare, which measures two pairs of starts"
    if name == "duel":
        return "the same with --until 10% to decide the others" if undecided else ""
    if not decisions:
        return "./testbed compare"
    if name == "quick-rate":
        return "the same without --quick, which measures two pairs of starts"
    if name == "compare-rate" and undecided:
        pairs = max(decision.pairs for decision in decisions)
        return f"the same with --pairs {2 * max(pairs, 1)} to decide the others"
    if name == "compare":
        if undecided:
            if headline is None:
                return "./testbed compare --until 25%"
            return "./testbed compare --until 10% to decide the others"
    elif undecided:
        # It may be in the user's testbed.yaml.
        if name:
            return f"raise `repetitions` of experiment {name}"
        return "more runs of each system: files whose names end in -threads-2.csv and so on"
    if headline and headline.different and headline.system in systems.names():
        return f"./testbed profile {headline.system} {headline.workload} shows what it works on"
    return ""
