"""Boxes around the object of a phrase, proposed during marking by Grounding DINO, OWLv2 or Florence-2 in
transformers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, ClassVar

from pydantic import Field

from benchwright.errors import PrerequisiteError
from benchwright.models.devices import find_device
from benchwright.regions import HelperPicture, Proposed, RegionHints, WeightedHelper
from benchwright.regions.helper import HelperInput
from benchwright.regions.region import RegionShape

from ..manipulation.grounding.detectors import INSTALL, load_detector, weights_of
from .proposing import ProposedBy, region_of_box

_MOST_BOXES = 100
_LEAST_PX = 1.0


class _Detecting(WeightedHelper):
    """A detector of transformers.

    Attributes:
        weights: Folder of the model, relative to the recipe.
        threshold: Smallest score of a box.
        phrases: Phrases to find if the annotator types none, for example when boxes are proposed as a task opens.
    """

    takes: ClassVar[tuple[HelperInput, ...]] = ("phrase", "nothing")
    gives: ClassVar[tuple[RegionShape, ...]] = ("box", "polygon", "point")
    packages: ClassVar[tuple[str, ...]] = ("torch", "transformers")
    model_type: ClassVar[str]

    threshold: float = Field(0.3, ge=0, le=1)
    phrases: tuple[str, ...] = Field((), max_length=50)

    def missing(self) -> str | None:
        """Return which package or weights are missing, and how to get them; None if nothing is missing."""
        for package in self.packages:
            if find_spec(package) is None:
                return f"it needs the package {package}: {INSTALL}"
        if not (self.path / "config.json").is_file():
            return f"no model at {self.path}; fetch one with `{self.fetch}`"
        return None

    def open(self) -> _DetectorHelper:
        """Return the loaded detector."""
        if (why := self.missing()) is not None:
            raise PrerequisiteError(f"{self.title}: {why}")
        try:
            kind = json.loads((self.path / "config.json").read_text(encoding="utf-8")).get("model_type")
        except (OSError, ValueError, AttributeError) as error:
            raise PrerequisiteError(f"{self.path.name} contains no model: its config.json cannot be read") from error
        if kind != self.model_type:
            raise PrerequisiteError(
                f"{self.path.name} contains a model of type {kind!r}, not {self.model_type!r}; use the other helper"
            )
        return _DetectorHelper(self)

    @property
    def helper_name(self) -> str:
        """Return the helper's name, as recorded in regions."""
        return self.model_type.replace("-", "_")


class GroundingDinoSettings(_Detecting):
    """Grounding DINO in transformers."""

    title: ClassVar[str] = "Find by words (Grounding DINO)"
    model_type: ClassVar[str] = "grounding-dino"
    fetch: ClassVar[str] = "hf download IDEA-Research/grounding-dino-tiny --local-dir FOLDER"


class Owlv2Settings(_Detecting):
    """OWLv2 in transformers."""

    title: ClassVar[str] = "Find by words (OWLv2)"
    model_type: ClassVar[str] = "owlv2"
    fetch: ClassVar[str] = "hf download google/owlv2-base-patch16-ensemble --local-dir FOLDER"


class _DetectorHelper:
    """A loaded detector. It prepares nothing in advance, because it needs the phrase and the picture together."""

    def __init__(self, settings: _Detecting) -> None:
        device = find_device(settings.device)
        self._settings, self._weights = settings, weights_of(settings.path)
        self._detector = load_detector(settings.path, device=device.place, threshold=settings.threshold)
        self._version = version("transformers")

    @property
    def made_with(self) -> Mapping[str, Any]:
        """Return the settings and versions that determine the proposals."""
        settings = self._settings
        return {
            "by": settings.helper_name,
            "version": self._version,
            "weights": self._weights,
            "threshold": settings.threshold,
            "phrases": list(settings.phrases),
        }

    def propose(self, picture: HelperPicture, hints: RegionHints) -> Proposed:
        """Return the boxes for a phrase, or for each phrase in the settings, labeled with that phrase."""
        typed = hints.phrase.strip()
        phrases = [typed] if typed else list(self._settings.phrases)
        if not phrases:
            return Proposed([])
        by = ProposedBy(self._settings.helper_name, self._version, weights=self._weights)
        width, height = picture.size_wh
        regions = []
        for phrase, places in zip(phrases, self._detector.find_all(picture.pixels, phrases), strict=True):
            labelled = hints if typed or hints.label else hints.model_copy(update={"label": phrase})
            for place in places:
                x0, y0, x1, y1 = place.box
                cut = max(0.0, x0), max(0.0, y0), min(float(width), x1), min(float(height), y1)
                if cut[2] - cut[0] >= _LEAST_PX and cut[3] - cut[1] >= _LEAST_PX:
                    regions.append(region_of_box(cut, labelled, by))
        return Proposed(regions[:_MOST_BOXES])
