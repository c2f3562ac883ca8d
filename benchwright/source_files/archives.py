"""ZIP and plain TAR archives as folders of files, read one member at a time without unpacking.

Member names come from outside. The reader interprets them as unpacking programs do: `./q.csv` and `//a//q.csv` are
`q.csv` and `a/q.csv`, and if two members have the same name, the last is used. A name that leads out of the archive, a
link or a device causes one refusal; the reader continues with the rest.
"""

from __future__ import annotations

import io
import re
import stat
import tarfile
import zipfile
import zlib
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Generic, TypeVar, cast

from benchwright.errors import DataError
from benchwright.files.bounds import MEMBERS
from benchwright.files.packed import check_unpacked
from benchwright.machine.storage_faults import naming

from .refusals import UNUSABLE_MEMBER, Refused

SUFFIXES = (".zip", ".tar")
_MAX_NAME = 4096
_MAX_HEADER_BYTES = 1 << 20
"""Largest extended header of a TAR member in bytes, kept in memory: names, times and owners."""
_ODD_NAME = re.compile(r"(?:^|/)\.{0,2}(?:/|$)|[\\\0]")
_ZERO_BLOCK = bytes(512)
_COMPRESSIONS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2})
"""ZIP compression methods that take little memory; LZMA takes as much as the file requests."""
Place = TypeVar("Place")


class Archive(Generic[Place]):
    """One archive, with its members by name.

    Args:
        path: Path of the archive.
        refused: Receiver of members that are not read.
        name: Path of the archive below the dataset's folder, for refusals.
    """

    def __init__(self, path: Path, refused: Refused, name: str) -> None:
        self.path = path
        self._refused, self._name = refused, name
        self._places: dict[str, Place] = {}
        most = MEMBERS.most()
        for member, place in self._members():
            if len(self._places) >= most:
                raise _too_many(path)
            if member in self._places:
                self._refuse(member, "it occurs twice in the archive; the last one counts")
            self._places[member] = place
        self._names = sorted(self._places)

    def _members(self) -> Iterator[tuple[str, Place]]:
        raise NotImplementedError

    def _refuse(self, member: str, detail: str) -> None:
        self._refused.add(self._name, UNUSABLE_MEMBER, detail, entry=f"member {member[:200]!a}")

    def _plain_name(self, member: str) -> str | None:
        """Return the name under which a member is looked up; None, with a recorded refusal, if the name is invalid."""
        if len(member) > _MAX_NAME:
            self._refuse(member, f"its name has {len(member):,} characters; the limit is {_MAX_NAME:,}")
            return None
        if _ODD_NAME.search(member) is None:
            return member
        parts = [part for part in member.split("/") if part not in ("", ".")]
        if ".." in parts or not parts or "\0" in member:
            self._refuse(member, "its name is not a path inside the archive")
            return None
        return "/".join(parts)

    def names_for(self, path: str) -> Iterator[str]:
        """Yield the names that a path of the dataset may have in the archive."""
        yield path
        stem = self.path.stem
        if path == stem:
            yield ""
        elif path.startswith(f"{stem}/"):
            yield path[len(stem) + 1 :]

    def has(self, name: str) -> bool:
        """Return whether the archive has a member with the given name."""
        return name in self._places

    def listing(self, folder: str) -> set[str]:
        """Return the names directly in a folder, jumping from each name to the next; names of folders end with `/`."""
        prefix = f"{folder}/" if folder else ""
        names: set[str] = set()
        place = bisect_left(self._names, prefix)
        while place < len(self._names) and self._names[place].startswith(prefix):
            head, is_deeper, _ = self._names[place][len(prefix) :].partition("/")
            names.add(f"{head}/" if is_deeper else head)
            place = bisect_left(self._names, f"{prefix}{head}0") if is_deeper else place + 1
        return names

    def below(self, folder: str) -> Iterator[str]:
        """Yield the paths of all members below a folder, relative to that folder, sorted."""
        prefix = f"{folder}/" if folder else ""
        for place in range(bisect_left(self._names, prefix), len(self._names)):
            if not self._names[place].startswith(prefix):
                return
            yield self._names[place][len(prefix) :]

    @contextmanager
    def opened(self, name: str) -> Iterator[BinaryIO]:
        """Open a member for reading from start to end.

        Raises:
            DataError: The member is damaged, encrypted, or compressed in an unsupported way.
        """
        try:
            with self._opened(self._places[name]) as handle:
                yield handle
        except (zipfile.BadZipFile, zlib.error, tarfile.TarError, EOFError, RuntimeError, NotImplementedError) as error:
            raise DataError(f"{self.path}: member {name!r} cannot be read: {error}; fetch the archive again") from error

    def _opened(self, place: Place) -> BinaryIO:
        raise NotImplementedError


class _Zip(Archive[zipfile.ZipInfo]):
    def __init__(self, path: Path, refused: Refused, name: str) -> None:
        with path.open("rb") as handle:
            # `ZipFile` reads the whole directory of the archive, so check its size first.
            end = zipfile._EndRecData(handle)  # type: ignore[attr-defined]
        if end is not None and end[4] > MEMBERS.most():
            raise _too_many(path)
        self._zip = zipfile.ZipFile(path)
        super().__init__(path, refused, name)

    def _members(self) -> Iterator[tuple[str, zipfile.ZipInfo]]:
        for info in self._zip.infolist():
            if info.is_dir():
                continue
            # Windows programs write `images\1.jpg`.
            name = self._plain_name(info.orig_filename.replace("\\", "/"))
            if name is None:
                continue
            if stat.S_ISLNK(info.external_attr >> 16):
                self._refuse(info.filename, "it is a link; pack its target instead")
            elif info.compress_type not in _COMPRESSIONS:
                self._refuse(info.filename, "its compression is not supported; pack it with deflate")
            else:
                yield name, info

    def _opened(self, place: zipfile.ZipInfo) -> BinaryIO:
        # Read no more than the stated size.
        check_unpacked(place.file_size, f"{self.path}: member {place.filename[:200]!a}")
        return cast(BinaryIO, self._zip.open(place))


class _Tar(Archive[tuple[int, int]]):
    def _members(self) -> Iterator[tuple[str, tuple[int, int]]]:
        with opened_tar(self.path) as tar:
            for member in tar_members(tar):
                if member.isdir():
                    continue
                name = self._plain_name(member.name)
                if name is None:
                    continue
                if not member.isreg() or member.issparse():
                    self._refuse(member.name, "it is a link, a device or a sparse file; pack a plain file instead")
                else:
                    yield name, (member.offset_data, member.size)
            end = tar.offset
        with self.path.open("rb") as handle:
            handle.seek(end)
            # Otherwise an archive cut between two members would pass for a shorter one.
            if handle.read(len(_ZERO_BLOCK)) != _ZERO_BLOCK:
                raise tarfile.ReadError("the end of the archive is missing")

    def _opened(self, place: tuple[int, int]) -> BinaryIO:
        offset, size = place
        handle = self.path.open("rb")
        handle.seek(offset)
        return io.BufferedReader(_FileWindow(handle, size))


class _BoundedMember(tarfile.TarInfo):
    """A member whose header cannot point backward in the archive and that takes little memory."""

    def _block(self, count: int) -> int:
        is_header = self.type in (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, *_LONG_NAMES)
        if count < 0 or (is_header and count > _MAX_HEADER_BYTES):
            raise tarfile.InvalidHeaderError(f"a header states {count:,} bytes")  # type: ignore[attr-defined]
        return cast(int, super()._block(count))  # type: ignore[misc]


_LONG_NAMES = (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)


def opened_tar(path: Path) -> tarfile.TarFile:
    """Open an untrusted plain TAR archive.

    Raises:
        TarError: The file is not a TAR archive.
    """
    return tarfile.open(path, "r:", tarinfo=_BoundedMember)


def tar_members(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """Yield the members of an archive without keeping any in memory."""
    while (member := archive.next()) is not None:
        archive.members.clear()  # type: ignore[attr-defined]
        yield member


class _FileWindow(io.RawIOBase):
    """The next bytes of a file, as a separate file."""

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


def opened_archive(path: Path, refused: Refused, name: str) -> Archive[zipfile.ZipInfo] | Archive[tuple[int, int]]:
    """Open an archive.

    Args:
        path: Path of the archive.
        refused: Receiver of unread members.
        name: Path of the archive below the dataset's folder, for refusals.

    Raises:
        DataError: The file is not an archive, is truncated or damaged, or has too many members.
    """
    kinds: dict[str, type[_Zip] | type[_Tar]] = {".zip": _Zip, ".tar": _Tar}
    if path.suffix.lower() not in kinds:
        raise DataError(f"{path} is neither a folder nor a ZIP or plain TAR archive; unpack it and name the folder")
    try:
        with naming(path):
            return kinds[path.suffix.lower()](path, refused, name)
    except (zipfile.BadZipFile, tarfile.TarError, EOFError, ValueError, NotImplementedError) as error:
        raise DataError(
            f"{path} is not a complete archive ({error}), but cut off or damaged; fetch it again"
        ) from error


def _too_many(path: Path) -> DataError:
    return DataError(
        f"{path} has more than {MEMBERS.most():,} members; unpack it and name the folder, {MEMBERS.or_raise()}"
    )
