"""Decisions from a CSV file, such as a filled-in `review export`: a row is one annotator on one item."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple

from benchwright.errors import BenchwrightError

from .csv_rows import Row, read_rows, shown
from .edit_columns import VERSION, check_by_table, edit_columns_of, edits_in_row, version_of
from .form import Form, SeveralOf, form_of
from .next_rounds import open_next_rounds
from .photograph_rows import PhotographRows, note_photographs
from .store import RefusedError, ReviewStore, Task, decisions_of, fields_of
from .store.forms import edits_in
from .store.reports import list_decisions
from .task_file import BESIDE, SHOWN, columns_of

REQUIRED = ("annotator", "item_id", "decision")
OPTIONAL = ("reason", "note")
BATCH = 500
"""Rows in one transaction."""


class RefusedRow(NamedTuple):
    """A row that did not go in."""

    line: int
    why: str


@dataclass(frozen=True)
class Imported:
    """What became of the rows of a file; the four add up to `rows`.

    Args:
        rows: Rows below the header.
        new: Decisions that went in.
        unchanged: Decisions that were there already.
        blank: Rows without a decision, not filled in yet.
        refused: The others.
    """

    rows: int
    new: int
    unchanged: int
    blank: int
    refused: tuple[RefusedRow, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the document that `review import --json` prints."""
        return {
            "rows": self.rows,
            "new": self.new,
            "unchanged": self.unchanged,
            "blank": self.blank,
            "refused": [{"line": row.line, "reason": row.why} for row in self.refused],
        }


def import_decisions(
    store: ReviewStore, campaign: str, path: Path, *, now: datetime, workspace: Path | None = None
) -> Imported:
    """Take the decisions of a file in, each as if its annotator had claimed the item and submitted.

    Several reasons in one cell are parted by semicolons. Where the decisions make a revision, its next round opens.

    Args:
        store: The review store.
        campaign: The campaign, open to people.
        path: CSV file with the columns annotator, item_id, decision and perhaps reason and note; in a campaign with a
            typed form, its fields in place of the last three.
        now: The moment that the decisions get.
        workspace: Takes in photographs that rows name, files below the table's folder; where None such rows are
            refused.

    Raises:
        DataError: The file is no such table; nothing goes in.
    """
    settings = store.campaign(campaign)
    check_by_table(settings)
    form = form_of(settings.form)
    if form is None:
        optional = (*OPTIONAL, *edit_columns_of(settings))
        rows = list(read_rows(path, required=REQUIRED, optional=optional, ignored=SHOWN))
    else:
        _, first, *others = columns_of(form)
        required = ("annotator", "item_id", first)
        rows = list(read_rows(path, required=required, optional=others, ignored=(*SHOWN, BESIDE)))
    photographs = None if form is None or workspace is None else PhotographRows(workspace, path.parent, form)
    taken = _Taken(store, campaign, now) if form is None else _TakenByField(store, campaign, now, form, photographs)
    counts = {"new": 0, "unchanged": 0, "blank": 0}
    refused: list[RefusedRow] = []
    for start in range(0, len(rows), BATCH):
        with store.batch() as held:
            for row in rows[start : start + BATCH]:
                try:
                    counts[taken.take(held, row)] += 1
                except BenchwrightError as error:
                    refused.append(RefusedRow(row.line, str(error)))
    open_next_rounds(store, campaign)
    return Imported(rows=len(rows), refused=tuple(refused), **counts)


class _Taken:
    """What is in the store already, kept up to date row by row."""

    def __init__(self, store: ReviewStore, campaign: str, now: datetime) -> None:
        self._campaign = campaign
        self._now = now
        self._tasks = {task.item_id: task for task in store.tasks(campaign, states=("open", "done"))}
        settings = store.campaign(campaign)
        self._form = settings.form
        with store.reading() as connection:
            every = list_decisions(connection, settings, with_retired=True)
        self._looked_at = {(one.annotator, one.item_id) for one in every}
        self._said = {
            (one.annotator, one.item_id): (one.decision, one.reasons, one.note, dict(one.edits or {}))
            for one in store.decisions(campaign)
        }

    def take(self, store: ReviewStore, row: Row) -> Literal["new", "unchanged", "blank"]:
        annotator, item_id = row.values["annotator"], row.values["item_id"]
        decision, note = row.values["decision"], row.values["note"] or None
        if row.problem:
            raise RefusedError(row.problem)
        if not decision:
            return "blank"
        if item_id not in self._tasks:
            raise RefusedError(f"item {shown(item_id)} is no current task of campaign {self._campaign!r}")
        task = self._tasks[item_id]
        self._check_version(row, task)
        spelled = {known.lower(): known for known in decisions_of(self._form, task.payload)}
        decision = spelled.get(decision.lower(), decision)
        reasons = tuple(sorted({reason.strip() for reason in row.values["reason"].split(";")} - {""}))
        edits = edits_in(self._form, task.payload, edits_in_row(row.values)) or {}
        before = self._said.get((annotator, item_id))
        if before == (decision, reasons, note, edits):
            return "unchanged"
        if before is not None:
            raise RefusedError(f"annotator {shown(annotator)} has already said {before[0]!r} of this item")
        with store.batch() as held:  # a refused row leaves nothing behind, not even a new annotator
            held.upsert_annotator(annotator)
            held.decide(
                self._campaign, task.id, annotator, decision, now=self._now, reasons=reasons, note=note, edits=edits
            )
        self._said[annotator, item_id] = (decision, reasons, note, edits)
        return "new"

    def _check_version(self, row: Row, task: Task) -> None:
        """Refuse a row about an earlier version of an item: what was said of that one is in the store already."""
        said, who = row.values.get(VERSION, ""), (row.values["annotator"], task.item_id)
        if said and said != version_of(task.content_hash):
            raise RefusedError(f"item {shown(task.item_id)} has been revised since; export the tasks again")
        if not said and who in self._looked_at and who not in self._said:
            raise RefusedError(
                f"item {shown(task.item_id)} has been revised since this annotator decided; a row about its new "
                "version says so in the column `version`"
            )


class _TakenByField(_Taken):
    """The same where the campaign has a typed form: a column for each of its fields."""

    def __init__(
        self, store: ReviewStore, campaign: str, now: datetime, form: Form, photographs: PhotographRows | None
    ) -> None:
        super().__init__(store, campaign, now)
        self._typed = form
        self._photographs = photographs
        self._filled = {(one.annotator, one.item_id): one.fields for one in store.decisions(campaign)}

    def take(self, store: ReviewStore, row: Row) -> Literal["new", "unchanged", "blank"]:
        annotator, item_id = row.values["annotator"], row.values["item_id"]
        if row.problem:
            raise RefusedError(row.problem)
        if not row.values[self._typed.headline.name]:
            return "blank"
        if item_id not in self._tasks:
            raise RefusedError(f"item {shown(item_id)} is no current task of campaign {self._campaign!r}")
        task = self._tasks[item_id]
        fields = self._fields(row)
        brought = {} if self._photographs is None else self._photographs.take_in(fields)
        fields |= brought
        typed = fields_of(self._form, task.payload, fields)
        assert typed is not None
        before = self._filled.get((annotator, item_id))
        if before == typed.values:
            return "unchanged"
        if before is not None:
            raise RefusedError(f"annotator {shown(annotator)} has already decided this item otherwise")
        with store.batch() as held:  # a refused row leaves nothing behind, not even a new annotator
            held.upsert_annotator(annotator)
            note_photographs(held, task.id, annotator, brought)
            held.decide(self._campaign, task.id, annotator, "", now=self._now, fields=fields)
        self._filled[annotator, item_id] = typed.values
        return "new"

    def _fields(self, row: Row) -> dict[str, str | list[str]]:
        """Return a row's values by field; several in one cell are parted by semicolons."""
        found: dict[str, str | list[str]] = {}
        for field in self._typed.fields:
            value = row.values[field.name]
            is_several = isinstance(field, SeveralOf)
            found[field.name] = [one.strip() for one in value.split(";") if one.strip()] if is_several else value
        return found
