"""Sources of the battery's items: a release, a finished workspace, or files of questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from benchwright.errors import DataError
from benchwright.records import Item
from benchwright.source_files.item_files import ItemFiles, SourceItem, items_in_files
from benchwright.source_files.refusals import RefusedRow

from .item_cues import among_answers


class LeftOutItem(NamedTuple):
    """An item for which no cues are measured, with the reason: it has no right option, or a picture is unreadable.

    Args:
        item_id: Id of the item; for a row of a question file that is not an item, the file and the row.
        task: Task of the item; empty for such a row.
        reason: Stable code of the reason.
        detail: The fault, with the offending value; empty if the reason is sufficient.
    """

    item_id: str
    task: str
    reason: str
    detail: str = ""


class ItemSource(NamedTuple):
    """A location that contains items.

    Args:
        path: Folder of a release or of a workspace whose run is finished, or a file, archive or folder of questions.
        pictures: Folder of the questions' pictures if they are elsewhere.
        columns: Columns of questions by field if their names are not recognizable.
    """

    path: Path
    pictures: Path | None = None
    columns: Mapping[str, str | int | list[str]] = {}

    @property
    def is_files(self) -> bool:
        """Return whether the source is a set of question files rather than a release or workspace."""
        return not any((self.path / name).exists() for name in ("workspace.json", "manifest.json", "manifest.sha256"))

    def rows(self) -> Iterator[SourceItem | LeftOutItem]:
        """Yield the items of a release, of the end of a run, or of question files, with their pictures.

        Rows of files that are not items are yielded as `LeftOutItem`.

        Raises:
            BenchwrightError: The folder is none of these, or the run is not finished.
            DataError: A file is damaged.
        """
        if self.is_files:
            for entry in self._entries():
                if isinstance(entry, RefusedRow):
                    yield LeftOutItem(f"{entry.file}: {entry.entry}", "", entry.reason, entry.detail)
                else:
                    yield entry
        elif (self.path / "workspace.json").exists():
            from benchwright.pipeline import open_view

            view = open_view(self.path)
            for item, _ in view.items():
                files = {shown.image_id: view.image_bytes(view.image(shown.image_id)) for shown in item.images}
                yield SourceItem(item, files)
        else:
            from benchwright.release import Release

            for released in Release.open(self.path).items():
                yield SourceItem(released.item, released.images)

    def keyed_items(self) -> Iterator[tuple[str, str]]:
        """Yield the task and id of each item in a release or workspace with a right answer, without reading pictures.

        Raises:
            BenchwrightError: The folder is none of these, or the run is not finished.
            DataError: A file is damaged.
        """
        items: Iterator[Item]
        if (self.path / "workspace.json").exists():
            from benchwright.pipeline import open_view

            items = (item for item, _ in open_view(self.path).items())
        else:
            from benchwright.release import Release

            items = (released.item for released in Release.open(self.path).items(pictures_of=()))
        yield from ((item.task, item.item_id) for item in items if among_answers(item) is not None)

    def _entries(self) -> Iterator[SourceItem | RefusedRow]:
        try:
            yield from items_in_files(ItemFiles(self.path, self.pictures, self.columns))
        except DataError as error:
            if not self.path.is_dir():
                raise
            raise DataError(
                f"{self.path} is neither a release nor a workspace, and cannot be read as questions: {error}"
            ) from error

    def items(self) -> Iterator[SourceItem]:
        """Yield the results of `rows` without the omitted items."""
        yield from (row for row in self.rows() if isinstance(row, SourceItem))
