"""Rows of decision tables, each checked separately and stored as if its annotator had claimed the item."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

import sqlalchemy as sa

from benchwright.errors import DataError, UnreadableImage
from benchwright.images.formats.walking import Limits
from benchwright.images.regular_files import read_file
from benchwright.questions.own_ids import OwnIds

from ..forms.csv_rows import CsvRow, shown
from ..forms.drafted_values import drafts_field, taken_from_drafts
from ..forms.fields.field_types import DraftsField, FormField, Lines, OneOf, PhotographField, SeveralOf
from ..forms.fields.form import Form
from ..forms.fields.numbered_fields import grouped_values, lines_in, with_numbered_fields
from ..forms.payloads import item_in, previous_in, proposals_in
from ..forms.submission import Submission
from ..store.accounts.accounts import Accounts
from ..store.campaigns.decisions import list_decisions
from ..store.database.records import RefusedError, Task
from ..store.database.schema import annotators
from ..store.review_store import ReviewStore
from ..store.submissions.form_checks import decisions_of, normalized
from ..store.submissions.photo_uploads import Uploads
from ..workflow.gold import gold_tasks
from ..workflow.photo_uploads import take_in_photograph
from .drafted_cells import without_untouched_drafts
from .edit_columns import VERSION, edits_in_row, version_of

_UNDECIDED = {"annotator", "item_id", VERSION}
"""Columns that may be filled in without a decision."""


class PhotographRows:
    """Stores the photographs that are named in a table.

    Args:
        root: Folder of the workspace.
        folder: Folder of the table; files outside it are not read.
        form: Form of the campaign.
    """

    def __init__(self, root: Path, folder: Path, form: Form) -> None:
        self._root = root
        self._folder = folder.resolve()
        self._fields = [field for field in form.fields if isinstance(field, PhotographField)]

    def take_in(self, values: Mapping[str, Any]) -> dict[str, str]:
        """Store the photographs in a row, and return their ids by field name.

        Raises:
            RefusedError: A file is not below the table's folder, is unreadable, or is not a photograph.
        """
        return {
            field.name: self._stored_photograph(field, values[field.name])
            for field in self._fields
            if values.get(field.name)
        }

    def _stored_photograph(self, field: PhotographField, name: str) -> str:
        try:
            path = (self._folder / name).resolve()
            if not path.is_relative_to(self._folder):
                raise RefusedError(f"photograph {shown(name)} is outside the table's folder")
            data = read_file(path, limits=Limits(max_bytes=field.max_bytes))
        except (UnreadableImage, OSError, ValueError) as error:
            raise RefusedError(f"photograph {shown(name)} cannot be read: {error}") from None
        return take_in_photograph(self._root, data, field).image_id


def _note_photographs(store: ReviewStore, task_id: int, annotator: str, taken: Mapping[str, str]) -> None:
    """Record an annotator's photographs for a task, so that they can be submitted."""
    for image_id in taken.values():
        Uploads(store).note(task_id, annotator, image_id)


class KnownAnnotators:
    """Annotators known from accounts or earlier decisions, and those who are new in this file."""

    def __init__(self, store: ReviewStore, *, new_annotators: bool) -> None:
        self._accounts = {account.name for account in Accounts(store).all()}
        with store.reading() as connection:
            decided = connection.execute(sa.select(annotators.c.name).where(annotators.c.kind == "person")).scalars()
            self._known = {*decided, *self._accounts}
        self._takes_new = new_annotators
        self.new: set[str] = set()

    def problem(self, name: str) -> str | None:
        """Return a description of the problem with an annotator's name, or None if there is none."""
        if not name:
            return "no annotator"
        if name in self._known or self._takes_new:
            return None
        near = {known.casefold(): known for known in sorted(self._known)}
        if name.casefold() in near:
            return (
                f"annotator {shown(name)} is unknown, but {shown(near[name.casefold()])} is known; spell the two alike"
            )
        if self._accounts:
            close = get_close_matches(name, sorted(self._known), n=1)
            hint = f"did you mean {shown(close[0])}? " if close else ""
            return f"annotator {shown(name)} is unknown here; {hint}(--new-annotators accepts names without an account)"
        return None

    def note(self, name: str) -> None:
        """Record that a decision of an annotator was imported."""
        if name not in self._known:
            self.new.add(name)


class RowImport:
    """Imports rows one by one, using the store's data about each annotator and item."""

    def __init__(self, store: ReviewStore, campaign: str, now: datetime, people: KnownAnnotators) -> None:
        self._campaign = campaign
        self._now = now
        self._people = people
        settings = store.campaign(campaign)
        gold = gold_tasks(store, settings)
        self._tasks = {task.item_id: task for task in (*gold, *store.tasks(campaign, states=("open", "done")))}
        self._own_ids = OwnIds((name, item_in(task.payload).get("attributes")) for name, task in self._tasks.items())
        self._form = settings.form
        with store.reading() as connection:
            every = list_decisions(connection, settings, with_retired=True)
        gold_items = {task.item_id for task in gold}
        self._looked_at = {(annotation.annotator, annotation.item_id) for annotation in every}
        self._submissions: dict[tuple[str, str], Submission] = {
            (annotation.annotator, annotation.item_id): annotation
            for annotation in (*store.decisions(campaign), *(one for one in every if one.item_id in gold_items))
        }
        """Submissions by annotator and item."""

    @property
    def now(self) -> datetime:
        """Return the time of the import."""
        return self._now

    def take(self, store: ReviewStore, row: CsvRow) -> Literal["new", "unchanged", "blank"]:
        """Import one row, and return the outcome."""
        if self._is_blank(row, "decision"):
            return "blank"
        task = self._task(row)
        self._check_version(row, task)
        submission = normalized(self._form, task.payload, self._submission(row, task))
        before = self._submissions.get((row.values["annotator"], task.item_id))
        if before is None:
            return self._decide(store, row, task, submission)
        if (before.decision, before.reasons, before.note, before.edits) == (
            submission.decision,
            submission.reasons,
            submission.note,
            submission.edits,
        ):
            return "unchanged"
        raise RefusedError(
            f"annotator {shown(row.values['annotator'])} already decided {before.decision!r} on this item"
        )

    def _submission(self, row: CsvRow, task: Task) -> Submission:
        """Return the submission in a row."""
        decision = row.values["decision"]
        spelled = {known.lower(): known for known in decisions_of(self._form, task.payload)}
        return Submission(
            decision=spelled.get(decision.lower(), decision),
            reasons=tuple({reason.strip() for reason in row.values["reason"].split(";")} - {""}),
            note=row.values["note"] or None,
            edits=edits_in_row(row.values),
        )

    def _decide(
        self,
        store: ReviewStore,
        row: CsvRow,
        task: Task,
        submission: Submission,
        photographs: Mapping[str, str] | None = None,
    ) -> Literal["new"]:
        """Store the submission in a row, with its photographs."""
        annotator = row.values["annotator"]
        with store.batch() as held:  # a refused row leaves nothing behind, not even a new annotator
            held.upsert_annotator(annotator)
            _note_photographs(held, task.id, annotator, photographs or {})
            held.decide(self._campaign, task.id, annotator, submission, now=self._now, on_gold=True)
        self._submissions[annotator, task.item_id] = submission
        self._people.note(annotator)
        return "new"

    @staticmethod
    def _is_blank(row: CsvRow, headline: str) -> bool:
        """Return whether a row is not filled in yet.

        Raises:
            RefusedError: The row has a reason, a note or another field, but no decision.
        """
        if row.problem is not None or row.values[headline]:
            return False
        if filled_in := [name for name in row.values if name not in _UNDECIDED and row.values[name]]:
            raise RefusedError(f"{filled_in[0]} is filled in, but {headline} is not")
        return True

    def _named(self, row: CsvRow) -> str:
        """Return the id of the item that a row names, possibly by the item's id in the source.

        Raises:
            RefusedError: Several items have that id in their source.
        """
        try:
            return self._own_ids.item_id(row.values["item_id"])
        except DataError as error:
            raise RefusedError(str(error)) from None

    def _task(self, row: CsvRow) -> Task:
        """Return the task that a row decides.

        Raises:
            RefusedError: The row is malformed, or its annotator or its item is unknown; the message lists all problems.
        """
        task = self._tasks.get(self._named(row))
        no_task = f"item {shown(row.values['item_id'])} is not a current task of campaign {self._campaign!r}"
        problems = [row.problem, self._people.problem(row.values["annotator"]), None if task else no_task]
        if stated := [problem for problem in problems if problem is not None]:
            if task is not None and row.problem is None:
                stated += self._mistakes(row, task)
            raise RefusedError("; ".join(stated))
        assert task is not None, "a row without a task is refused"
        return task

    def _mistakes(self, row: CsvRow, task: Task) -> list[str]:
        """Return the mistakes in the submission of a row that is refused, so that all mistakes are reported at once."""
        try:
            normalized(self._form, task.payload, self._submission(row, task))
        except RefusedError as error:
            return [str(error)]
        return []

    def _check_version(self, row: CsvRow, task: Task) -> None:
        """Refuse a row about an earlier version of an item if decisions on the item are already stored.

        Raises:
            RefusedError: The item has been revised in the meantime.
        """
        version, key = row.values.get(VERSION, ""), (row.values["annotator"], task.item_id)
        if version and version != version_of(task.content_hash):
            raise RefusedError(f"item {shown(task.item_id)} has been revised since; export the tasks again")
        if not version and key in self._looked_at and key not in self._submissions:
            raise RefusedError(
                f"item {shown(task.item_id)} has been revised since this annotator decided; a row about its new "
                "version names it in the column `version`"
            )


class TypedRowImport(RowImport):
    """Imports rows of a campaign with a typed form; the rows have a column for each field."""

    def __init__(
        self,
        store: ReviewStore,
        campaign: str,
        now: datetime,
        people: KnownAnnotators,
        form: Form,
        photographs: PhotographRows | None,
    ) -> None:
        super().__init__(store, campaign, now, people)
        numbered = with_numbered_fields(form).fields
        self._typed, self._columns = form, [field for field in numbered if not isinstance(field, DraftsField)]
        self._photographs = photographs

    def take(self, store: ReviewStore, row: CsvRow) -> Literal["new", "unchanged", "blank"]:
        """Import one row, and return the outcome."""
        row = without_untouched_drafts(row, self._typed, self._tasks.get(self._named(row)))
        if self._is_blank(row, self._typed.headline.name):
            return "blank"
        task = self._task(row)
        fields = self._fields(row)
        drafts = drafts_field(self._typed)
        if drafts is not None and (taken := taken_from_drafts(self._typed, fields, proposals_in(task.payload))):
            fields[drafts.name] = taken
        photographs = {} if self._photographs is None else self._photographs.take_in(fields)
        submission = normalized(self._form, task.payload, Submission(fields={**fields, **photographs}))
        before = self._submissions.get((row.values["annotator"], task.item_id))
        if before is None and submission.fields in previous_in(task.payload).values():
            return "unchanged"  # a text that came back to its writer, unchanged
        if before is None:
            return self._decide(store, row, task, submission, photographs)
        if before.fields == submission.fields:
            return "unchanged"
        raise RefusedError(
            f"annotator {shown(row.values['annotator'])} has already made a different decision on this item"
        )

    def _mistakes(self, row: CsvRow, task: Task) -> list[str]:
        has_photographs = any(isinstance(field, PhotographField) for field in self._columns)
        return [] if has_photographs else super()._mistakes(row, task)

    def _submission(self, row: CsvRow, task: Task) -> Submission:
        del task
        return Submission(fields=self._fields(row))

    def _fields(self, row: CsvRow) -> dict[str, Any]:
        """Return a row's values by field; several values in one cell are separated by semicolons."""
        return grouped_values(self._typed, {field.name: _in_cell(field, row.values) for field in self._columns})


def _in_cell(field: FormField, values: Mapping[str, str]) -> str | list[str]:
    """Return the value in a field's cell, where options are spelled by code or words, ignoring case."""
    value = values[field.name]
    if isinstance(field, Lines):
        return lines_in(value)
    if not isinstance(field, OneOf | SeveralOf):
        return value
    codes = {spelling.casefold(): option.code for option in field.options for spelling in (option.words, option.code)}
    parts = [part.strip() for part in value.split(";") if part.strip()] if isinstance(field, SeveralOf) else [value]
    chosen = [codes.get(part.casefold(), part) for part in parts]
    return chosen if isinstance(field, SeveralOf) else chosen[0]
