"""Recipes that adapt to an image folder: the run omits steps that lack an input, and reports them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from benchwright.recipe import Recipe
from benchwright.steps import Step


class LeftOutStep(NamedTuple):
    """A step of a recipe that a run omits.

    Args:
        step: Entry of the step in the recipe.
        lacks: The missing input, and how to provide it.
    """

    step: str
    lacks: str


class FittedRecipe(NamedTuple):
    """A recipe adapted to a folder.

    Args:
        recipe: The recipe, with the steps that can run.
        left_out: The omitted steps, in the recipe's order.
    """

    recipe: Recipe
    left_out: tuple[LeftOutStep, ...]


def fitted_to(recipe: Recipe, folder: Path | None) -> FittedRecipe:
    """Return a recipe in the form in which it runs over an image folder.

    Args:
        recipe: The recipe; unless its header sets `fitted`, all steps are kept except those that it lists as
            `optional`.
        folder: Image folder; None if steps bring all pictures.
    """
    kept: dict[str, Step] = {}
    left_out: list[LeftOutStep] = []
    header = recipe.header
    for entry, step in recipe.steps:
        placed = step if folder is None else step.in_folder(folder)
        lacks = placed.lacks(kept) if header.fitted or entry in header.optional else None
        if lacks is None:
            kept[entry] = placed
        else:
            left_out.append(LeftOutStep(entry, lacks))
    is_as_written = not (header.fitted or header.optional) and all(kept[entry] is step for entry, step in recipe.steps)
    return FittedRecipe(recipe if is_as_written else recipe.with_steps(kept), tuple(left_out))
