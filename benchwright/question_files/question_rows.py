"""A row of a table of questions as a checked question with its pictures."""

from __future__ import annotations

import ast
import base64
import binascii
import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from benchwright.records import LETTERS, Scalar
from benchwright.source_files.rows import BadRow
from benchwright.text_normalization import counted

from .asked_question import YES_NO, AskedPicture, AskedQuestion, task_name
from .tables.columns import ColumnMapping

DEFAULT_TASK = "imported"
_KINDS = ("yes_no", "multiple_choice")
_LETTER = re.compile(r"\(?([A-Z])\)?[.:)]?")
_LETTERED = re.compile(r"\s*\(?([A-Z])[.):]\s+(.+)", re.S)
_INLINE = re.compile(r"\(([A-Za-z])\)\s*")
"""A letter before an option among others in one line: `(a) open (b) closed` (MMVP)."""
_PICTURE = re.compile(r"\.(?:jpe?g|png|webp|gif|bmp|tiff?|avif)$", re.I)
_BASE64 = re.compile(r"[A-Za-z0-9+/\s]{64,}={0,2}\s*")
_DATA_ADDRESS = re.compile(r"data:image/[a-z+.-]+;base64,", re.I)
_SPLIT_TASK_NUMBER = re.compile(r"(train|dev|val|validation|test)_([A-Za-z].*)_\d+")
_PLACED = re.compile(r"<image (\d{1,2})>")
_WHOLE = re.compile(r"(\d+)(?:\.0+)?")
_SEALED = frozenset({"", "hidden", "none", "nan", "null", "-1", "?"})
"""What stands for a key that is not published, in small letters (BLINK, MMMU, tables of pandas)."""
_CLOSING = re.compile(r"\s*(?:please\s+)?(?:answer|select|choose|reply|respond)\b.{0,160}", re.I)
"""A line after the options that only says how to answer."""


def question_of(
    document: Mapping[str, Any], columns: ColumnMapping, *, row: str, first_answer: int
) -> tuple[AskedQuestion, list[AskedPicture]]:
    """Return the question of a row, and its pictures in order.

    A row without options is an open question, unless its key is yes or no, or its words list the options.

    Args:
        document: The row.
        columns: Which column holds what.
        row: Which row it is, the id of a question without one.
        first_answer: Number of the first option where answers are numbers: 0 or 1.

    Raises:
        BadRow: Something is missing or does not fit; names column and value.
    """
    pictures, places = _pictures(document, columns)
    ask = _renumbered(_words(document, columns), places)
    options, names = _options(document, columns)
    answer_text = _value(document, columns, "answer")
    if not options and _LETTER.fullmatch(_key_text(answer_text)):
        ask, options = _listed_in(ask)
    kind = _kind(document, options, answer_text)
    if kind == "yes_no" and not options:
        options = list(YES_NO)
    shown: list[str | int] = []
    for option in options:
        if isinstance(option, AskedPicture):
            shown.append(len(pictures))
            pictures.append(option)
        else:
            shown.append(_placed(_renumbered(option, places), len(pictures)))
    key = stated_id(document, columns) or row
    split, task = _told_by_id(key)
    is_open = kind == "open"
    answer = None if is_open else _answer(answer_text, options, names, first_answer)
    refusal = None if is_open else _answer(_value(document, columns, "refusal"), options, names, first_answer)
    question = AskedQuestion(
        key=key,
        split=_text(document, columns, "split") or split,
        task=task_name(_text(document, columns, "task") or task or DEFAULT_TASK),
        kind=kind,
        ask=ask,
        options=tuple(shown),
        answer=None if answer == refusal else answer,  # an option that declines answers nothing
        refusal=refusal,
        lacks_key=not is_open and answer is None and refusal is None,
        stated_answer=_open_answer(answer_text) if is_open else None,
        pictures=len(pictures),
        level=_text(document, columns, "level"),
        category=_text(document, columns, "category"),
        group=_text(document, columns, "group"),
        explanation=_text(document, columns, "explanation", as_it_stands=True),
        labels=_labels(document, columns),
    )
    return question, pictures


def stated_id(document: Mapping[str, Any], columns: ColumnMapping) -> str | None:
    """Return the id that a row states for its question; None where it states none."""
    return _text(document, columns, "id")


def _words(document: Mapping[str, Any], columns: ColumnMapping) -> str:
    """Return the question as it stands, after what is to be read before it; empty where the file has none at all."""
    column = columns.column("question")
    value = None if column is None else document.get(column)
    ask = "" if value is None or isinstance(value, Mapping | bytes) else str(value)
    if column is not None and not ask.strip():
        raise BadRow(f"column {column!r} is empty: there is no question", "no_question")
    context = _text(document, columns, "context")
    return f"{context}\n{ask}" if context and context.lower() != "nan" else ask


def _listed_in(ask: str) -> tuple[str, list[str | AskedPicture]]:
    """Return a question without the options that its last lettered lines list, and these; none where it lists none."""
    lines = ask.split("\n")
    starts = [n for n, line in enumerate(lines) if (match := _LETTERED.fullmatch(line)) and match[1] == "A"]
    for start in reversed(starts):
        options: list[str | AskedPicture] = []
        for letter, line in zip(LETTERS, lines[start:], strict=False):
            match = _LETTERED.fullmatch(line)
            if match is None or match[1] != letter:
                break
            options.append(match[2].strip())
        if len(options) >= 2:
            rest = [line for line in lines[start + len(options) :] if line.strip() and not _CLOSING.fullmatch(line)]
            return "\n".join([*lines[:start], *rest]).strip(), options
    return ask, []


def _kind(
    document: Mapping[str, Any], options: Sequence[str | AskedPicture], answer: Any
) -> Literal["yes_no", "multiple_choice", "open"]:
    """Return the kind of a question.

    Raises:
        BadRow: There is a single option.
    """
    if not options and str(answer).strip().rstrip(".").casefold() in ("yes", "no"):
        return "yes_no"
    if len(options) >= 2:
        return "yes_no" if document.get("kind") == "yes_no" else "multiple_choice"
    if options:
        raise BadRow(f"{counted(len(options), 'option')}; a question needs two or more", "too_few_options")
    return "open"


def _open_answer(value: Any) -> str | None:
    """Return the key of an open question in words; of several right answers, one a line."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = _parsed(value)
    values = value if isinstance(value, list | tuple) else [value]
    # VizWiz and VQAv2 state an answer with how sure its author was.
    texts = [_key_text(entry.get("answer") if isinstance(entry, Mapping) else entry) for entry in values]
    known = [text for text in texts if text.lower() not in _SEALED]
    [(best, number)] = Counter(known).most_common(1) or [("", 0)]
    known = [best] if number > 1 else known  # several people's answers, not several right ones
    return "\n".join(known)[:10_000] or None


def _told_by_id(key: str) -> tuple[str | None, str | None]:
    """Return the split and the task that an id such as `val_Art_Style_12` tells (BLINK, MMMU)."""
    match = _SPLIT_TASK_NUMBER.fullmatch(key)
    return (match[1], match[2]) if match is not None else (None, None)


def _placed(option: str, pictures: int) -> str | int:
    """Return the number of the picture that an option is, where it only names one as `<image 2>`; else its text."""
    match = _PLACED.fullmatch(option.strip())
    return int(match[1]) - 1 if match is not None and 1 <= int(match[1]) <= pictures else option


def _value(document: Mapping[str, Any], columns: ColumnMapping, field: str) -> Any:
    column = columns.column(field)
    return None if column is None else document.get(column)


def _text(document: Mapping[str, Any], columns: ColumnMapping, field: str, *, as_it_stands: bool = False) -> str | None:
    value = _value(document, columns, field)
    if value is None or isinstance(value, Mapping | bytes):
        return None
    if isinstance(value, list):
        return "+".join(str(part) for part in value) or None
    text = str(value)
    return (text if as_it_stands and text.strip() else text.strip()) or None


def _options(document: Mapping[str, Any], columns: ColumnMapping) -> tuple[list[str | AskedPicture], list[str]]:
    """Return the options in order, and the names that keys may have for them: columns, keys of a mapping, labels."""
    if columns.options:
        cells = [document.get(column) for column in columns.options]
        while cells and cells[-1] in (None, ""):
            cells.pop()
        return [_option(cell) for cell in cells], list(columns.options[: len(cells)])
    value = _value(document, columns, "options")
    if isinstance(value, str):
        value = _parsed(value)
    if isinstance(value, Mapping):
        if isinstance(texts := value.get("text"), list):  # {"text": [...], "label": [...]}
            names = value.get("label") if isinstance(value.get("label"), list) else []
            return [_option(entry) for entry in texts], [str(name) for name in names or ()]
        keys = sorted((key for key, entry in value.items() if entry not in (None, "")), key=_by_number)
        return [_option(value[key]) for key in keys], [str(key) for key in keys]
    if isinstance(value, list | tuple):
        names = [str(e.get("label", e.get("key", ""))) for e in value if isinstance(e, Mapping)]
        return [_option(entry) for entry in value], names if len(names) == len(value) else []
    return [], []


def _by_number(key: Any) -> tuple[int, str]:
    return (int(key), "") if str(key).isdigit() else (-1, str(key))


def _option(value: Any) -> str | AskedPicture:
    if isinstance(value, Mapping):
        if isinstance(number := value.get("picture"), int):
            return f"<image {number}>"
        if isinstance(text := value.get("text"), str):
            return text if value.get("as_it_stands") else _option(text)
    if isinstance(value, Mapping | bytes):
        return _picture(value)
    words = "" if value is None else str(value)
    if not words.strip():
        raise BadRow("an option says nothing", "empty_option")
    return _picture(words) if _DATA_ADDRESS.match(words.strip()) else words


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
    if len(lines) == 1 and len(parts := _INLINE.split(text)) > 2 and not parts[0].strip():
        letters = [letter.upper() for letter in _INLINE.findall(text)]
        if letters == list(LETTERS[: len(letters)]):
            return [part.strip() for part in parts[2::2]]
    matches = [_LETTERED.fullmatch(line) for line in lines]
    if lines and all(match is not None and match[1] == LETTERS[n] for n, match in enumerate(matches[: len(LETTERS)])):
        return [match[2] for match in matches if match is not None]
    return lines


def _key_text(value: Any) -> str:
    """Return a key as text; empty where there is none."""
    if isinstance(value, list | tuple) and len(value) == 1:
        value = value[0]
    return "" if value is None or isinstance(value, Mapping | bytes) else str(value).strip()


def _answer(value: Any, options: Sequence[str | AskedPicture], names: Sequence[str], first: int) -> int | None:
    """Return the number of the right option, from 0; None where the row states none."""
    if isinstance(value, str) and re.fullmatch(r"\[.*\]", value.strip(), re.S):
        value = _parsed(value)
    if isinstance(value, list | tuple) and len(value) > 1:
        listed = ", ".join(map(str, value))[:80]
        raise BadRow(f"{len(value)} answers are right ({listed}); an item has one", "several_keys")
    text = _key_text(value)
    spelled = [option.strip() if isinstance(option, str) else None for option in options]
    if text and text in spelled:
        if spelled.count(text) > 1:
            raise BadRow(f"the answer {text[:80]!r} is the text of several options", "ambiguous_key")
        return spelled.index(text)
    if text.lower() in _SEALED:
        return None
    if (place := _numbered(text, names, len(options), first)) is not None:
        return place
    lettered = _LETTERED.fullmatch(text)
    if lettered is not None and lettered[2].strip() in spelled:
        return spelled.index(lettered[2].strip())
    folded = [None if option is None else option.casefold().rstrip(".") for option in spelled]
    if folded.count(text.casefold().rstrip(".")) == 1:
        return folded.index(text.casefold().rstrip("."))
    raise BadRow(f"the answer {text[:80]!r} is none of the {counted(len(options), 'option')}", "key_not_an_option")


def _numbered(text: str, names: Sequence[str], options: int, first: int) -> int | None:
    """Return the number of the option that a key names by its own name, its letter or its number; None for none."""
    if names.count(text) == 1:
        return names.index(text)
    if (match := _LETTER.fullmatch(text.upper())) and LETTERS.index(match[1]) < options:
        return LETTERS.index(match[1])
    whole = _WHOLE.fullmatch(text)
    return int(whole[1]) - first if whole is not None and first <= int(whole[1]) < options + first else None


def _pictures(document: Mapping[str, Any], columns: ColumnMapping) -> tuple[list[AskedPicture], dict[int, int]]:
    """Return the pictures in order, and the new number of each by its old one: empty cells have none."""
    if columns.images:
        values = [document.get(column) for column in columns.images]
    else:
        value = _value(document, columns, "image")
        if isinstance(value, str) and value.lstrip().startswith("["):
            value = _parsed(value)
        values = list(value) if isinstance(value, list | tuple) else [value]
    filled = [(number, value) for number, value in enumerate(values, start=1) if value not in (None, "")]
    places = {number: place for place, (number, _) in enumerate(filled, start=1)}
    return [_picture(value) for _, value in filled], places


def _renumbered(text: str, places: Mapping[int, int]) -> str:
    """Return a text in which `<image 3>` has the number that the picture has among those that are there."""
    return _PLACED.sub(lambda match: f"<image {places.get(int(match[1]), int(match[1]))}>", text)


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
    taken = columns.taken
    for name, value in document.items():
        if name in taken or (name == "kind" and value in _KINDS) or value is None or value == "":
            continue
        is_plain = isinstance(value, list) and all(isinstance(part, str | int) for part in value)
        label = "+".join(map(str, value)) if is_plain else value
        if isinstance(label, float) and not math.isfinite(label):
            continue  # tables of pandas write so what is missing
        if isinstance(label, str | int | float | bool) and len(str(label)) <= 4000:
            labels[str(name)] = label
    return labels
