"""The connection to an endpoint: its vendor's client (`vendor_clients.py`) on an HTTP client with limits.

A time limit covers the whole request, whatever the response and its speed. An HTTP client's own timeout covers only a
single read, and a server that sends a byte now and then never exceeds it. A response is read up to a size limit. An
unrequested compressed response is unpacked up to the same limit, because a few bytes could expand to any size.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import httpx2

from benchwright.errors import PrerequisiteError
from benchwright.machine.this_machine import client_settings, naming_proxies

from .completions import Completion, read_completion
from .vendors.failures import ModelAddress, UnusableReply
from .vendors.vendor_clients import vendor_client

if TYPE_CHECKING:
    from .chat_request import ChatRequest

MAX_REPLY_BYTES = 8 * 1024 * 1024
MAX_STREAM_BYTES = 64 * 1024 * 1024
"""Largest streamed reply in bytes; such a reply takes some 250 bytes per token."""
_WINDOW_BITS = {"gzip": 31, "x-gzip": 31, "deflate": 15}
"""Supported content codings, each with the window size of its `zlib` decoder."""
_OF_THE_CODING = frozenset({"content-encoding", "content-length", "transfer-encoding"})
"""Headers that describe the body as received, not as decoded."""


class Endpoint:
    """One model in one API. The environment may name proxies for models on other machines.

    Args:
        address: Address for requests, with the key.
        timeout_s: Time limit for a whole request, in seconds, from the name look-up to the last byte of the response.

    Raises:
        PrerequisiteError: The key contains characters that are not allowed in a header, a proxy cannot be used, or the
            package of the API's client is not installed.
    """

    def __init__(self, address: ModelAddress, timeout_s: float) -> None:
        if not address.key.isascii() or not (address.key or "none").isprintable():
            raise PrerequisiteError(
                f"the key in {address.key_variable} is invalid: keys consist of printable ASCII characters"
            )
        self._timeout_s = timeout_s
        with naming_proxies(address.base_url):
            http_client = BoundedClient(**client_settings(address.base_url))
        self._client = vendor_client(address, http_client)

    async def reply_to(self, request: ChatRequest, stream: Mapping[str, Any]) -> Completion:
        """Send a request once and return the reply.

        Args:
            request: The request.
            stream: Fields that control how the reply is transferred.

        Raises:
            UnusableReply: As for `post`, or the body is not a reply or reports a failure.
            TimeoutError: As for `post`.
            openai.APIError: As for `post`.
        """
        return read_completion(await self.post(request.encoded(stream)))

    async def post(self, body: bytes) -> bytes:
        """Send a request once and return the body of the response.

        Args:
            body: JSON of the request, sent unchanged, so that pictures of megabytes are not serialized again.

        Raises:
            TimeoutError: The response did not arrive in time.
            UnusableReply: The response is too long, or compressed in an unknown or broken way.
            openai.APIStatusError: The status is not a success.
            openai.APIConnectionError: The connection failed.
        """
        async with asyncio.timeout(self._timeout_s):
            return await self._client.post(body)

    async def close(self) -> None:
        """Close all connections."""
        await self._client.close()


class BoundedClient(httpx2.AsyncClient):
    """An HTTP client that reads whole responses up to a size limit and follows no redirects.

    The limit is `MAX_REPLY_BYTES`, and `MAX_STREAM_BYTES` for a stream of events. Redirects would send the key to an
    address that the user did not name. The caller limits the time, and the pace of requests limits the number of
    connections.

    Args:
        most_bytes: Another limit on a response, such as the results of a batch.
        settings: Further settings of the client (`this_machine.client_settings`).
    """

    def __init__(self, most_bytes: int | None = None, **settings: Any) -> None:
        self._most_bytes = most_bytes
        super().__init__(
            **settings,
            timeout=None,
            follow_redirects=False,
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=None),
            headers={"accept-encoding": "identity"},
        )

    async def send(self, request: httpx2.Request, **settings: Any) -> httpx2.Response:
        """Send a request and return the response with its body.

        Raises:
            UnusableReply: The response is too long, or compressed in an unknown or broken way.
        """
        for name in [name for name in request.headers if name.startswith("x-stainless")]:
            del request.headers[name]  # a description of this machine, which concerns no endpoint
        settings["stream"] = True
        response = await super().send(request, **settings)
        try:
            body = await _body(response, self._most_bytes)
        finally:
            await response.aclose()
        headers = [(name, value) for name, value in response.headers.multi_items() if name not in _OF_THE_CODING]
        return httpx2.Response(response.status_code, headers=headers, content=body, request=request)


async def _body(response: httpx2.Response, most_bytes: int | None) -> bytes:
    coding = response.headers.get("content-encoding", "identity").strip().lower()
    if coding not in _WINDOW_BITS and coding not in {"", "identity"}:
        raise UnusableReply(f"content-encoding {coding!r} was not requested and is not supported")
    is_stream = response.headers.get("content-type", "").lower().startswith("text/event-stream")
    most_bytes = most_bytes or (MAX_STREAM_BYTES if is_stream else MAX_REPLY_BYTES)
    unpacking = zlib.decompressobj(_WINDOW_BITS[coding]) if coding in _WINDOW_BITS else None
    body = bytearray()
    async for piece in response.aiter_raw():
        try:
            body += piece if unpacking is None else unpacking.decompress(piece, most_bytes + 1 - len(body))
        except zlib.error as error:
            raise UnusableReply(f"broken {coding}: {error}") from error
        if len(body) > most_bytes:
            raise UnusableReply(f"more than {most_bytes} bytes")
    if unpacking is not None and not unpacking.eof:
        raise UnusableReply(f"broken {coding}: it ends too early")
    return bytes(body)
