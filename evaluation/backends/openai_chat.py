"""Backend for any endpoint with the OpenAI chat protocol: a hosted model, or a server of your own.

Requests run in an event loop in a separate thread, so that synchronous code can keep many of them under way.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections import deque
from collections.abc import Callable, Coroutine, Generator, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeVar
from urllib.parse import urlsplit

from benchwright.errors import BenchwrightError, PrerequisiteError

from ..questions.prompts import message_of
from ..questions.question import Question, Reply
from ..questions.usage import BudgetSpent, Spending
from .base import Backend, BackendContext
from .chat_request import ChatRequest, chat_request
from .options import OPENAI_KEY_VARIABLE, BackendOptions
from .pace import Pace
from .reply_log import LOG_NAME, LoggedReply, ReplyLog
from .sending import BudgetRefusal, Failure, RequestAdapted, Sender
from .sent_pictures import SentPictures, store

T = TypeVar("T")


class EventLoop:
    """A running event loop; use it as a context manager. Unfinished work is cancelled at the end."""

    def __init__(self) -> None:
        self._submitted: set[Coroutine[Any, Any, Any]] = set()

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="benchwright-requests", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cancel_all()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Start a coroutine and return its future."""
        self._submitted.add(work)
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        future.add_done_callback(lambda _: self._submitted.discard(work))
        return future

    def cancel_all(self) -> None:
        """Cancel the submitted coroutines and wait until they have ended."""
        asyncio.run_coroutine_threadsafe(_cancel(frozenset(self._submitted)), self._loop).result()


async def _cancel(submitted: frozenset[Coroutine[Any, Any, Any]]) -> None:
    # Only submitted coroutines: other libraries end the tasks that they started, and anyio in a way that an outsider's
    # cancelling disturbs (a connection attempt that never ran is reported as a coroutine that nobody awaited).
    tasks = [task for task in asyncio.all_tasks() if task.get_coro() in submitted]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await asyncio.get_running_loop().shutdown_asyncgens()


OPENAI_URL = "https://api.openai.com/v1"
HEAD_START_S = 0.03


def openai_chat(argument: str, options: BackendOptions) -> Backend:
    """Return the backend for a model behind an endpoint, such as `openai:gpt-4o`.

    Raises:
        BenchwrightError: No model is named, an address is none, or a budget in money has no prices.
        PrerequisiteError: The environment variable for the key is not set.
    """
    if not argument:
        raise BenchwrightError("model 'openai' needs a model's name after the colon, such as 'openai:gpt-4o'")
    _check_address("--base-url", options.base_url or OPENAI_URL)
    if (options.image_urls is None) != (options.image_folder is None):
        raise BenchwrightError(
            "--image-urls and --image-folder go together: pictures are put into the folder, and the endpoint fetches "
            "them from the address at which you serve it"
        )
    if options.image_urls is not None:
        _check_address("--image-urls", options.image_urls)
    key = os.environ.get(options.api_key_env, "").strip()
    if not key and (options.base_url is None or options.api_key_env != OPENAI_KEY_VARIABLE):
        raise PrerequisiteError(
            f"model 'openai:{argument}' needs a key in the environment variable {options.api_key_env}, which is not "
            "set; set it, name another with --api-key-env, or name a server of your own with --base-url"
        )
    return OpenAIChat(argument, options, key)


def _check_address(option: str, address: str) -> None:
    url = urlsplit(address)
    if url.scheme not in {"http", "https"} or not url.hostname or "@" in url.netloc or url.query or '"' in address:
        raise BenchwrightError(
            f"{option} needs an address such as http://127.0.0.1:8000/v1, without a user name, a password or a query; "
            "put the key into an environment variable and name it with --api-key-env"
        )


class _LoggedAnswer(NamedTuple):
    """A reply, and the key of the request that it answers."""

    answered: LoggedReply
    request: str


class _StartedQuestion(NamedTuple):
    """A question under way: its reply if it is known already, else the future to wait for."""

    item_id: str
    reply: Reply | None = None
    future: Future[_LoggedAnswer] | None = None


class OpenAIChat:
    """A model behind an endpoint. Each item is one request, equal ones share one; many are under way at a time.

    A request that fails in a way that may pass (429, 5xx, a broken connection, a reply that is no JSON, a timeout) is
    sent again; one that fails for good ends that item with its cause. A refused key or an unknown model ends the run,
    as does an address where nobody listens. A budget ends it too, once what is under way has come back.
    """

    tasks = None
    takes_fields = True

    def __init__(self, model: str, options: BackendOptions, key: str) -> None:
        self.name = f"openai:{model}"
        self._model, self._options, self._key = model, options, key
        self._url = (options.base_url or OPENAI_URL).rstrip("/")
        self._image_urls = None if options.image_urls is None else options.image_urls.rstrip("/")
        self._under_way: dict[str, Future[_LoggedAnswer]] = {}
        """Requests that were sent and not answered, by key; equal questions share one."""
        self._parameters = options.parameters(model, self._url)
        self._pictures = SentPictures()
        self.spending = Spending(options.bounds, options.prices)

    @property
    def settings(self) -> Mapping[str, Any]:
        """Address, fields as they were really sent, how often an item is tried and how pictures travel.

        `fields` holds those that the user added, `omit` those that were to be left out, and `refused` those that the
        model turned out to refuse, each with what was sent instead.
        """
        options, sent = self._options, self._parameters.sent
        more = {
            "fields": {name: value for name, value in sent.items() if name in options.fields},
            "omit": sorted(options.omit),
            "refused": self._parameters.refused,
        }
        return {
            "base_url": self._url,
            **{name: value for name, value in sent.items() if name not in options.fields},
            "retries": options.retries,
            "tries": options.tries,
            "pictures": "inline" if self._image_urls is None else "by URL",
            **{name: value for name, value in more.items() if value},
        }

    @property
    def identity(self) -> Mapping[str, Any]:
        """The settings that can change a reply: the address, and all requested fields, None for a field left out."""
        left_out = dict.fromkeys(self._options.omit)
        return {"base_url": self._url, **left_out, **self._parameters.asked}

    def answer(self, questions: Iterable[Question], context: BackendContext) -> Generator[Reply]:
        """Yield replies in the order of the questions; what the log has answered is not asked again.

        Raises:
            BudgetSpent: The budget does not allow all of them; what was under way is in the log.
        """
        from .endpoint import Endpoint

        path = None if context.log_folder is None else context.log_folder / LOG_NAME
        self._pictures.item_cache = context.cache
        under_way: deque[_StartedQuestion] = deque()
        self._under_way.clear()
        self.spending = Spending(self._options.bounds, self._options.prices)
        with (
            ReplyLog(path, release_id=context.release_id, other_releases=context.other_releases) as log,
            EventLoop() as loop,
        ):
            self._parameters.know(log.refused(self._url))

            def begins() -> None:
                log.run(context.release_id, context.content_id, self.settings)

            begins()
            endpoint = Endpoint(self._url, self._key, self._options.timeout)
            pace = Pace(self._options.concurrency)
            sender = Sender(
                endpoint, self._model, self._url, self._key, self._options, pace, self.spending, self._parameters
            )
            try:
                for question in questions:
                    under_way.append(self._begin(question, sender, log, loop, begins))
                    while len(under_way) >= 2 * self._options.concurrency:
                        yield self._finish(under_way.popleft())
                    if len(under_way) == self._options.concurrency:
                        _head_start(under_way)
                    log.sync()
                while under_way:
                    yield self._finish(under_way.popleft())
            except BudgetRefusal:
                self._await(under_way)
                raise self._budget_spent(log) from None
            finally:
                loop.cancel_all()
                loop.submit(endpoint.close()).result()

    def request(self, question: Question) -> ChatRequest:
        """Return a question's request, pictures and all."""
        return chat_request(
            [("user", message_of(question))],
            self._fields(),
            self._pictures,
            base_url=self._url,
            image_urls=self._image_urls,
        )

    def _fields(self) -> dict[str, Any]:
        return {"model": self._model, **self._parameters.sent}

    def _begin(
        self, question: Question, sender: Sender, log: ReplyLog, loop: EventLoop, begins: Callable[[], None]
    ) -> _StartedQuestion:
        item_id = question.item_id
        try:
            request = self.request(question)
        except BenchwrightError as error:
            return _StartedQuestion(item_id, Reply(item_id, error=str(error)))
        if (shared := self._under_way.get(request.key)) is not None:  # before the log, into which it may just go
            return _StartedQuestion(item_id, future=shared)
        for picture in request.pictures:
            log.picture(picture.record())
        log.request(request.key, item_id, request.body)
        if (known := log.reply_to(request.key)) is not None:
            return _StartedQuestion(item_id, known.reply(item_id, request.key))
        if self._options.image_folder is not None:
            for picture in request.pictures:
                store(picture, self._options.image_folder)
        future = loop.submit(self._send(item_id, request, sender, log, begins))
        self._under_way[request.key] = future
        # Once it is over, the log has its reply; a failed one is sent again for the next item that asks alike.
        future.add_done_callback(lambda _: self._under_way.pop(request.key, None))
        return _StartedQuestion(item_id, future=future)

    def _finish(self, begun: _StartedQuestion) -> Reply:
        if begun.future is None:
            assert begun.reply is not None
            return begun.reply
        try:
            answered, request = begun.future.result()
        except Failure as failure:
            return Reply(begun.item_id, error=str(failure))
        return answered.reply(begun.item_id, request)

    def _await(self, under_way: Iterable[_StartedQuestion]) -> None:
        """Wait for requests that were sent before the budget was spent: their replies are paid for and are logged."""
        for begun in under_way:
            if begun.future is not None:
                begun.future.exception()

    def _budget_spent(self, log: ReplyLog) -> BudgetSpent:
        kept = (
            "" if log.path is None else f" What was answered is in {log.path}; run the same command to go on from there"
        )
        return BudgetSpent(
            f"the budget is spent ({self.spending.describe()}), and questions are left that were not asked, so there "
            f"is no score yet.{kept}"
        )

    async def _send(
        self, item_id: str, request: ChatRequest, sender: Sender, log: ReplyLog, begins: Callable[[], None]
    ) -> _LoggedAnswer:
        """Send a request, as often as the protocol tries until it is answered, and keep what becomes of each try.

        One that is refused for a field is sent again without it, or with what stands in for it.
        """
        number = 1
        while True:
            try:
                answered, sent = await sender.ask(request)
            except RequestAdapted:
                begins()  # with other settings, which a run that goes on from here is to find
                request = request.with_parameters(self._fields())
                if (known := log.reply_to(request.key)) is not None:
                    return _LoggedAnswer(known, request.key)
                log.request(request.key, item_id, request.body)
                continue
            except Failure as failure:
                log.failed(request.key, item_id, str(failure), failure.sent, number)
                if number == self._options.tries:
                    raise
                number += 1
                continue
            log.answered(request.key, item_id, answered, sent, **{"try": number})
            return _LoggedAnswer(answered, request.key)


def _head_start(under_way: Iterable[_StartedQuestion]) -> None:
    """Give the first requests time to go out before more are prepared: both threads share one interpreter."""
    wait([begun.future for begun in under_way if begun.future], timeout=HEAD_START_S, return_when=FIRST_COMPLETED)
