"""Errata of a benchmark as a filter for lmms-eval and VLMEvalKit; it needs only Python.

`errata.tsv`, next to this file, has a line for each item that annotators found wrong: it is left out, or its key or its
words are corrected.

lmms-eval: a task file in this folder builds on the task that it corrects:

    include: /path/to/the/task.yaml
    task: NAME_corrected
    process_docs: !function errata_filter.process_docs

VLMEvalKit: `python errata_filter.py NAME.tsv NAME_corrected.tsv` writes a table that, in `$LMUData`, is the dataset
`NAME_corrected`.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

ID_COLUMNS = ("index", "id", "question_id", "questionId", "pid", "idx", "qid", "data_id", "source_id")
"""Columns that may hold the ids of `errata.tsv`; the first that holds one of them is used."""
KEY_COLUMNS = ("answer", "gt_answer", "correct_answer", "label")
"""Columns that may hold the key; the first present one is used."""
LEFT_OUT = "left_out"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ROTATED = 1_000_000
"""VLMEvalKit adds multiples of this to the index of a question with options in another order."""
_LETTER_FORM = re.compile(r"(\W*)([A-Z])(\W*)")

Erratum = Mapping[str, str]


def read_errata(path: Path | None = None) -> dict[str, Erratum]:
    """Return the lines of `errata.tsv` by item id."""
    with (path or Path(__file__).with_name("errata.tsv")).open(encoding="utf-8", newline="") as handle:
        return {row["id"]: row for row in csv.DictReader(handle, delimiter="\t")}


def process_docs(dataset: Any) -> Any:
    """Return a split of lmms-eval without the left-out items, and with corrected keys.

    Items with edited words are left out too, since the names of word columns differ by task.

    Args:
        dataset: Split as loaded by `datasets`; pictures are not decoded.

    Raises:
        ValueError: No column holds the ids, or a key differs from the corrected one.
    """
    errata = read_errata()
    columns = {name: dataset[name] for name in ID_COLUMNS if name in dataset.column_names}
    id_column = _id_column({name: list(map(str, values)) for name, values in columns.items()}, errata)
    ids = list(map(str, columns[id_column]))
    gone = {own for own, row in errata.items() if row["became"] == LEFT_OUT or row["edits"] not in ("", "{}")}
    kept = [place for place, own in enumerate(ids) if own not in gone]
    dataset, ids = dataset.select(kept), [ids[place] for place in kept]
    changed = {place: errata[own] for place, own in enumerate(ids) if own in errata}
    if not changed:
        return dataset
    key_column = _key_column(dataset.column_names)
    keys, feature = list(dataset[key_column]), dataset.features[key_column]
    for place, row in changed.items():
        keys[place] = _corrected_key(keys[place], row)
    return dataset.remove_columns([key_column]).add_column(key_column, keys).cast_column(key_column, feature)


def corrected_rows(rows: Iterable[Mapping[str, str]], errata: Mapping[str, Erratum]) -> Iterator[dict[str, str]]:
    """Yield the rows of a VLMEvalKit table without the left-out items, and with corrected keys and words.

    Rotations of a question are treated like it: their key is found again by its text.
    """
    for row in rows:
        found = _erratum_of(row["index"], errata)
        if found is None:
            yield dict(row)
        elif found["became"] != LEFT_OUT:
            yield _corrected_row(row, found)


def _erratum_of(index: str, errata: Mapping[str, Erratum]) -> Erratum | None:
    if index in errata or not index.isdecimal():
        return errata.get(index)
    return errata.get(str(int(index) % _ROTATED))


def _corrected_row(row: Mapping[str, str], erratum: Erratum) -> dict[str, str]:
    corrected = dict(row)
    edits = json.loads(erratum["edits"] or "{}")
    texts = {letter: row[letter] for letter in LETTERS if row.get(letter)}
    if "question" in edits:
        corrected["question"] = edits["question"]
    for letter, (before, after) in edits.get("choices", {}).items():
        at = letter if texts.get(letter) == before else _letter_of(before, texts)
        if at is None:
            raise ValueError(f"row {row['index']} has no option {before!r}: the table is of another version")
        corrected[at] = texts[at] = after
    right = erratum["right_text"]
    at = erratum["instead"] if not right or texts.get(erratum["instead"]) == right else _letter_of(right, texts)
    if erratum["instead"] and at is None:
        raise ValueError(f"row {row['index']} has no option {right!r}: the table is of another version")
    return corrected | ({"answer": at} if at else {})


def _letter_of(text: str, texts: Mapping[str, str]) -> str | None:
    return next((letter for letter, other in texts.items() if other == text), None)


def _corrected_key(value: Any, erratum: Erratum) -> Any:
    """Return a corrected key in the form that the benchmark uses: letter, number from 0, or text."""
    was, instead = erratum["key"], erratum["instead"]
    if isinstance(value, int) and was and value == LETTERS.index(was):
        return LETTERS.index(instead)
    if isinstance(value, str) and (form := _LETTER_FORM.fullmatch(value)) is not None and form[2] == was:
        return f"{form[1]}{instead}{form[3]}"
    if isinstance(value, str) and erratum["was_text"] and value.strip() == erratum["was_text"].strip():
        return erratum["right_text"]
    raise ValueError(
        f"the key of {erratum['id']} is {value!r}, but the correction expects {was!r}: it is another version of the "
        "benchmark"
    )


def _id_column(columns: Mapping[str, list[str]], errata: Mapping[str, Erratum]) -> str:
    named = [name for name, values in columns.items() if not errata.keys().isdisjoint(values)]
    if named:
        return named[0]
    raise ValueError(
        f"none of the columns {', '.join(columns) or ', '.join(ID_COLUMNS)} contains an id from errata.tsv"
    )


def _key_column(columns: Iterable[str]) -> str:
    there = set(columns)
    found = next((name for name in KEY_COLUMNS if name in there), None)
    if found is None:
        raise ValueError(f"no column is named {', '.join(KEY_COLUMNS)}; add the key's column to KEY_COLUMNS")
    return found


def main() -> None:
    """Write a corrected copy of a VLMEvalKit table."""
    parser = argparse.ArgumentParser(description="Leave out or correct the rows of a table of VLMEvalKit.")
    parser.add_argument("table", type=Path, help="The table, such as $LMUData/NAME.tsv.")
    parser.add_argument("corrected", type=Path, help="New table, such as $LMUData/NAME_corrected.tsv.")
    options = parser.parse_args()
    csv.field_size_limit(sys.maxsize)  # cells hold pictures
    errata = read_errata()
    with (
        options.table.open(encoding="utf-8", newline="") as table,
        options.corrected.open("x", encoding="utf-8", newline="") as handle,
    ):
        rows = csv.DictReader(table, delimiter="\t")
        names = rows.fieldnames or []
        if "index" not in names:
            raise SystemExit(f"{options.table} has no column 'index': it is not a table of VLMEvalKit")
        writer = csv.DictWriter(handle, names, delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(corrected_rows(rows, errata))


if __name__ == "__main__":
    main()
