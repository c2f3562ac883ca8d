"""Tables of questions from the HTTP API: each is an additional file in the folder read by the recipe's step `items`.

The table is first read as the step reads it; a table that yields no item is refused, and nothing is written. The file's
name is derived from its content, so adding the same table twice results in one file, and no existing file is
overwritten. The recipe determines what happens to the questions: the next run makes items from them.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from benchwright.canonical import bytes_digest
from benchwright.errors import BenchwrightError
from benchwright.question_files.item_check import check_items
from benchwright.recipe import load_recipe
from benchwright.workspace.written_once import written_once

from .recipe_source import RecipeSource, recipe_source

_ITEMS = "items"


class AddedTable(NamedTuple):
    """An accepted table.

    Args:
        file: Name of its file in the folder.
        items: Number of items that the step makes from it.
        left_out: Number of rows without an item, by reason.
        source: Recipe and photographs of the run that uses it.
    """

    file: str
    items: int
    left_out: dict[str, int]
    source: RecipeSource


def add_table(workspace: Path, data: bytes) -> AddedTable:
    """Accept a CSV table of questions.

    Args:
        workspace: Folder of the workspace.
        data: The table, as bytes.

    Raises:
        BenchwrightError: No recipe is known, none of its steps reads a folder of questions, or the table yields no
            item; the message gives the reason.
    """
    source = recipe_source(workspace)
    if source is None or not source.recipe.is_file():
        raise BenchwrightError("no recipe is known here; start the app with `review serve --recipe FILE`")
    folder, step = _folder_of(source.recipe)
    with TemporaryDirectory() as place:
        name = f"added-{bytes_digest(data)[:16]}.csv"
        table = Path(place) / name
        table.write_bytes(data)
        base, is_file = source.recipe.parent, isinstance(step.mapping, str)
        mapping, columns = (None, base / step.mapping) if is_file else (step.mapping, None)
        pictures = folder if step.pictures is None else base / step.pictures
        try:
            document = check_items(table, pictures=pictures, mapping=mapping, columns=columns)
        except BenchwrightError as error:
            raise BenchwrightError(str(error).replace(str(table), "the table")) from None
    if not document["items"]:
        reasons = ", ".join(f"{name} {count}" for name, count in _left_out(document).items())
        raise BenchwrightError(f"the table yields no items: {reasons or 'it has no rows'}")
    with written_once(folder / name, otherwise="send it again") as draft:
        draft.write_bytes(data)
    return AddedTable(name, int(document["items"]), _left_out(document), source)


def _folder_of(recipe: Path) -> tuple[Path, Any]:
    """Return the folder that the first step `items` with a folder reads, and the step, which is in another package."""
    steps = [step for _, step in load_recipe(recipe).steps if step.name == _ITEMS]
    for step in steps:
        folder = recipe.parent / str(step.file)  # type: ignore[attr-defined] # a setting of the step `items`
        if folder.is_dir() and not (folder / "manifest.json").exists():
            return folder, step
    what = "has no step `items`" if not steps else "reads its questions from a file or a release"
    raise BenchwrightError(f"{recipe.name} {what}; tables are added where a step `items` names a folder as its `file`")


def _left_out(document: dict[str, Any]) -> dict[str, int]:
    return {str(name): int(count) for part in ("no_item", "left_out") for name, count in document[part].items()}
