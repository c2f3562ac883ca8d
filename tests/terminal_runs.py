"""Programs that run on a separate terminal, as a user's shell would: pipes hide control codes that a terminal obeys."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import termios
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path


def on_terminal(words: Sequence[str], *, cwd: Path | None = None) -> tuple[int, str]:
    """Run a program whose input, output and errors are a terminal; return its exit code and what the terminal got.

    Bytes that are no UTF-8 are escaped.
    """
    controller, terminal = pty.openpty()
    termios.tcsetwinsize(terminal, (50, 160))
    env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "160"}
    env.pop("NO_COLOR", None)
    process = subprocess.Popen(words, stdin=terminal, stdout=terminal, stderr=terminal, cwd=cwd, env=env)
    os.close(terminal)
    received = bytearray()
    with suppress(OSError):  # the terminal is gone once the last program that had it is
        while part := os.read(controller, 65536):
            received += part
    os.close(controller)
    return process.wait(timeout=60), received.decode(errors="backslashreplace")


def python_on_terminal(program: str) -> tuple[int, str]:
    """Run a program in Python on a terminal."""
    return on_terminal([sys.executable, "-c", program])
