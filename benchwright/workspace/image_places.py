"""The location and name of an image's file: one rule for all code that needs a picture after a run.

An image may have several files: equal files of the image folder, and copies that a step or a person added. The run
keeps one of them in its tables and lists the others as `same_bytes`. A picture is available as long as any of these
files is.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from benchwright.errors import DataError
from benchwright.images.identify import path_for
from benchwright.workspace.photographs import collected_photographs
from benchwright.workspace.run_results import files_of
from benchwright.workspace.stage_input import INGEST
from benchwright.workspace.workspace import Workspace


class ImagePlaces:
    """The files of a workspace's images, by image id.

    Args:
        workspace: The workspace.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._collected = collected_photographs(workspace.root)
        self._uris: dict[str, tuple[str, ...]] = {}
        self._entries: frozenset[str] = frozenset()
        self._names: Counter[str] = Counter()
        self._read_at: tuple[int, ...] | None = None

    def uris(self, image_id: str) -> tuple[str, ...]:
        """Return the URIs of an image's files, starting with the file that the run uses; empty for a made image."""
        if image_id not in self._uris:
            self.read_again()
        return self._uris.get(image_id, ())

    def name(self, image_id: str) -> str | None:
        """Return an image's displayed name: its path in its source folder; None for a made image.

        In the tables, a picture that a step added is named `<entry>:<path>`. Its displayed name is the path, unless
        several pictures share it.
        """
        uris = self.uris(image_id)
        if not uris:
            return None
        name = self._plain(uris[0])
        return name if self._names[name] == 1 else _path(uris[0])

    def places(self, image_id: str) -> Iterator[Path]:
        """Yield all possible paths of an image's file, likeliest first: the workspace's copy, then its source files."""
        yield self._workspace.objects.path(image_id)
        folder = self._workspace.settings().get("images")
        for uri in () if folder is None else self.uris(image_id):
            try:
                yield Path(str(folder)) / path_for(uri)
            except DataError:  # an address, not a path
                continue
        yield self._collected.path(image_id)

    def read_again(self) -> bool:
        """Reread the table of files if a run has rewritten it; return whether it was reread."""
        try:
            status = (self._workspace.tables / INGEST / "current.json").stat()
        except FileNotFoundError:
            return False
        stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
        if stamp == self._read_at:
            return False
        kept: dict[str, str] = {}
        all_uris: defaultdict[str, list[str]] = defaultdict(list)
        for row in files_of(self._workspace):
            if row["image_id"] is not None:
                all_uris[row["image_id"]].append(row["uri"])
                kept[row["image_id"]] = row["kept_uri"]
        self._uris = {
            image_id: tuple(dict.fromkeys((kept[image_id], *sorted(uris)))) for image_id, uris in all_uris.items()
        }
        self._entries = frozenset(folder.name for folder in self._workspace.tables.iterdir())
        self._names = Counter(self._plain(uri) for uri in kept.values())
        self._read_at = stamp
        return True

    def _plain(self, uri: str) -> str:
        """Return a file's path without the entry that added it."""
        entry, colon, path = uri.partition(":")
        return _path(path if colon and path and entry in self._entries else uri)


def _path(uri: str) -> str:
    try:
        return path_for(uri).as_posix()
    except DataError:
        return uri
