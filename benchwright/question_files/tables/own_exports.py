"""Rows of files from `benchwright release export`, in the common form of rows.

The formats use the same names for an item (`item_id`, `target`, `refusal`, `kind`, ...) and differ in where they put
its options and pictures. Fields that only serve Benchwright (hashes, evidence, operations) are omitted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from benchwright.records import LETTERS
from benchwright.source_files.rows import BadRow

from ..mapping.readings import KnownKey

_SAME = ("task", "kind", "question", "level", "category", "explanation", "split", "answer", "refusal")
PICTURES = ("images", "image", *(f"image_{number}" for number in range(1, 100)))
"""Columns with pictures."""


def is_own_export(document: Mapping[str, Any]) -> bool:
    """Return whether a row is an item of a release's export; all of these have an id, a canary and a question."""
    is_exported = isinstance(document.get("canary"), str) and ("item_id" in document or "content_hash" in document)
    return is_exported and ("question" in document or "input" in document)


def own_export_row(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of an exported item.

    Raises:
        BadRow: A part of the item has another form.
    """
    row: dict[str, Any] = {
        "id": document.get("item_id", document.get("id")),
        **{name: document.get(name) or None for name in _SAME},
        "options": _options(document),
        "image": _pictures(document),
    }
    row["question"] = document.get("question", document.get("input"))
    if "index" in document:  # rows of VLMEvalKit use it to refer to the pictures of others
        row["index"] = document["index"]
    if row["answer"] is None and row["refusal"] is None:
        row["answer"] = document.get("target") or None
    for name in ("answer", "refusal"):
        row[name] = row[name] and KnownKey(row[name], "letters")
    attributes = document.get("attributes") or {}
    if isinstance(attributes, str):
        try:
            attributes = json.loads(attributes)
        except ValueError as error:
            raise BadRow(f"attributes is not JSON: {error}") from None
    if not isinstance(attributes, Mapping):
        raise BadRow(f"attributes is a {type(attributes).__name__}, not names with values")
    return {**attributes, **row}


def _options(document: Mapping[str, Any]) -> list[Any]:
    """Return the options as texts, or as the number of the picture for an option that is a picture."""
    if (number := document.get("n_options")) is not None:
        if not str(number).isdigit() or int(number) > len(LETTERS):
            raise BadRow(f"n_options is {str(number)[:40]!r}, not a number up to {len(LETTERS)}")
        return [_words(document.get(letter)) for letter in LETTERS[: int(number)]]
    options = document.get("options", document.get("choices"))
    if not isinstance(options, list):
        raise BadRow("the row has no options")
    return [_option(option) for option in options]


def _option(option: Any) -> Any:
    if not isinstance(option, Mapping):
        return _words(option)
    if isinstance(number := option.get("image"), int) and option.get("text") is None:
        return {"picture": number}
    return _words(option.get("text"))


def _words(text: Any) -> dict[str, Any]:
    """Return an option unchanged, because a release may contain options without a text."""
    return {"text": "" if text is None else str(text), "as_it_stands": True}


def _pictures(document: Mapping[str, Any]) -> Any:
    if isinstance(cell := document.get("image"), str):
        return cell  # VLMEvalKit: base64, a list of base64 as text, or the index of another row
    values = [document.get(name) for name in PICTURES]
    return [picture for value in values for picture in (value if isinstance(value, list) else [value]) if picture]
