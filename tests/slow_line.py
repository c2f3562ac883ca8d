"""A slow line to a server of this machine: a relay of TCP connections that share a rate and have a round trip.

Chromium's own throttling does not affect web sockets, which carry Streamlit's content; a relay slows all bytes.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

PIECE = 4096
"""Bytes that one connection sends before another has its turn."""
MOST_WAITING = 16
"""Pieces of a connection on the line; its sender waits for the others."""


@dataclass(frozen=True)
class Line:
    """How slow a line is."""

    round_trip_s: float
    bytes_per_s: float
    """In each direction, for all connections together."""


@contextmanager
def slow_line(port: int, line: Line) -> Iterator[int]:
    """Relay a free port of this machine to another one over a slow line, and return the free port."""
    opened: queue.SimpleQueue[tuple[int, asyncio.AbstractEventLoop, asyncio.Event]] = queue.SimpleQueue()

    async def relay() -> None:
        is_over = asyncio.Event()
        loop = asyncio.get_running_loop()
        far = _Relay(port, line)
        connections = set()  # a loop keeps no task alive
        server = await asyncio.start_server(
            lambda reader, writer: connections.add(loop.create_task(far.connect(reader, writer))), "127.0.0.1", 0
        )
        opened.put((server.sockets[0].getsockname()[1], loop, is_over))
        try:
            await is_over.wait()
        finally:
            server.close()

    thread = threading.Thread(target=lambda: asyncio.run(relay()), daemon=True)
    thread.start()
    free, loop, is_over = opened.get(timeout=10)
    try:
        yield free
    finally:
        loop.call_soon_threadsafe(is_over.set)
        thread.join(10)


class _Relay:
    """Both directions of a line."""

    def __init__(self, port: int, line: Line) -> None:
        self._port, self._line = port, line
        self._free_at = {"up": 0.0, "down": 0.0}
        """Moments at which the line has sent all that was put on it so far."""

    async def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Relay one connection; that it is made takes a round trip."""
        try:
            with suppress(OSError):
                await asyncio.sleep(self._line.round_trip_s)
                far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._port)
                await asyncio.gather(self._send("up", reader, far_writer), self._send("down", far_reader, writer))
        finally:
            writer.close()

    async def _send(self, way: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        pieces: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(MOST_WAITING)
        arriving = asyncio.create_task(_arrive(pieces, writer))
        now = asyncio.get_running_loop().time
        with suppress(OSError, asyncio.CancelledError):
            while data := await reader.read(PIECE):
                self._free_at[way] = max(now(), self._free_at[way]) + len(data) / self._line.bytes_per_s
                await pieces.put((self._free_at[way] + self._line.round_trip_s / 2, data))
        await pieces.put((now(), b""))
        await arriving


async def _arrive(pieces: asyncio.Queue[tuple[float, bytes]], writer: asyncio.StreamWriter) -> None:
    """Hand on each piece when it is due."""
    now = asyncio.get_running_loop().time
    with suppress(OSError, asyncio.CancelledError):
        while True:
            due, data = await pieces.get()
            await asyncio.sleep(max(0.0, due - now()))
            if not data:
                break
            writer.write(data)
            await writer.drain()
    writer.close()
