"""Any endpoint that speaks the OpenAI chat protocol: a hosted model, or a server of one's own."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Generator, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from benchwright.errors import BenchwrightError, PrerequisiteError

from ..accounting import BudgetSpent, Spending
from ..prompts import message_of
from ..questions import Question, Reply
from .base import Asking, Backend, Options
from .chat_request import ChatRequest, chat_request
from .event_loop import EventLoop
from .pace import Pace
from .reply_log import LOG_NAME, Answered, ReplyLog
from .sending import Failure, NotAsked, Sender
from .sent_pictures import SentPictures, store

OPENAI_URL = "https://api.openai.com/v1"
HEAD_START_S = 0.03


def openai_chat(argument: str, options: Options) -> Backend:
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
    if not key and (options.base_url is None or options.api_key_env != Options().api_key_env):
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


class _Begun(NamedTuple):
    """A question on its way: the reply if it is there already, else what is waited for."""

    item_id: str
    reply: Reply | None = None
    future: Future[Answered] | None = None


class OpenAIChat:
    """A model behind an endpoint. Each item is one request; many are under way at a time.

    A request that fails in a way that may pass (429, 5xx, a broken connection, a reply that is no JSON, a timeout) is
    sent again; one that fails for good ends that item with its cause. A refused key or an unknown model ends the run,
    as does an address where nobody listens. A budget ends it too, once what is under way has come back.
    """

    tasks = None

    def __init__(self, model: str, options: Options, key: str) -> None:
        self.name = f"openai:{model}"
        self._model, self._options, self._key = model, options, key
        self._url = (options.base_url or OPENAI_URL).rstrip("/")
        self._image_urls = None if options.image_urls is None else options.image_urls.rstrip("/")
        self._pictures = SentPictures()
        self.spending = Spending(options.budget, options.prices)

    @property
    def settings(self) -> Mapping[str, Any]:
        """Address, decoding, how often an item is tried and how pictures travel; they are never resized."""
        return {
            "base_url": self._url,
            **self._options.decoding(),
            "retries": self._options.retries,
            "tries": self._options.tries,
            "pictures": "inline" if self._image_urls is None else "by URL",
        }

    def answer(self, questions: Iterable[Question], asking: Asking) -> Generator[Reply]:
        """Yield replies in the order of the questions; what the log has answered is not asked again.

        Raises:
            BudgetSpent: The budget does not allow all of them; what was under way is in the log.
        """
        from .endpoint import Endpoint

        path = None if asking.log_folder is None else asking.log_folder / LOG_NAME
        under_way: deque[_Begun] = deque()
        self.spending = Spending(self._options.budget, self._options.prices)
        with (
            ReplyLog(path, release_id=asking.release_id, other_releases=asking.other_releases) as log,
            EventLoop() as loop,
        ):
            log.run(asking.release_id, asking.content_id, self.settings)
            endpoint = Endpoint(self._url, self._key, self._options.timeout_s)
            pace = Pace(self._options.concurrency)
            sender = Sender(endpoint, self._model, self._url, self._key, self._options, pace, self.spending)
            try:
                for question in questions:
                    under_way.append(self._begin(question, sender, log, loop))
                    while len(under_way) >= 2 * self._options.concurrency:
                        yield self._finish(under_way.popleft())
                    if len(under_way) == self._options.concurrency:
                        _head_start(under_way)
                    log.sync()
                while under_way:
                    yield self._finish(under_way.popleft())
            except NotAsked:
                self._await(under_way)
                raise self._budget_spent(log) from None
            finally:
                loop.cancel_all()
                loop.submit(endpoint.close()).result()

    def request(self, question: Question) -> ChatRequest:
        """Return a question's request, pictures and all."""
        return chat_request(
            [("user", message_of(question))],
            {"model": self._model, **self._options.decoding()},
            self._pictures,
            base_url=self._url,
            image_urls=self._image_urls,
        )

    def _begin(self, question: Question, sender: Sender, log: ReplyLog, loop: EventLoop) -> _Begun:
        item_id = question.item_id
        try:
            request = self.request(question)
        except BenchwrightError as error:
            return _Begun(item_id, Reply(item_id, error=str(error)))
        if (known := log.reply_to(request.key)) is not None:
            return _Begun(item_id, Reply(item_id, text=known.text, tokens=known.tokens))
        for picture in request.pictures:
            log.picture(picture.record())
            if self._options.image_folder is not None:
                store(picture, self._options.image_folder)
        log.request(request.key, item_id, request.body)
        return _Begun(item_id, future=loop.submit(_asked(item_id, request, sender, log, self._options.tries)))

    def _finish(self, begun: _Begun) -> Reply:
        if begun.future is None:
            assert begun.reply is not None
            return begun.reply
        try:
            answered = begun.future.result()
        except Failure as failure:
            return Reply(begun.item_id, error=str(failure))
        return Reply(begun.item_id, text=answered.text, tokens=answered.tokens)

    def _await(self, under_way: Iterable[_Begun]) -> None:
        """Wait for what was sent before the budget was spent; its replies are paid for, and go to the log."""
        for begun in under_way:
            if begun.future is not None:
                begun.future.exception()

    def _budget_spent(self, log: ReplyLog) -> BudgetSpent:
        kept = (
            "" if log.path is None else f" What was answered is in {log.path}; run the same command to go on from there"
        )
        return BudgetSpent(
            f"the budget is spent ({self.spending.told()}), and questions are left that were not asked, so there is no "
            f"score yet.{kept}"
        )


def _head_start(under_way: Iterable[_Begun]) -> None:
    """Let the first requests go out before further ones are made ready: both threads share one interpreter."""
    wait([begun.future for begun in under_way if begun.future], timeout=HEAD_START_S, return_when=FIRST_COMPLETED)


async def _asked(item_id: str, request: ChatRequest, sender: Sender, log: ReplyLog, tries: int) -> Answered:
    """Send a request, as often as the protocol tries until it is answered, and keep what becomes of each try."""
    number = 1
    while True:
        try:
            answered, sent = await sender.ask(request)
        except Failure as failure:
            log.failed(request.key, item_id, str(failure), failure.sent, number)
            if number == tries:
                raise
            number += 1
            continue
        log.answered(request.key, item_id, answered, sent, **{"try": number})
        return answered
