"""Facts files: stated facts about photographs, from which steps make items without any model.

    format: benchwright-facts
    version: 1
    images:
      coffee.png:                      # file name, path below the image folder, or SHA-256 of the file
        size_wh: [600, 400]
        background: a wooden table
        subjects:
          - name: cup
            phrase: the coffee cup
            box: [173, 18, 408, 287]

Coordinates are pixels of the upright image, from its top left corner: the box [0, 0, width, height] covers the whole
image.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from benchwright.canonical import digest
from benchwright.errors import DataError
from benchwright.files.table_text import TableLine, text_lines
from benchwright.files.tables import TEXT_ENDS, Table, table_end
from benchwright.settings.yaml_places import Mistakes, Places, checked, compose, shown

from .checks import mistakes_in
from .facts_table import read_facts_table
from .picture_facts import PictureFacts
from .schema import Stated

MAX_BYTES = 64 << 20
"""Size limit of a facts file in bytes; masks make up most of its size."""


class Facts(Stated):
    """The content of a whole facts file."""

    format: Literal["benchwright-facts"]
    version: Literal[1]
    images: dict[str, PictureFacts]

    @cached_property
    def sha256(self) -> str:
        """Digest of the facts, excluding comments and layout."""
        return digest(self.model_dump(mode="json"))


def read_facts(path: Path) -> Facts:
    """Read and check a facts file: YAML, or any table (`files.tables`).

    Raises:
        DataError: The file cannot be read or has mistakes; the message names file, line, key and value.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise DataError(f"facts file {path} is larger than {MAX_BYTES:,} bytes; split the images over several runs")
        if table_end(path.name) is not None:
            return _of_table(Table.at(path).lines(max_bytes=MAX_BYTES), str(path))
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError(f"facts file {path} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise DataError(f"facts file {path} is not UTF-8 text (byte {error.start})") from error
    return parse_facts(text, str(path))


def parse_facts(text: str, name: str) -> Facts:
    """Read facts from text; `name` identifies the file in messages, and its suffix `.csv` marks a table."""
    if name.lower().endswith(TEXT_ENDS):
        return _of_table(text_lines(BytesIO(text.encode())), name)
    document, lines = compose(text, name, error=DataError)
    if not isinstance(document, dict):
        raise DataError(f"{name}: line 1: a facts file must be a mapping with the key images, not {shown(document)}")
    return facts_in(document, Places(name, lines, DataError))


def _of_table(lines: Iterable[TableLine], name: str) -> Facts:
    table = read_facts_table(lines, name)
    return facts_in(table.document, table.places, table.mistakes)


def facts_in(document: dict[str, Any], at: Places, mistakes: Mistakes | None = None) -> Facts:
    """Return facts from the plain values of a file; one error reports all mistakes.

    If the facts of some pictures are invalid, the checks continue with the others.

    Args:
        document: Keys and values of the file.
        at: Locations of the values in the file.
        mistakes: Known mistakes, to report with the others.

    Raises:
        DataError: The values do not describe facts.
    """
    mistakes = Mistakes(at) if mistakes is None else mistakes
    listed = document.get("images")
    entries: dict[str, Any] = listed if isinstance(listed, dict) else {}
    try:
        facts = checked(Facts, document, (), at)
    except DataError as error:
        mistakes.add(error)
        facts = Facts.model_construct(format="benchwright-facts", version=1, images=_readable(entries))
    for path, value, why in mistakes_in(facts.images, entries.keys()):
        mistakes.add(at.wrong(("images", *path), value, why))
    mistakes.check(by_line=True)
    return facts


def _readable(entries: Mapping[str, Any]) -> dict[str, PictureFacts]:
    """Return the pictures with those of their facts that are valid on their own; a list is accepted only as a whole."""
    pictures: dict[str, PictureFacts] = {}
    for key, entry in entries.items():
        try:
            pictures[key] = PictureFacts.model_validate(entry)
        except ValidationError as error:
            if isinstance(entry, dict):
                wrong = {mistake["loc"][0] for mistake in error.errors() if mistake["loc"]}
                sound = {name: value for name, value in entry.items() if name not in wrong}
                pictures[key] = PictureFacts.model_validate(sound)
    return pictures
