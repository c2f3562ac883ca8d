"""What a careful reader can conclude about the keys of a source without a hint; shares no code with the reader.

A reading (letter, number from 0, number from 1, text of an option, name of a column, 1 for yes) is complete where it is
valid for every keyed row of all files; rows that no reading fits are set aside. Where a second column holds keys too,
only readings count that agree with a complete reading of that column. A source is ambiguous where two complete readings
name different options in some row; a row in which a reading names two equal options says nothing for or against it.
Complete readings are ranked, the most natural first.
"""

from __future__ import annotations

import re
from typing import Any

from .sources import OMITTED, Row, absent

TWICE = "twice"  # a reading that fits the row but names two equal options
_LETTER = re.compile(r"^(?:option\s+)?[(\[]?([A-Za-z])[)\].:]?$", re.IGNORECASE)


def number_of(value: Any) -> int | None:
    """The whole number that a cell shows, whatever its type."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value == int(value) else None
    text = str(value).strip()
    if re.fullmatch(r"-?\d+(\.0+)?", text):
        return int(float(text))
    return None


def _same_text(value: Any, option: str) -> bool:
    if isinstance(value, str):
        left = value.strip()
        if left.casefold() == option.strip().casefold():
            return True
    number, other = number_of(value), number_of(option)
    return number is not None and number == other


def readings_of(value: Any, options: list[str], column_names: list[str]) -> dict[str, Any]:
    """Each reading that is possible for this key in this row, with the option (position) it gives."""
    found: dict[str, Any] = {}
    count = len(options)
    if isinstance(value, str):
        match = _LETTER.match(value.strip())
        if match and (position := ord(match.group(1).upper()) - 65) < count:
            found["letter"] = position
        for position, name in enumerate(column_names[:count]):
            if len(name) > 1 and value.strip().casefold() == name.casefold():
                found["column name"] = position
    number = number_of(value)
    if number is not None:
        if 0 <= number < count:
            found["from 0"] = number
        if 1 <= number <= count:
            found["from 1"] = number - 1
    equal = [i for i, option in enumerate(options) if _same_text(value, option)]
    if len(equal) == 1:
        found["text"] = equal[0]
    elif equal:
        found["text"] = TWICE
    words = {option.strip().casefold(): i for i, option in enumerate(options)}
    for yes, no in (("yes", "no"), ("true", "false")):
        if set(words) == {yes, no}:
            if number in {0, 1}:
                found["1 is yes"] = words[yes] if number else words[no]
            if isinstance(value, bool) or (
                isinstance(value, str) and value.strip().casefold() in {"yes", "no", "true", "false"}
            ):
                positive = value if isinstance(value, bool) else value.strip().casefold() in {"yes", "true"}
                found.setdefault("text", words[yes] if positive else words[no])
    return found


def complete_readings(values: list[Any], rows: list[Row], column_names: list[str]) -> dict[str, list[Any]]:
    """Readings that are valid for all keyed rows of all files (rows that no reading fits are set aside)."""
    each = [
        None if absent(value) else readings_of(value, row.options, column_names)
        for value, row in zip(values, rows, strict=True)
    ]
    keyed = [found for found in each if found]
    names = sorted({name for found in keyed for name in found})
    return {
        name: [found.get(name) if found else None for found in each]
        for name in names
        if all(name in found for found in keyed)
    }


def judge_source(rows: list[Row], kind: dict[str, str], column_names: list[str]) -> dict[str, Any]:
    """What a careful reader could say of the keys without instructions."""
    if kind["options"] == "no options":
        return {"ambiguous": False, "complete": {"yes/no": "1 or true is yes"}, "ranked": ["yes/no"],
                "why": "yes/no without options: the words, or 1 and true for yes"}  # fmt: skip
    complete = complete_readings([row.key for row in rows], rows, column_names)
    agreeing = dict(complete)
    if any(row.second_key is not OMITTED for row in rows):
        second = complete_readings([row.second_key for row in rows], rows, column_names)
        agreeing = {
            name: results
            for name, results in complete.items()
            if any(_agree(results, other) for other in second.values())
        }
    # Rows in which one reading names two equal options say nothing for or against it.
    differing = sum(len({results[i] for results in agreeing.values()} - {TWICE, None}) > 1 for i in range(len(rows)))
    ranked = _rank(list(agreeing), kind)
    why = (
        "one reading fits all keyed rows, or all that fit give the same options"
        if not differing
        else f"{' and '.join(ranked)} each fit every keyed row of all files and differ in {differing} rows"
    )
    return {"ambiguous": differing > 0, "complete": sorted(agreeing), "ranked": ranked, "why": why,
            "rows_that_differ": differing}  # fmt: skip


def _agree(left: list[Any], right: list[Any]) -> bool:
    return all(TWICE in (a, b) or a is None or b is None or a == b for a, b in zip(left, right, strict=True))


def _rank(names: list[str], kind: dict[str, str]) -> list[str]:
    """Most natural first: a named column; text; letter; the base that numbered columns show; 0 before 1.

    Text comes after the numbers where the key column says it holds a position, or where keys are numbers and
    options are texts in the file; after letters where the key column says it holds letters.
    """
    name = kind["key column"].lower()
    position_name = any(word in name for word in ("idx", "index", "label_num"))
    letter_name = "letter" in name or "option" in name
    typed = kind["key written"] in {"int", "float"} and kind["option type"] == "text"
    base = {"1": "from 1", "0": "from 0"}.get(kind.get("numbered columns", ""), "")

    def weight(reading: str) -> tuple[float, str]:
        if reading == "column name":
            return 0, reading
        if reading == "text":
            return (3.5 if position_name or typed else 2.5 if letter_name else 1), reading
        if reading == "letter":
            return 2, reading
        if reading == "1 is yes":
            return 3.2, reading
        return (2.8 if reading == base else 3.0 if reading == "from 0" else 3.1), reading

    return sorted(names, key=weight)
