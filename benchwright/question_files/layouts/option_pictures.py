"""Options with columns for their pictures: `option_A_image`, `option_B_image`; columns of their texts may exist too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from ..mapping.columns import FIELDS, option_columns, option_picture_columns
from .layout import NOTHING, Entry, Layout, PlainRow, named, without

_LABEL = re.compile(r"([A-Za-z]|\d{1,2})$")


@lru_cache(maxsize=64)
def _columns(entry: tuple[str, ...]) -> tuple[tuple[str, str | None, str | None], ...]:
    """Return, for each option, its column and the columns of its text and picture; empty if the form is different."""
    pictures = option_picture_columns(entry)
    columns = named(entry)
    if not pictures or any(name in columns for name in FIELDS["options"]):
        return ()
    words = {match[1].upper(): name for name in option_columns(entry) if (match := _LABEL.search(name.strip()))}
    labels = dict.fromkeys((*words, *pictures))
    if words and not set(pictures) <= set(words):
        return ()
    return tuple((words.get(n, n if n.isalpha() else f"option{n}"), words.get(n), pictures.get(n)) for n in labels)


def _taken(entry: Entry) -> frozenset[str]:
    return frozenset(picture for _, _, picture in _columns(tuple(entry)) if picture is not None) or NOTHING


def _option(words: Any, picture: Any) -> Any:
    """Return an option that is a text, a picture, or (invalidly) both."""
    if picture is None or (isinstance(picture, str) and not picture.strip()):
        return words
    shown = {"image": picture} if isinstance(picture, str) else picture
    has_words = words is not None and str(words).strip()
    return {"image": "a picture", **shown, "text": words} if has_words and isinstance(shown, dict) else shown


def _rows(entry: Entry) -> Iterator[PlainRow]:
    columns = _columns(tuple(entry))
    options = {
        name: _option(None if words is None else entry[words], None if picture is None else entry[picture])
        for name, words, picture in columns
    }
    yield PlainRow("", {**without(entry, _taken(entry)), **options})


OPTION_PICTURES = Layout(
    "pictures of options in columns",
    "`option_A_image`, `option_B_image`, ... (also `optA_img`, `A_image`, `option_image_1`), alone or with columns "
    "of the options' words",
    "an option is the picture in its column, or else its words; a row with both for one option is left out "
    "(`unclear_picture`)",
    ("files as people save them",),
    _taken,
    _rows,
)
