"""Streamed replies: server-sent events, assembled into one document.

An event is one or more lines `data: ...` before a blank line; each contains a piece of a chat completion as JSON, and
`[DONE]` marks the end (HTML standard, section 9.2; OpenAI, "Streaming").
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .failures import UnusableReply

STREAM_FIELDS: Mapping[str, Any] = {"stream": True, "stream_options": {"include_usage": True}}
"""Fields that request a streamed reply whose last piece states its tokens."""
_DONE = "[DONE]"
_BEGINNING = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*(?:data|event|id|retry)?:")
_STREAM_ONLY = re.compile(
    r"\b(?:only|must|requires?|please|enable|set)\b.{0,60}\bstream(?:ing)?\b|\bstream(?:ing)?\b.{0,40}"
    r"\b(?:only|must be|is required|required|has to be)\b|\bnon-?stream(?:ing)?\b",
    re.I | re.S,
)
_NOT_STREAMED = re.compile(r"stream(?:ing)?\b.{0,30}\b(?:not supported|unsupported)|not support.{0,20}\bstream", re.I)
_TEXTS = ("content", "refusal", "reasoning_content", "reasoning")


def is_event_stream(data: bytes) -> bool:
    """Return whether the body of a response is a stream of events."""
    return _BEGINNING.match(data) is not None


def wants_stream(status: int | None, words: str) -> bool:
    """Return whether a refusal states that the server only streams replies.

    Example:
        >>> wants_stream(400, "This model only support stream mode, please enable the stream parameter")
        True
    """
    return status in {400, 422} and _STREAM_ONLY.search(words) is not None and _NOT_STREAMED.search(words) is None


def document_of(data: bytes) -> dict[str, Any]:
    """Return the chat completion in a stream, in the form of a server that does not stream.

    The function reads only the first choice. An error in the stream becomes the document's `error`.

    Raises:
        UnusableReply: An event is not JSON, or the stream ends before the end of the reply.
    """
    texts: dict[str, list[str]] = {}
    calls: dict[int, dict[str, Any]] = {}
    document: dict[str, Any] = {}
    choice: dict[str, Any] = {}
    ended = False
    for text in _events(data):
        if text.strip() == _DONE:
            ended = True
            break
        piece = _piece(text)
        document |= {name: piece[name] for name in ("usage", "error", "prompt_filter_results") if piece.get(name)}
        first = _first_choice(piece)
        if first is None:
            continue
        for name in ("finish_reason", "error", "content_filter_results"):
            if first.get(name) is not None:
                choice[name] = first[name]
        delta = first.get("delta") or first.get("message")
        if isinstance(delta, Mapping):
            _take(delta, texts, calls)
    if not choice and not texts and not calls and not document:
        raise UnusableReply("an empty stream of events")
    if not ended and choice.get("finish_reason") is None and "error" not in document:
        raise UnusableReply("the stream broke off before the reply's end")
    if "error" in document and not choice:
        return document
    message: dict[str, Any] = {name: "".join(pieces) for name, pieces in texts.items()}
    if calls:
        message["tool_calls"] = [calls[number] for number in sorted(calls)]
    return {**document, "choices": [{**choice, "message": message}]}


def _events(data: bytes) -> Iterator[str]:
    """Yield the data of each event, ignoring comments and fields of other names."""
    lines: list[str] = []
    for line in data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        if line.startswith("data:"):
            lines.append(line[5:].removeprefix(" "))
        elif not line and lines:
            yield "\n".join(lines)
            lines = []
    if lines:
        yield "\n".join(lines)


def _piece(text: str) -> Mapping[str, Any]:
    try:
        piece = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnusableReply(f"an event of the stream is not JSON: {error}") from error
    if not isinstance(piece, dict):
        raise UnusableReply(f"an event of the stream is not an object: {ascii(text)[:80]}")
    return piece


def _first_choice(piece: Mapping[str, Any]) -> Mapping[str, Any] | None:
    choices = piece.get("choices")
    for choice in choices if isinstance(choices, list) else []:
        if isinstance(choice, Mapping) and choice.get("index", 0) == 0:
            return choice
    return None


def _take(delta: Mapping[str, Any], texts: dict[str, list[str]], calls: dict[int, dict[str, Any]]) -> None:
    """Add the content of a piece to the texts and tool calls received so far."""
    for name in _TEXTS:
        value = delta.get(name)
        if isinstance(value, list):
            value = "".join(part["text"] for part in value if isinstance(part, dict) and _is_text(part.get("text")))
        if isinstance(value, str):
            texts.setdefault(name, []).append(value)
    called = delta.get("tool_calls")
    for place, call in enumerate(called if isinstance(called, list) else []):
        if not isinstance(call, Mapping):
            continue
        number = call.get("index")
        whole = calls.setdefault(number if type(number) is int else place, {"type": "function", "function": {}})
        function = call.get("function")
        tool = function.get("name") if isinstance(function, Mapping) else None
        if isinstance(tool, str) and tool:
            whole["function"] = {"name": tool}


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
