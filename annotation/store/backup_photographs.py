"""The photographs of a backup: those that a decision or a draft of its store refers to."""

from __future__ import annotations

import re
import shutil
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from benchwright.canonical import bytes_digest, digest
from benchwright.errors import DataError
from benchwright.workspace.objects import ObjectStore

FOLDER = "photographs/"
MAX_BYTES = 512 << 20
"""Of one photograph: PNG of the largest that a form can ask for."""
_ID = re.compile(r"[0-9a-f]{64}")


class Carried(NamedTuple):
    """Photographs in a backup: how many, the digest of their sorted ids, and how many in use had no file."""

    files: int
    ids: str
    missing: int = 0


def write_photographs(archive: zipfile.ZipFile, ids: Iterable[str], there: ObjectStore) -> Carried:
    """Write photographs to a backup as they are; those whose files are gone are counted."""
    carried, missing = [], 0
    for one in sorted(ids):
        path = there.path(one)
        if not path.is_file():
            missing += 1
            continue
        # They are compressed already.
        with archive.open(zipfile.ZipInfo(f"{FOLDER}{one}"), "w", force_zip64=True) as out, path.open("rb") as given:
            shutil.copyfileobj(given, out)
        carried.append(one)
    return Carried(len(carried), digest(carried), missing)


def restore_photographs(path: Path, archive: zipfile.ZipFile, stated: Carried, into: ObjectStore | None) -> None:
    """Put the photographs of a backup where they belong; one that is there already stays as it is.

    Args:
        path: The backup, for messages.
        archive: It, opened.
        stated: What its manifest says of them.
        into: Of the workspace; None to look only.

    Raises:
        DataError: They are others than the manifest says, or one is not what its name says.
    """
    found = sorted(_named(path, archive))
    if (len(found), digest(found)) != (stated.files, stated.ids):
        raise DataError(f"{path} holds other photographs than its manifest says; the backup was changed")
    for one in found:
        try:
            with archive.open(f"{FOLDER}{one}") as handle:
                data = handle.read(MAX_BYTES + 1)
        except (zipfile.BadZipFile, EOFError, OSError) as error:
            raise DataError(f"{path}: photograph {one[:12]} cannot be read ({type(error).__name__})") from error
        if len(data) > MAX_BYTES or bytes_digest(data) != one:
            raise DataError(f"{path}: photograph {one[:12]} is not what its name says; the backup was changed")
        if into is not None:
            (into.root / "tmp").mkdir(parents=True, exist_ok=True)
            into.put(data)


def _named(path: Path, archive: zipfile.ZipFile) -> Iterator[str]:
    for name in archive.namelist():
        if name.startswith(FOLDER):
            one = name.removeprefix(FOLDER)
            if not _ID.fullmatch(one):
                raise DataError(f"{path}: {name[:80]!r} is no name of a photograph; the backup was changed")
            yield one
