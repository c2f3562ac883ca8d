"""Photographs that rows of a table name: files beside the table, taken in as the app takes them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchwright.errors import UnreadableImage
from benchwright.images.formats.walking import Limits
from benchwright.images.identify import read_file

from .csv_rows import shown
from .form import Form, Photograph
from .intake import take_in_photograph
from .store import RefusedError, ReviewStore, Uploads


class PhotographRows:
    """Takes in what a table names.

    Args:
        root: The workspace.
        folder: Of the table; nothing outside of it is read.
        form: Of the campaign.
    """

    def __init__(self, root: Path, folder: Path, form: Form) -> None:
        self._root = root
        self._folder = folder.resolve()
        self._fields = [field for field in form.fields if isinstance(field, Photograph)]

    def take_in(self, values: Mapping[str, Any]) -> dict[str, str]:
        """Return for each photograph of a row the id under which it was taken in.

        Raises:
            RefusedError: A file is not below the table's folder, cannot be read, or is no photograph.
        """
        return {field.name: self._taken(field, values[field.name]) for field in self._fields if values.get(field.name)}

    def _taken(self, field: Photograph, name: str) -> str:
        try:
            path = (self._folder / name).resolve()
            if not path.is_relative_to(self._folder):
                raise RefusedError(f"photograph {shown(name)} is not below the table's folder")
            data = read_file(path, limits=Limits(max_bytes=field.max_bytes))
        except (UnreadableImage, OSError, ValueError) as error:
            raise RefusedError(f"photograph {shown(name)} cannot be read: {error}") from None
        return take_in_photograph(self._root, data, field).image_id


def note_photographs(store: ReviewStore, task_id: int, annotator: str, taken: Mapping[str, str]) -> None:
    """Note what an annotator brought for a task, so that it can be handed in."""
    for image_id in taken.values():
        Uploads(store).note(task_id, annotator, image_id)
