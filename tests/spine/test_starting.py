"""Interrupts during uninterruptible work: held back, then raised, whichever thread receives them."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from benchwright.engines.starting import uninterrupted


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


@contextmanager
def signals_told() -> Iterator[socket.socket]:
    """Give a socket from which the number of each signal can be read once the process has got it, in whichever thread."""
    reader, writer = socket.socketpair()
    with reader, writer:
        reader.settimeout(10)
        writer.setblocking(False)
        before = signal.set_wakeup_fd(writer.fileno())
        try:
            yield reader
        finally:
            signal.set_wakeup_fd(before)


@pytest.mark.usefixtures("another_thread")
def test_an_interrupt_is_raised_after_the_block_and_not_within() -> None:
    reached = []

    def interrupted(came: socket.socket) -> None:
        with uninterrupted():
            os.kill(os.getpid(), signal.SIGINT)
            assert came.recv(1) == bytes([signal.SIGINT])
            reached.append("the end of the block")

    with signals_told() as came, pytest.raises(KeyboardInterrupt):
        interrupted(came)
    assert reached == ["the end of the block"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("another_thread")
def test_nothing_is_raised_where_nothing_came() -> None:
    with uninterrupted():
        pass
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
