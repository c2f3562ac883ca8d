"""Variants of the step `text_ratio` that workers import in tests."""

from __future__ import annotations

from typing import NoReturn

from benchwright.filters.text.text_ratio import TextRatio
from benchwright.steps import OpenContext


class ModelsGone(TextRatio):
    """Cannot open its models, so that any OCR ends the run."""

    def open(self, ctx: OpenContext) -> NoReturn:
        raise LookupError("opened")


class OtherModels(TextRatio):
    """The same step with other weights."""

    def weights_hash(self) -> str:
        return "f" * 64
