"""Marks in files from which annotators start: reading them, matching them to pictures, and filling form fields.

A region is assigned to every shape that the form requests under its label and that the region can provide. It stays
unchanged if a field accepts its shape. Otherwise an outline becomes the mask of its pixels, and an outline or a mask
the box around it. Unused entries are counted by reason, and listed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.canonical import digest
from benchwright.errors import DataError
from benchwright.images.identify import path_for
from benchwright.records import ImageRecord
from benchwright.regions import Region, RegionError, RegionShape, SizeWH
from benchwright.regions.formats.mark_files import read_marks
from benchwright.regions.formats.picture_marks import MarkError, PictureMarks, RefusedMark, as_shape, known_name
from benchwright.texts.normalization import counted

from ...forms.fields.field_types import RegionField
from ...forms.fields.region_values import MAX_REGION_BYTES, read_regions, size_of
from ...forms.starting_files import START_FROM, StartAuthor, StartFile
from ...store.campaigns.starting_marks import StartingMarks, StartingRow, set_starting_marks, starting_key
from ...store.campaigns.tasks import find_campaign
from ...store.review_store import ReviewStore

_NO_PICTURE, _SEVERAL, _OTHER_SIZE, _WRONG = "no_picture", "several_pictures", "other_size", "wrong"
_NO_LABEL, _NO_SHAPE, _LEFT_OUT, _TOO_MANY, _TOO_LARGE = "no_label", "no_shape", "left_out", "too_many", "too_large"
UNUSED: Mapping[str, str] = {
    _NO_PICTURE: "of pictures outside the campaign",
    _SEVERAL: "of a picture that several entries of the file match",
    _OTHER_SIZE: "of pictures with another size",
    _WRONG: "are not regions of their picture",
    _NO_LABEL: "have a label that no field takes",
    _NO_SHAPE: "have a shape that no field takes",
    _LEFT_OUT: "are left out by `labels`",
    _TOO_MANY: "exceed the limit of a field",
    _TOO_LARGE: "exceed the limit of a submission",
}
"""Descriptions of the reasons why entries of a file are not used, by reason code."""
_MOST_LISTED = 500
"""Maximum number of a file's entries listed for each reason; all of them are counted."""
_CODES = {"entry": _WRONG, "crowd": _WRONG, "no_picture": _NO_PICTURE, "other_size": _OTHER_SIZE}
_AS_OTHERS: Mapping[RegionShape, tuple[RegionShape, ...]] = {"polygon": ("mask", "box"), "mask": ("box",)}
"""Shapes that a region also provides: an outline its pixels, and any area its bounds; a box has no outline."""


class StartPicture(NamedTuple):
    """A task whose first picture may have marks.

    Args:
        item_id: Item of the task.
        record: Its first picture, on which the marks lie.
        sizes_wh: Size of each picture of the task.
    """

    item_id: str
    record: ImageRecord
    sizes_wh: tuple[SizeWH, ...]


def digest_of_start(files: Sequence[StartFile], authors: Sequence[StartAuthor]) -> list[Any]:
    """Return what determines the marks read from files: the files' content and settings, but not the paths."""
    return [
        [author.name, author.version, file.labels, list(file.fields)]
        for file, author in zip(files, authors, strict=True)
    ]


@dataclass(frozen=True)
class StartSources:
    """The sources of the marks from which annotators of a campaign start.

    Args:
        files: Files, as the recipe names them.
        authors: The same files as authors, in the same order.
        folder: Folder to which paths are relative.
        fields: Region fields of the form.
        pictures: Pictures of the campaign.
    """

    files: Sequence[StartFile]
    authors: Sequence[StartAuthor]
    folder: Path
    fields: Sequence[RegionField]
    pictures: Sequence[StartPicture]

    @cached_property
    def key(self) -> str:
        """Return a digest of the sources, so that unchanged ones need not be read again."""
        names = sorted([picture.item_id, *_names_of(picture.record)] for picture in self.pictures)
        asked = [each.model_dump(mode="json") for each in self.fields]
        return digest([digest_of_start(self.files, self.authors), asked, names])

    @cached_property
    def marks(self) -> StartingMarks:
        """Return the marks for the campaign's pictures, and the files' unused entries.

        Raises:
            DataError: A file cannot be read at all.
        """
        known = _KnownPictures(self.pictures)
        counts: Counter[tuple[str, str]] = Counter()
        sizes: Counter[str] = Counter()
        rows: list[StartingRow] = []
        reports = []
        for place, (file, author) in enumerate(zip(self.files, self.authors, strict=True)):
            fields = [each for each in self.fields if not file.fields or each.name in file.fields]
            reading, path = _MarksReading(file, author, fields), self.folder / file.path
            for entry in read_marks(path, file.read_as(path), sizes_wh=known.sizes_wh):
                reading.take(entry, known, counts, sizes)
            for item_id, placed in sorted(reading.placed.items()):
                rows += [StartingRow(item_id, place, placed.regions)] if placed.regions else []
                for name, regions in placed.regions.items():
                    counts[item_id, name] += len(regions)
                sizes[item_id] += sum(map(size_of, placed.regions.values()))
            reports.append(reading.report())
        return StartingMarks(self.key, rows, reports)

    def proposed(self) -> dict[str, dict[str, list[dict[str, Any]]]]:
        """Return the marks as proposals by their files, by item and field."""
        by_item: dict[str, dict[str, list[dict[str, Any]]]] = {}
        for row in self.marks.rows:
            fields = by_item.setdefault(row.item_id, {})
            for name, regions in row.regions.items():
                fields.setdefault(name, []).extend(map(self.authors[row.place].proposed, regions))
        return by_item

    def is_kept(self, store: ReviewStore, campaign: str) -> bool:
        """Return whether the store already contains these marks."""
        with store.reading() as connection:
            return starting_key(connection, campaign) == self.key

    def keep(self, store: ReviewStore, campaign: str) -> None:
        """Store the marks for the annotators of a campaign, replacing earlier ones."""
        if not self.is_kept(store, campaign):
            with store.writing() as connection:
                set_starting_marks(connection, find_campaign(connection, campaign), self.marks)


def keep_no_start(store: ReviewStore, campaign: str) -> None:
    """Delete the marks from which annotators started if the recipe no longer names any files."""
    with store.writing() as connection:
        if starting_key(connection, campaign) is not None:
            set_starting_marks(connection, find_campaign(connection, campaign), None)


def start_summary(reports: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the starting marks for a run's summary; empty if the recipe names no such files."""
    listed = [{name: value for name, value in report.items() if name != "entries"} for report in reports]
    return {START_FROM: listed} if listed else {}


def start_line(reports: Sequence[Mapping[str, Any]], command: str) -> str:
    """Return a line that describes the starting marks and the files' unused entries.

    Args:
        reports: Reports of the files, as the store keeps them.
        command: Command that lists the unused entries.
    """
    parts = [
        f"{counted(report['regions'], 'region')} on {counted(report['pictures'], 'picture')} from {report['file']}"
        for report in reports
    ]
    unused = sum(sum(report["unused"].values()) for report in reports)
    verb, entries = "is" if unused == 1 else "are", counted(unused, "entry", "entries")
    rest = f"; {entries} of the files {verb} not used; `{command}` lists the reasons" if unused else ""
    return f"annotators start from {', '.join(parts)}{rest}"


class _KnownPictures:
    """The campaign's pictures by all names that match exactly one picture: paths, ends of paths, and image ids."""

    def __init__(self, pictures: Iterable[StartPicture]) -> None:
        by_name: dict[str, list[tuple[bool, StartPicture]]] = defaultdict(list)
        for picture in pictures:
            for name, is_whole in _names_of(picture.record).items():
                by_name[name].append((is_whole, picture))
        self._by_name: dict[str, StartPicture] = {}
        for name, named in by_name.items():
            whole = [picture for is_whole, picture in named if is_whole]
            fitting = whole or [picture for _, picture in named]
            if len({picture.item_id for picture in fitting}) == 1:
                self._by_name[name] = fitting[0]

    @property
    def sizes_wh(self) -> Mapping[str, SizeWH]:
        return {name: picture.sizes_wh[0] for name, picture in self._by_name.items()}

    def of(self, name: str) -> tuple[str, StartPicture] | None:
        """Return a picture with the name under which it is known, or None if the name is unknown."""
        known = known_name(name, self._by_name)
        return None if known is None else (known, self._by_name[known])


def _names_of(record: ImageRecord) -> dict[str, bool]:
    """Return the names of a picture (image id, path, and ends of the path), each with whether it is complete."""
    names = {record.image_id: True}
    try:
        path = None if record.source is None else path_for(record.source.uri)
    except DataError:  # an address, not a path
        path = None
    if path is not None:
        parts = path.as_posix().split("/")
        names |= {"/".join(parts[start:]): start == 0 for start in range(len(parts))}
    return names


@dataclass
class _Placed:
    """Marks on one picture in a file: the picture's name there, how much of it matches, and the regions by field."""

    name: str
    fits: int
    regions: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    used: int = 0


class _MarksReading:
    """Reads the entries of one file."""

    def __init__(self, file: StartFile, author: StartAuthor, fields: Sequence[RegionField]) -> None:
        self._file, self._author, self._fields = file, author, fields
        self.placed: dict[str, _Placed] = {}
        self._unused: Counter[str] = Counter()
        self._listed: list[dict[str, str]] = []

    def take(
        self,
        entry: PictureMarks | RefusedMark,
        known: _KnownPictures,
        counts: Mapping[tuple[str, str], int],
        sizes: Mapping[str, int],
    ) -> None:
        """Put the marks of a picture into fields, as far as earlier files leave room for them."""
        if isinstance(entry, RefusedMark):
            self._leave(_CODES[entry.code], "", entry.entry, entry.reason)
            return
        for mark in entry.refused:
            self._leave(_WRONG, entry.name, mark.entry, mark.reason)
        match = known.of(entry.name)
        if match is None:  # its size is stated under a name that another picture shares
            self._leave(_NO_PICTURE, entry.name, "picture", "there is no such picture", len(entry.regions))
            return
        fits, picture = match[0].count("/") + 1, match[1]
        other = self.placed.get(picture.item_id)
        if other is not None and fits <= other.fits:
            rival = f"{other.name!r} fits the same picture"
            self._leave(_SEVERAL, entry.name, "picture", rival, len(entry.regions))
            if fits == other.fits and other.regions:
                self._leave(_SEVERAL, other.name, "picture", f"{entry.name!r} fits the same picture", other.used)
                self.placed[picture.item_id] = _Placed(other.name, other.fits)
            return
        if other is not None:
            self._leave(_SEVERAL, other.name, "picture", f"{entry.name!r} fits the picture better", other.used)
        placed = self.placed[picture.item_id] = _Placed(entry.name, fits)
        room = MAX_REGION_BYTES - sizes.get(picture.item_id, 0)
        for number, region in enumerate(entry.regions):
            stated = entry.fields[number] if entry.fields else ""
            room -= self._put(placed, region, stated, picture, counts, room, f"region {number + 1}")

    def _put(
        self,
        placed: _Placed,
        region: Region,
        stated: str,
        picture: StartPicture,
        counts: Mapping[tuple[str, str], int],
        room: int,
        entry: str,
    ) -> int:
        """Put a region into the fields that accept it, and return the number of bytes that it occupies there."""
        try:
            documents = list(self._documents(region, stated, picture))
        except _Unused as error:
            self._leave(error.code, placed.name, entry, str(error))
            return 0
        taken = 0
        problem: _Unused | None = None
        for target, document in documents:
            size, here = size_of([document]), placed.regions.get(target.name, ())
            if counts.get((picture.item_id, target.name), 0) + len(here) >= target.max_count:
                problem = _Unused(_TOO_MANY, f"field {target.name!r} takes {target.max_count:,}")
            elif taken + size > room:
                problem = _Unused(_TOO_LARGE, f"one submission holds {MAX_REGION_BYTES >> 20} MiB of regions")
            else:
                placed.regions.setdefault(target.name, []).append(document)
                taken += size
        placed.used += taken > 0
        if problem is not None and not taken:
            self._leave(problem.code, placed.name, entry, str(problem))
        return taken

    def _documents(
        self, region: Region, stated: str, picture: StartPicture
    ) -> Iterator[tuple[RegionField, dict[str, Any]]]:
        """Yield the region as each field accepts it, as JSON values.

        Raises:
            _Unused: No field accepts it.
        """
        mapped = self._file.labels.get(region.label, region.label)
        if mapped is None:
            raise _Unused(_LEFT_OUT, f"`labels` leaves {region.label!r} out")
        labelled = [(each, label) for each in self._fields if (label := _label_for(each, mapped)) is not None]
        if not labelled:
            raise _Unused(_NO_LABEL, f"no field takes the label {mapped[:80]!r}")
        labelled = [pair for pair in labelled if pair[0].name == stated] or labelled
        shapes = (region.shape, *_AS_OTHERS.get(region.shape, ()))
        takers = {each.shape: (each, label) for each, label in reversed(labelled) if each.shape in shapes}
        if not takers:
            raise _Unused(_NO_SHAPE, f"no field with that label takes a region of shape {region.shape!r}")
        documents, mistake = [], ""
        for target, label in takers.values():
            try:
                shaped = as_shape(region, target.shape, picture.sizes_wh[0]).model_copy(update={"label": label})
                [document] = read_regions([shaped.model_dump(mode="json")], target.rule, picture.sizes_wh)
            except (MarkError, RegionError, ValueError) as error:
                mistake = str(error).removeprefix("region 1: ")
                continue
            documents.append((target, document))
        if not documents:
            raise _Unused(_WRONG, mistake)
        yield from documents

    def _leave(self, code: str, picture: str, entry: str, reason: str, count: int = 1) -> None:
        if count and self._unused[code] < _MOST_LISTED:
            self._listed.append({"picture": picture, "entry": entry, "code": code, "reason": reason[:500]})
        self._unused[code] += count

    def report(self) -> dict[str, Any]:
        """Return the used and unused entries, as JSON values."""
        placed = [each for each in self.placed.values() if each.used]
        return {
            "file": self._author.name,
            "version": self._author.version,
            "pictures": len(placed),
            "marks": sum(each.used for each in placed),
            "regions": sum(len(regions) for each in placed for regions in each.regions.values()),
            "unused": {code: n for code, n in sorted(self._unused.items()) if n},
            "entries": self._listed,
        }


class _Unused(Exception):
    """A region in a file that is not used."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


def _label_for(target: RegionField, label: str) -> str | None:
    """Return the label that a field assigns to a file's region, or None if it does not accept the label."""
    if not target.options and not target.free_label:
        return ""
    by_words = {_plain(spelled): option.code for option in target.options for spelled in (option.words, option.code)}
    if (code := by_words.get(_plain(label))) is not None:
        return code
    return (" ".join(label.split()) or None) if target.free_label else None


def _plain(label: str) -> str:
    return " ".join(label.split()).casefold()
