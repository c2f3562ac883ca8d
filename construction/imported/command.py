"""The command `construct items`."""

from __future__ import annotations

from pathlib import Path

import click

from benchwright.cli.output import emit, emit_lines, json_option


@click.command("items")
@click.argument(
    "source",
    metavar="SOURCE",
    type=click.Path(exists=True, path_type=Path),
    help="File of questions, a folder of such files, or a release.",
)
@click.option(
    "--pictures", type=click.Path(exists=True, path_type=Path), help="Folder of the pictures, if another one."
)
@click.option("--column", "settings", multiple=True, metavar="FIELD=COLUMN", help="Column of a field; may be repeated.")
@click.option(
    "--columns",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File of columns by field, as --write-columns writes it.",
)
@click.option(
    "--write-columns", "write_to", type=click.Path(path_type=Path), help="New file for the columns that are used."
)
@click.option(
    "--list",
    "lists",
    is_flag=True,
    help="Print a JSON line for each row of the source instead, in its order. An item is {file, row, source_id, split, "
    "task, question, options: [{key, text} or {key, image}], answer: KEY or null, declines: KEY or null, images: "
    "[PATH]}; what is left out is {file, row, source_id, left_out: REASON, detail}. `file` is a path below the source, "
    "and `row` the place of the row or entry in it, counted from 0 (null for a file that cannot be read).",
)
@json_option(
    """
    `{"source", "files": [{"file", "columns": {field: column}, "options": [column], "images": [column],
    "first_answer", "is_binary", "model"}], "looked_into": [{"file", "taken_as", "why"}], "items", "images", "as_texts": {reason: n}, "tasks": {task: n},
    "splits": {split: n}, "replies": {model: n}, "left_out": {reason: n}, "refused": [{"file", "entry", "reason",
    "detail"}]}`; `refused` lists the first 200, and the first of each further reason; `taken_as` is `questions`,
    `keys`, `splits` or `replies`, or null where the file was not taken, and `why` says why; `first_answer` is the number of
    the first option where keys are numbers; `is_binary` says that keys are 1 and 0 for yes and no; `model` is set for
    files of replies; `as_texts` counts questions that are no items and whose words and keys can be checked
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
    as_json: bool,
) -> None:
    """Say how the questions of a benchmark that exists are read, before a recipe takes them in by the step `items`.

    Shown are the columns that were guessed for each field, the numbers of items, images, tasks and splits, and every
    reason why rows are left out, with examples. `--column question=ask` or `--column options=o1,o2,o3` sets a guess
    right, and so does a file (`--columns`), which `--write-columns` writes with the guesses. Nothing else is written.
    """
    from benchwright.question_files.item_check import check_items, check_items_text, read_questions
    from benchwright.question_files.listed_rows import listed_rows
    from benchwright.source_files.item_files import stated_columns

    if lists:
        if as_json or write_to is not None:
            raise click.UsageError("--list prints lines; give it without --json and --write-columns")
        with read_questions(source, pictures=pictures, mapping=stated_columns(settings), columns=columns) as read:
            emit_lines(listed_rows(read.index))
        return
    document = check_items(
        source, pictures=pictures, mapping=stated_columns(settings), columns=columns, write_to=write_to
    )
    emit(document, as_json=as_json, text=lambda: check_items_text(document))
