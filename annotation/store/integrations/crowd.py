"""Workers from Prolific and Mechanical Turk: their entries, pseudonyms, and visits.

A worker decides under a random pseudonym, which is an account without a password. Only `crowd_workers` holds their id
at the service, and only `crowd_visits` the names of their submissions. No decision, export, release or row of the audit
log contains them, and forgetting the person removes them. A worker sees only the campaigns they came for, and gets
tasks while a visit lasts, as many as their entry states.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import sqlalchemy as sa

from benchwright.errors import BenchwrightError

from ..accounts.accounts import Accounts
from ..accounts.campaign_access import AccessControl
from ..campaigns.tasks import find_campaign
from ..database.audit import record
from ..database.integration_tables import crowd_entries, crowd_visits, crowd_workers
from ..database.schema import annotators, campaigns, slots, tasks
from ..database.store_connection import StoreConnection

Service = Literal["prolific", "mturk"]
SERVICES: tuple[Service, ...] = ("prolific", "mturk")
VisitResult = Literal["completed", "screened_out", "paused"]
_CODE = re.compile(r"[A-Za-z0-9_-]{1,50}")
_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")
_PREFIX = "worker-"
_MOST_TASKS, _MOST_WORKERS = 10_000, 5_000


class EntryRefused(BenchwrightError):
    """A worker cannot enter; `reason` is a key of the texts that explain why."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"this entry is not open: {reason}")
        self.reason = reason


@dataclass(frozen=True)
class CrowdEntry:
    """An address through which workers enter a campaign.

    Attributes:
        id: Number in the store.
        campaign: Name of the campaign.
        service: `prolific` or `mturk`.
        key: Part of its address.
        tasks: Number of decisions per visit; None for as many as a worker may make.
        completed_code: Code for a worker who completed their part.
        screened_out_code: Code for a worker who did not pass the qualification, or None if there is none.
        paused_code: Code for a paused worker, or None if there is none.
        made_at: Time of its creation.
        made_by: Name of its creator.
        closed_at: Time at which it was closed to newcomers; None while it is open.
    """

    id: int
    campaign: str
    service: Service
    key: str
    tasks: int | None
    completed_code: str
    screened_out_code: str | None
    paused_code: str | None
    made_at: datetime
    made_by: str
    closed_at: datetime | None

    def code_for(self, result: VisitResult) -> str | None:
        """Return the code for a result, or None if the entry has none."""
        codes = {"completed": self.completed_code, "screened_out": self.screened_out_code, "paused": self.paused_code}
        return codes[result]

    def to_json(self) -> dict[str, Any]:
        """Return the entry that `review entries --json` lists."""
        moments = {"made_at": self.made_at.isoformat(), "closed_at": self.closed_at and self.closed_at.isoformat()}
        names = ("id", "campaign", "service", "tasks", "completed_code", "screened_out_code", "paused_code", "made_by")
        return {**{name: getattr(self, name) for name in names}, **moments}


@dataclass(frozen=True)
class Visit:
    """A visit by a worker.

    Attributes:
        id: Number in the store.
        entry: Entry through which they came.
        session: Submission or assignment at the service.
        submit_to: Host that receives the assignment; None at Prolific.
        decided: Number of decisions made during the visit so far.
        result: Its outcome; None while it lasts.
    """

    id: int
    entry: CrowdEntry
    session: str
    submit_to: str | None
    decided: int
    result: VisitResult | None


class CrowdEntries:
    """The entries in a review store. No method reads a clock: `now` is an argument."""

    def __init__(self, store: StoreConnection) -> None:
        self._store = store

    def make(
        self,
        campaign: str,
        service: Service,
        *,
        completed_code: str,
        screened_out_code: str | None = None,
        paused_code: str | None = None,
        tasks_per_visit: int | None = None,
        by: str,
        now: datetime,
    ) -> CrowdEntry:
        """Create an entry.

        Args:
            campaign: Name of the campaign.
            service: `prolific` or `mturk`.
            completed_code: Code for a worker who completed their part, of letters, digits, `_` and `-`.
            screened_out_code: Code for a worker who did not pass the qualification; default none.
            paused_code: Code for a paused worker; default none.
            tasks_per_visit: Number of decisions per visit; default as many as a worker may make.
            by: Name of its creator.
            now: Time of the call.

        Raises:
            BenchwrightError: No such campaign exists, simulated annotators decide in it, or a value is invalid.
        """
        for code in (completed_code, screened_out_code, paused_code):
            if code is not None and not _CODE.fullmatch(code):
                raise BenchwrightError(f"code {code[:60]!r}: expected 1 to 50 letters, digits, _ and -")
        if tasks_per_visit is not None and not 1 <= tasks_per_visit <= _MOST_TASKS:
            raise BenchwrightError(f"a visit takes 1 to {_MOST_TASKS:,} decisions, not {tasks_per_visit}")
        with self._store.writing() as connection:
            found = find_campaign(connection, campaign)
            if found.is_simulated:
                raise BenchwrightError(f"simulated annotators decide in campaign {campaign!r}; workers cannot enter it")
            values: dict[str, Any] = {"campaign_id": found.id, "service": service, "key": secrets.token_urlsafe(16)}
            values |= {"tasks": tasks_per_visit, "completed_code": completed_code, "paused_code": paused_code}
            values |= {"screened_out_code": screened_out_code, "made_at": now, "made_by": by}
            made = connection.execute(
                sa.insert(crowd_entries).values(values).returning(crowd_entries.c.id)
            ).scalar_one()
            record(connection, "entry_made", actor=by, at=now, entry=made, campaign=campaign, service=service)
            [entry] = _listed(connection, crowd_entries.c.id == made)
        return entry

    def of_campaign(self, campaign: str | None = None) -> list[CrowdEntry]:
        """Return the entries for a campaign, or for all campaigns, by number, including closed entries."""
        with self._store.reading() as connection:
            if campaign is None:
                return _listed(connection, sa.true())
            return _listed(connection, crowd_entries.c.campaign_id == find_campaign(connection, campaign).id)

    def of_key(self, key: str) -> CrowdEntry | None:
        """Return the entry with the key in an address, or None if there is no such entry."""
        with self._store.reading() as connection:
            return next(iter(_listed(connection, crowd_entries.c.key == key)), None) if key.isprintable() else None

    def close(self, entry_id: int, *, by: str, now: datetime) -> CrowdEntry:
        """Close an entry to newcomers; workers on a visit may finish.

        Raises:
            BenchwrightError: No such open entry exists.
        """
        is_it = (crowd_entries.c.id == entry_id) & crowd_entries.c.closed_at.is_(None)
        with self._store.writing() as connection:
            change = sa.update(crowd_entries).where(is_it).values(closed_at=now, closed_by=by)
            if not 0 < entry_id < 2**31 or connection.execute(change).rowcount == 0:
                raise BenchwrightError(f"no open entry has the number {entry_id}; `review entries` lists all entries")
            record(connection, "entry_closed", actor=by, at=now, entry=entry_id)
            [entry] = _listed(connection, crowd_entries.c.id == entry_id)
        return entry

    def enter(
        self, entry: CrowdEntry, worker: str, *, study: str, session: str, submit_to: str | None, now: datetime
    ) -> str:
        """Find or create the person for a worker, begin or continue a visit, and return that person's pseudonym.

        A worker who returns to the same submission continues it. A current visit excludes a second one, so that a
        person who knows another worker's id, but not their submission, cannot enter under it.

        Args:
            entry: The entry.
            worker: Id of the worker at the service.
            study: Study or HIT there.
            session: Submission or assignment there.
            submit_to: Host that receives the assignment; None at Prolific.
            now: Time of the call.

        Raises:
            EntryRefused: An id is invalid (`crowd_bad_link`), the entry is closed or full (`crowd_closed`), the worker
                was locked (`crowd_locked`), or is in another submission (`crowd_elsewhere`).
        """
        if not all(_ID.fullmatch(text) for text in (worker, study, session)):
            raise EntryRefused("crowd_bad_link")
        with self._store.batch() as held, held.writing() as connection:
            person = self._person(held, connection, entry, worker, now=now)
            same = (crowd_visits.c.entry_id == entry.id) & (crowd_visits.c.worker_id == person.id)
            known = connection.execute(
                sa.select(crowd_visits.c.session, crowd_visits.c.result).where(same).order_by(crowd_visits.c.id)
            ).all()
            if any(row.session == session for row in known):
                return str(person.name)
            if any(row.result is None for row in known):
                raise EntryRefused("crowd_elsewhere")
            if entry.closed_at is not None:
                raise EntryRefused("crowd_closed")
            before = connection.execute(_decided(person.annotator_id, entry.id)).scalar_one()
            values = {"entry_id": entry.id, "worker_id": person.id, "study": study, "session": session}
            values |= {"submit_to": submit_to, "decided_before": before, "began_at": now}
            connection.execute(sa.insert(crowd_visits).values(values))
            record(connection, "visit_begun", actor=person.name, at=now, entry=entry.id)
        return str(person.name)

    def _person(
        self, held: StoreConnection, connection: sa.Connection, entry: CrowdEntry, worker: str, *, now: datetime
    ) -> Any:
        """Return a worker's row with the pseudonym; for a newcomer, create both."""
        query = (
            sa.select(crowd_workers, annotators.c.name)
            .join(annotators)
            .where(crowd_workers.c.service == entry.service, crowd_workers.c.worker == worker)
        )
        row = connection.execute(query).one_or_none()
        if row is None:
            count = sa.select(sa.func.count()).select_from(crowd_workers)
            if entry.closed_at is not None or connection.execute(count).scalar_one() >= _MOST_WORKERS:
                raise EntryRefused("crowd_closed")
            name = _PREFIX + secrets.token_hex(4)
            Accounts(held).add(name, "annotator", now=now)
            annotator_id = sa.select(annotators.c.id).where(annotators.c.name == name).scalar_subquery()
            values = {"annotator_id": annotator_id, "service": entry.service, "worker": worker}
            connection.execute(sa.insert(crowd_workers).values(values))
            row = connection.execute(query).one()
        if Accounts(held).find(row.name).is_disabled:
            raise EntryRefused("crowd_locked")
        access = AccessControl(held).of(entry.campaign)
        if access.is_for_assigned and row.name not in access.names:
            AccessControl(held).assign(entry.campaign, [row.name])
        return row

    def latest_visit(self, name: str) -> Visit | None:
        """Return the latest visit of a person, or None if the person did not come through an entry."""
        query = (
            sa.select(crowd_visits, crowd_workers.c.annotator_id)
            .join(crowd_workers, crowd_visits.c.worker_id == crowd_workers.c.id)
            .join(annotators, crowd_workers.c.annotator_id == annotators.c.id)
            .where(annotators.c.name == name)
            .order_by(crowd_visits.c.result.is_(None).desc(), crowd_visits.c.id.desc())
            .limit(1)
        )
        with self._store.reading() as connection:
            row = connection.execute(query).one_or_none()
            if row is None:
                return None
            [entry] = _listed(connection, crowd_entries.c.id == row.entry_id)
            decided = connection.execute(_decided(row.annotator_id, row.entry_id)).scalar_one() - row.decided_before
        return Visit(row.id, entry, row.session, row.submit_to, decided, row.result)

    def end_visit(self, visit: Visit, result: VisitResult, *, now: datetime) -> None:
        """End a visit, unless it has already ended."""
        is_it = (crowd_visits.c.id == visit.id) & crowd_visits.c.result.is_(None)
        with self._store.writing() as connection:
            if connection.execute(sa.update(crowd_visits).where(is_it).values(result=result, ended_at=now)).rowcount:
                whose = crowd_visits.join(crowd_workers).join(annotators)
                name = sa.select(annotators.c.name).select_from(whose).where(crowd_visits.c.id == visit.id)
                actor = connection.execute(name).scalar_one()
                record(connection, "visit_ended", actor=actor, at=now, entry=visit.entry.id, result=result)


def _decided(annotator_id: int, entry_id: int) -> sa.Select[Any]:
    """Return a query for the number of a person's decisions in the campaign to which an entry belongs."""
    campaign = sa.select(crowd_entries.c.campaign_id).where(crowd_entries.c.id == entry_id).scalar_subquery()
    own = (slots.c.annotator_id == annotator_id) & slots.c.submitted_at.is_not(None)
    return sa.select(sa.func.count()).select_from(slots.join(tasks)).where(own, tasks.c.campaign_id == campaign)


def _listed(connection: sa.Connection, where: sa.ColumnElement[bool]) -> list[CrowdEntry]:
    query = sa.select(crowd_entries, campaigns.c.name.label("campaign")).join(campaigns).where(where)
    return [
        CrowdEntry(
            id=row.id,
            campaign=row.campaign,
            service=row.service,
            key=row.key,
            tasks=row.tasks,
            completed_code=row.completed_code,
            screened_out_code=row.screened_out_code,
            paused_code=row.paused_code,
            made_at=row.made_at,
            made_by=row.made_by,
            closed_at=row.closed_at,
        )
        for row in connection.execute(query.order_by(crowd_entries.c.id))
    ]
