"""Grounding by a vision-language model behind an endpoint with the paper's three questions: for a caption with boxes,
the main subject, and each attribute.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import Executor
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from benchwright.errors import RequestFailed
from benchwright.facts import Perception
from benchwright.models.endpoints.chat import Chat, ChatSettings
from benchwright.models.endpoints.chat_request import ChatMessage
from benchwright.models.endpoints.structured_replies import RULE, NotOfThatShape, Structured, ask_structured, fenced
from benchwright.records import ImageRecord
from benchwright.regions import BoxConvention, BoxUnit, MisplacedBox
from benchwright.steps import Context

from ...item_parts.idea import Box, GroundedSubject
from .scene import NotGrounded, Scene, Seen

USE = "subjects"
"""Name of the value of the step `facts` that holds the boxes stated by curators."""
Words = Annotated[str, StringConstraints(min_length=1, max_length=600, strip_whitespace=True)]
Numbers = Annotated[list[float], Field(max_length=8)]


class EndpointGrounding(BaseModel):
    """Settings of grounding by an endpoint.

    Args:
        backend: `endpoint`.
        chat: The vision-language model and its connection.
        coordinates: Unit in which it writes boxes: fractions (`unit`), thousandths (`thousand`) or `pixels` as sent.
        order: Order in which the model writes the numbers of a box.
        stated_boxes: Whether the largest subject in a facts file is the main subject, so that the model only names it;
            needs the step `facts` before.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    backend: Literal["endpoint"]
    chat: ChatSettings
    coordinates: BoxUnit = "unit"
    order: Literal["xyxy", "yxyx"] = "xyxy"
    stated_boxes: bool = False

    def deciding(self) -> dict[str, Any]:
        """Return the settings that determine the result, as JSON values."""
        return {**self.model_dump(mode="json"), "chat": self.chat.deciding()}


_Phrase = Annotated[str, StringConstraints(min_length=1, max_length=120, strip_whitespace=True)]


class _GroundedPhrase(BaseModel):
    phrase: Words
    box: Numbers


class _Described(BaseModel):
    caption: Words
    people: int = Field(ge=0, le=10_000)
    items: list[_GroundedPhrase] = Field(max_length=60)


class _Chosen(BaseModel):
    main_subject: _Phrase
    item: int


class _Named(BaseModel):
    main_subject: _Phrase


class _Answered(BaseModel):
    answer: Words | None
    box: Numbers | None = None


class _View(NamedTuple):
    """A picture in the form that the model gets."""

    pixels: NDArray[np.uint8]
    size_wh: tuple[int, int]
    convention: BoxConvention


class EndpointGrounder:
    """Grounding with one model for all questions about a picture; questions about attributes run concurrently.

    Args:
        settings: The model, and its notation of boxes.
        chat: Connection to the model.
        pool: Threads that run the questions.
        people_only: Whether to ask nothing further about a picture without people.
        stated_by: Entry of the step `facts` in the recipe.
    """

    def __init__(
        self, settings: EndpointGrounding, chat: Chat, pool: Executor, *, people_only: bool, stated_by: str
    ) -> None:
        self._settings, self._chat, self._pool, self._people_only = settings, chat, pool, people_only
        self._reads = f"{stated_by}.{USE}"

    def scene(self, record: ImageRecord, wanted: Sequence[Perception], ctx: Context) -> Scene:
        """Return the model's description of the picture.

        Raises:
            NotGrounded: The reply has no usable caption or subject: `endpoint_*`, `no_json`, `other_json`, `no_people`,
                `no_subject`, `box_*`.
            PrerequisiteError: No request to it can succeed.
        """
        view = _View(ctx.images.rgb(record), (record.width, record.height), self._convention(record))
        stated = self._stated(record, ctx)
        try:
            described = self._describe(view)
            replies = described.replies
            if self._people_only and described.value.people == 0:
                raise NotGrounded("no_people", "the model sees nobody in the picture", replies)
            subject, more = self._subject(described, view, stated)
            replies += more
        except NotOfThatShape as error:
            raise NotGrounded(error.reason, error.detail, error.replies) from None
        except RequestFailed as error:
            raise NotGrounded(f"endpoint_{error.reason}", error.detail) from None
        seen = list(self._pool.map(lambda perception: self._look(perception, subject, view), wanted))
        return Scene(
            caption=described.value.caption,
            subject=subject,
            people=described.value.people,
            seen={perception.name: perceived for perception, perceived in zip(wanted, seen, strict=True)},
            replies=replies,
            made_with={"by": "endpoint", "model": self._settings.chat.model, "box_by": "facts" if stated else "model"},
        )

    def _stated(self, record: ImageRecord, ctx: Context) -> Box | None:
        """Return the box of the largest subject in a facts file; None if the file has none or the settings
        ignore it.
        """
        text = ctx.value(record.image_id, self._reads) if self._settings.stated_boxes else None
        boxes: list[Box] = [tuple(subject["box"]) for subject in json.loads(text)] if text else []
        return max(boxes, key=lambda box: (box[2] - box[0]) * (box[3] - box[1]), default=None)

    def _subject(
        self, described: Structured[_Described], view: _View, stated: Box | None
    ) -> tuple[GroundedSubject, tuple[str, ...]]:
        """Return the main subject and the replies that name it."""
        if stated is not None:
            named = self._name(view, stated)
            return GroundedSubject(phrase=named.value.main_subject, box=stated), named.replies
        chosen = self._choose(described.value)
        return _subject(described.value, chosen.value, view, described.replies + chosen.replies), chosen.replies

    def _name(self, view: _View, box: Box) -> Structured[_Named]:
        words = (
            f"Who or what is in the box {view.convention.of_pixels(box, view.size_wh)} of this picture? "
            f"{view.convention.in_words()} Give a short noun phrase with its article. {RULE} "
            '{"main_subject": "the woman"}'
        )
        return ask_structured(self._chat, [ChatMessage("user", [words, view.pixels])], _Named)

    def _convention(self, record: ImageRecord) -> BoxConvention:
        longest, most = max(record.width, record.height), self._settings.chat.max_side_px
        scale = min(1.0, most / longest)
        sent = max(1, round(record.width * scale)), max(1, round(record.height * scale))
        return BoxConvention(self._settings.coordinates, self._settings.order, sent)

    def _describe(self, view: _View) -> Structured[_Described]:
        words = (
            "Describe this picture in one to three sentences: who or what is in it, what they do, and where. List "
            "every person and object that you mention, each with a box around all that can be seen of it. "
            f"{view.convention.in_words()} Say how many people the picture shows, 0 where it shows none. {RULE} "
            '{"caption": "...", "people": 1, "items": [{"phrase": "the woman", "box": [...]}]}'
        )
        return ask_structured(self._chat, [ChatMessage("user", [words, view.pixels])], _Described)

    def _choose(self, described: _Described) -> Structured[_Chosen]:
        listed = "\n".join(f"{number}: {fenced(item.phrase)}" for number, item in enumerate(described.items))
        words = (
            "Below are a picture's caption and the numbered things that it mentions. Which one is the main subject, "
            f"the person (or else the thing) that the picture is about? {RULE} "
            '{"main_subject": "the woman", "item": 0}\n'
            f"Caption: {fenced(described.caption)}\nThings:\n{listed or 'none'}"
        )
        return ask_structured(self._chat, [ChatMessage("user", [words])], _Chosen)

    def _look(self, perception: Perception, subject: GroundedSubject, view: _View) -> Seen:
        """Ask for one attribute; a failure is a problem of the attribute, not of the picture."""
        assert subject.box is not None
        box = view.convention.of_pixels(subject.box, view.size_wh)
        where = f' and a "box" around just that, null where there is none. {view.convention.in_words()}'
        words = (
            f"{perception.probe.format(subject=fenced(subject.phrase))} Its box in the picture is {box}. Give "
            f'"answer" as {perception.reads} of at most twelve words, null where the picture shows no such thing'
            f"{where if perception.has_place else '.'} {RULE} "
            f"{_SHAPE_WITH_BOX if perception.has_place else _SHAPE}"
        )
        try:
            answered = ask_structured(self._chat, [ChatMessage("user", [words, view.pixels])], _Answered)
        except NotOfThatShape as error:
            return Seen(None, problem=error.reason, replies=error.replies)
        except RequestFailed as error:
            return Seen(None, problem=f"endpoint_{error.reason}", replies=(error.detail,))
        return _seen(perception, answered, view)


_SHAPE, _SHAPE_WITH_BOX = '{"answer": "..."}', '{"answer": "...", "box": [...]}'


def _subject(described: _Described, chosen: _Chosen, view: _View, replies: tuple[str, ...]) -> GroundedSubject:
    if not 0 <= chosen.item < len(described.items):
        raise NotGrounded("no_subject", f"the model names item {chosen.item} of {len(described.items)}", replies)
    item = described.items[chosen.item]
    try:
        return GroundedSubject(phrase=chosen.main_subject, box=view.convention.to_pixels(item.box, view.size_wh))
    except MisplacedBox as error:
        raise NotGrounded(error.reason, f"the main subject's box {error}", replies) from None


def _seen(perception: Perception, answered: Structured[_Answered], view: _View) -> Seen:
    answer, box = answered.value.answer, answered.value.box
    if answer is None:
        return Seen(None, problem="not_in_picture", replies=answered.replies)
    if not perception.has_place or box is None:
        return Seen(answer, replies=answered.replies)
    try:
        place = GroundedSubject(phrase=answer, box=view.convention.to_pixels(box, view.size_wh))
    except MisplacedBox as error:
        return Seen(answer, problem=error.reason, replies=answered.replies)
    return Seen(answer, place, replies=answered.replies)
