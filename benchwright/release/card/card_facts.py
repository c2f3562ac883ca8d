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
    """The facts that a card states; all of them are also in other files of the release.

    Attributes:
        name: Name of the benchmark.
        version: Version of the release.
        licence: Licence of the release as a whole.
        canary: Canary: the text to search training data for.
        counts: Number of items by split and task.
        marked: Number of questions with marks on their pictures, by task.
        estimated: Number of items whose truth a model estimated.
        sources: Number of source images by dataset and licence.
        stages: Name and counts of each stage, as in the manifest.
        agreement: Summary of each campaign, by name.
        human_baseline: Human baseline, by campaign.
        sealed: Splits whose answers are withheld; None where there are none.
        drawing_version: Version of the drawing of marks; None where the column `images` has none drawn.
        by_address: Number of pictures that the release has by address and hash only.
        has_fetch_script: Whether the script that fetches these lies in the release.
        without_metadata: Number of picture files from which metadata was removed.
        encoded: Number of pictures that steps made without loss and that are released as JPEG.
        made_as_jpeg: Number of pictures that steps made as JPEG.
        turned: Number of JPEG files that were turned upright.
        statements: What the curators state; None where they state nothing.
        example: Item that the card shows; None where the release has no pictures that can be shown.
        texts: Number of texts by kind and by how they came about, as `TextTally.texts` has it.
        languages: Number of items by the language that they state.
    """

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
        """Return what the card says of drafts and languages; None where there are none."""
        return texts_section(self.texts, self.languages, self.agreement, version=version)
