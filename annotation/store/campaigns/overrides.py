"""Curators' overrides of steps' verdicts; the store keeps all of them, and the latest on a record at a stage counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from benchwright.canonical import digest
from benchwright.overrides import Override

from ..database.audit import record
from ..database.schema import annotators, overrides
from ..database.store_connection import StoreConnection
from .tasks import upsert_annotator

_UNDO = "undo"
_newer = overrides.alias("newer")


@dataclass(frozen=True)
class StoredOverride:
    """An override that counts, and the time when it was made."""

    override: Override
    at: datetime


class RecordedOverride(NamedTuple):
    """A row about a record: stage; `keep`, `drop` or `undo`; the step's reason; curator, motive and time."""

    stage: str
    action: str
    reason: str | None
    by: str
    why: str
    at: datetime


class OverrideStore:
    """The overrides in a review store. No method reads a clock: `now` is an argument."""

    def __init__(self, store: StoreConnection) -> None:
        self._store = store

    def in_force(self) -> list[StoredOverride]:
        """Return the overrides that count, by stage and record."""
        newest = ~sa.exists().where(
            _newer.c.stage == overrides.c.stage,
            _newer.c.record_id == overrides.c.record_id,
            _newer.c.id > overrides.c.id,
        )
        query = (
            sa.select(overrides, annotators.c.name)
            .join(annotators, overrides.c.annotator_id == annotators.c.id)
            .where(newest, overrides.c.action != _UNDO)
        )
        with self._store.reading() as connection:
            stored = [StoredOverride(_override(row), row.decided_at) for row in connection.execute(query)]
        return sorted(stored, key=lambda override: (override.override.stage, override.override.record_id))

    def of_record(self, record_id: str) -> list[RecordedOverride]:
        """Return all overrides of a record and their withdrawals, earliest first."""
        query = (
            sa.select(overrides, annotators.c.name)
            .join(annotators, overrides.c.annotator_id == annotators.c.id)
            .where(overrides.c.record_id == record_id)
            .order_by(overrides.c.id)
        )
        with self._store.reading() as connection:
            rows = connection.execute(query).all()
        return [RecordedOverride(row.stage, row.action, row.reason, row.name, row.why, row.decided_at) for row in rows]

    def decide(self, wanted: Iterable[Override], *, now: datetime) -> list[Override]:
        """Add all overrides that do not yet count, or none if any is refused; return the added ones.

        Raises:
            BenchwrightError: A name does not belong to an annotator.
        """
        with self._store.batch() as batch:
            own = OverrideStore(batch)
            in_force = {_place(stored.override): stored.override for stored in own.in_force()}
            new = [override for override in wanted if not _same(in_force.get(_place(override)), override)]
            for override in new:
                own._add(override, override.action, now=now)
        return new

    def undo(self, decisions: Iterable[Override], *, by: str, why: str, now: datetime) -> None:
        """Withdraw overrides, so that the step's own verdicts count again.

        Raises:
            BenchwrightError: The name does not belong to an annotator.
        """
        with self._store.batch() as batch:
            for override in decisions:
                taken_back = Override(
                    override.stage, override.record_id, override.root_image_id, override.action, None, None, by, why
                )
                OverrideStore(batch)._add(taken_back, _UNDO, now=now)

    def _add(self, override: Override, action: str, *, now: datetime) -> None:
        with self._store.writing() as connection:
            upsert_annotator(connection, override.by, kind="person")
            annotator_id = sa.select(annotators.c.id).where(annotators.c.name == override.by).scalar_subquery()
            values = {
                "stage": override.stage,
                "record_id": override.record_id,
                "root_image_id": override.root_image_id,
                "action": action,
                "reason": override.reason,
                "against": override.against,
                "annotator_id": annotator_id,
                "why": override.why,
                "decided_at": now,
            }
            connection.execute(sa.insert(overrides).values(values))
            act = "override_undone" if action == _UNDO else "overridden"
            about = {
                "stage": override.stage,
                "record": override.record_id,
                "action": override.action,
                "why": override.why,
            }
            override_digest = digest([override.root_image_id, override.reason, override.against])
            record(connection, act, actor=override.by, at=now, said=override_digest, **about)


def _place(override: Override) -> tuple[str, str]:
    return override.stage, override.record_id


def _same(in_force: Override | None, wanted: Override) -> bool:
    return in_force is not None and (in_force.action, in_force.reason, in_force.against) == (
        wanted.action,
        wanted.reason,
        wanted.against,
    )


def _override(row: Any) -> Override:
    return Override(row.stage, row.record_id, row.root_image_id, row.action, row.reason, row.against, row.name, row.why)
