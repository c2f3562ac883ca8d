"""Storage for thousands of small values of an audit: facts about files, faults of texts.

A separate cache entry for each would cost more time than recomputing most of them.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright.canonical import canonical_json
from benchwright.images.identify import Identified, identify
from benchwright.rights import embedded_sources

if TYPE_CHECKING:
    from benchwright.images.formats.walking import Limits
    from benchwright.workspace.item_cache import ItemCache


class KeptValues:
    """JSON values by name, all stored in one cache entry, which is read as a whole.

    Values that were neither read nor set are not saved again, so that the entry does not grow with every change.

    Args:
        cache: The cache.
        kind: Name of the entry, including a version to raise when the computation of the values changes.
    """

    def __init__(self, cache: ItemCache, kind: str) -> None:
        self._cache, self._kind = cache, kind
        data = cache.get(kind, None)
        self._before: Mapping[str, Any] = {} if data is None else json.loads(zlib.decompress(data))
        self._values: dict[str, Any] = {}
        self._is_changed = False

    def get(self, name: str) -> Any:
        """Return a value, or None if it is missing."""
        if name not in self._values and name in self._before:
            self._values[name] = self._before[name]
        return self._values.get(name)

    def set(self, name: str, value: Any) -> None:
        """Store a value, which must not be None."""
        self._values[name] = value
        self._is_changed = True

    def get_or_make(self, name: str, make: Callable[[], Any]) -> Any:
        """Return a value, or compute it now and store it."""
        value = self.get(name)
        if value is None:
            value = make()
            self.set(name, value)
        return value

    def save(self) -> None:
        """Write the entry if values are new or no longer used."""
        if self._is_changed or len(self._values) < len(self._before):
            self._cache.put(self._kind, None, zlib.compress(canonical_json(self._values).encode(), 1))
            self._before, self._is_changed = dict(self._values), False


class KnownPictures:
    """Picture files that an earlier audit read: their identities and their stated origins.

    A file with unchanged size, times and inode is not read again.

    Args:
        files: Stamp (size, times, inode) and identity of each file, by its path.
        origins: Stated origin of each picture, by its id.
    """

    def __init__(self, files: KeptValues, origins: KeptValues) -> None:
        self._files, self._origins = files, origins

    def identify(self, path: Path, *, root: Path, limits: Limits | None = None) -> Identified:
        """Return the known result of `benchwright.images.identify.identify`, or raise its known error."""
        try:
            status = os.lstat(path)
        except OSError:
            return identify(path, root=root, limits=limits)
        stamp = [status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]
        known = self._files.get(os.fspath(path))
        if known is not None and known[0] == stamp:
            facts = known[1]
            return Identified(**{**facts, "notes": tuple(facts["notes"])})
        identity = identify(path, root=root, limits=limits)
        if not path.is_symlink():  # the stamp of a link does not change with its target
            self._files.set(os.fspath(path), [stamp, identity._asdict()])
        return identity

    def embedded_sources(
        self, image_id: str, path: Path, media_type: str, *, limits: Limits
    ) -> Mapping[str, Mapping[str, str]]:
        """Return the result of `benchwright.rights.embedded_sources` for a picture."""
        stated: Mapping[str, Mapping[str, str]] = self._origins.get_or_make(
            image_id, lambda: embedded_sources(path, media_type, limits=limits)
        )
        return stated

    def save(self) -> None:
        """Save what has been learned about files and origins."""
        self._files.save()
        self._origins.save()
