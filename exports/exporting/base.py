"""The base class of a format, which writes items one by one and reads its files back as consumers do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal, NamedTuple

from .exported import ExportedItem, ExportHeader

Part = Literal["question", "options", "answer", "pictures"]
"""Parts of an item that are read back and compared with those in the release."""


_FIELDS = {
    "attributes": "what the authors brought (`attributes`)",
    "category": "category of the question (`category`)",
    "evidence": "how the item was made (`evidence`)",
    "explanation": "why the answer is right (`explanation`)",
    "group_keys": "what splits keep together (`group_keys`)",
    "level": "level of the question (`level`)",
    "operation_id": "the operation that made the item (`operation_id`)",
    "written_by": "who wrote the texts (`written_by`)",
}
"""Fields of an item that a format may leave out, with their descriptions."""


class NotCarried(NamedTuple):
    """A part of an item that a format cannot carry.

    Attributes:
        what: Phrase that names what is lost, such as `level of the question`.
        why: One line that explains why the format cannot carry it, or states what to do.
    """

    what: str
    why: str


@dataclass(frozen=True)
class ReadItem:
    """An item as a consumer of a format reads it.

    Attributes:
        item_id: Id of the item.
        split: Name of the split.
        question: Text of the question.
        options: Texts of the options by key, in order; a picture option is represented by the picture's name ("Image
            2").
        answer: Key of the right option; None if none is right.
        pictures: Files of the pictures as models see them, in order.
    """

    item_id: str
    split: str
    question: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    answer: str | None = None
    pictures: Sequence[bytes] = ()


class ExportFormat(ABC):
    """A format of another tool, written into a folder.

    A subclass needs one file in `exports/formats/` and one line in `exports/room.py`. The same items must produce the
    same bytes on every machine. Memory use must not grow with the number of items.

    Attributes:
        folder: Folder to write to: the export's folder, in which `export_release` also writes the files common to all
            formats.
        header: Facts about the release that the export states.
    """

    name: ClassVar[str]
    """Name of the format on the command line."""
    carries: ClassVar[frozenset[Part]] = frozenset({"question", "options", "answer", "pictures"})
    """Parts of items that `read` returns and that must equal those in the release."""
    question_as_stated: ClassVar[bool] = False
    """Whether questions are read with `<image 2>` as in the item, rather than with the names of pictures."""
    leaves_out: ClassVar[tuple[str, ...]] = ()
    """Fields of items that the format cannot represent, among those of `_FIELDS`."""
    pictures_first: ClassVar[bool] = False
    """Whether all pictures of an item come before its question, regardless of where the question places them."""
    shows_marks: ClassVar[bool] = True
    """Whether marks are drawn on the pictures; otherwise the release's files are used, with marks as vectors."""
    canary_in: ClassVar[str] = ""
    """Location of the canary in addition to `README.md` and `export.json`, as a phrase for the export's README."""

    def __init__(self, folder: Path, header: ExportHeader) -> None:
        self.folder = folder
        self.header = header

    @abstractmethod
    def add(self, exported: ExportedItem) -> None:
        """Write an item; items arrive sorted by split and id."""

    @abstractmethod
    def finish(self) -> None:
        """Write any remaining data and close all files; called once, even after an error."""

    @abstractmethod
    def read(self) -> Iterator[ReadItem]:
        """Yield the items in order, read from the files as the format's consumers read them.

        Raises:
            DataError: A file does not follow the format.
        """

    def not_carried(self, exported: ExportedItem) -> Iterator[NotCarried]:
        """Yield the parts of an item that the format cannot carry."""
        for name in self.leaves_out:
            if getattr(exported.item, name):
                yield NotCarried(_FIELDS[name], "the format has no place for it")
        if any(picture.is_encoded for picture in exported.pictures):
            yield NotCarried(
                "picture files that not every program reads alike (BMP, GIF, TIFF, AVIF; turned, see-through, 16 bits)",
                "they are JPEG, WebP or PNG here, upright; `unmarked` in the release has the files",
            )
        if self.pictures_first and exported.places_pictures:
            yield NotCarried(
                "places of pictures among the words of the question",
                "all pictures come first, and the question calls them Image 1, Image 2, ...",
            )

    @abstractmethod
    def usage(self) -> str:
        """Return instructions for using the export, as Markdown for its README."""
