"""The connection for edits of pictures, through OpenAI's own client, and a reader of their replies."""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import openai

from benchwright.machine.this_machine import client_settings, naming_proxies

from .completions import Completion, tokens_of
from .endpoint import BoundedClient
from .usage import Tokens
from .vendors.failures import UnusableReply
from .vendors.reply_kinds import error_in_words

if TYPE_CHECKING:
    import httpx2

    from .image_edit_request import ImageEditRequest
    from .vendors.failures import ModelAddress

MOST_REPLY_BYTES = 96 * 1024 * 1024
"""Largest reply in bytes: a picture of 16 megapixels takes up to 64 MB as PNG, and a third more in base64."""


class EditEndpoint:
    """A connection to a model that edits pictures (a `Connection`).

    Args:
        address: Address for requests, with the key.
        timeout_s: Time limit for a whole request, in seconds, from the name look-up to the last byte of the response.
        priced_by_picture: Whether the endpoint may omit the number of tokens of a picture.
    """

    def __init__(self, address: ModelAddress, timeout_s: float, *, priced_by_picture: bool) -> None:
        self._timeout_s, self._priced_by_picture = timeout_s, priced_by_picture
        with naming_proxies(address.base_url):
            http_client: httpx2.AsyncClient = BoundedClient(MOST_REPLY_BYTES, **client_settings(address.base_url))
        self._sdk = openai.AsyncOpenAI(
            api_key=address.key or "none",
            base_url=address.base_url,
            timeout=None,
            max_retries=0,
            default_headers=dict(address.headers) or None,
            http_client=http_client,
        )

    async def reply_to(self, request: ImageEditRequest, stream: Mapping[str, Any]) -> Completion:
        """Send an edit once and return the reply, whose text is the picture in base64."""
        seed = {"seed": request.seed % (1 << 31)} if request.sends_seed else {}
        mask = openai.omit if request.mask is None else ("mask.png", request.mask, "image/png")
        try:
            async with asyncio.timeout(self._timeout_s):
                response = await self._sdk.images.edit(
                    image=("image.png", request.picture, "image/png"),
                    prompt=request.words,
                    model=request.model,
                    size=request.size,
                    mask=mask,
                    extra_body={**request.parameters, **seed, **stream},
                )
        except (json.JSONDecodeError, RecursionError) as error:
            raise UnusableReply(f"not JSON: {error}") from error
        return read_edited(_document(response), priced_by_picture=self._priced_by_picture)

    async def close(self) -> None:
        """Close all connections."""
        await self._sdk.close()


def _document(response: Any) -> Any:
    """Return the server's response; the client converts any content to an object."""
    return response.to_dict() if isinstance(response, openai.BaseModel) else response


def read_edited(document: Any, *, priced_by_picture: bool) -> Completion:
    """Return the reply in a response with status 200, whose text is the picture in base64.

    Args:
        document: Body of the response, as JSON values.
        priced_by_picture: Whether the endpoint may omit the number of tokens.

    Raises:
        UnusableReply: The response contains no picture, or the server reports a failure in it.
    """
    if not isinstance(document, dict):
        raise UnusableReply(f"not an images response: {ascii(document)[:120]}")
    if document.get("error"):
        raise UnusableReply(error_in_words(document["error"]))
    pictures = document.get("data")
    first = pictures[0] if isinstance(pictures, list) and pictures else None
    text = first.get("b64_json") if isinstance(first, dict) else None
    if not isinstance(text, str) or not text:
        if isinstance(first, dict) and first.get("url"):
            raise UnusableReply(
                "the reply gives a URL instead of a picture, and Benchwright does not download it; request the picture "
                "itself with `fields: {response_format: b64_json}`"
            )
        raise UnusableReply("not an images response: it contains no picture in `data[0].b64_json`")
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise UnusableReply(f"the picture is not base64: {error}") from error
    tokens = tokens_of(document)
    return Completion(text, "stop", Tokens(0, 0) if tokens is None and priced_by_picture else tokens)
