"""Rows as records, and records as files of tables, JSON and Parquet."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from openpyxl import Workbook

from .judge import number_of
from .sources import NAN, OMITTED, Row, Source, absent
from .words import EXPLANATIONS, LETTERS, SPECIAL_TEXTS


def records_of(
    rng: random.Random,
    kind: dict[str, str],
    rows: list[Row],
    form: str,
    column_names: list[str],
    native: bool,
    most: int,
) -> list[dict[str, Any]]:
    """Return rows as records, with columns that say nothing of the key beside."""
    question_column = rng.choice(["question", "question", "question", "query", "prompt", "Question", "text"])
    options_column = rng.choice(["options", "options", "choices", "Options"])
    padded = kind["count"] == "varying" and form in {"list", "list as json", "dict"} and rng.random() < 0.3
    if kind["container"] == "parquet":
        filling: list[Any] = [None] if native else ["", None]
    else:
        filling = ["", None, NAN] if kind["container"].startswith("json") else [None]
    blank = rng.choice(filling)
    if form == "list as json" and isinstance(blank, float):
        blank = None
    if kind["count"] == "varying" and form in {"columns", "list", "list as json", "dict"}:
        shown = "NaN" if isinstance(blank, float) else "null or empty cell" if blank is None else '""'
        kind["absent option"] = shown if padded or form == "columns" else "not there"
    extras = [name for name in ("category", "difficulty", "num_options", "image_id", "explanation", "split", "topic")
              if rng.random() < 0.22]  # fmt: skip
    kind["distractors"] = " ".join(extras) or "-"
    split_names = {name: Path(name).stem.split("-")[0] for name in {row.file for row in rows}}
    lower = rng.random() < 0.25
    label = (lambda i: LETTERS[i].lower()) if lower else (lambda i: LETTERS[i])
    text_style = rng.choice(["json", "repr"])
    key_first = rng.random() < 0.15
    records = []
    for row in rows:
        shown: list[Any] = [int(text) if native and text.isdigit() else text for text in row.options]
        full = shown + [blank] * (most - len(shown)) if padded else shown
        record: dict[str, Any] = {}
        if row.source_id is not None and (kind["container"] != "json by id" or kind["id column"] != "id"):
            record[kind["id column"]] = row.source_id
        record[kind["picture column"]] = row.image
        if key_first:
            record[kind["key column"]] = row.key
        record[question_column] = row.question
        if form == "columns":
            record |= {name: shown[i] if i < len(shown) else blank for i, name in enumerate(column_names)}
        elif form != "no options":
            record[options_column] = _options_value(form, full, row.options, label, text_style)
        record.setdefault(kind["key column"], row.key)
        if row.second_key is not OMITTED:
            record[kind["second column"]] = row.second_key
        values = {"category": rng.randint(1, 6), "difficulty": rng.randint(1, 5), "num_options": len(row.options),
                  "image_id": rng.randint(1, 400), "explanation": rng.choice(EXPLANATIONS),
                  "split": split_names[row.file], "topic": rng.choice(["indoors", "outdoors"])}  # fmt: skip
        record |= {name: values[name] for name in extras if name != "num_options" or form != "no options"}
        records.append({name: value for name, value in record.items() if value is not OMITTED})
    return records


def _options_value(form: str, full: list[Any], texts: list[str], label: Callable[[int], str], style: str) -> Any:
    if form == "list":
        return full
    if form == "list as repr":
        return repr(full)
    if form == "list as json":
        return json.dumps(full, ensure_ascii=False)
    if form in {"dict", "dict as text"}:
        named = {label(i): text for i, text in enumerate(full)}
        if form == "dict":
            return named
        return json.dumps(named, ensure_ascii=False) if style == "json" else repr(named)
    if form == "cell A.":
        return " ".join(f"{LETTERS[i]}. {text}" for i, text in enumerate(texts))
    if form == "cell (a)":
        return " ".join(f"({label(i)}) {text}" for i, text in enumerate(texts))
    if form == "cell A)":
        return " ".join(f"{LETTERS[i]}) {text}" for i, text in enumerate(texts))
    if form == "cell lines":
        mark = ". " if style == "json" else ") "
        return "\n".join(f"{LETTERS[i]}{mark}{text}" for i, text in enumerate(texts))
    return "\n".join(texts)


def write_files(rng: random.Random, source: Source, records: list[dict[str, Any]], names: list[str]) -> None:
    """Write the records of each file as its container wants them."""
    kind = source.kind
    style = {"indent": rng.choice([None, 1, 2]), "ascii": rng.random() < 0.5, "mark": rng.random() < 0.25,
             "quote all": rng.random() < 0.3, "line": rng.choice(["\n", "\r\n"])}  # fmt: skip
    special = any(text in SPECIAL_TEXTS for row in source.rows for text in row.options)
    for name in names:
        part = [record for record, row in zip(records, source.rows, strict=True) if row.file == name]
        truths = [row for row in source.rows if row.file == name]
        container = kind["container"]
        if container in {"csv comma", "csv semicolon", "csv tab", "tsv"}:
            quote = style["quote all"] or (special and not _has_plain_text(part))
            delimiter = {"csv comma": ",", "csv semicolon": ";"}.get(container, "\t")
            source.files[name] = _csv(part, delimiter, bool(quote), str(style["line"]), bool(style["mark"]))
        elif container == "xlsx":
            source.files[name] = _xlsx(part)
        elif container == "parquet":
            source.files[name] = _parquet(part, kind)
        elif container.startswith("json lines"):
            lines = [json.dumps(record, ensure_ascii=bool(style["ascii"])) for record in part]
            source.files[name] = ("\n".join(lines) + "\n").encode()
        else:
            data: Any = part
            if container == "json by id":
                data = {str(row.source_id): record for row, record in zip(truths, part, strict=True)}
                assert len(data) == len(part)
            source.files[name] = json.dumps(data, ensure_ascii=bool(style["ascii"]), indent=style["indent"]).encode()


def _has_plain_text(part: list[dict[str, Any]]) -> bool:
    """Whether each column with a text like NA also holds texts that are plainly texts."""
    for name in {name for record in part for name in record}:
        cells = [record.get(name) for record in part]
        if any(cell in SPECIAL_TEXTS for cell in cells if isinstance(cell, str)) and not any(
            isinstance(cell, str) and cell not in SPECIAL_TEXTS and number_of(cell) is None and cell for cell in cells
        ):
            return False
    return True


def _columns(part: Iterable[dict[str, Any]]) -> list[str]:
    names: dict[str, None] = {}
    for record in part:
        names |= dict.fromkeys(record)
    return list(names)


def _csv(part: list[dict[str, Any]], delimiter: str, quote_all: bool, line: str, mark: bool) -> bytes:
    buffer = io.StringIO()
    writer = csv.writer(
        buffer, delimiter=delimiter, lineterminator=line, quoting=csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL
    )
    names = _columns(part)
    writer.writerow(names)
    for record in part:
        writer.writerow(["" if absent(record.get(name)) else record[name] for name in names])
    return buffer.getvalue().encode("utf-8-sig" if mark else "utf-8")


def _xlsx(part: list[dict[str, Any]]) -> bytes:
    book = Workbook()
    book.properties.created = book.properties.modified = datetime(2024, 1, 1)
    sheet = book.active
    names = _columns(part)
    sheet.append(names)
    for record in part:
        sheet.append([None if absent(record.get(name)) else record[name] for name in names])
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def _parquet(part: list[dict[str, Any]], kind: dict[str, str]) -> bytes:
    arrays = {}
    for name in _columns(part):
        values = [record.get(name) for record in part]
        if name == kind["key column"] and kind["key written"] == "float":
            arrays[name] = pa.array([NAN if absent(value) else value for value in values], type=pa.float64())
        elif (
            all(value is None or (isinstance(value, int) and not isinstance(value, bool)) for value in values)
            and any(value is None for value in values)
            and kind["options"] == "columns"
            and kind["option type"] == "number"
            and (name != kind["key column"])
        ):
            arrays[name] = pa.array([NAN if value is None else float(value) for value in values])  # as pandas saves it
        elif all(value is None for value in values):
            arrays[name] = pa.array(values, type=pa.string())
        else:
            arrays[name] = pa.array(values)
    buffer = io.BytesIO()
    pq.write_table(pa.table(arrays), buffer)
    return buffer.getvalue()
