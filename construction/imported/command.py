"""The command `construct items`."""

from __future__ import annotations

from pathlib import Path

import click

from benchwright.cli.output import emit, json_option


@click.command("items")
@click.argument(
    "source", metavar="SOURCE", type=click.Path(exists=True, path_type=Path), help="File of questions, or a folder."
)
@click.option(
    "--pictures", type=click.Path(exists=True, path_type=Path), help="Folder of the pictures, if another one."
)
@click.option("--column", "columns", multiple=True, metavar="FIELD=COLUMN", help="Column of a field; may be repeated.")
@json_option(
    """
    `{"source", "files": [{"file", "columns": {field: column}, "options": [column], "images": [column],
    "first_answer"}], "items", "images", "tasks": {task: n}, "splits": {split: n}, "left_out": {reason: n},
    "refused": [{"file", "entry", "reason", "detail"}]}`; `refused` lists the first 200; `first_answer` is the number of
    the first option where keys are numbers
    """
)
def items(source: Path, pictures: Path | None, columns: tuple[str, ...], *, as_json: bool) -> None:
    """Say how the questions of a benchmark that exists are read, before a recipe takes them in by the step `items`.

    Shown are the columns that were guessed for each field, the numbers of items, images, tasks and splits, and every
    reason why rows are left out, with examples. `--column question=ask` or `--column options=o1,o2,o3` sets a guess
    right. Nothing is written.
    """
    from benchwright.item_files import stated_columns

    from .item_check import check_items, check_items_text

    document = check_items(source, pictures=pictures, mapping=stated_columns(columns))
    emit(document, as_json=as_json, text=lambda: check_items_text(document))
