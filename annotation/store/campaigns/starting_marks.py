"""Marks from files from which annotators start, by campaign and item, and the report on reading these files.

They are not part of a task: a task and its decisions stay as they are when the campaign names other files.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from benchwright.canonical import canonical_json

from ..database.records import Campaign
from ..database.schema import campaigns, starting_files, starting_marks, tasks

_AT_ONCE = 500


class StartingRow(NamedTuple):
    """The marks that one file has on one item.

    Args:
        item_id: Item of the task.
        place: Index of the file among the campaign's files, from 0.
        regions: Regions by field, as JSON values without their source.
    """

    item_id: str
    place: int
    regions: Mapping[str, Sequence[Mapping[str, Any]]]


class StartingMarks(NamedTuple):
    """The marks that files contain for a campaign's pictures.

    Args:
        key: Digest of everything that determines the marks.
        rows: Marks by item and file.
        report: Numbers of marks read and omitted for each file, as JSON values.
    """

    key: str
    rows: Sequence[StartingRow]
    report: Sequence[Mapping[str, Any]]


def set_starting_marks(connection: sa.Connection, campaign: Campaign, marks: StartingMarks | None) -> None:
    """Store the marks from which a campaign's annotators start, replacing earlier marks; None only removes these."""
    for table in (starting_marks, starting_files):
        connection.execute(sa.delete(table).where(table.c.campaign_id == campaign.id))
    if marks is None:
        return
    body = {"campaign_id": campaign.id, "read_as": marks.key, "report": canonical_json(list(marks.report))}
    connection.execute(sa.insert(starting_files).values(body))
    for start in range(0, len(marks.rows), _AT_ONCE):
        rows = [
            {
                "campaign_id": campaign.id,
                "item_id": row.item_id,
                "place": row.place,
                "count": sum(map(len, row.regions.values())),
                "regions": canonical_json(row.regions),
            }
            for row in marks.rows[start : start + _AT_ONCE]
        ]
        connection.execute(sa.insert(starting_marks), rows)


def starting_key(connection: sa.Connection, campaign: str) -> str | None:
    """Return the digest of the sources of a campaign's marks; None if there are no marks or no such campaign."""
    query = sa.select(starting_files.c.read_as).join(campaigns).where(campaigns.c.name == campaign)
    return connection.execute(query).scalar_one_or_none()


def starting_report(connection: sa.Connection, campaign: Campaign) -> list[dict[str, Any]]:
    """Return the numbers of marks read and omitted, for each file of a campaign; empty if it names no files."""
    query = sa.select(starting_files.c.report).where(starting_files.c.campaign_id == campaign.id)
    report = connection.execute(query).scalar_one_or_none()
    return [] if report is None else json.loads(report)


def starting_marks_of(connection: sa.Connection, task_id: int) -> list[StartingRow]:
    """Return the marks from which annotators of a task start, in the order of the files."""
    s = starting_marks.c
    query = (
        sa.select(s.item_id, s.place, s.regions)
        .join(tasks, sa.and_(tasks.c.campaign_id == s.campaign_id, tasks.c.item_id == s.item_id))
        .where(tasks.c.id == task_id)
        .order_by(s.place)
    )
    return [StartingRow(row.item_id, row.place, json.loads(row.regions)) for row in connection.execute(query)]


def count_starting_marks(connection: sa.Connection, campaign: Campaign) -> dict[tuple[str, int], int]:
    """Return the number of regions in each file on each item of a campaign, by item and index of the file."""
    s = starting_marks.c
    rows = connection.execute(sa.select(s.item_id, s.place, s["count"]).where(s.campaign_id == campaign.id))
    return {(item_id, place): count for item_id, place, count in rows}
