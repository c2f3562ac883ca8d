"""A connection from steps to models at endpoints, and its settings.

A request contains text and pictures, and the result is the text of the reply. Requests go through the client that
scoring also uses (`client.py`), with its limits, pace, retries and budgets. A reply kept in the workspace
(`reply_store.py`) needs no request. Failures are of two kinds: one request failed (`RequestFailed`: a step records it
and continues), or no request to the endpoint can succeed (`PrerequisiteError`: the run ends and names the remedy).
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
    """The model to ask and its request settings, from a recipe.

    Args:
        model: Name of the model at the endpoint.
        api: API of the requests: `chat` completions, OpenAI's `responses`, `anthropic` or `gemini`.
        base_url: Base URL, such as `http://127.0.0.1:8000/v1`; None for the vendor's hosted service.
        api_key_env: Environment variable with the key; your own server may need none. `OPENAI_API_KEY` means the API's
            usual variable.
        headers: Further headers of requests, such as `X-Token: ENV:TEAM_TOKEN`; their values are never stored.
        temperature: 0 for the likeliest reply.
        seed: Seed to send if the server accepts one; None sends none.
        max_tokens: Largest number of tokens in a reply, including thoughts.
        structured: Method by which a server enforces a JSON reply, if it can; replies are always checked.
        picture: Format in which pictures are sent: `png` as they are, `jpeg` smaller.
        max_side_px: Larger pictures are shrunk to this longest side before sending, or further if the endpoint refuses
            them.
        image_detail: Detail in which the model sees pictures, for OpenAI and Gemini; None leaves it unset.
        reasoning_effort: Effort of a reasoning model; None leaves it unset.
        reasoning_tokens: Largest number of thought tokens, for Anthropic and Gemini; None leaves it unset.
        timeout_s: Time limit in seconds for one whole try, to the reply's last byte.
        retries: Number of retries after transient failures.
        price_in: Price of a million tokens sent, in any currency; give both prices.
        price_out: Price of a million tokens received, in the same currency.
        budget: Limit on the model's total cost in the workspace over all runs; the run stops before exceeding it. Needs
            both prices.
        budget_tokens: Limit on the model's tokens in the workspace, sent and received over all runs, before which the
            run ends.
        budget_requests: Limit on requests to the model in the workspace, including retries, over all runs, before which
            the run ends.
        fields: Further fields of requests, such as `reasoning_effort: low`.
        omit: Fields to leave out of requests, such as `temperature`.
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
        """Return the settings that affect replies, as JSON values, without key, timeout, retries and budgets."""
        lists = {"fields": self.fields, "omit": sorted(self.omit)}
        rarer = self.model_dump(mode="json", include=_DECIDES_WHERE_GIVEN, exclude_defaults=True)
        sent = {name: value for name, value in lists.items() if value} | rarer
        return self.model_dump(mode="json", include=_DECIDES) | sent

    def parameters(self) -> RequestParameters:
        """Return the fields of requests besides model and messages, without the schema of a reply."""
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
        """Return the planned requests for a number of records and their maximum cost.

        Args:
            purpose: Purpose of the requests, in a few words.
            records: Number of images or items.
            requests: Number of requests per record, including repairs.
            pictures: Number of pictures sent per record.
            words: Approximate number of text tokens sent per record.
        """
        sent = records * (words + pictures * TOKENS_PER_PICTURE)
        tokens = Tokens(sent, records * requests * self.max_tokens)
        prices = Prices.of(self.price_in, self.price_out)
        return RequestPlan(self.model, purpose, records * requests, records * pictures, tokens, prices)


class Chat:
    """A connection to a model; several threads may use it at once.

    Args:
        settings: The model and its request settings.
        concurrency: Largest number of simultaneous requests; fewer while the endpoint answers 429.
        replies: Store of replies in the workspace, such as `OpenContext.replies`; if None, replies are not kept, and a
            budget applies to this connection alone.

    Raises:
        PrerequisiteError: The environment variable for a required key is not set.
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
        """Return the reply to a conversation, with white space at its ends removed.

        Args:
            turns: Messages in order; the model answers the last one.
            schema: JSON schema of the reply, for servers that enforce it (`structured`).

        Raises:
            RequestFailed: This request failed: `timeout`, `connection`, `refused`, `busy` or `unusable_reply`.
            PrerequisiteError: No request can succeed: no server listens, the key or the model is wrong, or the account
                is empty.
            BudgetSpent: The budget does not cover the request; replies in progress have been kept.
        """
        # The caller's thread encodes pictures, because all callers share the client's loop.
        made = partial(self._request, turns, schema)
        request = made(self.settings.max_side_px)
        unadapted = request.with_parameters(self._parameters.asked)  # ignores the model's refusals so far
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
        """Return the model's reply; `made` returns the request for a given longest side of pictures."""
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
                        f"({failure.detail}); correct it"
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
        """Return the new limit on the longest side of pictures after a picture of at most `side_px` was refused."""
        with self._learning:  # simultaneous refusals teach one limit
            if self._max_side_px < side_px:
                return self._max_side_px
            limits = learned_limits(words, side_px, 0)
            if limits is None or limits.max_side_px is None:
                return None
            self._max_side_px = limits.max_side_px
            logger.warning(
                "%s refuses a picture as too large (%s); pictures are now shrunk to %d pixels",
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
    """Return the text of a reply, without lone surrogates, which no table can store.

    Raises:
        RequestFailed: The reply has no text, or a filter stopped it.
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
    """Return (height, width, 3) RGB pixels as a file, shrunk and encoded according to the settings."""
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
