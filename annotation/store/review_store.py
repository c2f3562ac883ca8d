"""The review store, which keeps all decisions and texts of annotators, adjudicators and curators."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from benchwright.errors import DataError
from benchwright.workspace.private_files import keep_private

from ..forms.assignment_settings import LEASE_S
from ..forms.campaign_form import CampaignForm
from ..forms.payloads import TaskInput
from ..forms.submission import Submission
from .assignment import assignment
from .campaigns import decisions, gold, guidelines, tasks
from .database import audit
from .database.connection import connect, name_of, path_of
from .database.migrate import is_made, upgrade
from .database.records import (
    Annotation,
    AnnotatorKind,
    Campaign,
    CampaignStatus,
    Lease,
    Task,
    TaskState,
    UpsertCounts,
)
from .database.store_connection import StoreConnection, cause_of
from .database.turns import SUFFIX as TURN_SUFFIX
from .submissions import comments, external_annotations, submissions
from .submissions.external_annotations import ExternalAnnotation, Taken


def open_store(url: str) -> ReviewStore:
    """Open the review store at `sqlite:///PATH` or `postgresql://...`; create or upgrade it if needed.

    Raises:
        DataError: The file is not a database, is damaged, belongs to another program, or comes from a newer version.
    """
    path, where = path_of(url), name_of(url)
    if path is not None and not path.parent.is_dir():
        raise DataError(f"the review store {path} cannot be made: the folder {path.parent} does not exist")
    engine = connect(url)
    try:
        upgrade(engine, where=where)
    except (sa.exc.DatabaseError, sqlite3.DatabaseError) as error:
        engine.dispose()
        raise DataError(f"{where} cannot be opened as a review store: {cause_of(error)}") from error
    except BaseException:
        engine.dispose()
        raise
    if path is not None:
        _keep_private(path)
    return ReviewStore(engine, where)


def _keep_private(path: Path) -> None:
    """Remove other users' access to the store's files, and to the store's folder if it is a workspace."""
    folder = [path.parent] if (path.parent / "workspace.json").exists() else []
    keep_private(*folder, *(path.with_name(path.name + end) for end in ("", "-wal", "-shm", TURN_SUFFIX)))


def store_exists(url: str) -> bool:
    """Return whether a review store exists at a URL, without creating one.

    Raises:
        DataError: The server cannot be reached, or refuses this user.
    """
    path = path_of(url)
    if path is not None:
        return path.exists()
    engine = connect(url)
    try:
        return is_made(engine)
    except sa.exc.DatabaseError as error:
        raise DataError(f"{name_of(url)} cannot be opened as a review store: {cause_of(error)}") from error
    finally:
        engine.dispose()


class ReviewStore(StoreConnection):
    """Campaigns, tasks, slots and annotations. No method reads a clock: `now` is an argument.

    Each method that writes does so in one transaction; within `batch()` they share one.
    """

    def upsert_campaign(
        self,
        name: str,
        *,
        kind: str,
        rule: str,
        slots_per_task: int,
        form: CampaignForm,
        settings: Mapping[str, Any],
        seed: int,
        is_simulated: bool = False,
    ) -> Campaign:
        """See `tasks.upsert_campaign`."""
        with self.writing(alone=True) as connection:
            campaign = tasks.upsert_campaign(
                connection,
                name,
                kind=kind,
                rule=rule,
                slots_per_task=slots_per_task,
                form=form,
                settings=settings,
                seed=seed,
                is_simulated=is_simulated,
            )
            guidelines.take_from_recipe(connection, campaign)
            return campaign

    def upsert_tasks(self, campaign: str, work: Iterable[TaskInput]) -> UpsertCounts:
        """See `tasks.upsert_tasks`."""
        with self.writing(alone=True) as connection:
            return tasks.upsert_tasks(connection, tasks.find_campaign(connection, campaign), work)

    def upsert_annotator(self, name: str, *, kind: AnnotatorKind = "person") -> None:
        """See `tasks.upsert_annotator`."""
        with self.writing() as connection:
            tasks.upsert_annotator(connection, name, kind=kind)

    def claim(
        self,
        campaign: str | Campaign,
        annotator: str,
        *,
        now: datetime,
        lease_s: float = LEASE_S,
        task: int | None = None,
    ) -> Lease | None:
        """Return a slot for this annotator, of any task or of the given `task`; None if no task is left.

        See `assignment.claim_next` and `assignment.claim_task`. Leases that have ended by now are returned first.
        """
        settings = self._without_expired(campaign, now=now)
        with self.writing(flushed=False) as connection:
            if task is not None:
                return assignment.claim_task(connection, settings, annotator, task, now=now, lease_s=lease_s)
            return assignment.claim_next(connection, settings, annotator, now=now, lease_s=lease_s)

    def assign_task(
        self, campaign: str | Campaign, annotator: str, task: int, *, by: str, now: datetime, until: datetime
    ) -> Lease:
        """Reserve a slot of a task for an annotator, on a curator's behalf; see `assignment.assign_task`."""
        settings = self._without_expired(campaign, now=now)
        with self.writing() as connection:
            return assignment.assign_task(connection, settings, annotator, task, by=by, now=now, until=until)

    def claim_ahead(
        self, campaign: str | Campaign, annotator: str, *, most: int, now: datetime, lease_s: float = LEASE_S
    ) -> list[int]:
        """Return the ids of the tasks that an annotator holds, after taking more, up to `most` in all.

        See `assignment.claim_ahead`.
        """
        settings = self._without_expired(campaign, now=now)
        held: list[int] = []
        took = True
        while took and len(held) < most:
            with self.writing(flushed=False) as connection:
                held, took = assignment.claim_ahead(
                    connection, settings, annotator, most=most, now=now, lease_s=lease_s
                )
        return held

    def _without_expired(self, campaign: str | Campaign, *, now: datetime) -> Campaign:
        """Return a campaign, after freeing the slots whose leases have ended."""
        with self.reading() as connection:
            settings = tasks.campaign_called(connection, campaign)
            has_expired = assignment.has_expired(connection, now=now)
        if has_expired:
            with self.writing(flushed=False) as connection:
                assignment.return_expired(connection, now=now)
        return settings

    def decide(
        self, campaign: str, task: int, annotator: str, submission: Submission, *, now: datetime, on_gold: bool = False
    ) -> None:
        """Claim a task and submit a decision on it; if the store refuses this within a batch, undo only this call.

        `on_gold` states whether the task may be a gold item, as in `assignment.claim_task`.
        """
        with self.writing(alone=True) as connection:
            settings = tasks.find_campaign(connection, campaign)
            assignment.return_expired(connection, now=now)
            lease = assignment.claim_task(
                connection, settings, annotator, task, now=now, lease_s=LEASE_S, on_gold=on_gold
            )
            submissions.submit(connection, lease.slot_id, annotator, submission, now=now)

    def submit(
        self,
        slot_id: int,
        annotator: str,
        submission: Submission,
        *,
        now: datetime,
        amend: bool = False,
        seen_version: int | None = None,
        then: Callable[[ReviewStore, int], object] | None = None,
        may_close: bool = False,
    ) -> None:
        """Accept a decision; see `submissions.submit`.

        Args:
            slot_id: Slot of the annotator's lease.
            annotator: Name of its holder.
            submission: Their decision, with its fields, reasons and edits.
            now: Time of the decision.
            amend: As in `submissions.submit`.
            seen_version: As in `submissions.submit`.
            then: Function to call in the same transaction if this decision may settle the task, with the store in that
                transaction and the task's id; default None.
            may_close: Whether any decision may settle the task, not only the last missing one or a change of an earlier
                one; default False.
        """
        with self.writing() as connection:
            written = submissions.submit(
                connection, slot_id, annotator, submission, now=now, amend=amend, seen_version=seen_version
            )
            if then is not None and (written.may_settle or may_close):
                then(ReviewStore(self._engine, self.where, held=connection), written.task_id)

    def take_in(self, campaign: str, annotation: ExternalAnnotation, *, now: datetime) -> Taken:
        """See `external_annotations.take_in`."""
        with self.writing(alone=True) as connection:
            return external_annotations.take_in(connection, campaign, annotation, now=now)

    def release(self, slot_id: int, annotator: str, *, now: datetime | None = None) -> None:
        """See `assignment.release`."""
        with self.writing() as connection:
            assignment.release(connection, slot_id, annotator, now=now)

    def gold_answers(self, campaign: str) -> list[gold.GoldAnswer]:
        """See `gold.gold_answers`."""
        with self.reading() as connection:
            return gold.gold_answers(connection, tasks.find_campaign(connection, campaign))

    def remarks(self, campaign: str, *, settled: bool = False) -> list[comments.Comment]:
        """See `comments.list_remarks`."""
        with self.reading() as connection:
            return comments.list_remarks(connection, tasks.find_campaign(connection, campaign), settled=settled)

    def settle_remark(self, campaign: str, remark_id: int, *, by: str, now: datetime) -> None:
        """See `comments.settle_remark`."""
        with self.writing() as connection:
            comments.settle_remark(connection, tasks.find_campaign(connection, campaign), remark_id, by=by, now=now)

    def audited(self, *, expect: str | None = None) -> audit.AuditResult:
        """See `audit.audited`."""
        with self.snapshot() as connection:
            return audit.audited(connection, expect=expect)

    def campaign(self, name: str) -> Campaign:
        """Return one campaign."""
        with self.reading() as connection:
            return tasks.find_campaign(connection, name)

    def campaign_names(self) -> list[str]:
        """Return the campaigns that are not archived, by name."""
        with self.reading() as connection:
            return decisions.list_campaign_names(connection)

    def campaigns(self) -> list[Campaign]:
        """Return the campaigns that are not archived, in the order in which they opened, as in the recipe."""
        with self.reading() as connection:
            return tasks.list_campaigns(connection)

    def tasks(self, campaign: str, *, states: tuple[TaskState, ...] = ("open",)) -> list[Task]:
        """Return a campaign's tasks in these states, by item id and round."""
        with self.reading() as connection:
            return tasks.list_tasks(connection, tasks.find_campaign(connection, campaign), states=states)

    def campaign_of(self, task_id: int) -> Campaign | None:
        """Return the campaign of a task, or None if the task is unknown."""
        with self.reading() as connection:
            return tasks.campaign_of_task(connection, task_id)

    def payload(self, task_id: int) -> Mapping[str, Any] | None:
        """Return the payload of a task as JSON values, or None if the task is unknown."""
        with self.reading() as connection:
            return tasks.payload_of(connection, task_id)

    def decisions(self, campaign: str) -> list[Annotation]:
        """Return the latest decisions on a campaign's current tasks, by item id and slot."""
        with self.reading() as connection:
            return decisions.list_decisions(connection, tasks.find_campaign(connection, campaign))

    def status(self, campaign: str, *, now: datetime) -> CampaignStatus:
        """Return the progress of a campaign at a given time."""
        with self.reading() as connection:
            return decisions.campaign_status(connection, tasks.find_campaign(connection, campaign), now=now)
