"""Gold that grows automatically: items that enough annotators accepted become gold for those who have not judged them.

Each is assigned as a copy, a gold task with a separate id, so that the decisions on the item itself are unaffected. A
copy repeats the accepted content; annotators who judged, held, wrote or adjudicate the item never get one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import ceil

from benchwright.canonical import digest
from benchwright.errors import DataError

from ..forms.assignment_settings import GoldFrom, assignment_settings_of
from ..forms.kind_forms.screening import KEEP
from ..forms.kinds import SCREEN_ITEMS, VERIFY
from ..forms.payloads import TaskInput, item_in, payload_of_version
from ..store.campaigns.decisions import each_decision
from ..store.campaigns.gold import copied_items
from ..store.campaigns.tasks import add_gold, find_task, list_campaigns, list_tasks, state_of
from ..store.database.records import Annotation, Campaign, Task, TaskState
from ..store.review_store import ReviewStore
from .settlement.revisions import each_version

RIGHT: Mapping[str, str] = {VERIFY: "accept", SCREEN_ITEMS: KEEP}
"""Decision that accepts an item, and is right on gold made from it, by kind of campaign."""
_CURRENT: tuple[TaskState, ...] = ("open", "done")


def accepted_items(
    store: ReviewStore, campaign: Campaign, *, votes: int, agree: float = 1.0, task: int | None = None
) -> dict[str, str]:
    """Return, by id and in order, the content hash of each item that enough annotators accepted unchanged.

    Args:
        store: The review store.
        campaign: The campaign; kinds without such decisions accept no item.
        votes: Minimum number of decisions on the item.
        agree: Minimum proportion of these that accept it without edits, above 0 and at most 1.
        task: Id of the only task to look at; default None, all tasks.
    """
    if campaign.kind not in RIGHT or campaign.is_simulated:
        return {}
    with store.reading() as connection:
        versions = each_version(each_decision(connection, campaign, task=task))
        return {version[0]: version[1] for version, said in versions if _is_accepted(campaign, said, votes, agree)}


def _is_accepted(campaign: Campaign, said: Iterable[Annotation], votes: int, agree: float) -> bool:
    accepts = [annotation.decision == RIGHT[campaign.kind] and not annotation.edits for annotation in said]
    return len(accepts) >= votes and sum(accepts) >= ceil(round(agree * len(accepts), 9))


def gold_from_of(campaign: Campaign) -> GoldFrom | None:
    """Return the source of a campaign's automatic gold, or None if the campaign has no such gold."""
    return None if campaign.is_simulated else assignment_settings_of(campaign.settings).gold_from


def source_of(store: ReviewStore, campaign: Campaign, gold_from: GoldFrom) -> Campaign:
    """Return the campaign whose accepted items become gold in another campaign, or in the same one.

    Raises:
        DataError: No campaign has that name, or the one that has it accepts no items.
    """
    if gold_from.campaign in {None, campaign.name}:
        return campaign
    known = {other.name: other for other in store.campaigns()}
    source = known.get(str(gold_from.campaign))
    if source is None or source.kind not in RIGHT:
        fit = [name for name, other in known.items() if other.kind in RIGHT]
        raise DataError(
            f"campaign {campaign.name!r}: handout.gold_from names {gold_from.campaign!r}, which is not an earlier "
            f"campaign that accepts items; these are: {', '.join(fit) or 'none'}"
        )
    return source


def accepted_now(store: ReviewStore, name: str, gold_from: GoldFrom) -> int:
    """Return how many accepted items could now become a campaign's gold; 0 if the source campaign is unknown."""
    known = {campaign.name: campaign for campaign in store.campaigns()}
    source = known.get(gold_from.campaign or name)
    accepted = {} if source is None else accepted_items(store, source, votes=gold_from.votes, agree=gold_from.agree)
    return min(len(accepted), gold_from.most)


def gold_copies(store: ReviewStore, name: str) -> list[TaskInput]:
    """Return the gold tasks of a campaign with automatic gold: the present ones, then new ones, up to `most`.

    Raises:
        DataError: As `source_of`.
    """
    campaign = store.campaign(name)
    gold_from = gold_from_of(campaign)
    if gold_from is None:
        return []
    source = source_of(store, campaign, gold_from)
    accepted = accepted_items(store, source, votes=gold_from.votes, agree=gold_from.agree)
    with store.reading() as connection:
        before = copied_items(connection, campaign)
        is_own = source.id == campaign.id
        own = set() if is_own else {task.item_id for task in store.tasks(campaign.name, states=_CURRENT)}
        order = {item_id: (item_id not in before, digest(["gold", item_id])) for item_id in accepted}
        usable = sorted(order.keys() - own, key=order.__getitem__)[: gold_from.most]
        return [_copy(campaign, find_task(connection, source, item, accepted[item])) for item in sorted(usable)]


def fill_gold(store: ReviewStore, campaign: Campaign, *, task: int) -> None:
    """Add an item to the automatic gold taken from a campaign, once a decision on the item's task accepts it.

    Call this in the transaction of the decision. The next run removes items that are no longer accepted.
    """
    if campaign.kind not in RIGHT or campaign.is_simulated:
        return
    with store.writing() as connection:
        targets = [
            (target, gold_from)
            for target in list_campaigns(connection)
            if (gold_from := gold_from_of(target)) is not None and (gold_from.campaign or target.name) == campaign.name
        ]
        if not targets or state_of(connection, task) != "done":
            return
    for target, gold_from in targets:
        accepted = accepted_items(store, campaign, votes=gold_from.votes, agree=gold_from.agree, task=task)
        with store.writing(alone=True) as connection:
            before = copied_items(connection, target)
            for item_id, content_hash in accepted.items():
                asks_itself = list_tasks(connection, target, states=_CURRENT, item_id=item_id)
                if item_id in before or len(before) >= gold_from.most or (asks_itself and target.id != campaign.id):
                    continue
                add_gold(connection, target, _copy(target, find_task(connection, campaign, item_id, content_hash)))


def _copy(campaign: Campaign, task: Task) -> TaskInput:
    """Return a gold task that repeats a given task in a campaign."""
    copy_id = digest(["gold", task.item_id])[:32]
    item = {**item_in(task.payload), "item_id": copy_id}
    return TaskInput(
        copy_id,
        task.content_hash,
        payload_of_version(task.payload, item),
        gold=RIGHT[campaign.kind],
        gold_why=item.get("explanation"),
        gold_of=task.item_id,
    )
