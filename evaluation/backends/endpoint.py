"""Chat completions of one endpoint: address, headers and responses.

The client of `openai` supplies the address and headers, with the key, organization and project from the environment.
The exchange itself goes directly over the connection, because the client's other work per request costs more than
everything else together.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import httpx2

from .connections import transport_for

_NOT_SENT = "x-stainless"
"""How the client describes this machine, which concerns no endpoint."""


class Endpoint:
    """Where chat requests of one model go.

    Args:
        base_url: Address without `/chat/completions`.
        key: Key for the endpoint; empty for a server that needs none.
        timeout_s: Seconds a request, for transports that keep time themselves.
    """

    def __init__(self, base_url: str, key: str, timeout_s: float) -> None:
        from openai import AsyncOpenAI

        self._transport = transport_for(base_url)
        # Without a client of ours it would make one of its own, with all certificates read.
        client = AsyncOpenAI(
            api_key=key or "none", base_url=base_url, http_client=httpx2.AsyncClient(transport=self._transport)
        )
        self._url = httpx2.URL(f"{base_url}/chat/completions")
        client_headers = {**client.default_headers, **client.auth_headers}
        stated = {name.lower(): value for name, value in client_headers.items() if isinstance(value, str)}
        own = {"host": self._url.netloc.decode("ascii"), "accept-encoding": "identity"}
        self._headers = [
            (name.encode(), value.encode())
            for name, value in sorted((stated | own).items())
            if not name.startswith(_NOT_SENT)
        ]
        self._extensions = {"timeout": httpx2.Timeout(timeout_s).as_dict()}

    async def post(self, pieces: Sequence[bytes]) -> httpx2.Response:
        """Send a body of JSON, in pieces, and return the whole response.

        Raises:
            httpx2.HTTPError: The connection failed.
            UnusableResponse: The response is too long, or coded.
        """
        length = str(sum(map(len, pieces))).encode()
        request = httpx2.Request(
            "POST",
            self._url,
            headers=[*self._headers, (b"content-length", length)],
            stream=_Pieces(pieces),
            extensions=self._extensions,
        )
        return await self._transport.handle_async_request(request)

    async def close(self) -> None:
        """Close all connections."""
        await self._transport.aclose()


class _Pieces(httpx2.AsyncByteStream):
    def __init__(self, pieces: Sequence[bytes]) -> None:
        self._pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece


def error_of(response: httpx2.Response) -> tuple[str, Any]:
    """Return the error in an unsuccessful response: words for people, and its error object, if it has one."""
    text = response.content[:10_000].decode("utf-8", "replace")
    try:
        document = json.loads(response.content)
    except (ValueError, RecursionError):
        return text, None
    error = document.get("error") if isinstance(document, dict) else None
    message = error.get("message") if isinstance(error, dict) else error
    return message if isinstance(message, str) else text, error
