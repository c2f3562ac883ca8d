"""Import of decisions from a CSV file, such as a filled-in `review export`: each row is one decision on one item.

Rows may name photographs, files beside the table, which are stored like those that are uploaded in the app.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, NamedTuple

import sqlalchemy as sa

from benchwright.errors import BenchwrightError, UnreadableImage
from benchwright.images.formats.walking import Limits
from benchwright.images.identify import read_file

from ..forms.csv_rows import CsvRow, read_rows, shown
from ..forms.fields.field_types import FormField, Lines, OneOf, PhotographField, SeveralOf
from ..forms.fields.form import Form
from ..forms.fields.numbered_fields import grouped_values, lines_in, with_numbered_fields
from ..forms.submission import Submission
from ..store import Accounts, RefusedError, ReviewStore, Task, Uploads, decisions_of
from ..store.campaigns.decisions import list_decisions
from ..store.database.schema import annotators
from ..store.submissions.form_checks import normalized
from ..workflow.photo_uploads import take_in_photograph
from ..workflow.settlement.closing import close_early
from ..workflow.settlement.marked_regions import compare_regions
from ..workflow.settlement.revisions import open_next_rounds
from .edit_columns import VERSION, check_by_table, edit_columns_of, edits_in_row, version_of
from .task_file import BESIDE, SHOWN, TAKES, columns_of


class PhotographRows:
    """Stores the photographs that a table names.

    Args:
        root: Folder of the workspace.
        folder: Folder of the table; nothing outside of it is read.
        form: Form of the campaign.
    """

    def __init__(self, root: Path, folder: Path, form: Form) -> None:
        self._root = root
        self._folder = folder.resolve()
        self._fields = [field for field in form.fields if isinstance(field, PhotographField)]

    def take_in(self, values: Mapping[str, Any]) -> dict[str, str]:
        """Store the photographs of a row; return the id of each by the name of its field.

        Raises:
            RefusedError: A file is not below the table's folder, cannot be read, or is no photograph.
        """
        return {field.name: self._taken(field, values[field.name]) for field in self._fields if values.get(field.name)}

    def _taken(self, field: PhotographField, name: str) -> str:
        try:
            path = (self._folder / name).resolve()
            if not path.is_relative_to(self._folder):
                raise RefusedError(f"photograph {shown(name)} is not below the table's folder")
            data = read_file(path, limits=Limits(max_bytes=field.max_bytes))
        except (UnreadableImage, OSError, ValueError) as error:
            raise RefusedError(f"photograph {shown(name)} cannot be read: {error}") from None
        return take_in_photograph(self._root, data, field).image_id


def note_photographs(store: ReviewStore, task_id: int, annotator: str, taken: Mapping[str, str]) -> None:
    """Record an annotator's photographs for a task, so that they can be submitted."""
    for image_id in taken.values():
        Uploads(store).note(task_id, annotator, image_id)


REQUIRED = ("annotator", "item_id", "decision")
OPTIONAL = ("reason", "note")
UNDECIDED = {"annotator", "item_id", VERSION}
"""Columns that may be filled in although nothing is decided."""
BATCH = 500
"""Rows in one transaction."""


class RefusedRow(NamedTuple):
    """A row that was not imported: its line in the file, and the reason."""

    line: int
    why: str


@dataclass(frozen=True)
class Imported:
    """Result of an import; new, unchanged, blank and refused rows add up to `rows`.

    Args:
        rows: Number of rows below the header.
        new: Number of new decisions.
        unchanged: Number of decisions that the store had already.
        blank: Number of rows that are not filled in yet.
        refused: Rows that were not imported, with the reason.
        new_annotators: Sorted names of annotators who were not known before.
    """

    rows: int
    new: int
    unchanged: int
    blank: int
    refused: tuple[RefusedRow, ...]
    new_annotators: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the document that `review import --json` prints."""
        return {
            "rows": self.rows,
            "new": self.new,
            "unchanged": self.unchanged,
            "blank": self.blank,
            "refused": [{"line": row.line, "reason": row.why} for row in self.refused],
            "new_annotators": list(self.new_annotators),
        }


def import_decisions(
    store: ReviewStore,
    campaign: str,
    path: Path,
    *,
    now: datetime,
    workspace: Path | None = None,
    new_annotators: bool = False,
) -> Imported:
    """Import the decisions of a file, each as if its annotator had claimed the item and submitted.

    Several reasons in one cell are separated by semicolons. Where decisions lead to a revision, its next round opens.
    Where people have accounts, a row of somebody without an account who has decided nothing so far is refused.

    Args:
        store: Review store.
        campaign: Name of a campaign for people.
        path: CSV file with the columns annotator, item_id, decision and perhaps reason and note; in a campaign with a
            typed form, with its fields in place of the last three.
        now: Moment of the decisions.
        workspace: Folder of the workspace, which stores photographs that rows name as files below the table's folder;
            default None, with which such rows are refused.
        new_annotators: Whether to accept annotators who are not known yet; default False.

    Raises:
        DataError: The file is no such table; nothing is imported.
    """
    settings = store.campaign(campaign)
    check_by_table(settings)
    form = settings.form.typed
    if form is None:
        optional = (*OPTIONAL, *edit_columns_of(settings))
        rows = list(read_rows(path, required=REQUIRED, optional=optional, ignored=(*SHOWN, TAKES)))
    else:
        _, first, *further = columns_of(form)
        required = ("annotator", "item_id", first)
        long = [field.name for field in form.region_fields]
        rows = list(read_rows(path, required=required, optional=further, ignored=(*SHOWN, BESIDE, TAKES), long=long))
    photographs = None if form is None or workspace is None else PhotographRows(workspace, path.parent, form)
    people = _KnownAnnotators(store, new_annotators=new_annotators)
    importer = (
        _RowImport(store, campaign, now, people)
        if form is None
        else _TypedRowImport(store, campaign, now, people, form, photographs)
    )
    counts = {"new": 0, "unchanged": 0, "blank": 0}
    refused: list[RefusedRow] = []
    for start in range(0, len(rows), BATCH):
        with store.batch() as held:
            for row in rows[start : start + BATCH]:
                try:
                    counts[importer.take(held, row)] += 1
                except BenchwrightError as error:
                    refused.append(RefusedRow(row.line, str(error)))
    compare_regions(store, campaign)
    close_early(store, campaign)
    open_next_rounds(store, campaign)
    return Imported(rows=len(rows), refused=tuple(refused), new_annotators=tuple(sorted(people.new)), **counts)


class _KnownAnnotators:
    """Annotators who are known by an account or by earlier decisions, and those who came with this file."""

    def __init__(self, store: ReviewStore, *, new_annotators: bool) -> None:
        self._accounts = {account.name for account in Accounts(store).all()}
        with store.reading() as connection:
            decided = connection.execute(sa.select(annotators.c.name).where(annotators.c.kind == "person")).scalars()
            self._known = {*decided, *self._accounts}
        self._takes_new = new_annotators
        self.new: set[str] = set()

    def problem(self, name: str) -> str | None:
        """Return what is wrong with an annotator's name, in words; None where nothing is."""
        if not name:
            return "no annotator"
        if name in self._known or self._takes_new:
            return None
        near = {known.casefold(): known for known in sorted(self._known)}
        if name.casefold() in near:
            return f"annotator {shown(name)} is not known, {shown(near[name.casefold()])} is; spell them alike"
        if self._accounts:
            close = get_close_matches(name, sorted(self._known), n=1)
            hint = f"did you mean {shown(close[0])}? " if close else ""
            return f"annotator {shown(name)} is not known here; {hint}(--new-annotators takes names without an account)"
        return None

    def note(self, name: str) -> None:
        """Record that a decision of an annotator was imported."""
        if name not in self._known:
            self.new.add(name)


class _RowImport:
    """Imports rows one by one, and knows what the store holds of each annotator and item."""

    def __init__(self, store: ReviewStore, campaign: str, now: datetime, people: _KnownAnnotators) -> None:
        self._campaign = campaign
        self._now = now
        self._people = people
        self._tasks = {task.item_id: task for task in store.tasks(campaign, states=("open", "done"))}
        settings = store.campaign(campaign)
        self._form = settings.form
        with store.reading() as connection:
            every = list_decisions(connection, settings, with_retired=True)
        self._looked_at = {(annotation.annotator, annotation.item_id) for annotation in every}
        self._submissions: dict[tuple[str, str], Submission] = {
            (annotation.annotator, annotation.item_id): annotation for annotation in store.decisions(campaign)
        }
        """Submissions by annotator and item."""

    def take(self, store: ReviewStore, row: CsvRow) -> Literal["new", "unchanged", "blank"]:
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
            f"annotator {shown(row.values['annotator'])} has already said {before.decision!r} of this item"
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
        """Store the submission of a row, with its photographs."""
        annotator = row.values["annotator"]
        with store.batch() as held:  # a refused row leaves nothing behind, not even a new annotator
            held.upsert_annotator(annotator)
            note_photographs(held, task.id, annotator, photographs or {})
            held.decide(self._campaign, task.id, annotator, submission, now=self._now)
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
        if filled_in := [name for name in row.values if name not in UNDECIDED and row.values[name]]:
            raise RefusedError(f"{filled_in[0]} is filled in, but {headline} is not")
        return True

    def _task(self, row: CsvRow) -> Task:
        """Return the task that a row decides.

        Raises:
            RefusedError: The row is malformed, or its annotator or its item is unknown; the message lists all problems.
        """
        task = self._tasks.get(row.values["item_id"])
        no_task = f"item {shown(row.values['item_id'])} is no current task of campaign {self._campaign!r}"
        problems = [row.problem, self._people.problem(row.values["annotator"]), None if task else no_task]
        if stated := [problem for problem in problems if problem is not None]:
            raise RefusedError("; ".join(stated))
        assert task is not None, "a row without a task is refused"
        return task

    def _check_version(self, row: CsvRow, task: Task) -> None:
        """Refuse a row about an earlier version of an item, whose decisions the store has already.

        Raises:
            RefusedError: The item has been revised since.
        """
        version, key = row.values.get(VERSION, ""), (row.values["annotator"], task.item_id)
        if version and version != version_of(task.content_hash):
            raise RefusedError(f"item {shown(task.item_id)} has been revised since; export the tasks again")
        if not version and key in self._looked_at and key not in self._submissions:
            raise RefusedError(
                f"item {shown(task.item_id)} has been revised since this annotator decided; a row about its new "
                "version says so in the column `version`"
            )


class _TypedRowImport(_RowImport):
    """Imports rows of a campaign with a typed form, which have a column for each of its fields."""

    def __init__(
        self,
        store: ReviewStore,
        campaign: str,
        now: datetime,
        people: _KnownAnnotators,
        form: Form,
        photographs: PhotographRows | None,
    ) -> None:
        super().__init__(store, campaign, now, people)
        self._typed, self._columns = form, with_numbered_fields(form).fields
        self._photographs = photographs

    def take(self, store: ReviewStore, row: CsvRow) -> Literal["new", "unchanged", "blank"]:
        if self._is_blank(row, self._typed.headline.name):
            return "blank"
        task = self._task(row)
        fields = self._fields(row)
        photographs = {} if self._photographs is None else self._photographs.take_in(fields)
        submission = normalized(self._form, task.payload, Submission(fields={**fields, **photographs}))
        before = self._submissions.get((row.values["annotator"], task.item_id))
        if before is None:
            return self._decide(store, row, task, submission, photographs)
        if before.fields == submission.fields:
            return "unchanged"
        raise RefusedError(f"annotator {shown(row.values['annotator'])} has already decided this item otherwise")

    def _fields(self, row: CsvRow) -> dict[str, Any]:
        """Return a row's values by field; several values in one cell are separated by semicolons."""
        return grouped_values(self._typed, {field.name: _in_cell(field, row.values) for field in self._columns})


def _in_cell(field: FormField, values: Mapping[str, str]) -> str | list[str]:
    """Return the value in the cell of a field; options are spelled by their code or their words, in any case."""
    value = values[field.name]
    if isinstance(field, Lines):
        return lines_in(value)
    if not isinstance(field, OneOf | SeveralOf):
        return value
    codes = {spelling.casefold(): option.code for option in field.options for spelling in (option.words, option.code)}
    parts = [part.strip() for part in value.split(";") if part.strip()] if isinstance(field, SeveralOf) else [value]
    chosen = [codes.get(part.casefold(), part) for part in parts]
    return chosen if isinstance(field, SeveralOf) else chosen[0]
