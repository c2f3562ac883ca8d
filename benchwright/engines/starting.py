"""The start of worker processes: forked, where safe, from a server that has done the heavy imports.

A spawned worker spends about 0.4 s of processor time on imports before its first record. On Linux, workers are forked
from a small server process (`multiprocessing`'s fork server) that imports once what all workers need, and they share
its memory. The server has one thread, so forking it is safe; the process that runs the pipeline is never forked. On
other systems workers are spawned, because macOS's frameworks do not work in forked processes.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing import forkserver, util
from multiprocessing.context import BaseContext
from multiprocessing.process import current_process

METHOD = "forkserver" if sys.platform == "linux" else "spawn"

THREAD_SETTINGS: Mapping[str, str] = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1"
)
"""Environment variables that limit native libraries to one thread, if set before the libraries are loaded."""

_QUIET: Mapping[str, str] = {
    # Arrow's allocator would start a thread when it is loaded, and a process with two threads must not be forked.
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
    # A file in the current folder must not be imported in place of a library.
    "PYTHONSAFEPATH": "1",
}


def context() -> BaseContext:
    """Return the `multiprocessing` context that starts workers on this system."""
    return multiprocessing.get_context(METHOD)


def prepare(preload: Sequence[str]) -> None:
    """Start the fork server, where the system uses one, without waiting for it; it runs until this process ends.

    Args:
        preload: Modules that the server imports first; they must start no thread. Workers import those that the
            server cannot, and a server that already runs keeps its own.
    """
    if METHOD != "forkserver":
        return
    _own_temporary_folder()
    multiprocessing.get_context(METHOD).set_forkserver_preload(list(preload))
    path = os.pathsep.join(entry for entry in sys.path if entry)
    with uninterrupted(), _environment({**THREAD_SETTINGS, **_QUIET, "PYTHONPATH": path}):
        forkserver.ensure_running()


def _own_temporary_folder() -> None:
    """Put the server's socket into a folder whose removal ignores errors.

    The folder that `multiprocessing` makes prints a traceback at the end of this process if its disk has become
    read-only.
    """
    settings: dict[str, str | None] = current_process()._config  # type: ignore[attr-defined]
    if settings.get("tempdir") is None:
        settings["tempdir"] = tempfile.mkdtemp(prefix="pymp-")
        util.Finalize(
            None, shutil.rmtree, args=(settings["tempdir"],), kwargs={"ignore_errors": True}, exitpriority=-100
        )


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Delay an interrupt until the block ends, so that it does not break the start of a process or an import.

    A signal mask alone is not enough: the system then delivers the signal to another thread, and Python still handles
    it.
    """
    held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # processes started meanwhile inherit the mask
    came: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    is_ours = threading.current_thread() is threading.main_thread() and callable(before)
    if is_ours:
        signal.signal(signal.SIGINT, lambda number, _frame: came.append(number))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)
        if is_ours:
            signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)


@contextmanager
def _environment(changes: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
