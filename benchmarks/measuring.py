"""Run a command and say what it cost: wall seconds, CPU seconds, peak memory of all its processes together."""

from __future__ import annotations

import ctypes
import json
import os
import resource
import shlex
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

_LAST_BYTES = 4000
"""Bytes of a failed command's errors that are shown."""


@dataclass(frozen=True)
class Cost:
    """What a command cost; memory is proportional set size summed over the process tree, sampled."""

    wall_s: float
    cpu_s: float
    peak_mb: float
    exit_code: int

    def to_json(self) -> dict[str, Any]:
        """Return the cost, rounded."""
        return {key: round(value, 2) for key, value in asdict(self).items()}


def cost_of(arguments: Sequence[str], *, output: Path | None = None, allowed: Collection[int] | None = (0,)) -> Cost:
    """Run a command to its end and measure it; what fails is no measurement and ends the benchmark.

    Args:
        arguments: The command.
        output: File for its standard output; none is kept if None.
        allowed: Exit codes of a command that did its work; any if None, for callers that look themselves.

    Raises:
        SystemExit: It ended with another code; its last lines of errors are printed.
    """
    _adopt_orphans()
    ours = _children()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    with open(output or os.devnull, "wb") as sink, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(arguments, stdout=sink, stderr=errors)
        peak = _Peak(process.pid)
        exit_code = process.wait()
        wall = time.perf_counter() - started
        peak.stop()
        errors.seek(max(0, errors.seek(0, os.SEEK_END) - _LAST_BYTES))
        last = errors.read().decode(errors="backslashreplace")
    _wait_for_orphans(ours)
    if allowed is not None and exit_code not in allowed:
        raise SystemExit(
            f"{last}\n{shlex.join(map(str, arguments))[:400]} ended with code {exit_code}: nothing is measured"
        )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall, cpu, peak.peak_kb / 1024, exit_code)


def _adopt_orphans() -> None:
    """Become the parent of what a command leaves behind, so that its processor time counts (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def _children() -> set[int]:
    parents = _parents()
    return {pid for pid, parent in parents.items() if parent == os.getpid()}


def _wait_for_orphans(ours: set[int]) -> None:
    """Wait for every child but those that were there before: a process pool's tracker ends only when we do."""
    while left := _children() - ours:
        with suppress(ChildProcessError):
            os.waitpid(left.pop(), 0)


class _Peak(threading.Thread):
    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._pid = pid
        self._ended = threading.Event()
        self.peak_kb = 0
        self.start()

    def run(self) -> None:
        while not self._ended.wait(0.05):
            self.peak_kb = max(self.peak_kb, sum(_pss_kb(pid) for pid in tree_of(self._pid)))

    def stop(self) -> None:
        self._ended.set()
        self.join()


def tree_of(root: int) -> list[int]:
    """Return a process and all its descendants, by their own lists of children: other processes are not looked at."""
    found, pending = [], [root]
    while pending:
        pid = pending.pop()
        found.append(pid)
        for task in Path(f"/proc/{pid}/task").glob("*/children"):
            with suppress(OSError):
                pending += map(int, task.read_text().split())
    return found


def _parents() -> dict[int, int]:
    """Return the parent of every process; none where there is no /proc."""
    found = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            found[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    return found


def _pss_kb(pid: int) -> int:
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


def peak_mb() -> float:
    """Return the largest resident size of this program so far; `ru_maxrss` would begin with that of its parent."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmHWM"))) / 1024


def benchwright(*arguments: object) -> list[str]:
    """Return the command line of a Benchwright command in this environment."""
    return [sys.executable, "-m", "benchwright", *map(str, arguments)]


def show(document: dict[str, Any]) -> None:
    """Print one JSON document."""
    print(json.dumps(document, indent=2))
