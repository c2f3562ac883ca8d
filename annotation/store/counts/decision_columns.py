"""The newest decisions in a campaign as columns of numbers, read without creating an object for each decision."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import sqlalchemy as sa

from ...agreement.label_sets import joined
from ...agreement.rating_columns import Ints, RatingColumns, numbered
from ..campaigns.decisions import latest_annotations
from ..campaigns.lineage import ROUND, is_of_any_round
from ..database.dialects import day_of, member_of, seconds_between
from ..database.records import Campaign
from ..database.schema import annotations_table, annotators, followed, guidelines, revisions, slots, tasks

By = Literal["kind", "task", "category", "round"]
_FACETS: Mapping[By, sa.ColumnElement[Any]] = {
    "kind": tasks.c.item_kind,
    "task": tasks.c.item_task,
    "category": tasks.c.category,
    "round": ROUND,
}
_FIELDS = annotations_table.c.fields
NONE = ""
"""Name of the group of tasks that have no value."""


class LabelSource(NamedTuple):
    """The part of a decision whose labels are compared.

    Args:
        source: The decision, its reasons, or a field of the campaign's typed form.
        name: Name of the field; for the other sources the same as the source.
        is_set: Whether the label is a set of codes.
        categories: Possible codes; () for sets, or if they differ between tasks.
    """

    source: Literal["decision", "reasons", "field"]
    name: str
    is_set: bool = False
    categories: tuple[str, ...] = ()


@dataclass(frozen=True)
class DecisionColumns:
    """Annotators' decisions on a campaign's current tasks, and on tasks of previous rounds, as columns.

    Args:
        ratings: One aspect of each newest decision.
        task_ids: (U,) id in the store of each unit's task.
        days: (U,) index in `day_names` of the day of the last decision on the task.
        day_names: Days in UTC, in order, such as 2026-03-01.
    """

    ratings: RatingColumns
    task_ids: Ints
    days: Ints
    day_names: tuple[str, ...]


def read_decisions(connection: sa.Connection, campaign: Campaign, aspect: LabelSource) -> DecisionColumns:
    """Return one aspect of the newest decisions, except decisions whose form did not ask for the field.

    Each round of an item is a separate unit: decisions on another version do not disagree with those on this one.
    """
    rows = connection.execute(_query(campaign, aspect)).all()
    return _columns(rows, aspect, _names(connection))


def read_fields(connection: sa.Connection, campaign: Campaign, aspects: Sequence[LabelSource]) -> list[DecisionColumns]:
    """Return what `read_decisions` returns, for several fields that forms always ask together, with a single query."""
    values = [member_of(_FIELDS, aspect.name) for aspect in aspects]
    rows = connection.execute(_of_fields(campaign, *values).where(values[0].is_not(None))).all()
    names = _names(connection)
    return [
        _columns(
            [
                (task, annotator_id, *values_of_field, day)
                for task, annotator_id, *votes, day in rows
                for values_of_field in [(votes[place],)]
            ],
            aspect,
            names,
        )
        for place, aspect in enumerate(aspects)
    ]


def _columns(rows: Sequence[Sequence[Any]], aspect: LabelSource, names: Mapping[int, str]) -> DecisionColumns:
    """Return rows of task, annotator, value and day as columns."""
    units, annotator_ids, values, days = zip(*rows, strict=True) if rows else ((), (), (), ())
    task_ids, unit_of = np.unique(np.array(units, dtype=np.int64), return_inverse=True)
    people, rater_of = np.unique(np.array(annotator_ids, dtype=np.int64), return_inverse=True)
    label_of = {value: _label(value, aspect) for value in set(values)}
    known = _known(set(label_of.values()), aspect)
    labels, label_numbers = numbered(map(label_of.__getitem__, values), known)
    ratings = RatingColumns(
        unit_of.astype(np.int64),
        rater_of.astype(np.int64),
        label_numbers,
        len(task_ids),
        tuple(names[int(annotator_id)] for annotator_id in people),
        labels,
        bool(aspect.categories),
    )
    day_names, day_of_row = numbered(days)
    last = np.zeros(len(task_ids), dtype=np.int64)
    np.maximum.at(last, unit_of, day_of_row)
    return DecisionColumns(ratings, task_ids, last, day_names)


def _known(used: set[str], aspect: LabelSource) -> tuple[str, ...]:
    """Return the labels in order: first those in the form, then those that only an earlier form had."""
    return (*aspect.categories, *sorted(used - set(aspect.categories)))


def _label(value: str, aspect: LabelSource) -> str:
    return joined(json.loads(value)) if aspect.is_set else value


def _query(campaign: Campaign, aspect: LabelSource) -> sa.Select[Any]:
    if aspect.source == "decision":  # read from the index alone, except the day
        return (
            sa.select(slots.c.task_id, slots.c.annotator_id, slots.c.decision, day_of(slots.c.submitted_at))
            .select_from(slots.join(tasks, slots.c.task_id == tasks.c.id))
            .where(is_of_any_round(campaign), slots.c.decision.is_not(None))
        )
    reasons = annotations_table.c.reasons
    value: sa.ColumnElement[Any] = reasons if aspect.source == "reasons" else member_of(_FIELDS, aspect.name)
    return _of_fields(campaign, value).where(value.is_not(None))


def _of_fields(campaign: Campaign, *values: sa.ColumnElement[Any]) -> sa.Select[Any]:
    return (
        latest_annotations()
        .join(slots, annotations_table.c.slot_id == slots.c.id)
        .join(tasks, slots.c.task_id == tasks.c.id)
        .where(is_of_any_round(campaign))
        .with_only_columns(slots.c.task_id, slots.c.annotator_id, *values, day_of(slots.c.submitted_at))
    )


def read_facet(connection: sa.Connection, campaign: Campaign, by: By) -> dict[int, str]:
    """Return the group of each task, with a round given as its number; `NONE` for tasks that have no value."""
    query = sa.select(tasks.c.id, _FACETS[by]).where(is_of_any_round(campaign))
    if by == "round":
        query = query.outerjoin(revisions, revisions.c.task_id == tasks.c.id)
    return {row[0]: str(row[1] or NONE) for row in connection.execute(query)}


def read_versions_followed(connection: sa.Connection, campaign: Campaign) -> dict[int, str]:
    """Return the versions of the guidelines that the decisions on each task followed, such as `2` or `2, 3`."""
    newest = latest_annotations().subquery()
    query = (
        sa.select(slots.c.task_id, guidelines.c.version)
        .distinct()
        .select_from(
            newest.join(followed, (followed.c.slot_id == newest.c.slot_id) & (followed.c.version == newest.c.version))
            .join(guidelines, followed.c.guidelines_id == guidelines.c.id)
            .join(slots, slots.c.id == newest.c.slot_id)
            .join(tasks, slots.c.task_id == tasks.c.id)
        )
        .where(is_of_any_round(campaign))
        .order_by(slots.c.task_id, guidelines.c.version)
    )
    versions: dict[int, list[str]] = {}
    for task_id, version in connection.execute(query):
        versions.setdefault(task_id, []).append(str(version))
    return {task_id: ", ".join(followed_ones) for task_id, followed_ones in versions.items()}


def read_seconds(connection: sa.Connection, campaign: Campaign) -> dict[str, list[float]]:
    """Return, by name, the seconds that each annotator's decisions took, in their first versions.

    Later versions have the starting time of the first version, so they do not show the pace.
    """
    took: sa.ColumnElement[float] = seconds_between(annotations_table.c.started_at, annotations_table.c.submitted_at)
    if (active := annotations_table.c.get("active_s")) is not None:  # without pauses, if these were recorded
        took = sa.func.coalesce(active, took)
    query = (
        sa.select(slots.c.annotator_id, took)
        .select_from(annotations_table.join(slots).join(tasks))
        .where(is_of_any_round(campaign, scanned=True), annotations_table.c.version == 1)
        .where(slots.c.decision.is_not(None))  # and not set aside
    )
    names = _names(connection)
    seconds_by_name: dict[str, list[float]] = {}
    for annotator_id, seconds in connection.execute(query):
        seconds_by_name.setdefault(names[annotator_id], []).append(seconds)
    return seconds_by_name


def _names(connection: sa.Connection) -> dict[int, str]:
    return {row.id: row.name for row in connection.execute(sa.select(annotators.c.id, annotators.c.name))}
