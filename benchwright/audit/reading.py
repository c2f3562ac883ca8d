"""Reads whatever has questions in it for an audit: a file, a folder or archive with such files, or a frozen release.

Nothing is refused for a missing key or picture, as a run would: such items are audited as far as they go. Rows that are
no questions at all are listed with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import count, islice
from pathlib import Path

from benchwright.canonical import digest
from benchwright.construction.imported import (
    AskedPicture,
    AskedQuestion,
    PictureLookup,
    QuestionSource,
    item_of,
    open_source,
)
from benchwright.construction.source_files import BadRow, DatasetFiles, RefusedRow
from benchwright.errors import BenchwrightError, DataError, UnreadableImage
from benchwright.images.formats.walking import Limits
from benchwright.images.identify import Identified, identify, uri_for
from benchwright.records import ImageRecord, Source
from benchwright.rights import embedded_sources, read_source_table, stated_source
from benchwright.workspace.objects import ObjectStore

from .audited_items import UNREADABLE_PICTURE, AbsentPicture, AuditedItem, AuditedItems, AuditedPicture, UnreadableRow

SOURCE_TABLES = ("sources.csv", "sources.tsv")
_OPERATION = "0" * 32
_LICENCE_COLUMNS = ("licence", "license", "image_license", "image_licence")


def read_source(
    source: Path,
    *,
    objects: Path,
    pictures: Path | None = None,
    columns: Mapping[str, str | int | list[str]] | None = None,
) -> AuditedItems:
    """Return the items of a source with their pictures, and what of it cannot be read.

    Args:
        source: File of questions, folder or archive that holds such files, or folder of a release.
        objects: Folder for pictures that stand in files, archives or a release.
        pictures: Folder of the pictures where they lie elsewhere.
        columns: Columns by field where their names do not tell.

    Raises:
        DataError: The source holds no questions, or cannot be read.
    """
    reading = _Reading(ObjectStore(objects, tmp=objects))
    objects.mkdir(parents=True, exist_ok=True)
    if (source / "manifest.json").is_file():
        reading.read_release(source)
    else:
        reading.read_files(open_source(source.resolve(), pictures=pictures, mapping=columns))
    return reading.result(source)


def stand_in(name: str) -> str:
    """Return the id that stands for a picture that is not there, by the name that items give it."""
    return digest(["picture that is not there", name])


@dataclass
class _Reading:
    """What has been read so far."""

    objects: ObjectStore
    limits: Limits = field(default_factory=Limits)
    items: list[AuditedItem] = field(default_factory=list)
    pictures: dict[str, AuditedPicture] = field(default_factory=dict)
    unreadable: list[UnreadableRow] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    taken: dict[str, str] = field(default_factory=dict)
    """File in which each id stood first."""
    absent: dict[str, AbsentPicture] = field(default_factory=dict)
    """Why a picture is not there, by the name that items give it."""

    def result(self, source: Path) -> AuditedItems:
        self._report_absent()
        return AuditedItems(
            source, tuple(self.items), self.pictures, tuple(self.unreadable), tuple(self.lines), self.absent
        )

    def _own_id(self, key: str, file: str) -> str:
        """Return an id that no item has yet: its own, else with its file, else with a number."""
        own = key
        if key in self.taken:
            numbered = (f"{key} ({number})" for number in count(2))
            with_file = [] if self.taken[key] == file else [f"{file}: {key}"]
            own = next(name for name in (*with_file, *islice(numbered, len(self.taken) + 1)) if name not in self.taken)
        self.taken[own] = file
        return own

    def read_files(self, source: QuestionSource) -> None:
        """Read files of questions, with their pictures."""
        folder = source.picture_files()
        lookup = PictureLookup(folder, self.objects, self.limits)
        self.lines += [f"{file.path}: {file.columns}" for file in source.files]
        for file, entry in source.entries():
            if isinstance(entry, RefusedRow):
                where = ", ".join(part for part in (entry.file, entry.entry) if part)
                self.unreadable.append(UnreadableRow(where, f"{entry.reason}: {entry.detail}"))
            elif entry.question is not None and entry.reply is None:
                self._take(file, entry.row, entry.question, entry.pictures, lookup)
        self._state_sources(folder)

    def _take(
        self, file: str, row: str, question: AskedQuestion, shown: list[AskedPicture], lookup: PictureLookup
    ) -> None:
        ids: list[str] = []
        names: list[str] = []
        missing: list[str] = []
        for number, picture in enumerate(shown, start=1):
            place = f"{file}: {row}, picture {number}"
            name = picture.path or place
            try:
                if name in self.absent and picture.data is None:
                    raise BadRow(self.absent[name].detail, self.absent[name].reason)
                identity, where, path = lookup.found_picture(picture, file=file, place=place)
            except (BadRow, BenchwrightError) as error:
                reason = error.reason if isinstance(error, BadRow) else UNREADABLE_PICTURE
                self.absent.setdefault(name, AbsentPicture(reason, str(error)))
                missing.append(name)
                ids.append(stand_in(name))
                names.append(name)
                continue
            ids.append(identity.image_id)
            names.append(path)
            if identity.image_id not in self.pictures:
                self.pictures[identity.image_id] = _picture(identity, where, path)
        own = self._own_id(question.key, file)
        ids = ids or [stand_in(f"{file}: {row}, no picture")]
        item_id = digest(["audit", own])[:32]
        item = item_of(
            question,
            ids,
            item_id=item_id,
            root_image_id=ids[0],
            operation_id=_OPERATION,
            groups={f"image:{image_id}" for image_id in ids},
        )
        self.items.append(AuditedItem(own, item, question.split, f"{file}, {row}", tuple(missing), tuple(names)))

    def _report_absent(self) -> None:
        """List the pictures that are not there, or in one line where none is."""
        if self.absent and not self.pictures:
            first = next(iter(self.absent.values()))
            reason = f"none of the {len(self.absent):,} pictures that items name can be read: {first.detail}"
            self.unreadable.insert(0, UnreadableRow("pictures", reason))
        else:
            self.unreadable += [UnreadableRow(name, absent.detail) for name, absent in self.absent.items()]

    def _state_sources(self, folder: DatasetFiles) -> None:
        """Add what the table beside the pictures and the files themselves state of their origin."""
        names = {picture.name: image_id for image_id, picture in self.pictures.items()}
        table = None
        if folder.root.is_dir():
            beside = [name for name in SOURCE_TABLES if (folder.root / name).is_file()]
            try:
                table = read_source_table(folder.root, [*(uri_for(name) for name in names), *beside])
            except DataError as error:
                self.unreadable.append(UnreadableRow(beside[0], str(error)))
        for name, image_id in names.items():
            picture = self.pictures[image_id]
            embedded = embedded_sources(picture.file, picture.media_type, limits=self.limits)
            if table is not None or embedded:
                self.pictures[image_id] = _with_source(picture, stated_source(uri_for(name), table, embedded).source)
        self._state_licences_of_rows()

    def _state_licences_of_rows(self) -> None:
        """Take the licence of a picture from its item's row, where a column of that name states one."""
        for audited in self.items:
            licence = next(
                (audited.item.attributes.get(name) for name in _LICENCE_COLUMNS if name in audited.item.attributes),
                None,
            )
            if not isinstance(licence, str) or not licence.strip():
                continue
            for image in audited.item.images:
                picture = self.pictures.get(image.image_id)
                if picture is not None and (picture.source is None or picture.source.licence is None):
                    source = picture.source or Source(uri=uri_for(picture.name))
                    self.pictures[image.image_id] = _with_source(
                        picture, source.model_copy(update={"licence": licence})
                    )

    def read_release(self, folder: Path) -> None:
        """Read a frozen release."""
        from benchwright.release import Release

        release = Release.open(folder)
        self.lines.append(f"release {release.name} {release.version}, content {release.content_id[:16]}")
        stated = {record.image_id: record for record in release.provenance() if isinstance(record, ImageRecord)}
        for released in release.items():
            item = released.item
            missing = []
            for image_id, data in released.images.items():
                if image_id in self.pictures:
                    continue
                place = self.objects.path(self.objects.put(data))
                try:
                    identity = identify(place, root=place.parent, limits=self.limits)
                except UnreadableImage as error:
                    self.absent[image_id] = AbsentPicture(UNREADABLE_PICTURE, f"{error.reason}: {error.detail}")
                    missing.append(image_id)
                    continue
                record = stated.get(image_id)
                source = None if record is None else record.source
                name = source.uri if source is not None else image_id
                self.pictures[image_id] = _with_source(_picture(identity, place, name), source)
            key = str(item.attributes.get("source_id") or item.item_id)
            own = self._own_id(key, released.split)
            where = f"{released.split}, item {item.item_id}"
            self.items.append(AuditedItem(own, item, released.split, where, tuple(missing)))


def _picture(identity: Identified, file: Path, name: str) -> AuditedPicture:
    return AuditedPicture(
        identity.image_id, file, name, identity.width, identity.height, identity.media_type, identity.size_bytes
    )


def _with_source(picture: AuditedPicture, source: Source | None) -> AuditedPicture:
    return replace(picture, source=source)
