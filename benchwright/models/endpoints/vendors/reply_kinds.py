"""The kind of a server's response: an answer, or one of several failures to answer; one rule for all vendors.

Servers express the same event differently: one content filter is an empty message with `finish_reason`
`content_filter`, HTTP 400 with `content_policy_violation`, `ResponsibleAIPolicyViolation` inside an error of Azure,
`SAFETY` or a blocked `promptFeedback` of Gemini. `read_response` reads a document of any of these shapes (chat
completions first, then the native ones of Gemini, Anthropic and OpenAI's Responses, which gateways pass through) and
`filtered_by` an error.

The module imports nothing from the package, so that every reader of replies can use it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple

ReplyKind = Literal["answered", "empty", "filtered", "refused", "tool_call", "cut_off", "failed"]
"""Kinds of replies:

- `answered`: It contains text, with any content.
- `empty`: It contains no text, or only thoughts.
- `filtered`: A filter around the model stopped the request or the reply.
- `refused`: The server marks the text as a refusal of the model.
- `tool_call`: It calls a tool and contains no text.
- `cut_off`: It reached the maximum length; it may contain text, which is read like any other.
- `failed`: The server reports a failure in place of a reply.
"""

SILENT: Final[frozenset[ReplyKind]] = frozenset({"empty", "tool_call", "failed"})
"""Kinds that reveal nothing about the model: neither an answer nor a refusal; they are never scored."""
DECLINED: Final[frozenset[ReplyKind]] = frozenset({"filtered", "refused"})
"""Kinds in which the system declines."""

_FILTER = frozenset(
    {
        "content_filter", "content_filtered", "content_policy_violation", "responsibleaipolicyviolation",
        "data_inspection_failed", "moderation_blocked", "guardrail_intervened", "sensitive", "safety", "image_safety",
        "prohibited_content", "image_prohibited_content", "blocklist", "spii", "recitation", "blocked",
    }
)  # fmt: skip
"""Finish reasons and error codes that indicate a filter, in lower case."""
_FILTER_WORDS = re.compile(
    r"content management policy|content policy|content[ _]filter(?:ing)? (?:was |has been )?(?:triggered|policy|system)"
    r"|(?:triggered|blocked|stopped|filtered) by (?:the |our )?(?:content|safety)|safety system|content exists risk"
    r"|flagged by (?:\w+ )?(?:moderation|safety|content)|requires moderation|inappropriate content",
    re.I,
)
"""Phrases about a filter in errors that have no code for it; a mere field named `content_filter` does not match."""
_FILTER_STATUS = frozenset({400, 403, 422, 451})
_LENGTH = frozenset({"length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"})
_TOOL = frozenset({"tool_calls", "tool_use", "function_call", "malformed_function_call"})
_FAILURE = frozenset({"error", "failed", "cancelled"})
_THOUGHTS = re.compile(r"\A\s*<(think|thinking|thoughts?|reasoning)>.*?(?:</\1>|\Z)", re.I | re.S)
_TEXT_PARTS = frozenset({"text", "output_text", "input_text", None})
_NO_TEXT = "the reply holds no text"
_LONGEST_CAUSE = 1000
_DEEPEST = 8


class ResponseRead(NamedTuple):
    """A server's response, as read by the rule.

    Args:
        kind: Kind of the reply.
        text: Text of the reply or of a refusal.
        finish: Finish reason, in the server's spelling; None if not stated.
        cause: Explanation of why the reply is not an answer; None for an answer.
    """

    kind: ReplyKind
    text: str
    finish: str | None = None
    cause: str | None = None


class NotAResponse(ValueError):
    """A document that no known server sends as a reply."""


def kind_of(text: str, finish: str | None) -> tuple[ReplyKind, str | None]:
    """Return the kind of a reply from its text and its finish reason, and the cause if it is not an answer.

    Example:
        >>> kind_of("", "stop")
        ('empty', 'the reply holds no text (finish_reason stop)')
    """
    read = _judged(text, finish)
    return read.kind, read.cause


def is_cut_off(finish: str | None) -> bool:
    """Return whether a finish reason means that the reply reached its maximum length."""
    return finish is not None and finish.lower() in _LENGTH


def filtered_by(status: int | None, error: Any, words: str = "") -> str | None:
    """Return the filter that an error reports, identified by code or wording; None if the error has another cause.

    Args:
        status: HTTP status; None for an error inside a response of status 200.
        error: Error object in the response.
        words: Message of the error.
    """
    if status is not None and status not in _FILTER_STATUS:
        return None
    for code in _codes(error):
        if code.lower() in _FILTER:
            return code
    match = _FILTER_WORDS.search(words)
    return match[0] if match else None


def read_response(document: Any) -> ResponseRead:
    """Return the content of a response with status 200, in the shape of any known server.

    Raises:
        NotAResponse: The document has none of these shapes, or contains another type in place of text.
    """
    if not isinstance(document, Mapping):
        raise NotAResponse(f"not a chat completion: {_shown(document)}")
    choice = _first(document.get("choices"))
    if choice is not None:
        return _of_choice(document, choice)
    if (blocked := _blocked_prompt(document)) is not None:
        return ResponseRead("filtered", "", blocked, f"a filter blocked the prompt ({blocked})")
    if (error := document.get("error")) or document.get("type") == "error":
        return _of_error(error)
    if (candidate := _first(document.get("candidates"))) is not None:
        content = candidate.get("content")
        parts = content.get("parts") if isinstance(content, Mapping) else None
        return _of_parts(parts, candidate.get("finishReason"))
    if isinstance(document.get("content"), list) and "stop_reason" in document:
        return _of_parts(document["content"], document["stop_reason"])
    if isinstance(output := document.get("output"), list):
        return _of_output(document, output)
    raise NotAResponse(f"not a chat completion, since it has no choices: {_shown(document)}")


def _of_choice(document: Mapping[str, Any], choice: Mapping[str, Any]) -> ResponseRead:
    """Read the first choice of a chat completion."""
    finish = choice.get("finish_reason")
    if finish is not None and not isinstance(finish, str):
        raise NotAResponse(f"not a chat completion: its finish_reason is {_shown(finish)}")
    error = choice.get("error") or (document.get("error") if finish in _FAILURE else None)
    if error or finish in _FAILURE:
        return _of_error(error, finish)
    message = choice.get("message")
    if message is None and finish is None:
        raise NotAResponse(f"not a chat completion: its choice has no message: {_shown(choice)}")
    if message is None:
        message = {}
    if not isinstance(message, Mapping):
        raise NotAResponse(f"not a chat completion: its message is {_shown(message)}")
    content = message.get("content")
    refusal = message.get("refusal")
    if content is not None and not isinstance(content, str | list):
        raise NotAResponse(f"not a chat completion: its content is not text: {_shown(content)}")
    text, declined = (content, "") if isinstance(content, str) else _text_of(content or [])
    refusal = refusal if isinstance(refusal, str) and refusal.strip() else declined
    if refusal and not text.strip():
        return ResponseRead("refused", refusal, finish, _with_finish("the model's own refusal", finish))
    called = _called(message.get("tool_calls") or message.get("function_call"))
    thoughts = any(message.get(name) for name in ("reasoning_content", "reasoning", "reasoning_details"))
    if not text.strip() and not called and _is_filtered(choice.get("content_filter_results")):
        return ResponseRead("filtered", "", finish, _with_finish("a content filter stopped the reply", finish))
    return _judged(text, finish, called=called, has_thoughts=thoughts)


def _of_parts(parts: Any, finish: Any) -> ResponseRead:
    """Read the parts of a native reply of Gemini or Anthropic."""
    listed = parts if isinstance(parts, list) else []
    text, _ = _text_of(listed)
    if finish is not None and not isinstance(finish, str):
        raise NotAResponse(f"not a reply: it ended with {_shown(finish)}")
    tools = [part.get("functionCall") or part for part in listed if _is_call(part)]
    return _judged(text, finish, called=_called(tools), has_thoughts=bool(listed))


def _of_output(document: Mapping[str, Any], output: list[Any]) -> ResponseRead:
    """Read the output of OpenAI's Responses."""
    details = document.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, Mapping) else None
    finish = reason if isinstance(reason, str) else document.get("status")
    pieces = [_text_of(entry.get("content")) for entry in output if isinstance(entry, Mapping)]
    text, refusal = "".join(words for words, _ in pieces), "".join(words for _, words in pieces)
    finish = finish if isinstance(finish, str) else None
    if refusal and not text.strip():
        return ResponseRead("refused", refusal, finish, "the model's own refusal")
    return _judged(text, finish, called=_called([entry for entry in output if _is_call(entry)]), has_thoughts=True)


def _judged(text: str, finish: str | None, *, called: str = "", has_thoughts: bool = False) -> ResponseRead:
    """Return a reply with its kind; `called` lists the tools that it calls."""
    ended = (finish or "").lower()
    said = _THOUGHTS.sub("", text).strip()
    kind: ReplyKind = "empty"
    words: str | None = "the reply holds thoughts but no text" if has_thoughts or text.strip() else _NO_TEXT
    if ended in _FILTER:
        kind, words = "filtered", "a content filter stopped the reply"
    elif ended == "refusal":
        kind, words = "refused", "the model's own refusal"
    elif ended in _FAILURE:
        kind, words = "failed", "the server reports a failure"
    elif ended in _LENGTH:
        kind, words = "cut_off", None if said else "the reply was cut off before it held any text; raise max_tokens"
    elif said:
        kind, words = "answered", None
    elif called or ended in _TOOL:
        kind, words = "tool_call", f"the reply calls {called or 'a tool'} but holds no text"
    kept = "" if kind in SILENT else text
    return ResponseRead(kind, kept, finish, None if words is None else _with_finish(words, finish))


def _of_error(error: Any, finish: str | None = None) -> ResponseRead:
    """Read an error that replaces a reply."""
    words = error_in_words(error)
    name = filtered_by(None, error, words)
    if name is not None:
        return ResponseRead("filtered", "", finish or name, f"a content filter stopped it: {words}"[:_LONGEST_CAUSE])
    return ResponseRead("failed", "", finish, _with_finish(words, finish))


def error_in_words(error: Any) -> str:
    """Return an error object's message, code, provider and provider's message, as far as they are present.

    Example:
        >>> error_in_words({"message": "Provider returned error", "code": 502})
        'Provider returned error (code 502)'
    """
    if isinstance(error, str) and error.strip():
        return error.strip()[:_LONGEST_CAUSE]
    if not isinstance(error, Mapping):
        return "the server reports a failure without a cause"
    message = error.get("message") or error.get("detail") or error.get("type")
    said = [f"code {error['code']}"] if isinstance(error.get("code"), str | int) else []
    metadata = error.get("metadata")
    if isinstance(metadata, Mapping):
        said += [f"{name} {metadata[name]}" for name in ("provider_name", "raw") if isinstance(metadata.get(name), str)]
    words = message if isinstance(message, str) else _shown(dict(error))
    return (f"{words} ({', '.join(said)})" if said else words)[:_LONGEST_CAUSE]


def _blocked_prompt(document: Mapping[str, Any]) -> str | None:
    """Return the stated reason for a blocked prompt in a response without a reply."""
    feedback = document.get("promptFeedback") or document.get("prompt_feedback")
    if isinstance(feedback, Mapping):
        reason = feedback.get("blockReason") or feedback.get("block_reason")
        if isinstance(reason, str) and reason:
            return reason
    return "content_filter" if _is_filtered(document.get("prompt_filter_results")) else None


def _is_filtered(results: Any, depth: int = 0) -> bool:
    """Return whether Azure's filter results report any filtering."""
    if depth > _DEEPEST:
        return False
    if isinstance(results, list):
        return any(_is_filtered(entry, depth + 1) for entry in results[:32])
    if not isinstance(results, Mapping):
        return False
    return results.get("filtered") is True or _is_filtered(list(results.values()), depth + 1)


def _codes(error: Any) -> Iterator[str]:
    """Yield the codes of an error and of the errors inside it."""
    for _ in range(_DEEPEST):
        if not isinstance(error, Mapping):
            return
        yield from (value for name in ("code", "type", "status") if isinstance(value := error.get(name), str))
        error = error.get("innererror") or error.get("inner_error") or error.get("error")


def _text_of(parts: Any) -> tuple[str, str]:
    """Return the text of a message's parts, including refusals but not thoughts."""
    texts, refusals = [], []
    for part in parts if isinstance(parts, list) else []:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, Mapping) and part.get("type") == "refusal":
            refusals.append(str(part.get("refusal") or ""))
        elif isinstance(part, Mapping) and part.get("type") in _TEXT_PARTS and not part.get("thought"):
            text = part.get("text")
            text = text.get("value") if isinstance(text, Mapping) else text
            if text is not None and not isinstance(text, str):
                raise NotAResponse(f"not a chat completion: a part of its content is {_shown(part)}")
            texts.append(text or "")
    return "".join(texts), "".join(refusals)


def _is_call(part: Any) -> bool:
    return isinstance(part, Mapping) and (part.get("type") in {"tool_use", "function_call"} or "functionCall" in part)


def _called(calls: Any) -> str:
    """Return a text that names the tools called; empty if there are none."""
    if isinstance(calls, Mapping):
        calls = [calls]
    names = []
    for call in calls if isinstance(calls, list) else []:
        function = call.get("function", call) if isinstance(call, Mapping) else None
        name = function.get("name") if isinstance(function, Mapping) else None
        names.append(name if isinstance(name, str) and name else "without a name")
    return f"the tool {', '.join(names)}"[:200] if names else ""


def _first(entries: Any) -> Mapping[str, Any] | None:
    return entries[0] if isinstance(entries, list) and entries and isinstance(entries[0], Mapping) else None


def _with_finish(words: str, finish: str | None) -> str:
    return words if finish is None else f"{words} (finish_reason {finish})"


def _shown(value: Any) -> str:
    text = ascii(value)
    return text if len(text) <= 120 else text[:117] + "..."
