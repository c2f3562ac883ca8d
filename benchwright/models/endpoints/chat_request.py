"""Chat requests: messages of text and pictures, the fields beside them, and the forms in which they travel."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class RequestPicture:
    """A picture of a request.

    Args:
        sha256: Of the file that the model's side decodes; it stands for the picture in logs.
        url: Function that returns the picture's address, or the file itself as a data URL, without characters that
            JSON escapes; called at each sending, so that requests that wait hold no copy.
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
        model: Model as the endpoint calls it.
        messages: Messages in order, without pixels.
        parameters: Fields beside messages and model, to which a model may object.
        response_format: Form of the reply that the server is to enforce; None for free text.
    """

    model: str
    messages: Sequence[ChatMessage]
    parameters: Mapping[str, Any]
    response_format: Mapping[str, Any] | None = None

    @property
    def pictures(self) -> list[RequestPicture]:
        """The pictures of all messages, in order."""
        return [part for message in self.messages for part in message.parts if isinstance(part, RequestPicture)]

    def with_parameters(self, parameters: Mapping[str, Any]) -> ChatRequest:
        """Return the same messages with other fields beside them."""
        return replace(self, parameters=parameters)

    def encoded(self, more: Mapping[str, Any] | None = None) -> bytes:
        """Return the body as it goes over the wire; `more` are fields that say how the reply travels.

        Pictures are put in after the rest is JSON: to search 500 kB in base64 for characters to escape takes longer
        than to send them. The mark is random, so that no text can hold it.
        """
        mark = secrets.token_hex(16)
        body = self._body(lambda _: {"type": "image_url", "image_url": {"url": mark}}) | dict(more or {})
        start, *rest = json.dumps(body, separators=(",", ":"), allow_nan=False).encode("ascii").split(mark.encode())
        pieces = [start]
        for picture, piece in zip(self.pictures, rest, strict=True):
            pieces += [picture.url(), piece]
        return b"".join(pieces)

    def logged(self) -> dict[str, Any]:
        """Return the body as logs keep it: pictures by their SHA-256."""
        return self._body(lambda picture: {"type": "image_url", "sha256": picture.sha256})

    def _body(self, shown: Callable[[RequestPicture], dict[str, Any]]) -> dict[str, Any]:
        form = {} if self.response_format is None else {"response_format": dict(self.response_format)}
        messages = [{"role": message.role, "content": _content(message, shown)} for message in self.messages]
        return {"model": self.model, **form, **self.parameters, "messages": messages}


def _content(message: ChatMessage, shown: Callable[[RequestPicture], dict[str, Any]]) -> str | list[dict[str, Any]]:
    if message.role != "user":
        return "".join(part for part in message.parts if isinstance(part, str))
    return [
        shown(part) if isinstance(part, RequestPicture) else {"type": "text", "text": part} for part in message.parts
    ]
