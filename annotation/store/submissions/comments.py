"""Annotators' remarks about tasks, separate from their decisions: comments, and flags for a curator's attention."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from benchwright.errors import BenchwrightError

from ...forms.payloads import item_in
from ..database.audit import record
from ..database.locks import hold_annotator
from ..database.records import Campaign, RefusedError
from ..database.schema import annotators, remarks, tasks

LONGEST = 2000
MOST = 50
"""Maximum number of remarks by one annotator on one task."""


@dataclass(frozen=True)
class Comment:
    """A comment or a flag.

    Attributes:
        id: Id in the store.
        task_id: Task of the comment.
        item_id: Item of that task.
        question: Question of the item; empty if it has none.
        annotator: Name of its author.
        is_flag: Whether it requests a curator's attention.
        words: Text; a flag may have none.
        made_at: Time of writing.
        settled_by: Name of the curator who settled it; None while it is open.
    """

    id: int
    task_id: int
    item_id: str
    question: str
    annotator: str
    is_flag: bool
    words: str
    made_at: datetime
    settled_by: str | None

    def to_json(self) -> dict[str, Any]:
        """Return the entry that `review flags --json` prints."""
        return {
            "id": self.id,
            "item_id": self.item_id,
            "question": self.question,
            "annotator": self.annotator,
            "flag": self.is_flag,
            "words": self.words,
            "made_at": self.made_at.isoformat(),
            "settled_by": self.settled_by,
        }


def add_remark(
    connection: sa.Connection, task_id: int, annotator: str, words: str, *, is_flag: bool, now: datetime
) -> None:
    """Store an annotator's remark on a task; the caller checks that they may see the task.

    Raises:
        RefusedError: A comment is empty, the words are too long or contain a null character, or the task has too many
            remarks.
    """
    text = words.strip()
    if not text and not is_flag:
        raise RefusedError("the comment is empty; write something, or flag the task without a comment")
    if len(text) > LONGEST or "\0" in text:
        raise RefusedError(f"a comment can have at most {LONGEST} characters, and no nulls; this one has {len(text)}")
    hold_annotator(connection, annotator)
    annotator_id = connection.execute(sa.select(annotators.c.id).where(annotators.c.name == annotator)).scalar_one()
    own_count = sa.select(sa.func.count()).where(remarks.c.task_id == task_id, remarks.c.annotator_id == annotator_id)
    if connection.execute(own_count).scalar_one() >= MOST:
        raise RefusedError(f"you have made {MOST} comments on this task; a curator reads them")
    values = {"task_id": task_id, "annotator_id": annotator_id, "is_flag": is_flag, "words": text, "made_at": now}
    connection.execute(sa.insert(remarks).values(values))
    record(connection, "flagged" if is_flag else "commented", actor=annotator, at=now, task=task_id, words=text)


def own_remarks(connection: sa.Connection, task_ids: Sequence[int], annotator: str) -> dict[int, list[Comment]]:
    """Return an annotator's remarks on tasks, by task, earliest first."""
    comments_by_task: dict[int, list[Comment]] = {}
    for row in connection.execute(_OWN_REMARKS, {"of": list(task_ids), "name": annotator}):
        comments_by_task.setdefault(row.task_id, []).append(_remark(row))
    return comments_by_task


def list_remarks(connection: sa.Connection, campaign: Campaign, *, settled: bool = False) -> list[Comment]:
    """Return the open remarks on a campaign's tasks (all if `settled`), flags first, then oldest first."""
    query = _REMARKS.where(tasks.c.campaign_id == campaign.id)
    rows = connection.execute(query if settled else query.where(remarks.c.settled_at.is_(None)))
    return sorted((_remark(row) for row in rows), key=lambda comment: (not comment.is_flag, comment.id))


def remarks_on_item(connection: sa.Connection, item_id: str) -> list[Comment]:
    """Return all remarks on tasks about an item, including settled remarks, earliest first."""
    return [_remark(row) for row in connection.execute(_REMARKS.where(tasks.c.item_id == item_id))]


def settle_remark(connection: sa.Connection, campaign: Campaign, remark_id: int, *, by: str, now: datetime) -> None:
    """Record that a curator settled a remark; the remark is kept.

    Raises:
        BenchwrightError: The campaign has no such open remark.
    """
    of_campaign = sa.select(tasks.c.id).where(tasks.c.campaign_id == campaign.id)
    open_one = (remarks.c.id == remark_id) & remarks.c.settled_at.is_(None) & remarks.c.task_id.in_(of_campaign)
    change = sa.update(remarks).where(open_one).values(settled_at=now, settled_by=by)
    if connection.execute(change).rowcount == 0:
        raise BenchwrightError(f"campaign {campaign.name!r} has no open flag or comment {remark_id}")
    record(connection, "remark_settled", actor=by, at=now, remark=remark_id)


_REMARKS = (
    sa.select(remarks, annotators.c.name, tasks.c.item_id, tasks.c.payload)
    .join(annotators, remarks.c.annotator_id == annotators.c.id)
    .join(tasks, remarks.c.task_id == tasks.c.id)
    .order_by(remarks.c.id)
)

_OWN_REMARKS = _REMARKS.where(
    remarks.c.task_id.in_(sa.bindparam("of", expanding=True)), annotators.c.name == sa.bindparam("name")
)


def _remark(row: Any) -> Comment:
    item: Mapping[str, Any] = item_in(json.loads(row.payload))
    question = item.get("question")
    return Comment(
        id=row.id,
        task_id=row.task_id,
        item_id=row.item_id,
        question=question if isinstance(question, str) else "",
        annotator=row.name,
        is_flag=row.is_flag,
        words=row.words,
        made_at=row.made_at,
        settled_by=row.settled_by,
    )
