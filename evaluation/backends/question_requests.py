"""Requests that ask a model behind an endpoint, and adjustments learned from refused requests."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.canonical import digest
from benchwright.errors import BenchwrightError, RequestFailed
from benchwright.models.endpoints.chat_request import ChatMessage, ChatRequest
from benchwright.models.endpoints.vendors.apis import APIS, OPENAI_APIS
from benchwright.models.endpoints.vendors.failures import ModelAddress, finds_too_large
from benchwright.models.endpoints.vendors.picture_refusals import learned_limits

from ..prompting.prompts import message_of
from ..prompting.question import Question, QuestionImage
from .options import BackendOptions
from .picture_limits import PictureLimits
from .sent_pictures import SentPicture, SentPictures, store

if TYPE_CHECKING:
    from .reply_log import ReplyLog

logger = logging.getLogger(__name__)


class QuestionRequest(NamedTuple):
    """A request that asks a question, and its form in the log.

    Args:
        chat: Request in the form that the client sends.
        key: SHA-256 of address, model, words, decoding and the pictures' SHA-256: equal requests have equal keys.
        body: Body with each picture's address replaced by its SHA-256.
        pictures: Pictures in the request, in order.
        draw: Number of the sample; requests for different samples are never merged, even if they are equal.
        images: Pictures of the question from which `pictures` were made.
    """

    chat: ChatRequest
    key: str
    body: Mapping[str, Any]
    pictures: tuple[SentPicture, ...]
    draw: int = 1
    images: tuple[QuestionImage, ...] = ()


class QuestionRequests:
    """The contents of requests to a model in the form that it is known to accept: words, fields and pictures.

    Args:
        name: Name of the model in results.
        address: Base URL and API of the model.
        options: Options of the model.

    Attributes:
        parameters: Fields of requests, excluding those that the model refused.
        pictures: Pictures as sent, within the limits known so far.
    """

    def __init__(self, name: str, address: ModelAddress, options: BackendOptions) -> None:
        self._name, self._address, self._options = name, address, options
        self._url = address.base_url
        self._image_urls = None if options.image_urls is None else options.image_urls.rstrip("/")
        self.parameters = options.parameters(address.model, self._url, address.api)
        facts = APIS[address.api]
        is_hosted = self._url == facts.base_url  # by the vendor itself, who states which pictures it accepts
        self._reads_webp = is_hosted
        known = PictureLimits(facts.max_side_px, facts.max_bytes) if is_hosted else PictureLimits()
        self._limits = PictureLimits.of(options).within(known)
        self.pictures = SentPictures(self._limits, reads_webp=is_hosted)
        self._learning = threading.Lock()

    def know(self, log: ReplyLog) -> None:
        """Load what earlier runs learned about the model."""
        self.parameters.know(log.refused(self._url))
        learned = log.picture_limits(self._url)
        self.pictures.limits = self._limits.within(
            PictureLimits(learned.get("max_picture_side"), learned.get("max_picture_bytes"))
        )

    @property
    def settings(self) -> Mapping[str, Any]:
        """The base URL, the fields as sent, the number of tries per item and the picture format.

        `fields` contains the fields that the user added, `omit` those to leave out, and `refused` those that the model
        refused, each with its substitute. `picture_limits_learned` are limits inferred from refused pictures.
        """
        options, sent = self._options, self.parameters.sent
        more = {
            "fields": {name: value for name, value in sent.items() if name in options.fields},
            "omit": sorted(options.omit),
            "refused": self.parameters.refused,
            "picture_limits_learned": {} if self.pictures.limits == self._limits else self.pictures.limits.settings(),
        }
        return {
            "base_url": self._url,
            **{name: value for name, value in sent.items() if name not in options.fields},
            "retries": options.retries,
            "tries": options.tries,
            "pictures": "inline" if self._image_urls is None else "by URL",
            **({"stream": True} if self.parameters.stream_fields else {}),
            **self._limits.settings(),
            **self._shaping(),
            **{name: value for name, value in more.items() if value},
        }

    @property
    def identity(self) -> Mapping[str, Any]:
        """The settings that can change a reply: the base URL and all requested fields, None for omitted ones."""
        left_out = dict.fromkeys(self._options.omit)
        settings = {**self.parameters.asked, **self._limits.settings(), **self._shaping()}
        return {"base_url": self._url, **left_out, **settings}

    def _shaping(self) -> dict[str, Any]:
        """Return the given options that shape requests without being request fields."""
        detail = self._options.image_detail if self._address.api in OPENAI_APIS else None  # otherwise it is a field
        given = {"system": self._options.system, "image_detail": detail}
        return {name: value for name, value in given.items() if value is not None}

    def of(self, question: Question) -> QuestionRequest:
        """Return a question's request, including pictures.

        Raises:
            BenchwrightError: A picture cannot be prepared.
        """
        message = message_of(question)
        parts = [self.pictures.of(part) if isinstance(part, QuestionImage) else part for part in message]
        content = [part.in_request(self._image_urls) if isinstance(part, SentPicture) else part for part in parts]
        system = [] if self._options.system is None else [ChatMessage("system", [self._options.system])]
        chat = ChatRequest(
            self._address.model,
            [*system, ChatMessage("user", content)],
            self._fields_of(question.draw),
            api=self._address.api,
            detail=self._options.image_detail if self._address.api in OPENAI_APIS else None,
        )
        images = tuple(part for part in message if isinstance(part, QuestionImage))
        pictures = tuple(part for part in parts if isinstance(part, SentPicture))
        return self._keyed(chat, pictures, draw=question.draw, images=images)

    def _fields_of(self, draw: int) -> dict[str, Any]:
        """Return the fields of a sample's request, with the seed of that sample if the model accepts one."""
        sent = self.parameters.sent
        if self._options.samples > 1 and type(sent.get("seed")) is int:
            sent["seed"] += draw - 1
        return sent

    def with_other_fields(self, request: QuestionRequest) -> QuestionRequest:
        """Return a request rebuilt with the fields that the model is now known to accept."""
        chat = request.chat.with_parameters(self._fields_of(request.draw))
        return self._keyed(chat, request.pictures, draw=request.draw, images=request.images)

    def with_smaller_pictures(self, request: QuestionRequest, failure: RequestFailed) -> QuestionRequest | None:
        """Return a request rebuilt with pictures that the endpoint may accept; None if the request failed for another
        reason.

        The limit applies for the rest of the run.
        """
        pictures = request.pictures
        if not pictures or not finds_too_large(failure.status, failure.detail):
            return None
        with self._learning:  # requests that are refused simultaneously learn one limit
            limits = self.pictures.limits
            if not any(limits.exceeded_by(each.width, each.height, each.size_bytes) for each in pictures):
                side_px = max(max(each.width, each.height) for each in pictures)
                learned = learned_limits(failure.detail, side_px, max(each.size_bytes for each in pictures))
                if learned is None:
                    return None
                self.pictures.limits = limits = limits.within(PictureLimits(*learned))
                logger.warning(
                    "%s rejects a picture as too large (%s); the run now shrinks pictures to %s",
                    self._name, failure.detail, limits.settings(),
                )  # fmt: skip
            try:
                # Recreate them from the question, so that a run that continues from here makes identical pictures.
                anew = SentPictures(limits, reads_webp=self._reads_webp)
                smaller = tuple(anew.of(image) for image in request.images)
            except BenchwrightError:
                return None
        chat = request.chat.with_pictures([picture.in_request(self._image_urls) for picture in smaller])
        again = self._keyed(chat, smaller, draw=request.draw, images=request.images)
        self.store_pictures(again)
        return again

    def store_pictures(self, request: QuestionRequest) -> None:
        """Store a request's pictures in the folder from which the endpoint fetches them, if it fetches pictures."""
        if self._options.image_folder is not None:
            for picture in request.pictures:
                store(picture, self._options.image_folder)

    def _keyed(
        self, chat: ChatRequest, pictures: tuple[SentPicture, ...], *, draw: int, images: tuple[QuestionImage, ...]
    ) -> QuestionRequest:
        body = chat.logged()
        of_draw = {"draw": draw} if draw > 1 else {}
        key = digest({"base_url": self._url, "by_url": self._image_urls is not None, "body": body, **of_draw})
        return QuestionRequest(chat, key, body, pictures, draw, images)


def with_advice(failure: RequestFailed, pictures: Sequence[SentPicture]) -> RequestFailed:
    """Return a failure, with advice on options that shrink pictures if the endpoint found the request too large."""
    if not pictures or not finds_too_large(failure.status, failure.detail):
        return failure
    largest = max(pictures, key=lambda picture: picture.size_bytes)
    advice = (
        f"{failure.detail}; its largest picture has {largest.width} x {largest.height} pixels and "
        f"{largest.size_bytes:,} bytes: --max-picture-side and --max-picture-bytes (in a recipe max_picture_side, "
        "max_picture_bytes) shrink pictures"
    )
    return RequestFailed(failure.reason, advice, sent=failure.sent, status=failure.status)
