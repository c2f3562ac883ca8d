"""Boxes around text by rapidocr, for annotators who mark pictures."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, ClassVar

from pydantic import Field

from benchwright.errors import PrerequisiteError
from benchwright.regions import HelperPicture, HelperSettings, Proposed, RegionHints, proposed_region
from benchwright.regions.helper import HelperInput, HelperLane
from benchwright.regions.region import RegionShape

from .base import CONFIDENCE, RegionRules

_MOST_BOXES = 100
_LEAST_PX = 1.0


class TextBoxesSettings(HelperSettings):
    """Boxes of text by rapidocr, by the same rules as the step `text_ratio`.

    Attributes:
        confidence: Smallest confidence of the detector for a proposed box, 0-1.
    """

    title: ClassVar[str] = "Find text"
    takes: ClassVar[tuple[HelperInput, ...]] = ("nothing",)
    gives: ClassVar[tuple[RegionShape, ...]] = ("box", "polygon")
    lane: ClassVar[HelperLane] = "model"
    packages: ClassVar[tuple[str, ...]] = ("rapidocr", "onnxruntime")

    confidence: float = Field(CONFIDENCE, ge=0, le=1)

    def missing(self) -> str | None:
        """Return the name of a missing package or model file."""
        from .rapid import model_files

        try:
            model_files()
        except PrerequisiteError as error:
            return str(error)
        return None

    def open(self) -> TextBoxesHelper:
        """Return the helper with both models loaded."""
        return TextBoxesHelper(self)


class TextBoxesHelper:
    """rapidocr with the rules by which its proposals are accepted as text."""

    def __init__(self, settings: TextBoxesSettings) -> None:
        from .rapid import RapidText, models_hash
        from .regions import TextFinder

        self._settings, self._weights, self._version = settings, models_hash(), version("rapidocr")
        self._finder = TextFinder(RegionRules(), RapidText(confidence=settings.confidence))

    @property
    def made_with(self) -> Mapping[str, Any]:
        """Return the settings and models that determine the proposals."""
        settings = self._settings.model_dump(mode="json")
        return {"by": "text_boxes", "version": self._version, "weights": self._weights, **settings}

    def propose(self, picture: HelperPicture, hints: RegionHints) -> Proposed:
        """Return a box or polygon around each line of text, from top to bottom."""
        width, height = picture.size_wh
        made_by = {"helper": "text_boxes", "version": self._version, "weights": self._weights}
        regions = []
        for text in self._finder.find(picture.pixels):
            points = [(min(max(x, 0.0), float(width)), min(max(y, 0.0), float(height))) for x, y in text.polygon]
            across, down = [x for x, _ in points], [y for _, y in points]
            if not text.is_text or max(across) - min(across) < _LEAST_PX or max(down) - min(down) < _LEAST_PX:
                continue
            if hints.shape == "box":
                points = [(min(across), min(down)), (max(across), max(down))]
            try:
                regions.append(proposed_region(hints.shape, points, label=hints.label, **made_by))
            except ValueError:  # a polygon of which the picture's edge leaves nothing
                continue
        return Proposed(regions[:_MOST_BOXES])
