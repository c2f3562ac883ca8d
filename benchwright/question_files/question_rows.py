"""Conversion of a table row to a checked question with its pictures."""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from benchwright.files.sheet_parts import FaultyCell
from benchwright.records import LETTERS, Scalar
from benchwright.source_files.rows import BadRow
from benchwright.texts.normalization import counted

from .keys.key_reading import SEALED, WORDS_OF_ANSWERS, KeyCell, is_letter, option_named
from .keys.option_cells import are_marked_in_order, is_absent, listed_in, parsed_cell, without_mark
from .keys.present_options import check_cells, present_options, shown_key
from .mapping.columns import ColumnMapping
from .mapping.readings import KnownKey, Reading
from .pictures.marked_pictures import number_of_mark, numbered_options, renumbered, with_marked
from .pictures.picture_cells import PLAIN_CELLS, PictureCells, named_picture
from .questions.asked_question import YES_NO, AskedPicture, AskedQuestion, KeyFault, task_name

DEFAULT_TASK = "imported"
_KINDS = ("yes_no", "multiple_choice")
_PICTURE = re.compile(r"\.(?:jpe?g|png|webp|gif|bmp|tiff?|avif|heic|heif|jp2)$", re.I)
_BASE64 = re.compile(r"[A-Za-z0-9+/\s]{64,}={0,2}\s*")
_DATA_ADDRESS = re.compile(r"data:image/[a-z+.-]+;base64,", re.I)
_SPLIT_TASK_NUMBER = re.compile(r"(train|dev|val|validation|test)_([A-Za-z].*)_\d+")


def question_of(
    document: Mapping[str, Any],
    columns: ColumnMapping,
    *,
    row: str,
    reading: Reading | None,
    has_marks: bool = False,
    picture_cells: PictureCells = PLAIN_CELLS,
    keyed_splits: Collection[str | None] = (),
) -> tuple[AskedQuestion, list[AskedPicture]]:
    """Return the question of a row, and its pictures in order.

    A row without options is an open question, unless its key is yes or no, or its text lists the options.

    Args:
        document: The row.
        columns: The columns by field.
        row: Name of the row, which becomes the id of a question without one.
        reading: How keys name options; None if no key of the source does.
        has_marks: Whether the options of the source begin with marks such as `A.`, which are not part of their words.
        picture_cells: Which options are names of pictures, and which cells name several.
        keyed_splits: Stated splits in which "None" and "-1" answer an open question, because other rows have other
            keys; in other splits, they mean an unpublished key.

    Raises:
        BadRow: A part is missing or does not fit; the message names column and value.
    """
    check_cells(document, columns)
    words = _words(document, columns)
    cells, names, padded = present_options(document, columns, reading)
    is_exported = any(map(_as_it_stands, cells))
    words = words if is_exported else words.strip()
    options = _options(cells, picture_cells)
    # A key may name a picture by its path.
    marked = tuple(o if isinstance(o, str) else _option_text(cell) for o, cell in zip(options, cells, strict=True))
    if has_marks and are_marked_in_order(marked) and not is_exported:
        options = [without_mark(option) if isinstance(option, str) else option for option in options]
    own = _pictures(document, columns, picture_cells)
    options = numbered_options(words, options, pictures=len(own))
    pictures, places = _with_marked(own, words, options)
    ask = renumbered(words, places)
    answer_text = shown_key(_value(document, columns, "answer"), document, columns)
    if not options and is_letter(answer_text):
        ask, listed = listed_in(ask)
        options, names = [*listed], tuple(LETTERS[: len(listed)])
        marked = tuple(listed)
    kind = _kind(document, options, answer_text)
    if kind == "yes_no" and not options:
        options, reading = [*YES_NO], "text"
        marked = YES_NO
    shown: list[str | int] = []
    for option in options:
        if isinstance(option, AskedPicture):
            shown.append(len(pictures))
            pictures.append(option)
        else:
            shown.append(_placed(renumbered(option, places), len(pictures)))
    key = stated_id(document, columns) or row
    split, task = stated_split(document, columns), _told_by_id(key)[1]
    is_open = kind == "open"
    stated = KeyCell(answer_text, marked, names)  # keys may have the marks
    declines = stated._replace(value=shown_key(_value(document, columns, "refusal"), document, columns))
    answer, refusal, fault = None, None, None
    try:
        answer = None if is_open else option_named(stated, reading)
        refusal = None if is_open else option_named(declines, reading)
    except BadRow as error:  # not an item, but a question with words and options to check
        fault = KeyFault(error.reason, str(error))
    question = AskedQuestion(
        key=key,
        split=split,
        task=task_name(_text(document, columns, "task") or task or DEFAULT_TASK),
        kind=kind,
        ask=ask,
        options=tuple(shown),
        padded=padded,
        answer=None if answer == refusal else answer,  # an option that declines answers nothing
        refusal=refusal,
        lacks_key=not is_open and answer is None and refusal is None and fault is None,
        key_fault=fault,
        stated_answer=_open_answer(answer_text, is_keyed=split in keyed_splits) if is_open else None,
        pictures=len(pictures),
        level=_text(document, columns, "level"),
        category=_text(document, columns, "category"),
        group=_text(document, columns, "group"),
        explanation=_text(document, columns, "explanation", as_it_stands=True),
        labels=_labels(document, columns),
    )
    return question, pictures


def pictures_of(
    document: Mapping[str, Any], columns: ColumnMapping, picture_cells: PictureCells = PLAIN_CELLS
) -> list[AskedPicture]:
    """Return the pictures of a row, followed by those that are its options."""
    cells = present_options(document, columns).cells
    options = _options(cells, picture_cells)
    shown = [option for option in options if isinstance(option, AskedPicture)]
    return [*_with_marked(_pictures(document, columns, picture_cells), _words(document, columns), options)[0], *shown]


def option_texts(document: Mapping[str, Any], columns: ColumnMapping) -> tuple[str | None, ...]:
    """Return the text of each option of a row as written; None for a picture."""
    return tuple(map(_option_text, present_options(document, columns).cells))


def stated_key(document: Mapping[str, Any], columns: ColumnMapping) -> KeyCell | None:
    """Return the key of a row with its options, as evidence for the reading of keys; None if there is no key.

    A row without a key but with an option that declines states that option.
    """
    check_cells(document, columns)
    value = _value(document, columns, "answer")
    if is_absent(value):
        value = _value(document, columns, "refusal")
    if is_absent(value):
        return None
    value = shown_key(value, document, columns)
    cells, names, _ = present_options(document, columns)
    if not cells and is_letter(value):
        column = columns.column("question")
        words = None if column is None else document.get(column)
        cells = listed_in(words)[1] if isinstance(words, str) else []
        names = tuple(LETTERS[: len(cells)])
    return KeyCell(value, tuple(map(_option_text, cells)), names)


def _option_text(cell: Any) -> str | None:
    """Return the text of an option, as `_option` reads it, or a picture's path; None for a picture without a path."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, Mapping):
        text = cell.get("text") or named_picture(cell)
        return text if isinstance(text, str) and not isinstance(cell.get("picture"), int) else None
    return None if isinstance(cell, bytes) or cell is None else str(cell)


def stated_id(document: Mapping[str, Any], columns: ColumnMapping) -> str | None:
    """Return the id that a row states for its question; None if there is none."""
    return _text(document, columns, "id")


def stated_split(document: Mapping[str, Any], columns: ColumnMapping) -> str | None:
    """Return the split that a row states, in a column or in its id; None if there is none."""
    return _text(document, columns, "split") or _told_by_id(stated_id(document, columns) or "")[0]


def _words(document: Mapping[str, Any], columns: ColumnMapping) -> str:
    """Return the question as written, preceded by its context; empty if the file has no questions."""
    column = columns.column("question")
    value = None if column is None else document.get(column)
    ask = "" if value is None or isinstance(value, Mapping | bytes) else str(value)
    if column is not None and not ask.strip():
        raise BadRow(f"column {column!r} is empty: there is no question", "no_question")
    context = _value(document, columns, "context")
    if isinstance(context, list):  # M3Exam has a list of texts that lead to the question
        context = "\n".join(text for part in context if (text := _open_text(part)))
    else:
        context = _text(document, columns, "context")
    return f"{context}\n{ask}" if context and context.lower() != "nan" else ask


def _kind(
    document: Mapping[str, Any], options: Sequence[str | AskedPicture], answer: Any
) -> Literal["yes_no", "multiple_choice", "open"]:
    """Return the kind of a question.

    Raises:
        BadRow: The row has only one option.
    """
    if isinstance(answer, KnownKey):
        answer = answer.value
    if not options and str(answer).strip().rstrip(".").casefold() in ("yes", "no"):
        return "yes_no"
    if len(options) >= 2:
        return "yes_no" if document.get("kind") == "yes_no" else "multiple_choice"
    if options:
        raise BadRow(f"{counted(len(options), 'option')}; a question needs two or more", "too_few_options")
    return "open"


def _open_answer(value: Any, *, is_keyed: bool) -> str | None:
    """Return the key of an open question as text, with several right answers on separate lines.

    Args:
        value: The key as its row states it.
        is_keyed: Whether other rows of its split have other keys, so that "None" is an answer.
    """
    sealed = SEALED - WORDS_OF_ANSWERS if is_keyed else SEALED
    known = [text for text in answers_in_words(value) if text.casefold() not in sealed]
    [(best, number)] = Counter(known).most_common(1) or [("", 0)]
    known = [best] if number > 1 else known  # answers of several people, not several right ones
    return "\n".join(known)[:10_000] or None


def answers_in_words(value: Any) -> list[str]:
    """Return the answers contained in the key of an open question."""
    if isinstance(value, KnownKey):
        value = value.value
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = parsed_cell(value)
    values = value if isinstance(value, list | tuple) else [value]
    # VizWiz and VQAv2 state an answer with its author's confidence.
    return [_open_text(entry.get("answer") if isinstance(entry, Mapping) else entry) for entry in values]


def _open_text(value: Any) -> str:
    return "" if value is None or isinstance(value, Mapping | list | bytes) else str(value).strip()


def _told_by_id(key: str) -> tuple[str | None, str | None]:
    """Return the split and the task stated in an id such as `val_Art_Style_12` (BLINK, MMMU)."""
    match = _SPLIT_TASK_NUMBER.fullmatch(key)
    return (match[1], match[2]) if match is not None else (None, None)


def _placed(option: str, pictures: int) -> str | int:
    """Return the picture's number if an option only names a picture, as `<image 2>`, otherwise the option's text."""
    number = number_of_mark(option)
    return number - 1 if number is not None and 1 <= number <= pictures else option


def _value(document: Mapping[str, Any], columns: ColumnMapping, field: str) -> Any:
    column = columns.fields.get(field)
    return None if column is None else document.get(column)


def _text(document: Mapping[str, Any], columns: ColumnMapping, field: str, *, as_it_stands: bool = False) -> str | None:
    value = _value(document, columns, field)
    if value is None:
        return None
    if not isinstance(value, str):
        if isinstance(value, Mapping | bytes):
            return None
        if isinstance(value, list):
            return "+".join(str(part) for part in value) or None
    text = str(value)
    return (text if as_it_stands and text.strip() else text.strip()) or None


def _options(cells: Sequence[Any], picture_cells: PictureCells) -> list[str | AskedPicture]:
    return [
        AskedPicture(path=cell.strip()) if picture_cells.is_picture(place, cell) else _option(cell)
        for place, cell in enumerate(cells)
    ]


def _option(value: Any) -> str | AskedPicture:
    if not isinstance(value, str) and isinstance(value, Mapping):
        if isinstance(number := value.get("picture"), int):
            return f"<image {number}>"
        if isinstance(text := value.get("text"), str) and not (named := named_picture(value)):
            return text if _as_it_stands(value) else _option(text)
        if isinstance(text, str) and text.strip():
            raise BadRow(f"an option has the words {text[:80]!r} and the picture {named}", "unclear_picture")
    if not isinstance(value, str) and isinstance(value, Mapping | bytes):
        return _picture(value)
    words = "" if value is None else str(value)
    if not words.strip():
        raise BadRow("an option is empty", "empty_option")
    return _picture(words) if _DATA_ADDRESS.match(words) else words


def _as_it_stands(cell: Any) -> bool:
    """Return whether an option keeps its white space, as in a Benchwright export."""
    return isinstance(cell, Mapping) and bool(cell.get("as_it_stands"))


def _with_marked(
    pictures: Mapping[int, AskedPicture], words: str, options: Sequence[str | AskedPicture]
) -> tuple[list[AskedPicture], dict[int, int]]:
    """Return a row's pictures, including those shown only in its text, and the new number of each by its old one."""
    texts = [option for option in options if isinstance(option, str)]
    return with_marked(pictures, [words, *texts], others=len(options) - len(texts))


def _pictures(
    document: Mapping[str, Any], columns: ColumnMapping, picture_cells: PictureCells
) -> dict[int, AskedPicture]:
    """Return the pictures by number, from 1; empty cells are skipped."""
    if columns.images:
        values = [document.get(column) for column in columns.images]
    else:
        value = _value(document, columns, "image")
        if value in (None, "", []) and columns.other_image is not None:
            value = document.get(columns.other_image)
        if isinstance(value, str) and value.lstrip().startswith("["):
            value = parsed_cell(value)
        values = list(value) if isinstance(value, list | tuple) else [value]
        values = [part for cell in values for part in picture_cells.parts(cell)]
    return {n: _picture(value) for n, value in enumerate(values, start=1) if value not in (None, "")}


def _picture(value: Any) -> AskedPicture:
    """Return a picture that a cell names or contains."""
    if isinstance(value, bytes):
        return AskedPicture(data=value)
    if isinstance(value, Mapping):
        data, path = value.get("bytes"), named_picture(value)
        if isinstance(data, bytes):
            return AskedPicture(path=path or "", data=data)
        if path:
            return _picture(path)
        raise BadRow(f"a picture with the keys {', '.join(map(str, value))[:80]} has neither bytes nor a path")
    text = str(value).strip()
    if (match := _DATA_ADDRESS.match(text)) is not None:
        return AskedPicture(data=_decoded(text[match.end() :]))
    if not _PICTURE.search(text) and _BASE64.fullmatch(text):
        return AskedPicture(data=_decoded(text))
    return AskedPicture(path=text)


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=False)
    except (ValueError, binascii.Error) as error:
        raise BadRow(f"a picture in base64 cannot be decoded: {error}", "unreadable_picture") from None


def _labels(document: Mapping[str, Any], columns: ColumnMapping) -> dict[str, Scalar]:
    """Return the columns that no field uses, limited to texts and numbers."""
    labels: dict[str, Scalar] = {}
    taken = columns.taken
    for name, value in document.items():
        if name in taken or (name == "kind" and value in _KINDS) or value is None or value == "":
            continue
        if isinstance(value, FaultyCell):
            continue
        is_plain = isinstance(value, list) and all(isinstance(part, str | int) for part in value)
        label = "+".join(map(str, value)) if is_plain else value
        if isinstance(label, float) and not math.isfinite(label):
            continue  # pandas writes missing values so
        if isinstance(label, str | int | float | bool) and len(str(label)) <= 4000:
            labels[str(name)] = label
    return labels
