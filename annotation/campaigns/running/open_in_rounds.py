"""Open campaigns in which revised items return for further rounds; shared by `verify` and `review`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, groupby
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from benchwright.questions.edits import ItemEdits, revised
from benchwright.records import Item
from benchwright.steps import CampaignContext

from ...forms.payloads import TaskInput, item_in
from ...simulated.annotators import NOW, simulate
from ...store.campaigns.adjudications import list_adjudicated
from ...store.campaigns.decisions import each_decision
from ...store.campaigns.revisions import list_revisions
from ...store.campaigns.tasks import find_task
from ...store.database.records import Adjudicated, Annotation, Campaign, Revision
from ...store.review_store import ReviewStore, open_store
from ...workflow.accepted_gold import gold_copies
from ...workflow.settlement.closing import close_early
from ...workflow.settlement.revisions import by_version, open_next_rounds
from ...workflow.settlement.rounds import NOBODY, Round, in_count, votes_in
from ...workflow.settlement.settle import OUT_OF_ROUNDS, WAITS, SettlementPolicy, policy_of, settle_last
from .open_campaign import (
    CampaignRequest,
    ItemWork,
    OwnPractice,
    open_campaign,
    prepared_input,
    waiting_line,
    with_checks,
    work_of,
)
from .send_back import SendBack, WriterRounds, back_line

if TYPE_CHECKING:
    import sqlalchemy as sa


@dataclass(frozen=True, slots=True)
class ItemHistory:
    """The history of an item in a campaign, round by round.

    Attributes:
        task: Kind of question, as named in tables of results.
        rounds: Rounds, at least one. The first is about the item from the previous step. If that item is itself a
            version that annotators made in this campaign, the first is about its original.
        outcome: Outcome of the last round (`settlement.settle_last`).
        item: The last version; None if it is the item from the previous step.
        sent_back: Number of versions that went back to the item's writer, by the campaign or check that sent them back.
    """

    task: str
    rounds: tuple[Round, ...]
    outcome: str
    item: Item | None
    sent_back: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class CampaignHistory:
    """State of a campaign: a line about the waiting tasks, or the id and history of each item.

    Gold items have no rounds; instead of a history, they have their known right decision, by id.
    """

    waiting: str | None
    histories: Iterable[tuple[str, ItemHistory]] = ()
    gold: dict[str, str] = field(default_factory=dict)
    rerun: bool = False
    """Whether the campaign waits only for the next run, in which simulated writers revise items."""


@dataclass(frozen=True)
class Histories:
    """The id and history of each item in a decided campaign, read from the store in each iteration.

    Even with a million items, only the decisions on one item are in memory at a time.

    Attributes:
        store_url: Address of the store.
        name: Name of the campaign.
        came: Items from the previous step, by id.
        writers: Items to return to their writers; None if there are none.
    """

    store_url: str
    name: str
    came: dict[str, _SourceItem]
    writers: WriterRounds | None

    def __iter__(self) -> Iterator[tuple[str, ItemHistory]]:
        """Yield ids and histories, those of items with decisions first."""
        with open_store(self.store_url) as store:
            yield from _histories(store, self.name, self.came, self.writers)


@dataclass(slots=True)
class _SourceItem:
    """An item from the previous step: its kind of question, its content hash and, if needed later, the item itself."""

    task: str
    content_hash: str
    item: Item | None


def open_in_rounds(
    request: CampaignRequest,
    items: Iterable[Item],
    ctx: CampaignContext,
    *,
    work: ItemWork | None = None,
    send_back: SendBack | None = None,
) -> CampaignHistory:
    """Bring the campaign's tasks up to date with these items, open rounds that are due, and return its state.

    Args:
        request: Question and number of annotators; its form has `rounds`.
        items: Items from the previous step.
        ctx: Context of the campaign.
        work: Object that creates the items' task inputs; default one for the campaign's form.
        send_back: Items to return to their writers; default None, no items.
    """
    work = work or ItemWork(request.form, ctx.workspace)
    came: dict[str, _SourceItem] = {}
    gold: dict[str, str] = {}
    with open_store(ctx.store_url) as store:
        with store.batch() as held:
            open_campaign(held, request, ctx)
            practice = OwnPractice(request)
            links = _links(held, ctx.stage)
            writers = None if send_back is None else WriterRounds(send_back, held, ctx)
            tasks = _work(items, links, request, came, gold, practice, work, writers)
            held.upsert_tasks(ctx.stage, chain(with_checks(tasks, request, ctx), gold_copies(held, ctx.stage)))
            practice.keep(held, ctx.stage)
            close_early(held, ctx.stage)
            open_next_rounds(held, ctx.stage)
        if request.group is not None:
            while simulate(store, ctx.stage, request.group, seed=ctx.seed, stage=ctx.stage):
                if not open_next_rounds(store, ctx.stage):
                    break
        if writers is not None:
            with store.batch() as held:
                writers.send(held)
        status = store.status(ctx.stage, now=NOW)
        waits = 0
        rule = policy_of(store.campaign(ctx.stage)).rule
        if not status.tasks["open"] and rule is not None and rule.is_adjudicated:
            waits = sum(history.outcome == WAITS for _, history in _histories(store, ctx.stage, came, writers))
    with_writers = {} if writers is None else writers.with_writers
    if status.tasks["open"] or waits:
        line = waiting_line(status, ctx, adjudicator=waits) + request.for_whom
        return CampaignHistory(line + (f"; {back_line(with_writers)}" if with_writers else ""))
    if with_writers:
        line = (
            f"campaign {ctx.stage!r} waits for writers: {back_line(with_writers)}; run the same command again when "
            "they are done"
        )
        return CampaignHistory(line, rerun=all(writer.simulated for writer in with_writers.values()))
    return CampaignHistory(None, Histories(ctx.store_url, ctx.stage, came, writers), gold)


_Links = dict[tuple[str, str], Revision]


def _links(store: ReviewStore, name: str) -> _Links:
    """Return, by item id and content hash, the revision made from each version."""
    with store.reading() as connection:
        revisions = list_revisions(connection, store.campaign(name))
    return {(revision.item_id, revision.revised_from): revision for revision in revisions}


def _chain(item_id: str, content_hash: str, links: _Links) -> Iterator[Revision]:
    """Yield the revisions that lead from one content of an item to its present version."""
    while (link := links.get((item_id, content_hash))) is not None:
        yield link
        content_hash = link.content_hash


def _chain_before(item_id: str, content_hash: str, made: _Links) -> Iterator[Revision]:
    """Yield the revisions that led to an item's content, latest first; `made` maps resulting contents to revisions."""
    while (link := made.get((item_id, content_hash))) is not None:
        yield link
        content_hash = link.revised_from


def _work(
    items: Iterable[Item],
    links: _Links,
    request: CampaignRequest,
    came: dict[str, _SourceItem],
    gold: dict[str, str],
    practice: OwnPractice,
    work: ItemWork,
    writers: WriterRounds | None,
) -> Iterator[TaskInput]:
    """Yield a task for each item's present version, and record the item in `came`, or in `gold` if it is a gold item.

    Gold items keep the version of the previous step.
    """
    for item in items:
        if practice.takes(work_of(item), gold):
            continue
        first = prepared_input(work.of(item), request)
        if first.gold is not None:
            gold[item.item_id] = first.gold
            yield first
            continue
        version = item
        for link in _chain(item.item_id, item.content_hash, links):
            version = revised(version, ItemEdits.model_validate(link.edits), simulated=request.group is not None)
        is_kept = request.group is not None or version is not item
        is_withheld = writers is not None and version is item and writers.withholds(item)
        if not is_withheld or (writers is not None and item.item_id in writers.spent):
            came[item.item_id] = _SourceItem(item.task, item.content_hash, item if is_kept else None)
        if is_withheld:
            continue
        # A version has the priority of the previous step's item, and is never gold: only that item's key is known.
        yield first if version is item else work.of(version)._replace(priority=first.priority)


def histories_in(store: ReviewStore, name: str) -> dict[str, ItemHistory]:
    """Return the history of every item in a campaign, by item id, regardless of the items on which it was opened."""
    came = {
        task.item_id: _SourceItem(str(item_in(task.payload)["task"]), task.content_hash, None)
        for task in store.tasks(name, states=("open", "done"))
    }
    return dict(_histories(store, name, came, None))


def _histories(
    store: ReviewStore, name: str, came: Mapping[str, _SourceItem], writers: WriterRounds | None
) -> Iterator[tuple[str, ItemHistory]]:
    """Yield the id and history of each item, those with decisions first."""
    campaign, links = store.campaign(name), _links(store, name)
    made = {(link.item_id, link.content_hash): link for link in links.values()}
    decided: set[str] = set()
    with store.reading() as connection:
        adjudicated = list_adjudicated(connection, campaign)
        reader = _HistoryReader(connection, campaign, policy_of(campaign), links, made, adjudicated, writers)
        decisions = each_decision(connection, campaign, with_retired=True)
        for item_id, of_item in groupby(decisions, key=attrgetter("item_id")):
            if item_id in came:
                decided.add(item_id)
                yield item_id, reader.history(item_id, came[item_id], by_version(of_item))
        for item_id, source in came.items():
            if item_id not in decided:
                yield item_id, reader.history(item_id, source, {})


class _HistoryReader(NamedTuple):
    """The data, other than decisions, from which an item's history is built."""

    connection: sa.Connection
    campaign: Campaign
    policy: SettlementPolicy
    links: _Links
    made: _Links
    adjudicated: Mapping[tuple[str, str], Adjudicated]
    writers: WriterRounds | None

    def history(
        self, item_id: str, source: _SourceItem, annotations: Mapping[tuple[str, str], list[Annotation]]
    ) -> ItemHistory:
        """Return the history of an item from the decisions on its versions."""
        policy, adjudicated, writers = self.policy, self.adjudicated, self.writers
        chain = list(_chain(item_id, source.content_hash, self.links))
        whole = [*reversed(list(_chain_before(item_id, source.content_hash, self.made))), *chain]
        rounds = []
        contents = [*(link.revised_from for link in whole), chain[-1].content_hash if chain else source.content_hash]
        for place, content in enumerate(contents):
            decisions, verdict = annotations.get((item_id, content), []), adjudicated.get((item_id, content), NOBODY)
            counted, before = in_count(policy, decisions, sent_back=verdict.sent_back)
            edits = whole[place].edits if place < len(whole) else None
            rounds.append(Round(content, tuple(counted), tuple(before), verdict.decision, edits))
        last = (item_id, contents[-1])
        votes = votes_in(policy, annotations.get(last, []), adjudicated.get(last, NOBODY), is_closed=True)
        outcome = settle_last(policy, votes, round_number=len(contents))
        if writers is not None and item_id in writers.spent:
            outcome = OUT_OF_ROUNDS
        if chain and source.item is None:
            payload = find_task(self.connection, self.campaign, item_id, source.content_hash).payload
            source.item = Item.model_validate(item_in(payload))
        item = _last_version(self.campaign, source, chain)
        sent_back = {} if writers is None else writers.times(item_id)
        return ItemHistory(source.task, tuple(rounds), outcome, item, sent_back)


def _last_version(campaign: Campaign, came: _SourceItem, chain: list[Revision]) -> Item | None:
    version = came.item if chain else None
    for link in chain:
        assert version is not None
        version = revised(version, ItemEdits.model_validate(link.edits), simulated=campaign.is_simulated)
    return version
