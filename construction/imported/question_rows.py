"""A row of a table of questions as a checked question with its pictures."""

from __future__ import annotations

import ast
import base64
import binascii
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from benchwright.records import LETTERS, Scalar

from ..source_files import BadRow
from .asked_question import YES_NO, AskedPicture, AskedQuestion, task_name
from .columns import ColumnMapping

DEFAULT_TASK = "imported"
_LETTER = re.compile(r"\(?([A-Z])\)?[.:)]?")
_LETTERED = re.compile(r"\s*\(?([A-Z])[.):]\s+(.+)", re.S)
_PICTURE = re.compile(r"\.(?:jpe?g|png|webp|gif|bmp|tiff?|avif)$", re.I)
_BASE64 = re.compile(r"[A-Za-z0-9+/\s]{64,}={0,2}\s*")
_DATA_ADDRESS = re.compile(r"data:image/[a-z+.-]+;base64,", re.I)


def question_of(
    document: Mapping[str, Any], columns: ColumnMapping, *, row: str, first_answer: int
) -> tuple[AskedQuestion, list[AskedPicture]]:
    """Return the question of a row, and its pictures in order.

    Args:
        document: The row.
        columns: Which column holds what.
        row: Which row it is, the id of a question without one.
        first_answer: Number of the first option where answers are numbers: 0 or 1.

    Raises:
        BadRow: Something is missing or does not fit; names column and value.
    """
    ask = _text(document, columns, "question")
    if ask is None:
        raise BadRow(f"column {columns.column('question')!r} is empty: there is no question", "no_question")
    pictures = _pictures(document, columns)
    options = _options(document, columns)
    answer_text = _value(document, columns, "answer")
    kind: Literal["yes_no", "multiple_choice"] = "multiple_choice"
    if not options and str(answer_text).strip().rstrip(".").casefold() in ("yes", "no"):
        options, kind = list(YES_NO), "yes_no"
    if len(options) < 2:
        raise BadRow(f"{len(options)} options; a question needs two or more", "too_few_options")
    shown: list[str | int] = []
    for option in options:
        if isinstance(option, AskedPicture):
            shown.append(len(pictures))
            pictures.append(option)
        else:
            shown.append(option)
    key = _text(document, columns, "id") or row
    question = AskedQuestion(
        key=key,
        split=_text(document, columns, "split"),
        task=task_name(_text(document, columns, "task") or DEFAULT_TASK),
        kind=kind,
        ask=ask,
        options=tuple(shown),
        answer=_answer(answer_text, options, first_answer),
        pictures=len(pictures),
        level=_text(document, columns, "level"),
        category=_text(document, columns, "category"),
        group=_text(document, columns, "group"),
        explanation=_text(document, columns, "explanation"),
        labels=_labels(document, columns),
    )
    return question, pictures


def _value(document: Mapping[str, Any], columns: ColumnMapping, field: str) -> Any:
    column = columns.column(field)
    return None if column is None else document.get(column)


def _text(document: Mapping[str, Any], columns: ColumnMapping, field: str) -> str | None:
    value = _value(document, columns, field)
    if value is None or isinstance(value, Mapping | bytes):
        return None
    if isinstance(value, list):
        return "+".join(str(part) for part in value) or None
    return str(value).strip() or None


def _options(document: Mapping[str, Any], columns: ColumnMapping) -> list[str | AskedPicture]:
    if columns.options:
        cells = [document.get(column) for column in columns.options]
        while cells and cells[-1] in (None, ""):
            cells.pop()
        return [_option(cell) for cell in cells]
    value = _value(document, columns, "options")
    if isinstance(value, str):
        value = _parsed(value)
    if isinstance(value, Mapping):
        if isinstance(value.get("text"), list):  # {"text": [...], "label": [...]}
            return [_option(entry) for entry in value["text"]]
        keys = sorted(key for key, entry in value.items() if entry not in (None, ""))
        return [_option(value[key]) for key in keys]
    if isinstance(value, list | tuple):
        return [_option(entry) for entry in value]
    return []


def _option(value: Any) -> str | AskedPicture:
    if isinstance(value, Mapping) and isinstance(value.get("text"), str):
        return _option(value["text"])
    if isinstance(value, Mapping | bytes):
        return _picture(value)
    if value is None or not str(value).strip():
        raise BadRow("an option says nothing", "empty_option")
    text = str(value).strip()
    if _DATA_ADDRESS.match(text):
        return _picture(text)
    return text


def _parsed(text: str) -> Any:
    """Return a list or mapping that stands in a cell as JSON or as Python writes it; else its lines."""
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(value, list | tuple | dict):
            return value
    lines = [line for line in text.splitlines() if line.strip()]
    matches = [_LETTERED.fullmatch(line) for line in lines]
    if lines and all(match is not None and match[1] == LETTERS[n] for n, match in enumerate(matches[: len(LETTERS)])):
        return [match[2] for match in matches if match is not None]
    return lines


def _answer(value: Any, options: Sequence[str | AskedPicture], first: int) -> int | None:
    """Return the number of the right option, from 0; None where the row states none."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if value is None or (text := str(value).strip()) in ("", "hidden", "None", "-1"):
        return None
    spelled = [option.strip() if isinstance(option, str) else None for option in options]
    if text in spelled:
        if spelled.count(text) > 1:
            raise BadRow(f"the answer {text[:80]!r} is the text of several options", "ambiguous_key")
        return spelled.index(text)
    if (match := _LETTER.fullmatch(text.upper())) and len(text) <= 4:
        place = LETTERS.index(match[1])
        if place < len(options):
            return place
    elif text.isdigit() and first <= int(text) < len(options) + first:
        return int(text) - first
    lettered = _LETTERED.fullmatch(text)
    if lettered is not None and lettered[2].strip() in spelled:
        return spelled.index(lettered[2].strip())
    folded = [None if option is None else option.casefold().rstrip(".") for option in spelled]
    if folded.count(text.casefold().rstrip(".")) == 1:
        return folded.index(text.casefold().rstrip("."))
    raise BadRow(f"the answer {text[:80]!r} is none of the {len(options)} options", "key_not_an_option")


def _pictures(document: Mapping[str, Any], columns: ColumnMapping) -> list[AskedPicture]:
    if columns.images:
        values = [document.get(column) for column in columns.images]
    else:
        value = _value(document, columns, "image")
        if isinstance(value, str) and value.lstrip().startswith("["):
            value = _parsed(value)
        values = list(value) if isinstance(value, list | tuple) else [value]
    return [_picture(value) for value in values if value not in (None, "")]


def _picture(value: Any) -> AskedPicture:
    """Return a picture that a cell names or holds."""
    if isinstance(value, bytes):
        return AskedPicture(data=value)
    if isinstance(value, Mapping):
        data, path = value.get("bytes"), value.get("path") or value.get("file")
        if isinstance(data, bytes):
            return AskedPicture(path=path if isinstance(path, str) else "", data=data)
        if isinstance(path, str) and path:
            return AskedPicture(path=path)
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
    """Return the columns that no field takes, texts and numbers only."""
    labels: dict[str, Scalar] = {}
    for name, value in document.items():
        if name in columns.taken or value is None or value == "":
            continue
        is_plain = isinstance(value, list) and all(isinstance(part, str | int) for part in value)
        label = "+".join(map(str, value)) if is_plain else value
        if isinstance(label, str | int | float | bool) and len(str(label)) <= 4000:
            labels[str(name)] = label
    return labels
