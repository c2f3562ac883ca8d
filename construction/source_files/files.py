"""Files of a dataset, in a folder, in archives that lie in it, or in a single archive.

A ZIP or plain TAR archive directly in the folder counts as if it were unpacked there, and also as if it were unpacked
into a folder of its own name: `images.zip` may hold `1.jpg` or `images/1.jpg`. Members are read one at a time; nothing
is unpacked. Compressed TAR archives cannot be read from the middle: whoever has one unpacks it, and errors say so. A
single file with the ending `.gz` is read as what is packed in it.
"""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import zipfile
import zlib
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path, PurePosixPath
from tempfile import NamedTemporaryFile
from typing import BinaryIO, cast

from benchwright.errors import DataError
from benchwright.storage_faults import naming

MAX_FILE_BYTES = 256 << 20
MAX_COPY_BYTES = 8 << 30
"""Size of a member of an archive that is copied to be read from any place: COCO's largest file has 0.5 GB."""
_ARCHIVES = (".zip", ".tar")
_TO_UNPACK = (".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".7z", ".rar")
_ZERO_BLOCK = bytes(512)
_SHOWN = 8


class DatasetFiles:
    """The files of one dataset, by their path below its folder, with forward slashes.

    Args:
        root: Folder or archive.
        under: Folder in it that holds the dataset; empty for `root` itself.
        closed: Names of archives in the folder that are files like others, whose members do not count; default none.

    Raises:
        DataError: There is nothing, or it is an archive that cannot be read.
    """

    def __init__(self, root: Path, under: str = "", *, closed: Collection[str] = ()) -> None:
        if not root.exists():
            raise DataError(f"{root} is not there; name the dataset's folder, or its archive")
        self.root = root
        self.under = under
        self.closed = frozenset(closed)
        self._inside: dict[str, str | None] = {}
        """Real path of folders that were looked at; None of those that a link leads out of `root` to."""

    @cached_property
    def _archives(self) -> tuple[_Archive, ...]:
        if self.root.is_file():
            return (_opened_archive(self.root),)
        with naming(self.root):
            paths = sorted(path for path in self.root.iterdir() if path.suffix.lower() in _ARCHIVES and path.is_file())
        return tuple(_opened_archive(path) for path in paths if path.name not in self.closed)

    @cached_property
    def _is_folder(self) -> bool:
        return self.root.is_dir()

    @cached_property
    def _real_root(self) -> str:
        return os.path.realpath(self.root)

    def archives(self) -> list[str]:
        """Return the names of the archives directly in the folder, whose members count as its files."""
        return [archive.path.name for archive in self._archives if archive.path != self.root]

    def at(self, landmarks: Iterable[str], title: str) -> DatasetFiles:
        """Return the files from the folder that holds the landmarks: this one, or one folder directly in it.

        Args:
            landmarks: Paths of files or folders of which each has to be there; of alternatives, `a|b`.
            title: Name of the dataset, for the error.

        Raises:
            DataError: Neither holds them; the message says what was expected and what is there.
        """
        wanted = [mark.split("|") for mark in landmarks]
        for files in self.nested():
            if all(any(files.has(path) or files.has_folder(path) for path in paths) for paths in wanted):
                return files
        expected = ", ".join(" or ".join(paths) for paths in wanted)
        raise DataError(f"{self.root} is not laid out as {title}: expected {expected}; {self.contents()}")

    def nested(self) -> Iterator[DatasetFiles]:
        """Yield the files from this folder, then those from each folder directly in it."""
        yield self
        for folder in self.listing():
            if folder.endswith("/"):
                files = DatasetFiles(self.root, self._below(folder.rstrip("/")))
                files.__dict__["_archives"] = self._archives
                yield files

    def contents(self) -> str:
        """Return what lies directly in the folder, in words, for errors."""
        names = self.listing()
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        held = f"found {', '.join(names[:_SHOWN])}{more}" if names else "it is empty"
        packed = [name for name in names if name.lower().endswith(_TO_UNPACK)]
        return f"{held}; unpack {packed[0]} first (ZIP and plain TAR are read as they are)" if packed else held

    def listing(self, folder: str = "") -> list[str]:
        """Return the names directly in a folder, sorted; folders end with `/`."""
        return sorted(set(self.names(folder)))

    def names(self, folder: str = "") -> Iterator[str]:
        """Yield the names directly in a folder in no order, some perhaps twice, without keeping any; folders end with
        `/`.
        """
        place = self.root / self._below(folder)
        if self.root.is_dir() and place.is_dir():
            with naming(place), os.scandir(place) as entries:
                yield from (f"{entry.name}/" if entry.is_dir() else entry.name for entry in entries)
        for archive in self._archives:
            for inside in archive.names_for(self._below(folder)):
                yield from archive.listing(inside)

    def walk(self, folder: str = "", *, suffixes: Sequence[str] = ()) -> Iterator[str]:
        """Yield the paths of all files below a folder, sorted within each folder.

        Args:
            folder: Folder; empty for the dataset's own.
            suffixes: Ends of file names, in small letters; all files where empty.
        """
        for name in self.listing(folder):
            path = f"{folder}/{name}" if folder else name
            if name.endswith("/"):
                yield from self.walk(path.rstrip("/"), suffixes=suffixes)
            elif not suffixes or name.lower().endswith(tuple(suffixes)):
                yield path

    def has(self, path: str) -> bool:
        """Return whether there is a file of that path."""
        if (below := self._safe(path)) is None:
            return False
        if self._is_folder and os.path.isfile(os.path.join(self.root, below)):
            return True
        return any(archive.has(name) for archive in self._archives for name in archive.names_for(below))

    def has_folder(self, path: str) -> bool:
        """Return whether there is a folder of that path."""
        if (below := self._safe(path)) is None:
            return False
        if self.root.is_dir() and (self.root / below).is_dir():
            return True
        return any(archive.listing(name) for archive in self._archives for name in archive.names_for(below))

    def local(self, path: str) -> Path | None:
        """Return the real path of a file that lies in the folder; None where it lies in an archive.

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
        """Open a file for reading from start to end; what ends in `.gz` is unpacked meanwhile.

        Raises:
            DataError: It is missing, damaged, or in an archive that is.
        """
        with self._opened_as_it_is(path) as handle:
            if not is_packed(path):
                yield handle
                return
            try:
                with gzip.GzipFile(fileobj=handle, mode="rb") as unpacked:
                    yield cast(BinaryIO, unpacked)
            except (EOFError, gzip.BadGzipFile, zlib.error) as error:
                raise DataError(f"{self.shown(path)} cannot be unpacked: {error}; fetch it again") from error

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
        raise DataError(f"{self.shown(path)} is not there; {self.contents()}")

    def read(self, path: str, *, max_bytes: int = MAX_FILE_BYTES) -> bytes:
        """Return the bytes of a file.

        Raises:
            DataError: It is missing, larger than `max_bytes`, or its archive is damaged.
        """
        with self.opened(path) as handle, naming(self.shown(path)):
            data = handle.read(max_bytes + 1)
        if len(data) > max_bytes:
            raise DataError(f"{self.shown(path)} has more than {max_bytes:,} bytes")
        return data

    @contextmanager
    def as_path(self, path: str) -> Iterator[Path]:
        """Yield the path of a file that can be read from any place; what is packed is copied for that time.

        Raises:
            DataError: It is missing, damaged, or in an archive that is.
        """
        if (real := self.local(path)) is not None and not is_packed(path):
            yield real
            return
        with NamedTemporaryFile(suffix=PurePosixPath(path.removesuffix(".gz")).suffix) as copy:
            left = MAX_COPY_BYTES
            with self.opened(path) as handle:
                while piece := handle.read(1 << 20):
                    left -= len(piece)
                    if left < 0:
                        raise DataError(
                            f"{self.shown(path)} has more than {MAX_COPY_BYTES:,} bytes; unpack it yourself"
                        )
                    copy.write(piece)
            copy.flush()
            yield Path(copy.name)

    def shown(self, path: str) -> str:
        """Return a path as messages name it."""
        return str(self.root / self._below(path))

    def first(self, *paths: str) -> str | None:
        """Return the first of some paths that is a file; None where none is."""
        return next((path for path in paths if self.has(path)), None)

    def _below(self, path: str) -> str:
        return f"{self.under}/{path}" if self.under and path else self.under or path

    def _safe(self, path: str) -> str | None:
        """Return a path below `root`, without `./`; None where it leads out of it."""
        parts = [part for part in path.split("/") if part not in ("", ".")]
        if not parts or "\0" in path or path.startswith("/") or ".." in parts:
            return None
        return self._below("/".join(parts))


def is_packed(path: str) -> bool:
    """Return whether a file is a single packed one: `.gz`, no archive."""
    return path.lower().endswith(".gz") and not path.lower().endswith(_TO_UNPACK)


class _Archive:
    """One archive, with its members by name."""

    def __init__(self, path: Path, names: Iterable[str]) -> None:
        self.path = path
        self.names = sorted(names)

    def names_for(self, path: str) -> Iterator[str]:
        """Yield what a path of the dataset may be called inside."""
        yield path
        stem = self.path.stem
        if path == stem:
            yield ""
        elif path.startswith(f"{stem}/"):
            yield path[len(stem) + 1 :]

    def has(self, name: str) -> bool:
        place = bisect_left(self.names, name)
        return place < len(self.names) and self.names[place] == name

    def listing(self, folder: str) -> set[str]:
        """Return the names directly in a folder, by leaps from one to the next."""
        prefix = f"{folder}/" if folder else ""
        names: set[str] = set()
        place = bisect_left(self.names, prefix)
        while place < len(self.names) and self.names[place].startswith(prefix):
            head, is_deeper, _ = self.names[place][len(prefix) :].partition("/")
            names.add(f"{head}/" if is_deeper else head)
            place = bisect_left(self.names, f"{prefix}{head}0") if is_deeper else place + 1
        return names

    @contextmanager
    def opened(self, name: str) -> Iterator[BinaryIO]:
        try:
            with self._member(name) as handle:
                yield handle
        except (zipfile.BadZipFile, zlib.error, tarfile.TarError, EOFError, RuntimeError, NotImplementedError) as error:
            raise DataError(f"{self.path}: member {name!r} cannot be read: {error}; fetch the archive again") from error

    def _member(self, name: str) -> BinaryIO:
        raise NotImplementedError


class _Zip(_Archive):
    def __init__(self, path: Path) -> None:
        self._zip = zipfile.ZipFile(path)
        super().__init__(path, (name for name in self._zip.namelist() if not name.endswith("/")))

    def _member(self, name: str) -> BinaryIO:
        return cast(BinaryIO, self._zip.open(name))


class _Tar(_Archive):
    def __init__(self, path: Path) -> None:
        with tarfile.open(path, "r:") as tar:
            self._members = {
                member.name.removeprefix("./"): (member.offset_data, member.size) for member in tar if member.isfile()
            }
            end = tar.offset
        with path.open("rb") as handle:
            handle.seek(end)
            # An archive that is cut between two members would otherwise pass for a shorter one.
            if handle.read(len(_ZERO_BLOCK)) != _ZERO_BLOCK:
                raise tarfile.ReadError("the end of the archive is missing")
        super().__init__(path, self._members)

    def _member(self, name: str) -> BinaryIO:
        offset, size = self._members[name]
        handle = self.path.open("rb")
        handle.seek(offset)
        return io.BufferedReader(_Window(handle, size))


class _Window(io.RawIOBase):
    """The next bytes of a file, as a file of its own."""

    def __init__(self, handle: BinaryIO, size: int) -> None:
        self._handle, self._left = handle, size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._handle.read(min(len(buffer), self._left))
        buffer[: len(data)] = data
        self._left -= len(data)
        return len(data)

    def close(self) -> None:
        self._handle.close()
        super().close()


def _opened_archive(path: Path) -> _Archive:
    kinds = {".zip": _Zip, ".tar": _Tar}
    if path.suffix.lower() not in kinds:
        raise DataError(f"{path} is neither a folder nor a ZIP or plain TAR archive; unpack it and name the folder")
    try:
        with naming(path):
            return kinds[path.suffix.lower()](path)
    except (zipfile.BadZipFile, tarfile.TarError, EOFError) as error:
        raise DataError(f"{path} is no complete archive ({error}): it is cut off or damaged; fetch it again") from error
