"""Where a worker is at, in memory that it shares with its supervisor.

A worker may be at thousands of records a second, and dies at any of them. A message for each would wake the supervisor
as often; this costs no call of the system, and outlives a worker that is killed.
"""

from __future__ import annotations

import json
import mmap
import os
import tempfile
from pathlib import Path
from typing import Self

from benchwright.engines.base import Place
from benchwright.storage_faults import naming

SLOT_BYTES = 1 << 15
"""Of each of two slots: a stage and a path, escaped, fit."""

_HEADER_BYTES = 8


class ProgressSlot:
    """One worker's place: written by the worker, read by the supervisor.

    There are two slots. A new place is written to the one that does not count, and then a single byte says that it
    counts, so a worker killed in the middle of writing is still at the place before.

    Args:
        path: File that both sides map. Neither needs its name once both have.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with path.open("r+b") as file:
            self._memory = mmap.mmap(file.fileno(), _HEADER_BYTES + 2 * SLOT_BYTES)
        self._counts = self._memory[0]

    @classmethod
    def make(cls) -> Self:
        """Make one in a temporary file of this machine; the worker's process opens it by its path."""
        with tempfile.NamedTemporaryFile(prefix="benchwright-at-", delete=False) as file:
            # Written, not only made that long: on a full disk a mapped page without room ends the process (SIGBUS).
            try:
                with naming(file.name):
                    file.write(bytes(_HEADER_BYTES + 2 * SLOT_BYTES))
                    file.flush()
            except OSError:
                os.unlink(file.name)
                raise
        return cls(Path(file.name))

    @classmethod
    def join(cls, path: Path) -> Self:
        """Map what the supervisor made, and take its name away: from then on nothing is left behind."""
        joined = cls(path)
        path.unlink()
        return joined

    def at(self, place: Place | None) -> None:
        """Say where the worker is; None for nowhere yet."""
        text = json.dumps(place).encode()
        assert len(text) < SLOT_BYTES - 4, "a place is a stage and the id or path of a record"
        slot = 2 if self._counts == 1 else 1
        start = _HEADER_BYTES + (slot - 1) * SLOT_BYTES
        self._memory[start : start + 4 + len(text)] = len(text).to_bytes(4, "little") + text
        self._memory[0] = self._counts = slot

    def raw(self) -> bytes:
        """Return what was said last as it lies there; it differs where the place does, and may be torn."""
        if (slot := self._memory[0]) == 0:
            return b""
        start = _HEADER_BYTES + (slot - 1) * SLOT_BYTES
        length = int.from_bytes(self._memory[start : start + 4], "little")
        return self._memory[start + 4 : start + 4 + length]

    def read(self) -> Place | None:
        """Return where a worker was when it ended or came to rest."""
        document = json.loads(self.raw() or b"null")
        return None if document is None else (document[0], document[1])

    def forget(self) -> None:
        """Let the memory go, and the file where no worker came to take its name away."""
        self._memory.close()
        self.path.unlink(missing_ok=True)
