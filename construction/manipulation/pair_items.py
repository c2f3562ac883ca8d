"""The step that asks questions about natural and manipulated images (MVP-Bench, step three).

Written questions that could not be scored are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any, ClassVar, Literal, NamedTuple

from pydantic import Field, model_validator

from benchwright.errors import RequestFailed
from benchwright.facts import CATEGORIES
from benchwright.models.endpoints.chat import Chat, ChatSettings
from benchwright.models.endpoints.structured_replies import NotOfThatShape
from benchwright.models.endpoints.usage import RequestPlan
from benchwright.records import ImageRecord, Item
from benchwright.steps import Context, MapStep, OpenContext, Outcome, PictureFidelity, Stream
from benchwright.texts.normalization import normal

from ..distractors.choosing import options_evidence
from ..distractors.sameness import says_the_same
from ..item_parts.idea import Idea, Level
from ..item_parts.idea import unpacked as ideas_of
from ..item_parts.options.choices import drawn, place
from ..item_parts.options.pairs import SIDES, PairMaking
from ..item_parts.pictures.side_by_side import side_by_side as composed
from ..item_parts.wording.wordings import WORDING, WordingsInUse
from .manipulated import Manipulated
from .manipulated import unpacked as pairs_of
from .pair_questions.endpoint import PROMPT_TOKENS, from_endpoint
from .pair_questions.kinds_of_change import control_question, how_modified, side_by_side, what_changed, which_aspect
from .pair_questions.pair_question import LEVELS, OptionsQuestion, WrittenPairQuestions, one_a_level
from .pair_questions.phrasing import Phrasing, Shown
from .pair_questions.templates import from_template

_ORDINALS = {"high": 10, "low": 11}
"""Ordinals of the questions about both pictures, by level, and two more for those about a picture that shows both."""
_SAME_QUESTION, _SAME_OPTIONS, _FEW_DISTRACTORS = "same_question", "same_options", "too_few_distractors"


class CheckedQuestions(NamedTuple):
    """Questions that can be scored, and the reasons why others were omitted."""

    written: WrittenPairQuestions
    left_out: Mapping[str, str]


def checked(written: WrittenPairQuestions) -> CheckedQuestions:
    """Remove questions that are equal but have opposite keys, and options that repeat another."""
    left_out: dict[str, str] = {}
    texts_before: set[str] = set()
    yes_no = []
    for level in LEVELS:
        pair = [question for question in written.yes_no if question.level == level]
        texts = {normal(question.text) for question in pair}
        if len(texts) < len(pair) or texts & texts_before:
            left_out[f"yes_no_{level}"] = _SAME_QUESTION
            continue
        texts_before |= texts
        yes_no += pair
    single = written.single_image
    if single is None and any(question.level == "high" for question in written.yes_no):
        left_out["single_image"] = _FEW_DISTRACTORS
    elif single is not None and _repeat(single):
        single = None
        left_out["single_image"] = _SAME_OPTIONS
    return CheckedQuestions(written._replace(yes_no=tuple(yes_no), single_image=single), left_out)


def _repeat(options: OptionsQuestion) -> bool:
    return any(says_the_same(first, second) for first, second in combinations((options.right, *options.wrong), 2))


_NO_PAIRS = "no_pairs"


class PairItems(MapStep):
    """Make items of manipulated images; needs the steps `ideas` and `manipulate` before it.

    A pair gives up to seven items: at each level a yes/no question about both images with opposite keys, one question
    with five options on the manipulated image, and at each level one across both. An idea without a high-level change
    that strangers would agree on gives three items, at the low level only. Every candidate of an idea gets the same
    questions; `best_candidate` picks one later.

    The task `pair_yes_no` has, at each level, one or two questions, each on both images, with opposite answers.
    `pair_single_image` has one on the manipulated image with five options, at the high level: the natural image's
    answer is one of them, and three fit the low-level clues. `pair_cross_image` has, at each level, one on both images
    with five options: how was one turned into the other, and what does one show that the other does not, or which of
    five aspects differs?

    Words come from the idea and from templates, or from a language model. Items share the group key `pair:<id>` and
    belong to all photographs that lent pixels. The evidence records what was omitted for a pair (`too_few_distractors`,
    `same_options`, `same_question`) and the unusable replies of a model.

    Args:
        writer: `template` uses the words of the idea, `endpoint` lets a language model write.
        chat: The model that writes, if `writer` is `endpoint`.
        questions_per_level: Number of yes/no questions per level. `1` asks each picture one question, true of the
            natural or the manipulated one at random, and the reverse at the other level; `2` asks each picture both.
        wordings: Template wordings in use: `all`, from which each item's seed draws one, or `1`, the first alone. Items
            name theirs under the attribute `wording`.
        high_options: Options of the high-level question across both images: `values`, what one shows and the other does
            not, or the paper's five `aspects`. By default `values` with templates, `aspects` with a language model.
        cross_image: How questions show both images: as `two_images`, `side_by_side` in one picture for models that
            accept a single image, or `both` (two more items).
        max_side_px: Longer side of a picture that shows both.

    Reasons:
        no_pairs (drop): The image has no pairs.
        writer_timeout (drop): The model did not answer in time.
        writer_no_json (drop): The model's reply has no JSON.
        writer_other_json (drop): The model's JSON does not have the requested shape.
    """

    name: ClassVar[str] = "pair_items"
    version: ClassVar[int] = 3
    picture_fidelity: ClassVar[PictureFidelity] = "visual"
    consumes: ClassVar[Stream] = "images"
    makes: ClassVar[tuple[Stream, ...]] = ("items",)
    reads: ClassVar[tuple[str, ...]] = ("ideas.planned", "manipulate.pairs")
    costly: ClassVar[bool] = True

    writer: Literal["template", "endpoint"] = "template"
    chat: ChatSettings | None = None
    questions_per_level: Literal[1, 2] = 1
    wordings: WordingsInUse = "all"
    high_options: Literal["values", "aspects"] | None = None
    cross_image: Literal["two_images", "side_by_side", "both"] = "two_images"
    max_side_px: int = Field(2048, ge=64, le=8192)

    @model_validator(mode="after")
    def _names_its_model(self) -> PairItems:
        if (self.writer == "endpoint") != (self.chat is not None):
            raise ValueError("chat names the model that writes: give it with `writer: endpoint`, and only then")
        return self

    def parameters(self) -> dict[str, Any]:
        """Return the settings that determine the items, without the waiting times for a model."""
        return {**super().parameters(), "chat": self.chat and self.chat.deciding()}

    def planned_requests(self, images: int) -> list[RequestPlan] | None:
        """Return the largest number of requests to the writing model, for one idea of each category per image."""
        if self.chat is None:
            return None
        requests = 2 * len(CATEGORIES)
        words = requests * PROMPT_TOKENS
        return [self.chat.plan("questions", images, requests=requests, pictures=0, words=words)]

    def open(self, ctx: OpenContext) -> Chat | None:
        """Connect to the model that writes, if any."""
        return None if self.chat is None else Chat(self.chat, concurrency=1, replies=ctx.replies)

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Make the items of all pairs of an image, and record ideas without items, with the reason."""
        ideas, pairs = (ctx.value(record.image_id, name) for name in self.reads)
        if not ideas or not pairs:
            return Outcome("drop", _NO_PAIRS)
        planned = {idea.idea_id: idea for idea in ideas_of(ideas)}
        by_idea: dict[str, list[Manipulated]] = {}
        for pair in pairs_of(pairs):
            by_idea.setdefault(pair.idea_id, []).append(pair)
        items: list[Item] = []
        made: list[ImageRecord] = []
        evidence: dict[str, dict[str, Any]] = {}
        for idea_id, candidates in by_idea.items():
            questions = self._asked_of(record, ctx, planned[idea_id], candidates)
            items += questions.items
            made += questions.images
            evidence |= {idea_id: questions.told} if questions.told else {}
        if not items:
            reason = next((document["reason"] for document in evidence.values() if "reason" in document), _NO_PAIRS)
            return Outcome("drop", reason, evidence=evidence)
        return Outcome(evidence=evidence, images=tuple(made), items=tuple(items))

    def _asked_of(self, record: ImageRecord, ctx: Context, idea: Idea, candidates: list[Manipulated]) -> _IdeaOutcome:
        rng = ctx.rng(record.image_id, idea.idea_id, "questions")
        try:
            if ctx.opened is None:
                written = from_template(idea, rng, wordings=self.wordings)
            else:
                written = from_endpoint(idea, ctx.opened, rng)
        except RequestFailed as error:
            return _IdeaOutcome((), (), {"reason": f"writer_{error.reason}", "detail": error.detail})
        except NotOfThatShape as error:
            replies_evidence = {"replies": list(error.replies)}
            return _IdeaOutcome(
                (), (), {"reason": f"writer_{error.reason}", "detail": error.detail, **replies_evidence}
            )
        questions = checked(written)
        if self.questions_per_level == 1:
            rng = ctx.rng(record.image_id, idea.idea_id, "asked")
            questions = questions._replace(written=one_a_level(questions.written, rng))
        document: dict[str, Any] = {"left_out": dict(questions.left_out)} if questions.left_out else {}
        if written.replies:
            document["replies"] = list(written.replies)
        items: list[Item] = []
        images: list[ImageRecord] = []
        for pair in candidates:
            pictures = _Both(ctx, _making(record, ctx, idea, pair, written.written_by), idea, self)
            items += pictures.items(questions.written)
            images += pictures.made
        return _IdeaOutcome(tuple(items), tuple(images), document)


class _IdeaOutcome(NamedTuple):
    """The outcome of one idea."""

    items: tuple[Item, ...]
    images: tuple[ImageRecord, ...]
    told: dict[str, Any]


def _making(record: ImageRecord, ctx: Context, idea: Idea, pair: Manipulated, written_by: str) -> PairMaking:
    return PairMaking(
        ctx,
        record,
        (record.image_id, idea.idea_id, str(pair.candidate)),
        ctx.image(pair.natural),
        ctx.image(pair.manipulated),
        donors=(ctx.image(idea.donor.image_id),) if idea.donor else (),
        task="pair",
        category=idea.category,
        written_by={"question": written_by, "choices": written_by},
        evidence={
            "idea": idea.idea_id,
            "candidate": pair.candidate,
            "category": idea.category,
            "way": idea.way,
            "editor": pair.editor,
            "made_with": dict(pair.made_with),
            "editable": pair.editable and pair.editable.model_dump(mode="json"),
            "moved": pair.moved,
            "natural_caption": idea.natural_caption,
            "manipulated_caption": idea.manipulated_caption,
            "idea_written_by": idea.written_by,
        },
    )


class _Both:
    """One candidate while its items are made."""

    def __init__(self, ctx: Context, making: PairMaking, idea: Idea, step: PairItems) -> None:
        self.made: list[ImageRecord] = []
        self._ctx, self._making, self._idea, self._step = ctx, making, idea, step
        # By idea, not by candidate: the options keep their places whichever candidate is kept.
        self._rng = ctx.rng(making.record.image_id, idea.idea_id, "places")

    def items(self, written: WrittenPairQuestions) -> list[Item]:
        """Return the items in a fixed order; a missing question leaves a gap in their ordinals."""
        items = list(self._yes_no(written))
        if written.single_image is not None:
            picture = {"manipulated": self._making.manipulated}
            items.append(self._choosing(9, "single_image", "high", written.single_image, picture))
        return [*items, *self._crossed()]

    def _yes_no(self, written: WrittenPairQuestions) -> Iterator[Item]:
        control = control_question(self._idea)
        for question in written.yes_no:
            first = 1 + 4 * LEVELS.index(question.level) + 2 * SIDES.index(question.yes_on)
            for place_of, shown in enumerate(SIDES):
                yield self._making.yes_no(
                    first + place_of,
                    question.text,
                    yes_on=question.yes_on,
                    shown=shown,
                    level=question.level,
                    evidence={"asks_for": question.yes_on, "control": control},
                    attributes=_wording(question.wording),
                )

    def _crossed(self) -> Iterator[Item]:
        template = self._making._replace(written_by={"question": "template", "choices": "template"})
        pictures = dict(sorted(template.pictures.items(), reverse=bool(self._rng.integers(2))))
        if self._step.cross_image != "side_by_side":
            for level, options in self._across("two_images").items():
                yield self._choosing(_ORDINALS[level], "cross_image", level, options, pictures, making=template)
        if self._step.cross_image != "two_images":
            whole = {"side_by_side": self._composed(pictures)}
            for level, options in self._across("side_by_side").items():
                yield self._choosing(
                    _ORDINALS[level] + 2,
                    "cross_image",
                    level,
                    side_by_side(options),
                    whole,
                    making=template,
                    shows=list(pictures),
                )

    def _across(self, shown: Shown) -> dict[Level, OptionsQuestion]:
        """Return the questions about both pictures by level; wordings and options are the same in every display."""
        rng = self._ctx.rng(self._making.record.image_id, self._idea.idea_id, "across")
        phrasing = Phrasing(self._idea, self._step.wordings)
        low = how_modified(phrasing, shown, rng)
        if "high" not in self._idea.levels:
            return {"low": low}
        options = self._step.high_options or ("values" if self._step.writer == "template" else "aspects")
        ask = what_changed if options == "values" else which_aspect
        high = ask(phrasing, shown, rng)
        return {"low": low} if high is None else {"high": high, "low": low}

    def _composed(self, pictures: Mapping[str, ImageRecord]) -> ImageRecord:
        left, right = (self._ctx.images.rgb(picture) for picture in pictures.values())
        pixels = composed(left, right, max_side_px=self._step.max_side_px)
        self.made.append(self._ctx.store_image(pixels, parents=[self._making.natural, self._making.manipulated]))
        return self.made[-1]

    def _choosing(
        self,
        ordinal: int,
        way: str,
        level: Level,
        question: OptionsQuestion,
        pictures: Mapping[str, ImageRecord],
        *,
        making: PairMaking | None = None,
        shows: list[str] | None = None,
    ) -> Item:
        rng = self._ctx.rng(self._making.record.image_id, self._idea.idea_id, "options", ordinal)
        placed = place(question.right, drawn(question.wrong, len(question.wrong), rng), rng)
        return (making or self._making).choosing(
            ordinal,
            way,
            question.question,
            placed,
            pictures,
            level=level,
            evidence={
                "shows": shows or list(pictures),
                **(options_evidence(question.right, question.wrong) if way == "single_image" else {}),
            },
            attributes=({"image_side": "both"} if shows else {}) | _wording(question.wording),
        )


def _wording(number: int | None) -> dict[str, str]:
    return {} if number is None else {WORDING: str(number)}
