"""A loop that one thread closes while others still submit: what comes too late is closed, and its caller told."""

from __future__ import annotations

import asyncio
import gc
from concurrent.futures import CancelledError

import pytest

from benchwright.models.event_loop import EventLoop


def test_what_is_submitted_after_the_close_is_closed_and_refused() -> None:
    loop = EventLoop()
    assert loop.run(asyncio.sleep(0, "done")) == "done"
    loop.close()
    late = asyncio.sleep(0)
    with pytest.raises(CancelledError):
        loop.run(late)
    assert late.cr_frame is None  # closed: collected without a word about a coroutine that nobody awaited
    del late
    gc.collect()


def test_what_is_under_way_at_the_close_is_cancelled() -> None:
    loop = EventLoop()
    future = loop.submit(asyncio.sleep(60))
    loop.close()
    assert future.cancelled()
