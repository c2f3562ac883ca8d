"""The object store: made images and copied source images, each a file named by the SHA-256 of its bytes."""

from __future__ import annotations

from pathlib import Path

from benchwright.canonical import bytes_digest
from benchwright.machine.storage_faults import writing
from benchwright.workspace.atomic import write_bytes


class ObjectStore:
    """A store of files named by hash under one folder, in 256 subfolders."""

    def __init__(self, root: Path, *, tmp: Path) -> None:
        self.root = root
        self._tmp = tmp

    def path(self, object_id: str) -> Path:
        """Return the path of the object with the given SHA-256, whether or not it exists."""
        return self.root / f"{object_id[:2]}/{object_id[2:]}"

    def put(self, data: bytes) -> str:
        """Store bytes unless they are already stored intact; return their SHA-256."""
        object_id = bytes_digest(data)
        path = self.path(object_id)
        if not path.exists() or path.read_bytes() != data:
            with writing(path, path.parent):
                path.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(path, data, tmp=self._tmp)
        return object_id
