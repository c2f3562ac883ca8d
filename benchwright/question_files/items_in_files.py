"""Questions in files as items with their pictures, for commands that inspect a benchmark without a run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchwright.errors import UnreadableImage
from benchwright.images.formats.walking import Limits
from benchwright.images.regular_files import read_file
from benchwright.records import item_id_for
from benchwright.source_files.item_files import ItemFiles, PicturePlace, SourceItem
from benchwright.source_files.refusals import MISSING_PICTURE, RefusedRow

from .indexed_rows import NO_KEY, NO_PICTURE
from .item_check import read_questions
from .pictures.picture_lookup import UNREADABLE_PICTURE

_LOOKED_AT = frozenset({NO_KEY, NO_PICTURE, MISSING_PICTURE})
"""Reasons that exclude a question from a run but not from checks of its wording."""


def items_of_files(source: ItemFiles) -> Iterator[SourceItem | RefusedRow]:
    """Yield the items of question files, read as by the step `items`, followed by the refused rows.

    Unlike in a run, a question without a right option or with a missing picture is also an item, because its wording
    can be checked. A row whose picture is present but unusable is refused.

    Args:
        source: The files.

    Raises:
        DataError: The source has no question file, or one is unreadable as a whole.
    """
    with read_questions(source.path, pictures=source.pictures, mapping=dict(source.columns), keeps_copies=True) as read:
        files = {picture.image_id: picture.file for picture in read.index.pictures()}
        unreadable: list[RefusedRow] = []
        for entry in read.index.questions():
            item = entry.item_for_texts(item_id_for("items", 0, {}, (entry.question.key,), 0))
            if item is None or (entry.outcome is not None and entry.outcome not in _LOOKED_AT):
                continue
            data: dict[str, bytes] = {}
            places: dict[str, PicturePlace] = {}
            try:
                for image_id, name in zip(entry.image_ids, entry.names, strict=True):
                    if image_id is not None:
                        data[image_id] = read_file(files[image_id], limits=Limits())
                        places.setdefault(image_id, PicturePlace(name, _modified_s(files[image_id], name)))
            except UnreadableImage as error:
                detail = f"{entry.names[0]} cannot be used: {error.reason} ({error.detail})"
                unreadable.append(RefusedRow(entry.file, entry.row, UNREADABLE_PICTURE, detail))
                continue
            yield SourceItem(item, data, entry.question.key, places)
        yield from unreadable
        for row in read.refused():
            if row.reason not in _LOOKED_AT:
                yield row


def _modified_s(file: Path, name: str) -> float | None:
    """Return the time of a picture file's last change, in seconds since 1970; None for a copy from another file."""
    return file.stat().st_mtime if file.name == name.rpartition("/")[2] else None
