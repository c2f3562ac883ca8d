"""Chat requests as they are sent: JSON in pieces, so that pictures of megabytes are neither copied nor searched."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchwright.canonical import digest

from ..questions.question import QuestionImage
from .sent_pictures import SentPicture, SentPictures

Content = Sequence[str | SentPicture]
LARGE_BYTES = 64 * 1024
"""From this size on a piece of a body stays a piece of its own."""


@dataclass(frozen=True)
class ChatRequest:
    """One request, ready to be sent.

    Args:
        key: SHA-256 over address, model, words, decoding and the pictures' SHA-256: equal requests, equal keys.
        body: The body with each picture's address replaced by its SHA-256, as logs keep it.
        pictures: Pictures of the request, in order.
        pieces: The body in bytes, in order; the first has the fields before the messages.
        base_url: Address of the endpoint.
        image_urls: Address below which the server fetches pictures; they are part of the request where None.
    """

    key: str
    body: Mapping[str, Any]
    pictures: tuple[SentPicture, ...]
    pieces: tuple[bytes | SentPicture, ...]
    base_url: str
    image_urls: str | None

    @property
    def parameters(self) -> dict[str, Any]:
        """Return the body's fields beside the messages."""
        return {name: value for name, value in self.body.items() if name != "messages"}

    def with_parameters(self, parameters: Mapping[str, Any]) -> ChatRequest:
        """Return the same messages with other fields beside them."""
        body = {**parameters, "messages": self.body["messages"]}
        key = _key(body, self.base_url, self.image_urls)
        return replace(self, key=key, body=body, pieces=(_json(parameters)[:-1], *self.pieces[1:]))

    def encoded(self) -> list[bytes]:
        """Return the body as it goes over the wire, in pieces; large ones of pictures are shared, not copied."""
        wire: list[bytes] = []
        small: list[bytes] = []
        for piece in self.pieces:
            if isinstance(piece, bytes):
                small.append(piece)
            elif self.image_urls is not None:
                small.append(f"{self.image_urls}/{piece.file_name}".encode())
            else:
                small.append(b"data:" + piece.media_type.encode() + b";base64,")
                if len(piece.base64) < LARGE_BYTES:
                    small.append(piece.base64)
                else:
                    wire += [b"".join(small), piece.base64]
                    small.clear()
        return [*wire, b"".join(small)]


def chat_request(
    messages: Sequence[tuple[str, Sequence[str | QuestionImage]]],
    parameters: Mapping[str, Any],
    pictures: SentPictures,
    *,
    base_url: str,
    image_urls: str | None = None,
) -> ChatRequest:
    """Return the request for messages, each a role and its parts.

    Args:
        messages: Role and parts of each message, in order.
        parameters: The body's other fields: model and decoding.
        pictures: Cache that makes pictures ready.
        base_url: Address of the endpoint.
        image_urls: Address below which the server fetches pictures by their file names; they are part of the request
            where None.

    Raises:
        BenchwrightError: A picture cannot be made ready.
    """
    pieces: list[bytes | SentPicture] = [_json(parameters)[:-1], b',"messages":[' if parameters else b'"messages":[']
    shown: list[SentPicture] = []
    logged = []
    for number, (role, parts) in enumerate(messages):
        content = [pictures.of(part) if isinstance(part, QuestionImage) else part for part in parts]
        pieces += [b"," if number else b"", b'{"role":', _json(role), b',"content":[', *_content(content), b"]}"]
        shown += [part for part in content if isinstance(part, SentPicture)]
        logged.append({"role": role, "content": [_logged(part) for part in content]})
    pieces.append(b"]}")
    body = {**parameters, "messages": logged}
    return ChatRequest(_key(body, base_url, image_urls), body, tuple(shown), tuple(pieces), base_url, image_urls)


def _key(body: Mapping[str, Any], base_url: str, image_urls: str | None) -> str:
    return digest({"base_url": base_url, "by_url": image_urls is not None, "body": body})


def _content(content: Content) -> list[bytes | SentPicture]:
    pieces: list[bytes | SentPicture] = []
    for number, part in enumerate(content):
        pieces.append(b"," if number else b"")
        if isinstance(part, SentPicture):
            pieces += [b'{"type":"image_url","image_url":{"url":"', part, b'"}}']
        else:
            pieces.append(_json({"type": "text", "text": part}))
    return pieces


def _logged(part: str | SentPicture) -> dict[str, Any]:
    if isinstance(part, SentPicture):
        return {"type": "image_url", "sha256": part.sha256}
    return {"type": "text", "text": part}


def _json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()
