"""A disk cache, limited in bytes, of arrays that helpers computed for pictures, such as embeddings."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright.workspace.atomic import write_bytes

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_BYTES = 2 << 30
_KEY = re.compile(r"[0-9a-f]{64}")


class KeptArrays:
    """A folder of safetensors files from which the least recently used are removed first; safe for several processes.

    Args:
        folder: Folder of the cache; created with the first array.
        most_bytes: Limit on the bytes of all files together.
    """

    def __init__(self, folder: Path, *, most_bytes: int = MOST_BYTES) -> None:
        self._folder, self._most_bytes = folder, most_bytes

    def get(self, image_id: str, made_as: str) -> dict[str, NDArray[Any]] | None:
        """Return the cached arrays of an image; None if there are none or they cannot be read.

        Args:
            image_id: SHA-256 of the image's file.
            made_as: Digest of everything besides the image that determines the arrays.
        """
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        path = self._path(image_id, made_as)
        try:
            arrays: dict[str, NDArray[Any]] = load_file(path)
        except (OSError, SafetensorError, ValueError, KeyError):
            return None
        with suppress(OSError):
            os.utime(path)
        return arrays

    def has(self, image_id: str, made_as: str) -> bool:
        """Return whether the cache contains arrays of an image."""
        return self._path(image_id, made_as).is_file()

    def keep(self, image_id: str, made_as: str, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Cache arrays by name, and remove the least recently used files beyond the limit."""
        import numpy as np
        from safetensors.numpy import save

        path = self._path(image_id, made_as)
        path.parent.mkdir(parents=True, exist_ok=True)
        data = save({name: np.ascontiguousarray(array) for name, array in arrays.items()})
        write_bytes(path, data)
        self._remove_old(keep=path)

    def _remove_old(self, *, keep: Path) -> None:
        files = []
        for path in self._folder.glob("*.safetensors"):
            with suppress(OSError):
                files.append((path.stat().st_mtime_ns, path.stat().st_size, path))
        total = sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if total <= self._most_bytes:
                return
            if path != keep:
                with suppress(OSError):
                    path.unlink()
                total -= size

    def _path(self, image_id: str, made_as: str) -> Path:
        if not (_KEY.fullmatch(image_id) and _KEY.fullmatch(made_as)):
            raise ValueError("image and digest are SHA-256 in hexadecimal")
        return self._folder / f"{image_id[:32]}-{made_as[:32]}.safetensors"
