"""`benchwright review serve`, which writes the time of every claim and submit to a file as it ends.

python timed_server.py FILE review serve --workspace DIR --port N
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.cli.main import main


def _timed(name: str, call: Callable[..., Any], file: Any) -> Callable[..., Any]:
    @wraps(call)
    def timed(*args: Any, **kwargs: Any) -> Any:
        started = time.perf_counter()
        try:
            return call(*args, **kwargs)
        finally:
            file.write(f"{name} {time.perf_counter() - started:.6f}\n")

    return timed


if __name__ == "__main__":
    times = open(sys.argv.pop(1), "a", buffering=1, encoding="ascii")  # noqa: SIM115 - as long as the server
    # Includes all waits for locks.
    TaskQueue.next = _timed("claim", TaskQueue.next, times)  # type: ignore[method-assign]
    TaskQueue.hold = _timed("claim", TaskQueue.hold, times)  # type: ignore[method-assign]
    TaskQueue.submit = _timed("submit", TaskQueue.submit, times)  # type: ignore[method-assign]
    main()
