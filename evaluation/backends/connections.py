"""Connections to an endpoint: HTTP/1.1 on bare asyncio, for requests that carry pictures.

General clients spend most of their time per request in layers that chat requests do not need (streams, HTTP/2,
several event loop libraries). This transport sends a body in one piece and reads the response whole, up to a
limit. Where a proxy stands between, the general transport is used, within the same limit.
"""

from __future__ import annotations

import asyncio
import ssl
import urllib.request
from typing import TYPE_CHECKING

import h11
import httpx2

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, Sequence

MAX_RESPONSE_BYTES = 8 * 1024 * 1024
LARGE_PIECE_BYTES = 64 * 1024


class UnusableResponse(ValueError):
    """A response that is not read to its end, because of its size or its coding."""


def transport_for(url: str) -> httpx2.AsyncBaseTransport:
    """Return the transport for requests to a URL; it uses the proxy that the environment names for the URL, if any."""
    parts = httpx2.URL(url)
    proxy = None
    if not urllib.request.proxy_bypass(parts.host):
        proxies = urllib.request.getproxies()
        proxy = proxies.get(parts.scheme) or proxies.get("all")
    if proxy is None:
        return Direct()
    limits = httpx2.Limits(max_connections=None)
    return Bounded(httpx2.AsyncHTTPTransport(proxy=httpx2.Proxy(proxy), limits=limits))


class Bounded(httpx2.AsyncBaseTransport):
    """Another transport whose responses are read whole, up to the limit."""

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Return the response with its body."""
        response = await self._inner.handle_async_request(request)
        try:
            _refuse_coded(response.headers.get("content-encoding"))
            assert not isinstance(response.stream, httpx2.SyncByteStream)
            body = await _whole(response.stream)
        finally:
            await response.aclose()
        return httpx2.Response(response.status_code, headers=response.headers, content=body)

    async def aclose(self) -> None:
        """Close all connections."""
        await self._inner.aclose()


async def _whole(stream: AsyncIterable[bytes]) -> bytes:
    body = bytearray()
    async for piece in stream:
        body += piece
        _refuse_long(len(body))
    return bytes(body)


def _refuse_long(size: int) -> None:
    if size > MAX_RESPONSE_BYTES:
        raise UnusableResponse(f"more than {MAX_RESPONSE_BYTES} bytes")


def _refuse_coded(coding: str | None) -> None:
    # Requests ask for plain bytes; a few coded ones could unfold to any size.
    if coding not in {None, "", "identity"}:
        raise UnusableResponse(f"content-encoding {coding!r} was not asked for")


class Direct(httpx2.AsyncBaseTransport):
    """Kept-alive HTTP/1.1 connections, one request at a time on each; as many as there are requests under way."""

    def __init__(self) -> None:
        self._idle: dict[tuple[str, str, int], list[_Connection]] = {}
        self._open: set[_Connection] = set()
        self._tls: ssl.SSLContext | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request whose body is in memory and return the whole response.

        Raises:
            httpx2.ConnectError: No server listens there, or TLS fails.
            httpx2.TransportError: The connection broke, or the response is not HTTP.
            UnusableResponse: The response is too long.
        """
        place = request.url.scheme, request.url.host, request.url.port or (443 if request.url.scheme == "https" else 80)
        connection = self._kept(place) or await self._connect(*place)
        try:
            response = await connection.exchange(request)
        except BaseException:
            connection.close()
            raise
        if connection.reusable:
            self._idle.setdefault(place, []).append(connection)
        else:
            connection.close()
        return response

    async def aclose(self) -> None:
        """Close all connections, and wait until they are closed."""
        closing = list(self._open)
        self._idle.clear()
        for connection in closing:
            connection.close()
        await asyncio.gather(*(connection.closed() for connection in closing))

    def _kept(self, place: tuple[str, str, int]) -> _Connection | None:
        idle = self._idle.get(place, [])
        while idle:
            connection = idle.pop()
            if connection.reusable:
                return connection
            connection.close()
        return None

    async def _connect(self, scheme: str, host: str, port: int) -> _Connection:
        tls = None
        if scheme == "https":
            tls = self._tls = self._tls or httpx2.create_ssl_context()
        connect = asyncio.get_running_loop().create_connection
        try:
            _, connection = await connect(lambda: _Connection(self._open), host, port, ssl=tls)
        except OSError as error:
            raise httpx2.ConnectError(str(error)) from error
        return connection


class _Connection(asyncio.Protocol):
    """One connection: the request that is sent, and the response so far. Open connections are listed in `open_ones`."""

    def __init__(self, open_ones: set[_Connection]) -> None:
        self._open_ones = open_ones
        self._http = h11.Connection(h11.CLIENT)
        self._lost = asyncio.get_running_loop().create_future()
        self._done: asyncio.Future[None] | None = None
        self._head: h11.Response | None = None
        self._body = bytearray()
        self._small = bytearray()

    @property
    def reusable(self) -> bool:
        """Return whether another request may be sent."""
        return self._http.our_state is h11.IDLE and not self._lost.done() and not self._transport.is_closing()

    async def exchange(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request and return the response to it."""
        self._done = asyncio.get_running_loop().create_future()
        self._head, self._body = None, bytearray()
        request_head = h11.Request(method=request.method, target=request.url.raw_path, headers=request.headers.raw)
        assert isinstance(request.stream, httpx2.AsyncByteStream)
        try:
            self._write(self._http.send_with_data_passthrough(request_head) or [])
            async for piece in request.stream:
                # Passed through, so that h11 does not copy a body of megabytes.
                self._write(self._http.send_with_data_passthrough(h11.Data(data=piece)) or [])
            self._write(self._http.send_with_data_passthrough(h11.EndOfMessage()) or [], last=True)
        except h11.LocalProtocolError as error:
            raise httpx2.LocalProtocolError(str(error)) from error
        await self._done
        head: h11.Response | None = self._head
        assert head is not None
        if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE:
            self._http.start_next_cycle()
        return httpx2.Response(head.status_code, headers=head.headers.raw_items(), content=bytes(self._body))

    def _write(self, pieces: Sequence[bytes], *, last: bool = False) -> None:
        """Send large pieces as they are and small ones together: each call to the system costs more than a copy."""
        for piece in pieces:
            if len(piece) < LARGE_PIECE_BYTES:
                self._small += piece
            else:
                self._flush()
                self._transport.write(piece)
        if last or len(self._small) >= LARGE_PIECE_BYTES:
            self._flush()

    def _flush(self) -> None:
        if self._small:
            self._transport.write(bytes(self._small))
            self._small.clear()

    def close(self) -> None:
        """Close at once; a request under way fails."""
        self._transport.abort()

    async def closed(self) -> None:
        """Wait until the connection is closed."""
        await self._lost

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._open_ones.add(self)

    def data_received(self, data: bytes) -> None:
        """Process a piece of the response."""
        self._take(data)

    def eof_received(self) -> None:
        """Process the end of the response."""
        self._take(b"")

    def connection_lost(self, error: Exception | None) -> None:
        """Make the request under way fail."""
        self._open_ones.discard(self)
        if not self._lost.done():
            self._lost.set_result(None)
        self._fail(httpx2.ReadError(str(error)) if error else httpx2.RemoteProtocolError("the server hung up"))

    def _take(self, data: bytes) -> None:
        try:
            self._http.receive_data(data)
            while self._done is not None and not self._done.done():
                event = self._http.next_event()
                if event is h11.NEED_DATA or event is h11.PAUSED or isinstance(event, h11.ConnectionClosed):
                    return
                self._note(event)
        except h11.RemoteProtocolError as error:
            self._fail(httpx2.RemoteProtocolError(str(error)))
        except UnusableResponse as error:
            self._fail(error)

    def _note(self, event: object) -> None:
        if isinstance(event, h11.Response):
            coding = dict(event.headers).get(b"content-encoding")
            _refuse_coded(None if coding is None else coding.decode("latin-1"))
            self._head = event
        elif isinstance(event, h11.Data):
            self._body += event.data
            _refuse_long(len(self._body))
        elif isinstance(event, h11.EndOfMessage):
            assert self._done is not None
            self._done.set_result(None)

    def _fail(self, error: Exception) -> None:
        if self._done is not None and not self._done.done():
            self._done.set_exception(error)
