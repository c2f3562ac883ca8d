"""A picture's labels and meaning, as in II-Bench (section 3): image type, domain, emotion, and a six-option question.

II-Bench labels its images and asks about their implication. Here, the labels also yield questions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Literal, NamedTuple, get_args

from pydantic import Field, field_validator

from benchwright.questions.implication import Domain, Emotion, ImageType, Implication
from benchwright.records import ImageRecord, Item, ItemImage
from benchwright.steps import Context, MapStep, Outcome, PictureFidelity, Stream

from ..distractors.choosing import options_evidence
from ..item_parts.options.choices import group_keys, place, text_choices
from ..stated_facts.facts_reader import as_shown, nothing_stated

Kind = Literal["image_type", "image_domain", "image_emotion", "image_implication"]
OPTIONS = 6


class _Label(NamedTuple):
    """A label to ask about: its key in the facts, the question, and all its possible values."""

    key: str
    question: str
    vocabulary: tuple[str, ...]


_LABELS: dict[str, _Label] = {
    "image_type": _Label("image_type", "What type of image is this?", get_args(ImageType)),
    "image_domain": _Label("domain", "Which domain does this image belong to?", get_args(Domain)),
    "image_emotion": _Label("emotion", "Which emotional tone does this image convey?", get_args(Emotion)),
}


class ImageImplication(MapStep):
    """Make items about a picture's type, domain, emotion and implication; needs a step that states it before it.

    Follows II-Bench's labels and questions: up to four items per image, of the tasks named by `kinds`, and one more for
    each further question. Items have six options; those about the emotion have three. No item asks for the type of a
    picture that has several types. Items from a `describe` campaign carry the attributes `difficulty`, `image_type`,
    `domain`, `emotion` and `rhetoric`. The evidence of a question contains the estimate `difficulty` and, under
    `option_faults`, options that are doubtful by their wording.

    Args:
        kinds: Tasks for which to make items.
        stated_by: Entry of the step that states the meaning: `facts`, or a campaign in which annotators describe the
            images.
        max_side_px: Longer side of the picture shown; larger images are scaled down.

    Reasons:
        no_facts (drop): No meaning of the image is stated.
    """

    name: ClassVar[str] = "image_implication"
    picture_fidelity: ClassVar[PictureFidelity] = "visual"
    consumes: ClassVar[Stream] = "images"
    makes: ClassVar[tuple[Stream, ...]] = ("items",)

    kinds: tuple[Kind, ...] = Field(get_args(Kind), min_length=1)
    stated_by: str = Field("facts", pattern=r"^[a-z0-9_.]+$")
    max_side_px: int = Field(1024, ge=64, le=8192)

    @property
    def reads(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the value that states a picture's meaning."""
        return (f"{self.stated_by}.implication",)

    @field_validator("kinds")
    @classmethod
    def _each_once(cls, kinds: tuple[Kind, ...]) -> tuple[Kind, ...]:
        if len(set(kinds)) != len(kinds):
            raise ValueError("list each kind only once")
        return kinds

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Make an item of every kind for which a fact is stated, and one item per question of the last kind."""
        text = ctx.value(record.image_id, self.reads[0])
        implication = None if text is None else Implication.model_validate_json(text)
        kinds = [kind for kind in get_args(Kind) if kind in self.kinds]
        questions = (
            [] if implication is None else [question for kind in kinds for question in _asked(kind, implication)]
        )
        if implication is None or not questions:
            return nothing_stated()
        shown = as_shown(record, ctx, max_side_px=self.max_side_px)
        items = tuple(_item(record, ctx, shown.record, question, implication) for question in questions)
        return Outcome(images=shown.made, items=items)


class _ImplicationQuestion(NamedTuple):
    kind: str
    number: int
    question: str
    right: str
    wrong: tuple[str, ...]
    explanation: str | None
    written_by: dict[str, str]


def _asked(kind: str, implication: Implication) -> Iterator[_ImplicationQuestion]:
    """Yield questions with their options; all values in a label's vocabulary that are not stated are wrong options."""
    if kind in _LABELS:
        label = _LABELS[kind]
        if kind == "image_type" and len(implication.image_types) > 1:
            return  # several options would be right
        right = str(getattr(implication, label.key))
        wrong = tuple(word for word in label.vocabulary if word != right)
        by_template = {"question": "template", "choices": "template", **_drafted_labels(implication)}
        yield _ImplicationQuestion(kind, 0, label.question, right, wrong, None, by_template)
        return
    for number, question in enumerate(implication.questions):
        explanation = question.explanation or implication.explanation
        author = implication.written_by
        written_by = {text: question.authors.get(text, author) for text in ("question", "choices")}
        if explanation:
            is_own = question.explanation is not None
            written_by["explanation"] = author if is_own else implication.authors.get("explanation", author)
        written_by |= _drafted_labels(implication)
        yield _ImplicationQuestion(kind, number, question.ask, question.right, question.wrong, explanation, written_by)


def _drafted_labels(implication: Implication) -> dict[str, str]:
    """Return the author of the labels' draft, if there was one."""
    return {name: author for name, author in implication.authors.items() if name == "labels"}


def _item(
    record: ImageRecord, ctx: Context, picture: ImageRecord, question: _ImplicationQuestion, implication: Implication
) -> Item:
    """Return an item with at most six options, chosen and placed at random."""
    # The first question draws as if it were the only one: its item stays when others join it.
    rng = ctx.rng(record.image_id, question.kind, *([question.number] if question.number else []))
    wrong = [question.wrong[number] for number in rng.permutation(len(question.wrong))[: OPTIONS - 1].tolist()]
    placed = place(question.right, wrong, rng)
    written_in = implication.written_in
    return Item(
        item_id=ctx.item_id(record.image_id, question.kind, ordinal=question.number),
        task=question.kind,
        kind="multiple_choice",
        images=(ItemImage(image_id=picture.image_id, role="reference"),),
        question=question.question,
        choices=text_choices(placed),
        answer=placed.answer,
        group_keys=group_keys(record),
        attributes=implication.attributes,
        explanation=question.explanation,
        written_by=question.written_by,
        root_image_id=record.root_image_id,
        operation_id=ctx.operation_id,
        made_from=record.image_id,
        evidence={"stated": question.right}
        | ({} if question.kind in _LABELS else options_evidence(question.right, wrong))
        | ({} if written_in is None else {"written_in": written_in.model_dump(mode="json")}),
    )
