"""Open the next round of a campaign, in which other annotators receive a revised item as a new version.

The app does so after each decision, and a run does so for decisions from elsewhere. Safe to repeat.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from operator import attrgetter

from benchwright.questions.edits import ItemEdits, revised
from benchwright.records import Item

from ...forms.payloads import TaskInput, item_in, payload_of_version
from ...store.campaigns.adjudications import list_adjudicated
from ...store.campaigns.decisions import each_decision
from ...store.campaigns.lineage import has_rounds
from ...store.campaigns.revisions import add_revision, round_of
from ...store.campaigns.tasks import find_task
from ...store.database.records import Adjudicated, Annotation, Campaign, Task
from ...store.review_store import ReviewStore
from .rounds import NOBODY, next_edits, votes_in
from .settle import NEXT_ROUND, policy_of, settle


def open_next_rounds(store: ReviewStore, name: str | Campaign, *, task: int | None = None) -> int:
    """Open the next round for every item to revise, or for one task's item, and return how many were opened.

    The time of a revision is the time of the last decision that led to it.

    Args:
        store: The review store.
        name: The campaign, or its name; one without rounds is left alone.
        task: Id of the only task to look at; default None, all tasks.
    """
    campaign = store.campaign(name) if isinstance(name, str) else name
    if not has_rounds(campaign):
        return 0
    policy = policy_of(campaign)
    with store.writing(alone=True) as connection:
        adjudicated = list_adjudicated(connection, campaign, task=task)
        due = [
            (version, annotations, verdict, votes)
            for version, annotations in each_version(each_decision(connection, campaign, task=task))
            for verdict in (adjudicated.get(version, NOBODY),)
            for votes in (votes_in(policy, annotations, verdict),)
            if settle(policy, votes) == NEXT_ROUND  # else not in a later round either, which few tasks look up
        ]
        opened = 0
        for version, annotations, verdict, votes in due:
            before, proposal = find_task(connection, campaign, *version), next_edits(policy, annotations, verdict)
            round_number = round_of(connection, before.id)
            if proposal is None or settle(policy, votes, round_number=round_number) != NEXT_ROUND:
                continue
            task_input, now = _next(campaign, before, proposal.edits), max(_moments(annotations, verdict))
            opened += add_revision(
                connection, campaign, before, task_input, edits=proposal.edits, annotator=proposal.annotator, now=now
            )
        return opened


def each_version(decisions: Iterable[Annotation]) -> Iterator[tuple[tuple[str, str], list[Annotation]]]:
    """Yield the results of `by_version` for decisions grouped by item, with one item at a time in memory."""
    for _, of_item in groupby(decisions, key=attrgetter("item_id")):
        yield from by_version(of_item).items()


def by_version(decisions: Iterable[Annotation]) -> dict[tuple[str, str], list[Annotation]]:
    """Return decisions by item id and content hash, each by slot."""
    decisions_of: dict[tuple[str, str], list[Annotation]] = {}
    for decision in decisions:
        decisions_of.setdefault((decision.item_id, decision.content_hash), []).append(decision)
    return decisions_of


def _moments(annotations: Sequence[Annotation], verdict: Adjudicated) -> list[datetime]:
    decided = [] if verdict.decision is None else [verdict.decision.decided_at]
    return [*(annotation.submitted_at for annotation in annotations), *decided]


def _next(campaign: Campaign, task: Task, edits: Mapping[str, object]) -> TaskInput:
    before = Item.model_validate(item_in(task.payload))
    item = revised(before, ItemEdits.model_validate(edits), simulated=campaign.is_simulated)
    return TaskInput(item.item_id, item.content_hash, payload_of_version(task.payload, item.model_dump(mode="json")))
