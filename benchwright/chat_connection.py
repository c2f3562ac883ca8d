"""HTTP for `benchwright.chat`: a try is bounded as a whole, whatever the server sends and however slowly.

An HTTP client's own timeout is for a single read: a server that sends a byte now and then, of its headers or of the
reply, would never meet it. Only a task of an event loop can be ended at any moment, so requests run in one.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

import httpx2

T = TypeVar("T")


class BoundedClient(httpx2.AsyncClient):
    """A client whose every request ends in time, with at most so many bytes of the reply.

    Args:
        whole_s: From looking the name up to the last byte.
        max_bytes: Of the reply, once decompressed; of a larger one a byte more is returned, and the rest not read.
    """

    def __init__(self, *, whole_s: float, max_bytes: int) -> None:
        # Redirects are not followed: the key must not go to an address that nobody named.
        super().__init__(timeout=whole_s, follow_redirects=False)
        self._whole_s = whole_s
        self._max_bytes = max_bytes

    async def send(self, request: httpx2.Request, **settings: Any) -> httpx2.Response:
        """Send a request and return the response with its body.

        Raises:
            httpx2.ReadTimeout: It did not end in time.
        """
        settings["stream"] = True
        try:
            async with asyncio.timeout(self._whole_s):
                response = await super().send(request, **settings)
                try:
                    data = await self._body(response)
                finally:
                    await response.aclose()
        except TimeoutError:
            raise httpx2.ReadTimeout(f"not ended within {self._whole_s:g} s", request=request) from None
        kept = [(name, value) for name, value in response.headers.multi_items() if name not in _OF_THE_TRANSFER]
        return httpx2.Response(response.status_code, headers=kept, content=data, request=request)

    async def _body(self, response: httpx2.Response) -> bytes:
        data = bytearray()
        async for piece in response.aiter_bytes():
            data += piece
            if len(data) > self._max_bytes:
                break
        return bytes(data[: self._max_bytes + 1])


_OF_THE_TRANSFER = frozenset({"content-encoding", "content-length", "transfer-encoding"})


class LoopThread:
    """An event loop in a thread of its own, for callers that have none; several threads may use it at once."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="chat", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what some work returns; it ends with the caller's interest in it."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def close(self) -> None:
        """End the loop."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
