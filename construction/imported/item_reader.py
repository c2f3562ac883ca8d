"""Questions of files as items with their pictures, for commands that look at a benchmark without a run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchwright.canonical import digest
from benchwright.errors import UnreadableImage
from benchwright.images.formats.walking import Limits
from benchwright.images.identify import read_file
from benchwright.item_files import FileItem, ItemFiles, UnusedRow
from benchwright.records import item_id_for
from benchwright.workspace.objects import ObjectStore

from ..readers.reader import MISSING_PICTURE, REPEATED
from ..source_files import BadRow, RefusedRow
from .asked_question import AskedPicture, AskedQuestion
from .items import ImportedItems, item_of_question
from .picture_lookup import UNREADABLE_PICTURE, PictureLookup
from .question_files import question_files, questions_of


def items_of_files(source: ItemFiles) -> Iterator[FileItem | UnusedRow]:
    """Yield the items of files of questions, read as the step `items` reads them, and the rows that are none.

    Unlike in a run, a question without a right option, or whose picture is not there, is an item too: its words can be
    looked at. A picture that is there and cannot be used refuses its row.

    Args:
        source: The files.

    Raises:
        DataError: There is no file of questions, or one cannot be read as a whole.
    """
    step = ImportedItems(
        file=str(source.path.resolve()),
        pictures=None if source.pictures is None else str(source.pictures.resolve()),
        mapping=dict(source.columns),
    )
    files, only = step.question_folder()
    found = question_files(files, step.mapping, only=only)
    keys: set[str] = set()
    with TemporaryDirectory(prefix="benchwright-") as folder:
        place = Path(folder)
        lookup = PictureLookup(step.picture_folder(), ObjectStore(place / "objects", tmp=place), Limits())
        for file in found:
            for entry in questions_of(files, file):
                if isinstance(entry, RefusedRow):
                    yield UnusedRow(entry.file, entry.entry, entry.reason, entry.detail)
                    continue
                row, question, pictures = entry
                try:
                    if question.key in keys:
                        raise BadRow(f"the id {question.key!r} stands twice; the first is used", REPEATED)
                    item = _file_item(question, pictures, lookup, file.path, row)
                except BadRow as error:
                    yield UnusedRow(file.path, row, error.reason, str(error))
                else:
                    keys.add(question.key)
                    yield item


def _file_item(
    question: AskedQuestion, pictures: list[AskedPicture], lookup: PictureLookup, file: str, row: str
) -> FileItem:
    ids: list[str] = []
    data: dict[str, bytes] = {}
    for number, picture in enumerate(pictures, start=1):
        name = f"{file}: {row}, picture {number}"
        try:
            identity, path, _ = lookup.found_picture(picture, file=file, place=name)
            data[identity.image_id] = read_file(path, limits=Limits())
            ids.append(identity.image_id)
        except UnreadableImage as error:
            raise BadRow(f"{name} cannot be used: {error.reason} ({error.detail})", UNREADABLE_PICTURE) from error
        except BadRow as error:
            if error.reason != MISSING_PICTURE:
                raise
            ids.append(digest(["missing picture", picture.path]))
    ids = ids or [digest(["no picture", question.key])]
    item = item_of_question(
        question,
        ids,
        roots=ids,
        item_id=item_id_for("items", 0, {}, (question.key,), 0),
        operation_id=digest(["items of files"])[:32],
    )
    return FileItem(item, data, question.key)
