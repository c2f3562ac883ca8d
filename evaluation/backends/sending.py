"""Sending of one request until it is answered: temporary failures are retried, others end the item or the run.

Replies are checked here as well, because a server may send anything.
"""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, NamedTuple

from benchwright.errors import BenchwrightError, PrerequisiteError

from ..questions.usage import Spending
from .options import BackendOptions
from .pace import Pace
from .reply_log import LoggedReply

if TYPE_CHECKING:
    import httpx2

    from benchwright.models.request_fields import RequestParameters

    from .chat_request import ChatRequest
    from .endpoint import Endpoint
import json
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from ..questions.usage import Tokens


def read_completion(data: bytes) -> LoggedReply:
    """Return the reply in a chat completion.

    Raises:
        ValueError: It is none.
    """
    try:
        document = json.loads(data)
        choice = document["choices"][0]
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
    return LoggedReply(text, finish, _tokens(document.get("usage")))


def _tokens(usage: Any) -> Tokens | None:
    """Return the tokens that a server states; None if it states none, or nonsense.

    Tokens of thoughts are among those of the completion; of servers that count them beside it the total says so.
    """
    if not isinstance(usage, dict):
        return None
    prompt, completion, total = (_count(usage.get(f"{name}_tokens")) for name in ("prompt", "completion", "total"))
    if prompt is None or completion is None:
        return None
    details = usage.get("completion_tokens_details")
    reasoning = (_count(details.get("reasoning_tokens")) if isinstance(details, dict) else None) or 0
    if total == prompt + completion + reasoning:
        completion += reasoning
    return Tokens(prompt, completion, min(reasoning, completion))


def _count(stated: Any) -> int | None:
    return stated if type(stated) is int and 0 <= stated < 1 << 53 else None


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return the pause that a server asks for, in seconds or up to a date; None if it asks for none."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) * unit
        except KeyError:
            continue
        except ValueError:
            seconds = _until(headers[name])
        if 0 <= seconds < float("inf"):
            return seconds
    return None


def _until(date: str) -> float:
    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - time.time())
    except ValueError:
        return float("inf")


def is_out_of_funds(data: Any) -> bool:
    """Return whether a 429's error object reports an empty account, for which waiting is no remedy."""
    return isinstance(data, dict) and data.get("code") == "insufficient_quota"


LONGEST_BACKOFF_S, LONGEST_PAUSE_S = 60.0, 600.0
"""Between repetitions of our own choice, and where a server asks for a pause."""

PATIENCE_WITH_429 = 4
"""How many times as often as after other failures a request is sent again after a 429, which is no fault of its own."""

_MAY_PASS = frozenset({408, 409, 425})


class Failure(Exception):
    """One item's request failed for good; the message is the cause, `sent` how often it was sent."""

    def __init__(self, cause: str, sent: int) -> None:
        super().__init__(cause)
        self.sent = sent


class RequestAdapted(Exception):
    """A request was refused for a field that is no longer sent as it was; it may be sent again, with others."""


class BudgetRefusal(Exception):
    """A request was not sent, because the budget is spent."""


class _FailedSending(NamedTuple):
    """A request that was sent and not answered.

    Args:
        cause: Cause in words.
        kind: `rate` for a 429, `final` for what no repetition mends, `field` for a field that later requests do not
            hold any more, else `fault`.
        pause_s: Seconds of pause that the server asks for.
        nobody_listens: Whether no connection came about.
    """

    cause: str
    kind: str = "fault"
    pause_s: float | None = None
    nobody_listens: bool = False


class Sender:
    """Sends requests to one endpoint, at its pace and within a budget.

    Args:
        endpoint: Endpoint, which repeats nothing by itself.
        key: Key, to be kept out of messages; empty if there is none.
        parameters: Fields of requests, adapted to what the model refuses.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        model: str,
        url: str,
        key: str,
        options: BackendOptions,
        pace: Pace,
        spending: Spending,
        parameters: RequestParameters,
    ) -> None:
        self._endpoint, self._model, self._url, self._key = endpoint, model, url, key
        self._options, self._pace, self._spending, self._parameters = options, pace, spending, parameters
        self._set_alone()

    async def ask(self, request: ChatRequest) -> tuple[LoggedReply, int]:
        """Send a request, repeatedly if necessary, and return the reply and how often it was sent.

        Raises:
            Failure: It failed for good, or more often than is allowed.
            RequestAdapted: It was refused for a field that is now sent differently.
            BudgetRefusal: The budget does not allow it.
            BenchwrightError: No request to this endpoint can succeed.
        """
        failed = {"rate": 0, "fault": 0}
        allowed = {"rate": self._options.retries * PATIENCE_WITH_429, "fault": self._options.retries}
        sent = 0
        while True:
            outcome = await self._once(request, first=sent > 0)
            sent += 1
            if isinstance(outcome, LoggedReply):
                return outcome, sent
            if outcome.kind == "field":
                raise RequestAdapted
            if outcome.kind == "final":
                raise Failure(outcome.cause, sent)
            failed[outcome.kind] += 1
            if failed[outcome.kind] > allowed[outcome.kind]:
                break
            await self._pause(outcome, failed[outcome.kind])
        if outcome.nobody_listens:
            raise self._no_server(outcome.cause)
        raise Failure(f"{outcome.cause} (sent {sent} times)", sent)

    def _no_server(self, cause: str) -> PrerequisiteError:
        error = PrerequisiteError(f"no server listens at {self._url} ({cause}); start it or correct --base-url")
        self._pace.stop(error)
        return error

    async def _once(self, request: ChatRequest, *, first: bool) -> LoggedReply | _FailedSending:
        began = await self._pace.turn(first=first)
        answered: LoggedReply | None = None
        try:
            if self._parameters.refused and request.parameters != {"model": self._model, **self._parameters.sent}:
                return _FailedSending("it was made ready before a field was refused", "field")
            if not self._spending.sends():
                raise BudgetRefusal
            try:
                outcome = await self._exchange(request)
                answered = outcome if isinstance(outcome, LoggedReply) else None
            finally:
                self._spending.ended(answered.tokens if answered else None, answered=answered is not None)
                if answered:
                    self._parameters.settle()
                self._set_alone()
        except BenchwrightError as error:
            self._pace.stop(error)  # before the turn ends, so that no waiting request is sent in vain
            raise
        finally:
            self._pace.over()
        if isinstance(outcome, LoggedReply):
            self._pace.went_well()
        elif outcome.kind == "rate":
            self._pace.too_many(began, None if outcome.pause_s is None else min(outcome.pause_s, LONGEST_PAUSE_S))
        return outcome

    def _set_alone(self) -> None:
        """Send no second request while the first shows what one takes, or while fields are being refused."""
        self._pace.alone = self._spending.goes_alone or not self._parameters.is_settled

    async def _exchange(self, request: ChatRequest) -> LoggedReply | _FailedSending:
        import httpx2

        try:
            async with asyncio.timeout(self._options.timeout):
                response = await self._endpoint.post(request.encoded())
            if response.status_code != 200:
                return self._judged(response, request)
            reply = read_completion(response.content)
            return reply._replace(text=self._without_key(reply.text))
        except (TimeoutError, httpx2.TimeoutException):
            return _FailedSending(f"no reply within {self._options.timeout:g} s")
        except httpx2.HTTPError as error:
            cause = f"connection failed: {self._clean(str(error) or type(error).__name__)}"
            return _FailedSending(cause, nobody_listens=isinstance(error, httpx2.ConnectError))
        except ValueError as error:
            return _FailedSending(f"unusable response: {self._clean(str(error))}")

    def _judged(self, response: httpx2.Response, request: ChatRequest) -> _FailedSending:
        """Return the meaning of an HTTP status for the item; raise if it ends the run."""
        from .endpoint import error_of

        status = response.status_code
        words, error = error_of(response)
        cause = f"HTTP {status}: {self._clean(words)}"
        if status == 401:
            raise PrerequisiteError(
                f"{self._url} refuses the key in {self._options.api_key_env} ({cause}); set the right one"
            )
        if status == 404:
            raise BenchwrightError(f"{self._url} knows no model {self._model!r} or is no such endpoint ({cause})")
        if status == 429 and is_out_of_funds(error):
            raise PrerequisiteError(
                f"the account at {self._url} has nothing left ({cause}); what was answered is in the log, and the "
                "same command goes on from there"
            )
        if 300 <= status < 400:
            # Redirects are not followed: the key must not go to an address that the user did not name.
            raise BenchwrightError(
                f"{self._url} sends requests on to {self._clean(response.headers.get('location', 'nowhere'))}; name "
                "the address that answers with --base-url"
            )
        if status in {400, 422} and self._parameters.adapt(request.parameters, cause, error):
            return _FailedSending(cause, "field")
        if status == 429:
            return _FailedSending(cause, "rate", retry_after_s(response.headers))
        if status not in _MAY_PASS and status < 500:
            return _FailedSending(cause, "final")
        return _FailedSending(cause, "fault", retry_after_s(response.headers))

    async def _pause(self, trouble: _FailedSending, times: int) -> None:
        """Wait before a request is sent again; it holds up no other meanwhile."""
        if trouble.pause_s is None:
            pause_s = min(self._options.backoff_s * 2 ** min(times - 1, 30), LONGEST_BACKOFF_S)
        else:
            pause_s = min(trouble.pause_s, LONGEST_PAUSE_S)
        await asyncio.sleep(pause_s * random.uniform(1, 1.25))

    def _clean(self, message: str) -> str:
        """Return a server's message in a form fit for a log: one line, short, without the key."""
        words = " ".join(self._without_key(message).split())
        return words if len(words) <= 300 else words[:297] + "..."

    def _without_key(self, text: str) -> str:
        return text.replace(self._key, "[key]") if self._key else text
