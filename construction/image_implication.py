"""What a picture is and conveys, as in II-Bench (section 3): image type, domain, emotion, and a six-option question.

II-Bench labels its images and asks about their implication. Here the labels become questions too.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, NamedTuple, get_args

from pydantic import Field, field_validator

from benchwright.records import ImageRecord, Item, ItemImage
from benchwright.steps import Context, MapStep, Outcome, Stream

from .choices import place, text_choices
from .facts_file import Domain, Emotion, ImageType
from .grouping import group_keys
from .stated import as_shown, nothing_stated, stated

Kind = Literal["image_type", "image_domain", "image_emotion", "image_implication"]
OPTIONS = 6


class _Label(NamedTuple):
    """A label that is asked for: its key in the facts, the question, and all that it may say."""

    key: str
    question: str
    vocabulary: tuple[str, ...]


_LABELS: dict[str, _Label] = {
    "image_type": _Label("image_type", "What type of image is this?", get_args(ImageType)),
    "image_domain": _Label("domain", "Which domain does this image belong to?", get_args(Domain)),
    "image_emotion": _Label("emotion", "Which emotional tone does this image convey?", get_args(Emotion)),
}


class ImageImplication(MapStep):
    """Make items about a picture's type, domain, emotion and implication; needs the step `facts` before it.

    Args:
        kinds: Tasks to make items of.
        max_side_px: Longer side of the picture shown; larger images are scaled down.
    """

    name: ClassVar[str] = "image_implication"
    consumes: ClassVar[Stream] = "images"
    makes: ClassVar[tuple[Stream, ...]] = ("items",)
    reads: ClassVar[tuple[str, ...]] = ("facts.implication",)

    kinds: tuple[Kind, ...] = Field(get_args(Kind), min_length=1)
    max_side_px: int = Field(1024, ge=64, le=8192)

    @field_validator("kinds")
    @classmethod
    def _each_once(cls, kinds: tuple[Kind, ...]) -> tuple[Kind, ...]:
        if len(set(kinds)) != len(kinds):
            raise ValueError("give each kind once")
        return kinds

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Make an item of every kind that something is stated for."""
        implication = stated(record, ctx, "implication")
        kinds = [kind for kind in get_args(Kind) if kind in self.kinds]
        if implication is not None and implication["question"] is None:
            kinds = [kind for kind in kinds if kind in _LABELS]
        if implication is None or not kinds:
            return nothing_stated()
        shown = as_shown(record, ctx, max_side_px=self.max_side_px)
        items = tuple(_item(record, ctx, shown.record, kind, _asked(kind, implication)) for kind in kinds)
        return Outcome(images=shown.made, items=items)


class _Asked(NamedTuple):
    question: str
    right: str
    wrong: tuple[str, ...]
    explanation: str | None
    written_by: dict[str, str]


def _asked(kind: str, implication: dict[str, Any]) -> _Asked:
    """Return question and options; of a label's vocabulary, all that it does not say is wrong."""
    if kind in _LABELS:
        label = _LABELS[kind]
        right = implication[label.key]
        wrong = tuple(word for word in label.vocabulary if word != right)
        return _Asked(label.question, right, wrong, None, {"question": "template", "choices": "template"})
    stated_question = implication["question"]
    explanation = stated_question["explanation"]
    written_by = {"question": "person", "choices": "person"} | ({"explanation": "person"} if explanation else {})
    return _Asked(
        stated_question["ask"], stated_question["right"], tuple(stated_question["wrong"]), explanation, written_by
    )


def _item(record: ImageRecord, ctx: Context, picture: ImageRecord, kind: str, asked: _Asked) -> Item:
    """Ask with at most six options, chosen and placed by chance."""
    rng = ctx.rng(record.image_id, kind)
    wrong = [asked.wrong[number] for number in rng.permutation(len(asked.wrong))[: OPTIONS - 1].tolist()]
    placed = place(asked.right, wrong, rng)
    return Item(
        item_id=ctx.item_id(record.image_id, kind),
        task=kind,
        kind="multiple_choice",
        images=(ItemImage(image_id=picture.image_id, role="reference"),),
        question=asked.question,
        choices=text_choices(placed),
        answer=placed.answer,
        group_keys=group_keys(record),
        explanation=asked.explanation,
        written_by=asked.written_by,
        root_image_id=record.root_image_id,
        operation_id=ctx.operation_id,
        made_from=record.image_id,
        evidence={"stated": asked.right},
    )
