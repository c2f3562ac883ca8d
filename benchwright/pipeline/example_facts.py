"""A check that a bundled recipe's facts cover the images of its run.

A recipe such as `mm-sap` includes facts about example photographs. On other images it would make items from the few
files with matching names, and ask annotators about them.
"""

from __future__ import annotations

from pathlib import Path

from benchwright.errors import RecipeError
from benchwright.pipeline.ingest import list_files
from benchwright.recipe import Recipe
from benchwright.recipes import companions
from benchwright.texts.normalization import counted

_ENOUGH = 0.5
"""Smallest proportion of the files that the facts must cover; the others may be duplicates or broken downloads."""


def check_facts_fit(recipe: Recipe, path: Path, images: Path) -> None:
    """Reject an image folder that a bundled recipe's facts do not cover.

    Args:
        recipe: The recipe.
        path: Path of its file.
        images: Image folder.

    Raises:
        RecipeError: The facts of a step cover fewer than half of the files.
        BenchwrightError: The folder does not exist or cannot be read.
    """
    name = recipe.header.name
    uris = list_files(images)
    for entry, step in recipe.steps:
        spoken_of = [step.speaks_of(uri) for uri in uris]
        if not uris or None in spoken_of or sum(map(bool, spoken_of)) >= _ENOUGH * len(uris):
            continue
        facts = ", ".join(companion.name for companion in companions(path))
        raise RecipeError(
            f"recipe {name} includes facts about example photographs ({facts}, step {entry!r}), which cover "
            f"{sum(map(bool, spoken_of))} of the {counted(len(uris), 'file')} in {images}; for your own images: "
            f"`benchwright recipes {name} --to FOLDER`, replace the example's facts in FOLDER/{facts} with "
            f"your own, then `benchwright run FOLDER/{path.name} --images {images}`"
        )
