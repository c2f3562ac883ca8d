"""All layouts, and the conversion of an entry with a known layout to plain rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Any

from benchwright.source_files.rows import Reshaped, Row

from ..mapping.columns import QUESTION_LISTS
from .answers_by_picture import ANSWERS_BY_PICTURE
from .captions import (
    CAPTION_CHOICES,
    CAPTION_OPTIONS,
    CAPTION_PAIRS,
    CAPTION_SQUARES,
    CLAIM_COLUMNS,
    CLAIMS,
    WRONG_CAPTIONS,
)
from .chat import CHAT, DIALOGUES
from .declining import DECLINING
from .layout import Layout, PlainRow, named
from .marked_words import MARKED_WORDS
from .named_in_words import NAMED_IN_WORDS
from .nested_instances import INSTANCES, NESTED_INSTANCES
from .nested_questions import NESTED_QUESTIONS
from .option_pictures import OPTION_PICTURES
from .option_texts import OPTION_TEXT_COLUMNS, OPTION_TEXTS
from .pictures_by_id import COCO_NUMBERS, DRAWN_FIGURES, FIGURES, FOLDERS
from .question_lists import LISTED_QUESTIONS
from .question_squares import QUESTION_SQUARES
from .worded_options import WORDED_OPTIONS
from .wrong_answers import WRONG_ANSWERS, WRONG_COLUMNS

_WHOLE: tuple[Layout, ...] = (
    NESTED_QUESTIONS,
    NESTED_INSTANCES,
    LISTED_QUESTIONS,
    CHAT,
    QUESTION_SQUARES,
    ANSWERS_BY_PICTURE,
    CAPTION_SQUARES,
    CAPTION_PAIRS,
    CAPTION_CHOICES,
    CLAIMS,
)
"""Layouts of a whole entry; an entry has at most one of them."""
_PARTS: tuple[Layout, ...] = (
    FIGURES,
    DRAWN_FIGURES,
    FOLDERS,
    COCO_NUMBERS,
    MARKED_WORDS,
    OPTION_PICTURES,
    NAMED_IN_WORDS,
    OPTION_TEXTS,
    WRONG_ANSWERS,
    WORDED_OPTIONS,
    DECLINING,
)
"""Layouts of a part of an entry, which may be applied one after another."""
LAYOUTS = (*_WHOLE, *_PARTS)


_MARKS: Mapping[str, frozenset[str]] = {
    NESTED_QUESTIONS.name: frozenset({"questions"}),
    NESTED_INSTANCES.name: frozenset(INSTANCES),
    QUESTION_SQUARES.name: frozenset({"image_0_question_0"}),
    ANSWERS_BY_PICTURE.name: frozenset({"answer1", "answer_1"}),
    CAPTION_SQUARES.name: frozenset({"caption_0"}),
    LISTED_QUESTIONS.name: frozenset(QUESTION_LISTS),
    CAPTION_CHOICES.name: frozenset({CAPTION_OPTIONS}),
    OPTION_TEXTS.name: frozenset(OPTION_TEXT_COLUMNS),
    DRAWN_FIGURES.name: frozenset({"image_index"}),
    FIGURES.name: frozenset({"figure_id"}),
    FOLDERS.name: frozenset({"lecture"}),
    COCO_NUMBERS.name: frozenset({"difficult_direct_answer"}),
    CHAT.name: frozenset(DIALOGUES),
    CLAIMS.name: frozenset(CLAIM_COLUMNS),
    CAPTION_PAIRS.name: frozenset(WRONG_CAPTIONS),
    WRONG_ANSWERS.name: frozenset((*WRONG_COLUMNS, "qa_id")),
}
"""Columns of which every entry with a layout has at least one, so that most entries need no closer examination."""


@lru_cache(maxsize=64)
def _possible(columns: tuple[str, ...], layouts: tuple[Layout, ...]) -> tuple[Layout, ...]:
    names = named(columns).keys()
    return tuple(layout for layout in layouts if layout.name not in _MARKS or not names.isdisjoint(_MARKS[layout.name]))


def is_laid_out(entry: Mapping[str, Any]) -> bool:
    """Return whether an entry as a whole has a layout."""
    return any(layout.taken(entry) for layout in _WHOLE)


def plain_rows(row: Row, stated: Collection[str] = ()) -> Iterator[Row]:
    """Yield the plain rows of an entry, or the entry itself if it has no layout.

    Args:
        row: The entry, which holds names with values.
        stated: Columns that a curator names: a layout that would split one of them ignores the entry.

    Raises:
        BadRow: An entry has a layout but lacks a part of it.
    """
    rows = [row]
    for layout in _possible(tuple(row.document), _WHOLE):
        taken = layout.taken(row.document)
        kept = {name: row.document[name] for name in taken & set(stated) if name in row.document}
        if taken and (layout.keeps_stated or not kept):
            rows = [
                _made(row, PlainRow(part.place, {**kept, **part.document}), layout, taken)
                for part in layout.rows(row.document)
            ]
            break
    for entry in rows:
        yield from _finished(entry, _possible(tuple(entry.document), _PARTS))


def _finished(row: Row, layouts: tuple[Layout, ...]) -> Iterator[Row]:
    for number, layout in enumerate(layouts, start=1):
        if taken := layout.taken(row.document):
            for plain in layout.rows(row.document):
                yield from _finished(_made(row, plain, layout, taken), layouts[number:])
            return
    yield row


def _made(row: Row, plain: PlainRow, layout: Layout, taken: frozenset[str]) -> Row:
    """Return a plain row that a layout makes from another row."""
    step = Reshaped(f"layout {layout.name!r}", taken, row.document, layout.reading)
    return row._replace(entry=f"{row.entry}{plain.place}", document=plain.document, made=(*row.made, step))


def layout_table() -> str:
    """Return the layouts as the Markdown table of the guide."""
    rows = [f"| {layout.name} | {layout.form} | {layout.reading} | {', '.join(layout.seen_in)} |" for layout in LAYOUTS]
    return "\n".join(["| layout | an entry | is read as | seen in |", "| -- | -- | -- | -- |", *rows])
