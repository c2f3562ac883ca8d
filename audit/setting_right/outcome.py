"""The result of correcting an audited release: the corrected release, its errata and the changes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.release import Release
from benchwright.release.format.errata import Erratum

if TYPE_CHECKING:
    from benchwright.exports import ReleaseDifferences, Rescored


class SetRight(NamedTuple):
    """A corrected release.

    Args:
        before: The release that annotators judged.
        after: The corrected release.
        errata: Outcome of each finding that annotators confirmed, by item.
        own_ids: Id in the source of each item of `errata` and `undecided`, by item id.
        differences: Differences between the two releases.
        scores: Scores of the given models on both releases.
        page: The comparison as a page.
        open: Number of tasks that still lack answers and therefore changed nothing.
        filter: Folder with the errata as a filter for other harnesses and as a page in Markdown.
        undecided: Sorted ids of items on which all assigned annotators decided but did not agree, so that nothing was
            changed.
    """

    before: Release
    after: Release
    errata: tuple[Erratum, ...]
    own_ids: Mapping[str, str]
    differences: ReleaseDifferences
    scores: tuple[Rescored, ...]
    page: Path
    filter: Path
    open: int
    undecided: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON values."""
        return {
            "release": str(self.after.path),
            "release_id": self.after.release_id,
            "items": len(self.after),
            "before": str(self.before.path),
            "errata": [
                {
                    "item_id": erratum.item_id,
                    "source_id": self.own_ids[erratum.item_id],
                    "finding": erratum.finding,
                    "became": erratum.became,
                    "key": erratum.key,
                    "instead": erratum.instead,
                    "edits": None if erratum.edits is None else erratum.edits.to_json(),
                    "agreed": erratum.agreed,
                    "asked": erratum.asked,
                    "reasons": list(erratum.reasons),
                }
                for erratum in self.errata
            ],
            "same": self.differences.same,
            "scores": [score.to_json() for score in self.scores],
            "page": str(self.page),
            "filter": str(self.filter),
            "open": self.open,
            "undecided": [self.own_ids[item_id] for item_id in self.undecided],
        }
