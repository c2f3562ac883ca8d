"""Boxes and counts of objects in your own photographs, found by Grounding DINO for the recipe's phrases.

BLINK's object localization and counting (section 3.2) use boxes from LVIS and questions from TallyQA. A detector errs
most often at intermediate scores, so no question is asked about a label that has such a box.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, NamedTuple

from pydantic import Field, field_validator, model_validator

from benchwright.models.batching import Batches, OutOfMemory
from benchwright.models.devices import find_device
from benchwright.models.picture_batches import PictureBatches, Pixels
from benchwright.records import ImageRecord
from benchwright.release.format.estimates import ESTIMATED_BY
from benchwright.steps import Context, MapStep, OpenContext, Outcome, Resources, Stream

from ..ground_truth.truths import CountQuestion, LabelledBox, LabelledBoxes
from ..ground_truth.values import RECORDS, RecordPlace, RecordTruth, write_records, write_truths
from ..item_parts.marks.boxes import Box, area, iou
from ..item_parts.wording.english_words import count_question, without_article
from ..manipulation.grounding.detectors import DetectedPhrase, load_detector
from .model_step import BATCH_SIZE, ModelStep, require_model_type

_NOTHING_FOUND = "nothing_found"
_LEAST_SIDE_PX = 1.0
_WITHIN = 0.8
"""Proportion of a box's area inside another box with its label from which both may show the same object, or one of them
a group.
"""


class FoundThing(NamedTuple):
    """A detector's box for a label, within the picture, with its score, 0-1."""

    label: str
    box: Box
    score: float


class DetectedBoxes(ModelStep, MapStep):
    """Use a detector to give images boxes around the objects named by phrases, and counts of these objects; drops
    nothing.

    `object_localization` and `counting` make items from them if `dataset` names this entry. The items carry
    `estimated_by`, and `freeze` accepts them only after a campaign in which people decide on them. A label is uncertain
    if one of its boxes has a score below `threshold` by less than `unsure`, is mostly within another box of the label,
    or more likely belongs to another phrase; its boxes then count as incomplete, and no question is asked about it.
    Counts are stated for certain labels of which every score exceeds `threshold` by `unsure`. The evidence of an image
    without a box contains `nothing_found`.

    Args:
        phrases: Singular nouns to look for, such as `cup` or `traffic light`.
        threshold: Smallest score of a box.
        unsure: Half-width of the band of uncertain scores around `threshold`.
        overlap: Intersection over union from which two boxes with the same label count as one; the one with the higher
            score is kept.
    """

    name: ClassVar[str] = "detected_boxes"
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {
        RECORDS: "string",
        LabelledBoxes.kind: "string",
        CountQuestion.kind: "string",
    }
    costly: ClassVar[bool] = True
    resources: ClassVar[Resources] = Resources(memory_mb=2048, gpu_memory_mb=7000)
    repository: ClassVar[str] = "IDEA-Research/grounding-dino-tiny"
    estimator: ClassVar[str] = "grounding_dino"

    phrases: tuple[str, ...] = Field(min_length=1, max_length=50)
    threshold: float = Field(0.35, gt=0, lt=1)
    unsure: float = Field(0.1, gt=0, lt=1)
    overlap: float = Field(0.6, gt=0, le=1)

    @field_validator("phrases")
    @classmethod
    def _name_things(cls, phrases: tuple[str, ...]) -> tuple[str, ...]:
        names = tuple(without_article(phrase) for phrase in phrases)
        if empty := [phrase for phrase, name in zip(phrases, names, strict=True) if not name]:
            raise ValueError(f"{empty[0]!r} contains no word; give nouns, such as cup")
        if twice := [name for name in names if [other.lower() for other in names].count(name.lower()) > 1]:
            raise ValueError(f"{twice[0]!r} appears twice among the phrases")
        return names

    @model_validator(mode="after")
    def _band_lies_within_the_scores(self) -> DetectedBoxes:
        if not self.unsure < min(self.threshold, 1 - self.threshold):
            raise ValueError(
                f"unsure {self.unsure:g} is too wide: scores from threshold - unsure to threshold + unsure must lie "
                f"between 0 and 1, and threshold is {self.threshold:g}"
            )
        return self

    def open(self, ctx: OpenContext) -> Any:
        """Return the function that finds all phrases in pictures.

        Raises:
            PrerequisiteError: Packages or weights are missing, or the folder contains another model.
        """
        del ctx
        folder = self.weights_folder()
        require_model_type(folder, "grounding-dino")
        device = find_device(self.device).place
        detector = load_detector(folder, device=device, threshold=self.threshold - self.unsure)
        batches = Batches(self.batch_size or BATCH_SIZE)

        def found(pictures: Sequence[Pixels]) -> list[list[FoundThing]]:
            results = []
            for picture in pictures:
                places = batches.run(self.phrases, partial(detector.find_all, picture))
                results.append(self._within(places, (picture.shape[1], picture.shape[0])))
            return results

        return PictureBatches(found, batch_size=1)

    def _within(
        self, places: Sequence[list[DetectedPhrase] | OutOfMemory], size_wh: tuple[int, int]
    ) -> list[FoundThing]:
        """Return the boxes that were found, clipped to the picture, without slivers narrower than a pixel."""
        things = []
        for label, of_label in zip(self.phrases, places, strict=True):
            if isinstance(of_label, OutOfMemory):
                raise of_label
            for place in of_label:
                x0, y0, x1, y1 = place.box
                cut = max(0.0, x0), max(0.0, y0), min(float(size_wh[0]), x1), min(float(size_wh[1]), y1)
                if min(cut[2] - cut[0], cut[3] - cut[1]) >= _LEAST_SIDE_PX:
                    things.append(FoundThing(label, cut, round(place.score or 0.0, 4)))
        return things

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Find the objects in one picture."""
        return self.many([record], ctx)[0]

    def many(self, records: Sequence[ImageRecord], ctx: Context) -> Sequence[Outcome]:
        """Find the objects in pictures, one picture at a time; the model processes the phrases in batches."""
        opened: PictureBatches[list[FoundThing]] = ctx.opened
        return [
            things if isinstance(things, Outcome) else self.stated(record, things)
            for record, things in zip(records, opened.results(records, ctx), strict=True)
        ]

    def stated(self, record: ImageRecord, things: Sequence[FoundThing]) -> Outcome:
        """Return the truths that follow from the boxes of one picture.

        Args:
            record: The picture.
            things: All boxes with scores of at least `threshold - unsure`.
        """
        distinct = self._distinct(things)
        kept = [thing for thing in distinct if thing.score >= self.threshold]
        if not kept:
            return Outcome(evidence={"left_out": _NOTHING_FOUND})
        unsure = self._unsure(distinct)
        original: dict[str, Any] = {ESTIMATED_BY: self.estimated_by()}
        boxes = LabelledBoxes(
            boxes=tuple(LabelledBox(label=thing.label, box=thing.box) for thing in kept),
            is_federated=True,
            incomplete=tuple(label for label in self.phrases if label in unsure),
            original=original,
        )
        counts = [
            CountQuestion(
                question=count_question(label),
                count=len(scores),
                is_simple=True,
                original={**original, "least_score": min(scores)},
            )
            for label in self.phrases
            if label not in unsure and (scores := [thing.score for thing in kept if thing.label == label])
            if round(min(scores) - self.threshold - self.unsure, 6) >= 0
        ]
        name = f"{self.estimator}:{record.image_id[:16]}"
        values = {
            RECORDS: write_records([RecordPlace(name, 0)]),
            LabelledBoxes.kind: write_truths([RecordTruth(name, (record.image_id,), boxes)]),
        }
        if counts:
            values[CountQuestion.kind] = write_truths(
                [RecordTruth(name, (record.image_id,), count) for count in counts]
            )
        scores_of = {
            label: [thing.score for thing in distinct if thing.label == label]
            for label in self.phrases
            if any(thing.label == label for thing in distinct)
        }
        return Outcome(values=values, evidence={**original, "scores": scores_of, "unsure": sorted(unsure)})

    def _distinct(self, things: Sequence[FoundThing]) -> list[FoundThing]:
        """Return the objects, sorted by label, then by descending score, without those that overlap an object with the
        same label and a higher score (non-maximum suppression).
        """
        distinct: list[FoundThing] = []
        order = {label: number for number, label in enumerate(self.phrases)}
        for thing in sorted(things, key=lambda thing: (order[thing.label], -thing.score, thing.box)):
            if all(iou(thing.box, other.box) < self.overlap for other in distinct if other.label == thing.label):
                distinct.append(thing)
        return distinct

    def _unsure(self, things: Sequence[FoundThing]) -> set[str]:
        """Return the labels for which some object may have no box, or more than one."""
        unsure = {thing.label for thing in things if thing.score < self.threshold}
        for number, thing in enumerate(things):
            for other in things[:number]:
                if thing.label == other.label:
                    if _within(thing.box, other.box) >= _WITHIN:
                        unsure.add(thing.label)
                elif iou(thing.box, other.box) >= self.overlap:
                    unsure |= {one.label for one in (thing, other) if one.score == min(thing.score, other.score)}
        return unsure


def _within(first: Box, second: Box) -> float:
    """Return the proportion of the smaller of two boxes that lies inside the larger one, 0-1."""
    overlap = iou(first, second)
    common = overlap * (area(first) + area(second)) / (1 + overlap)
    return common / min(area(first), area(second))
