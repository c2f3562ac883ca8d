"""Questions of steps to models behind endpoints: settings, and a connection.

A request holds text and pictures, the result is the reply's text. Requests go through the client that scoring uses as
well (`client.py`), with its limits, pace, repetitions and budgets. A reply that the workspace keeps (`reply_store.py`)
takes no request. What cannot be answered is of two kinds: one request failed
(`RequestFailed`: a step records it and continues), or no request to the endpoint can succeed (`PrerequisiteError`: the
run ends and says what to fix).
"""

from __future__ import annotations

import base64
import io
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from benchwright.canonical import bytes_digest
from benchwright.errors import PrerequisiteError, RequestFailed

from .chat_request import ChatMessage, ChatRequest, RequestPicture
from .endpoint_settings import EndpointSettings, model_address
from .kept_connection import KeptConnection
from .usage import TOKENS_PER_PICTURE, Prices, RequestPlan, Tokens
from .vendors.apis import OPENAI_APIS, Detail, Effort, parameters_for
from .vendors.failures import RequestAdapted, finds_too_large
from .vendors.picture_refusals import learned_limits
from .vendors.request_bodies import Api
from .vendors.request_fields import RequestParameters

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .client import SentReply
    from .completions import Completion
    from .reply_store import ReplyStore

logger = logging.getLogger(__name__)

_DECIDES = {"model", "base_url", "temperature", "seed", "max_tokens", "structured", "picture", "max_side_px"}
_DECIDES_WHERE_GIVEN = {"api", "image_detail", "reasoning_effort", "reasoning_tokens"}


class ChatSettings(EndpointSettings):
    """Which model is asked and how, as a recipe gives it.

    Args:
        model: Model as the endpoint calls it.
        api: API in which it is asked: `chat` completions, OpenAI's `responses`, `anthropic` or `gemini`.
        base_url: Base URL, such as `http://127.0.0.1:8000/v1`; the vendor's hosted service where None.
        api_key_env: Environment variable with the key; a server of one's own may need none. `OPENAI_API_KEY` stands for
            the usual one of the API.
        headers: Further headers of requests, such as `X-Token: ENV:TEAM_TOKEN`; their values are kept nowhere.
        temperature: 0 for the likeliest reply.
        seed: Sent along where the server takes one; None sends none.
        max_tokens: Most tokens of a reply, thoughts included.
        structured: How a server that can is held to a reply in JSON; replies are checked all the same.
        picture: Format in which pictures are sent: `png` as they are, `jpeg` smaller.
        max_side_px: Larger pictures are shrunk before they are sent, and to less where the endpoint refuses them.
        image_detail: Detail in which pictures are seen, for OpenAI and Gemini; None says none.
        reasoning_effort: Effort of a reasoning model; None says none.
        reasoning_tokens: Most tokens of thoughts, for Anthropic and Gemini; None says none.
        timeout_s: For one try as a whole, to the reply's last byte.
        retries: Number of times that a request is sent again after a failure that may pass.
        price_in: Price of a million tokens sent, in any currency; give both prices.
        price_out: Price of a million tokens received, in the same currency.
        budget: End the run before the model has cost more than this in the workspace, all runs together; needs both
            prices.
        budget_tokens: End the run before the model has taken more tokens than this in the workspace, sent and received
            in all runs together.
        budget_requests: End the run before the model has been sent more requests than this in the workspace,
            repetitions included, in all runs together.
        fields: Further fields of requests, such as `reasoning_effort: low`.
        omit: Fields of requests to be left out, such as `temperature`.
    """

    api: Api = "chat"
    temperature: float = Field(0.0, ge=0, le=2)
    seed: int | None = Field(None, ge=0, lt=1 << 31)
    max_tokens: int = Field(1024, ge=1, le=32_768)
    structured: Literal["none", "json_object", "json_schema"] = "none"
    picture: Literal["png", "jpeg"] = "png"
    max_side_px: int = Field(1024, ge=16, le=8192)
    image_detail: Detail | None = None
    reasoning_effort: Effort | None = None
    reasoning_tokens: int | None = Field(None, ge=0)

    def deciding(self) -> dict[str, Any]:
        """Return the settings that decide replies, as JSON values: without key, timeout, retries and budgets."""
        lists = {"fields": self.fields, "omit": sorted(self.omit)}
        rarer = self.model_dump(mode="json", include=_DECIDES_WHERE_GIVEN, exclude_defaults=True)
        sent = {name: value for name, value in lists.items() if value} | rarer
        return self.model_dump(mode="json", include=_DECIDES) | sent

    def parameters(self) -> RequestParameters:
        """Return the fields of requests besides model and messages, without a reply's schema."""
        own: dict[str, Any] = {"temperature": self.temperature, "max_tokens": self.max_tokens}
        if self.seed is not None:
            own["seed"] = self.seed
        return parameters_for(
            self.api,
            self.model,
            self.where,
            own,
            stated=self.model_fields_set & own.keys(),
            fields=self.fields,
            omit=self.omit,
            effort=self.reasoning_effort,
            reasoning_tokens=self.reasoning_tokens,
            detail=self.image_detail,
        )

    def plan(self, purpose: str, records: int, *, requests: int, pictures: int, words: int) -> RequestPlan:
        """Return what so many records would cost at most.

        Args:
            purpose: What the model is asked for, in a few words.
            records: Number of images or items.
            requests: Requests for one of them, repairs included.
            pictures: Pictures that are sent for one of them.
            words: Tokens of text that are sent for one of them, about.
        """
        sent = records * (words + pictures * TOKENS_PER_PICTURE)
        tokens = Tokens(sent, records * requests * self.max_tokens)
        prices = Prices.of(self.price_in, self.price_out)
        return RequestPlan(self.model, purpose, records * requests, records * pictures, tokens, prices)


class Chat:
    """A connection to a model; several threads may use it at once.

    Args:
        settings: Which model is asked and how.
        concurrency: Requests under way at a time, at most; fewer while the endpoint answers 429.
        replies: Replies that the workspace keeps, such as `OpenContext.replies`; None keeps none, and counts a budget
            for this connection alone.

    Raises:
        PrerequisiteError: The environment variable for the key is not set where one is needed.
    """

    def __init__(self, settings: ChatSettings, *, concurrency: int = 8, replies: ReplyStore | None = None) -> None:
        self.settings = settings
        self._parameters = settings.parameters()
        self._max_side_px = settings.max_side_px
        self._learning = threading.Lock()
        address = model_address(settings, settings.api)
        self._connection = KeptConnection(settings, address, self._parameters, concurrency=concurrency, replies=replies)

    def ask(self, *parts: str | NDArray[np.uint8], schema: Mapping[str, Any] | None = None) -> str:
        """Return the reply to one message of text and pictures."""
        return self.converse([ChatMessage("user", parts)], schema=schema)

    def converse(self, turns: Sequence[ChatMessage], *, schema: Mapping[str, Any] | None = None) -> str:
        """Return the reply to a conversation, without white space at its ends.

        Args:
            turns: Messages in order; the model answers the last one.
            schema: JSON schema of the reply, for servers that enforce it (`structured`).

        Raises:
            RequestFailed: This request failed: `timeout`, `connection`, `refused`, `busy` or `unusable_reply`.
            PrerequisiteError: No request can succeed: nobody listens, the key or the model is wrong, funds are spent.
            BudgetSpent: The budget does not allow the request; all that was under way has been kept.
        """
        # Pictures are encoded here, in the caller's thread, because all callers share the client's loop.
        made = partial(self._request, turns, schema)
        request = made(self.settings.max_side_px)
        unadapted = request.with_parameters(self._parameters.asked)  # whatever the model has refused by now
        return _text_of(self._connection.completion(unadapted.logged(), lambda: self._answer(request, made)))

    def _request(self, turns: Sequence[ChatMessage], schema: Mapping[str, Any] | None, max_side_px: int) -> ChatRequest:
        settings = self.settings
        messages = [
            ChatMessage(turn.role, [_sendable(part, settings, max_side_px) for part in turn.parts]) for turn in turns
        ]
        detail = settings.image_detail if settings.api in OPENAI_APIS else None  # else it is a field
        form = self._response_format(schema)
        return ChatRequest(settings.model, messages, self._parameters.sent, form, settings.api, detail)

    def _answer(self, request: ChatRequest, made: Callable[[int], ChatRequest]) -> SentReply:
        """Return the model's reply; `made` is the function from the longest side of pictures to the request."""
        client = self._connection.client
        side_px = self.settings.max_side_px
        if request.pictures and side_px != self._max_side_px:
            side_px = self._max_side_px
            request = made(side_px)
        while True:
            try:
                return client.loop.run(client.ask(request))
            except RequestAdapted:
                request = request.with_parameters(self._parameters.sent)
            except RequestFailed as failure:
                if failure.status == 403:
                    raise PrerequisiteError(
                        f"{client.address.name} refuses the key in {client.address.key_variable} "
                        f"({failure.detail}); set the right one"
                    ) from None
                if not request.pictures or not finds_too_large(failure.status, failure.detail):
                    raise
                smaller = self._smaller_side(side_px, failure.detail)
                if smaller is not None:
                    side_px, request = smaller, made(smaller)
                    continue
                advice = f"lower max_side_px ({self.settings.max_side_px} now), or send pictures as `picture: jpeg`"
                raise RequestFailed(
                    failure.reason, f"{failure.detail}; {advice}", sent=failure.sent, status=failure.status
                ) from None

    def _smaller_side(self, side_px: int, words: str) -> int | None:
        """Return the longest side of pictures from now on, after one of at most `side_px` was refused as too large."""
        with self._learning:  # requests that are refused at the same time learn one limit
            if self._max_side_px < side_px:
                return self._max_side_px
            limits = learned_limits(words, side_px, 0)
            if limits is None or limits.max_side_px is None:
                return None
            self._max_side_px = limits.max_side_px
            logger.warning(
                "%s finds a picture too large (%s); from now on pictures are shrunk to %d pixels",
                self.settings.model, words, self._max_side_px,
            )  # fmt: skip
            return self._max_side_px

    def close(self) -> None:
        """Close all connections."""
        self._connection.close()

    def _response_format(self, schema: Mapping[str, Any] | None) -> dict[str, Any] | None:
        settings = self.settings
        decided = "response_format" in settings.omit or "response_format" in settings.fields
        if settings.structured == "none" or schema is None or decided:
            return None
        if settings.structured == "json_object":
            return {"type": "json_object"}
        return {"type": "json_schema", "json_schema": {"name": "reply", "schema": dict(schema)}}


def _text_of(completion: Completion) -> str:
    """Return the text of a reply, without lone surrogates, which no table can hold.

    Raises:
        RequestFailed: It holds none, or a filter stopped it.
    """
    if completion.kind == "filtered":
        raise RequestFailed("refused", completion.cause or "a content filter stopped it")
    text = completion.text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").strip()
    if text:
        return text
    raise RequestFailed("unusable_reply", completion.cause or "the reply holds no text")


def _sendable(
    part: str | RequestPicture | NDArray[np.uint8], settings: ChatSettings, max_side_px: int
) -> str | RequestPicture:
    if isinstance(part, str | RequestPicture):
        return part
    data = _encoded_picture(part, settings, max_side_px)
    url = f"data:image/{settings.picture};base64,".encode() + base64.b64encode(data)
    return RequestPicture(bytes_digest(data), lambda: url)


def _encoded_picture(pixels: NDArray[np.uint8], settings: ChatSettings, max_side_px: int) -> bytes:
    """Return (height, width, 3) RGB pixels as a file, shrunk and encoded as the settings say."""
    from PIL import Image

    image = Image.fromarray(pixels)
    longest = max(image.size)
    if longest > max_side_px:
        width, height = (max(1, round(side * max_side_px / longest)) for side in image.size)
        image = image.resize((width, height), Image.Resampling.BOX)
    handle = io.BytesIO()
    if settings.picture == "jpeg":
        image.save(handle, "JPEG", quality=92)
    else:
        image.save(handle, "PNG", optimize=False, compress_level=3)
    return handle.getvalue()
