"""An explanation of one row of a source: its fields with columns, its key's reading, its pictures, and the outcome."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from benchwright.errors import DataError
from benchwright.records import LETTERS
from benchwright.source_files.rows import BadRow, Row

from .indexed_rows import IndexedRow
from .item_check import ReadQuestions
from .keys.key_reading import READING_WORDS, all_places, key_text, stated_keys
from .mapping.own_columns import Origin, file_columns, origin_of, shown_name
from .mapping.readings import READINGS, KnownKey
from .question_files import QuestionFile
from .question_rows import pictures_of, stated_key
from .questions.asked_question import YES_NO, AskedQuestion

_MOST_ROWS = 10
_SHOWN = 200
"""Largest number of characters of a cell that are shown."""


def explained_rows(read: ReadQuestions, which: str) -> list[dict[str, Any]]:
    """Return a document for each row that a text identifies.

    Args:
        read: The source.
        which: `FILE:ROW`, or `ROW` alone if the source has one file, counted from 0; or the id of a question.

    Raises:
        DataError: No row has this name.
    """
    file, colon, number = which.rpartition(":")
    files = {row.file for row in read.index.row_counts()}
    named: list[tuple[IndexedRow, str]] = []
    for row in read.index.rows():
        is_place = number.isdecimal() and row.position == int(number)
        is_file = row.file == file or row.file.endswith(f"/{file}") if colon else len(files) == 1
        is_named = is_place and is_file and row.position is not None
        if is_named or row.source_id == which:
            named.append((row, "place" if is_named else "id"))
            if len(named) == _MOST_ROWS:
                break
    if not named:
        rows = ", ".join(f"{row.file} has {row.read:,}" for row in read.index.row_counts()[:5])
        raise DataError(
            f"no row of the source is {which!r}: give FILE:ROW with the row counted from 0, such as "
            f"{min(files, default='questions.csv')}:0, or the id of a question; rows: {rows or 'none'}"
        )
    return [{**_explained(read, row), "named_by": by} for row, by in named]


def _explained(read: ReadQuestions, row: IndexedRow) -> dict[str, Any]:
    document: dict[str, Any] = {
        "file": row.file, "row": row.position, "entry": row.entry, "source_id": row.source_id,
        "left_out": None if row.is_no_item else row.reason, "no_item": row.reason if row.is_no_item else None,
        "detail": row.detail, "fields": [], "layouts": [], "labels": [], "unused": [], "key": None, "options": [],
        "images": [],
    }  # fmt: skip
    file = next((file for file in read.files if file.path == row.file), None)
    raw = None if file is None else next(_raw(read, file, row), None)
    if file is not None and raw is not None:
        document["fields"] = _fields(file, raw)
        document["layouts"] = [{"name": step.by, "reading": step.reading} for step in raw.made if step.reading]
        labels, unused = file_columns([raw]).others(file.columns)
        document |= {"labels": list(labels), "unused": list(unused)}
        asked = None if row.question is None else row.question.question
        document["key"] = _key(file, raw.document, asked)
        document["images"] = _searched(read, file, raw)
    if row.question is not None:
        question, names = row.question.question, row.question.names
        document |= {"task": question.task, "split": question.split, "question": question.ask}
        document["options"] = [
            {"key": key, "text": option}
            if isinstance(option, str)
            else {"key": key, "image": read.path_of(names[option])}
            for key, option in zip(LETTERS, question.options, strict=False)
        ]
        document["answer"] = None if question.answer is None else LETTERS[question.answer]
        document["declines"] = None if question.refusal is None else LETTERS[question.refusal]
        document["stated_answer"] = question.stated_answer
        absent = {picture.name: picture.detail for picture in read.index.absent()}
        document["images"] = [
            {"picture": read.path_of(name), "found": image_id is not None, "detail": absent.get(name, "")}
            for name, image_id in zip(names, row.question.image_ids, strict=True)
        ]
    return document


def _raw(read: ReadQuestions, file: QuestionFile, row: IndexedRow) -> Iterator[Row]:
    """Yield the row as read, with the changes from its file's columns to the row's own columns."""
    for each in read.source.rows(file):
        if isinstance(each, Row) and each.position == row.position and each.entry == row.entry:
            yield each


def _fields(file: QuestionFile, row: Row) -> list[dict[str, Any]]:
    """Return, for each field, its column in the plain row, the file's columns, and the change that produced it."""
    several = {"options": file.columns.options, "image": file.columns.images}
    places = [*file.columns.fields.items(), *((field, c) for field, columns in several.items() for c in columns)]
    fields = []
    for field, column in places:
        origin = origin_of(row, column) if column in row.document else Origin(())
        told = {"from": list(origin.columns), "made_by": list(origin.made_by)}
        fields.append({"field": field, "column": column, "value": _shown(row.document.get(column)), **told})
    return fields


def _shown(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, KnownKey):
        value = value.value
    text = f"{len(value):,} bytes" if isinstance(value, bytes) else str(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}... ({len(text):,} characters)"


def _key(file: QuestionFile, document: Mapping[str, Any], asked: AskedQuestion | None) -> dict[str, Any] | None:
    """Return the key that the row states, how it was read, and the option that it names under every reading.

    If the row has no options, the options of its question are used; there are some if the key is yes or no.
    """
    try:
        key = stated_key(document, file.columns)
        if key is None:
            return None
        reading = file.reading
        if not key.texts and asked is not None and asked.kind == "yes_no":
            key, reading = key._replace(texts=YES_NO, names=()), "yes_no" if file.is_binary else "text"
        if isinstance(key.value, KnownKey):
            key, reading = key._replace(value=key.value.value), key.value.reading
        places = dict(zip(READINGS, all_places(key), strict=True))
        text = ", ".join(map(key_text, stated_keys(key)))
    except BadRow as error:
        return {"value": str(error), "reading": file.reading, "options": {}}
    options = {
        name: "+".join(LETTERS[p] for p in (place if isinstance(place, tuple) else (place,)))
        for name, place in places.items()
        if place is not None
    }
    return {"value": text, "reading": reading, "options": options}


def _searched(read: ReadQuestions, file: QuestionFile, row: Row) -> list[dict[str, Any]]:
    """Return the location of each picture of a row, or why it is missing."""
    try:
        pictures = pictures_of(row.document, file.columns, file.picture_cells)
    except BadRow as error:
        return [{"picture": None, "found": False, "detail": str(error)}]
    found = []
    for number, picture in enumerate(pictures, start=1):
        place = f"{file.path}: {row.entry}, picture {number}"
        try:
            _, _, name = read.pictures.found_picture(picture, file=file.path, place=place)
            found.append({"picture": read.path_of(name), "found": True, "detail": ""})
        except BadRow as error:
            found.append({"picture": picture.path or place, "found": False, "detail": str(error)})
    return found


def explained_text(rows: list[dict[str, Any]]) -> str:
    """Return explained rows as text."""
    several = {row["named_by"] for row in rows} == {"place", "id"}
    told = (f"named by its {row['named_by']}:\n" if several else "" for row in rows)
    return "\n\n".join(by + "\n".join(_lines(row)) for by, row in zip(told, rows, strict=True))


def _lines(row: Mapping[str, Any]) -> Iterator[str]:
    yield f"{row['file']}, {row['entry']} (row {row['row']}), id {row['source_id']}"
    yield from _field_lines(row)
    if row.get("task"):
        yield f"  task: {row['task']}; split: {row['split'] or 'none stated'}"
    for option in row["options"]:
        yield f"  option {option['key']}: {option.get('text', option.get('image'))}"
    if (key := row["key"]) is not None:
        yield from _key_lines(row, key)
    for image in row["images"]:
        yield f"  picture {image['picture']}: {'found' if image['found'] else image['detail']}"
    if not row["images"]:
        yield "  no picture is named"
    if row["left_out"]:
        yield f"  left out, {row['left_out']}: {row['detail']}"
    elif row["no_item"]:
        yield f"  a question that is not an item, {row['no_item']}: {row['detail']}"
    else:
        declines = f"; option {row['declines']} declines" if row.get("declines") else ""
        yield f"  an item; its key is {row['answer'] or 'none of the options'}{declines}"


def _key_lines(row: Mapping[str, Any], key: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines on the reading of a row's key, and on the option that it names under each reading."""
    if "question" in row and not row["options"]:
        yield f"  key {key['value']!r}: the row has no options that it could name"
        return
    reading = "no reading fits the source" if key["reading"] is None else f"read as {READING_WORDS[key['reading']]}"
    yield f"  key {key['value']!r}, {reading}:"
    for name, option in key["options"].items():
        chosen = ", the reading that is used" if name == key["reading"] else ""
        yield f"    as {READING_WORDS[name]} (--keys {name}): option {option}{chosen}"
    if not key["options"]:
        yield "    no option under any reading"


def _field_lines(row: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines on the origin of each field, the results of layouts, and the columns that no field uses."""
    for field in row["fields"]:
        value = "nothing" if field["value"] is None else repr(field["value"])
        origin = Origin(tuple(field["from"]), tuple(field["made_by"]))
        if origin.columns or origin.made_by:
            yield f"  {field['field']} {'' if origin.made_by else 'from '}{origin}: {value}"
        else:
            yield f"  {field['field']}: this row has none"
    for layout in row["layouts"]:
        yield f"  {layout['name']}: {layout['reading']}"
    for words, names in (("kept as labels only", row["labels"]), ("not used", row["unused"])):
        if names:
            yield f"  {words}: {', '.join(map(shown_name, names))}"
