"""Whether other programs disturbed a measurement, which ones, and what to do."""

from __future__ import annotations

from collections import Counter
from statistics import mean

from testbed.analysis.results import Results
from testbed.analysis.tables import percent

NAMED = 3
"""Most programs that are named."""


def disturbance_words(results: Results) -> str | None:
    """Return in two or three sentences how other programs disturbed the measurement.

    None if they did not, or if it was not watched.
    """
    watched = [block for run in results.runs for block in run.watched]
    disturbed = [block.others for block in watched if block.disturbed and block.others]
    if not disturbed:
        return None
    used = mean(others.share for others in disturbed)
    stolen = mean(others.steal for others in disturbed) > used / 2
    who = "Other machines on the same host" if stolen else "Other programs"
    named = Counter(name for others in disturbed for name in others.names)
    programs = ", ".join(name for name, _ in named.most_common(NAMED))
    lost = sum(run.disturbed for run in results.runs)
    left_out = sum(len(run.left_out) for run in results.runs)
    sentences = [
        f"{who} used {percent(used)} of the machine during {len(disturbed)} of {len(watched)} "
        f"blocks{f' ({programs})' if programs else ''}."
    ]
    if left_out:
        sentences.append(f"{left_out} blocks are left out of all figures.")
    if lost:
        sentences.append(
            f"{lost} of {len(results.runs)} runs have too few other blocks, so they decide "
            f"nothing: measure again {'later' if stolen else 'without these programs'}."
        )
    return " ".join(sentences)
