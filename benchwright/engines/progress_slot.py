"""The record that a worker is processing, in memory that the worker shares with its supervisor.

A worker may process thousands of records per second and can die at any of them. A message for each record would wake
the supervisor as often; shared memory needs no system call, and its content outlives a killed worker.
"""

from __future__ import annotations

import json
import mmap
import os
import tempfile
from pathlib import Path
from typing import Self

from benchwright.engines.base import Place
from benchwright.machine.storage_faults import naming

_SLOT_BYTES = 1 << 15
"""Size of each of the two slots in bytes, enough for a stage and a path in escaped form."""

_HEADER_BYTES = 8


class ProgressSlot:
    """One worker's current record: written by the worker, read by the supervisor.

    The file has two slots. The worker writes a new record to the inactive slot, and a single byte then activates it. If
    the worker is killed while writing, the previous record therefore remains.

    Args:
        path: Path of the file that both sides map; not needed once both have mapped it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with path.open("r+b") as file:
            self._memory = mmap.mmap(file.fileno(), _HEADER_BYTES + 2 * _SLOT_BYTES)
        self._counts = self._memory[0]

    @classmethod
    def make(cls) -> Self:
        """Create a slot in a temporary file on this machine; the worker process opens it by its path."""
        with tempfile.NamedTemporaryFile(prefix="benchwright-at-", delete=False) as file:
            # Written, not only extended: on a full disk a mapped page without space ends the process (SIGBUS).
            try:
                with naming(file.name):
                    file.write(bytes(_HEADER_BYTES + 2 * _SLOT_BYTES))
                    file.flush()
            except OSError:
                os.unlink(file.name)
                raise
        return cls(Path(file.name))

    @classmethod
    def join(cls, path: Path) -> Self:
        """Map the file that the supervisor created, and unlink it, so that no file remains."""
        joined = cls(path)
        path.unlink()
        return joined

    def at(self, place: Place | None) -> None:
        """Write the worker's current record; None before its first record."""
        text = json.dumps(place).encode()
        assert len(text) < _SLOT_BYTES - 4, "a place is a stage and the id or path of a record"
        slot = 2 if self._counts == 1 else 1
        start = _HEADER_BYTES + (slot - 1) * _SLOT_BYTES
        self._memory[start : start + 4 + len(text)] = len(text).to_bytes(4, "little") + text
        self._memory[0] = self._counts = slot

    def raw(self) -> bytes:
        """Return the bytes of the current record; they change when the record does, and may be incomplete."""
        if (slot := self._memory[0]) == 0:
            return b""
        start = _HEADER_BYTES + (slot - 1) * _SLOT_BYTES
        length = int.from_bytes(self._memory[start : start + 4], "little")
        return self._memory[start + 4 : start + 4 + length]

    def read(self) -> Place | None:
        """Return the current record of a worker that has ended or is idle."""
        document = json.loads(self.raw() or b"null")
        return None if document is None else (document[0], document[1])

    def forget(self) -> None:
        """Unmap the memory, and remove the file if no worker has unlinked it."""
        self._memory.close()
        self.path.unlink(missing_ok=True)
