"""The worker process, which runs jobs with one native thread, reports its current record and ends with its parent.

This module imports little, because a spawned worker must set its environment before NumPy and OpenCV start their thread
pools.
"""

from __future__ import annotations

import faulthandler
import io
import logging
import os
import signal
import sys
import threading
import traceback
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing import parent_process
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, TextIO

from benchwright.engines.base import Attempt
from benchwright.engines.card_client import CardLostError
from benchwright.engines.progress_slot import ProgressSlot
from benchwright.engines.starting import THREAD_SETTINGS
from benchwright.engines.usage import Meter
from benchwright.machine.storage_faults import storage_fault


def main(conn: Connection, at_path: Path, log_path: str, environment: Mapping[str, str]) -> None:
    """Receive the worker context once, then jobs until the pipe closes.

    Args:
        conn: Connection to the supervisor.
        at_path: File of the `ProgressSlot`.
        log_path: File for the worker's output.
        environment: Environment of the supervisor, which may differ from that of the fork server.
    """
    set_up(log_path, environment)
    _serve(conn, ProgressSlot.join(at_path))


def set_up(log_path: str, environment: Mapping[str, str]) -> None:
    """Attach this process to a supervisor: share its environment, use a separate log, and exit when it does.

    Args:
        log_path: File for the process's output.
        environment: Environment to adopt, except for the number of native threads.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the supervisor handles interrupts
    os.environ.clear()
    os.environ.update({**environment, **THREAD_SETTINGS})
    log = _opened_log(log_path)
    sys.stdout = sys.stderr = log
    faulthandler.enable(log)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    logging.basicConfig(stream=log, level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s")


class _Losing(io.FileIO):
    """A file whose write errors are ignored, so that no record fails because its output could not be written."""

    def write(self, data: Any, /) -> int:
        """Write as much as possible, and return the full length."""
        with suppress(OSError):
            super().write(data)
        return memoryview(data).nbytes


def _opened_log(path: str) -> TextIO:
    try:
        file = _Losing(path, "a")
    except OSError:  # such as a full disk
        file = _Losing(os.devnull, "a")
    return io.TextIOWrapper(io.BufferedWriter(file), encoding="utf-8", errors="backslashreplace", line_buffering=True)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _single_threaded() -> None:
    """Limit loaded libraries that ignore the environment variables to one thread each."""
    if (cv2 := sys.modules.get("cv2")) is not None:
        cv2.setNumThreads(1)
    if (pyarrow := sys.modules.get("pyarrow")) is not None:
        pyarrow.set_cpu_count(1)
        pyarrow.set_io_thread_count(1)


def _serve(conn: Connection, progress_slot: ProgressSlot) -> None:
    try:
        worker_context = conn.recv()
        _single_threaded()
        conn.send(("ready", None))
        while True:
            if (order := conn.recv()) is None:
                _drop_caches(worker_context)
                continue
            job, singly, blamed = order
            meter = Meter(peak_anew=True)
            answer: tuple[str, Any]
            try:
                result = job.run(worker_context, Attempt(progress_slot.at, singly, blamed))
            except CardLostError:  # as if the model had ended this process; the supervisor runs the job again
                sys.exit("the process of the card has ended")
            except BaseException as error:  # noqa: BLE001 - the supervisor handles it
                # Pickling an exception drops its cause, and a full disk may appear only in the cause.
                reported = storage_fault(error) or error
                answer = ("raised", (reported if _can_travel(reported) else None, traceback.format_exc()))
                meter.usage()
            else:
                answer = ("done", (result, meter.usage()))
            progress_slot.at(None)
            conn.send(answer)
            _single_threaded()
    except (EOFError, OSError):
        return  # the supervisor has ended or closed the pipe


def _drop_caches(worker_context: Any) -> None:
    """Drop the worker context's caches, if it has any, and return freed memory to the system."""
    from benchwright.engines.memory import give_back

    if (drop_caches := getattr(worker_context, "drop_caches", None)) is not None:
        drop_caches()
    give_back()


def travelling(error: Exception) -> Exception:
    """Return a picklable exception: the original, or one with the same text."""
    return error if _can_travel(error) else RuntimeError(f"{type(error).__name__}: {error}")


def _can_travel(error: BaseException) -> bool:
    import pickle

    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - bytes that this line made itself
    except Exception:  # noqa: BLE001 - any exception means that the error cannot be pickled
        return False
    return True
