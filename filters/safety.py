"""The steps `safety` and `item_safety`, which find pictures that the curator's classification model considers unsafe.

Items are judged by all their pictures, including generated ones.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from benchwright.canonical import canonical_json
from benchwright.diagnostics.models.image_classifier import classifier_hash
from benchwright.diagnostics.models.model_folder import WithModel
from benchwright.diagnostics.models.unsafe_labels import (
    BATCH_SIZE,
    Bound,
    Scores,
    furthest_label,
    scores_beyond,
    scores_of,
)
from benchwright.models.picture_batches import PictureBatches, PictureModel, Pixels, batch_size_on
from benchwright.records import ImageRecord, Item
from benchwright.steps import AnyRecord, Context, MapStep, OpenContext, Outcome, Resources, Step, Stream

_REASON = "unsafe"


class _WithClassifier(WithModel):
    @staticmethod
    def hash_of(folder: Path) -> str:
        """Return the digest of a classifier's files."""
        return classifier_hash(folder)


class SafetyScores(_WithClassifier, MapStep):
    """Measure the probability of each label, a batch at a time."""

    name: ClassVar[str] = "scores"
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {"scores": "string"}
    costly: ClassVar[bool] = True
    resources: ClassVar[Resources] = Resources(memory_mb=2048, gpu_memory_mb=1500)

    labels: tuple[str, ...]
    batch_size: int | None = None
    device: str | None

    def parameters(self) -> dict[str, Any]:
        """Return the settings that determine the scores; batch size and device do not."""
        return {name: value for name, value in super().parameters().items() if name not in {"batch_size", "device"}}

    def needs(self) -> Resources:
        """Return the resources that a worker needs; no GPU if the settings name the CPU."""
        return self.resources._replace(gpu_memory_mb=0) if self.device == "cpu" else self.resources

    def shares_model(self) -> bool:
        """Return whether the settings leave the choice of the model's device open."""
        return self.device is None

    def open(self, ctx: OpenContext) -> PictureBatches[Scores]:
        """Load the model."""
        from benchwright.diagnostics.models.image_classifier import load_classifier

        del ctx
        classifier = load_classifier(self.folder(), labels=self.labels, device=self.device)

        def scores(pictures: Sequence[Pixels]) -> list[Scores]:
            rows = classifier.probabilities(pictures)
            return [
                {name: score for name, score in scores_of(classifier.labels, row).items() if name in self.labels}
                for row in rows
            ]

        batch_size = batch_size_on(str(classifier.model.device), self.batch_size, on_cpu=BATCH_SIZE)
        return PictureBatches(scores, batch_size=batch_size, least_px=classifier.least_px)

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Measure one picture."""
        return self.many([record], ctx)[0]

    def many(self, records: Sequence[ImageRecord], ctx: Context) -> Sequence[Outcome]:
        """Measure pictures, a batch at a time."""
        return [
            scores if isinstance(scores, Outcome) else Outcome(values={"scores": canonical_json(scores)})
            for scores in self.scores_of(records, ctx)
        ]

    def scores_of(self, pictures: Sequence[ImageRecord], ctx: Context) -> list[Scores | Outcome]:
        """Return the scores of pictures, in order, with a failed outcome for each picture that cannot be scored."""
        opened: PictureModel[Scores] = ctx.opened
        return list(opened.results(pictures, ctx))


class SafetyVerdict(MapStep):
    """Compare the scores with their bounds."""

    name: ClassVar[str] = "verdict"
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {"label": "string", "score": "float64"}
    reads: ClassVar[tuple[str, ...]] = ("scores.scores",)

    refuse: dict[str, Bound]
    verdict: Literal["drop", "ask"]

    def one(self, record: AnyRecord, ctx: Context) -> Outcome:
        """Return the outcome for the label that exceeds its bound most or, if none does, comes closest to its bound."""
        scores: dict[str, float] = json.loads(ctx.value(record.record_id, "scores.scores"))
        label = furthest_label(scores, self.refuse)
        values: dict[str, str | float] = {"label": label, "score": scores[label]}
        beyond = scores_beyond(scores, self.refuse)
        if not beyond:
            return Outcome(values=values)
        return Outcome(self.verdict, _REASON, values=values, evidence={"scores": beyond})


class Safety(_WithClassifier):
    """Drop pictures that your image-classification model considers unsafe, or ask about them.

    Needs the extra `models`. The workspace and the release record the digest of the model's files, not its name. The
    model is not run again after a bound is changed.

    Args:
        model: Folder of a model that transformers loads, relative to the recipe's folder. A run writes the digest of
            its files instead.
        refuse: For each label, the smallest probability at which a picture is unsafe, above 0 and at most 1.
        verdict: Verdict on the picture: `drop` or `ask`.
        batch_size: Number of pictures per batch of the model; null for 8, or 64 on a GPU.
        device: Device, such as `cuda:0`; None for the first GPU, otherwise the CPU.

    Reasons:
        unsafe (drop or ask): Your model considers the picture unsafe.
    """

    name: ClassVar[str] = "safety"
    consumes: ClassVar[Stream] = "images"

    model: str = Field(min_length=1)
    refuse: dict[str, Bound] = Field(min_length=1)
    verdict: Literal["drop", "ask"] = "drop"
    batch_size: int | None = Field(None, ge=1, le=1024)
    device: str | None = None

    def parts(self) -> tuple[Step, ...]:
        """Return the parts: measure, then judge. The model runs again only after a new label is added, not after a
        bound is changed.
        """
        scores = SafetyScores(
            model=self.model, labels=tuple(sorted(self.refuse)), batch_size=self.batch_size, device=self.device
        )
        self.share_folder_with(scores)
        return (scores, SafetyVerdict(refuse=self.refuse, verdict=self.verdict))


class ItemSafetyScores(SafetyScores):
    """Measure, for each label, the largest probability among the pictures of an item."""

    consumes: ClassVar[Stream] = "items"

    def one(self, record: Any, ctx: Context) -> Outcome:
        """Measure one item."""
        return self.many([record], ctx)[0]

    def many(self, records: Sequence[Any], ctx: Context) -> Sequence[Outcome]:
        """Measure the pictures of items, each picture once."""
        pictures = {shown.image_id: ctx.image(shown.image_id) for item in records for shown in item.images}
        scores_of = dict(zip(pictures, self.scores_of(list(pictures.values()), ctx), strict=True))
        return [self._of(item, scores_of) for item in records]

    def _of(self, item: Item, scores_of: Mapping[str, Scores | Outcome]) -> Outcome:
        own: dict[str, Scores] = {}
        for shown in item.images:
            scores = scores_of[shown.image_id]
            if isinstance(scores, Outcome):
                return scores
            own[shown.image_id] = scores
        most = {label: max(scores[label] for scores in own.values()) for label in self.labels}
        return Outcome(values={"scores": canonical_json(most)}, evidence={"pictures": own})


class ItemSafetyVerdict(SafetyVerdict):
    """Compare the scores with their bounds."""

    consumes: ClassVar[Stream] = "items"


class ItemSafety(Safety):
    """Drop items with a picture that your image-classification model considers unsafe, or ask about them.

    `safety` checks source images before anything is made from them; this step checks all pictures that items show,
    including generated ones.

    Reasons:
        unsafe (drop or ask): Your model considers a picture that the item shows unsafe.
    """

    name: ClassVar[str] = "item_safety"
    consumes: ClassVar[Stream] = "items"

    def parts(self) -> tuple[Step, ...]:
        """Return the parts: measure, then judge, as in `safety`."""
        scores = ItemSafetyScores(
            model=self.model, labels=tuple(sorted(self.refuse)), batch_size=self.batch_size, device=self.device
        )
        self.share_folder_with(scores)
        return (scores, ItemSafetyVerdict(refuse=self.refuse, verdict=self.verdict))
