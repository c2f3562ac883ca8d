"""Open a campaign and assign its tasks; this code is shared by all campaign steps.

The setting `handout` of a campaign in a recipe determines how its tasks are assigned to annotators.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field, field_validator, model_validator

from benchwright.errors import BenchwrightError, DataError, UnreadableImage
from benchwright.images.decode import upright_size
from benchwright.questions.translations import source_text_of
from benchwright.records import ImageRecord, Item
from benchwright.regions import Region, SizeWH
from benchwright.review_files.tasks import SideText
from benchwright.steps import CampaignContext, CampaignStep, Verdicts
from benchwright.texts.normalization import counted

from ...forms.assignment_settings import SETTING, AssignmentSettings
from ...forms.campaign_form import CampaignForm
from ...forms.gold_file import FEW_PRACTICE, LEAST_PRACTICE, GoldLabel
from ...forms.item_part import ItemPart
from ...forms.kinds import ANSWER, COLLECT, REVIEW
from ...forms.payloads import TaskInput, beside_in, item_in, payload_beside, with_sizes
from ...forms.practice_item import PracticeItem, TextBeside
from ...forms.task_content import content_in
from ...simulated.annotators import NOW, SimulatedGroup, simulate
from ...store.campaigns.gold import has_known_answers
from ...store.campaigns.practice import set_practice_items
from ...store.campaigns.revision_requests import newest_inputs, with_unrevised
from ...store.campaigns.set_asides import count_set_aside
from ...store.database.records import Annotation, CampaignStatus
from ...store.review_store import ReviewStore, open_store
from ...workflow.accepted_gold import RIGHT, gold_copies
from ...workflow.attention import CHECKED_KINDS, AttentionChecks
from ...workflow.gold import gold_decision, gold_why, practice_decision
from ...workflow.gold_regions import known_regions
from ...workflow.image_files import ImageFiles
from ...workflow.settlement.closing import check_closes, close_early
from ...workflow.settlement.further_votes import check_further_votes, count_spared
from ...workflow.settlement.marked_regions import compare_regions
from ...workflow.settlement.rules import parse_rule


class AssignedCampaign(CampaignStep):
    """A campaign whose tasks are assigned according to its settings."""

    handout: AssignmentSettings = AssignmentSettings()
    opens_with: str | None = Field(
        None,
        description="Entry of the campaign directly before it, next to which it opens, so that both ask at the same "
        "time. While the other is open, this campaign asks about everything that reached both, but not "
        "about what the other drops. `null` waits until everything before it is decided.",
    )

    only: ItemPart | None = Field(
        None,
        description="Part of the items (or images) to ask about, if several campaigns of one kind divide them: by "
        "`tasks`, `categories`, `attributes` or a `share`; `{}` takes what the parts of earlier campaigns "
        "leave. Records of an earlier part come again only with `again: true`. All other records pass "
        "unchanged. `null` asks about all.",
    )

    @field_validator("only")
    @classmethod
    def _fits_the_stream(cls, value: ItemPart | None) -> ItemPart | None:
        if value is not None and value.names_items and cls.consumes != "items":
            raise ValueError(f"{cls.name!r} looks at {cls.consumes}, which have no tasks, categories or attributes")
        return value

    def asks_about(self, record: Item | ImageRecord, earlier: Sequence[CampaignStep]) -> bool:
        """Return whether a record belongs to the part about which the campaign asks."""
        if self.only is None:
            return True
        others = [one for one in earlier if isinstance(one, AssignedCampaign) and one.name == self.name]
        return self.only.takes_before(record, [one.only for one in others if one.only is not None])

    @property
    def beside(self) -> str | None:
        """Return the entry of the campaign that opens in parallel with this one."""
        return self.opens_with

    @field_validator("handout")
    @classmethod
    def _can_have_this_gold(cls, value: AssignmentSettings) -> AssignmentSettings:
        if value.gold is not None and cls.name == COLLECT:
            raise ValueError(f"{COLLECT!r} takes no gold: the right photograph for a prompt is not known in advance")
        if value.practice is not None and cls.name == COLLECT:
            raise ValueError(
                f"{COLLECT!r} takes no practice items: the right photograph for a prompt is not known in advance"
            )
        if value.practice is not None and cls.consumes != "items" and value.is_practice_of_release:
            raise ValueError(
                f"{value.practice} is a release, which holds items, but {cls.name!r} asks about images; name a CSV "
                "file with the columns item_id and decision"
            )
        if value.gold is not None and cls.consumes != "items" and value.is_gold_of_release:
            raise ValueError(
                f"{value.gold} is a release, which holds items, but {cls.name!r} asks about images; name a CSV file "
                "with the columns item_id and decision"
            )
        return value

    @field_validator("handout")
    @classmethod
    def _can_close_early(cls, value: AssignmentSettings) -> AssignmentSettings:
        check_closes(value, cls.name)
        return value

    @field_validator("handout")
    @classmethod
    def _can_be_passed(cls, value: AssignmentSettings) -> AssignmentSettings:
        of = value.practice_count or FEW_PRACTICE
        if value.qualification is not None and value.qualification.pass_mark > of:
            raise ValueError(
                f"a pass mark of {value.qualification.pass_mark} is out of reach: practice has {counted(of, 'item')}"
            )
        return value

    @field_validator("handout")
    @classmethod
    def _can_tell_gold(cls, value: AssignmentSettings) -> AssignmentSettings:
        if value.gold_from is not None and cls.name not in RIGHT:
            raise ValueError(f"{cls.name!r} takes no `gold_from`; campaigns that accept items do: {', '.join(RIGHT)}")
        if value.gold_feedback and cls.name == ANSWER:
            raise ValueError(f"{ANSWER!r} reveals no answers: it measures how well people do unaided")
        if value.attention_rate is not None and cls.name not in CHECKED_KINDS:
            raise ValueError(f"{cls.name!r} has no attention checks; these campaigns have: {', '.join(CHECKED_KINDS)}")
        return value

    @model_validator(mode="after")
    def _can_spare_votes(self) -> AssignedCampaign:
        rule = getattr(self, "rule", None)
        slots = parse_rule(rule).slots if isinstance(rule, str) else None
        check_further_votes(self.handout, self.name, slots=slots)
        gold_from = self.handout.gold_from
        if gold_from is not None and gold_from.campaign is None and slots is not None and gold_from.votes > slots:
            raise ValueError(
                f"gold_from requires {counted(gold_from.votes, 'vote')} on an item, but {rule} asks for {slots}; set a "
                "smaller `votes`, or name another campaign"
            )
        return self

    def noted(self, verdicts: Verdicts, ctx: CampaignContext) -> Verdicts:
        """Return the verdicts, with votes set aside or saved and checks of annotators added to the summary."""
        further = self.handout.further_votes
        if verdicts.waiting is not None:
            return verdicts
        with open_store(ctx.store_url) as store:
            campaign, checked = store.campaign(ctx.stage), None
            with store.reading() as connection:
                aside = count_set_aside(connection, campaign)
                is_checked = bool(aside) or has_known_answers(connection, campaign)
            if is_checked:
                from ...workflow.pausing import checked_people  # not loaded if there were no checks of annotators

                checked = checked_people(store, campaign)
        if aside:
            verdicts = replace(verdicts, summary={**verdicts.summary, "votes_set_aside": aside})
        if checked is not None:
            verdicts = replace(verdicts, summary={**verdicts.summary, "checked": checked})
        if further is None:
            return verdicts
        with open_store(ctx.store_url) as store:
            sure = count_spared(store, store.campaign(ctx.stage))
        spared = {"closed_sure": sure.tasks, "votes_spared": sure.votes_spared}
        return replace(verdicts, summary={**verdicts.summary, "further_votes": {**further.model_dump(), **spared}})

    def parameters(self) -> dict[str, Any]:
        """Return the settings that determine the result, which exclude those for assigning and opening tasks."""
        settings = super().parameters()
        unset = {"only"} if self.only is None else set()
        return {name: value for name, value in settings.items() if name not in {SETTING, "opens_with", *unset}}


@dataclass(frozen=True)
class CampaignRequest:
    """The settings with which a campaign is opened: form, rule, annotators and assignment of tasks.

    Args:
        kind: Name of the step.
        rule: Rule as recipes and pages write it, such as `unanimous(2)`.
        slots: Number of annotators for each item.
        form: Form of the decisions.
        group: Simulated annotators who decide instead of people; None for human annotators.
        for_whom: Who may take part, if not all annotators; the line about waiting tasks ends with this text.
        handout: Assignment of tasks to human annotators; simulated annotators ignore it.
        settings: Additional settings that are stored with the campaign, as JSON values.
        prepare: Function that stores additional data of the campaign, called with the store and the campaign's name
            before tasks open, in the same transaction; None if there is nothing to store.
    """

    kind: str
    rule: str
    slots: int
    form: CampaignForm
    group: SimulatedGroup | None
    for_whom: str = ""
    handout: AssignmentSettings = field(default_factory=AssignmentSettings)
    settings: Mapping[str, Any] = field(default_factory=dict)
    prepare: Callable[[ReviewStore, str], None] | None = None


class CampaignState(NamedTuple):
    """The state of a campaign.

    Args:
        waiting: One line on the waiting tasks, or None if no tasks wait.
        decisions: All decisions, by item id and slot.
        gold: Known right decisions, by the id of the gold item; annotators' decisions on these items do not count.
    """

    waiting: str | None
    decisions: list[Annotation]
    gold: Mapping[str, str]


def work_of(item: Item) -> TaskInput:
    """Return the task input of an item."""
    return TaskInput(item.item_id, item.content_hash, item.model_dump(mode="json"))


class ItemWork:
    """Task inputs of items, including the size of the first picture if annotators mark regions with their decisions.

    Args:
        form: Form of the campaign.
        workspace: Folder of the workspace.
        shows_source: Whether to show the source text of a translated item next to it; default False.
    """

    def __init__(self, form: CampaignForm, workspace: Path, *, shows_source: bool = False) -> None:
        self._shows_source = shows_source
        self._files = None if form.evidence is None else ImageFiles(workspace)
        self._sizes: dict[str, SizeWH | None] = {}

    def of(self, item: Item) -> TaskInput:
        """Return the task input of an item, which accepts no regions if the item's picture is no longer readable."""
        task_input, size_wh = work_of(item), self.size_wh(item)
        source = source_text_of(item) if self._shows_source else None
        if source is not None:
            beside = SideText(label=source.label, text=source.in_lines())
            task_input = task_input._replace(payload=payload_beside(task_input.payload, [beside]))
        return task_input if size_wh is None else task_input._replace(payload=with_sizes(task_input.payload, [size_wh]))

    def size_wh(self, item: Item) -> SizeWH | None:
        """Return the size in pixels of an item's first picture; None if not needed, or if the picture is unreadable."""
        if self._files is None:
            return None
        image_id = item.images[0].image_id
        if image_id not in self._sizes:
            try:
                self._sizes[image_id] = upright_size(self._files.data(image_id))
            except (DataError, UnreadableImage):
                self._sizes[image_id] = None
        return self._sizes[image_id]


def run_campaign(request: CampaignRequest, task_inputs: Iterable[TaskInput], ctx: CampaignContext) -> CampaignState:
    """Update the campaign's tasks to this input, let any simulated annotators decide, and return the new state."""
    gold: dict[str, str] = {}
    with open_store(ctx.store_url) as store:
        with store.batch() as held:
            open_campaign(held, request, ctx)
            if request.prepare is not None:
                request.prepare(held, ctx.stage)
            practice = OwnPractice(request)
            with held.reading() as connection:
                revisions = newest_inputs(connection, held.campaign(ctx.stage))
            prepared = _prepared_inputs(task_inputs, request, gold, practice, revisions)
            held.upsert_tasks(ctx.stage, chain(with_checks(prepared, request, ctx), gold_copies(held, ctx.stage)))
            practice.keep(held, ctx.stage)
            close_early(held, ctx.stage)
        if request.group is not None:
            simulate(store, ctx.stage, request.group, seed=ctx.seed, stage=ctx.stage, workspace=ctx.workspace)
        compare_regions(store, ctx.stage)
        status = store.status(ctx.stage, now=NOW)
        if status.tasks["open"]:
            return CampaignState(waiting_line(status, ctx) + request.for_whom, [], gold)
        with store.reading() as connection:
            decisions = with_unrevised(connection, store.campaign(ctx.stage), store.decisions(ctx.stage))
        return CampaignState(None, decisions, gold)


def open_campaign(store: ReviewStore, request: CampaignRequest, ctx: CampaignContext) -> None:
    """Open the campaign, or update it to the present request."""
    kept = request.handout.to_json()
    settings = request.group.model_dump(mode="json") if request.group is not None else {SETTING: kept} if kept else {}
    store.upsert_campaign(
        ctx.stage,
        kind=request.kind,
        rule=request.rule,
        slots_per_task=request.slots,
        form=request.form,
        settings={**settings, **request.settings},
        seed=ctx.seed,
        is_simulated=request.group is not None,
    )


def prepared_input(task_input: TaskInput, request: CampaignRequest) -> TaskInput:
    """Return a task input with its priority and known right decision; unchanged for simulated annotators."""
    if request.group is not None:
        return task_input
    right = gold_decision(request.handout, task_input, kind=request.kind, form=request.form)
    item = item_in(task_input.payload)
    names = [task_input.item_id, item.get("task"), item.get("category")]
    # Only prompts are named by their question; items have separate ids, and long questions.
    priority = request.handout.priority(*names, *([item.get("question")] if request.kind == COLLECT else []))
    why = gold_why(request.handout, task_input) if right is not None else None
    label = request.handout.gold_label(task_input.item_id)
    regions = None if right is None or label is None else gold_regions(label, task_input, request)
    return task_input._replace(priority=priority, gold=right, gold_why=why, gold_regions=regions)


def _practised_regions(
    label: GoldLabel | None, task_input: TaskInput, request: CampaignRequest
) -> dict[str, tuple[Region, ...]]:
    """Return the right regions on a practice picture, by field; none if no right regions are stated.

    Raises:
        DataError: The campaign has no such fields, or the picture no such regions.
    """
    if label is None or label.regions is None:
        return {}
    try:
        known = known_regions(label, task_input.payload, request.form, request.settings)
    except (BenchwrightError, ValueError) as error:
        raise DataError(f"{request.handout.practice}: practice item {task_input.item_id}: {error}") from None
    regions = {} if known is None else json.loads(known)["regions"]
    return {name: tuple(Region.model_validate(region) for region in listed) for name, listed in regions.items()}


def gold_regions(label: GoldLabel, task_input: TaskInput, request: CampaignRequest) -> str | None:
    """Return the right regions on a gold picture and their tolerance; None if no right regions are stated.

    Raises:
        DataError: The campaign lacks one of the fields, or a region does not fit the picture.
    """
    place = f"{request.handout.gold}: gold item {task_input.item_id}"
    try:
        return known_regions(label, task_input.payload, request.form, request.settings)
    except (BenchwrightError, ValueError) as error:
        raise DataError(f"{place}: {error}") from None


class OwnPractice:
    """The practice items of a campaign's recipe, which are not tasks and whose decisions are known.

    Args:
        request: Question of the campaign, and the assignment of its tasks.
    """

    def __init__(self, request: CampaignRequest) -> None:
        self._request = request
        self._items: list[PracticeItem] = []

    def takes(self, task_input: TaskInput, gold: dict[str, str]) -> bool:
        """Return whether an item is for practice; if so, also record its known decision in `gold` by item id.

        Raises:
            DataError: No decision on it is known, or none that the campaign accepts.
        """
        request, handout = self._request, self._request.handout
        if request.group is not None or handout.practice is None:
            return False
        if handout.is_practice_of_release and len(self._items) == handout.practice_count:
            return False
        right = practice_decision(handout, task_input, kind=request.kind, form=request.form)
        if right is None:
            return False
        label, content = handout.practice_label(task_input.item_id), content_in(task_input.payload)
        is_reviewed = request.kind == REVIEW
        self._items.append(
            PracticeItem(
                name=task_input.item_id,
                content=content,
                right=("accept",) if is_reviewed else (right,),
                why=(label.why if label is not None else "") or content.explanation or "",
                answers=(right,) if is_reviewed else (),
                beside=tuple(TextBeside.model_validate(text) for text in beside_in(task_input.payload)),
                regions=_practised_regions(label, task_input, request),
            )
        )
        gold[task_input.item_id] = right
        return True

    def keep(self, store: ReviewStore, campaign: str) -> None:
        """Store the items for annotators who practice.

        Raises:
            DataError: The campaign has fewer of them than the number to practice on, or than the number that must be
                right.
        """
        handout, count = self._request.handout, len(self._items)
        least = max(LEAST_PRACTICE, 0 if handout.qualification is None else handout.qualification.pass_mark)
        if self._request.group is None and handout.practice is not None and count < least:
            raise DataError(
                f"{handout.practice}: {count} of its items are among those of campaign {campaign!r}; practice needs "
                f"at least {least} others"
            )
        with store.writing() as connection:
            set_practice_items(connection, store.campaign(campaign), self._items)


def with_checks(
    task_inputs: Iterable[TaskInput], request: CampaignRequest, ctx: CampaignContext
) -> Iterator[TaskInput]:
    """Yield task inputs, and then the campaign's attention checks if its settings ask for any."""
    checks = AttentionChecks(request.kind, request.form, request.handout, seed=ctx.seed)
    for task_input in task_inputs:
        if request.group is None:
            checks.note(task_input)
        yield task_input
    yield from checks.made()


def _prepared_inputs(
    task_inputs: Iterable[TaskInput],
    request: CampaignRequest,
    gold: dict[str, str],
    practice: OwnPractice,
    revisions: Mapping[tuple[str, str], TaskInput],
) -> Iterator[TaskInput]:
    """Yield task inputs prepared for assignment, and record in `gold` the known right decisions, by item id.

    If writers revise their items, the task is the newest of `revisions`.
    """
    for task_input in task_inputs:
        if practice.takes(task_input, gold):
            continue
        out = prepared_input(task_input, request)
        if out.gold is not None:
            gold[out.item_id] = out.gold
        revision = revisions.get((out.item_id, out.content_hash))
        yield out if revision is None else revision._replace(priority=out.priority)


def waiting_line(status: CampaignStatus, ctx: CampaignContext, *, adjudicator: int = 0) -> str:
    """Return one line on the tasks that are waiting, and on how to review them.

    Args:
        status: Progress of the campaign.
        ctx: Context of the campaign.
        adjudicator: Number of items that only an adjudicator can decide now; default 0.
    """
    slots = status.slots["free"] + status.slots["leased"]
    total = status.tasks["open"] + status.tasks["done"]
    where = f"--workspace {shlex.quote(str(ctx.workspace))}"
    campaign = f"--campaign {shlex.quote(ctx.stage)}"
    by_table = f", or export a table with `benchwright review export {where} {campaign} --out tasks.csv`"
    served = f"`benchwright review serve {where}`"
    if adjudicator and not status.tasks["open"]:
        return (
            f"campaign {ctx.stage!r} waits for an adjudicator: {adjudicator} of {counted(total, 'item')} "
            f"undecided under {status.rule}; open the review with {served}"
        )
    return (
        f"campaign {ctx.stage!r} waits for people: {status.tasks['open']} of {counted(total, 'task')} and "
        f"{counted(slots, 'slot')} "
        f"are open under {status.rule}; open the review with {served}{by_table}"
    )
