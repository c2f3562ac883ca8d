"""Bodies of requests in the shapes of the APIs: messages, pictures and fields, each where an API has its place.

A picture is put into a body as bytes after the rest is JSON, so each API has a function for the body around pictures
and one for a picture's part.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from .apis import Api
    from .chat_request import ChatMessage, ChatRequest, RequestPicture

Shown = Callable[["RequestPicture"], Any]
"""What stands in a body for a picture."""

_BESIDE_CONTENTS = frozenset({"safetySettings", "tools", "toolConfig", "cachedContent", "labels", "serviceTier"})
"""Fields of Gemini's requests that stand beside `generationConfig`, and not in it."""


def body_of(request: ChatRequest, shown: Shown) -> dict[str, Any]:
    """Return a request's body in the shape of its API, with what `shown` returns for each picture."""
    return _BODIES[request.api](request, shown)


def picture_part(request: ChatRequest, picture: RequestPicture) -> bytes:
    """Return a picture's part of a body, as JSON."""
    return _PARTS[request.api](picture.url(), request.detail)


def _chat(request: ChatRequest, shown: Shown) -> dict[str, Any]:
    form = {} if request.response_format is None else {"response_format": dict(request.response_format)}
    messages = [{"role": message.role, "content": _content(message, shown, "text")} for message in request.messages]
    return {"model": request.model, **form, **request.parameters, "messages": messages}


def _responses(request: ChatRequest, shown: Shown) -> dict[str, Any]:
    form = request.response_format
    if form is not None:
        schema = form.get("json_schema")
        text = {"type": form["type"], **(schema if isinstance(schema, Mapping) else {})}
    messages = [
        {"role": message.role, "content": _content(message, shown, "input_text")}
        for message in request.messages
        if message.role != "system"
    ]
    return {
        "model": request.model,
        **({} if form is None else {"text": {"format": text}}),
        **request.parameters,
        **_named("instructions", _system(request)),
        "input": messages,
    }


def _anthropic(request: ChatRequest, shown: Shown) -> dict[str, Any]:
    fields = dict(request.parameters)
    schema = _schema(request)
    if schema is not None:
        fields["output_config"] = {
            **fields.get("output_config", {}), "format": {"type": "json_schema", "schema": schema}
        }  # fmt: skip
    messages = [
        {"role": message.role, "content": _content(message, shown, "text")}
        for message in request.messages
        if message.role != "system"
    ]
    return {"model": request.model, **fields, **_named("system", _system(request)), "messages": messages}


def _gemini(request: ChatRequest, shown: Shown) -> dict[str, Any]:
    """The model stands in the address; a field of its own here tells requests of two models apart in a log."""
    beside = {name: value for name, value in request.parameters.items() if name in _BESIDE_CONTENTS}
    config = {name: value for name, value in request.parameters.items() if name not in beside}
    if request.response_format is not None:
        config["responseMimeType"] = "application/json"
        if (schema := _schema(request)) is not None:
            config["responseJsonSchema"] = schema
    system = _system(request)
    contents = [
        {
            "role": "model" if message.role == "assistant" else "user",
            "parts": [
                {"text": part} if isinstance(part, str) else shown(cast("RequestPicture", part))
                for part in message.parts
            ],
        }
        for message in request.messages
        if message.role != "system"
    ]
    return {
        **beside,
        **_named("generationConfig", config),
        **_named("systemInstruction", system and {"parts": [{"text": system}]}),
        "contents": contents,
    }


def _content(message: ChatMessage, shown: Shown, text: str) -> str | list[Any]:
    if message.role != "user":
        return "".join(part for part in message.parts if isinstance(part, str))
    return [
        {"type": text, "text": part} if isinstance(part, str) else shown(cast("RequestPicture", part))
        for part in message.parts
    ]


def _system(request: ChatRequest) -> str:
    return "\n\n".join(
        "".join(part for part in message.parts if isinstance(part, str))
        for message in request.messages
        if message.role == "system"
    )


def _schema(request: ChatRequest) -> Any:
    form = request.response_format or {}
    wanted = form.get("json_schema")
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
    """Return media type and base64 of a data URL; None for another address."""
    if not url.startswith(b"data:"):
        return None
    head, _, data = url.partition(b",")
    return head[len(b"data:") :].partition(b";")[0], data


_BODIES: Mapping[Api, Callable[[ChatRequest, Shown], dict[str, Any]]] = {
    "chat": _chat, "responses": _responses, "anthropic": _anthropic, "gemini": _gemini,
}  # fmt: skip
_PARTS: Mapping[Api, Callable[[bytes, str | None], bytes]] = {
    "chat": _chat_part, "responses": _responses_part, "anthropic": _anthropic_part, "gemini": _gemini_part,
}  # fmt: skip
