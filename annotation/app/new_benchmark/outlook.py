"""The forecast for a plan before it opens: items, decisions, hours, pay, and the day on which it ends.

Items are counted as the recipe's steps will make them. The curator assumes the seconds per decision and the hours per
day; after the first decisions, *Progress* forecasts the end from the annotators' actual pace.
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
"""Proportion of attention checks, and of gold items, among an annotator's tasks."""
_CENT = Decimal("0.01")


class PlannedItems(NamedTuple):
    """The number of items in a plan.

    Attributes:
        items: Number of items; one for each photograph if annotators write the questions.
        left_out: Number of rows that are not items, by reason.
        pictures: Number of photographs about which annotators write questions first; 0 for other sources.
        is_estimate: Whether the number is estimated from a sample, or depends on the annotators' questions.
        example: Description of the first row left out; empty if none is.
        campaigns: Number of items in each of several campaigns, by name; empty for a single campaign.
    """

    items: int
    left_out: Mapping[str, int]
    pictures: int = 0
    is_estimate: bool = False
    example: str = ""
    campaigns: Mapping[str, int] = {}


class Outlook(NamedTuple):
    """The forecast cost and time of a plan.

    Attributes:
        decisions: Number of decisions, including checks.
        hours: Hours of work of all annotators together.
        cost: Pay for these hours, rounded to cents.
        people_needed: Number of different annotators required for each item.
        end: Day on which it ends with the invited annotators, or None if that cannot be computed.
        lacking: Number of missing annotators; 0 if there are enough.
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
    """Return the number of items in a plan.

    Raises:
        BenchwrightError: The source of the items cannot be read.
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
    """Return the number of items in a plan, in total and by task."""
    if plan.source == "release":
        release = Release.open(folders.folder(plan.release))
        return PlannedItems(len(release), {}), tasks_of_release(release)
    if (found := table_source(plan, workspace, folders)) is not None:
        document = check_items(found[0], pictures=found[1], keeps_keyless=plan.makes_keys)
        left_out = {**document["no_item"], **document["left_out"]}
        refused = [f"{row['file']}, {row['entry']}: {row['detail']}" for row in document["refused"] if "detail" in row]
        with_key = check_items(found[0], pictures=found[1])["items"] if plan.makes_keys else 0  # not given out
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
    """Return the forecast for a plan with these items.

    Args:
        plan: The plan.
        planned: The number of its items.
        today: Current date.
    """
    checks = _CHECKS * plan.has_attention + _CHECKS * bool(plan.gold or plan.gold_votes)
    asked = planned.items * (plan.rule.slots + plan.baseline)
    decisions = planned.pictures + ceil(asked / (1 - checks))
    hours = decisions * plan.seconds / 3600
    cost = (Decimal(hours) * plan.pay.rate).quantize(_CENT, ROUND_HALF_UP)
    # An annotator who wrote a question, or saw its key, does not get it to answer.
    needed = plan.rule.slots + plan.baseline + bool(planned.pictures)
    end = None
    if plan.people:
        end = today + timedelta(days=ceil(hours / (len(plan.people) * plan.hours_a_day)))
    return Outlook(decisions, hours, cost, needed, end, max(0, needed - len(plan.people)))
