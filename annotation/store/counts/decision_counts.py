"""Counts of a campaign's tasks by properties and decisions, which give the outcomes without reading each task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from ...forms.kinds import MARK
from ..campaigns.adjudications import (
    REVISE,
    SEND_BACK,
    AdjudicatedTask,
    count_yes_votes,
    decisions_after_slot,
    list_rulings,
    overruled_decisions,
    ruled_tasks,
)
from ..campaigns.decisions import latest_annotations
from ..campaigns.lineage import ROUND, has_rounds, is_current, of_earlier_rounds
from ..campaigns.revision_requests import how_returned
from ..database.dialects import JOINT, joined_texts, member_of
from ..database.records import Campaign, Returned, TaskState
from ..database.schema import annotations_table, revisions, slots, tasks


class DecisionCounts(NamedTuple):
    """The number of tasks with the same values in all properties below.

    Args:
        kind: Kind of question, `yes_no` or `multiple_choice`; None if the payload has none.
        task: Task of the items, such as `jigsaw`; None if the payload has none.
        category: Category of the items; None if the payload has none.
        state: State of the tasks.
        round: Round of the items, from 1.
        adjudicated: The adjudicator's decision; None if there is none that counts.
        given: Number of decisions that count: the newest versions, since the task was last sent back.
        decisions: Number of times each decision was made; empty if votes count instead.
        votes: Number of yes votes for each criterion, if the campaign has criteria.
        times: Number of tasks with these properties.
        proposals: Number of different proposed edits, 2 for two or more; 0 if their number does not matter.
        is_disputed: Whether annotators' regions differ by more than the campaign allows.
        returned: Outcome of sending the items back to their writers.
    """

    kind: str | None
    task: str | None
    category: str | None
    state: TaskState
    round: int
    adjudicated: str | None
    given: int
    decisions: Mapping[str, int]
    votes: Mapping[str, int]
    times: int
    proposals: int = 0
    is_disputed: bool = False
    returned: Returned | None = None


def count_decisions(
    connection: sa.Connection,
    campaign: Campaign,
    criteria: Sequence[str] = (),
    *,
    edits_matter: Callable[[DecisionCounts], bool] | None = None,
) -> list[DecisionCounts]:
    """Return the numbers of a campaign's current tasks by kind, category, state, round and decisions, in a fixed order.

    Args:
        connection: Connection in a read transaction.
        campaign: Campaign.
        criteria: Fields answered with `yes` or `no` that count instead of decisions.
        edits_matter: Function that returns whether the number of proposed edits matters for a group of tasks. Edits are
            read, task by task, only for such groups; default None, for no group.
    """
    folded: Counter[_Folded] = Counter()
    edited: list[tuple[_Folded, int]] = []
    query = _votes(campaign, criteria) if criteria else _decisions(campaign)
    for kind, task, category, state, in_round, disputed, returned, *numbers, times in connection.execute(query).all():
        facet: _Facet = (kind, task, category, state, in_round, bool(disputed), returned)
        if criteria:
            submitted, *votes = (int(number or 0) for number in numbers)
            folded[facet, None, submitted, (), tuple(votes), 0] += times
            continue
        decisions = Counter([] if numbers[0] is None else numbers[0].split(JOINT))
        alike: _Folded = (facet, None, decisions.total(), tuple(sorted(decisions.items())), (), 0)
        if numbers[1] is not None and edits_matter is not None and edits_matter(_pattern(alike, criteria, times)):
            edited += [(alike, int(task_id)) for task_id in numbers[1].split(JOINT)]
        else:
            folded[alike] += times
    proposals = _count_proposals(connection, [task_id for _, task_id in edited])
    folded.update((*alike[:-1], proposals.get(task_id, 0)) for alike, task_id in edited)
    folded.update(_ruled(connection, campaign, criteria))
    ordered = sorted(folded.items(), key=lambda entry: ([str(part or "") for part in entry[0][0]], repr(entry[0][1:])))
    return [_pattern(alike, criteria, times) for alike, times in ordered]


_Facet = tuple[str | None, str | None, str | None, TaskState, int, bool, Returned | None]
_Folded = tuple[_Facet, str | None, int, tuple[tuple[str, int], ...], tuple[int, ...], int]
_AT_ONCE = 2000
_MOST_PROPOSALS = 2
"""Maximum number of different edits to count, since only the distinction between none, one and several matters."""


def _pattern(alike: _Folded, criteria: Sequence[str], times: int) -> DecisionCounts:
    facet, verdict, submitted, decisions, votes, proposals = alike
    votes_by_criterion = dict(zip(criteria, votes, strict=False))
    return DecisionCounts(
        *facet[:5], verdict, submitted, dict(decisions), votes_by_criterion, times, proposals, *facet[5:]
    )


def _count_proposals(connection: sa.Connection, task_ids: Sequence[int]) -> dict[int, int]:
    """Return, by task, the number of different proposed edits, at most 2; tasks without edits are omitted."""
    proposals: dict[int, int] = {}
    for start in range(0, len(task_ids), _AT_ONCE):
        query = (
            latest_annotations()
            .join(slots, annotations_table.c.slot_id == slots.c.id)
            .where(slots.c.task_id.in_(task_ids[start : start + _AT_ONCE]), slots.c.decision == REVISE)
            .where(annotations_table.c.edits.is_not(None))
            .group_by(slots.c.task_id)
            .with_only_columns(slots.c.task_id, sa.func.count(sa.distinct(annotations_table.c.edits)))
        )
        proposals |= {task_id: min(times, _MOST_PROPOSALS) for task_id, times in connection.execute(query)}
    return proposals


def _facets(campaign: Campaign) -> sa.Select[Any]:
    """Return a query for the properties of current tasks, without decisions."""
    in_round = ROUND if has_rounds(campaign) else sa.literal(1)
    is_disputed = tasks.c.regions_agree.is_(False) if campaign.kind == MARK else sa.literal(0)
    query = sa.select(
        tasks.c.item_kind,
        tasks.c.item_task,
        tasks.c.category,
        tasks.c.state,
        in_round.label("in_round"),
        is_disputed.label("is_disputed"),
        how_returned(campaign).label("returned"),
    )
    if has_rounds(campaign):
        query = query.select_from(tasks.outerjoin(revisions, revisions.c.task_id == tasks.c.id))
    return query.where(is_current(campaign))


def _decisions(campaign: Campaign) -> sa.Select[Any]:
    codes = (
        sa.select(joined_texts(slots.c.decision))
        .where(slots.c.task_id == tasks.c.id, slots.c.decision.is_not(None))
        .scalar_subquery()
    )
    query = _facets(campaign).where(tasks.c.id.not_in(ruled_tasks()))
    inner = query.add_columns(codes.label("said"), sa.cast(tasks.c.id, sa.Text).label("task_id")).subquery()
    alike = [column for column in inner.c if column.name != "task_id"]
    # List the tasks that may have proposed edits: finding them again would take as long as counting.
    may_be_edited = (inner.c.state == "done") & inner.c.said.contains(REVISE)
    task_ids = sa.case((may_be_edited, joined_texts(inner.c.task_id)))
    return sa.select(*alike, task_ids, sa.func.count()).group_by(*alike)


def _votes(campaign: Campaign, criteria: Sequence[str]) -> sa.Select[Any]:
    """Return a query for the number of tasks by properties, number of voters, and yes votes for each criterion."""
    yes = [
        sa.func.sum(sa.case((member_of(annotations_table.c.fields, name) == "yes", 1), else_=0)) for name in criteria
    ]
    sums = [total.label(f"yes_{place}") for place, total in enumerate(yes)]
    by_task = (
        latest_annotations()
        .join(slots, annotations_table.c.slot_id == slots.c.id)
        .join(tasks, slots.c.task_id == tasks.c.id)
        .where(is_current(campaign))
        .group_by(slots.c.task_id)
        .with_only_columns(slots.c.task_id, sa.func.count().label("given"), *sums)
        .subquery()
    )
    inner = (
        _facets(campaign)
        .add_columns(*[column for column in by_task.c if column.name != "task_id"])
        .outerjoin(by_task, by_task.c.task_id == tasks.c.id)
        .where(tasks.c.id.not_in(ruled_tasks()))
        .subquery()
    )
    return sa.select(*inner.c, sa.func.count()).group_by(*inner.c)


def _ruled(connection: sa.Connection, campaign: Campaign, criteria: Sequence[str]) -> Counter[_Folded]:
    """Return counts of the tasks that adjudicators decided or sent back, which are read one by one.

    These are few, and only some decisions on them count.
    """
    rulings: dict[int, list[AdjudicatedTask]] = {}
    for ruling in list_rulings(connection, campaign, criteria):
        rulings.setdefault(ruling.task_id, []).append(ruling)
    overruled = overruled_decisions(connection, campaign, criteria)
    counter: Counter[_Folded] = Counter()
    query = _facets(campaign).add_columns(tasks.c.id).where(tasks.c.id.in_(ruled_tasks()))
    for kind, task, category, state, in_round, disputed, returned, task_id in connection.execute(query):
        verdict = rulings[task_id][-1].decision
        sent_back = sum(ruling.decision == SEND_BACK for ruling in rulings[task_id])
        counts = decisions_after_slot(overruled.get(task_id, ()), sent_back * campaign.slots_per_task)
        decisions = () if criteria else tuple(sorted(Counter(decision.decision for decision in counts).items()))
        votes = tuple(count_yes_votes(counts, criteria).values())
        facet: _Facet = (kind, task, category, state, in_round, bool(disputed), returned)
        edits = {decision.edits for decision in counts if decision.edits is not None and not criteria}
        proposals = min(len(edits), _MOST_PROPOSALS)
        counter[facet, None if verdict == SEND_BACK else verdict, len(counts), decisions, votes, proposals] += 1
    return counter


def count_revised(connection: sa.Connection, campaign: Campaign) -> dict[int, int]:
    """Return, by round, how many items were revised in the round and therefore got another round."""
    if not has_rounds(campaign):
        return {}
    query = (
        sa.select(ROUND.label("in_round"), sa.func.count())
        .select_from(tasks.outerjoin(revisions, revisions.c.task_id == tasks.c.id))
        .where(tasks.c.id.in_(of_earlier_rounds(campaign)))
        .group_by(sa.text("in_round"))
        .order_by(sa.text("in_round"))
    )
    return {int(row[0]): int(row[1]) for row in connection.execute(query)}
