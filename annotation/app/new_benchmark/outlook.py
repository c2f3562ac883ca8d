"""What a plan will take before anything opens: items, decisions, hours, pay, and the day on which it ends.

Items are counted as the recipe's steps will make them. Seconds of a decision and hours of a day are what the curator
assumes; once people have decided something, *Progress* forecasts the end from what they did.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from math import ceil
from pathlib import Path
from typing import NamedTuple

from benchwright.pipeline.ingest import list_files
from benchwright.pipeline.planning.forecast import forecast
from benchwright.question_files.item_check import check_items
from benchwright.release import Release

from ...jobs.allowed_folders import AllowedFolders
from .plan import BenchmarkPlan
from .planned_recipe import PlannedRecipe, parts_of, table_source, tasks_of_release

_CHECKS = 0.1
"""Share of an annotator's tasks that are attention checks, or gold."""
_CENT = Decimal("0.01")


class PlannedItems(NamedTuple):
    """How many items a plan will have.

    Attributes:
        items: Number of items; of photographs about which people write, one for each.
        left_out: Number of rows that are no items, by reason.
        pictures: Number of photographs about which people write first; 0 for other sources.
        is_estimate: Whether the number was estimated from a sample, or depends on what people write.
        example: The first row that is left out, in words; empty where none is.
        campaigns: Number of items that each of several campaigns asks about, by name; empty where one asks about all.
    """

    items: int
    left_out: Mapping[str, int]
    pictures: int = 0
    is_estimate: bool = False
    example: str = ""
    campaigns: Mapping[str, int] = {}


class Outlook(NamedTuple):
    """What a plan will take.

    Attributes:
        decisions: Number of decisions, checks among them.
        hours: Hours of work of all people together.
        cost: Pay for them, to the cent.
        people_needed: Number of different people that one item needs.
        end: Day on which it ends with the people who are invited; None without any.
        lacking: Number of people that are missing; 0 where they are enough.
    """

    decisions: int
    hours: float
    cost: Decimal
    people_needed: int
    end: date | None
    lacking: int


def planned_items(
    plan: BenchmarkPlan, planned: PlannedRecipe, workspace: Path, folders: AllowedFolders
) -> PlannedItems:
    """Return how many items a plan will have.

    Raises:
        BenchwrightError: What items are made of cannot be read.
    """
    items, tasks = _items_and_tasks(plan, planned, workspace, folders)
    names = list(parts_of(plan, tasks))
    if len(names) < 2:
        return items
    of_task = [tasks[name] for name in sorted(tasks)]
    numbers = of_task if plan.split == "tasks" else [items.items // len(names)] * len(names)
    return items._replace(campaigns=dict(zip(names, numbers, strict=True)))


def _items_and_tasks(
    plan: BenchmarkPlan, planned: PlannedRecipe, workspace: Path, folders: AllowedFolders
) -> tuple[PlannedItems, Mapping[str, int]]:
    """Return how many items a plan will have, and how many of each task."""
    if plan.source == "release":
        release = Release.open(folders.folder(plan.release))
        return PlannedItems(len(release), {}), tasks_of_release(release)
    if (found := table_source(plan, workspace, folders)) is not None:
        document = check_items(found[0], pictures=found[1], keeps_keyless=plan.makes_keys)
        left_out = {**document["no_item"], **document["left_out"]}
        refused = [f"{row['file']}, {row['entry']}: {row['detail']}" for row in document["refused"] if "detail" in row]
        with_key = check_items(found[0], pictures=found[1])["items"] if plan.makes_keys else 0  # asked of nobody
        count = document["items"] - with_key
        items = PlannedItems(count, left_out, example=refused[0] if refused else "")
        return items, document["tasks"]
    assert planned.images is not None, "a plan that names no table names photographs"
    files = list_files(planned.images)
    if plan.source == "photographs":
        return PlannedItems(len(files), {}, pictures=len(files), is_estimate=True), {plan.task: len(files)}
    made = {entry: modes.items for entry, modes in forecast(planned.recipe, planned.images, files) if modes.is_set}
    return PlannedItems(sum(made.values()), {}, is_estimate=True), made


def outlook_of(plan: BenchmarkPlan, planned: PlannedItems, *, today: date) -> Outlook:
    """Return what a plan with so many items will take.

    Args:
        plan: The plan.
        planned: How many items it has.
        today: Today.
    """
    checks = _CHECKS * plan.has_attention + _CHECKS * bool(plan.gold or plan.gold_votes)
    asked = planned.items * (plan.rule.slots + plan.baseline)
    decisions = planned.pictures + ceil(asked / (1 - checks))
    hours = decisions * plan.seconds / 3600
    cost = (Decimal(hours) * plan.pay.rate).quantize(_CENT, ROUND_HALF_UP)
    # Whoever wrote a question, or saw its key, is not asked to answer it.
    needed = plan.rule.slots + plan.baseline + bool(planned.pictures)
    end = None
    if plan.people:
        end = today + timedelta(days=ceil(hours / (len(plan.people) * plan.hours_a_day)))
    return Outlook(decisions, hours, cost, needed, end, max(0, needed - len(plan.people)))
