"""PaddleOCR in a separate process, under the interpreter of a separate environment.

paddleocr requires a different OpenCV and an older NumPy than Benchwright, so the two rarely fit into one environment.
One such process serves one worker, over a pair of pipes, and ends with it.
"""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchwright.errors import PrerequisiteError

from . import paddle_worker
from .base import Pixels
from .paddle_worker import FORMAT, FrameError, read_frame, write_frame

_DEATHS_TO_BLAME = 3
"""Number of consecutive processes that must end on one picture for the picture to be blamed: a single end may have
another cause."""
_START_S, ANSWER_S = 180.0, 300.0
_HINT = "`make paddle` builds such an environment; `benchwright doctor` lists what is installed"


class PaddleDied(Exception):
    """The process died or did not reply in time, repeatedly, on the same picture."""


class PaddleProcess:
    """A process with both models loaded, restarted if it ends.

    Args:
        python: Interpreter of the environment that has paddleocr.
        settings: Settings of `paddle_worker.Paddle`.

    Raises:
        PrerequisiteError: The process does not start or cannot load the models; the message quotes its error.
    """

    def __init__(self, python: Path, settings: Mapping[str, Any]) -> None:
        self._python, self._settings = python, settings
        self._process: subprocess.Popen[bytes] | None = None
        greeting = self._start()
        self.version, self.models = str(greeting["version"])[:40], str(greeting["models"])[:200]

    @property
    def pid(self) -> int | None:
        """Return the id of the current process; None if there is none."""
        return None if self._process is None else self._process.pid

    def __del__(self) -> None:
        self.close()

    def detect(self, picture: Pixels) -> Any:
        """Return the result of `Paddle.detect`."""
        return self._ask("detect", [picture])

    def read(self, lines: Sequence[Pixels]) -> Any:
        """Return the result of `Paddle.read`."""
        return self._ask("read", lines)

    def close(self) -> None:
        """End the process immediately."""
        process, self._process = getattr(self, "_process", None), None
        if process is None:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        process.wait()

    def _ask(self, method: str, pictures: Sequence[Pixels]) -> Any:
        question = {"do": method, "sizes": [list(picture.shape[:2]) for picture in pictures]}
        pixels = b"".join(picture.tobytes() for picture in pictures)
        for _ in range(_DEATHS_TO_BLAME):
            if self._process is None:
                self._start()
            try:
                reply = self._exchange(question, pixels, within_s=ANSWER_S)
            except (FrameError, OSError):
                self.close()
                continue
            if "error" in reply:
                raise RuntimeError(f"paddleocr failed: {str(reply['error'])[:500]}")
            return reply.get("answer")
        raise PaddleDied(f"{_DEATHS_TO_BLAME} paddleocr processes ended on the same picture")

    def _start(self) -> dict[str, Any]:
        # -I keeps packages in the working folder or PYTHONPATH out of that environment.
        command = [str(self._python), "-I", paddle_worker.__file__]
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the interpreter that its user names
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=None, env=_environment()
            )
        except OSError as error:
            raise PrerequisiteError(f"{self._python} cannot be started ({error.strerror}); {_HINT}") from error
        try:
            greeting = self._exchange(dict(self._settings), b"", within_s=_START_S)
        except (FrameError, OSError) as error:
            self.close()
            raise PrerequisiteError(f"{self._python} does not run PaddleOCR ({error}); {_HINT}") from error
        if "error" in greeting or greeting.get("format") != FORMAT:
            self.close()
            problem = str(greeting.get("error", "it uses another format"))[:500]
            raise PrerequisiteError(f"{self._python} does not run PaddleOCR ({problem}); {_HINT}")
        return greeting

    def _exchange(self, document: Any, pixels: bytes, *, within_s: float) -> dict[str, Any]:
        """Send one request and return the reply.

        Raises:
            FrameError: No reply arrived in time, or it is not a valid frame.
            OSError: The process has ended.
        """
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        write_frame(process.stdin, document, pixels)
        frame = read_frame(_Timely(process.stdout, within_s))
        if frame is None:
            raise FrameError(f"it ended with exit status {process.wait()}")
        if not isinstance(frame[0], dict):
            raise FrameError("it returned something other than an object")
        return frame[0]


class _Timely:
    """The reading end of a pipe with a deadline."""

    def __init__(self, pipe: Any, within_s: float) -> None:
        self._pipe, self._until = pipe, time.monotonic() + within_s

    def read(self, size: int) -> bytes:
        """Return `size` bytes; fewer only at the end of the pipe."""
        parts: list[bytes] = []
        while size > 0:
            left = max(0.0, self._until - time.monotonic())
            if not select.select([self._pipe], [], [], left)[0]:
                raise FrameError("it did not answer in time")
            part = os.read(self._pipe.fileno(), min(size, 1 << 20))
            if not part:
                break
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


def _environment() -> dict[str, str]:
    """Return environment variables for the PaddleOCR process: one thread, and no search for models on the network."""
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {**os.environ, **one_thread, "PADDLE_PDX_DISABLE_MODEL_SOURCE_CHECK": "True"}
