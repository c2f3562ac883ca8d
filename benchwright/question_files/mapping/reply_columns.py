"""Models' replies in files next to the questions, read from the usual columns and matched by question id."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from benchwright.source_files.rows import BadRow

from ..questions.asked_question import ModelReply
from .columns import ColumnMapping

_FOLDER_OF_REPLIES = re.compile(r"output|prediction|result|repl(?:y|ies)|response", re.I)
_MAX_TEXT = 200_000


def model_of_path(path: str) -> str | None:
    """Return the model named by a path below a folder of results; None for paths outside such a folder.

    Example:
        >>> model_of_path("eval/saved_outputs/GPT4V/Art Style.json.gz")
        'GPT4V'
        >>> model_of_path("results/llava_test.jsonl")
        'llava_test'
    """
    parts = path.split("/")
    for place, folder in enumerate(parts[:-1]):
        if _FOLDER_OF_REPLIES.search(folder):
            name = parts[place + 1]
            return name if place + 2 < len(parts) else without_ends(name)
    return None


def without_ends(name: str) -> str:
    """Return a file's name without the suffixes of its format; `v1.5` is part of the name."""
    return re.sub(r"(?:\.(?:jsonl?|ndjson|csv|tsv|parquet|gz))+$", "", name, flags=re.I)


def reply_of(document: Mapping[str, Any], columns: ColumnMapping, model: str) -> ModelReply | None:
    """Return the reply in a row; None if the row has none, for example because a call failed.

    Raises:
        BadRow: The row has no id.
    """
    column = columns.column("id")
    key = document.get(column) if column else None
    if key is None or str(key).strip() == "":
        raise BadRow("the reply has no question id", "no_id")
    named = document.get(columns.replies.get("model", ""))
    text = document.get(columns.replies.get("reply", ""))
    # A mapping from id to choice has no column of replies: its values are the choices.
    choice_column = columns.replies.get("choice") if columns.replies else columns.column("answer")
    choice = document.get(choice_column or "")
    if isinstance(text, Mapping | list):  # II-Bench keeps the error of a failed call
        text = None
    if text is None and choice is None:
        return None
    return ModelReply(
        model=str(named) if named else model,
        key=str(key).strip(),
        text="" if text is None else str(text)[:_MAX_TEXT],
        choice=None if choice is None else str(choice)[:1000],
    )
