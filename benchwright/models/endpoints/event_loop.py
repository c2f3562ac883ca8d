"""An event loop in a separate thread, so that synchronous code can send many requests at once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import CancelledError, Future
from typing import Any, TypeVar

T = TypeVar("T")


class EventLoop:
    """A running event loop, for callers without one; several threads may use it at once."""

    def __init__(self) -> None:
        self._submitted: set[Coroutine[Any, Any, Any]] = set()
        self._is_closed = False
        self._closing = threading.Lock()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=_serve, args=(self._loop,), name="benchwright-requests", daemon=True)
        self._thread.start()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Start a coroutine and return its future.

        Raises:
            CancelledError: The loop is closed; other threads may still submit coroutines while one thread closes it.
        """
        with self._closing:
            if self._is_closed:
                work.close()
                raise CancelledError("the event loop is closed")
            self._submitted.add(work)
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
        future.add_done_callback(lambda _: self._submitted.discard(work))
        return future

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Return the result of a coroutine; it is canceled if the caller is interrupted."""
        future = self.submit(work)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def cancel_all(self) -> None:
        """Cancel the submitted coroutines and wait until they have ended."""
        asyncio.run_coroutine_threadsafe(_cancel(frozenset(self._submitted)), self._loop).result()

    def close(self) -> None:
        """Cancel unfinished work and end the thread; the loop accepts no more submissions."""
        with self._closing:
            self._is_closed = True
        self.cancel_all()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def end_after(self, last: Coroutine[Any, Any, object]) -> None:
        """Run a final coroutine and end the thread, without waiting; for a deleted owner (see `weakref.finalize`)."""
        with self._closing:
            self._is_closed = True
        ended = asyncio.run_coroutine_threadsafe(last, self._loop)
        ended.add_done_callback(lambda _: self._loop.call_soon_threadsafe(self._loop.stop))


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    """Run a loop until it stops, and close it."""
    try:
        loop.run_forever()
    finally:
        loop.close()


async def _cancel(submitted: frozenset[Coroutine[Any, Any, Any]]) -> None:
    # Only submitted coroutines: other libraries end their own tasks, and anyio does so in a way that outside
    # cancellation disturbs (it reports a connection attempt that never ran as a coroutine that was never awaited).
    tasks = [task for task in asyncio.all_tasks() if task.get_coro() in submitted]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await asyncio.get_running_loop().shutdown_asyncgens()
