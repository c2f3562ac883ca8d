"""Run a command and report its cost: wall and CPU seconds, peak memory and bytes written, of all its processes."""

from __future__ import annotations

import compileall
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

import benchwright as benchwright_package

_SAMPLE_S, _MOST_OF_A_CORE = 0.05, 0.03
"""Shortest time between two samples of memory, in seconds, and the largest share of a core for sampling."""
_LAST_BYTES = 4000
"""Number of bytes of a failed command's errors to show."""


@dataclass(frozen=True)
class Cost:
    """The cost of a command.

    Memory is proportional set size summed over the process tree, sampled, or the largest resident size of a single
    process of the tree, whichever is larger: the kernel records the latter, so short peaks of it count. Written bytes
    are all bytes passed to the system, including those to deleted files and pipes; 0 if the system does not count them
    (macOS).
    """

    wall_s: float
    cpu_s: float
    peak_mb: float
    exit_code: int
    written_mb: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Return the cost, rounded."""
        return {key: round(value, 2) for key, value in asdict(self).items()}


def cost_of(arguments: Sequence[str], *, output: Path | None = None, allowed: Collection[int] | None = (0,)) -> Cost:
    """Run a command to its end and measure it; a failure is not a measurement and ends the benchmark.

    Args:
        arguments: The command.
        output: File for its standard output; None discards it.
        allowed: Exit codes of a successful command; None allows any, for callers that check themselves.

    Raises:
        SystemExit: It ended with another code; its last lines of errors are printed.
    """
    _adopt_orphans()
    ours = _children()
    before, written = resource.getrusage(resource.RUSAGE_CHILDREN), _written_bytes()
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
    return Cost(wall, cpu, peak.peak_kb / 1024, exit_code, (_written_bytes() - written) / 1e6)


def compile_modules() -> None:
    """Compile all modules of Benchwright, and let jobs keep the result, like an installed program."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    package = Path(benchwright_package.__file__).parent
    for folder in [package, *(path for path in package.iterdir() if path.is_symlink())]:
        compileall.compile_dir(folder, quiet=2)


def _written_bytes() -> int:
    """Return the bytes that this process and its awaited children have written; nothing else writes meanwhile."""
    try:
        lines = Path("/proc/self/io").read_text().splitlines()
    except OSError:
        return 0
    return next(int(line.split()[1]) for line in lines if line.startswith("wchar:"))


def _adopt_orphans() -> None:
    """Become the parent of processes that a command leaves behind, so that their processor time counts (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def _children(pid: int | None = None) -> set[int]:
    """Return the children of a process, or of this one, without examining other processes."""
    found: set[int] = set()
    for task in Path(f"/proc/{pid or os.getpid()}/task").glob("*/children"):
        with suppress(OSError):
            found.update(map(int, task.read_text().split()))
    return found


def _wait_for_orphans(ours: set[int]) -> None:
    """Wait for every child except those that existed before: a process pool's tracker ends only with this program."""
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
        pause = _SAMPLE_S
        while not self._ended.wait(pause):
            before = time.thread_time()
            tree = tree_of(self._pid)
            own = max(map(_largest_resident_kb, tree))
            self.peak_kb = max(self.peak_kb, own, sum(map(_pss_kb, tree)))
            # The cost of a sample grows with the memory examined.
            pause = max(_SAMPLE_S, (time.thread_time() - before) / _MOST_OF_A_CORE)

    def stop(self) -> None:
        self._ended.set()
        self.join()


def tree_of(root: int) -> list[int]:
    """Return a process and all its descendants, by their own lists of children, without examining other processes."""
    found, pending = [], [root]
    while pending:
        pid = pending.pop()
        found.append(pid)
        pending += _children(pid)
    return found


def _pss_kb(pid: int) -> int:
    return _stated_kb(pid, "smaps_rollup", "Pss:")


def _largest_resident_kb(pid: int) -> int:
    return _stated_kb(pid, "status", "VmHWM:")


def _stated_kb(pid: int, file: str, name: str) -> int:
    """Return a size that the kernel states for a process; 0 after its end."""
    try:
        lines = Path(f"/proc/{pid}/{file}").read_text(errors="replace").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(name)), 0)


def peak_mb() -> float:
    """Return the largest resident size of this program so far; `ru_maxrss` would begin with that of its parent."""
    return _largest_resident_kb(os.getpid()) / 1024


def benchwright(*arguments: object) -> list[str]:
    """Return the command line of a Benchwright command in this environment."""
    return [sys.executable, "-m", "benchwright", *map(str, arguments)]


def show(document: dict[str, Any]) -> None:
    """Print one JSON document."""
    print(json.dumps(document, indent=2))
