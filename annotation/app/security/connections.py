"""Limits on the server's connections: the time within which a request must arrive, and the number of connections.

Uvicorn's protocol on h11 waits forever for the rest of a request. Here a request's head must arrive within seconds, and
its body must keep arriving; otherwise the server answers with 408 and closes the connection. None of these limits
applies after a connection's upgrade to a websocket: the session middleware opens it for sessions only, and pings close
an unresponsive one. The time for reading an answer has no limit either.
"""

from __future__ import annotations

import asyncio
import resource
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from benchwright.errors import BenchwrightError

from .attempts import address_key

_CLOSE = "Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\n"
_TOO_SLOW = "the request did not arrive in time\n"
_TOO_MANY = "too many connections at once; try again in a moment\n"
_FILES_FOR_OTHERS = 256
"""Number of file descriptors that connections leave to the store, pictures and libraries."""

Network = IPv4Network | IPv6Network


@dataclass(frozen=True)
class ConnectionLimits:
    """Limits on each connection, and on the number of connections.

    Attributes:
        head_s: Seconds until a request's head is complete, from the opening of the connection or its first byte.
        body_s: Seconds until a request's body is complete, plus a second for each `bytes_per_s` bytes received.
        bytes_per_s: Minimum speed of a body that takes longer than `body_s`, in bytes per second.
        longest_body_s: Maximum seconds until a body is complete, regardless of its speed.
        keep_alive_s: Seconds that a connection stays open for another request.
        ping_s: Seconds between pings of an open websocket, and time limit for the answer to each.
        per_address: Maximum number of simultaneous connections from one address; trusted proxies are exempt.
        in_all: Maximum number of simultaneous connections.
    """

    head_s: float = 15.0
    body_s: float = 30.0
    bytes_per_s: float = 4096.0
    longest_body_s: float = 900.0
    keep_alive_s: int = 5
    ping_s: float = 30.0
    per_address: int = 1000
    in_all: int = 4000


def trusted_network(stated: str) -> Network:
    """Return the address or network of a proxy with a trusted `X-Forwarded-For` header.

    Raises:
        BenchwrightError: The text is not an address or network, or it covers all addresses.
    """
    try:
        network = ip_network(stated.strip(), strict=False)
    except ValueError:
        raise BenchwrightError(
            f"--trusted-proxy {stated!r} is not an IP address or network such as 10.0.0.5 or 10.0.0.0/24"
        ) from None
    if network.prefixlen == 0:
        raise BenchwrightError(
            f"--trusted-proxy {stated!r} covers every address, so that any sender could claim any address; give "
            "only your proxy's"
        )
    return network


def with_more_files(limits: ConnectionLimits) -> ConnectionLimits:
    """Raise this process's limit on open files as far as needed; return connection limits that the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = limits.in_all + _FILES_FOR_OTHERS
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    in_all = limits.in_all if soft == resource.RLIM_INFINITY else min(limits.in_all, max(soft - _FILES_FOR_OTHERS, 64))
    return ConnectionLimits(**{**vars(limits), "in_all": in_all})


def served_within(limits: ConnectionLimits, trusted_proxies: tuple[Network, ...] = ()) -> dict[str, Any]:
    """Return uvicorn settings that apply these limits to connections.

    Args:
        limits: Limits on connections.
        trusted_proxies: Proxies exempt from the limit per address; default none.
    """
    return {
        "http": _bounded_protocol(limits, trusted_proxies),
        "timeout_keep_alive": limits.keep_alive_s,
        "ws": "websockets-sansio",
        "ws_ping_interval": limits.ping_s,
        "ws_ping_timeout": limits.ping_s,
    }


def _bounded_protocol(limits: ConnectionLimits, trusted_proxies: tuple[Network, ...]) -> type[H11Protocol]:
    """Return uvicorn's protocol class with these limits added."""

    @lru_cache(4096)
    def is_trusted(host: str) -> bool:
        return any(ip_address(host) in network for network in trusted_proxies)

    class BoundedProtocol(H11Protocol):
        _timer: asyncio.TimerHandle | None = None
        _until: float = 0.0
        _latest: float = 0.0
        _is_upgraded = False

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if self._is_one_too_many():
                _answer(transport, "503 Service Unavailable", _TOO_MANY, "Retry-After: 5\r\n")
                return
            self._wait_until(self.loop.time() + limits.head_s)

        def data_received(self, data: bytes) -> None:
            was_in_body = self.conn.their_state is h11.SEND_BODY
            super().data_received(data)
            self._update_deadline(len(data) if was_in_body else 0)

        def handle_websocket_upgrade(self, event: h11.Request) -> None:
            # From here on uvicorn uses another protocol for the connection, and this one gets no notice of its end. h11
            # continues to report that the body of the request is arriving.
            self._is_upgraded = True
            super().handle_websocket_upgrade(event)

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self._update_deadline(0)
            if self._is_upgraded:
                return
            if self.conn.their_state is h11.SEND_BODY:  # already answered, so the rest stays unread
                self._latest = min(self._latest, self.loop.time() + self.timeout_keep_alive)
                self._wait_until(self._until)

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_waiting()
            super().connection_lost(exc)

        def _update_deadline(self, received: int) -> None:
            """Set the deadline for the rest of the request, from the request's state.

            Args:
                received: Bytes of the body just received.
            """
            if self._is_upgraded or self.transport.is_closing():
                self._stop_waiting()
            elif self.conn.their_state is h11.SEND_BODY:
                now = self.loop.time()
                if self._latest == 0.0:
                    self._latest = now + limits.longest_body_s
                    self._wait_until(now + limits.body_s)
                else:
                    self._wait_until(self._until + received / limits.bytes_per_s)
            elif self.conn.their_state is h11.IDLE and self.conn.trailing_data[0]:
                if self._timer is None:
                    self._wait_until(self.loop.time() + limits.head_s)
            elif self.conn.their_state is not h11.IDLE or self.cycle is not None:
                self._stop_waiting()

        def _wait_until(self, until: float) -> None:
            if self._timer is not None:
                self._timer.cancel()
            self._until = min(until, self._latest) if self._latest else until
            self._timer = self.loop.call_at(self._until, self._close_if_slow)

        def _stop_waiting(self) -> None:
            if self._timer is not None:
                self._timer.cancel()
            self._timer, self._latest = None, 0.0

        def _close_if_slow(self) -> None:
            self._timer = None
            if self.flow.read_paused and self._latest > self.loop.time():
                self._wait_until(self.loop.time() + limits.body_s)  # the app itself has stopped reading
            elif self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
                _answer(self.transport, "408 Request Timeout", _TOO_SLOW)
            else:
                self.transport.close()

        def _is_one_too_many(self) -> bool:
            if len(self.connections) > limits.in_all:
                return True
            host = _peer(self)
            if host is None or len(self.connections) <= limits.per_address or is_trusted(host):
                return False
            address = _counted_by(host)
            from_address = sum(_counted_by(_peer(connection) or "") == address for connection in self.connections)
            return from_address > limits.per_address

    return BoundedProtocol


def _peer(connection: Any) -> str | None:
    return connection.client[0] if connection.client else None


_counted_by = lru_cache(4096)(address_key)


def _answer(transport: asyncio.Transport, status: str, text: str, headers: str = "") -> None:
    if not transport.is_closing():
        transport.write(f"HTTP/1.1 {status}\r\n{_CLOSE}{headers}Content-Length: {len(text)}\r\n\r\n{text}".encode())
        transport.close()
