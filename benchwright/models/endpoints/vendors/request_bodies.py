"""Request bodies in the shapes of the APIs: messages, pictures and fields, each where the API expects them.

Pictures are inserted into a body as bytes after the rest is encoded as JSON, so each API has one function for the body
around pictures and one for a picture's part.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

Api = Literal["chat", "responses", "anthropic", "gemini"]
"""The APIs: OpenAI's chat completions, which most servers support, its Responses, and the native APIs of Anthropic and
Gemini."""

Messages = Sequence[tuple[str, Sequence[Any]]]
"""Role of each message, and its parts: texts, and pictures."""
Fields = Mapping[str, Any]
Shown = Callable[[Any], Any]
"""Function that returns the placeholder of a picture in a body."""

_BESIDE_CONTENTS = frozenset({"safetySettings", "tools", "toolConfig", "cachedContent", "labels", "serviceTier"})
"""Fields of Gemini's requests that are next to `generationConfig` rather than inside it."""


def body_of(
    api: Api, model: str, messages: Messages, fields: Fields, form: Fields | None, shown: Shown
) -> dict[str, Any]:
    """Return a request's body in the shape of its API.

    Args:
        api: API of the model.
        model: Name of the model at the endpoint.
        messages: Messages in order.
        fields: Fields besides messages and model.
        form: Form of the reply, in the notation of chat completions; None for free text.
        shown: Function that returns the placeholder of a picture.
    """
    return _BODIES[api](model, messages, fields, form, shown)


def picture_part(api: Api, url: bytes, detail: str | None) -> bytes:
    """Return the part of a request body that holds a picture, as JSON.

    Args:
        api: API of the model.
        url: Picture's address, or the file itself as a data URL, without characters that JSON escapes.
        detail: Detail in which the model sees it, for APIs with detail per picture.
    """
    return _PARTS[api](url, detail)


def _chat(model: str, messages: Messages, fields: Fields, form: Fields | None, shown: Shown) -> dict[str, Any]:
    turns = [{"role": role, "content": _content(role, parts, shown, "text")} for role, parts in messages]
    return {"model": model, **({} if form is None else {"response_format": dict(form)}), **fields, "messages": turns}


def _responses(model: str, messages: Messages, fields: Fields, form: Fields | None, shown: Shown) -> dict[str, Any]:
    text: dict[str, Any] = {}
    if form is not None:
        schema = form.get("json_schema")
        text = {"text": {"format": {"type": form["type"], **(schema if isinstance(schema, Mapping) else {})}}}
    turns = _turns(messages, shown, "input_text")
    return {"model": model, **text, **fields, **_named("instructions", _system(messages)), "input": turns}


def _anthropic(model: str, messages: Messages, fields: Fields, form: Fields | None, shown: Shown) -> dict[str, Any]:
    given = dict(fields)
    if (schema := _schema(form)) is not None:
        wanted = {"format": {"type": "json_schema", "schema": schema}}
        given["output_config"] = {**given.get("output_config", {}), **wanted}
    turns = _turns(messages, shown, "text")
    return {"model": model, **given, **_named("system", _system(messages)), "messages": turns}


def _gemini(_: str, messages: Messages, fields: Fields, form: Fields | None, shown: Shown) -> dict[str, Any]:
    """Return the body, without the model, which is part of the URL."""
    beside = {name: value for name, value in fields.items() if name in _BESIDE_CONTENTS}
    config = {name: value for name, value in fields.items() if name not in beside}
    if form is not None:
        config["responseMimeType"] = "application/json"
        if (schema := _schema(form)) is not None:
            config["responseJsonSchema"] = schema
    system = _system(messages)
    contents = [
        {
            "role": "model" if role == "assistant" else "user",
            "parts": [{"text": part} if isinstance(part, str) else shown(part) for part in parts],
        }
        for role, parts in messages
        if role != "system"
    ]
    return {
        **beside,
        **_named("generationConfig", config),
        **_named("systemInstruction", system and {"parts": [{"text": system}]}),
        "contents": contents,
    }


def _turns(messages: Messages, shown: Shown, text: str) -> list[dict[str, Any]]:
    """Return the messages without system messages, which some APIs expect in a separate field."""
    return [
        {"role": role, "content": _content(role, parts, shown, text)} for role, parts in messages if role != "system"
    ]


def _content(role: str, parts: Sequence[Any], shown: Shown, text: str) -> str | list[Any]:
    if role != "user":
        return "".join(part for part in parts if isinstance(part, str))
    return [{"type": text, "text": part} if isinstance(part, str) else shown(part) for part in parts]


def _system(messages: Messages) -> str:
    systems = [parts for role, parts in messages if role == "system"]
    return "\n\n".join("".join(part for part in parts if isinstance(part, str)) for parts in systems)


def _schema(form: Fields | None) -> Any:
    wanted = (form or {}).get("json_schema")
    return wanted.get("schema") if isinstance(wanted, Mapping) else None


def _named(name: str, value: Any) -> dict[str, Any]:
    return {name: value} if value else {}


def _chat_part(url: bytes, detail: str | None) -> bytes:
    return b'{"type":"image_url","image_url":{"url":"' + url + b'"' + _detail(detail) + b"}}"


def _responses_part(url: bytes, detail: str | None) -> bytes:
    return b'{"type":"input_image","image_url":"' + url + b'"' + _detail(detail) + b"}"


def _detail(detail: str | None) -> bytes:
    return b"" if detail is None else b',"detail":' + json.dumps(detail).encode("ascii")


def _anthropic_part(url: bytes, _: str | None) -> bytes:
    if (inline := _inline(url)) is None:
        return b'{"type":"image","source":{"type":"url","url":"' + url + b'"}}'
    media_type, data = inline
    return b'{"type":"image","source":{"type":"base64","media_type":"' + media_type + b'","data":"' + data + b'"}}'


def _gemini_part(url: bytes, _: str | None) -> bytes:
    if (inline := _inline(url)) is None:
        return b'{"fileData":{"fileUri":"' + url + b'"}}'
    media_type, data = inline
    return b'{"inlineData":{"mimeType":"' + media_type + b'","data":"' + data + b'"}}'


def _inline(url: bytes) -> tuple[bytes, bytes] | None:
    """Return the media type and the base64 content of a data URL; None for any other URL."""
    if not url.startswith(b"data:"):
        return None
    head, _, data = url.partition(b",")
    return head[len(b"data:") :].partition(b";")[0], data


_BODIES: Mapping[Api, Callable[[str, Messages, Fields, Fields | None, Shown], dict[str, Any]]] = {
    "chat": _chat, "responses": _responses, "anthropic": _anthropic, "gemini": _gemini,
}  # fmt: skip
_PARTS: Mapping[Api, Callable[[bytes, str | None], bytes]] = {
    "chat": _chat_part, "responses": _responses_part, "anthropic": _anthropic_part, "gemini": _gemini_part,
}  # fmt: skip
