"""Cues that may be the task itself: what the picture of a question shows, if it reveals which text is right.

The battery measures the picture of a question although the options are words, because a cue such as a brighter picture
wherever "yes" is right answers items without a look at what they ask about. But a question about the colors, shapes or
number of things in a picture is answered by the same measures: in a set that asks which way an arrow points, strokes
reveal the direction. No measure tells the two apart. A cue of letters is different: letters are placed by whoever made
the items, and no content of a picture follows them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchwright.steps import CueFamily

from ..adversary.learning import ProbeResult
from .cue_table import CueTable

_SEES_ALL = ("combination", None)
"""Families of solvers that combine the others' cues: products of two measures, and the forest."""


def may_be_task(
    carried: Mapping[str, CueFamily | None], table: CueTable, probes: Sequence[ProbeResult], *, level: float
) -> frozenset[str]:
    """Return the solvers whose cue may be the task itself, because they see what the picture of a question shows.

    These are rules and probes that learn from the pixels of pictures which text is right; a probe only if letters
    alone reveal nothing. A solver of several cues is among them if all other solvers are.

    Args:
        carried: Family of each solver whose cue a task carries, by its name; None for the forest.
        table: The items of the task.
        probes: The probes of the task.
        level: p-value, 0-1, below which letters alone count as a cue.
    """
    if not _asks_about_pictures(table):
        return frozenset()
    by_letters = {probe.solver for probe in probes if probe.p_of_letters is not None and probe.p_of_letters <= level}
    single = {
        solver: family == "pixels" and solver not in by_letters
        for solver, family in carried.items()
        if family not in _SEES_ALL
    }
    if not any(single.values()):
        return frozenset()
    found = {solver for solver, is_content in single.items() if is_content}
    return frozenset(found if not all(single.values()) else carried)


def _asks_about_pictures(table: CueTable) -> bool:
    """Return whether options are words of a fixed vocabulary, without marks or pictures of their own."""
    return bool(table.vocabulary) and not any(
        item.places or "file.format" in item.of_options or "pixels.brightness" in item.of_options
        for item in table.items
    )
