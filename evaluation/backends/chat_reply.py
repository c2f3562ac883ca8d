"""What an OpenAI-compatible server says, which may be anything."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from ..accounting import Tokens
from .reply_log import Answered


def read_completion(data: bytes) -> Answered:
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
    return Answered(text, finish, _tokens(document.get("usage")))


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
    """Say whether a 429's error object tells of an empty account, which no waiting fills."""
    return isinstance(data, dict) and data.get("code") == "insufficient_quota"
