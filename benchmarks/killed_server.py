"""The review app as a process that is killed and started again on the same port."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Self

_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


class KilledServer:
    """A server of a workspace; a kill is SIGKILL, with no chance to tidy up."""

    def __init__(self, workspace: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self._times = workspace.parent / "times"
        serve = ["review", "serve", "--workspace", str(workspace), "--port", str(port)]
        self._command = [sys.executable, str(Path(__file__).with_name("timed_server.py")), str(self._times), *serve]
        self._log = workspace.parent / "server.log"
        self._cpu_of_killed_s = 0.0
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self._start()
        while not self._answers():
            time.sleep(0.1)
        return self

    def __exit__(self, *_error: object) -> None:
        self._kill()

    async def kill_now_and_then(self, times: int, *, seconds: float) -> None:
        """Kill and restart this many times within a span, evenly spread."""
        for _ in range(times):
            await asyncio.sleep(seconds / (times + 1))
            await asyncio.to_thread(self._kill)
            self._start()

    def cpu_s(self) -> float:
        """Return the processor time of the server so far, over all its lives."""
        return self._cpu_of_killed_s + self._cpu_s()

    def times(self, call: str) -> list[float]:
        """Return how long each `claim` or `submit` took inside the server, in seconds."""
        lines = self._times.read_text(encoding="ascii").splitlines()
        return [float(line.split()[1]) for line in lines if line.startswith(f"{call} ") and line.count(".") == 1]

    def _start(self) -> None:
        with self._log.open("ab") as output:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
            )

    def _kill(self) -> None:
        assert self._process is not None
        self._cpu_of_killed_s += self._cpu_s()
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _cpu_s(self) -> float:
        assert self._process is not None
        fields = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS_A_SECOND

    def _answers(self) -> bool:
        assert self._process is not None
        if self._process.poll() is not None:
            raise SystemExit(f"the server ended:\n{self._log.read_text(errors='replace')[-3000:]}")
        try:
            with urllib.request.urlopen(self.url + "/login", timeout=2) as reply:
                return bool(reply.status == 200)
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False
