"""Pictures named only in the text of a question or of its options: `(image)[1.png]`, `![...](1.png)`, `<img ...>`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from benchwright.source_files.picture_names import is_picture_name, may_be_the_same, names_of

from ..mapping.columns import FIELDS, image_columns, option_columns
from .layout import NOTHING, Entry, Layout, PlainRow, named, without

_NAMED = re.compile(
    r"\(image\)\s?\[(?P<exam>[^\[\]\n]{1,400})\]"
    r"|!\[[^\[\]\n]{0,400}\]\([ ]?<?(?P<markdown>[^()<>\"'\n]{1,400}?)>?"
    r"(?:[ ](?:\"[^\"\n]{0,400}\"|'[^'\n]{0,400}'))?[ ]?\)"
    r"|<img\s[^<>\n]{0,400}?src\s*=\s*(?:[\"'](?P<html>[^\"'<>\n]{1,400})[\"']|(?P<bare>[^\s\"'<>]{1,400}))[^<>\n]{0,400}>"
    r"|<img>(?P<tag>[^<>\n]{1,400})</img>",
    re.I,
)
_START = re.compile(r"\(image\)|!\[|<img")
"""Beginnings of marks that name pictures, in lower case."""
_ALT = re.compile(r"""!\[([^\[\]\n]+)\]|\balt\s*=\s*(?:"([^"<>]+)"|'([^'<>]+)'|([^\s"'<>]+))""", re.I)
_ALT_COLUMN = "alt_text"


def _places(entry: Entry) -> tuple[str, ...]:
    """Return the columns with text, in reading order; empty if other columns contain unnamed pictures."""
    pictures, words = _columns(tuple(entry))
    if any(entry[column] not in (None, "", []) for column in pictures) and _own(entry) is None:
        return ()
    return words


def _own(entry: Entry) -> tuple[str, list[str]] | None:
    """Return the only column that names pictures, with their names; None if there is not exactly one."""
    pictures, _ = _columns(tuple(entry))
    if len(image_columns(tuple(entry))) > 0:
        return None
    listed = {name: value if isinstance(value := entry[name], list) else [value] for name in pictures}
    found = [(name, names) for name, names in listed.items() if names and all(map(is_picture_name, names))]
    return found[0] if len(found) == 1 else None


def _number(path: str, names: dict[str, int]) -> int:
    """Return the number of a picture among those named; add it unless exactly one of them may be the same picture."""
    if path not in names:
        paths = names_of(path)
        same = [n for name, n in names.items() if any(may_be_the_same(a, b) for a in paths for b in names_of(name))]
        names[path] = same[0] if len(same) == 1 else max(names.values(), default=0) + 1
    return names[path]


@lru_cache(maxsize=64)
def _columns(entry: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns with pictures and those with text."""
    columns = named(entry)
    pictures = [*(columns[name] for name in FIELDS["image"] if name in columns), *image_columns(entry)]
    found = [next((columns[n] for n in FIELDS[f] if n in columns), None) for f in ("context", "question", "options")]
    return tuple(pictures), tuple(dict.fromkeys([*filter(None, found), *option_columns(entry)]))


def _names_one(value: Any) -> bool:
    if isinstance(value, str):
        return _START.search(value.lower()) is not None and any(
            is_picture_name(_name(match)) for match in _NAMED.finditer(value)
        )
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(isinstance(part, str) and _names_one(part) for part in parts)


def _name(match: re.Match[str]) -> str:
    return str(next(filter(None, match.groups()))).strip()


def _alternative(mark: str) -> str | None:
    """Return the alternative text in a mark for a picture, which is not part of the question; None if the mark has
    none.
    """
    found = _ALT.search(mark)
    return None if found is None else (next(filter(None, found.groups())).strip() or None)


def _taken(entry: Entry) -> frozenset[str]:
    _, words = _columns(tuple(entry))
    return frozenset(_places(entry)) if any(_names_one(entry[place]) for place in words) else NOTHING


def _rows(entry: Entry) -> Iterator[PlainRow]:
    own, places = _own(entry), _places(entry)
    names: dict[str, int] = {} if own is None else {name: n for n, name in enumerate(own[1], start=1)}
    folder = _folder(entry)
    asked = named(entry)
    question = next((asked[name] for name in FIELDS["question"] if name in asked), None)

    alternatives: dict[str, None] = {}

    def numbered(match: re.Match[str]) -> str:
        name = _name(match)
        if not is_picture_name(name):
            return match[0]
        if (alternative := _alternative(match[0])) is not None:
            alternatives[alternative] = None
        is_of_exam = match["exam"] is not None and "/" not in name
        path = f"{folder}/{name}" if folder and is_of_exam else name
        return f"<image {_number(path, names)}>"

    def read(value: Any) -> Any:
        if isinstance(value, str):
            return _NAMED.sub(numbered, value)
        if isinstance(value, dict):
            return {key: read(part) for key, part in value.items()}
        return [read(part) for part in value] if isinstance(value, list) else value

    row = {**entry, **{place: read(entry[place]) for place in places}}
    if question in places and isinstance(entry[question], str):
        row[question] = _without_ends(entry[question], numbered)
    if alternatives and _ALT_COLUMN not in asked:
        row[_ALT_COLUMN] = "; ".join(alternatives)
    by_number = {number: name for name, number in reversed(names.items())}
    pictures = [by_number[number] for number in sorted(by_number)]
    if own is not None:
        yield PlainRow("", {**row, own[0]: pictures})
        return
    empty = frozenset(asked[name] for name in FIELDS["image"] if name in asked)
    yield PlainRow("", {**without(row, empty), "image": pictures})


def _without_ends(words: str, numbered: Callable[[re.Match[str]], str]) -> str:
    """Return a question with marks for its pictures, without Markdown or HTML marks before and after the question."""
    found = [match for match in _NAMED.finditer(words) if match["exam"] is None and is_picture_name(_name(match))]
    start, end = 0, len(words)
    for match in found:
        if not words[start : match.start()].strip():
            start = match.end()
    for match in reversed(found):
        if match.start() >= start and not words[match.end() : end].strip():
            end = match.start()
    _NAMED.sub(numbered, words)  # numbers the pictures in the order of the words
    inner = _NAMED.sub(numbered, words[start:end])
    return inner.strip() or _NAMED.sub(numbered, words)


def _folder(entry: Entry) -> str | None:
    """Return the picture folder for an entry's language, as in M3Exam; None if the entry states no language."""
    columns = named(entry)
    language = entry[columns["language"]] if "language" in columns else None
    return f"images-{language}" if isinstance(language, str) and language.isalpha() else None


NAMED_IN_WORDS = Layout(
    "pictures named in the words",
    "`(image)[1.png]`, `![...](1.png)`, `<img src=...>` or `<img>1.png</img>` in the question, its context or an "
    "option, alone or with one column that names pictures",
    "the words have `<image 1>` at that place, except Markdown and HTML before and after the question; alternative "
    "texts become the attribute `alt_text`; an option with nothing else is the picture; `(image)[...]` is in "
    "`images-LANGUAGE`, if a language is stated",
    ("M3Exam",),
    _taken,
    _rows,
)
