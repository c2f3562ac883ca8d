"""Pictures that a classification model of the curator's calls unsafe.

There is no model here and no list of labels: what must not be shown differs from place to place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, PrivateAttr, ValidationInfo, model_validator

from benchwright.canonical import canonical_json
from benchwright.errors import PrerequisiteError, UnreadableImage
from benchwright.records import ImageRecord
from benchwright.steps import FOLDER, Context, MapStep, OpenContext, Outcome, Resources, Step, Stream

if TYPE_CHECKING:
    from .image_classifier import Classifier

REASON = "unsafe"
_BY_DIGEST = re.compile(r"sha256:([0-9a-f]{64})")

Bound = Annotated[float, Field(gt=0, le=1)]


class _WithModel(Step):
    """A step whose setting `model` names a folder; in what a run writes, the digest of its files stands there."""

    model: str
    _folder: Path | None = PrivateAttr(None)

    @model_validator(mode="after")
    def _place(self, info: ValidationInfo) -> _WithModel:
        if not _BY_DIGEST.fullmatch(self.model):
            self._folder = (info.context or {}).get(FOLDER, Path()) / self.model
        return self

    def weights_hash(self) -> str:
        """Return the digest of the model's files, so that another model looks at all pictures again.

        Raises:
            PrerequisiteError: There is no such model.
        """
        from .image_classifier import classifier_hash

        known = _BY_DIGEST.fullmatch(self.model)
        return known[1] if known else classifier_hash(self.folder())

    def folder(self) -> Path:
        """Return where the model's files lie.

        Raises:
            PrerequisiteError: Only their digest is known.
        """
        if self._folder is None:
            raise PrerequisiteError(f"the model {self.model} is known by digest only; run the recipe with its folder")
        return self._folder

    def parameters(self) -> dict[str, Any]:
        """Return the settings with the model's digest in place of its folder."""
        return {**super().parameters(), "model": f"sha256:{self.weights_hash()}"}


class SafetyScores(_WithModel, MapStep):
    """Measure how likely each label is, a batch at a time."""

    name: ClassVar[str] = "scores"
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {"scores": "string"}
    costly: ClassVar[bool] = True
    resources: ClassVar[Resources] = Resources(memory_mb=2048)

    labels: tuple[str, ...]
    batch_size: int
    device: str | None

    def parameters(self) -> dict[str, Any]:
        """Return what decides the scores; how many pictures go together, and where, does not."""
        return {name: value for name, value in super().parameters().items() if name not in {"batch_size", "device"}}

    def open(self, ctx: OpenContext) -> Classifier:
        """Load the model."""
        from .image_classifier import load_classifier

        del ctx
        return load_classifier(self.folder(), labels=self.labels, device=self.device)

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Measure one picture."""
        return self._measured([record], ctx)[0]

    def many(self, records: Sequence[ImageRecord], ctx: Context) -> Sequence[Outcome]:
        """Measure pictures, `batch_size` at a time."""
        parts = (records[at : at + self.batch_size] for at in range(0, len(records), self.batch_size))
        return [outcome for part in parts for outcome in self._measured(part, ctx)]

    def _measured(self, records: Sequence[ImageRecord], ctx: Context) -> list[Outcome]:
        found: dict[int, Outcome] = {}
        pictures = []
        for at, record in enumerate(records):
            try:
                pictures.append(ctx.images.rgb(record))
            except UnreadableImage as error:  # the others of the batch have done nothing wrong
                found[at] = Outcome("failed", error.reason, evidence={"detail": error.detail})
        classifier: Classifier = ctx.opened
        rows = iter(classifier.probabilities(pictures)) if pictures else iter(())
        for at in range(len(records)):
            if at not in found:
                said = dict(zip(classifier.labels, next(rows), strict=True))
                scores = {label: round(float(said[label]), 6) for label in self.labels}
                found[at] = Outcome(values={"scores": canonical_json(scores)})
        return [found[at] for at in range(len(records))]


class SafetyVerdict(MapStep):
    """Compare the scores with their bounds."""

    name: ClassVar[str] = "verdict"
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {"label": "string", "score": "float64"}
    reads: ClassVar[tuple[str, ...]] = ("scores.scores",)

    refuse: dict[str, Bound]
    verdict: Literal["drop", "ask"]

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Name the label that lies furthest beyond its bound, else the one that comes nearest to it."""
        scores: dict[str, float] = json.loads(ctx.value(record.image_id, "scores.scores"))
        label = max(sorted(self.refuse), key=lambda one: scores[one] - self.refuse[one])
        values: dict[str, str | float] = {"label": label, "score": scores[label]}
        if scores[label] < self.refuse[label]:
            return Outcome(values=values)
        beyond = {one: scores[one] for one in sorted(self.refuse) if scores[one] >= self.refuse[one]}
        return Outcome(self.verdict, REASON, values=values, evidence={"scores": beyond})


class Safety(_WithModel):
    """Drop pictures that an image-classification model of yours finds unsafe, or ask about them.

    Args:
        model: Folder of a model that transformers loads, relative to the recipe's folder. In what a run writes, the
            digest of its files stands in its place.
        refuse: Probability, above 0 and at most 1, of each label from which a picture is unsafe.
        verdict: What becomes of it: `drop` or `ask`.
        batch_size: Pictures that the model looks at together.
        device: Such as `cuda:0`; the first GPU, else the CPU, where None.
    """

    name: ClassVar[str] = "safety"
    consumes: ClassVar[Stream] = "images"

    model: str = Field(min_length=1)
    refuse: dict[str, Bound] = Field(min_length=1)
    verdict: Literal["drop", "ask"] = "drop"
    batch_size: int = Field(8, ge=1, le=1024)
    device: str | None = None

    def parts(self) -> tuple[Step, ...]:
        """Measure, then judge: a new bound asks the model nothing, a new label asks it again."""
        scores = SafetyScores(
            model=self.model, labels=tuple(sorted(self.refuse)), batch_size=self.batch_size, device=self.device
        )
        scores._folder = self._folder
        return (scores, SafetyVerdict(refuse=self.refuse, verdict=self.verdict))
