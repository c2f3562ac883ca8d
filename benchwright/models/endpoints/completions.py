"""Replies as endpoints return them: text, kind and its cause, finish reason, and tokens.

A server may return anything, so every field is checked. `reply_kinds.py` determines the kind of a response.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple, Self

from .usage import Tokens
from .vendors.event_streams import document_of, is_event_stream
from .vendors.failures import UnusableReply
from .vendors.reply_kinds import SILENT, NotAResponse, ReplyKind, kind_of, read_response


class Completion(NamedTuple):
    """A model's reply, with its finish reason and its tokens if the server states them.

    Args:
        text: Text of the reply.
        finish: Finish reason, in the server's spelling.
        tokens: Numbers of tokens that the server states; None if it states none.
        kind: Kind of the reply (`reply_kinds.py`).
        cause: Explanation of why the reply is not an answer; None for an answer.
        in_batch: Whether the reply arrived in a batch, at half the price.
    """

    text: str
    finish: str | None
    tokens: Tokens | None
    kind: ReplyKind = "answered"
    cause: str | None = None
    in_batch: bool = False

    @classmethod
    def of(cls, text: str, finish: str | None, tokens: Tokens | None) -> Self:
        """Return a reply, with the kind that follows from its text and its finish reason."""
        kind, cause = kind_of(text, finish)
        return cls(text, finish, tokens, kind, cause)

    @property
    def is_silent(self) -> bool:
        """Whether the reply contains no text and is not worth keeping."""
        return self.kind in SILENT


def read_completion(data: bytes) -> Completion:
    """Return the reply in the body of a response with status 200, which may be a stream of events.

    If a refusal replaces the content, it becomes the text.

    Raises:
        UnusableReply: The body is not a reply, or the server reports a failure in it.
    """
    try:
        document = document_of(data) if is_event_stream(data) else json.loads(data)
    except UnusableReply:
        raise
    except (ValueError, RecursionError) as error:
        raise UnusableReply(f"not JSON: {error}") from error
    return completion_of(document)


def completion_of(document: Any) -> Completion:
    """Return the reply in the document of a response.

    Raises:
        UnusableReply: The document is not a reply, or the server reports a failure in it.
    """
    try:
        read = read_response(document)
    except NotAResponse as error:
        raise UnusableReply(str(error)) from error
    if read.kind == "failed":
        raise UnusableReply(read.cause or "the server reports a failure")
    return Completion(read.text, read.finish, tokens_of(document), read.kind, read.cause)


def tokens_of(document: dict[str, Any]) -> Tokens | None:
    """Return the tokens that a server states; None if it states none or invalid numbers.

    Tokens of thoughts count toward the completion; for servers that count them separately, the total shows it. Tokens
    that Anthropic reads from its cache, or writes there, count as sent.
    """
    if isinstance(stated := document.get("usageMetadata"), dict):  # Gemini
        reasoning = _count(stated.get("thoughtsTokenCount")) or 0
        prompt, completion = _count(stated.get("promptTokenCount")), _count(stated.get("candidatesTokenCount", 0))
        return None if prompt is None or completion is None else Tokens(prompt, completion + reasoning, reasoning)
    usage = document.get("usage")
    if not isinstance(usage, dict):
        return None
    if "input_tokens" in usage:  # Anthropic, and OpenAI's Responses
        cached = sum(_count(usage.get(f"cache_{what}_input_tokens")) or 0 for what in ("creation", "read"))
        prompt, completion = _count(usage.get("input_tokens")), _count(usage.get("output_tokens"))
        if prompt is None or completion is None:
            return None
        return Tokens(prompt + cached, completion, min(_reasoning(usage, "output_tokens_details"), completion))
    prompt, completion, total = (_count(usage.get(f"{name}_tokens")) for name in ("prompt", "completion", "total"))
    if prompt is None or completion is None:
        return None
    reasoning = _reasoning(usage, "completion_tokens_details")
    if total == prompt + completion + reasoning:
        completion += reasoning
    return Tokens(prompt, completion, min(reasoning, completion))


def _reasoning(usage: dict[str, Any], details: str) -> int:
    stated = usage.get(details)
    return (_count(stated.get("reasoning_tokens")) if isinstance(stated, dict) else None) or 0


def _count(stated: Any) -> int | None:
    return stated if type(stated) is int and 0 <= stated < 1 << 53 else None
