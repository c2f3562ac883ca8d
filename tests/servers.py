"""Servers for tests: started on a free port, awaited, and always stopped with everything they started."""

from __future__ import annotations

import os
import pty
import signal
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

NOT_STREAMLITS_SERVERS = {
    "STREAMLIT_BROWSER_GATHER_USAGE_STATS": "false",
    "STREAMLIT_SERVER_HEADLESS": "true",
    "STREAMLIT_SERVER_FILE_WATCHER_TYPE": "none",
}
"""Settings for a server under `streamlit run`: no telemetry, no browser, no watching of files."""


@dataclass(frozen=True)
class Server:
    """A server that answers at `url`, the file that its output goes to, and its process."""

    url: str
    log: Path
    pid: int

    def output(self, most: int = 4000) -> str:
        """Return the end of what it has written so far."""
        return self.log.read_text(encoding="utf-8", errors="replace")[-most:]


@contextmanager
def serving(
    command: Callable[[int], Sequence[str]],
    *,
    log: Path,
    health: str = "/_stcore/health",
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    timeout_s: float = 60,
    on_terminal: bool = False,
) -> Iterator[Server]:
    """Run a server on a free port of 127.0.0.1, in a process group of its own.

    Args:
        command: Gets the port, gives the command line.
        log: Receives standard output and standard error.
        health: Path that answers 200 when the server is ready.
        env: Added to this process's environment.
        cwd: Where the server runs.
        timeout_s: How long it may take to become ready.
        on_terminal: Whether its output is a terminal, which is then copied into the log.
    """
    port = _free_port()
    with _terminal(log) if on_terminal else log.open("wb") as output:
        process = subprocess.Popen(
            [*command(port)], stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, cwd=cwd,
            env={**os.environ, **(env or {})}, start_new_session=True,
        )  # fmt: skip
    server = Server(f"http://127.0.0.1:{port}", log, process.pid)
    try:
        _await(server, process, health, timeout_s)
        yield server
    finally:
        _stop(process)


@contextmanager
def _terminal(log: Path) -> Iterator[int]:
    """Yield the descriptor of a terminal, for a process to write to; what comes goes into the log until it is closed."""
    near, far = pty.openpty()

    def copy() -> None:
        with log.open("wb", buffering=0) as output, os.fdopen(near, "rb", buffering=0) as screen, suppress(OSError):
            while piece := screen.read(4096):  # an error once the last process that writes to it has ended
                output.write(piece)

    threading.Thread(target=copy, daemon=True).start()
    yield far
    os.close(far)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _await(server: Server, process: subprocess.Popen[bytes], health: str, timeout_s: float) -> None:
    until = time.monotonic() + timeout_s
    while time.monotonic() < until:
        if process.poll() is not None:
            raise AssertionError(f"the server ended with {process.returncode} before it was ready:\n{server.output()}")
        try:
            with urllib.request.urlopen(server.url + health, timeout=2) as reply:
                if reply.status == 200:
                    return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            pass
        time.sleep(0.1)
    raise AssertionError(f"the server was not ready after {timeout_s:g} s:\n{server.output()}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End the whole group: what the server started as well, also where the server itself is gone already."""
    for sign, patience_s in ((signal.SIGTERM, 5), (signal.SIGKILL, 10)):
        try:
            os.killpg(process.pid, sign)
        except ProcessLookupError:
            break
        try:
            process.wait(timeout=patience_s)
        except subprocess.TimeoutExpired:
            continue
    process.wait(timeout=10)
