"""Exports of a release to other tools' formats; an export is written, read back and compared before it appears."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright.canonical import file_digest
from benchwright.errors import BenchwrightError, DataError
from benchwright.progress import Progress, Silent
from benchwright.record_map import RecordMap, map_here
from benchwright.release.format import documents
from benchwright.release.format.files import read_inside
from benchwright.release.writing.folder import move_into_place, unfinished
from benchwright.rooms import find
from benchwright.workspace.written_once import differing_files

from .base import ExportFormat, NotCarried
from .beside import BesideWriter
from .comparison import ExportComparer
from .expected import ExpectedItems
from .exported import ExportHeader
from .readme import readme
from .walk import ReleaseWalk, UnexportablePicture

if TYPE_CHECKING:
    from benchwright.release import Release

_DESCRIPTION = "export.json"
"""File that describes an export and contains the SHA-256 of every other file."""

FORMAT = "benchwright/export"
FORMAT_VERSION = 1


@dataclass(frozen=True)
class Export:
    """A completed export that matches its release.

    Attributes:
        format: Name of the format.
        folder: Folder of the export.
        items: Number of items.
        files: Number of files.
        not_carried: Parts that the format cannot carry, each with the number of items that have it, sorted.
        checked: Numbers of items, texts and pictures that were read back and equal those of the release.
    """

    format: str
    folder: Path
    items: int
    files: int
    not_carried: tuple[tuple[NotCarried, int], ...]
    checked: dict[str, int]

    def document(self) -> dict[str, Any]:
        """Return this record as JSON values."""
        return {
            "format": self.format,
            "out": str(self.folder),
            "items": self.items,
            "files": self.files,
            "not_carried": _losses(self.not_carried),
            "checked": self.checked,
        }


def export_release(
    release: Release,
    format_name: str,
    out: Path,
    *,
    splits: Sequence[str] | None = None,
    progress: Progress | None = None,
    record_map: RecordMap = map_here,
) -> Export:
    """Export a release to a format, either completely or not at all.

    Reads the files back as consumers of the format do, and compares texts, keys, order and pixels with the release;
    only then does the folder appear. The same release always produces the same bytes. If the export already exists,
    because the command is repeated or was killed after its last write, it is compared with the new one and left in
    place.

    Args:
        release: Release to export.
        format_name: Name of the format, such as `inspect`.
        out: Folder of the export; must be new or empty.
        splits: Names of the splits to export; all if None.
        progress: Receiver of progress reports.
        record_map: Mapper for making pictures that the release does not store as models see them; by default they are
            made in this process.

    Raises:
        BenchwrightError: The format or a split is unknown, or the folder contains something else.
        DataError: The release is damaged, a picture cannot be decoded, or the export differs from the release.
        StepError: Drawing a picture ended its process or exceeded its memory.
    """
    kind: type[ExportFormat] = find("formats", format_name).load()
    chosen = _splits(release, splits)
    out = out.absolute()
    is_there = _is_an_export_of(out, release, format_name, chosen)
    if not is_there:
        _check_free(out)
    watching = progress or Silent()
    total = sum(release.manifest.counts.splits[split].items for split in chosen)
    with (
        unfinished(out) as draft,
        ReleaseWalk(release, chosen, draws_marks=kind.shows_marks) as walk,
        ExpectedItems() as expected,
    ):
        header = ExportHeader.of(release, chosen, out, **walk.picture_shape()._asdict())
        written = kind(draft, header)
        beside = BesideWriter(draft, header, marks=kind.shows_marks)
        losses: Counter[NotCarried] = Counter()
        watching.phase("writing", total, "items")
        filled: set[str] = set()
        try:
            for exported in walk.items(record_map):
                try:
                    exported.make_pictures()
                except UnexportablePicture as error:
                    losses[NotCarried("the item", str(error))] += 1
                    walk.leave_out(exported.item_id)
                else:
                    written.add(exported)
                    beside.add(exported)
                    expected.add(exported)
                    filled.add(exported.split)
                    losses.update(set(written.not_carried(exported)))
                watching.advance(1)
            # A split without exportable items has no file.
            written.header = replace(header, splits=tuple(sorted(filled)))
        finally:
            written.finish()
            beside.finish()
        if not walk.left:
            raise DataError(f"nothing of {release.path} can be exported: {next(iter(losses)).why}")
        comparer = ExportComparer(written, walk)
        watching.phase("reading back", walk.left, "items")
        try:
            for _ in comparer.compare(expected):
                watching.advance(1)
        except DataError as error:
            raise DataError(f"the export to {format_name} differs from the release: {error}") from error
        not_carried = tuple(sorted(losses.items()))
        checked = comparer.comparison.document()
        text = readme(written, not_carried, checked=comparer.comparison, licences=beside.licences)
        (draft / "README.md").write_text(text, encoding="utf-8", newline="\n")
        _describe(draft, written, not_carried)
        files = sum(path.is_file() for path in draft.rglob("*"))
        _arrive(draft, out, is_there=is_there)
    return Export(format_name, out, walk.left, files, not_carried, checked)


def _splits(release: Release, splits: Sequence[str] | None) -> tuple[str, ...]:
    """Return the names of the splits to export, sorted and without duplicates."""
    for split in splits or ():
        if split not in release.splits:
            raise BenchwrightError(f"{release.path} has no split {split!r}; it has {', '.join(release.splits)}")
    return tuple(sorted(set(splits))) if splits else release.splits


def _check_free(out: Path) -> None:
    try:
        str(out).encode()
    except UnicodeEncodeError as error:
        raise BenchwrightError(
            f"{str(out)!a} is not UTF-8 text, which the files of an export need; give another folder"
        ) from error
    if out.is_symlink() or (out.exists() and (not out.is_dir() or any(out.iterdir()))):
        raise BenchwrightError(f"{out} exists and is not an empty folder; give one that does not exist")


def _is_an_export_of(out: Path, release: Release, format_name: str, splits: Sequence[str]) -> bool:
    """Return whether a folder's description identifies it as this export of the release."""
    if out.is_symlink() or not out.is_dir():
        return False
    try:
        stated = documents.parse(read_inside(out, _DESCRIPTION, max_bytes=documents.MAX_BYTES), title=_DESCRIPTION)
    except (DataError, OSError):
        return False
    if not isinstance(stated, dict) or not isinstance(stated.get("release"), dict):
        return False
    of_release = (stated.get("format"), stated["release"].get("release_id"), stated.get("exported_to"))
    left_out = set(stated.get("splits") or ()) - set(splits)
    return of_release == (FORMAT, release.release_id, format_name) and not left_out


def _arrive(draft: Path, out: Path, *, is_there: bool) -> None:
    """Move a finished export into place; if the export already exists, compare the two and delete the new one."""
    if is_there:
        _check_equal(draft, out)
        shutil.rmtree(draft)
    else:
        _check_free(out)
        move_into_place(draft, out)


def _check_equal(draft: Path, out: Path) -> None:
    """Check that an existing export contains the same files, byte for byte.

    Raises:
        BenchwrightError: A file differs, or the set of files does.
    """
    if different := differing_files(draft, out):
        raise BenchwrightError(
            f"{out} contains an export of this release in which the file {different[0]!r} differs, is missing, or is "
            "surplus; give a folder that does not exist"
        )


def _losses(not_carried: Sequence[tuple[NotCarried, int]]) -> list[dict[str, Any]]:
    return [{"what": loss.what, "items": items, "why": loss.why} for loss, items in not_carried]


def _describe(draft: Path, written: ExportFormat, not_carried: Sequence[tuple[NotCarried, int]]) -> None:
    """Write `export.json`."""
    names = sorted(path.relative_to(draft).as_posix() for path in draft.rglob("*") if path.is_file())
    description = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "exported_to": written.name,
        "release": written.header.document(),
        "splits": list(written.header.splits),
        "not_carried": _losses(not_carried),
        "files": {
            name: {"sha256": file_digest(draft / name), "size_bytes": (draft / name).stat().st_size} for name in names
        },
    }
    (draft / _DESCRIPTION).write_bytes(documents.spell(description, title=_DESCRIPTION))
