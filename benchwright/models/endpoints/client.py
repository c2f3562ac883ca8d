"""The client for requests to models: it retries each request until it is answered, within a rate and a budget.

Everything that queries a model at an endpoint uses this client: the scoring of models, judges, and the steps that
ground, plan, write and vet. The client sends a request again after a transient failure (`failures.py`).
"""

from __future__ import annotations

import asyncio
import random
import weakref
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

import openai

from benchwright.errors import BenchwrightError, RequestFailed

from .completions import Completion
from .endpoint import Endpoint
from .event_loop import EventLoop
from .pace import Pace
from .usage import Budget, Spending
from .vendors.failures import BudgetRefusal, FailedTry, ModelAddress, RequestAdapted, UnusableReply, classify, no_server
from .vendors.reply_kinds import error_in_words, filtered_by

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .vendors.request_fields import RequestParameters

LONGEST_BACKOFF_S, LONGEST_PAUSE_S = 60.0, 600.0
"""Longest pauses in seconds: those between retries on which the client decides, and those that a server requests."""

PATIENCE_WITH_429 = 4
"""Factor on the number of retries after a 429, which is not the request's fault."""


class ModelRequest(Protocol):
    """One request to a model, such as a `ChatRequest`."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Return the fields of the request that a model may refuse."""


class Connection(Protocol):
    """A connection that carries requests to an endpoint, such as an `Endpoint`."""

    async def reply_to(self, request: Any, stream: Mapping[str, Any]) -> Completion:
        """Send a request once and return the reply; raises the same errors as `Endpoint.reply_to`."""

    async def close(self) -> None:
        """Close all connections."""


Connecting = Callable[[ModelAddress, float], Connection]
"""Function that returns a connection to an address, with a limit in seconds on each request."""


class SentReply(NamedTuple):
    """A reply, and the number of times that its request was sent."""

    completion: Completion
    sent: int


class ModelClient:
    """A client for one model, with its own event loop; several threads may use it at once.

    Args:
        address: Address for requests, with the key.
        parameters: Fields of requests, adapted to the model's refusals.
        timeout_s: Time limit for sending the request once, in seconds, from the name look-up to the last byte of the
            reply.
        retries: Number of retries after transient failures; four times as many after a 429.
        concurrency: Largest number of simultaneous requests; fewer while the endpoint answers 429.
        backoff_s: Seconds before the first retry; the delay doubles each time, up to 60.
        spending: Budget and count of requests and tokens; None for no budget.
        connect: Connection that carries requests; chat's by default.
    """

    def __init__(
        self,
        address: ModelAddress,
        parameters: RequestParameters,
        *,
        timeout_s: float,
        retries: int,
        concurrency: int,
        backoff_s: float = 1.0,
        spending: Spending | None = None,
        connect: Connecting | None = None,
    ) -> None:
        self.address, self._parameters = address, parameters
        self._timeout_s, self._retries, self._backoff_s = timeout_s, retries, backoff_s
        self.spending = spending or Spending(Budget(), None)
        self._pace = Pace(concurrency)
        self._set_alone()
        self._endpoint: Connection = (connect or Endpoint)(address, timeout_s)
        self.loop = EventLoop()
        self._unclosed = weakref.finalize(self, _close_later, self.loop, self._endpoint)
        self._unclosed.atexit = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Cancel requests in progress and close all connections; a client dropped unclosed also closes them."""
        self._unclosed.detach()
        self.loop.cancel_all()
        self.loop.run(self._endpoint.close())
        self.loop.close()

    async def ask(self, request: ModelRequest) -> SentReply:
        """Send a request, repeatedly if necessary, and return the reply and how often the request was sent.

        Raises:
            RequestFailed: The request failed permanently, or too often.
            RequestAdapted: The model refused the request because of a field that is now sent differently.
            BudgetRefusal: The budget does not cover the request.
            BenchwrightError: No request to this endpoint can succeed.
        """
        rate_limits = faults = sent = 0
        while True:
            outcome = await self._send(request, first=sent > 0)
            sent += 1
            if isinstance(outcome, Completion):
                return SentReply(outcome, sent)
            rate_limits += outcome.is_rate_limit
            faults += not outcome.is_rate_limit
            if outcome.reason == "refused" or faults > self._retries or rate_limits > self._retries * PATIENCE_WITH_429:
                break
            await self._pause(outcome, rate_limits if outcome.is_rate_limit else faults)
        if outcome.nobody_listens:
            error = no_server(outcome, self.address)
            self._pace.stop(error)
            raise error
        raise RequestFailed(outcome.reason, outcome.detail, sent=sent, status=outcome.status)

    async def _send(self, request: ModelRequest, *, first: bool) -> Completion | FailedTry:
        """Send a request once, as soon as its turn comes."""
        began = await self._pace.turn(first=first)
        completion: Completion | None = None
        try:
            if self._parameters.refused and request.parameters.keys() != self._parameters.sent.keys():
                raise RequestAdapted  # it predates the refusal of a field
            if not self.spending.sends():
                raise BudgetRefusal
            try:
                outcome = await self._exchange(request)
                completion = outcome if isinstance(outcome, Completion) else None
            finally:
                # A request that a filter stops at once takes no tokens, and the server counts none.
                counted = completion is not None and not (completion.kind == "filtered" and completion.tokens is None)
                self.spending.ended(completion.tokens if completion else None, answered=counted)
                if completion:
                    self._parameters.settle()
                self._set_alone()
            self._set_pace(outcome, began)  # before the turn ends, so that no waiting request is sent in a pause
        except BenchwrightError as error:
            self._pace.stop(error)  # likewise
            raise
        finally:
            self._pace.over()
        return outcome

    def _set_pace(self, outcome: Completion | FailedTry, began: float) -> None:
        """Increase the request rate after a reply; after a 429, reduce the rate or pause."""
        if isinstance(outcome, Completion):
            self._pace.went_well()
        elif outcome.is_rate_limit:
            self._pace.too_many(began, None if outcome.pause_s is None else min(outcome.pause_s, LONGEST_PAUSE_S))

    def _set_alone(self) -> None:
        """Send one request at a time while the first reveals the cost of one, or while the model refuses fields."""
        self._pace.alone = self.spending.goes_alone or not self._parameters.is_settled

    async def _exchange(self, request: ModelRequest) -> Completion | FailedTry:
        stream = self._parameters.stream_fields
        try:
            completion = await self._endpoint.reply_to(request, stream)
        except (TimeoutError, UnusableReply, openai.APIError) as error:
            if (filtered := self._filtered(error)) is not None:
                return filtered
            failed = classify(error, self.address, self._timeout_s)
            if failed.status in {400, 422} and (
                self._parameters.adapt_stream(stream, failed.status, failed.detail)
                or self._parameters.adapt(request.parameters, failed.detail, failed.error)
            ):
                raise RequestAdapted from None
            return failed
        cause = None if completion.cause is None else self.address.clean(completion.cause)
        return completion._replace(text=self.address.without_key(completion.text), cause=cause)

    def _filtered(self, error: Exception) -> Completion | None:
        """Return the reply that represents a content filter's error; None for any other error."""
        if not isinstance(error, openai.APIStatusError):
            return None
        words = error_in_words(error.body) if error.body else error.response.text[:10_000]
        if (name := filtered_by(error.status_code, error.body, words)) is None:
            return None
        cause = f"a content filter stopped the request ({name}): HTTP {error.status_code}: {words}"
        return Completion("", "content_filter", None, "filtered", self.address.clean(cause))

    async def _pause(self, failed: FailedTry, times: int) -> None:
        """Wait before a retry, without delaying other requests."""
        if failed.pause_s is None:
            pause_s = min(self._backoff_s * 2 ** min(times - 1, 30), LONGEST_BACKOFF_S)
        else:
            pause_s = min(failed.pause_s, LONGEST_PAUSE_S)
        await asyncio.sleep(pause_s * random.uniform(1, 1.25))


def _close_later(loop: EventLoop, endpoint: Connection) -> None:
    """Close the connections of a dropped client without waiting, because the loop itself may have dropped it."""
    loop.end_after(endpoint.close())
