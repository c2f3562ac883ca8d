"""Items that are answered right without their picture: by common knowledge, by the words, or by heart."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field, PrivateAttr, ValidationInfo, model_validator

from benchwright.errors import PrerequisiteError
from benchwright.records import Item
from benchwright.steps import FOLDER, Context, Filter, OpenContext, Outcome, Stream

from .blind_replies import Blind, BlindReplies, read_blind_replies

REASON = "answerable_blind"
_BY_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


class BlindAnswers(Filter):
    """Ask about items that models answer right without the picture, or drop them.

    An item that has changed since it was asked counts as not asked.

    Args:
        results: Folder with scores under the protocol `blind`, relative to the recipe's folder. In what a run writes,
            the digest of what was answered stands in its place.
        release: The release that was asked, relative to the recipe's folder.
        at_least: Right answers from which an item is flagged.
        min_share: Least share, 0-1, of the times it was asked.
        verdict: What becomes of it: `ask` or `drop`.
    """

    name: ClassVar[str] = "blind_answers"
    consumes: ClassVar[Stream] = "items"
    values: ClassVar[Mapping[str, str]] = {"asked": "int64", "right": "int64"}
    thresholds: ClassVar[frozenset[str]] = frozenset({"at_least", "min_share", "verdict"})

    results: str = Field(min_length=1)
    release: str = Field(min_length=1)
    at_least: int = Field(2, ge=1)
    min_share: float = Field(0.5, ge=0, le=1)
    verdict: Literal["ask", "drop"] = "ask"
    _folder: Path = PrivateAttr(Path())
    _replies: BlindReplies | None = PrivateAttr(None)

    @model_validator(mode="after")
    def _place(self, info: ValidationInfo) -> BlindAnswers:
        self._folder = (info.context or {}).get(FOLDER, Path())
        return self

    def replies(self) -> BlindReplies:
        """Return what was answered, read once.

        Raises:
            PrerequisiteError: There are no blind scores, or only their digest is known.
            DataError: A file is not what it should be.
        """
        if _BY_DIGEST.fullmatch(self.results):
            raise PrerequisiteError("blind answers are known by digest only; run the recipe with their folder")
        if self._replies is None:
            self._replies = read_blind_replies(self._folder / self.results, self._folder / self.release)
        return self._replies

    def parameters(self) -> dict[str, Any]:
        """Return the settings with a digest of what was answered in place of the two folders."""
        settings = super().parameters()
        if not _BY_DIGEST.fullmatch(self.results):
            settings["results"] = settings["release"] = f"sha256:{self.replies().sha256}"
        return settings

    def open(self, ctx: OpenContext) -> Mapping[str, Blind]:
        """Read what was answered."""
        del ctx
        return self.replies().items

    def measure(self, record: Item, ctx: Context) -> dict[str, int]:
        """Return how often an item was asked and answered right, as it is now."""
        found: Blind | None = ctx.opened.get(record.item_id)
        if found is None or found.content_hash != record.content_hash:
            return {"asked": 0, "right": 0}
        return {"asked": found.asked, "right": found.right}

    def judge(self, measured: Mapping[str, Any]) -> Outcome:
        """Compare with the thresholds."""
        asked, right = measured["asked"], measured["right"]
        if right < self.at_least or right < self.min_share * asked:
            return Outcome()
        return Outcome(self.verdict, REASON, evidence={"right": right, "asked": asked})
