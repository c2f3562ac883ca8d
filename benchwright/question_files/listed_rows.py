"""The rows of a source, one JSON document each, as `construct items SOURCE --list` prints them.

An item is `{"file", "row", "source_id", "split", "task", "question", "options": [{"key", "text"} | {"key", "image"}],
"answer", "declines", "images"}`, an omitted row is `{"file", "row", "source_id", "left_out", "detail"}`. Open questions
and those without a key are questions: `answer` is null, and `no_item` states why the step `items` makes no item of
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from benchwright.records import LETTERS

from .indexed_rows import IndexedRow
from .question_index import QuestionIndex


def listed_rows(index: QuestionIndex, path_of: Callable[[str], str] = str) -> Iterator[dict[str, Any]]:
    """Yield a document for each row of a source, in order, and finally one for each unreadable file.

    Args:
        index: The rows.
        path_of: Function that returns the path of a picture by its name in the index (`ReadQuestions.path_of`); by
            default the name is the path.
    """
    for row in index.rows():
        place = {"file": row.file, "row": row.position, "source_id": row.source_id}
        if row.reason is None:
            yield {**place, **_question(row, path_of)}
        elif row.is_no_item:
            stated = None if row.question is None else row.question.question.stated_answer
            yield {**place, **_question(row, path_of), "no_item": row.reason, "stated_answer": stated}
        else:
            yield {**place, "left_out": row.reason, "detail": row.detail}


def _question(row: IndexedRow, path_of: Callable[[str], str]) -> dict[str, Any]:
    assert row.question is not None  # a row without a reason is an item
    question, names = row.question.question, [path_of(name) for name in row.question.names]
    return {
        "split": question.split,
        "task": question.task,
        "question": question.ask,
        "options": [
            {"key": key, "text": option} if isinstance(option, str) else {"key": key, "image": names[option]}
            for key, option in zip(LETTERS, question.options, strict=False)
        ],
        "answer": key_of(question.answer),
        "declines": key_of(question.refusal),
        "images": names,
    }


def key_of(place: int | None) -> str | None:
    """Return the letter of an option from its index; None if there is no index."""
    return None if place is None else LETTERS[place]
