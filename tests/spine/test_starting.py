"""Interrupts that come while something must not be interrupted: held back, then raised, whatever thread gets them."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator

import pytest

from benchwright.engines import uninterrupted


@pytest.fixture
def another_thread() -> Iterator[None]:
    """Threads that block no signal: the system may hand a signal to any of them."""
    done = threading.Event()
    threads = [threading.Thread(target=done.wait, daemon=True) for _ in range(3)]
    for thread in threads:
        thread.start()
    yield
    done.set()
    for thread in threads:
        thread.join()


@pytest.mark.usefixtures("another_thread")
def test_an_interrupt_is_raised_after_the_block_and_not_within() -> None:
    reached = []

    def interrupted() -> None:
        with uninterrupted():
            os.kill(os.getpid(), signal.SIGINT)
            for _ in range(20):
                time.sleep(0.005)
            reached.append("the end of the block")

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert reached == ["the end of the block"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("another_thread")
def test_nothing_is_raised_where_nothing_came() -> None:
    with uninterrupted():
        time.sleep(0.01)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_error_of_the_block_comes_through() -> None:
    with pytest.raises(ValueError, match="so"), uninterrupted():
        raise ValueError("so")


def test_other_threads_hold_nothing_and_break_nothing() -> None:
    problems: list[BaseException] = []

    def enter() -> None:
        try:
            with uninterrupted():
                pass
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is a failure
            problems.append(error)

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert problems == []
