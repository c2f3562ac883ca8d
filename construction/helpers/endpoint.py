"""Boxes and points proposed during marking by a vision-language model behind any OpenAI-compatible endpoint."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from benchwright.errors import BenchwrightError, RequestFailed
from benchwright.models.endpoints.chat import Chat, ChatSettings
from benchwright.models.endpoints.chat_request import ChatMessage
from benchwright.models.endpoints.structured_replies import RULE, NotOfThatShape, ask_structured, fenced
from benchwright.regions import HelperPicture, HelperSettings, Proposed, Region, RegionHints, proposed_region
from benchwright.regions.coordinates import BoxConvention, BoxUnit, MisplacedBox
from benchwright.regions.helper import HelperInput, HelperLane
from benchwright.regions.region import MAX_LABEL, RegionShape

from .proposing import ProposedBy, region_of_box

_MOST_PLACES = 100
VERSION = "1"
_Numbers = Annotated[list[float], Field(max_length=8)]
_Name = Annotated[str, Field(max_length=MAX_LABEL)]


class EndpointHelperSettings(HelperSettings):
    """A model that states where an object is.

    Attributes:
        chat: The vision-language model and its request settings.
        coordinates: Unit of the model's coordinates: fractions (`unit`), thousandths (`thousand`) or `pixels` of the
            picture as sent.
        order: Order in which it writes the numbers of a box.
        phrases: Phrases to find if the annotator types none.
    """

    title: ClassVar[str] = "Ask a model"
    takes: ClassVar[tuple[HelperInput, ...]] = ("phrase", "nothing")
    gives: ClassVar[tuple[RegionShape, ...]] = ("box", "polygon", "point")
    lane: ClassVar[HelperLane] = "remote"

    chat: ChatSettings
    coordinates: BoxUnit = "unit"
    order: Literal["xyxy", "yxyx"] = "xyxy"
    phrases: tuple[str, ...] = Field((), max_length=50)

    def missing(self) -> str | None:
        """Return a message if a required key is not set, otherwise None."""
        try:
            Chat(self.chat, concurrency=1).close()
        except BenchwrightError as error:
            return str(error)
        return None

    def open(self) -> EndpointHelper:
        """Return a connection to the model."""
        return EndpointHelper(self)


class _Place(BaseModel):
    model_config = ConfigDict(extra="ignore")

    name: _Name = ""


class _Boxed(_Place):
    box: _Numbers


class _Pointed(_Place):
    point: _Numbers


class _Boxes(BaseModel):
    items: list[_Boxed] = Field(max_length=_MOST_PLACES)


class _PointsReply(BaseModel):
    items: list[_Pointed] = Field(max_length=_MOST_PLACES)


class EndpointHelper:
    """A connection to a model, which checks replies and omits locations outside the picture."""

    def __init__(self, settings: EndpointHelperSettings) -> None:
        self._settings = settings
        self._chat = Chat(settings.chat, concurrency=1)

    @property
    def made_with(self) -> Mapping[str, Any]:
        """Return the settings that determine the proposals, without the key."""
        settings = self._settings
        return {
            "by": "endpoint",
            "version": VERSION,
            "chat": settings.chat.deciding(),
            "coordinates": settings.coordinates,
            "order": settings.order,
            "phrases": list(settings.phrases),
        }

    def propose(self, picture: HelperPicture, hints: RegionHints) -> Proposed:
        """Return the regions that the model names.

        Raises:
            BenchwrightError: The model cannot be reached, or its reply is unusable; the message omits the endpoint's
                URL and key.
        """
        typed = hints.phrase.strip()
        phrases = [typed] if typed else list(self._settings.phrases)
        convention = self._convention(picture.size_wh)
        wants_points = hints.shape == "point"
        words = _question(phrases, convention, wants_points=wants_points)
        turns = [ChatMessage("user", [words, picture.pixels])]
        places: Sequence[_Boxed | _Pointed]
        try:
            if wants_points:
                places = ask_structured(self._chat, turns, _PointsReply).value.items
            else:
                places = ask_structured(self._chat, turns, _Boxes).value.items
        except NotOfThatShape as error:
            raise BenchwrightError(f"the model's reply cannot be used: {error.detail[:200]}") from None
        except RequestFailed as error:
            raise BenchwrightError(f"the model did not answer ({error.reason}: {error.detail[:200]})") from None
        by = ProposedBy("endpoint", VERSION, model=self._settings.chat.model[:300])
        regions = [self._region(place, hints, convention, picture.size_wh, by, typed) for place in places]
        usable = [region for region in regions if region is not None]
        if places and not usable:
            raise BenchwrightError("none of the locations that the model gives is in the picture")
        return Proposed(usable)

    def _region(
        self,
        place: _Boxed | _Pointed,
        hints: RegionHints,
        convention: BoxConvention,
        size_wh: tuple[int, int],
        by: ProposedBy,
        typed: str,
    ) -> Region | None:
        """Return a location as a region, or None if it lies outside the picture."""
        labelled = hints if typed or hints.label else hints.model_copy(update={"label": place.name.strip()})
        if isinstance(place, _Boxed):
            try:
                return region_of_box(convention.to_pixels(place.box, size_wh), labelled, by)
            except MisplacedBox:
                return None
        point = _point_in(place.point, convention, size_wh)
        return None if point is None else proposed_region("point", [point], label=labelled.label, **by._asdict())

    def _convention(self, size_wh: tuple[int, int]) -> BoxConvention:
        scale = min(1.0, self._settings.chat.max_side_px / max(size_wh))
        sent = max(1, round(size_wh[0] * scale)), max(1, round(size_wh[1] * scale))
        return BoxConvention(self._settings.coordinates, self._settings.order, sent)


def _point_in(
    numbers: Sequence[float], convention: BoxConvention, size_wh: tuple[int, int]
) -> tuple[float, float] | None:
    """Return a point in pixels of the picture; None if the numbers do not form one."""
    if len(numbers) != 2 or not all(map(math.isfinite, numbers)):
        return None
    across, down = numbers if convention.order == "xyxy" else (numbers[1], numbers[0])
    u, v = across / convention.scale[0], down / convention.scale[1]
    return (round(u * size_wh[0], 2), round(v * size_wh[1], 2)) if 0 <= u <= 1 and 0 <= v <= 1 else None


def _question(phrases: Sequence[str], convention: BoxConvention, *, wants_points: bool) -> str:
    what = "; ".join(map(fenced, phrases)) if phrases else "every person and object that stands out"
    if wants_points:
        names = "[x, y]" if convention.order == "xyxy" else "[y, x]"
        unit = convention.in_words().partition(" corner, ")[2]
        return (
            f"Find in this picture: {what}. Give for each that you can see a point in its middle. A point is {names}, "
            f'{unit} {RULE} {{"items": [{{"name": "cup", "point": [...]}}]}}; an empty list where there is none.'
        )
    return (
        f"Find in this picture: {what}. Give for each that you can see a box around all that can be seen of it. "
        f'{convention.in_words()} {RULE} {{"items": [{{"name": "cup", "box": [...]}}]}}; an empty list where there is '
        "none."
    )
