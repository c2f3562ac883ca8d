"""Chat completions as endpoints return them: the reply's text, why it ended, and the tokens that it took.

A server may return anything, so every field is checked.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from .failures import UnusableReply
from .usage import Tokens


class Completion(NamedTuple):
    """A model's reply, why it ended there, and the tokens that it took, where the server says so."""

    text: str
    finish: str | None
    tokens: Tokens | None


def read_completion(data: bytes) -> Completion:
    """Return the reply in a chat completion; a refusal in place of the content is the reply's text.

    Raises:
        UnusableReply: The data is no chat completion.
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
        raise UnusableReply(f"no chat completion: {type(error).__name__}: {error}") from error
    except ValueError as error:
        raise UnusableReply(str(error)) from error
    if not isinstance(text, str) or not isinstance(finish, str | None):
        raise UnusableReply("no chat completion: its content is not text")
    return Completion(text, finish, _tokens(document.get("usage")))


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
