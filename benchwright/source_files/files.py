"""Files of a dataset: in a folder, in archives inside it, or in a single archive.

A ZIP or plain TAR archive directly in the folder is treated as if unpacked there, and also as if unpacked into a folder
of the same name: `images.zip` may contain `1.jpg` or `images/1.jpg`. Members are read one at a time without unpacking.
Compressed TAR archives have no random access, so errors ask the user to unpack them. A single file with the ending
`.gz` is decompressed on reading.

The contents are untrusted. A damaged archive, a member whose name leads elsewhere, a link to itself or to nothing, and
a folder without read permission each become one entry of `refused`, and reading continues with the rest.
"""

from __future__ import annotations

import heapq
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from functools import cached_property, partial
from itertools import islice
from pathlib import Path, PurePosixPath
from tempfile import NamedTemporaryFile
from types import MappingProxyType
from typing import Any, BinaryIO, NamedTuple

from benchwright.errors import DataError
from benchwright.files.bounds import DOCUMENT_BYTES
from benchwright.files.packed import check_unpacked, unpacked
from benchwright.files.recoded_text import UTF_16_MARKS, check_encoding, in_utf_8
from benchwright.files.tables import JSON_ENDS, TEXT_ENDS, Table, table_end
from benchwright.machine.storage_faults import is_of_the_machine, naming
from benchwright.texts.normalization import counted

from .archives import SUFFIXES, Archive, opened_archive
from .no_photographs import is_no_photograph, lies_apart
from .refusals import DAMAGED_ARCHIVE, UNUSABLE_ENTRY, Refused, RefusedRow

_MAX_NESTED = 5000
"""Largest number of folders directly in a folder that are searched for a dataset."""
_TO_UNPACK = (".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".7z", ".rar")
_JSON = ".json"
_SHOWN = 8


class FileNote(NamedTuple):
    """An assumption made while reading a table, such as its encoding or its sheet.

    Args:
        file: Path of the file below the dataset's folder.
        note: The assumption, as text.
    """

    file: str
    note: str


class DatasetFiles:
    """The files of one dataset, by their path below its folder, with forward slashes.

    Args:
        root: Folder or archive.
        under: Folder in it that contains the dataset; empty for `root` itself.
        closed: Names of archives in the folder to treat as ordinary files, without their members; none by default.
        encodings: Encoding of text tables, JSON and `.txt` by path or pattern, of which the first that matches is used;
            by default, encodings are detected.

    Raises:
        DataError: `root` does not exist, or is an unreadable archive.
    """

    def __init__(
        self,
        root: Path,
        under: str = "",
        *,
        closed: Collection[str] = (),
        encodings: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        if not root.exists():
            raise DataError(f"{root} does not exist; name the dataset's folder, or its archive")
        self.root = root
        self.under = under
        self.closed = frozenset(closed)
        self._encodings = dict(encodings)  # sent to workers, and a read-only view cannot be pickled
        self._decoded: set[str] = set()
        """Files that have been checked to be in their stated encoding."""
        self._refused = Refused()
        self._notes: dict[str, dict[str, None]] = {}
        self._inside: dict[str, str | None] = {}
        """Real paths of visited folders; None for a folder that a link reaches outside `root`."""

    @cached_property
    def _archives(self) -> tuple[Archive[Any], ...]:
        if self.root.is_file():
            return (opened_archive(self.root, self._refused, self.root.name),)
        with naming(self.root):
            paths = sorted(path for path in self.root.iterdir() if path.suffix.lower() in SUFFIXES and path.is_file())
        archives = []
        for path in paths:
            if path.name in self.closed:
                continue
            try:
                archives.append(opened_archive(path, self._refused, path.name))
            except (DataError, OSError) as error:
                if is_of_the_machine(error):
                    raise
                self._refused.add(path.name, DAMAGED_ARCHIVE, str(error))
        return tuple(archives)

    @cached_property
    def _is_folder(self) -> bool:
        return self.root.is_dir()

    @cached_property
    def _real_root(self) -> str:
        return os.path.realpath(self.root)

    def refused(self) -> list[RefusedRow]:
        """Return the unreadable entries of the folder and its archives found so far."""
        return self._refused.rows()

    def archives(self) -> list[str]:
        """Return the names of the archives directly in the folder, whose members count as its files."""
        return [archive.path.name for archive in self._archives if archive.path != self.root]

    def at(self, landmarks: Iterable[str], title: str) -> DatasetFiles:
        """Return the files seen from the folder that contains the landmarks: this one, or one folder directly in it.

        Args:
            landmarks: Paths of required files or folders; alternatives as `a|b`.
            title: Name of the dataset, for the error.

        Raises:
            DataError: No folder contains them; the message names the expected and the existing entries.
        """
        wanted = [mark.split("|") for mark in landmarks]
        for files in self.nested():
            if all(any(files.has(path) or files.has_folder(path) for path in paths) for paths in wanted):
                return files
        expected = ", ".join(" or ".join(paths) for paths in wanted)
        raise DataError(f"{self.root} is not laid out as {title}: expected {expected}; {self.contents()}")

    def nested(self) -> Iterator[DatasetFiles]:
        """Yield the files seen from this folder, then those seen from each folder directly in it."""
        yield self
        folders = [folder.rstrip("/") for folder in self.listing() if folder.endswith("/")]
        if len(folders) > _MAX_NESTED:
            detail = f"it holds {counted(len(folders), 'folder')}, of which the first {_MAX_NESTED:,} were searched"
            self._refused.add(self.shown(""), UNUSABLE_ENTRY, f"{detail}; name the one with the dataset")
        for folder in islice(folders, _MAX_NESTED):
            files = DatasetFiles(self.root, self._below(folder), encodings=self._encodings)
            files._refused, files._notes = self._refused, self._notes
            files.__dict__["_archives"] = self._archives
            yield files

    def contents(self) -> str:
        """Return the folder's direct contents as text, for errors."""
        names = self.listing()
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        held = f"found {', '.join(names[:_SHOWN])}{more}" if names else "it is empty"
        packed = [name for name in names if name.lower().endswith(_TO_UNPACK)]
        held += f"; unpack {packed[0]} first (ZIP and plain TAR need no unpacking)" if packed else ""
        return held + self.damage()

    def damage(self) -> str:
        """Return a note on unreadable archives, to append to an error about a missing file; empty if there are none."""
        return "".join(f"; {row.detail}" for row in self.refused() if row.reason == DAMAGED_ARCHIVE)

    def listing(self, folder: str = "") -> list[str]:
        """Return the names directly in a folder, sorted; names of folders end with `/`."""
        return sorted(set(self.names(folder)))

    def names(self, folder: str = "") -> Iterator[str]:
        """Yield the names directly in a folder, unordered and possibly repeated; names of folders end with `/`."""
        below = self._below(folder)
        if self._is_folder and os.path.isdir(os.path.join(self.root, below)):
            yield from self._names_on_disk(below)
        for archive in self._archives:
            for inside in archive.names_for(below):
                yield from archive.listing(inside)

    def _names_on_disk(self, below: str) -> Iterator[str]:
        place = os.path.join(self.root, below)
        try:
            with naming(place), os.scandir(place) as entries:
                for entry in entries:
                    if entry.is_symlink():
                        name, wrong = self._linked(below, entry.name)
                    else:
                        name = f"{entry.name}/" if entry.is_dir() else entry.name
                        wrong = None if entry.is_dir() or entry.is_file() else "it is a pipe, a socket or a device"
                    if wrong is None:
                        yield name
                    else:
                        path = f"{below}/{entry.name}" if below else entry.name
                        self._refused.add(path, UNUSABLE_ENTRY, wrong)
        except OSError as error:
            if not below or is_of_the_machine(error):
                raise
            self._refused.add(below, UNUSABLE_ENTRY, f"the folder cannot be read: {error.strerror or error}")

    def _linked(self, below: str, name: str) -> tuple[str, str | None]:
        """Return a link's name in the form of its target, and the reason why the target is unreadable, or None."""
        place = os.path.join(self.root, below, name)
        try:
            real = os.path.realpath(place, strict=True)
        except OSError:
            return name, "it is a link that leads to nothing, or to itself"
        if os.path.isfile(real):
            return name, None  # opening refuses a link that leads out of the folder
        if not os.path.isdir(real):
            return name, "it is a link to a pipe, a socket or a device"
        if not Path(real).is_relative_to(self._real_root):
            return name, "it is a link that leads out of the folder; name the folder it leads to"
        if Path(os.path.realpath(os.path.dirname(place))).is_relative_to(real):
            return name, "it is a link to a folder that contains it"
        return f"{name}/", None

    def walk(self, folder: str = "", *, suffixes: Sequence[str] = ()) -> Iterator[str]:
        """Yield the paths of all files below a folder, sorted, without links to folders already walked.

        Ignored files (`no_photographs`), such as thumbnails and deleted files, are also omitted.

        Args:
            folder: Folder; empty for the dataset's own.
            suffixes: Ends of file names, in lower case; empty for all files.
        """
        below, ends, last = self._below(folder), tuple(suffixes), None
        sources = [_counted(archive.below(name)) for archive in self._archives for name in archive.names_for(below)]
        if self._is_folder and os.path.isdir(os.path.join(self.root, below)):
            sources.append(self._walked(below, "", set()))
        for path in heapq.merge(*sources):
            if path != last and (not ends or path.lower().endswith(ends)):
                yield f"{folder}/{path}" if folder else path
            last = path

    def _walked(self, below: str, prefix: str, entered: set[str]) -> Iterator[str]:
        """Yield the paths of all files below a folder on disk, each after a prefix, sorted."""
        entered.add(os.path.realpath(os.path.join(self.root, below)))
        for name in sorted(self._names_on_disk(below)):
            if is_no_photograph(name):
                continue
            path = f"{below}/{name}" if below else name
            if not name.endswith("/"):
                yield f"{prefix}{name}"
                continue
            inner = path.rstrip("/")
            # Folders linked to each other would have infinite paths.
            is_known = os.path.islink(place := os.path.join(self.root, inner)) and os.path.realpath(place) in entered
            if not is_known:
                yield from self._walked(inner, f"{prefix}{name}", entered)

    def has(self, path: str) -> bool:
        """Return whether a file with the given path exists."""
        if (below := self._safe(path)) is None:
            return False
        if self._is_folder and os.path.isfile(os.path.join(self.root, below)):
            return True
        return any(archive.has(name) for archive in self._archives for name in archive.names_for(below))

    def has_folder(self, path: str) -> bool:
        """Return whether a folder with the given path exists."""
        if (below := self._safe(path)) is None:
            return False
        if self.root.is_dir() and (self.root / below).is_dir():
            return True
        return any(archive.listing(name) for archive in self._archives for name in archive.names_for(below))

    def local(self, path: str) -> Path | None:
        """Return the real path of a file in the folder; None for a file in an archive.

        Raises:
            DataError: A link leads out of the folder.
        """
        below = self._safe(path)
        if below is None or not self._is_folder or not os.path.isfile(place := os.path.join(self.root, below)):
            return None
        folder, name = os.path.split(os.path.realpath(place) if os.path.islink(place) else place)
        if folder not in self._inside:
            real = os.path.realpath(folder)
            self._inside[folder] = real if Path(real).is_relative_to(self._real_root) else None
        inside = self._inside[folder]
        if inside is None:
            raise DataError(f"{self.shown(path)} is a link that leads out of the folder; name the folder it leads to")
        return Path(inside, name)

    @contextmanager
    def opened(self, path: str) -> Iterator[BinaryIO]:
        """Open a file for reading from start to end, decompressing `.gz`.

        A text with a stated encoding arrives in UTF-8, and so does JSON in UTF-16 with a byte order mark.

        Raises:
            DataError: The file is missing, damaged, in a damaged archive, or not in its stated encoding.
        """
        encoding = self._encoding(path)
        if encoding is not None and path not in self._decoded:
            with self._unpacked(path) as handle:
                check_encoding(handle, encoding, self.shown(path))
            self._decoded.add(path)
            self._note(self._below(path), f"read as {encoding}, as stated")
        with self._unpacked(path) as handle:
            is_text = encoding is not None or _plain_name(path).endswith(_JSON)
            yield in_utf_8(handle, encoding) if is_text else handle

    @contextmanager
    def _unpacked(self, path: str) -> Iterator[BinaryIO]:
        with self._opened_as_it_is(path) as handle:
            if not _is_packed(path):
                yield handle
                return
            with unpacked(handle, self.shown(path)) as content:
                yield content

    def _encoding(self, path: str) -> str | None:
        """Return the stated encoding of a text; None for a file of another kind."""
        if not self._encodings or not _plain_name(path).endswith((*TEXT_ENDS, *JSON_ENDS, _JSON, ".txt")):
            return None
        fitting = (encoding for pattern, encoding in self._encodings.items() if fnmatchcase(path, pattern))
        return next(fitting, None)

    def _is_as_read(self, path: str) -> bool:
        """Return whether a file on disk contains exactly the bytes that `opened` yields."""
        if _is_packed(path) or self._encoding(path) is not None:
            return False
        if not _plain_name(path).endswith(_JSON):
            return True
        with self._opened_as_it_is(path) as handle:
            return handle.read(2) not in UTF_16_MARKS

    @contextmanager
    def _opened_as_it_is(self, path: str) -> Iterator[BinaryIO]:
        if (real := self.local(path)) is not None:
            with naming(real), real.open("rb") as handle:
                yield handle
            return
        if (below := self._safe(path)) is not None:
            for archive in self._archives:
                for name in archive.names_for(below):
                    if archive.has(name):
                        with archive.opened(name) as handle:
                            yield handle
                        return
        raise DataError(f"{self.shown(path)} does not exist; {self.contents()}")

    def read(self, path: str, *, max_bytes: int | None = None) -> bytes:
        """Return the bytes of a file.

        Args:
            path: Path of the file.
            max_bytes: Limit in bytes; by default `bounds.DOCUMENT_BYTES`, which an environment variable raises.

        Raises:
            DataError: The file is missing, larger than `max_bytes`, or in a damaged archive.
        """
        with self.opened(path) as handle, naming(self.shown(path)):
            data = handle.read((most := DOCUMENT_BYTES.most() if max_bytes is None else max_bytes) + 1)
        if len(data) > most:
            more = f"; split it, {DOCUMENT_BYTES.or_raise()}" if max_bytes is None else ""
            raise DataError(f"{self.shown(path)} has more than {most:,} bytes{more}")
        return data

    @contextmanager
    def as_path(self, path: str) -> Iterator[Path]:
        """Yield a path of the file for other readers; a packed file is copied for the duration of the block.

        Raises:
            DataError: The file is missing, damaged, or in a damaged archive.
        """
        if (real := self.local(path)) is not None and self._is_as_read(path):
            yield real
            return
        with NamedTemporaryFile(suffix=PurePosixPath(path.removesuffix(".gz")).suffix) as copy:
            size = 0
            with self.opened(path) as handle:
                while piece := handle.read(1 << 20):
                    size += len(piece)
                    check_unpacked(size, self.shown(path))
                    copy.write(piece)
            copy.flush()
            yield Path(copy.name)

    def table(self, path: str, *, end: str | None = None) -> Table:
        """Return a file as a table, of the kind that `end` or its name indicates, otherwise CSV."""
        kind = end or table_end(path) or TEXT_ENDS[0]
        tell = partial(self._note, self._below(path))
        return Table(self.shown(path), kind, lambda: self.opened(path), lambda: self.as_path(path), tell)

    def _note(self, path: str, words: str) -> None:
        self._notes.setdefault(path, {})[words] = None

    def notes(self) -> list[FileNote]:
        """Return the assumptions made about all tables read so far, by path below the root."""
        return [FileNote(path, words) for path, notes in sorted(self._notes.items()) for words in notes]

    def shown(self, path: str) -> str:
        """Return the form of a path that messages show."""
        return str(self.root / self._below(path))

    def first(self, *paths: str) -> str | None:
        """Return the first of several paths that is a file; None if there is none."""
        return next((path for path in paths if self.has(path)), None)

    def _below(self, path: str) -> str:
        return f"{self.under}/{path}" if self.under and path else self.under or path

    def _safe(self, path: str) -> str | None:
        """Return a path below `root`, without `./`; None if it leads outside."""
        parts = [part for part in path.split("/") if part not in ("", ".")]
        if not parts or "\0" in path or path.startswith("/") or ".." in parts:
            return None
        return self._below("/".join(parts))


def _counted(paths: Iterator[str]) -> Iterator[str]:
    return (path for path in paths if not lies_apart(path))


def _plain_name(path: str) -> str:
    return path.lower().removesuffix(".gz")


def _is_packed(path: str) -> bool:
    """Return whether a file is a single compressed file: `.gz`, not an archive."""
    return path.lower().endswith(".gz") and not path.lower().endswith(_TO_UNPACK)
