"""The recipe of a plan: the text of a file that the browser and `benchwright run` both accept."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.errors import BenchwrightError
from benchwright.question_files.item_check import check_items
from benchwright.recipe import Recipe
from benchwright.release import Release
from benchwright.texts.normalization import counted

from ...forms.item_part import equal_shares
from ...jobs.allowed_folders import AllowedFolders
from .folder_questions import folder_table, photographs_table
from .plan import BenchmarkPlan
from .uploaded_tables import keep_table, table_path

RECIPES = "recipes"
"""Folder of a workspace with the recipes made in the browser."""
_ATTENTION_RATE = 0.1
_ANSWER, _KEYS = "answer", "keys"
_MADE = ("jigsaw", "visual_correspondence")
_MOST_TASKS = 30


class PlannedRecipe(NamedTuple):
    """The recipe of a plan.

    Attributes:
        text: Text of its file.
        recipe: The recipe, checked like a recipe from a file.
        images: Folder of the photographs; None if a step supplies all pictures.
    """

    text: str
    recipe: Recipe
    images: Path | None


def planned_recipe(plan: BenchmarkPlan, workspace: Path, folders: AllowedFolders) -> PlannedRecipe:
    """Return the recipe of a plan; for sorted photographs, store the table of questions first.

    Args:
        plan: The plan.
        workspace: Folder of the workspace that will hold the recipe.
        folders: Folders that the plan may name.

    Raises:
        BenchwrightError: A folder or table is missing, or the recipe has mistakes.
    """
    place = workspace / RECIPES
    images = folders.folder(plan.folder) if plan.source in {"photographs", "made"} else None
    parts = parts_of(plan, planned_tasks(plan, workspace, folders) if plan.split == "tasks" else {})
    steps = [*_making(plan, workspace, folders), *_campaigns(plan, folders, parts)]
    recipe = Recipe(plan.name, steps, images=images, folder=place)
    return PlannedRecipe(recipe.to_yaml(), recipe, images)


def table_source(plan: BenchmarkPlan, workspace: Path, folders: AllowedFolders) -> tuple[Path, Path | None] | None:
    """Return the table or release with the items and the folder of its pictures, or None if there are no such items.

    Raises:
        BenchwrightError: The table or release is missing.
    """
    if plan.source == "table":
        return table_path(workspace, plan.table), folders.folder(plan.pictures) if plan.pictures else None
    if plan.source == "release":
        return folders.folder(plan.release), None
    if plan.source in {"folders", "asked"}:
        folder, is_asked = folders.folder(plan.folder), plan.source == "asked"
        table = (
            photographs_table(folder, plan.question, plan.choices) if is_asked else folder_table(folder, plan.question)
        )
        name = keep_table(workspace, f"{plan.name}-photographs.jsonl", table)
        return table_path(workspace, name), folder
    return None


def _making(plan: BenchmarkPlan, workspace: Path, folders: AllowedFolders) -> list[Any]:
    """Return the steps that make items."""
    if plan.source == "photographs":
        written = {"step": "write", "task": plan.task, "questions": 1, "options": plan.options}
        return ["exact_duplicates", written, "written_questions"]
    if plan.source == "made":
        return ["exact_duplicates", *_MADE]
    found = table_source(plan, workspace, folders)
    assert found is not None, "all other sources are tables and releases"
    path, pictures = found
    below = path.is_relative_to(workspace)
    file = Path(os.path.relpath(path, workspace / RECIPES)).as_posix() if below else str(path)
    items: dict[str, Any] = {"step": "items", "file": file, **({"keyless": "keep"} if plan.makes_keys else {})}
    return [items if pictures is None else {**items, "pictures": str(pictures)}, "repeated_options"]


def planned_tasks(plan: BenchmarkPlan, workspace: Path, folders: AllowedFolders) -> dict[str, int]:
    """Return the tasks of a plan's items, with the number of items for each task; 0 if unknown.

    Raises:
        BenchwrightError: The source of the items cannot be read.
    """
    if plan.source == "made":
        return dict.fromkeys(_MADE, 0)
    if plan.source == "photographs":
        return {plan.task: 0}
    if plan.source == "release":
        return tasks_of_release(Release.open(folders.folder(plan.release)))
    found = table_source(plan, workspace, folders)
    assert found is not None, "all other sources are tables"
    return dict(check_items(found[0], pictures=found[1], keeps_keyless=plan.makes_keys)["tasks"])


def tasks_of_release(release: Release) -> dict[str, int]:
    """Return the number of items for each task of a release."""
    tasks: Counter[str] = Counter()
    for split in release.manifest.counts.splits.values():
        tasks.update(split.tasks)
    return dict(tasks)


def parts_of(plan: BenchmarkPlan, tasks: Mapping[str, int]) -> dict[str, dict[str, Any] | None]:
    """Return the campaigns that judge the items, by name, each with its part in recipe form, or None for all items.

    The last of several campaigns takes the remaining items, so that it also covers tasks that appear later.

    Args:
        plan: The plan.
        tasks: Tasks of the items.

    Raises:
        BenchwrightError: There are fewer than two tasks or more than thirty.
    """
    name = _KEYS if plan.makes_keys else plan.kind
    if plan.split == "shares":
        return {f"{name}_{number}": part for number, part in enumerate(equal_shares(plan.parts), 1)}
    if plan.split == "one":
        return {name: None}
    if not 2 <= len(tasks) <= _MOST_TASKS:
        raise BenchwrightError(
            f"the questions have {counted(len(tasks), 'task')}; to judge each in a campaign of its own there must be 2 "
            f"to {_MOST_TASKS}"
        )
    *others, last = sorted(tasks)
    return {**{f"{name}_{task}": {"tasks": [task]} for task in others}, f"{name}_{last}": {}}


def _campaigns(
    plan: BenchmarkPlan, folders: AllowedFolders, parts: Mapping[str, dict[str, Any] | None]
) -> list[dict[str, Any]]:
    """Return the campaigns on the items, which open together, and the human-baseline campaign if requested."""
    handout = _handout(plan, folders)
    judged: dict[str, Any] = {"key" if plan.makes_keys else "rule": str(plan.rule)}
    if plan.reasons and plan.kind in {"verify", "screen_items"}:
        judged["form"] = {"reasons": list(plan.reasons)}
    if plan.guidelines:
        judged["guidelines"] = plan.guidelines
    if handout:
        judged["handout"] = handout
    steps: list[dict[str, Any]] = []
    for name, part in parts.items():
        own: dict[str, Any] = {"step": plan.kind}
        own |= {"as": name} if name != plan.kind else {}
        own |= {"only": part} if part is not None else {}
        beside = {"opens_with": steps[-1]["as"]} if steps else {}
        steps.append({**own, **beside, **judged})
    if plan.baseline:
        of_all = {name: value for name, value in handout.items() if name not in {"gold", "gold_from"}}
        answered = {"step": _ANSWER, "annotators_per_item": plan.baseline}
        steps.append({**answered, **({"handout": of_all} if of_all else {})})
    return steps


def _handout(plan: BenchmarkPlan, folders: AllowedFolders) -> Mapping[str, Any]:
    handout: dict[str, Any] = {}
    if plan.gold:
        handout["gold"] = str(folders.folder(plan.gold))
    if plan.gold_votes is not None:
        handout["gold_from"] = {"votes": plan.gold_votes}
    if plan.has_attention:
        handout["attention_rate"] = _ATTENTION_RATE
    if plan.pass_mark is not None:
        handout["qualification"] = {"pass_mark": plan.pass_mark}
    if not plan.has_pause:
        handout["pause"] = None
    if plan.pay.rate:
        handout["pay"] = {"rate": float(plan.pay.rate), "currency": plan.pay.currency}
    return handout
