"""What curators decided against verdicts of steps. All of it stays; the latest about a record at a stage counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from benchwright.canonical import digest
from benchwright.overrides import Override

from ..database.audit import record
from ..database.schema import annotators, overrides
from ..database.store_connection import StoreConnection
from .tasks import upsert_annotator

UNDO = "undo"
_newer = overrides.alias("newer")


@dataclass(frozen=True)
class StoredOverride:
    """A decision that counts, and when it was made."""

    override: Override
    at: datetime


class Overrides:
    """The curators' decisions of a review store. Nothing here reads a clock: `now` is an argument."""

    def __init__(self, store: StoreConnection) -> None:
        self._store = store

    def standing(self) -> list[StoredOverride]:
        """Return the decisions that count, by stage and record."""
        newest = ~sa.exists().where(
            _newer.c.stage == overrides.c.stage, _newer.c.record_id == overrides.c.record_id,
            _newer.c.id > overrides.c.id,
        )  # fmt: skip
        query = (
            sa.select(overrides, annotators.c.name)
            .join(annotators, overrides.c.annotator_id == annotators.c.id)
            .where(newest, overrides.c.action != UNDO)
        )
        with self._store.reading() as connection:
            found = [StoredOverride(_override(row), row.decided_at) for row in connection.execute(query)]
        return sorted(found, key=lambda one: (one.override.stage, one.override.record_id))

    def decide(self, wanted: Iterable[Override], *, now: datetime) -> list[Override]:
        """Add decisions, all or none; return those that were new, since what stands already is not said twice.

        Raises:
            BenchwrightError: A name is no annotator's.
        """
        with self._store.batch() as held:
            own = Overrides(held)
            standing = {_place(one.override): one.override for one in own.standing()}
            new = [one for one in wanted if not _same(standing.get(_place(one)), one)]
            for one in new:
                own._add(one, one.action, now=now)
        return new

    def undo(self, decisions: Iterable[Override], *, by: str, why: str, now: datetime) -> None:
        """Take decisions back: from now on the step's own verdict counts again.

        Raises:
            BenchwrightError: The name is no annotator's.
        """
        with self._store.batch() as held:
            for one in decisions:
                taken_back = Override(one.stage, one.record_id, one.root_image_id, one.action, None, None, by, why)
                Overrides(held)._add(taken_back, UNDO, now=now)

    def _add(self, one: Override, action: str, *, now: datetime) -> None:
        with self._store.writing() as connection:
            upsert_annotator(connection, one.by, kind="person")
            who = sa.select(annotators.c.id).where(annotators.c.name == one.by).scalar_subquery()
            values = {
                "stage": one.stage, "record_id": one.record_id, "root_image_id": one.root_image_id, "action": action,
                "reason": one.reason, "against": one.against, "annotator_id": who, "why": one.why, "decided_at": now,
            }  # fmt: skip
            connection.execute(sa.insert(overrides).values(values))
            act = "override_undone" if action == UNDO else "overridden"
            about = {"stage": one.stage, "record": one.record_id, "action": one.action, "why": one.why}
            said = digest([one.root_image_id, one.reason, one.against])
            record(connection, act, actor=one.by, at=now, said=said, **about)


def _place(one: Override) -> tuple[str, str]:
    return one.stage, one.record_id


def _same(standing: Override | None, wanted: Override) -> bool:
    return standing is not None and (standing.action, standing.reason, standing.against) == (
        wanted.action, wanted.reason, wanted.against,
    )  # fmt: skip


def _override(row: Any) -> Override:
    return Override(row.stage, row.record_id, row.root_image_id, row.action, row.reason, row.against, row.name, row.why)
