"""Any endpoint that speaks the OpenAI chat protocol: a hosted model, or a server of one's own."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import random
from collections import OrderedDict, deque
from collections.abc import Generator, Iterable, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from benchwright.canonical import digest
from benchwright.drawing import draw_prompts
from benchwright.errors import BenchwrightError, PrerequisiteError
from benchwright.images import decode_rgb, encode_png

from ..prompts import message_of
from ..questions import Picture, Question, Reply
from .base import Asking, Backend, Options
from .event_loop import EventLoop
from .reply_log import ReplyLog

if TYPE_CHECKING:
    from openai import AsyncOpenAI

OPENAI_URL = "https://api.openai.com/v1"
LOG_NAME = "replies.jsonl"
MAX_RESPONSE_BYTES = 8 * 1024 * 1024
LONGEST_PAUSE_S = 60.0
_PICTURES_KEPT = 16
_MAY_PASS = frozenset({408, 409, 425, 429})


class Failure(Exception):
    """One item's request failed for good; the message is the cause."""


class Answered(NamedTuple):
    """A server's reply, and why it ended there."""

    text: str
    finish: str | None


def openai_chat(argument: str, options: Options) -> Backend:
    """Return the backend for a model behind an endpoint, such as `openai:gpt-4o`.

    Raises:
        BenchwrightError: No model is named, or the address is none.
        PrerequisiteError: The environment variable for the key is not set.
    """
    if not argument:
        raise BenchwrightError("model 'openai' needs a model's name after the colon, such as 'openai:gpt-4o'")
    url = urlsplit(options.base_url or OPENAI_URL)
    if url.scheme not in {"http", "https"} or not url.hostname or "@" in url.netloc or url.query:
        raise BenchwrightError(
            "--base-url needs an address such as http://127.0.0.1:8000/v1, without a user name, a password or a query; "
            "put the key into an environment variable and name it with --api-key-env"
        )
    key = os.environ.get(options.api_key_env, "").strip()
    if not key and (options.base_url is None or options.api_key_env != Options().api_key_env):
        raise PrerequisiteError(
            f"model 'openai:{argument}' needs a key in the environment variable {options.api_key_env}, which is not "
            "set; set it, name another with --api-key-env, or name a server of your own with --base-url"
        )
    return OpenAIChat(argument, options, key)


class OpenAIChat:
    """A model behind an endpoint. Each item is one request; many are under way at a time.

    A request that fails in a way that may pass (429, 5xx, a broken connection, a reply that is no JSON, a timeout) is
    sent again; one that fails for good ends that item with its cause. A refused key or an unknown model ends the run,
    as does an address where nobody listens.
    """

    tasks = None

    def __init__(self, model: str, options: Options, key: str) -> None:
        self.name = f"openai:{model}"
        self._model, self._options, self._key = model, options, key
        self._url = (options.base_url or OPENAI_URL).rstrip("/")
        self._sendable: OrderedDict[str, str] = OrderedDict()

    @property
    def settings(self) -> Mapping[str, Any]:
        """Address and sampling."""
        return {"base_url": self._url, "temperature": 0, "max_tokens": self._options.max_tokens}

    def answer(self, questions: Iterable[Question], asking: Asking) -> Generator[Reply]:
        """Yield replies in the order of the questions; what the log has answered is not asked again."""
        from openai import AsyncOpenAI

        under_way: deque[tuple[str, Future[Answered] | None, Reply | None]] = deque()
        with ReplyLog(asking.log_folder / LOG_NAME if asking.log_folder else None) as log, EventLoop() as loop:
            client = AsyncOpenAI(
                api_key=self._key or "none", base_url=self._url, max_retries=0, timeout=self._options.timeout_s
            )
            slots = asyncio.Semaphore(self._options.concurrency)
            try:
                for question in questions:
                    under_way.append(self._begin(question, client, slots, log, loop))
                    while len(under_way) >= 2 * self._options.concurrency:
                        yield self._finish(*under_way.popleft())
                while under_way:
                    yield self._finish(*under_way.popleft())
            finally:
                loop.cancel_all()
                loop.submit(client.close()).result()

    def request(self, question: Question) -> dict[str, Any]:
        """Return the body of a question's request, pictures and all."""
        content: list[dict[str, Any]] = []
        for part in message_of(question):
            if isinstance(part, Picture):
                content.append({"type": "image_url", "image_url": {"url": self._data_url(part)}})
            else:
                content.append({"type": "text", "text": part})
        messages = [{"role": "user", "content": content}]
        return {"model": self._model, "messages": messages, "temperature": 0, "max_tokens": self._options.max_tokens}

    def _data_url(self, picture: Picture) -> str:
        """Return a picture as it is sent: upright, marks drawn, PNG, so that no pixel changes on the way."""
        key = digest([picture.image_id, [mark.model_dump(mode="json") for mark in picture.prompts]])
        if key not in self._sendable:
            pixels = decode_rgb(picture.data)
            data = encode_png(draw_prompts(pixels, picture.prompts) if picture.prompts else pixels)
            self._sendable[key] = f"data:image/png;base64,{base64.b64encode(data).decode('ascii')}"
            while len(self._sendable) > _PICTURES_KEPT:
                self._sendable.popitem(last=False)
        return self._sendable[key]

    def _begin(
        self, question: Question, client: AsyncOpenAI, slots: asyncio.Semaphore, log: ReplyLog, loop: EventLoop
    ) -> tuple[str, Future[Answered] | None, Reply | None]:
        item_id = question.item_id
        try:
            body = self.request(question)
        except BenchwrightError as error:
            return item_id, None, Reply(item_id, error=str(error))
        request = digest({"base_url": self._url, "body": body})
        if (known := log.reply_to(request)) is not None:
            return item_id, None, Reply(item_id, text=known)
        return item_id, loop.submit(self._ask(item_id, request, body, client, slots, log)), None

    def _finish(self, item_id: str, future: Future[Answered] | None, reply: Reply | None) -> Reply:
        if future is None:
            assert reply is not None
            return reply
        try:
            return Reply(item_id, text=future.result().text)
        except Failure as failure:
            return Reply(item_id, error=str(failure))

    async def _ask(
        self,
        item_id: str,
        request: str,
        body: dict[str, Any],
        client: AsyncOpenAI,
        slots: asyncio.Semaphore,
        log: ReplyLog,
    ) -> Answered:
        async with slots:
            try:
                answered = await self._until_answered(body, client)
            except Failure as failure:
                log.failed(request, item_id, str(failure))
                raise
        log.answered(request, item_id, answered.text, answered.finish)
        return answered

    async def _until_answered(self, body: dict[str, Any], client: AsyncOpenAI) -> Answered:
        """Send a request, again and again if need be, and return the reply.

        Raises:
            Failure: It failed for good, or more often than is allowed.
            BenchwrightError: No request to this endpoint can succeed.
        """
        from httpx2 import HTTPError, TimeoutException
        from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError

        for attempt in range(self._options.retries + 1):
            wanted_pause_s = None
            nobody_listens = False
            try:
                async with asyncio.timeout(self._options.timeout_s):
                    return self._read(await _received(body, client))
            except APIStatusError as error:
                cause = f"HTTP {error.status_code}: {self._clean(error.message)}"
                if error.status_code in {401, 404}:
                    raise self._hopeless(error.status_code, cause) from None
                if error.status_code not in _MAY_PASS and error.status_code < 500:
                    raise Failure(cause) from None
                wanted_pause_s = _retry_after_s(error.response.headers)
            except (APITimeoutError, TimeoutException, TimeoutError):
                cause = f"no reply within {self._options.timeout_s:g} s"
            except APIConnectionError as error:
                cause = f"connection failed: {self._clean(str(error.__cause__ or error))}"
                nobody_listens = type(error.__cause__).__name__ == "ConnectError"
            except HTTPError as error:  # while the body was read, beyond the care of the client
                cause = f"connection failed: {self._clean(str(error) or type(error).__name__)}"
            except (APIError, ValueError) as error:
                cause = f"unusable response: {self._clean(str(error))}"
            if attempt < self._options.retries:
                pause_s = wanted_pause_s if wanted_pause_s is not None else self._options.backoff_s * 2**attempt
                await asyncio.sleep(min(pause_s, LONGEST_PAUSE_S) * random.uniform(1, 1.25))
        if nobody_listens:
            raise PrerequisiteError(f"no server listens at {self._url} ({cause}); start it or correct --base-url")
        raise Failure(f"{cause} (sent {self._options.retries + 1} times)")

    def _read(self, data: bytes) -> Answered:
        """Return the reply in a response, which may be anything.

        Raises:
            ValueError: It is not a chat completion.
        """
        try:
            choice = json.loads(data)["choices"][0]
            message = choice["message"]
            text = message.get("content")
            if isinstance(text, list):
                text = "".join(part["text"] for part in text if part.get("type") == "text")
            if text is None:
                text = message.get("refusal") or ""
            finish = choice.get("finish_reason")
        except (KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"no chat completion: {type(error).__name__}: {error}") from error
        if not isinstance(text, str) or not isinstance(finish, str | None):
            raise ValueError("no chat completion: its content is not text")
        return Answered(self._without_key(text), finish)

    def _hopeless(self, status: int, cause: str) -> BenchwrightError:
        if status == 401:
            return PrerequisiteError(
                f"{self._url} refuses the key in {self._options.api_key_env} ({cause}); set the right one"
            )
        return BenchwrightError(f"{self._url} knows no model {self._model!r} or is no such endpoint ({cause})")

    def _clean(self, message: str) -> str:
        """Return a server's words as they can stand in a log: one line, short, without the key."""
        words = " ".join(self._without_key(message).split())
        return words if len(words) <= 300 else words[:297] + "..."

    def _without_key(self, text: str) -> str:
        return text.replace(self._key, "[key]") if self._key else text


async def _received(body: dict[str, Any], client: AsyncOpenAI) -> bytes:
    """Send one request and return the response's bytes, up to a limit."""
    data = bytearray()
    async with client.chat.completions.with_streaming_response.create(**body) as response:
        async for chunk in response.iter_bytes():
            data += chunk
            if len(data) > MAX_RESPONSE_BYTES:
                raise ValueError(f"more than {MAX_RESPONSE_BYTES} bytes")
    return bytes(data)


def _retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return the pause that a server asks for, if it says one in seconds."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) * unit
        except (KeyError, ValueError):
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    return None
