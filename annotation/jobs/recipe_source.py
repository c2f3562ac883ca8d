"""Which recipe and photographs curators run from the app: those that it was started with, or those of the last run."""

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
    """None where the recipe's steps bring all pictures."""


def prepare_workspace(workspace: Path | None, recipe: Path, images: Path | None) -> Path:
    """Return a workspace in which a recipe can be run from the app; it and its review store are made if missing.

    Args:
        workspace: Folder of the workspace; None for the one that `benchwright run` would take.
        recipe: Recipe's file, or the name of a recipe that comes along.
        images: Folder of the photographs; None for the recipe's own.

    Raises:
        BenchwrightError: The recipe has mistakes, there is no such folder, or the workspace holds other things.
    """
    path = recipe if recipe.exists() else bundled_recipes().get(str(recipe), recipe)
    loaded = load_recipe(path)
    folder = images_of(loaded, images)
    root = workspace or Path("workspaces") / loaded.header.name
    empty_workspace(root)
    set_recipe_source(root, RecipeSource(path, folder))
    return root


def empty_workspace(root: Path) -> None:
    """Make a workspace and its review store, as far as they are missing, in which nothing has run yet.

    Raises:
        BenchwrightError: The folder holds other things.
    """
    space = Workspace.create(root)
    if not (root / "workspace.json").exists():
        space.save_settings({})
    open_store(settle_store(root)).close()


def images_of(recipe: Recipe, images: Path | None) -> Path | None:
    """Return the folder that a recipe runs on; None where its steps bring all pictures and nobody names one.

    Raises:
        BenchwrightError: It needs a folder and none is named, or what is named is none.
    """
    if images is None and not recipe.header.images and any(step.brings_pictures for _, step in recipe.steps):
        return None
    folder = image_folder(recipe, images)
    if not folder.is_dir():
        raise BenchwrightError(f"{folder} is no folder; give that of the photographs with --images")
    return folder


def set_recipe_source(workspace: Path, source: RecipeSource) -> None:
    """Set what curators run from the app."""
    jobs = JobFolder(workspace).root
    jobs.mkdir(mode=0o700, exist_ok=True)
    images = None if source.images is None else str(source.images.resolve())
    write_sealed(jobs / _FILE, {"recipe": str(source.recipe.resolve()), "images": images})


def recipe_source(workspace: Path) -> RecipeSource | None:
    """Return what is to be run: what the app was started with last, or what the last run ran; None if neither is known.

    The files may be gone by now.
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
