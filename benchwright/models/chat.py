"""A client for models behind endpoints with the OpenAI chat protocol, for steps that ask one question at a time.

A request holds text and pictures, the result is the reply's text. The `openai` package repeats requests after
temporary failures. Other failures are of two kinds: one request failed (`RequestFailed`: a step records it and
continues), or no request to the endpoint can succeed (`PrerequisiteError`: the run ends and says what to fix). The
scoring of models uses its own, faster clients (`evaluation/backends/`), with a log and a budget.

Each try has a time limit as a whole, whatever the server sends and however slowly. An HTTP client's own timeout covers
a single read: a server that occasionally sends a byte, of its headers or of the reply, would never exceed it. Only a
task of an event loop can be cancelled at any moment, so requests run in one.
"""

from __future__ import annotations

import base64
import io
import json
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from urllib.parse import urlsplit

from pydantic import Field, field_validator

from benchwright.errors import PrerequisiteError, RequestFailed
from benchwright.models.request_fields import RequestFields, RequestParameters

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
import asyncio
import threading
from collections.abc import Coroutine
from typing import TypeVar

import httpx2

T = TypeVar("T")


class BoundedClient(httpx2.AsyncClient):
    """An HTTP client with limits on the time of a whole request and on the bytes of the reply.

    Args:
        whole_s: Seconds for the whole call, from the name look-up to the last byte.
        max_bytes: Largest decompressed size of the reply; of a larger one, one byte more than this is returned, and
            the rest is not read.
    """

    def __init__(self, *, whole_s: float, max_bytes: int) -> None:
        # Redirects are not followed: the key must not be sent to an address that the user did not name.
        super().__init__(timeout=whole_s, follow_redirects=False)
        self._whole_s = whole_s
        self._max_bytes = max_bytes

    async def send(self, request: httpx2.Request, **settings: Any) -> httpx2.Response:
        """Send a request and return the response with its body.

        Raises:
            httpx2.ReadTimeout: The request did not end in time.
        """
        settings["stream"] = True
        try:
            async with asyncio.timeout(self._whole_s):
                response = await super().send(request, **settings)
                try:
                    data = await self._body(response)
                finally:
                    await response.aclose()
        except TimeoutError:
            raise httpx2.ReadTimeout(f"not ended within {self._whole_s:g} s", request=request) from None
        kept = [(name, value) for name, value in response.headers.multi_items() if name not in _OF_THE_TRANSFER]
        return httpx2.Response(response.status_code, headers=kept, content=data, request=request)

    async def _body(self, response: httpx2.Response) -> bytes:
        data = bytearray()
        async for piece in response.aiter_bytes():
            data += piece
            if len(data) > self._max_bytes:
                break
        return bytes(data[: self._max_bytes + 1])


_OF_THE_TRANSFER = frozenset({"content-encoding", "content-length", "transfer-encoding"})


class LoopThread:
    """An event loop in a thread of its own, for callers without one; several threads may use it at once."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="chat", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Return the result of a coroutine; it is cancelled if the caller is interrupted."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def close(self) -> None:
        """Stop the loop."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


MAX_REPLY_BYTES = 2 << 20
_DECIDES = {"model", "base_url", "temperature", "seed", "max_tokens", "structured", "picture", "max_side_px"}
_HOSTED = "the hosted service"


class ChatSettings(RequestFields):
    """Which model is asked and how, as a recipe gives it.

    Args:
        model: Model as the endpoint calls it.
        base_url: Base URL, such as `http://127.0.0.1:8000/v1`; the hosted service where None.
        api_key_env: Environment variable with the key; a server of one's own may need none.
        temperature: 0 for the likeliest reply.
        seed: Sent along where the server takes one; None sends none.
        max_tokens: Most tokens of a reply, thoughts included.
        structured: How a server that can is held to a reply in JSON; replies are checked all the same.
        picture: Format in which pictures are sent: `png` as they are, `jpeg` smaller.
        max_side_px: Larger pictures are shrunk before they are sent.
        timeout_s: For one try as a whole, to the reply's last byte.
        retries: Number of times that a request is sent again after a failure that may pass.
        fields: Further fields of requests, such as `reasoning_effort: low`.
        omit: Fields of requests to be left out, such as `temperature`.
    """

    model: str = Field(min_length=1, max_length=500)
    base_url: str | None = None
    api_key_env: str = Field("OPENAI_API_KEY", pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    temperature: float = Field(0.0, ge=0, le=2)
    seed: int | None = Field(None, ge=0, lt=1 << 31)
    max_tokens: int = Field(1024, ge=1, le=32_768)
    structured: Literal["none", "json_object", "json_schema"] = "none"
    picture: Literal["png", "jpeg"] = "png"
    max_side_px: int = Field(1024, ge=16, le=8192)
    timeout_s: float = Field(120.0, gt=0, le=3600)
    retries: int = Field(2, ge=0, le=20)

    @field_validator("base_url")
    @classmethod
    def _address(cls, value: str | None) -> str | None:
        url = urlsplit(value or "https://host")
        if url.scheme not in {"http", "https"} or not url.hostname or "@" in url.netloc or url.query:
            raise ValueError(
                "give an address such as http://127.0.0.1:8000/v1, without a user name, a password or a query; the "
                "key belongs into the environment variable that api_key_env names"
            )
        return value and value.rstrip("/")

    def deciding(self) -> dict[str, Any]:
        """Return the settings that decide replies, as JSON values: without key, timeout and retries."""
        sent = {name: value for name, value in {"fields": self.fields, "omit": sorted(self.omit)}.items() if value}
        return self.model_dump(mode="json", include=_DECIDES) | sent

    def parameters(self) -> RequestParameters:
        """Return the fields of requests besides model and messages, without a reply's schema."""
        own: dict[str, Any] = {"temperature": self.temperature, "max_tokens": self.max_tokens}
        if self.seed is not None:
            own["seed"] = self.seed
        where = self.base_url or _HOSTED
        return RequestParameters(
            self.model, where, own, stated=self.model_fields_set, fields=self.fields, omit=self.omit
        )


class ChatMessage(NamedTuple):
    """One message of a conversation: its role, and its text and pictures ((height, width, 3) RGB) in order."""

    role: Literal["system", "user", "assistant"]
    parts: Sequence[str | NDArray[np.uint8]]


class Chat:
    """A connection to a model; several threads may use it at once.

    Raises:
        PrerequisiteError: The environment variable for the key is not set where one is needed.
    """

    def __init__(self, settings: ChatSettings) -> None:
        from openai import AsyncOpenAI

        self._key = os.environ.get(settings.api_key_env, "").strip()
        own_variable = settings.api_key_env != ChatSettings.model_fields["api_key_env"].default
        if not self._key and (settings.base_url is None or own_variable):
            raise PrerequisiteError(
                f"model {settings.model!r} needs a key in the environment variable {settings.api_key_env}, which is "
                "not set; set it, name another as api_key_env, or name a server of your own as base_url"
            )
        self.settings = settings
        self._parameters = settings.parameters()
        self._loop = LoopThread()
        self._client = AsyncOpenAI(
            api_key=self._key or "none",
            base_url=settings.base_url or "https://api.openai.com/v1",
            timeout=settings.timeout_s,
            max_retries=settings.retries,
            http_client=BoundedClient(whole_s=settings.timeout_s, max_bytes=MAX_REPLY_BYTES),
        )

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
        """
        import httpx2
        import openai

        parameters = self._parameters.sent
        try:
            reply = self._without_key(_text_of(self._sent(turns, schema, parameters))).strip()
            self._parameters.settle()
            return reply
        except (openai.APITimeoutError, httpx2.TimeoutException):
            raise RequestFailed("timeout", f"no reply within {self.settings.timeout_s:g} s") from None
        except openai.APIConnectionError as error:
            raise self._unconnected(error.__cause__ or error) from None
        except httpx2.HTTPError as error:
            raise RequestFailed("connection", self._clean(str(error) or type(error).__name__)) from None
        except openai.APIStatusError as error:
            if error.status_code not in {400, 422} or not self._adapts(error, parameters):
                raise self._refused(error) from None
        except ValueError as error:
            raise RequestFailed("unusable_reply", self._clean(str(error))) from None
        return self.converse(turns, schema=schema)

    def close(self) -> None:
        """Close all connections."""
        self._loop.run(self._client.close())
        self._loop.close()

    def _adapts(self, error: Any, parameters: Mapping[str, Any]) -> bool:
        """Return whether a refused request may succeed with other fields, which are then used from now on."""
        words = self._clean(f"HTTP {error.status_code}: {error.message}")
        return self._parameters.adapt(parameters, words, error.body)

    def _sent(
        self, turns: Sequence[ChatMessage], schema: Mapping[str, Any] | None, parameters: Mapping[str, Any]
    ) -> bytes:
        """Send a conversation and return the response's body.

        Raises:
            ValueError: The body is too large.
        """
        settings = self.settings
        body = dict(parameters)
        if settings.structured != "none" and schema is not None:
            named = {"json_schema": {"name": "reply", "schema": dict(schema)}}
            of_type = {"type": settings.structured, **(named if settings.structured == "json_schema" else {})}
            if "response_format" not in settings.omit:
                body.setdefault("response_format", of_type)
        # Pictures are encoded here, in the caller's thread, because all callers share the loop.
        messages: Any = [{"role": turn.role, "content": self._content(turn)} for turn in turns]
        data = self._loop.run(self._posted(messages, body))
        if len(data) > MAX_REPLY_BYTES:
            raise ValueError(f"more than {MAX_REPLY_BYTES:,} bytes")
        return data

    async def _posted(self, messages: Any, body: dict[str, Any]) -> bytes:
        response = await self._client.chat.completions.with_raw_response.create(
            model=self.settings.model, messages=messages, extra_body=body
        )
        return response.content

    def _content(self, turn: ChatMessage) -> str | list[dict[str, Any]]:
        if turn.role != "user":
            return "".join(part for part in turn.parts if isinstance(part, str))
        return [
            {"type": "text", "text": part}
            if isinstance(part, str)
            else {"type": "image_url", "image_url": {"url": picture_url(part, self.settings)}}
            for part in turn.parts
        ]

    def _unconnected(self, cause: BaseException) -> RequestFailed | PrerequisiteError:
        import httpx2

        words = self._clean(str(cause) or type(cause).__name__)
        if not isinstance(cause, httpx2.ConnectError):
            return RequestFailed("connection", words)
        where = self.settings.base_url or _HOSTED
        return PrerequisiteError(f"no server listens at {where} ({words}); start it or correct base_url")

    def _refused(self, error: Any) -> RequestFailed | PrerequisiteError:
        """Return the error for an HTTP status: of this request, or of all requests."""
        status, where = error.status_code, self.settings.base_url or _HOSTED
        cause = f"HTTP {status}: {self._clean(str(error.message))}"
        if status in {401, 403}:
            return PrerequisiteError(
                f"{where} refuses the key in {self.settings.api_key_env} ({cause}); set the right one"
            )
        if status == 404:
            return PrerequisiteError(
                f"{where} knows no model {self.settings.model!r} or is no such endpoint ({cause}); correct model or "
                "base_url"
            )
        if 300 <= status < 400:
            return PrerequisiteError(f"{where} sends requests on to another address ({cause}); name that as base_url")
        if status == 429 and isinstance(error.body, dict) and error.body.get("code") == "insufficient_quota":
            return PrerequisiteError(f"the account at {where} has nothing left ({cause}); fill it and run again")
        return RequestFailed("busy" if status == 429 or status >= 500 else "refused", cause)

    def _clean(self, words: str) -> str:
        """Return a server's message for a record: one line, short, without the key."""
        return " ".join(self._without_key(words).split())[:300]

    def _without_key(self, text: str) -> str:
        """Return a server's message without the key, and without lone surrogates, which no table can hold."""
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return whole.replace(self._key, "[key]") if self._key else whole


def picture_url(pixels: NDArray[np.uint8], settings: ChatSettings) -> str:
    """Return (height, width, 3) RGB pixels as a data URL, shrunk and encoded as the settings say."""
    from PIL import Image

    image = Image.fromarray(pixels)
    longest = max(image.size)
    if longest > settings.max_side_px:
        width, height = (max(1, round(side * settings.max_side_px / longest)) for side in image.size)
        image = image.resize((width, height), Image.Resampling.BOX)
    handle = io.BytesIO()
    if settings.picture == "jpeg":
        image.save(handle, "JPEG", quality=92)
    else:
        image.save(handle, "PNG", optimize=False, compress_level=3)
    return f"data:image/{settings.picture};base64,{base64.b64encode(handle.getvalue()).decode('ascii')}"


def _text_of(data: bytes) -> str:
    """Return the reply in a chat completion.

    Raises:
        ValueError: The data is not a chat completion, or its reply is empty.
    """
    try:
        choice = json.loads(data)["choices"][0]
        message = choice["message"]
        text = message.get("content")
        if isinstance(text, list):
            text = "".join(part["text"] for part in text if part.get("type") == "text")
        if text is None:
            text = message.get("refusal")
    except (KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"no chat completion: {type(error).__name__}: {error}") from error
    if not isinstance(text, str) or not text.strip():
        if choice.get("finish_reason") == "length":
            raise ValueError("the reply was cut off before it held any text; raise max_tokens")
        raise ValueError("the reply holds no text")
    return text
