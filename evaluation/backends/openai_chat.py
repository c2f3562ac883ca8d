"""Backend for models behind hosted or local endpoints: Chat Completions, Responses, Anthropic, Gemini.

Requests (`question_requests`) go through the client in `benchwright/models/endpoints/client.py`, which steps use as
well. This module contains what only scoring needs: the order of replies, a single request for equal questions, the log,
and a protocol's retries.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.errors import BenchwrightError, RequestFailed
from benchwright.models.endpoints.completions import Completion
from benchwright.models.endpoints.usage import BudgetSpent, Spending
from benchwright.models.endpoints.vendors.apis import APIS
from benchwright.models.endpoints.vendors.failures import BudgetRefusal, ModelAddress, RequestAdapted
from benchwright.texts.normalization import counted

from ..prompting.question import Question, Reply
from .base import BackendContext
from .batched_questions import FOLDER, BatchedQuestions, BatchedRequest
from .options import BackendOptions
from .question_requests import QuestionRequest, QuestionRequests, with_advice
from .reply_log import LOG_NAME, ReplyLog

if TYPE_CHECKING:
    from benchwright.models.endpoints.client import ModelClient

logger = logging.getLogger(__name__)

_CAUSES = {"connection": "connection failed: ", "unusable_reply": "unusable response: "}
"""Text to put before the details of a failure, by its reason."""


class _LoggedAnswer(NamedTuple):
    """A reply, and the key of its request."""

    completion: Completion
    request: str


class _StartedQuestion(NamedTuple):
    """A question in progress: its reply if that is already known, otherwise the future to wait for."""

    item_id: str
    reply: Reply | None = None
    future: Future[_LoggedAnswer] | None = None


class _ChatRun(NamedTuple):
    """The state shared by the questions of one run."""

    client: ModelClient
    log: ReplyLog
    context: BackendContext


class OpenAIChat:
    """A model behind an endpoint. Each item is one request, equal items share a request, and many requests run
    concurrently.

    A request that fails temporarily (429, 5xx, a broken connection, a reply that is not JSON, a timeout) is sent again;
    a permanent failure ends that item and is recorded as its cause. The run ends if a key is refused, the model is
    unknown or no server responds at the address. It also ends when the budget is spent, once pending requests have
    returned.

    Args:
        address: Base URL and API of the model.
        options: Options of the model.
    """

    tasks = None
    takes_fields = True
    draws_samples = True

    def __init__(self, address: ModelAddress, options: BackendOptions) -> None:
        self.name = f"{APIS[address.api].backend}:{address.model}"
        self._address, self._options = address, options
        self._requests = QuestionRequests(self.name, address, options)
        self._under_way: dict[str, Future[_LoggedAnswer]] = {}
        """Requests that were sent but not answered, by key; equal questions share one request."""
        self.spending = Spending(options.bounds, options.prices)
        self._spent_ahead: Spending | None = None

    @property
    def settings(self) -> Mapping[str, Any]:
        """Return the address, the fields as sent, the number of tries per item and the picture format."""
        return self._requests.settings

    @property
    def identity(self) -> Mapping[str, Any]:
        """Return the settings that can change a reply."""
        return self._requests.identity

    def request(self, question: Question) -> QuestionRequest:
        """Return a question's request, including pictures.

        Raises:
            BenchwrightError: A picture cannot be prepared.
        """
        return self._requests.of(question)

    def answer(self, questions: Iterable[Question], context: BackendContext) -> Generator[Reply]:
        """Yield replies in the order of the questions; replies that are already in the log are taken from the log.

        Raises:
            BudgetSpent: The budget does not cover all questions; the log contains the replies to pending requests.
        """
        under_way: deque[_StartedQuestion] = deque()
        with self._run(context) as run:
            try:
                for question in questions:
                    under_way.append(self._begin(question, run))
                    while len(under_way) >= 2 * self._options.concurrency:
                        yield self._finish(under_way.popleft())
                    run.log.sync()
                while under_way:
                    yield self._finish(under_way.popleft())
            except BudgetRefusal:
                self._await(under_way)
                raise self._budget_spent(run.log) from None

    def ask_ahead(self, questions: Iterable[Question], context: BackendContext, tell: Callable[[str], None]) -> None:
        """Ask questions in batches, if the options request it, and store the replies in the log for `answer`.

        The first question is sent alone, because it shows what the model refuses, which would otherwise take a day to
        find out.

        Args:
            questions: The questions that `answer` will receive; consumed one by one.
            context: The context for `answer`.
            tell: Receiver of progress messages.

        Raises:
            BenchwrightError: Replies are not kept, or the vendor accepts no batches or answered none of the requests in
                one.
        """
        if not self._options.batch:
            return
        if context.log_folder is None:
            raise BenchwrightError(
                "batches need a folder of results, whose records prevent paying twice; name one with --out"
            )
        from benchwright.models.endpoints.batches import BatchEndpoint

        options = self._options
        with self._run(context) as run:
            endpoint = BatchEndpoint(
                self._address, timeout_s=options.timeout, retries=options.retries, backoff_s=options.backoff_s
            )
            batches = BatchedQuestions(
                endpoint, run.client.loop, run.log, context.log_folder / FOLDER, self.spending,
                pause_s=5 * options.backoff_s, tell=tell,
            )  # fmt: skip
            try:
                batches.resume()
                batches.ask(self._unanswered(questions, batches, run))
            finally:
                run.client.loop.run(endpoint.close())
        self._spent_ahead = self.spending

    def _unanswered(
        self, questions: Iterable[Question], batches: BatchedQuestions, run: _ChatRun
    ) -> Iterator[BatchedRequest]:
        """Yield the requests that have no reply and are in no batch, except those that cannot be prepared."""
        is_first = True
        for question in questions:
            try:
                request = self.request(question)
            except BenchwrightError:
                continue  # `answer` reports the reason
            if batches.is_under_way(request.key) or run.log.reply_to(request.key) is not None:
                continue
            if is_first or self.spending.goes_alone:
                is_first = False
                try:
                    self._finish(self._begin(question, run))
                except BudgetRefusal:
                    return
                continue
            _log_request(question.item_id, request, run.log)
            self._requests.store_pictures(request)
            yield BatchedRequest(question.item_id, request.key, request.chat.encoded())

    @contextmanager
    def _run(self, context: BackendContext) -> Iterator[_ChatRun]:
        """Open the client and the log for a run; the log contains what earlier runs learned about the model."""
        path = None if context.log_folder is None else context.log_folder / LOG_NAME
        self._requests.pictures.item_cache = context.cache
        self._under_way.clear()
        self.spending = self._spent_ahead or Spending(self._options.bounds, self._options.prices)
        self._spent_ahead = None
        with (
            self._client() as client,
            ReplyLog(path, release_id=context.release_id, other_releases=context.other_releases) as log,
        ):
            self._requests.know(log)
            run = _ChatRun(client, log, context)
            self._log_run(run)
            try:
                yield run
            finally:
                client.loop.cancel_all()  # before the log is closed

    def _client(self) -> ModelClient:
        from benchwright.models.endpoints.client import ModelClient

        options = self._options
        return ModelClient(
            self._address,
            self._requests.parameters,
            timeout_s=options.timeout,
            retries=options.retries,
            concurrency=options.concurrency,
            backoff_s=options.backoff_s,
            spending=self.spending,
        )

    def _log_run(self, run: _ChatRun) -> None:
        run.log.run(run.context.release_id, run.context.content_id, self.settings)

    def _begin(self, question: Question, run: _ChatRun) -> _StartedQuestion:
        item_id, log = question.item_id, run.log
        try:
            request = self.request(question)
        except BenchwrightError as error:
            return _StartedQuestion(item_id, Reply(item_id, error=str(error)))
        if (shared := self._under_way.get(request.key)) is not None:  # before the log, to which it may be moving
            return _StartedQuestion(item_id, future=shared)
        _log_request(item_id, request, log)
        if (known := log.reply_to(request.key)) is not None:
            return _StartedQuestion(item_id, Reply.of(item_id, known, request.key))
        self._requests.store_pictures(request)
        future = run.client.loop.submit(self._send(item_id, request, run))
        self._under_way[request.key] = future
        # Once it is over, the log has its reply; a failed request is sent again for the next equal item.
        future.add_done_callback(lambda _: self._under_way.pop(request.key, None))
        return _StartedQuestion(item_id, future=future)

    def _finish(self, started: _StartedQuestion) -> Reply:
        if started.future is None:
            assert started.reply is not None
            return started.reply
        try:
            completion, request = started.future.result()
        except RequestFailed as failure:
            return Reply(started.item_id, error=_cause(failure))
        return Reply.of(started.item_id, completion, request)

    def _await(self, under_way: Iterable[_StartedQuestion]) -> None:
        """Wait for the requests that were sent before the budget was spent; their replies are paid for and logged."""
        for started in under_way:
            if started.future is not None:
                started.future.exception()

    def _budget_spent(self, log: ReplyLog) -> BudgetSpent:
        kept = (
            "" if log.path is None else f" The replies are in {log.path}; run the same command to continue from there"
        )
        return BudgetSpent(
            f"the budget is spent ({self.spending.describe()}), and some questions remain, so there is no score "
            f"yet.{kept}"
        )

    async def _send(self, item_id: str, request: QuestionRequest, run: _ChatRun) -> _LoggedAnswer:
        """Send a request, at most as often as the protocol allows, and store the result of every attempt.

        A request that is refused because of a field is sent again without the field or with a substitute.
        """
        number, log = 1, run.log
        while True:
            try:
                completion, sent = await run.client.ask(request.chat)
            except RequestAdapted:
                self._log_run(run)  # with other settings, for a run that continues from here
                request = self._requests.with_other_fields(request)
                if (known := log.reply_to(request.key)) is not None:
                    return _LoggedAnswer(known, request.key)
                log.request(request.key, item_id, request.body)
                continue
            except RequestFailed as failure:
                smaller = await asyncio.to_thread(self._requests.with_smaller_pictures, request, failure)
                if smaller is not None:
                    self._log_run(run)
                    request = smaller
                    _log_request(item_id, request, log)
                    if (known := log.reply_to(request.key)) is not None:
                        return _LoggedAnswer(known, request.key)
                    continue
                failure = with_advice(failure, request.pictures)
                log.failed(request.key, item_id, _cause(failure), failure.sent, number)
                if number == self._options.tries:
                    raise failure from None
                number += 1
                continue
            log.answered(request.key, item_id, completion, sent, **{"try": number})
            if completion.is_silent and number < self._options.tries:
                number += 1
                continue
            return _LoggedAnswer(completion, request.key)


def _log_request(item_id: str, request: QuestionRequest, log: ReplyLog) -> None:
    """Add a request and its pictures to the log, each only once."""
    for picture in request.pictures:
        log.picture(picture.record())
    log.request(request.key, item_id, request.body)


def _cause(failure: RequestFailed) -> str:
    """Return the reason why an item has no reply, as text for its row."""
    times = "" if failure.reason == "refused" else f" (sent {counted(failure.sent, 'time')})"
    return f"{_CAUSES.get(failure.reason, '')}{failure.detail}{times}"
