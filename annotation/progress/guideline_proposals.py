"""Gaps in a campaign's guidelines: reasons on which annotators disagree, and their notes on these reasons.

If one annotator gives a reason against a version that another accepts, the two read the guidelines differently. Notes
on one reason are grouped by shared words, so that a curator reads a few instead of all.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse.csgraph import connected_components

from ..store.database.records import Annotation
from ..workflow.settlement.settle import ACCEPT

LEAST_DIVIDED = 2
"""Minimum number of items on which annotators disagree about a reason before it is proposed."""
_MOST = 6
_MOST_NOTES = 300
"""Number of notes on a reason that are compared with one another, beginning with the first."""
_ALIKE = 0.25
"""Minimum proportion of common words at which two notes form a group."""
_WORD = re.compile(r"\w{3,}", re.UNICODE)


class GuidelineProposal(NamedTuple):
    """A reason that the guidelines should explain further.

    Args:
        reason: Code of the reason.
        items: Number of items with this reason.
        divided: Number of these that another annotator accepted in the same version.
        annotators: Number of annotators who gave it.
        notes: Representative notes of annotators, one from each group, the largest group's first.
    """

    reason: str
    items: int
    divided: int
    annotators: int
    notes: tuple[str, ...]


def guideline_proposals(decisions: Iterable[Annotation]) -> list[GuidelineProposal]:
    """Return the reasons on which annotators disagree, sorted by the number of divided items, largest first.

    Args:
        decisions: Decisions of a campaign; of several versions of one annotator's decision the last one counts.
    """
    last: dict[tuple[str, str, str], Annotation] = {}
    for annotation in decisions:
        last[annotation.item_id, annotation.content_hash, annotation.annotator] = annotation
    accepted = {key[:2] for key, annotation in last.items() if annotation.decision == ACCEPT}
    given: dict[str, list[Annotation]] = defaultdict(list)
    for annotation in last.values():
        for reason in annotation.reasons:
            given[reason].append(annotation)
    proposals = []
    for reason, rejections in given.items():
        versions = {(each.item_id, each.content_hash) for each in rejections}
        divided = len({item_id for item_id, _ in versions & accepted})
        if divided >= LEAST_DIVIDED:
            notes = [note for each in rejections if (note := (each.note or "").strip())]
            items, people = {item_id for item_id, _ in versions}, {each.annotator for each in rejections}
            proposals.append(GuidelineProposal(reason, len(items), divided, len(people), grouped_notes(notes)))
    return sorted(proposals, key=lambda proposal: (-proposal.divided, proposal.reason))[:_MOST]


def grouped_notes(notes: Sequence[str], *, most: int = 3) -> tuple[str, ...]:
    """Return one note from each group of notes that share words; the note of the largest group comes first.

    Args:
        notes: Notes.
        most: Maximum number of groups to return.
    """
    kept = notes[:_MOST_NOTES]
    words = [frozenset(_WORD.findall(note.casefold())) for note in kept]
    if not kept:
        return ()
    alike = np.array([[_alike(a, b) for b in words] for a in words])
    _, groups = connected_components(alike >= _ALIKE, directed=False)
    sizes = np.bincount(groups)
    first = {group: place for place, group in reversed(list(enumerate(groups.tolist())))}
    chosen = []
    for group in sorted(first, key=lambda group: (-sizes[group], first[group]))[:most]:
        members = np.flatnonzero(groups == group)
        central = members[np.argmax(alike[np.ix_(members, members)].sum(axis=1))]
        chosen.append(kept[int(central)])
    return tuple(chosen)


def _alike(first: frozenset[str], second: frozenset[str]) -> float:
    union = len(first | second)
    return len(first & second) / union if union else 0.0
