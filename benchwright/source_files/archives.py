"""ZIP and plain TAR archives as folders of files, read one member at a time; nothing is unpacked.

Names of members are what a stranger wrote. They are read as programs that unpack would write them: `./q.csv` and
`//a//q.csv` are `q.csv` and `a/q.csv`, and of two members with one name the last counts. A name that leads out of the
archive, and a member that is a link or a device, is one refusal; the rest is read.
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
"""Most bytes of a TAR member's extended header, which is held in memory: it has names, times and owners."""
_ODD_NAME = re.compile(r"(?:^|/)\.{0,2}(?:/|$)|[\\\0]")
_ZERO_BLOCK = bytes(512)
_COMPRESSIONS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2})
"""Compressions of ZIP that take little memory; LZMA takes what the file asks for."""
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
                self._refuse(member, "it stands twice in the archive; the last one counts")
            self._places[member] = place
        self._names = sorted(self._places)

    def _members(self) -> Iterator[tuple[str, Place]]:
        raise NotImplementedError

    def _refuse(self, member: str, detail: str) -> None:
        self._refused.add(self._name, UNUSABLE_MEMBER, detail, entry=f"member {member[:200]!a}")

    def _plain_name(self, member: str) -> str | None:
        """Return the name under which a member is found; None, and a refusal, where it has none."""
        if len(member) > _MAX_NAME:
            self._refuse(member, f"its name has {len(member):,} characters; at most {_MAX_NAME:,} are read")
            return None
        if _ODD_NAME.search(member) is None:
            return member
        parts = [part for part in member.split("/") if part not in ("", ".")]
        if ".." in parts or not parts or "\0" in member:
            self._refuse(member, "its name is no path inside the archive")
            return None
        return "/".join(parts)

    def names_for(self, path: str) -> Iterator[str]:
        """Yield what a path of the dataset may be called inside."""
        yield path
        stem = self.path.stem
        if path == stem:
            yield ""
        elif path.startswith(f"{stem}/"):
            yield path[len(stem) + 1 :]

    def has(self, name: str) -> bool:
        """Return whether there is a member of that name."""
        return name in self._places

    def listing(self, folder: str) -> set[str]:
        """Return the names directly in a folder, by leaps from one to the next; folders end with `/`."""
        prefix = f"{folder}/" if folder else ""
        names: set[str] = set()
        place = bisect_left(self._names, prefix)
        while place < len(self._names) and self._names[place].startswith(prefix):
            head, is_deeper, _ = self._names[place][len(prefix) :].partition("/")
            names.add(f"{head}/" if is_deeper else head)
            place = bisect_left(self._names, f"{prefix}{head}0") if is_deeper else place + 1
        return names

    def below(self, folder: str) -> Iterator[str]:
        """Yield the paths of all members below a folder, from that folder on, sorted."""
        prefix = f"{folder}/" if folder else ""
        for place in range(bisect_left(self._names, prefix), len(self._names)):
            if not self._names[place].startswith(prefix):
                return
            yield self._names[place][len(prefix) :]

    @contextmanager
    def opened(self, name: str) -> Iterator[BinaryIO]:
        """Open a member for reading from start to end.

        Raises:
            DataError: It is damaged, encrypted, or compressed in another way.
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
            # What is in the archive is read as a whole by `ZipFile`, so its size is looked at before.
            end = zipfile._EndRecData(handle)  # type: ignore[attr-defined]
        if end is not None and end[4] > MEMBERS.most():
            raise _too_many(path)
        self._zip = zipfile.ZipFile(path)
        super().__init__(path, refused, name)

    def _members(self) -> Iterator[tuple[str, zipfile.ZipInfo]]:
        for info in self._zip.infolist():
            if info.is_dir():
                continue
            # Programs for Windows write `images\1.jpg`.
            name = self._plain_name(info.orig_filename.replace("\\", "/"))
            if name is None:
                continue
            if stat.S_ISLNK(info.external_attr >> 16):
                self._refuse(info.filename, "it is a link; pack what it leads to")
            elif info.compress_type not in _COMPRESSIONS:
                self._refuse(info.filename, "it is compressed in a way that is not read; pack it with deflate")
            else:
                yield name, info

    def _opened(self, place: zipfile.ZipInfo) -> BinaryIO:
        # No more than it states is read.
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
                    self._refuse(member.name, "it is a link, a device or a file with holes; pack what it leads to")
                else:
                    yield name, (member.offset_data, member.size)
            end = tar.offset
        with self.path.open("rb") as handle:
            handle.seek(end)
            # An archive that is cut between two members would otherwise pass for a shorter one.
            if handle.read(len(_ZERO_BLOCK)) != _ZERO_BLOCK:
                raise tarfile.ReadError("the end of the archive is missing")

    def _opened(self, place: tuple[int, int]) -> BinaryIO:
        offset, size = place
        handle = self.path.open("rb")
        handle.seek(offset)
        return io.BufferedReader(_FileWindow(handle, size))


class _BoundedMember(tarfile.TarInfo):
    """A member whose header cannot lead back in the archive, and is held in memory only where it is small."""

    def _block(self, count: int) -> int:
        is_header = self.type in (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, *_LONG_NAMES)
        if count < 0 or (is_header and count > _MAX_HEADER_BYTES):
            raise tarfile.InvalidHeaderError(f"a header states {count:,} bytes")  # type: ignore[attr-defined]
        return cast(int, super()._block(count))  # type: ignore[misc]


_LONG_NAMES = (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)


def opened_tar(path: Path) -> tarfile.TarFile:
    """Open a plain TAR archive of a stranger.

    Raises:
        TarError: It is none.
    """
    return tarfile.open(path, "r:", tarinfo=_BoundedMember)


def tar_members(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """Yield the members of an archive, of which none is kept."""
    while (member := archive.next()) is not None:
        archive.members.clear()  # type: ignore[attr-defined]
        yield member


class _FileWindow(io.RawIOBase):
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


def opened_archive(path: Path, refused: Refused, name: str) -> Archive[zipfile.ZipInfo] | Archive[tuple[int, int]]:
    """Return an archive.

    Args:
        path: Path of the archive.
        refused: Receiver of members that are not read.
        name: Path of the archive below the dataset's folder, for refusals.

    Raises:
        DataError: It is none, is cut off or damaged, or has too many members.
    """
    kinds: dict[str, type[_Zip] | type[_Tar]] = {".zip": _Zip, ".tar": _Tar}
    if path.suffix.lower() not in kinds:
        raise DataError(f"{path} is neither a folder nor a ZIP or plain TAR archive; unpack it and name the folder")
    try:
        with naming(path):
            return kinds[path.suffix.lower()](path, refused, name)
    except (zipfile.BadZipFile, tarfile.TarError, EOFError, ValueError, NotImplementedError) as error:
        raise DataError(f"{path} is no complete archive ({error}): it is cut off or damaged; fetch it again") from error


def _too_many(path: Path) -> DataError:
    return DataError(
        f"{path} has more than {MEMBERS.most():,} members; unpack it and name the folder, {MEMBERS.or_raise()}"
    )
