"""Conditions that an annotator must meet to judge a task.

Annotators do not judge a task whose item they wrote, edited or adjudicate. In a blind campaign, they also do not judge
a task whose key they saw or on which they practiced. The conditions are parts of statements, which need the parameters
that `annotator_parameters` returns.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from ...forms.kinds import BLIND_KINDS, WITH_KEY
from ..campaigns.authors import OWN_ITEMS
from ..campaigns.practice import check_qualified
from ..database.records import Campaign, RefusedError
from ..database.schema import (
    adjudications,
    annotators,
    assignments,
    authors,
    blind_answers,
    campaigns,
    practised,
    revisions,
    seen,
    skips,
    slots,
    tasks,
)

_mine, _shown, _showing = slots.alias("mine"), tasks.alias("shown"), campaigns.alias("showing")
_annotator_id: sa.BindParameter[int] = sa.bindparam("annotator")

_ANNOTATOR = sa.select(
    annotators,
    sa.select(campaigns.c.is_for_assigned)
    .where(campaigns.c.id == sa.bindparam("campaign"))
    .scalar_subquery()
    .label("is_for_assigned"),
    sa.exists()
    .where(assignments.c.campaign_id == sa.bindparam("campaign"), assignments.c.annotator_id == annotators.c.id)
    .label("is_assigned"),
).where(annotators.c.name == sa.bindparam("name"))
_ANNOTATOR_LOCKED = _ANNOTATOR.with_for_update(of=annotators, key_share=True)

# Looked up for one task at a time, by index, so that thousands of decisions elsewhere do not slow the next task.
_was_handed_shown = sa.or_(
    *(
        sa.exists().where(table.c.task_id == _shown.c.id, table.c.annotator_id == _annotator_id)
        for table in (_mine, skips, seen, blind_answers, adjudications)
    )
)
"""Whether a task was assigned to an annotator, even if returned since, or the annotator opened it to adjudicate it."""
# An item has one current task in a campaign, and that task shows nothing beyond its intended content.
_gives_away = (_shown.c.campaign_id != sa.bindparam("campaign")) | (
    (_shown.c.state == "retired") & _shown.c.gold.is_(None)
)
# For any content of the item: an annotator who saw the key of an earlier content may know the present one, too.
_SHOWN_KEY = (
    sa.select(_showing.c.name)
    .select_from(_showing.join(_shown, _shown.c.campaign_id == _showing.c.id))
    .where(
        _showing.c.kind.in_(sa.bindparam("shows_key", expanding=True)),
        _shown.c.item_id == tasks.c.item_id,
        _gives_away,
        _was_handed_shown,
    )
)
_shows_key = _showing.c.kind.in_(sa.bindparam("shows_key", expanding=True))
_SHOWN_KEY_OF_TASK = (
    sa.select(_showing.c.name)
    .select_from(
        tasks.join(_shown, _shown.c.item_id == tasks.c.item_id).join(_showing, _shown.c.campaign_id == _showing.c.id)
    )
    .where(tasks.c.id == sa.bindparam("task"), _shows_key, _gives_away, _was_handed_shown)
    .order_by(_showing.c.name)
    .limit(1)
)
_has_practised = sa.exists().where(practised.c.annotator_id == _annotator_id, practised.c.item_id == tasks.c.item_id)
_PRACTISED_ON_TASK = sa.select(tasks.c.id).where(tasks.c.id == sa.bindparam("task"), _has_practised.correlate(tasks))
_IS_UNSHOWN = sa.and_(~_SHOWN_KEY.correlate(tasks).exists(), ~_has_practised.correlate(tasks))
"""Whether an annotator has neither seen an item's key nor practiced on the item."""

_involved = (
    sa.select(revisions.c.task_id).where(revisions.c.annotator_id == sa.bindparam("editor")),
    sa.select(adjudications.c.task_id).where(adjudications.c.annotator_id == _annotator_id),
)
"""Tasks whose version an annotator edited, or that they opened to adjudicate."""
INVOLVED_IN_TASK = sa.select(tasks.c.id).where(
    tasks.c.id == sa.bindparam("task"), tasks.c.id.in_(sa.union_all(*_involved))
)
_is_involved = sa.or_(
    *(query.where(query.selected_columns[0] == tasks.c.id).correlate(tasks).exists() for query in _involved)
)
# The same in the other direction: from the few tasks assigned to one annotator to the items of these tasks.
_ITEMS_SHOWN = (
    sa.select(_shown.c.item_id)
    .select_from(_shown.join(_showing, _shown.c.campaign_id == _showing.c.id))
    .where(
        _shown.c.id.in_(
            sa.union(
                *(
                    sa.select(table.c.task_id).where(table.c.annotator_id == _annotator_id)
                    for table in (_mine, skips, seen, blind_answers, adjudications)
                )
            )
        ),
        _shows_key,
        _gives_away,
    )
)
_knows_original = sa.or_(
    sa.select(_shown.c.id).where(_shown.c.item_id == tasks.c.gold_of, _was_handed_shown).correlate(tasks).exists(),
    OWN_ITEMS.where(authors.c.item_id == tasks.c.gold_of).correlate(tasks).exists(),
)
_may_be_tested = tasks.c.gold_of.is_(None) | ~_knows_original
"""Whether a task is not a copy of an accepted item that the annotator wrote or was assigned."""
_is_own = OWN_ITEMS.where(authors.c.item_id == tasks.c.item_id).correlate(tasks).exists()


def may_judge(*, blind: bool) -> tuple[sa.ColumnElement[bool], ...]:
    """Return the conditions for judging a task: the annotator did not write, edit or adjudicate its item.

    Annotators of an accepted item may not judge gold that repeats it.

    Args:
        blind: Whether to also require that they have not seen its key.
    """
    always = (~_is_involved, ~_is_own, _may_be_tested)
    return (*always, _IS_UNSHOWN) if blind else always


def count_barred(*such: sa.ColumnElement[bool], blind: bool) -> tuple[sa.Select[Any], ...]:
    """Return queries whose counts add up to the number of a campaign's open tasks that an annotator may not judge.

    A database must begin with the few tasks that this annotator wrote, edited or adjudicates, not with all tasks of the
    campaign. The queries therefore add 0 to the campaign's number, because no index applies to a sum.

    Args:
        such: Additional conditions on the tasks.
        blind: Whether to also count the tasks whose key they have seen.
    """
    campaign: sa.BindParameter[int] = sa.bindparam("campaign")
    counted, is_open = sa.select(sa.func.count()).select_from(tasks), tasks.c.state == "open"
    query = counted.where(tasks.c.campaign_id + 0 == campaign, is_open, *such)
    queries = (
        query.where(tasks.c.id.in_(sa.union_all(*_involved))),
        query.where(tasks.c.item_id.in_(OWN_ITEMS), ~_is_involved),
    )
    if not blind:
        return queries
    known = sa.union(_ITEMS_SHOWN, sa.select(practised.c.item_id).where(practised.c.annotator_id == _annotator_id))
    return *queries, query.where(tasks.c.item_id.in_(known), ~_is_involved, ~_is_own)


def annotator_parameters(
    connection: sa.Connection, campaign: Campaign, annotator: str, *, to_take: bool = False
) -> dict[str, Any]:
    """Return the parameters for statements that assign tasks to an annotator: campaign, annotator, eligibility.

    Args:
        connection: Connection in a read transaction, or in a write transaction if `to_take`.
        campaign: Campaign.
        annotator: Name.
        to_take: Whether to lock the annotator's row (`locks`); default False.

    Raises:
        RefusedError: The annotator is not registered, is of the wrong kind for the campaign, or is not assigned to it;
            or wants to take a task without having passed the campaign's practice.
    """
    annotator_id = _annotator_of(connection, campaign, annotator, to_take=to_take)
    if to_take:
        check_qualified(connection, campaign, annotator_id, annotator)
    return {"campaign": campaign.id, **eligibility_parameters(campaign, annotator_id)}


def eligibility_parameters(campaign: Campaign, annotator_id: int) -> dict[str, Any]:
    """Return the parameters of the conditions in this module."""
    may_edit_and_judge = campaign.is_simulated or campaign.form.editors_verify
    return {
        "annotator": annotator_id,
        "editor": None if may_edit_and_judge else annotator_id,
        "shows_key": kinds_with_key(campaign.kind, is_simulated=campaign.is_simulated),
    }


def kinds_with_key(kind: str, *, is_simulated: bool) -> tuple[str, ...]:
    """Return the kinds of campaigns that show keys; none if annotators of this kind may have seen keys."""
    return WITH_KEY if kind in BLIND_KINDS and not is_simulated else ()


def key_shown_problem(connection: sa.Connection, parameters: Mapping[str, Any]) -> str | None:
    """Return a description of where an annotator saw the key of a task's item; None if they have not seen the key."""
    if not parameters["shows_key"]:
        return None
    if connection.execute(_PRACTISED_ON_TASK, parameters).first() is not None:
        return "this annotator practiced on this item and knows the right answer; another annotator must answer it"
    campaign = connection.execute(_SHOWN_KEY_OF_TASK, parameters).scalar_one_or_none()
    if campaign is None:
        return None
    return f"this annotator was shown the right answer in campaign {campaign!r}; another annotator must answer it"


def _annotator_of(connection: sa.Connection, campaign: Campaign, name: str, *, to_take: bool) -> int:
    row = connection.execute(
        _ANNOTATOR_LOCKED if to_take else _ANNOTATOR, {"campaign": campaign.id, "name": name}
    ).one_or_none()
    if row is None:
        raise RefusedError(f"annotator {name!r} is not registered")
    if (row.kind == "simulated") != campaign.is_simulated:
        found, wanted = ("a person", "simulated annotators") if campaign.is_simulated else ("simulated", "people")
        raise RefusedError(f"annotator {name!r} is {found}; campaign {campaign.name!r} is for {wanted}")
    if row.is_for_assigned and not row.is_assigned:
        raise RefusedError(
            f"annotator {name!r} is not assigned to campaign {campaign.name!r}; a curator can assign them with "
            "`benchwright review assign`"
        )
    return int(row.id)
