"""Which recipe and photographs curators run from the app: those that it was started with, or those of the last run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from benchwright.errors import BenchwrightError, DamagedError
from benchwright.pipeline.run import image_folder
from benchwright.recipe import load_recipe
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
    images: Path


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
    folder = image_folder(loaded, images)
    if not folder.is_dir():
        raise BenchwrightError(f"{folder} is no folder; give that of the photographs with --images")
    root = workspace or Path("workspaces") / loaded.header.name
    space = Workspace.create(root)
    if not (root / "workspace.json").exists():
        space.save_settings({})
    open_store(settle_store(root)).close()
    jobs = JobFolder(root).root
    jobs.mkdir(mode=0o700, exist_ok=True)
    write_sealed(jobs / _FILE, {"recipe": str(path.resolve()), "images": str(folder.resolve())})
    return root


def recipe_source(workspace: Path) -> RecipeSource | None:
    """Return what is to be run: what the app was started with last, or what the last run ran; None if neither is known.

    The files may be gone by now.
    """
    try:
        document = read_sealed(JobFolder(workspace).root / _FILE)
        return RecipeSource(Path(document["recipe"]), Path(document["images"]))
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
