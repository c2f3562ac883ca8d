"""The command `construct items`."""

from __future__ import annotations

from pathlib import Path

import click

from benchwright.question_files.mapping.readings import READINGS
from benchwright.terminal.output import emit, emit_lines, json_option


@click.command("items")
@click.argument(
    "source",
    metavar="SOURCE",
    type=click.Path(exists=True, path_type=Path),
    help="File of questions, a folder of such files, or a release.",
)
@click.option("--pictures", type=click.Path(exists=True, path_type=Path), help="Folder of the pictures, if separate.")
@click.option(
    "--column",
    "settings",
    multiple=True,
    metavar="FIELD=COLUMN",
    help="Column of a field; may be repeated. Fields: id, question, context, options (a column, or several with "
    "commas), answer, refusal (the option that declines), image, task, category, level, split, group, explanation.",
)
@click.option(
    "--columns",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File of columns by field, as --write-columns writes it.",
)
@click.option("--write-columns", "write_to", type=click.Path(path_type=Path), help="New file for the columns used.")
@click.option(
    "--list",
    "lists",
    is_flag=True,
    help="Print a JSON line for each row of the source instead, in its order. An item is {file, row, source_id, split, "
    "task, question, options: [{key, text} or {key, image}], answer: KEY or null, declines: KEY or null, images: "
    "[PATH]}; a question that is not an item, open or without a key, also has no_item: REASON and stated_answer; "
    "a row left out is {file, row, source_id, left_out: REASON, detail}. `file` and `images` are paths "
    "below the source (pictures in a separate folder: below that one), and `row` is the place of the row or entry in "
    "its file, counted from 0 (null for a file that cannot be read).",
)
@click.option(
    "--explain",
    metavar="ROW",
    help="Explain one row instead: FILE:ROW, or ROW alone if there is one file (from 0), or a question's id. "
    "Prints its fields with the file's own columns and the changes that layouts made, the reading of its key, its "
    "pictures, and why it is left out.",
)
@click.option(
    "--keys",
    type=click.Choice(READINGS),
    help="How keys name options, if the rows leave it open: by letter, by the option's own label, by number from 0 "
    "or from 1, by text, or 1 for yes and 0 for no.",
)
@click.option(
    "--encoding",
    metavar="NAME",
    help="Encoding of tables in text and of JSON, such as cp1252, latin-1, utf-16 or gbk.  [default: UTF-8, or as "
    "detected]",
)
@json_option(
    """
    `{"source", "files": [{"file", "columns": {field: column}, "options": [column], "images": [column],
    "first_answer", "is_binary", "model", "made": {column: [{"from": [column], "by": [words]}]}, "labels": [column],
    "unused": [column], "region": [column]}], "looked_into": [{"file", "taken_as", "why"}],
    "keys": [{"files": [file], "column", "origin", "reading", "is_stated", "keys", "in_words", "other_reading",
    "readings": [{"reading", "valid", "differing", "spread": {letter: n}}],
    "differing": [{"file", "entry", "source_id", "key", "options": {reading: letter}}]}],
    "rows": [{"file", "read", "items", "no_item": {reason: n}, "replies", "left_out": {reason: n}}], "items", "images",
    "as_texts": {reason: n}, "tasks": {task: n}, "splits": {split: n}, "replies": {model: n},
    "notes": [{"file", "note"}], "absent",
    "no_item": {reason: n}, "left_out": {reason: n}, "refused": [{"file", "entry", "reason", "detail"}]}`;
    `refused` lists the first 200, and the first of each further reason; `taken_as` is `questions`, `keys`, `splits`
    or `replies`, or null if the file was not taken, and `why` gives the reason; `keys` describes for each set of files
    with the same columns how keys are read: on how many rows each reading gives an option (`valid`), and an option
    other than that of the chosen reading (`differing`), how many keys are words and read as such (`in_words`), and how
    many rows only another reading could read, so that they are left out (`other_reading`); of each file, the `read`
    rows are `items`, questions with their pictures that are not items (`no_item`: open ones and those without a key),
    or left out, by reason (`reply` for the `replies` of models); `made` names the columns of the file from which a
    layout made a new one, `labels` are columns kept as labels only, `unused` those without a use, `region` a rectangle
    of the picture that is not cut out; `absent` says that nearly all pictures are absent and where they were searched
    for, otherwise null; `first_answer` is the number of the first option if keys are numbers; `is_binary` says
    that keys are 1 and 0 for yes and no; `model` is set for files of replies; `as_texts` counts questions that are not
    items but whose words and keys can be checked. With `--explain`: `{"source", "explained": [{"file", "row",
    "made_by": [words]}], "layouts": [{"name", "reading"}], "labels": [column], "unused": [column], "named_by",
    "key": {"value", "reading", "options": {reading: letter}}, "options",
    "images": [{"picture", "found", "detail"}]}]}`, and for a question `task`,
    `split`, `question`, `answer`, `declines` and `stated_answer`; `named_by` is `place` or `id`: a row may have the
    place that another has as its id
    """
)
def items(
    source: Path,
    pictures: Path | None,
    settings: tuple[str, ...],
    columns: Path | None,
    write_to: Path | None,
    *,
    lists: bool,
    explain: str | None,
    keys: str | None,
    encoding: str | None,
    as_json: bool,
) -> None:
    """Show how Benchwright reads the questions of an existing benchmark, before a recipe uses them with the step
    `items`.

    Prints the columns guessed for each field, the numbers of items, images, tasks and splits, and every reason for
    leaving rows out, with examples; the table of keys shows how well each reading fits all rows. If two readings fit
    and differ, nothing is read until `--keys` chooses one. `--column question=ask` or `--column options=o1,o2,o3`
    corrects a guess, and so does a file (`--columns`), which `--write-columns` writes with the guesses. Writes nothing
    else.
    """
    from benchwright.question_files.explained_row import explained_rows, explained_text
    from benchwright.question_files.item_check import check_items, check_items_text, read_questions
    from benchwright.question_files.listed_rows import listed_rows
    from benchwright.source_files.item_files import stated_columns

    stated = {"keys": keys, "encoding": encoding}
    mapping = stated_columns(settings) | {name: value for name, value in stated.items() if value is not None}
    if explain is not None:
        if lists or write_to is not None:
            raise click.UsageError("--explain shows one row; give it without --list and --write-columns")
        with read_questions(source, pictures=pictures, mapping=mapping, columns=columns) as read:
            rows = explained_rows(read, explain)
        emit({"source": str(source), "explained": rows}, as_json=as_json, text=lambda: explained_text(rows))
        return
    if lists:
        if as_json or write_to is not None:
            raise click.UsageError("--list prints lines; give it without --json and --write-columns")
        with read_questions(source, pictures=pictures, mapping=mapping, columns=columns) as read:
            emit_lines(listed_rows(read.index, read.path_of))
        return
    document = check_items(source, pictures=pictures, mapping=mapping, columns=columns, write_to=write_to)
    emit(document, as_json=as_json, text=lambda: check_items_text(document))
