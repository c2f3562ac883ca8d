"""The verdict on a reader's result for a drawn source: right, refused, WRONG, lost or crash.

    WRONG    an item whose key names another option than the truth, or with other options, another question or picture,
             an item or a row left out that no row of the source gives, a row told twice
    crash    an exception that is no refusal
    lost     a row that is neither an item nor left out
    refused  whole, by an error in words, or in part: rows left out that a person can read
    right    every row is told rightly; rows whose key nobody can read may be left out or have no key

in this order if several apply.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .sources import Row, Source

OUTCOMES = ("right", "refused", "WRONG", "lost", "crash")
UNREADABLE = {"missing", "stray", "twice"}
"""States of keys that allow a row to be left out."""


@dataclass(frozen=True)
class Verdict:
    """How a reading of a source ended, and why.

    Args:
        outcome: One of `OUTCOMES`.
        why: A line a fault or refusal.
    """

    outcome: str
    why: tuple[str, ...] = ()


def examine(
    source: Source, folder: Path, read: Callable[[Path], Iterable[dict[str, Any]]], refusal: type[Exception]
) -> Verdict:
    """Write a source into a new folder and judge what a reader tells of it.

    Args:
        source: A drawn source.
        folder: New folder for its files.
        read: Reader of a folder; yields documents as `construct items SOURCE --list` prints them.
        refusal: Class of the errors by which it refuses a source.
    """
    source.write(folder)
    try:
        lines = list(read(folder))
    except refusal as error:
        return Verdict("refused", (str(error),))
    except Exception as error:  # noqa: BLE001 - a crash is one of the outcomes
        return Verdict("crash", (f"{type(error).__name__}: {error}",))
    return judged(source, lines)


def judged(source: Source, lines: list[dict[str, Any]]) -> Verdict:
    """Compare every line with the truth of its row."""
    rows = {(row.file, row.row): row for row in source.rows}
    told = Counter((line["file"], line["row"]) for line in lines)
    wrong = [f"{place}: no such row" for place in told if place not in rows]
    wrong += [f"{place}: told {times} times" for place, times in told.items() if times > 1]
    refused = []
    for line in lines:
        place = (line["file"], line["row"])
        row = rows.get(place)
        if row is None:
            continue
        if "left_out" in line:
            if row.key_state not in UNREADABLE and not row.repeated:
                refused.append(f"{place}: {line['left_out']}: {line['detail']}")
        elif fault := _fault(row, line, has_options=source.kind["options"] != "no options"):
            wrong.append(f"{place}: {fault}")
        elif row.right is not None and line["answer"] is None:
            refused.append(f"{place}: an item without its key")
    lost = [f"{place}: neither an item nor left out" for place in rows if place not in told]
    for outcome, why in (("WRONG", wrong), ("lost", lost), ("refused", refused)):
        if why:
            return Verdict(outcome, tuple(why))
    return Verdict("right")


def _fault(row: Row, line: dict[str, Any], *, has_options: bool) -> str | None:
    """Return what is wrong with an item, or None; an item without its key is not wrong."""
    if _words(line["question"]) != _words(row.question):
        return f"the question {line['question']!r} should be {row.question!r}"
    if [Path(image).stem for image in line["images"]] != [Path(row.image).stem]:
        return f"the pictures {line['images']} should be {[row.image]}"
    texts = {option["key"]: option.get("text") for option in line["options"]}
    if not has_options:  # the reader words them: yes and no, or true and false, in any order
        texts = {key: {"true": "Yes", "false": "No"}.get(_words(text).lower(), text) for key, text in texts.items()}
    same = _same if has_options else _same_word
    shown = list(texts.values()) if has_options else sorted(map(str, texts.values()), reverse=True)
    if len(shown) != len(row.options) or not all(map(same, shown, row.options)):
        return f"the options {list(texts.values())} should be {row.options}"
    if line["answer"] is None:
        return None
    given = texts.get(line["answer"])
    if row.right is None:
        # The text of two equal options says which text is right, though not which option.
        is_meant = row.key_state == "twice" and row.meant is not None and same(given, row.options[row.meant])
        return None if is_meant else f"the key {given!r}, where the file has no readable one"
    return None if same(given, row.options[row.right]) else f"the key {given!r} should be {row.options[row.right]!r}"


def _words(text: Any) -> str:
    return " ".join(str(text).split())


def _same_word(left: Any, right: Any) -> bool:
    return _words(left).lower() == _words(right).lower()


def _same(left: Any, right: Any) -> bool:
    if _words(left) == _words(right):
        return True
    try:  # 2.0 of a column of floats is 2
        return float(left) == float(right)
    except (TypeError, ValueError):
        return False
