"""Boxes from a detector, for subjects that another grounder describes in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationInfo, model_validator

from benchwright.errors import PrerequisiteError
from benchwright.facts import Perception
from benchwright.models.devices import find_device
from benchwright.records import ImageRecord
from benchwright.regions import BoxConvention, MisplacedBox
from benchwright.steps import FOLDER, Context

from ...item_parts.idea import GroundedSubject
from .detectors import DetectedPhrase, Detector, load_detector, weights_of
from .scene import Grounder, NotGrounded, Scene, Seen

_WEIGHTS_MISSING, _NOT_FOUND = "weights_missing", "not_found"
_BY_DIGEST = "sha256:"


class DetectorSettings(BaseModel):
    """A model of transformers that finds phrases: Grounding DINO, OWLv2 or Florence-2.

    Args:
        model: Folder of the model, relative to the recipe's. The files of a run state the digest of its files instead.
        threshold: Smallest score of a box, if the model gives scores.
        device: Device as torch names it, such as `cuda:0`; null for the first GPU, otherwise the CPU.
        if_missing: If its files are missing, `refuse` the recipe, or `record` that as the reason why an image has no
            ideas.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    model: str = Field(min_length=1)
    threshold: float = Field(0.3, ge=0, le=1)
    device: str | None = Field(None, pattern=r"^[a-z]+(:\d+)?$")
    if_missing: Literal["refuse", "record"] = "refuse"
    _folder: Path | None = PrivateAttr(None)
    _sha256: str | None = PrivateAttr(None)

    @model_validator(mode="after")
    def _find(self, info: ValidationInfo) -> DetectorSettings:
        if self.model.startswith(_BY_DIGEST):
            self._sha256 = self.model.removeprefix(_BY_DIGEST)
            return self
        folder = (info.context or {}).get(FOLDER, Path()) / self.model
        try:
            self._folder, self._sha256 = folder, weights_of(folder)
        except PrerequisiteError as error:
            if self.if_missing == "refuse":
                raise ValueError(str(error)) from error
            self._folder = None
        return self

    @property
    def sha256(self) -> str | None:
        """Return the digest of the model's files; None if they are missing."""
        return self._sha256

    def deciding(self) -> dict[str, Any]:
        """Return the settings that determine the boxes, as JSON values."""
        model = f"{_BY_DIGEST}{self._sha256}" if self._sha256 else self.model
        return {"model": model, "threshold": self.threshold, "if_missing": self.if_missing}

    def load(self) -> Detector | None:
        """Return the detector; None if its files are missing and the settings say to record that.

        Raises:
            PrerequisiteError: It cannot be loaded, or only its digest is known.
        """
        if self._folder is not None:
            return load_detector(self._folder, device=find_device(self.device).place, threshold=self.threshold)
        if self._sha256 is not None:
            raise PrerequisiteError(f"detector {self.model} is known by digest only; give the model's folder")
        return None


class Located:
    """A grounder that replaces another's boxes with those of a detector.

    Args:
        said_by: The grounder that describes an image in words.
        detector: Detector of the described objects; None if its weights are missing.
        settings: Settings of the detector.
    """

    def __init__(self, said_by: Grounder, detector: Detector | None, settings: DetectorSettings) -> None:
        self._said_by, self._detector, self._settings = said_by, detector, settings

    def scene(self, record: ImageRecord, wanted: Sequence[Perception], ctx: Context) -> Scene:
        """Return the other grounder's description, with the boxes that the detector found.

        Raises:
            NotGrounded: The other grounder raises it; or `weights_missing`, or the subject is `not_found`.
        """
        if self._detector is None:
            raise NotGrounded(_WEIGHTS_MISSING, f"the detector's folder {self._settings.model} holds no model")
        scene = self._said_by.scene(record, wanted, ctx)
        placed = [
            perception
            for perception in wanted
            if perception.has_place and scene.seen[perception.name].value is not None
        ]
        phrases = [scene.subject.phrase, *(str(scene.seen[perception.name].value) for perception in placed)]
        detections = self._detector.find(ctx.images.rgb(record), phrases)
        size_wh = record.width, record.height
        subject, problem = _grounded(phrases[0], detections[0], size_wh)
        if subject is None:
            raise NotGrounded(problem or _NOT_FOUND, f"the detector does not find {phrases[0]!r}", scene.replies)
        seen: dict[str, Seen] = dict(scene.seen)
        for perception, phrase, detection in zip(placed, phrases[1:], detections[1:], strict=True):
            place, problem = _grounded(phrase, detection, size_wh)
            seen[perception.name] = seen[perception.name]._replace(place=place, problem=problem)
        return scene._replace(
            subject=subject, seen=seen, made_with=self._made_with(scene.made_with, phrases, detections)
        )

    def _made_with(
        self, made_with: Mapping[str, Any], phrases: Sequence[str], detections: Sequence[DetectedPhrase | None]
    ) -> dict[str, Any]:
        scores = {phrase: detection and detection.score for phrase, detection in zip(phrases, detections, strict=True)}
        return {**made_with, "boxes": {"weights": self._settings.sha256, "scores": scores}}


def _grounded(
    phrase: str, detection: DetectedPhrase | None, size_wh: tuple[int, int]
) -> tuple[GroundedSubject | None, str | None]:
    """Return the box of a phrase, clipped to the picture, or the reason why it has none."""
    if detection is None:
        return None, _NOT_FOUND
    width, height = size_wh
    x0, y0, x1, y1 = detection.box
    inside = (max(0.0, x0), max(0.0, y0), min(float(width), x1), min(float(height), y1))
    try:
        box = BoxConvention("pixels", "xyxy", size_wh).to_pixels(inside, size_wh)
    except MisplacedBox as error:
        return None, error.reason
    return GroundedSubject(phrase=phrase, box=box), None
