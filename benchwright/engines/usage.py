"""The cost of work in a process: processor time, wall-clock time, bytes and peak memory."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Self

_IO = Path("/proc/self/io")
_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
_FORGET_PEAK = "5"
"""Value written to Linux's `clear_refs` to reset the peak of memory (`proc_pid_clear_refs(5)`)."""


@dataclass(frozen=True, slots=True)
class WorkCost:
    """The cost of a piece of work. The costs of consecutive work add up, except for the peak, which is the larger one.

    Args:
        wall_s: Wall-clock time in seconds.
        cpu_s: Processor time in seconds, of the process with all threads, and of programs that it started and that
            ended meanwhile.
        read_bytes: Bytes read through the system, mostly from memory if a file was read before.
        written_bytes: Bytes written through the system.
        disk_read_bytes: Bytes that were read from a disk.
        disk_written_bytes: Bytes that were sent to a disk.
        peak_bytes: Largest resident memory of the process. Bytes are 0 on systems that do not count them (macOS).
    """

    wall_s: float = 0.0
    cpu_s: float = 0.0
    read_bytes: int = 0
    written_bytes: int = 0
    disk_read_bytes: int = 0
    disk_written_bytes: int = 0
    peak_bytes: int = 0

    def __add__(self, other: WorkCost) -> WorkCost:
        return WorkCost(
            self.wall_s + other.wall_s,
            self.cpu_s + other.cpu_s,
            self.read_bytes + other.read_bytes,
            self.written_bytes + other.written_bytes,
            self.disk_read_bytes + other.disk_read_bytes,
            self.disk_written_bytes + other.disk_written_bytes,
            max(self.peak_bytes, other.peak_bytes),
        )

    def __sub__(self, part: WorkCost) -> WorkCost:
        """Return the cost minus that of a part of the work; the peak is that of the whole work."""
        return WorkCost(
            self.wall_s - part.wall_s,
            self.cpu_s - part.cpu_s,
            self.read_bytes - part.read_bytes,
            self.written_bytes - part.written_bytes,
            self.disk_read_bytes - part.disk_read_bytes,
            self.disk_written_bytes - part.disk_written_bytes,
            self.peak_bytes,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the cost as JSON values, with times rounded to a tenth of a millisecond."""
        return {name: round(value, 4) if name.endswith("_s") else value for name, value in asdict(self).items()}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> WorkCost:
        """Return the cost that a document states; missing amounts are 0."""
        return cls(**{name: document.get(name, 0) for name in cls.__slots__})


NOTHING = WorkCost()


class Meter:
    """A measurement of this process, from its creation to the call of `usage`; meters may be nested.

    Args:
        peak_anew: Whether to reset the peak of memory. The reset affects the whole process, so an outside observer sees
            the peak since then. Without it, the peak is that since the start of the process.
    """

    def __init__(self, *, peak_anew: bool = False) -> None:
        self._peak = 0
        if peak_anew:
            for meter in _open:
                meter._note_peak()
            with suppress(OSError):
                _CLEAR.write_text(_FORGET_PEAK)
        _open.append(self)
        self._before = _counters()

    def usage(self) -> WorkCost:
        """Return the cost since the meter was created, and end the meter."""
        after = _counters()
        self._note_peak()
        _open.remove(self)
        return replace(after - self._before, peak_bytes=self._peak)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        if self in _open:  # an exception came before `usage`
            _open.remove(self)

    def _note_peak(self) -> None:
        self._peak = max(self._peak, _peak_bytes())


_open: list[Meter] = []
"""Running meters of this process, which keep their peak even if a nested meter resets it."""


def _counters() -> WorkCost:
    """Return the cost of this process since its start, without its peak."""
    spent = os.times()
    cpu = spent.user + spent.system + spent.children_user + spent.children_system
    counted = dict.fromkeys(("rchar", "wchar", "read_bytes", "write_bytes"), 0)
    with suppress(OSError):
        for line in _IO.read_text(encoding="ascii").splitlines():
            name, _, value = line.partition(": ")
            counted[name] = int(value)
    return WorkCost(
        time.perf_counter(), cpu, counted["rchar"], counted["wchar"], counted["read_bytes"], counted["write_bytes"]
    )


def _peak_bytes() -> int:
    with suppress(OSError):
        for line in _STATUS.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) << 10
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak << 10
