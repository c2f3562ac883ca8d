"""The recipe and photographs that curators run from the app: those given at the start, or those of the last run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from benchwright.errors import BenchwrightError, DamagedError
from benchwright.pipeline.run import image_folder
from benchwright.recipe import Recipe, load_recipe
from benchwright.recipes import bundled_recipes
from benchwright.workspace.sealed import read_sealed, write_sealed
from benchwright.workspace.store_place import settle_store
from benchwright.workspace.workspace import Workspace

from ..store.review_store import open_store
from .job_records import JobFolder

_FILE = "recipe.json"


class RecipeSource(NamedTuple):
    """The recipe's file and the folder of the photographs."""

    recipe: Path
    images: Path | None
    """None if the recipe's steps supply all pictures."""


def prepare_workspace(workspace: Path | None, recipe: Path, images: Path | None) -> Path:
    """Return a workspace in which the app can run a recipe; a missing workspace or review store is created.

    Args:
        workspace: Folder of the workspace; None for the one that `benchwright run` would use.
        recipe: Recipe's file, or the name of a recipe included in Benchwright.
        images: Folder of the photographs; None for the recipe's own.

    Raises:
        BenchwrightError: The recipe has mistakes, a folder is missing, or the workspace holds other files.
    """
    path = recipe if recipe.exists() else bundled_recipes().get(str(recipe), recipe)
    loaded = load_recipe(path)
    folder = images_of(loaded, images)
    root = workspace or Path("workspaces") / loaded.header.name
    empty_workspace(root)
    set_recipe_source(root, RecipeSource(path, folder))
    return root


def empty_workspace(root: Path) -> None:
    """Create a workspace in which nothing has run yet, and its review store, unless they exist.

    Raises:
        BenchwrightError: The folder holds other files.
    """
    space = Workspace.create(root)
    if not (root / "workspace.json").exists():
        space.save_settings({})
    open_store(settle_store(root)).close()


def images_of(recipe: Recipe, images: Path | None) -> Path | None:
    """Return the folder on which a recipe runs; None if the recipe's steps supply all pictures and no folder is named.

    Raises:
        BenchwrightError: The recipe needs a folder and none is named, or the named one is not a folder.
    """
    if images is None and not recipe.header.images and any(step.brings_pictures for _, step in recipe.steps):
        return None
    folder = image_folder(recipe, images)
    if not folder.is_dir():
        raise BenchwrightError(f"{folder} is not a folder; give that of the photographs with --images")
    return folder


def set_recipe_source(workspace: Path, source: RecipeSource) -> None:
    """Set the recipe and photographs that curators run from the app."""
    jobs = JobFolder(workspace).root
    jobs.mkdir(mode=0o700, exist_ok=True)
    images = None if source.images is None else str(source.images.resolve())
    write_sealed(jobs / _FILE, {"recipe": str(source.recipe.resolve()), "images": images})


def recipe_source(workspace: Path) -> RecipeSource | None:
    """Return the source of the next run: the last one given to the app or that of the last run; None if unknown.

    The files may no longer exist.
    """
    try:
        document = read_sealed(JobFolder(workspace).root / _FILE)
        images = document["images"]
        return RecipeSource(Path(document["recipe"]), None if images is None else Path(images))
    except (OSError, DamagedError, KeyError):
        pass
    for log in sorted(Workspace(workspace).runs.glob("*/run.json"), reverse=True):
        try:
            document = json.loads(log.read_bytes())
        except (OSError, ValueError):
            continue
        if isinstance(document, dict) and document.get("recipe_file"):
            return RecipeSource(Path(document["recipe_file"]), Path(document["images"]).resolve())
    return None
