"""Background substitution, as in MVP-Bench (section 4): a subject in front of its original and another background.

MVP-Bench paints the new background with a diffusion model. Here, it is another photograph of the run, named in the
facts, and the subject is cut out with a mask that a person drew, or by GrabCut from a box and points that a person
stated, so that no weights are needed.

Questions are as in MVP-Bench (section 3): the same yes/no questions about both images with opposite answers, a question
about the manipulated image with the natural image's answer among the distractors, and one question across both images.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from benchwright.canonical import bytes_digest
from benchwright.errors import UnreadableImage
from benchwright.images.covering import cover, enlargement
from benchwright.records import ImageRecord, Item, MaskRuns
from benchwright.steps import Context, OpenContext, Outcome, Stream

from ..item_parts.cutting_out import (
    Hints,
    Mask,
    bounds,
    composite,
    editable,
    fault,
    find_mask,
    opacity,
    outlines,
    stated_mask,
)
from ..item_parts.options.choices import PlacedChoices, capital, drawn, place
from ..item_parts.options.pairs import SIDES, PairMaking, Side
from ..stated_facts.facts_reader import FactsReader, ShownPicture, as_shown, nothing_stated

_DISTRACTORS = 3


class PairWords(NamedTuple):
    """The phrases used in questions about a pair.

    Args:
        phrase: The subject, such as `the cup`.
        natural: The background of the natural image.
        manipulated: The background of the manipulated image.
        others: Backgrounds of neither image, in a stable order.
    """

    phrase: str
    natural: str
    manipulated: str
    others: Sequence[str]


class OppositeYesNo(NamedTuple):
    """A question about both images, with opposite answers."""

    background: str
    question: str
    yes_on: Side


class PlacedQuestion(NamedTuple):
    """A question with its options in order."""

    question: str
    placed: PlacedChoices[str]


def yes_no(pair: PairWords) -> tuple[OppositeYesNo, OppositeYesNo]:
    """Ask about the natural background and about the manipulated one, each of them for both images."""
    return (
        OppositeYesNo("natural", f"Does the background of this image show {pair.natural}?", "natural"),
        OppositeYesNo("manipulated", f"Does the background of this image show {pair.manipulated}?", "manipulated"),
    )


def single_image(pair: PairWords, rng: np.random.Generator) -> PlacedQuestion:
    """Ask what the background of the manipulated image is; the natural background is a distractor."""
    distractors = drawn(pair.others, _DISTRACTORS - 1, rng)
    wrong = [([pair.natural, *distractors])[number] for number in rng.permutation(1 + len(distractors)).tolist()]
    return PlacedQuestion(
        "What does the background of this image show?", place(capital(pair.manipulated), _all(wrong), rng)
    )


def cross_image(pair: PairWords, *, natural_first: bool, rng: np.random.Generator) -> PlacedQuestion:
    """Ask how the second image differs from the first."""
    first, second = (pair.natural, pair.manipulated) if natural_first else (pair.manipulated, pair.natural)
    wrong = [
        f"The background changes from {second} to {first}.",
        f"{capital(pair.phrase)} is gone; the background stays the same.",
        *(f"The background changes from {first} to {background}." for background in drawn(pair.others, 1, rng)),
    ]
    wrong = [wrong[number] for number in rng.permutation(len(wrong)).tolist()]
    question = "Compare the two images. How does the second differ from the first?"
    return PlacedQuestion(question, place(f"The background changes from {first} to {second}.", wrong, rng))


def _all(texts: Sequence[str]) -> list[str]:
    return [capital(text) for text in texts]


LEVEL = "low"
"""MVP-Bench counts the background among low-level perception."""


class BackgroundSubstitution(FactsReader):
    """Make pairs of images with questions about both; needs the step `facts` before it.

    A pair yields six items: two yes/no questions about each image, one about the manipulated image, and one across
    both. They share the group key `pair:<id>`, and belong to the source images of subject and background.

    The pairs are as in MVP-Bench: a subject in front of its original background, and in front of another photograph of
    the run. The subject is cut out with the stated mask, or else by GrabCut from the stated box and points; its rim is
    feathered. Both images of a pair have the same size, and outside the feathered rim every pixel comes from the new
    background. The two questions of the task `background_yes_no` are asked about both images, with opposite answers;
    `background_single_image` is a question about the manipulated image, with the natural background among the
    distractors; `background_cross_image` is a question about both images, in random order.

    Look at the pairs before you release them: add points or a mask if the outline is wrong, or remove
    `cut_out`.

    Args:
        max_side_px: Longer side of both images; larger ones are scaled down.
        feather_px: Standard deviation of the blur of the subject's rim, for pictures whose shorter side is 512 px; it
            is proportional to that side.
        min_area: Smallest area of the subject, as a fraction of the picture; a smaller mask is `mask_empty`.
        max_area: Largest area; a larger mask is `mask_everything`.
        min_box_iou: Smallest intersection over union of the mask's bounds with the stated box; less is `mask_off_box`.
        max_enlargement: Largest factor by which a background may be enlarged to cover the picture; more is
            `background_small`.
        stated_by: Entry of the step `facts` to read, if the recipe gives it another name.

    Reasons:
        no_facts (drop): Nothing is stated about the image.
        mask_empty (drop): The mask is smaller than `min_area`.
        mask_everything (drop): The mask is larger than `max_area`.
        mask_off_box (drop): The mask does not match the stated box.
        background_small (drop): The new background would be enlarged by more than `max_enlargement`.
        background_unreadable (drop): The new background cannot be read.
        no_background (drop): None of `onto` is in the run.
    """

    name: ClassVar[str] = "background_substitution"
    pixels_compared: ClassVar[bool] = True
    version: ClassVar[int] = 3
    consumes: ClassVar[Stream] = "images"
    makes: ClassVar[tuple[Stream, ...]] = ("items",)
    uses: ClassVar[tuple[str, ...]] = ("cut_outs",)

    max_side_px: int = Field(1024, ge=64, le=4096)
    feather_px: float = Field(1.2, ge=0, le=20)
    min_area: float = Field(0.005, gt=0, lt=1)
    max_area: float = Field(0.8, gt=0, lt=1)
    min_box_iou: float = Field(0.8, ge=0, le=1)
    max_enlargement: float = Field(2.0, gt=0)

    @model_validator(mode="after")
    def _areas_are_in_order(self) -> BackgroundSubstitution:
        if self.max_area <= self.min_area:
            raise ValueError(f"max_area {self.max_area} is not above min_area {self.min_area}; no mask fits both")
        return self

    def open(self, ctx: OpenContext) -> None:
        """Limit OpenCV to one thread, as in a worker; GrabCut's result may depend on the number of threads."""
        import cv2

        del ctx
        cv2.setNumThreads(1)

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Make a pair from each subject and each of its backgrounds, unless the subject's mask fails a check."""
        subjects = self.stated(record, ctx, "cut_outs")
        if subjects is None:
            return nothing_stated()
        shown = as_shown(record, ctx, max_side_px=self.max_side_px)
        made: list[ImageRecord] = list(shown.made)
        items: list[Item] = []
        left_out: dict[str, str] = {}
        masks: dict[str, Any] = {}
        for subject in subjects:
            cut = self._cut(record, ctx, shown, subject)
            if (reason := fault(cut.mask, cut.hints.box, **self._checks())) is not None:
                left_out[subject["name"]] = reason
                continue
            masks[subject["name"]] = cut.described() | {"outlines": outlines(cut.mask)}
            for target in subject["onto"]:
                background = self._background(ctx, target, shown)
                if isinstance(background, str):
                    left_out[f"{subject['name']} onto {target['name']}"] = background
                    continue
                picture = composite(shown.pixels, cut.shows, background)
                manipulated = ctx.store_image(picture, parents=[record, ctx.image(target["image_id"])])
                made.append(manipulated)
                items += _Making(self, record, ctx, subject, target, shown.record, manipulated, cut).items()
            if not subject["onto"]:
                left_out[subject["name"]] = "no_background"
        evidence = {"masks": masks, "left_out": left_out}
        if not items:
            return Outcome("drop", next(iter(left_out.values())), evidence=evidence)
        return Outcome(evidence=evidence, images=tuple(made), items=tuple(items))

    def _checks(self) -> dict[str, float]:
        return {"min_area": self.min_area, "max_area": self.max_area, "min_box_iou": self.min_box_iou}

    def _cut(self, record: ImageRecord, ctx: Context, shown: ShownPicture, subject: Mapping[str, Any]) -> _CutSubject:
        drawn_mask = MaskRuns.model_validate(subject["mask"]) if "mask" in subject else None
        hints = Hints(tuple(subject["box"]), subject["inside"], subject["outside"], drawn_mask).scaled(shown.scale)
        if (mask := stated_mask(hints, shown.pixels.shape)) is not None:
            seed = None
        else:
            seed = int(ctx.rng(record.image_id, subject["name"], "mask").integers(2**31))
            mask = find_mask(shown.pixels, hints, seed=seed)
        feather_px = round(self.feather_px * min(mask.shape) / 512, 3)
        return _CutSubject(hints, mask, opacity(mask, feather_px=feather_px), feather_px, seed)

    def _background(self, ctx: Context, target: Mapping[str, Any], shown: ShownPicture) -> NDArray[np.uint8] | str:
        """Return another photograph at the size of this one, or the reason why there is none."""
        source = ctx.image(target["image_id"])
        size_wh = (shown.record.width, shown.record.height)
        if enlargement((source.width, source.height), size_wh) > self.max_enlargement:
            return "background_small"
        try:
            return cover(ctx.images.rgb(source), size_wh)
        except UnreadableImage:  # the other image fails by itself; this one is not at fault
            return "background_unreadable"


class _CutSubject(NamedTuple):
    """A subject cut out of the picture as shown."""

    hints: Hints
    mask: Mask
    shows: NDArray[np.float32]
    feather_px: float
    seed: int | None
    """Settings of GrabCut; None for a mask outlined by a person."""

    def described(self) -> dict[str, Any]:
        """Return the mask's geometry in the picture as shown, and its origin."""
        return {
            "box_xyxy": list(bounds(self.mask)),
            "area": round(float(self.mask.mean()), 6),
            "stated_xyxy": list(self.hints.box),
            "feather_px": self.feather_px,
            **({"by": "facts"} if self.seed is None else {"seed": self.seed}),
            "sha256": bytes_digest(np.packbits(self.mask).tobytes()),
        }


class _Making(NamedTuple):
    """A subject in front of another background, from which the items of the pair are made."""

    step: BackgroundSubstitution
    record: ImageRecord
    ctx: Context
    subject: Mapping[str, Any]
    other: Mapping[str, Any]
    natural: ImageRecord
    manipulated: ImageRecord
    cut: _CutSubject

    def items(self) -> list[Item]:
        """Return the six items of the pair in a fixed order."""
        apart = {self.subject["background"], self.other["background"]}
        other_backgrounds = [text for text in self.subject["other_backgrounds"] if text not in apart]
        pair = PairWords(
            self.subject["phrase"], self.subject["background"], self.other["background"], other_backgrounds
        )
        making, rng = self._making(), self.ctx.rng(*self._names, "questions")
        items = [
            making.yes_no(
                1 + 2 * number + place,
                question.question,
                yes_on=question.yes_on,
                shown=shown,
                level=LEVEL,
                evidence={"asks_for": question.background},
            )
            for number, question in enumerate(yes_no(pair))
            for place, shown in enumerate(SIDES)
        ]
        items.append(_choosing(making, 5, "single_image", single_image(pair, rng), {"manipulated": self.manipulated}))
        natural_first = bool(rng.integers(2))
        ordered = dict(sorted(making.pictures.items(), reverse=natural_first))
        crossed = cross_image(pair, natural_first=natural_first, rng=rng)
        return [*items, _choosing(making, 6, "cross_image", crossed, ordered)]

    @property
    def _names(self) -> tuple[str, str, str]:
        return self.record.image_id, self.subject["name"], self.other["image_id"]

    def _making(self) -> PairMaking:
        return PairMaking(
            self.ctx,
            self.record,
            self._names,
            self.natural,
            self.manipulated,
            donors=(self.ctx.image(self.other["image_id"]),),
            task="background",
            category="background",
            written_by={"question": "template", "choices": "template"},
            evidence={
                "subject": self.subject["name"],
                "mask": self.cut.described(),
                "editable": editable(self.cut.shows),
                "background": {"image_id": self.other["image_id"], "facts": self.other["name"]},
            },
        )


def _choosing(
    making: PairMaking, ordinal: int, way: str, question: PlacedQuestion, pictures: Mapping[str, ImageRecord]
) -> Item:
    shows = {"shows": list(pictures)}
    return making.choosing(ordinal, way, question.question, question.placed, pictures, level=LEVEL, evidence=shows)
