"""All layouts, and the plain rows of an entry that has one of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from benchwright.source_files.rows import Row

from .captions import CAPTION_PAIRS, CAPTION_SQUARES, CLAIMS
from .chat import CHAT
from .declining import DECLINING
from .layout import Layout
from .marked_words import MARKED_WORDS
from .nested_questions import NESTED_QUESTIONS
from .pictures_by_id import COCO_NUMBERS, FIGURES, FOLDERS
from .question_squares import QUESTION_SQUARES
from .worded_options import WORDED_OPTIONS
from .wrong_answers import WRONG_ANSWERS

WHOLE: tuple[Layout, ...] = (
    NESTED_QUESTIONS,
    CHAT,
    QUESTION_SQUARES,
    CAPTION_SQUARES,
    CAPTION_PAIRS,
    CLAIMS,
)
"""Layouts that say how a whole entry is read; it has one of them at most."""
PARTS: tuple[Layout, ...] = (FIGURES, FOLDERS, COCO_NUMBERS, MARKED_WORDS, WRONG_ANSWERS, WORDED_OPTIONS, DECLINING)
"""Layouts of a part of an entry, each of which may follow the others."""
LAYOUTS = (*WHOLE, *PARTS)


def is_laid_out(entry: Mapping[str, Any]) -> bool:
    """Return whether an entry as a whole has a layout of its own."""
    return any(layout.taken(entry) for layout in WHOLE)


def plain_rows(row: Row, stated: Collection[str] = ()) -> Iterator[Row]:
    """Yield the plain rows of an entry; the entry itself where it has no layout of its own.

    Args:
        row: The entry, which holds names with values.
        stated: Columns that a curator names: a layout that takes one of them apart leaves the entry alone.

    Raises:
        BadRow: An entry has a layout, and lacks a part of it.
    """
    rows = [row]
    for layout in WHOLE:
        taken = layout.taken(row.document)
        named = {name: row.document[name] for name in taken & set(stated) if name in row.document}
        if taken and (layout.keeps_stated or not named):
            plain = layout.rows(row.document)
            rows = [
                row._replace(entry=f"{row.entry}{part.place}", document={**named, **part.document}) for part in plain
            ]
            break
    for entry in rows:
        yield from _finished(entry, PARTS)


def _finished(row: Row, layouts: tuple[Layout, ...]) -> Iterator[Row]:
    for number, layout in enumerate(layouts, start=1):
        if layout.taken(row.document):
            for plain in layout.rows(row.document):
                part = row._replace(entry=f"{row.entry}{plain.place}", document=plain.document)
                yield from _finished(part, layouts[number:])
            return
    yield row


def layout_table() -> str:
    """Return the layouts as a table in Markdown, as the guide has it."""
    rows = [f"| {layout.name} | {layout.form} | {layout.reading} | {', '.join(layout.seen_in)} |" for layout in LAYOUTS]
    return "\n".join(["| layout | an entry | is read as | seen in |", "|---|---|---|---|", *rows])
