"""Chat requests: messages of text and pictures, further fields, and their encoding."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from .vendors.request_bodies import body_of, picture_part

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .vendors.request_bodies import Api


@dataclass(frozen=True)
class RequestPicture:
    """A picture of a request.

    Args:
        sha256: SHA-256 of the file that the endpoint decodes; it represents the picture in logs.
        url: Function that returns the picture's address, or the file itself as a data URL, without characters that JSON
            escapes; it is called at each sending, so that waiting requests hold no copy.
    """

    sha256: str
    url: Callable[[], bytes]


class ChatMessage(NamedTuple):
    """One message of a conversation: its role, and its text and pictures ((height, width, 3) RGB) in order."""

    role: Literal["system", "user", "assistant"]
    parts: Sequence[str | RequestPicture | NDArray[np.uint8]]


@dataclass(frozen=True)
class ChatRequest:
    """One request to a model.

    Args:
        model: Name of the model at the endpoint.
        messages: Messages in order, without pixels.
        parameters: Fields besides messages and model; a model may refuse them.
        response_format: Form of the reply for the server to enforce; None for free text.
        api: API through which the model is asked.
        detail: Detail in which the model sees pictures, for APIs that state it per picture; None leaves it unset.
    """

    model: str
    messages: Sequence[ChatMessage]
    parameters: Mapping[str, Any]
    response_format: Mapping[str, Any] | None = None
    api: Api = "chat"
    detail: str | None = None

    @property
    def pictures(self) -> list[RequestPicture]:
        """The pictures of all messages, in order."""
        return [part for message in self.messages for part in message.parts if isinstance(part, RequestPicture)]

    def with_parameters(self, parameters: Mapping[str, Any]) -> ChatRequest:
        """Return the same messages with other fields."""
        return replace(self, parameters=parameters)

    def with_pictures(self, pictures: Sequence[RequestPicture]) -> ChatRequest:
        """Return the same request with other pictures, in the order of `self.pictures`."""
        others = iter(pictures)
        messages = [
            ChatMessage(role, [next(others) if isinstance(part, RequestPicture) else part for part in parts])
            for role, parts in self.messages
        ]
        return replace(self, messages=messages)

    def encoded(self, more: Mapping[str, Any] | None = None) -> bytes:
        """Return the body to send; `more` contains fields on how the reply is transferred.

        Pictures are inserted after the rest is encoded as JSON, because searching 500 kB of base64 for characters to
        escape takes longer than sending them. The placeholder is random, so that no text contains it.
        """
        mark = secrets.token_hex(16)
        body = self._body(lambda _: mark) | dict(more or {})
        text = json.dumps(body, separators=(",", ":"), allow_nan=False)
        start, *rest = text.encode("ascii").split(f'"{mark}"'.encode("ascii"))
        pieces = [start]
        for picture, piece in zip(self.pictures, rest, strict=True):
            pieces += [picture_part(self.api, picture.url(), self.detail), piece]
        return b"".join(pieces)

    def logged(self) -> dict[str, Any]:
        """Return the body for logs: pictures are replaced by their SHA-256, and requests remain distinguishable."""
        detail = {} if self.detail is None else {"detail": self.detail}
        body = self._body(lambda picture: {"type": "image_url", "sha256": picture.sha256} | detail)
        return body if self.api == "chat" else {"api": self.api, "model": self.model, **body}

    def _body(self, shown: Callable[[RequestPicture], Any]) -> dict[str, Any]:
        return body_of(self.api, self.model, self.messages, self.parameters, self.response_format, shown)
