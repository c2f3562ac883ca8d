"""Agreement of the annotators of `mark`: their regions are compared task by task, and the result is stored.

A comparison needs the regions themselves; settling, counting and queues need only whether they agree. So a task's
regions are compared in the transaction of the decision that may settle it, or in a run for decisions from elsewhere,
and `settlement` uses the stored result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchwright.canonical import digest
from benchwright.regions import Region, SizeWH

from ...agreement.region_consensus import RegionConsensus, consensus_of
from ...agreement.region_matching import FieldMarks, Marks, RegionTolerance
from ...forms.campaign_form import CampaignForm
from ...forms.kind_forms.marking import MARKED, UNSURE
from ...forms.kinds import MARK
from ...forms.payloads import sizes_in
from ...store.campaigns.adjudications import list_adjudicated
from ...store.campaigns.decisions import list_decisions
from ...store.campaigns.marked_tasks import MarkedTask, note_compared, tasks_among, uncompared_tasks
from ...store.database.records import Annotation, Campaign
from ...store.review_store import ReviewStore
from .revisions import by_version
from .rounds import NOBODY, in_count
from .rules import parse_rule
from .settle import policy_of

AGREEMENT = "agreement"
"""Key in a campaign's settings for the required similarity of regions."""
_AT_ONCE = 500


def tolerance_of(campaign: Campaign) -> RegionTolerance:
    """Return the similarity that regions need in a campaign to count as the same."""
    return RegionTolerance.model_validate(campaign.settings.get(AGREEMENT, {}))


def regions_in(form: CampaignForm, fields: Mapping[str, Any] | None) -> FieldMarks:
    """Return the regions in the values of a form, by field."""
    typed, values = form.typed, fields or {}
    if typed is None:
        return {}
    return {
        field.name: [Region.model_validate(region) for region in values.get(field.name, ())]
        for field in typed.region_fields
    }


def marks_in(form: CampaignForm, annotations: Sequence[Annotation]) -> Marks:
    """Return each annotator's marks, empty for those who found nothing; annotators who could not tell are omitted."""
    return {
        annotation.annotator: regions_in(form, annotation.fields if annotation.decision == MARKED else None)
        for annotation in annotations
        if annotation.decision != UNSURE
    }


def consensus_in(campaign: Campaign, annotations: Sequence[Annotation], sizes_wh: Sequence[SizeWH]) -> RegionConsensus:
    """Return the regions on which the annotators of a task agree, according to the decisions that count."""
    need = parse_rule(campaign.rule).need
    marks = marks_in(campaign.form, annotations)
    return consensus_of(marks, sizes_wh=sizes_wh, need=need, tolerance=tolerance_of(campaign))


def compare_regions(store: ReviewStore, name: str | Campaign, *, task: int | None = None) -> int:
    """Compare the regions in tasks that all their annotators have decided; return how many tasks were compared.

    Safe to repeat: tasks that have no new decisions, under unchanged settings, are left as they are.

    Args:
        store: The review store.
        name: The campaign, or its name; other kinds are left alone.
        task: Id of the only task to look at; default None, all tasks.
    """
    campaign = store.campaign(name) if isinstance(name, str) else name
    if campaign.kind != MARK:
        return 0
    settings = digest([campaign.rule, tolerance_of(campaign).model_dump(mode="json")])[:16]
    with store.reading() as connection:
        waiting = uncompared_tasks(connection, campaign, settings, task=task)
    for start in range(0, len(waiting), _AT_ONCE):
        _compare(store, campaign, waiting[start : start + _AT_ONCE])
    return len(waiting)


def _compare(store: ReviewStore, campaign: Campaign, waiting: Sequence[MarkedTask]) -> None:
    policy = policy_of(campaign)
    with store.writing() as connection:
        among = tasks_among([task.task_id for task in waiting])
        decisions = by_version(list_decisions(connection, campaign, among=among))
        adjudicated = list_adjudicated(connection, campaign)
        compared = {}
        for task in waiting:
            version = (task.item_id, task.content_hash)
            sent_back = adjudicated.get(version, NOBODY).sent_back
            counted, _ = in_count(policy, decisions.get(version, ()), sent_back=sent_back)
            agree = consensus_in(campaign, counted, sizes_in(task.payload)).is_agreed if counted else True
            compared[task.task_id] = agree, task.compared
        note_compared(connection, compared)
