"""Evidence of many items in a file, so that only one task's evidence is in memory at a time."""

from __future__ import annotations

import os
import pickle
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any
from weakref import finalize

from .item_evidence import ItemEvidence

_LEVEL = 1


class EvidenceStore(Mapping[str, ItemEvidence]):
    """Evidence by item id, each entry compressed in a temporary file that is removed with the store.

    On Linux the file has no name in the folder, so that the system frees it when this process ends, even by a signal. A
    copy in another process can read the same file while this process lives, and does not remove it.
    """

    def __init__(self) -> None:
        handle = NamedTemporaryFile(prefix="benchwright-evidence-", delete=False)  # noqa: SIM115 - it stays open
        named = Path(handle.name)
        self._path = Path(f"/proc/{os.getpid()}/fd/{handle.fileno()}")
        self._handle: Any = handle
        if self._path.exists():
            named.unlink()
            finalize(self, handle.close)
        else:
            handle.close()
            self._path = named
            finalize(self, named.unlink, missing_ok=True)
        self._places: dict[str, tuple[int, int]] = {}
        self._end = 0

    def __getstate__(self) -> dict[str, Any]:
        """Return the state that a copy needs, without the open file, which remains with this process."""
        return {**self.__dict__, "_handle": None}

    def add(self, item_id: str, evidence: ItemEvidence) -> None:
        """Store the evidence of an item.

        Raises:
            OSError: The temporary file cannot be written.
        """
        data = zlib.compress(pickle.dumps(evidence, pickle.HIGHEST_PROTOCOL), _LEVEL)
        with self._path.open("r+b") as handle:
            handle.seek(self._end)
            handle.write(data)
        self._places[item_id] = self._end, len(data)
        self._end += len(data)

    def discard(self, item_id: str) -> None:
        """Remove the evidence of an item, if there is any."""
        self._places.pop(item_id, None)

    def __getitem__(self, item_id: str) -> ItemEvidence:
        start, length = self._places[item_id]
        with self._path.open("rb") as handle:
            handle.seek(start)
            data = handle.read(length)
        evidence: ItemEvidence = pickle.loads(zlib.decompress(data))  # noqa: S301 - this program wrote it
        return evidence

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)
