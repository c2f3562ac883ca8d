"""How worker processes come to be: forked from a server that has done the heavy imports, where that is safe.

A worker that starts from nothing spends some 0.4 s of processor time on imports before it sees its first record. On
Linux, workers are forked from a small server process (`multiprocessing`'s fork server) that imports once what all of
them need, and then they share its memory too. The server has one thread, so forking it is safe; the process that runs
the pipeline is never forked. Elsewhere workers are spawned: forked processes and macOS's frameworks do not go together.
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
"""What keeps native libraries to one thread, if it is in the environment before they are loaded."""

_QUIET: Mapping[str, str] = {
    # Arrow's allocator starts a thread when it is loaded, and a process with two threads is not to be forked.
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
    # Whatever lies in the current folder must not be imported in place of a library.
    "PYTHONSAFEPATH": "1",
}


def context() -> BaseContext:
    """Return the way in which workers are started here."""
    return multiprocessing.get_context(METHOD)


def prepare(preload: Sequence[str]) -> None:
    """Start the server, if there is one, without waiting for it; it stays until this process ends.

    Args:
        preload: Modules that it imports first. They must start no thread. One that cannot be imported is left to the
            workers, and a server that already runs keeps what it has.
    """
    if METHOD != "forkserver":
        return
    _own_temporary_folder()
    multiprocessing.get_context(METHOD).set_forkserver_preload(list(preload))
    path = os.pathsep.join(entry for entry in sys.path if entry)
    with uninterrupted(), _environment({**THREAD_SETTINGS, **_QUIET, "PYTHONPATH": path}):
        forkserver.ensure_running()


def _own_temporary_folder() -> None:
    """Lay the server's socket into a folder that goes in silence: where its disk has become read-only, the one that
    `multiprocessing` makes prints a traceback when this process ends.
    """
    settings: dict[str, str | None] = current_process()._config  # type: ignore[attr-defined]
    if settings.get("tempdir") is None:
        settings["tempdir"] = tempfile.mkdtemp(prefix="pymp-")
        util.Finalize(
            None, shutil.rmtree, args=(settings["tempdir"],), kwargs={"ignore_errors": True}, exitpriority=-100
        )


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold an interrupt back until the block ends: it must not fall half into starting a process or importing a module.

    A mask alone would not do: the system then hands the signal to another thread, and Python acts on it all the same.
    """
    held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # what is started meanwhile inherits the mask
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
