"""The recipe file of a workspace; a change replaces its text only if the curator saw exactly the present text.

Every replaced text stays in `recipes/before` of the workspace, named by its digest.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from benchwright.canonical import bytes_digest
from benchwright.errors import BenchwrightError
from benchwright.recipe import Recipe, parse_recipe
from benchwright.workspace.atomic import replacing
from benchwright.workspace.private_files import make_private_folder
from benchwright.workspace.written_once import written_once

from ...jobs.recipe_source import recipe_source

_BEFORE = Path("recipes") / "before"


class RecipeFile(NamedTuple):
    """A recipe file as read.

    Attributes:
        path: The file.
        text: Its text.
        images: Folder of the photographs; None if a step supplies all pictures.
    """

    path: Path
    text: str
    images: Path | None

    @property
    def digest(self) -> str:
        """Return the digest of the text, with which a change states the text that it is based on."""
        return bytes_digest(self.text.encode())

    def parsed(self, text: str | None = None) -> Recipe:
        """Return the recipe in the file, or in another text in its place.

        Raises:
            RecipeError: The recipe has a mistake.
        """
        recipe = parse_recipe(self.text if text is None else text, str(self.path), self.path.parent)
        recipe.source = self.path
        return recipe


def read_recipe_file(workspace: Path) -> RecipeFile:
    """Return a workspace's recipe file.

    Raises:
        BenchwrightError: The workspace has no known recipe, or the file is missing or not text.
    """
    source = recipe_source(workspace)
    if source is None:
        raise BenchwrightError("no recipe is known here; begin a new benchmark, or start the app with --recipe FILE")
    try:
        text = source.recipe.read_text(encoding="utf-8")
    except OSError as error:
        raise BenchwrightError(f"recipe {source.recipe} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BenchwrightError(f"recipe {source.recipe} is not UTF-8 text (byte {error.start})") from error
    return RecipeFile(source.recipe, text, source.images)


def write_recipe_file(workspace: Path, file: RecipeFile, text: str) -> None:
    """Replace the file's text with the new text, and keep the old text.

    Raises:
        BenchwrightError: The file has changed in the meantime, or cannot be written.
    """
    if read_recipe_file(workspace) != file:
        raise BenchwrightError("the recipe has changed in the meantime; review it, and make your change again")
    folder = workspace / _BEFORE
    make_private_folder(folder.parent)
    make_private_folder(folder)
    with written_once(folder / f"{file.path.stem}-{file.digest[:16]}.yaml", otherwise="remove it") as draft:
        draft.write_text(file.text, encoding="utf-8")
    with replacing(file.path) as draft:
        draft.write_text(text, encoding="utf-8")
