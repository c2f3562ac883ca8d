"""Files of replies to read: one JSON object a line, with `reply` and `choices`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchwright.errors import DataError
from benchwright.records import LETTERS

from .readers import READERS


def read_cases(path: Path, reader: str = "robust") -> list[str | None]:
    """Return the letter of each line's reply, in order; None where it names no single option.

    `choices` lists the options' texts in order; null stands for a picture.

    Args:
        path: The file.
        reader: Who reads: one of `READERS`, by name.

    Raises:
        DataError: A line is not what it should be; the message names it.
    """
    letters: list[str | None] = []
    for number, raw in enumerate(path.read_bytes().splitlines(), start=1):
        where = f"{path}: line {number}"
        try:
            case = json.loads(raw.decode("utf-8-sig" if number == 1 else "utf-8"))
        except (ValueError, RecursionError) as error:
            raise DataError(f"{where}: not JSON in UTF-8 ({error})") from error
        reply, choices = _checked(case, where)
        letters.append(READERS[reader](reply, list(zip(LETTERS, choices, strict=False))))
    return letters


def _checked(case: Any, where: str) -> tuple[str, list[str | None]]:
    if not isinstance(case, dict) or case.keys() != {"reply", "choices"}:
        raise DataError(f'{where}: give {{"reply": text, "choices": [texts]}} and nothing else')
    reply, choices = case["reply"], case["choices"]
    if not isinstance(reply, str):
        raise DataError(f"{where}: reply is {ascii(reply)[:80]}, not a text")
    if not isinstance(choices, list) or not 2 <= len(choices) <= len(LETTERS):
        raise DataError(f"{where}: choices is {ascii(choices)[:80]}, not a list of 2 to {len(LETTERS)} texts")
    wrong = [choice for choice in choices if choice is not None and not isinstance(choice, str)]
    if wrong:
        raise DataError(f"{where}: choice {ascii(wrong[0])[:80]} is neither a text nor null")
    return reply, choices
