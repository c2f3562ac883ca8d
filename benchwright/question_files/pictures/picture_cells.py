"""Cells that name pictures: options, judged from the source as a whole, and cells that list several names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from benchwright.source_files.picture_names import has_picture_suffix, is_picture_name, pictures_listed
from benchwright.source_files.rows import BadRow

_PICTURE_KEYS = ("path", "file", "image", "image_path", "file_name", "img")
"""Keys under which an object that denotes a picture states its path."""
_AFTER = " \t'\"`\u2019\u201d\u00bb"
"""Characters that may follow a name."""
_MOST_TRIED = 2_000
"""Largest number of names that are looked up as files to decide whether options are pictures."""


class PictureCells(NamedTuple):
    """How cells of the files with the same columns name pictures.

    Args:
        places: Indices of options for which each filled cell is the name of a picture.
        are_mixed: Whether other options have both texts and names of pictures that are present, so that it is unclear
            which cells are pictures.
        is_file: Function that returns whether a name denotes a file of the source.
    """

    places: frozenset[int] = frozenset()
    are_mixed: bool = False
    is_file: Callable[[str], bool] | None = None

    def is_picture(self, place: int, cell: Any) -> bool:
        """Return whether an option is the name of a picture.

        Raises:
            BadRow: The option may be either the name of a picture or a text.
        """
        if not isinstance(cell, str) or not (self.places or self.are_mixed) or not is_picture_name(cell):
            return False
        if place in self.places:
            return True
        raise BadRow(
            f"option {place + 1} is {cell[:200]!r}, the name of a picture, and options of other rows at this position "
            "are words: whether it is a picture is unclear; put pictures into separate columns, such as "
            "option_A_image",
            "unclear_picture",
        )

    def parts(self, cell: Any) -> Sequence[Any]:
        """Return the names that a cell lists, or the whole cell if it lists none or is the name of one file."""
        names = pictures_listed(cell) if isinstance(cell, str) else []
        return names if names and (self.is_file is None or not self.is_file(cell)) else (cell,)


PLAIN_CELLS = PictureCells()
"""Default: options are texts unless they are stated to be pictures."""


def named_picture(cell: Mapping[str, Any]) -> str | None:
    """Return the path of the picture that an object denotes; None if the object names none."""
    return next((path for name in _PICTURE_KEYS if isinstance(path := cell.get(name), str) and path.strip()), None)


@dataclass
class OptionNames:
    """Counts of options that are names of pictures, by the option's index in the row."""

    filled: Counter[int] = field(default_factory=Counter)
    named: Counter[int] = field(default_factory=Counter)
    with_folder: int = 0
    examples: dict[tuple[str, str], set[int]] = field(default_factory=dict)
    """Indices of some of the names, by question file and name."""

    def add(self, file: str, texts: Sequence[str | None]) -> None:
        """Count the options of one row."""
        for place, text in enumerate(texts):
            if text is None or not text.strip():
                continue
            self.filled[place] += 1
            if (has_picture_suffix(text.rstrip(_AFTER)) or "://" in text) and is_picture_name(text):
                self.named[place] += 1
                self.with_folder += "/" in text or "\\" in text
                if len(self.examples) < _MOST_TRIED:
                    self.examples.setdefault((file, text), set()).add(place)

    def cells(self, is_file: Callable[[str, str], bool]) -> PictureCells:
        """Return which options are pictures, judged from all counted rows.

        Options are pictures if each filled option at that index is the name of a picture and some of the names are
        files of the source, or if none is a file and all names include folders, which means that their folder is
        absent.

        Args:
            is_file: Function that returns, for a question file and a name, whether the name is a file of the source.
        """
        if not self.named:
            return PLAIN_CELLS
        whole = frozenset(place for place, number in self.named.items() if number == self.filled[place])
        there = set().union(*(places for (file, name), places in self.examples.items() if is_file(file, name)))
        are_all = self.named.total() == self.filled.total() == self.with_folder
        places = whole if there & whole or are_all else frozenset()
        return PictureCells(places, bool(places) or bool(there))
