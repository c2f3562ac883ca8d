"""Pictures that only the words of a question or of its options name: `(image)[1.png]`, `![...](1.png)`, `<img ...>`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from benchwright.source_files.picture_names import is_picture_name

from ..mapping.columns import FIELDS, image_columns, option_columns
from .layout import NOTHING, Entry, Layout, PlainRow, named, without

_NAMED = re.compile(
    r"\(image\)\s?\[(?P<exam>[^\[\]\n]{1,400})\]"
    r"|!\[[^\[\]\n]{0,400}\]\((?P<markdown>[^()\s]{1,400})\)"
    r"|<img\s[^<>\n]{0,400}?src\s*=\s*[\"'](?P<html>[^\"'<>\n]{1,400})[\"'][^<>\n]{0,400}>"
    r"|<img>(?P<tag>[^<>\n]{1,400})</img>",
    re.I,
)
_STARTS = ("(image)", "![", "<img")


def _places(entry: Entry) -> tuple[str, ...]:
    """Return the columns with words, in the order in which they are read; none where a column names pictures."""
    pictures, words = _columns(tuple(entry))
    return () if any(entry[column] not in (None, "", []) for column in pictures) else words


@lru_cache(maxsize=64)
def _columns(entry: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns with pictures, and those with words."""
    columns = named(entry)
    pictures = [*(columns[name] for name in FIELDS["image"] if name in columns), *image_columns(entry)]
    found = [next((columns[n] for n in FIELDS[f] if n in columns), None) for f in ("context", "question", "options")]
    return tuple(pictures), tuple(dict.fromkeys([*filter(None, found), *option_columns(entry)]))


def _names_one(value: Any) -> bool:
    if isinstance(value, str):
        is_possible = any(start in value.lower() for start in _STARTS)
        return is_possible and any(is_picture_name(_name(match)) for match in _NAMED.finditer(value))
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(isinstance(part, str) and _names_one(part) for part in parts)


def _name(match: re.Match[str]) -> str:
    return str(next(filter(None, match.groups()))).strip()


def _taken(entry: Entry) -> frozenset[str]:
    places = _places(entry)
    return frozenset(places) if any(_names_one(entry[place]) for place in places) else NOTHING


def _rows(entry: Entry) -> Iterator[PlainRow]:
    names: dict[str, int] = {}
    folder = _folder(entry)

    def numbered(match: re.Match[str]) -> str:
        name = _name(match)
        if not is_picture_name(name):
            return match[0]
        is_of_exam = match["exam"] is not None and "/" not in name
        path = f"{folder}/{name}" if folder and is_of_exam else name
        return f"<image {names.setdefault(path, len(names) + 1)}>"

    def read(value: Any) -> Any:
        if isinstance(value, str):
            return _NAMED.sub(numbered, value)
        if isinstance(value, dict):
            return {key: read(part) for key, part in value.items()}
        return [read(part) for part in value] if isinstance(value, list) else value

    row = {**entry, **{place: read(entry[place]) for place in _places(entry)}}
    columns = named(entry)
    empty = frozenset(columns[name] for name in FIELDS["image"] if name in columns)
    yield PlainRow("", {**without(row, empty), "image": list(names)})


def _folder(entry: Entry) -> str | None:
    """Return the folder of the pictures of an entry's language, as M3Exam has them; None where it states none."""
    columns = named(entry)
    language = entry[columns["language"]] if "language" in columns else None
    return f"images-{language}" if isinstance(language, str) and language.isalpha() else None


NAMED_IN_WORDS = Layout(
    "pictures named in the words",
    "`(image)[1.png]`, `![...](1.png)`, `<img src=...>` or `<img>1.png</img>` in the question, what leads to it or an "
    "option, and no column with pictures",
    "the words have `<image 1>` in that place; an option that is no more is the picture; `(image)[...]` lies in "
    "`images-LANGUAGE`, where a language is stated",
    ("M3Exam",),
    _taken,
    _rows,
)
