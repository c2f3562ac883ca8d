"""Keys as people write them: letters, numbers from 0 or 1, texts, names of columns; missing, stray, in two columns."""

from __future__ import annotations

import random
from typing import Any

from .sources import NAN, OMITTED, Row
from .words import COLUMN_NAMES, LETTERS, pick


def draw_key_form(rng: random.Random, kind: dict[str, str], options_form: str, columns: str, texts: str) -> None:
    """Draw how keys are meant and written, and the name of their column, into `kind`."""
    if options_form == "no options":
        kind["key"], kind["base"] = "yes/no", "-"
        kind["key written"] = rng.choice(["yes", "Yes", "Yes", "bool", "1/0", "1/0 text"])
        kind["key column"] = rng.choice(["answer", "label", "gt", "ground_truth", "target"])
        return
    weights = {"letter": 34.0, "from 0": 23.0, "from 1": 15.0, "text": 22.0}
    if columns not in {"-", "A"}:
        weights["column name"] = 8.0
    if options_form.startswith(("cell", "dict")):
        weights["letter"] = 70.0
    if texts == "letters":
        weights["from 0"] = weights["from 1"] = 40.0
    kind["key"] = key = pick(rng, weights)
    kind["base"] = {"from 0": "0", "from 1": "1"}.get(key, "-")
    if key == "letter":
        kind["key written"] = pick(rng, {"B": 50, "b": 14, "(B)": 9, "(b)": 5, "B.": 7, "B)": 4, "Option B": 6})
        kind["key column"] = rng.choice(["answer", "answer", "answer", "label", "gt", "target", "correct", "ans",
                                         "correct_option", "answer_letter", "Answer", "ground_truth"])  # fmt: skip
    elif key in {"from 0", "from 1"}:
        kind["key written"] = pick(rng, {"int": 60, "float": 15, "number text": 25})
        kind["key column"] = rng.choice(["answer", "answer", "label", "label", "gt", "target", "correct", "ans",
                                         "answer_idx", "answer_index", "Answer", "correct_idx"])  # fmt: skip
    elif key == "text":
        kind["key written"] = "text"
        kind["key column"] = rng.choice(["answer", "answer", "answer", "label", "gt", "target", "correct", "ans",
                                         "correct_answer", "Answer", "ground_truth"])  # fmt: skip
    else:
        kind["key written"] = "column name"
        kind["key column"] = rng.choice(["answer", "label", "gt", "correct", "correct_option"])


def write_keys(rng: random.Random, kind: dict[str, str], rows: list[Row], columns: str, native: bool) -> None:
    """Give each row its key as in the file; some are missing, stray or the text of two options."""
    for row in rows:
        row.key = _key(kind, row, columns, native)
        if kind["key"] == "text" and row.options.count(row.options[row.meant]) > 1:
            row.right, row.key_state = None, "twice"
    if rng.random() < 0.28:
        kind["missing keys"] = "yes"
        how = _missing(rng, kind)
        for row in rng.sample(rows, rng.choice([1, 1, 2, 3])):
            row.key, row.right, row.key_state = how, None, "missing"
    if rng.random() < 0.2:
        kind["stray keys"] = "yes"
        able = [row for row in rows if row.key_state == "key"]
        for row in rng.sample(able, min(len(able), rng.choice([1, 1, 2]))):
            row.key, row.right, row.key_state = _stray(rng, kind), None, "stray"
    if rng.random() < 0.09 and kind["key"] in {"letter", "text", "from 0", "from 1"}:
        _second_key(rng, kind, rows, columns, native)


def _missing(rng: random.Random, kind: dict[str, str]) -> Any:
    container = kind["container"]
    if container.startswith("json"):
        return rng.choice([None, "", NAN, OMITTED])
    if container == "parquet":
        return (
            NAN
            if kind["key written"] == "float"
            else rng.choice([None, ""])
            if kind["key written"] not in {"int", "bool", "1/0"} and kind["option type"] == "text"
            else None
        )
    return None


def _key(kind: dict[str, str], row: Row, columns: str, native: bool) -> Any:
    position, written = row.meant, kind["key written"]
    assert position is not None
    if kind["key"] == "yes/no":
        yes = position == 0
        return {"yes": "yes" if yes else "no", "Yes": "Yes" if yes else "No", "bool": yes, "1/0": int(yes),
                "1/0 text": str(int(yes))}[written]  # fmt: skip
    letter = LETTERS[position]
    if kind["key"] == "letter":
        return {"B": letter, "b": letter.lower(), "(B)": f"({letter})", "(b)": f"({letter.lower()})",
                "B.": f"{letter}.", "B)": f"{letter})", "Option B": f"Option {letter}"}[written]  # fmt: skip
    if kind["key"] == "text":
        text = row.options[position]
        return int(text) if native and text.isdigit() else text
    if kind["key"] == "column name":
        return COLUMN_NAMES[columns](position)
    number = position + int(kind["base"])
    return {"int": number, "float": float(number), "number text": str(number)}[written]


def _stray(rng: random.Random, kind: dict[str, str]) -> Any:
    written = kind["key written"]
    if kind["key"] == "yes/no":
        return {"bool": None, "1/0": 7, "1/0 text": "7"}.get(written, "maybe")
    if kind["key"] == "letter":
        letter = rng.choice("XZJ")
        return {"B": letter, "b": letter.lower(), "(B)": f"({letter})", "(b)": f"({letter.lower()})",
                "B.": f"{letter}.", "B)": f"{letter})", "Option B": f"Option {letter}"}[written]  # fmt: skip
    if kind["key"] in {"from 0", "from 1"}:
        number = rng.choice([-1, 9999, 77777])
        return {"int": number, "float": float(number), "number text": str(number)}[written]
    if kind["option type"] == "number":
        return 99991
    return rng.choice(["a pelican", "cannot be seen", "see note"])


def _second_key(rng: random.Random, kind: dict[str, str], rows: list[Row], columns: str, native: bool) -> None:
    """The same key in a second column and another form."""
    other = rng.choice([form for form in ("letter", "from 0", "text") if form != kind["key"]])
    if kind["key"] == "from 1" and other == "from 0":
        other = "letter"  # two columns of numbers with two bases is no layout that people publish
    written = {"letter": "B", "from 0": "int", "text": "text"}[other]
    second = {**kind, "key": other, "base": "0", "key written": written}
    kind["second key"] = other
    names = {
        "letter": ["answer_letter", "correct_letter"],
        "from 0": ["answer_idx", "label_idx"],
        "text": ["answer_text", "correct_text"],
    }[other]
    kind["second column"] = next(name for name in names if name != kind["key column"])
    for row in rows:
        if row.key_state in {"missing", "stray"}:
            row.second_key = None
        else:
            row.second_key = _key(second, row, columns, native)
            if row.key_state == "twice":  # the other column says which of the two it is
                row.right, row.key_state = row.meant, "key"
