"""The recipe that a plan makes: the text of a file that the browser and `benchwright run` run alike."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.recipe import Recipe

from ...jobs.allowed_folders import AllowedFolders
from .folder_questions import folder_table
from .plan import BenchmarkPlan
from .uploaded_tables import keep_table, table_path

RECIPES = "recipes"
"""Folder of a workspace with the recipes that the browser made."""
_ATTENTION_RATE = 0.1
_ANSWER = "answer"


class PlannedRecipe(NamedTuple):
    """A recipe that a plan makes.

    Attributes:
        text: Text of its file.
        recipe: The recipe, checked as one that is read from a file.
        images: Folder of the photographs; None where a step brings all pictures.
    """

    text: str
    recipe: Recipe
    images: Path | None


def planned_recipe(plan: BenchmarkPlan, workspace: Path, folders: AllowedFolders) -> PlannedRecipe:
    """Return the recipe of a plan; of sorted photographs the table of questions is kept first.

    Args:
        plan: The plan.
        workspace: Folder of the workspace, below which the recipe is to lie.
        folders: Folders that the plan may name.

    Raises:
        BenchwrightError: A folder or table is not there, or the recipe has mistakes.
    """
    place = workspace / RECIPES
    images = folders.folder(plan.folder) if plan.source in {"photographs", "made"} else None
    steps = [*_making(plan, workspace, folders), *_campaigns(plan, folders)]
    recipe = Recipe(plan.name, steps, images=images, folder=place)
    return PlannedRecipe(recipe.to_yaml(), recipe, images)


def table_source(plan: BenchmarkPlan, workspace: Path, folders: AllowedFolders) -> tuple[Path, Path | None] | None:
    """Return the table or release that items are made of, and the folder of its pictures; None without one.

    Raises:
        BenchwrightError: It is not there.
    """
    if plan.source == "table":
        return table_path(workspace, plan.table), folders.folder(plan.pictures) if plan.pictures else None
    if plan.source == "release":
        return folders.folder(plan.release), None
    if plan.source == "folders":
        folder = folders.folder(plan.folder)
        name = keep_table(workspace, f"{plan.name}-photographs.jsonl", folder_table(folder, plan.question))
        return table_path(workspace, name), folder
    return None


def _making(plan: BenchmarkPlan, workspace: Path, folders: AllowedFolders) -> list[Any]:
    """Return the steps that make items."""
    if plan.source == "photographs":
        written = {"step": "write", "task": plan.task, "questions": 1, "options": plan.options}
        return ["exact_duplicates", written, "written_questions"]
    if plan.source == "made":
        return ["exact_duplicates", "jigsaw", "visual_correspondence"]
    found = table_source(plan, workspace, folders)
    assert found is not None, "all other sources are tables and releases"
    path, pictures = found
    below = path.is_relative_to(workspace)
    file = Path(os.path.relpath(path, workspace / RECIPES)).as_posix() if below else str(path)
    items: dict[str, Any] = {"step": "items", "file": file}
    return [items if pictures is None else {**items, "pictures": str(pictures)}, "repeated_options"]


def _campaigns(plan: BenchmarkPlan, folders: AllowedFolders) -> list[dict[str, Any]]:
    """Return the campaign on the items, and that of the human baseline where one is wanted."""
    handout = _handout(plan, folders)
    judged: dict[str, Any] = {"step": plan.kind, "rule": str(plan.rule)}
    if plan.reasons and plan.kind != "review":
        judged["form"] = {"reasons": list(plan.reasons)}
    if plan.guidelines:
        judged["guidelines"] = plan.guidelines
    steps = [{**judged, **({"handout": handout} if handout else {})}]
    if plan.baseline:
        of_all = {name: value for name, value in handout.items() if name != "gold"}
        answered = {"step": _ANSWER, "annotators_per_item": plan.baseline}
        steps.append({**answered, **({"handout": of_all} if of_all else {})})
    return steps


def _handout(plan: BenchmarkPlan, folders: AllowedFolders) -> Mapping[str, Any]:
    handout: dict[str, Any] = {}
    if plan.gold:
        handout["gold"] = str(folders.folder(plan.gold))
    if plan.has_attention:
        handout["attention_rate"] = _ATTENTION_RATE
    if plan.pass_mark is not None:
        handout["qualification"] = {"pass_mark": plan.pass_mark}
    if not plan.has_pause:
        handout["pause"] = None
    if plan.pay.rate:
        handout["pay"] = {"rate": float(plan.pay.rate), "currency": plan.pay.currency}
    return handout
