"""Asking people about items: what every campaign step does, whatever its question.

A campaign of a recipe also says how its tasks go out to people (`handout`).
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pydantic import field_validator

from benchwright.records import Item
from benchwright.steps import CampaignContext, CampaignStep

from ..forms.assignment_settings import SETTING, AssignmentSettings
from ..forms.campaign_form import CampaignForm
from ..forms.kinds import COLLECT, REVIEW
from ..forms.payloads import TaskInput, item_in
from ..simulated.annotators import NOW, SimulatedGroup, simulate
from ..store import Annotation, CampaignStatus, ReviewStore, open_store
from ..workflow.closing import check_closes, close_decided
from ..workflow.gold import known_right


class AssignedCampaign(CampaignStep):
    """A campaign whose tasks are handed out as its settings say."""

    handout: AssignmentSettings = AssignmentSettings()

    @field_validator("handout")
    @classmethod
    def _can_have_this_gold(cls, value: AssignmentSettings) -> AssignmentSettings:
        if value.gold is not None and cls.name == COLLECT:
            raise ValueError(f"{COLLECT!r} takes no gold: nobody knows beforehand which photograph a prompt gets")
        if value.gold is not None and cls.consumes != "items" and value.is_gold_of_release:
            raise ValueError(
                f"{value.gold} is a release, which knows items, and {cls.name!r} looks at images; name a CSV file with "
                "the columns item_id and decision"
            )
        return value

    @field_validator("handout")
    @classmethod
    def _can_close_early(cls, value: AssignmentSettings) -> AssignmentSettings:
        check_closes(value, cls.name)
        return value

    def parameters(self) -> dict[str, Any]:
        """Return the settings that decide the result; how tasks go out does not."""
        return {name: value for name, value in super().parameters().items() if name != SETTING}


@dataclass(frozen=True)
class CampaignRequest:
    """What a campaign asks, and of how many.

    Args:
        kind: Name of the step.
        rule: As people read it, such as `unanimous(2)`.
        slots: Annotators that each item takes.
        form: What annotators can say.
        group: Simulated annotators instead of people.
        for_whom: Who may take part, where that is not everybody; ends the line that says what waits.
        handout: How tasks go out; simulated annotators take them all the same way.
    """

    kind: str
    rule: str
    slots: int
    form: CampaignForm
    group: SimulatedGroup | None
    for_whom: str = ""
    handout: AssignmentSettings = field(default_factory=AssignmentSettings)


class CampaignState(NamedTuple):
    """Where a campaign stands.

    Args:
        waiting: One line on what waits for people; None where nothing does.
        decisions: All of them, by item id and slot.
        gold: The decision that is known to be right, by id of each gold item; nobody else's counts for these.
    """

    waiting: str | None
    decisions: list[Annotation]
    gold: Mapping[str, str]


def work_of(item: Item) -> TaskInput:
    """Return an item as a campaign takes it in."""
    return TaskInput(item.item_id, item.content_hash, item.model_dump(mode="json"))


def run_campaign(asking: CampaignRequest, work: Iterable[TaskInput], ctx: CampaignContext) -> CampaignState:
    """Bring the campaign's tasks up to this work, let simulated annotators decide if there are any, and look."""
    gold: dict[str, str] = {}
    with open_store(ctx.store_url) as store:
        with store.batch() as held:
            open_campaign(held, asking, ctx)
            held.upsert_tasks(ctx.stage, _all_handed(work, asking, gold))
            close_decided(held, ctx.stage)
        if asking.group is not None:
            simulate(store, ctx.stage, asking.group, seed=ctx.seed, stage=ctx.stage, workspace=ctx.workspace)
        status = store.status(ctx.stage, now=NOW)
        if status.tasks["open"]:
            return CampaignState(waiting_line(status, ctx) + asking.for_whom, [], gold)
        return CampaignState(None, store.decisions(ctx.stage), gold)


def open_campaign(store: ReviewStore, asking: CampaignRequest, ctx: CampaignContext) -> None:
    """Open the campaign, or bring it up to what is asked now."""
    kept = asking.handout.kept()
    settings = asking.group.model_dump(mode="json") if asking.group is not None else {SETTING: kept} if kept else {}
    store.upsert_campaign(
        ctx.stage, kind=asking.kind, rule=asking.rule, slots_per_task=asking.slots, form=asking.form,
        settings=settings, seed=ctx.seed, is_simulated=asking.group is not None,
    )  # fmt: skip


def handed(work: TaskInput, asking: CampaignRequest) -> TaskInput:
    """Return work with its priority and what is known of it; as it is where simulated annotators take it."""
    if asking.group is not None:
        return work
    right = known_right(asking.handout, work, kind=asking.kind, form=asking.form)
    item = item_in(work.payload)
    names = [work.item_id, item.get("task"), item.get("category")]
    # What is asked tells prompts apart, and nothing else: items have their own ids, and long questions.
    priority = asking.handout.priority(*names, *([item.get("question")] if asking.kind == COLLECT else []))
    return work._replace(priority=priority, gold=right)


def _all_handed(work: Iterable[TaskInput], asking: CampaignRequest, gold: dict[str, str]) -> Iterator[TaskInput]:
    """Yield work as it is handed out, and note what is known of it by item id."""
    for one in work:
        out = handed(one, asking)
        if out.gold is not None:
            gold[out.item_id] = out.gold
        yield out


def waiting_line(status: CampaignStatus, ctx: CampaignContext, *, adjudicator: int = 0) -> str:
    """Return in one line what waits for people, and how they review it.

    Args:
        status: Where the campaign stands.
        ctx: Of the campaign.
        adjudicator: Items that only an adjudicator can decide now.
    """
    slots = status.slots["free"] + status.slots["leased"]
    total = status.tasks["open"] + status.tasks["done"]
    where = f"--workspace {shlex.quote(str(ctx.workspace))}"
    campaign = f"--campaign {shlex.quote(ctx.stage)}"
    by_table = f", or go by way of a table with `benchwright review export {where} {campaign} --out tasks.csv`"
    served = f"`benchwright review serve {where}`"
    if adjudicator and not status.tasks["open"]:
        return (
            f"campaign {ctx.stage!r} waits for an adjudicator: {adjudicator} of {total} items are undecided under "
            f"{status.rule}; open the review with {served}"
        )
    return (
        f"campaign {ctx.stage!r} waits for people: {status.tasks['open']} of {total} tasks and {slots} slots "
        f"are open under {status.rule}; open the review with {served}{'' if status.kind == REVIEW else by_table}"
    )
