"""The facts that a card states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchwright.release.format.manifest import ItemCounts, SealedSplits
from benchwright.release.format.provenance import SourceCount
from benchwright.release.format.statements import Statements

from .example import ExampleItem
from .texts import TextOrigin, texts_section


@dataclass(frozen=True)
class CardFacts:
    """The facts that a card states; all of these are also in other files of the release.

    Attributes:
        name: Name of the benchmark.
        version: Version of the release.
        licence: License of the release as a whole.
        canary: Canary: the text to search training data for.
        counts: Number of items by split and task.
        marked: Number of questions with marks on their pictures, by task.
        estimated: Number of items whose truth a model estimated.
        sources: Number of source images by dataset and license.
        stages: Name and counts of each stage, as in the manifest.
        agreement: Summary of each campaign, by name.
        human_baseline: Human baseline, by campaign.
        sealed: Splits whose answers are withheld; None if every split is open.
        drawing_version: Version of the drawing of marks; None if the column `images` has no drawn marks.
        by_address: Number of pictures for which the release states only the URL and the hash.
        has_fetch_script: Whether the release includes the script that downloads these.
        without_metadata: Number of picture files whose metadata was removed.
        encoded: Number of pictures that steps made losslessly and the release stores as JPEG.
        made_as_jpeg: Number of pictures that steps made as JPEG.
        turned: Number of JPEG files rotated upright.
        statements: Statements of the curators; None if they made none.
        example: Item that the card shows; None if the release has no picture to show.
        texts: Number of texts by kind and origin, as in `TextTally.texts`.
        languages: Number of items by stated language.
    """  # phrase: allowed

    name: str
    version: str
    licence: str | None
    canary: str
    counts: ItemCounts
    marked: Mapping[str, int]
    estimated: int
    sources: Sequence[SourceCount]
    stages: Sequence[Mapping[str, Any]]
    agreement: Mapping[str, Mapping[str, Any]]
    human_baseline: Mapping[str, Mapping[str, Any]] | None
    sealed: SealedSplits | None = None
    drawing_version: int | None = None
    by_address: int = 0
    has_fetch_script: bool = False
    without_metadata: int = 0
    encoded: int = 0
    made_as_jpeg: int = 0
    turned: int = 0
    statements: Statements | None = None
    example: ExampleItem | None = None
    texts: Mapping[str, Mapping[TextOrigin, int]] = field(default_factory=dict)
    languages: Mapping[str, int] = field(default_factory=dict)

    def about_texts(self, version: int) -> str | None:
        """Return the card's text about drafts and languages, or None if the release has neither."""
        return texts_section(self.texts, self.languages, self.agreement, version=version)
