"""Failures of requests to models, in three classes: transient, of one request, or of all requests.

The classification serves everything that queries a model: a transient failure leads to a retry, a failure of one
request becomes `RequestFailed`, and a failure of all requests raises `PrerequisiteError`, which ends the run.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from benchwright.errors import PrerequisiteError

from .reply_kinds import error_in_words

if TYPE_CHECKING:
    import openai

    from .request_bodies import Api

FailureReason = Literal["timeout", "connection", "refused", "busy", "unusable_reply"]
MAY_PASS: frozenset[FailureReason] = frozenset({"timeout", "connection", "busy"})
"""Reasons for failures that may not recur in another run."""
_PASSING_STATUS = frozenset({408, 409, 425, 429})
_SHORTEST_SECRET = 8
"""Number of characters of the shortest text that counts as a secret; vendors' keys have 20 or more."""

_LONGEST_DETAIL = 300


class UnusableReply(ValueError):
    """A response that is not a chat completion, or that is unreadable because of its size or coding."""


class RequestAdapted(Exception):
    """A request was refused because of a field that has changed since; it may be sent again with the new fields."""


class BudgetRefusal(Exception):
    """A request was not sent, because the budget is spent."""


@dataclass(frozen=True)
class ModelAddress:
    """The address for requests to one model, and names for errors that guide users to a correction.

    Args:
        model: Name of the model at the endpoint.
        base_url: Address without `/chat/completions`, or the path of another API.
        key: Key, kept out of every message; empty for a server that needs none.
        key_variable: Environment variable with the key.
        option: Name of the setting that holds the address, such as `--base-url`.
        where: Name of the endpoint in messages; its address if empty.
        api: API of the model.
        headers: Further headers of requests, with their values.
        secrets: Values of headers that no message may show.
    """

    model: str
    base_url: str
    key: str
    key_variable: str
    option: str = "base_url"
    where: str = ""
    api: Api = "chat"
    headers: Mapping[str, str] = field(default_factory=dict)
    secrets: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"ModelAddress({self.model!r}, {self.base_url!r})"

    @property
    def name(self) -> str:
        """The name of the endpoint in messages."""
        return self.where or self.base_url

    def without_key(self, text: str) -> str:
        """Return a text with the key, and other secrets, replaced by `[key]`.

        Texts shorter than `_SHORTEST_SECRET` characters are not replaced: local servers accept `x` or `EMPTY` as a key,
        and a reply, or a picture in base64, may contain these by chance.
        """
        for secret in (self.key, *self.secrets):
            text = text.replace(secret, "[key]") if len(secret) >= _SHORTEST_SECRET else text
        return text

    def clean(self, message: str) -> str:
        """Return a server's message in a form fit for a log: on one line, short, without the key."""
        words = " ".join(self.without_key(message).split())
        return words if len(words) <= _LONGEST_DETAIL else words[: _LONGEST_DETAIL - 3] + "..."


class FailedTry(NamedTuple):
    """One attempt to send a request that did not yield a usable reply.

    Args:
        reason: Stable code; `busy` covers 429, 5xx and similar.
        detail: Explanation in one line, without the key.
        status: HTTP status, if the endpoint returned one.
        error: Error object of the response, if there is one.
        pause_s: Pause in seconds that the server requests.
        nobody_listens: Whether no connection could be established.
    """

    reason: FailureReason
    detail: str
    status: int | None = None
    error: Any = None
    pause_s: float | None = None
    nobody_listens: bool = False

    @property
    def is_rate_limit(self) -> bool:
        """Whether the endpoint receives too many requests, which is not the fault of this request."""
        return self.status == 429


def classify(failure: Exception, address: ModelAddress, timeout_s: float) -> FailedTry:
    """Classify a failed attempt to send a request.

    Args:
        failure: `TimeoutError`, `UnusableReply`, or an error of the `openai` package.
        address: Address of the request.
        timeout_s: Time limit in seconds.

    Raises:
        PrerequisiteError: No request to this endpoint can succeed.
    """
    import httpx2
    import openai

    if isinstance(failure, openai.APIStatusError):
        return _status(failure, address)
    if isinstance(failure, TimeoutError | openai.APITimeoutError):
        return FailedTry("timeout", f"no reply within {timeout_s:g} s")
    if isinstance(failure, openai.APIConnectionError):
        cause = failure.__cause__ or failure
        detail = address.clean(str(cause) or type(cause).__name__)
        return FailedTry("connection", detail, nobody_listens=isinstance(cause, httpx2.ConnectError))
    return FailedTry("unusable_reply", address.clean(str(failure)))


def no_server(failed: FailedTry, address: ModelAddress) -> PrerequisiteError:
    """Return the error for an address at which no server is listening."""
    return PrerequisiteError(
        f"no server listens at {address.name} ({failed.detail}); start it or correct {address.option}"
    )


def _status(failure: openai.APIStatusError, address: ModelAddress) -> FailedTry:
    status, error, headers = failure.status_code, failure.body, failure.response.headers
    message = error.get("message") if isinstance(error, dict) else error
    if isinstance(error, dict) and isinstance(error.get("metadata"), dict):  # OpenRouter: its provider's message
        message = error_in_words(error)
    cause = f"HTTP {status}: {address.clean(message if isinstance(message, str) else failure.response.text[:10_000])}"
    if status == 401 or (status == 400 and _WRONG_KEY.search(cause)):
        raise PrerequisiteError(f"{address.name} refuses the key in {address.key_variable} ({cause}); correct it")
    if status == 404:
        raise PrerequisiteError(
            f"{address.name} does not know the model {address.model!r} or is not such an endpoint ({cause}); correct "
            "the model's "
            f"name or {address.option}"
        )
    if (status == 429 and is_out_of_funds(error)) or (status in {400, 402} and _NO_FUNDS.search(cause)):
        raise PrerequisiteError(
            f"the account at {address.name} has no funds left ({cause}); replies so far are kept, and the same command "
            "continues from there"
        )
    if 300 <= status < 400:
        # Redirects are not followed: the key must not go to an address that the user did not name.
        raise PrerequisiteError(
            f"{address.name} redirects requests to {address.clean(headers.get('location', 'nowhere'))}; give the "
            f"address that answers as {address.option}"
        )
    reason: FailureReason = "busy" if status in _PASSING_STATUS or status >= 500 else "refused"
    pause_s = retry_after_s(headers)
    return FailedTry(reason, cause, status, error, _retry_delay_s(error) if pause_s is None else pause_s)


_WRONG_KEY = re.compile(r"API key (?:not valid|expired)|API_KEY_INVALID", re.I)
"""Phrases with which servers refuse a key with status 400, as Gemini does."""
_NO_FUNDS = re.compile(r"credit balance is too low|insufficient (?:credits|balance|funds)|Arrearage", re.I)
"""Phrases of Anthropic, OpenRouter, DeepSeek and DashScope about an account without funds."""


def _retry_delay_s(error: Any) -> float | None:
    """Return the pause stated in the details of a Gemini error, in seconds; None if the error requests no pause."""
    details = error.get("details") if isinstance(error, dict) else None
    for entry in details if isinstance(details, list) else []:
        delay = entry.get("retryDelay") if isinstance(entry, dict) else None
        if isinstance(delay, str) and re.fullmatch(r"\d{1,6}(?:\.\d{1,9})?s", delay):
            return float(delay[:-1])
    return None


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return the pause that a server requests, in seconds, possibly given as a date; None if there is none."""
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


_TOO_LARGE = re.compile(
    r"(?:image|picture|payload|body|request|file)\b.{0,80}?(?:too (?:large|big|long)|exceed|larger than|size limit)"
    r"|(?:exceed|larger than|too large|too big).{0,80}?(?:image|picture|payload|pixels|megapixel)",
    re.I | re.S,
)


def finds_too_large(status: int | None, words: str) -> bool:
    """Return whether a failure reports that a request, or a picture in it, is too large for the endpoint."""
    return status == 413 or (status in {400, 422} and _TOO_LARGE.search(words) is not None)


def is_out_of_funds(error: Any) -> bool:
    """Return whether a 429's error object reports an account without funds, which waiting does not remedy."""
    return isinstance(error, dict) and error.get("code") == "insufficient_quota"
