"""How annotators used proposals in a campaign `mark`: unchanged, moved, redrawn or unused, by the proposal's author."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from benchwright.regions import change_of, kind_of_change

from ...forms.kind_forms.marking import UNSURE
from ...forms.starting_files import authors_in
from ...store.database.records import Campaign
from ...workflow.settlement.marked_regions import regions_in
from .mark_verdicts import MarkedPicture


def proposal_figures(
    campaign: Campaign, pictures: Sequence[MarkedPicture], offered: Mapping[tuple[str, int], int]
) -> dict[str, Any]:
    """Return the numbers of regions in the decisions that count, drawn by hand or proposed by each helper or file.

    Each helper or file has `taken`, which is the sum of `unchanged`, `moved` and `redrawn`, and the mean `iou` of areas
    with their proposals. A file also has `offered`, counted once for each decision on its pictures, and `left`, the
    number not used.

    Args:
        campaign: Campaign.
        pictures: Pictures of the campaign, with the decisions that count.
        offered: Number of regions in each file from which annotators start, by item and index of the file.
    """
    by_hand = 0
    kinds: dict[str, Counter[str]] = {}
    ious: dict[str, list[float]] = {}
    files = Counter[str]()
    authors = authors_in(campaign.settings)
    for picture in pictures:
        for annotation in picture.annotations:
            if annotation.decision == UNSURE:
                continue
            for place, author in enumerate(authors):
                files[author.name] += offered.get((annotation.item_id, place), 0)
            for region in (each for marked in regions_in(campaign.form, annotation.fields).values() for each in marked):
                change = change_of(region)
                if change is None:
                    by_hand += 1
                    continue
                kinds.setdefault(change["helper"], Counter())[kind_of_change(change)] += 1
                if "iou" in change:
                    ious.setdefault(change["helper"], []).append(change["iou"])
    by_author: dict[str, Any] = {}
    for name in sorted(kinds.keys() | files.keys()):
        counts = kinds.get(name, Counter())
        figures: dict[str, Any] = {"taken": counts.total()}
        figures |= {kind: counts[kind] for kind in ("unchanged", "moved", "redrawn")}
        if name in ious:
            figures["iou"] = round(sum(ious[name]) / len(ious[name]), 6)
        if name in files:
            figures |= {"offered": files[name], "left": max(0, files[name] - counts.total())}
        by_author[name] = figures
    return {"by_hand": by_hand, "by": by_author}
