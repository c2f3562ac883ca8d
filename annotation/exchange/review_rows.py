"""The two tables of a review: one for answers, without keys, and one for the votes of those who have answered.

A table contains an item's key only once all slots of the item are held by annotators who have answered it, since a
table cannot hide the key from some of its readers. Label Studio has two projects for the same reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal

from ..forms.csv_rows import CsvRow, shown
from ..forms.submission import Submission
from ..store.database.records import RefusedError, Task
from ..store.review_store import ReviewStore
from ..store.submissions.external_annotations import ExternalAnswer, answered_by_all, take_in_answer
from ..store.submissions.form_checks import normalized
from ..store.submissions.pre_key_answers import ANSWER, ANSWER_RIGHT, blind_answer, voted_on
from .decision_rows import KnownAnnotators, RowImport, TypedRowImport
from .edit_columns import edits_in_row


def voters_of(store: ReviewStore, name: str) -> Mapping[int, Sequence[str]]:
    """Return, for each fully answered task, the annotators who answered but have not voted, in order."""
    campaign = store.campaign(name)
    with store.reading() as connection:
        answered = answered_by_all(connection, campaign)
    voted = {(decision.annotator, decision.item_id) for decision in store.decisions(name)}
    items = {task.id: task.item_id for task in store.tasks(name)}
    waiting = {
        task: [annotator for annotator in names if (annotator, items[task]) not in voted]
        for task, names in answered.items()
    }
    return {task: names for task, names in waiting.items() if names}


def answer_of(store: ReviewStore, task_id: int, annotator: str) -> str:
    """Return the answer that an annotator gave before seeing the key; empty if there is no such answer."""
    with store.reading() as connection:
        return blind_answer(connection, task_id, annotator) or ""


class AnswerRowImport(RowImport):
    """Imports answers given without keys, and reserves the annotators' slots until the votes arrive."""

    def take(self, store: ReviewStore, row: CsvRow) -> Literal["new", "unchanged", "blank"]:
        """Import one row, and return the outcome."""
        if self._is_blank(row, "decision"):
            return "blank"
        task, annotator = self._task(row), row.values["annotator"]
        answer = ExternalAnswer(task.id, annotator, row.values["decision"].upper(), self._now, self._now)
        with store.writing(alone=True) as connection:
            taken = take_in_answer(connection, self._campaign, answer, is_shown=False, now=self._now)
        self._people.note(annotator)
        return taken


class VoteRowImport(TypedRowImport):
    """Imports the votes of annotators who have answered, together with edits of the items."""

    def __init__(self, store: ReviewStore, campaign: str, now: datetime, people: KnownAnnotators) -> None:
        self._store = store
        super().__init__(store, campaign, now, people, voted_on(store.campaign(campaign).form), None)

    def _submission(self, row: CsvRow, task: Task) -> Submission:
        votes = {**self._fields(row), ANSWER: answer_of(self._store, task.id, row.values["annotator"])}
        return Submission(fields=votes, edits=edits_in_row(row.values))

    def take(self, store: ReviewStore, row: CsvRow) -> Literal["new", "unchanged", "blank"]:
        """Import one row, and return the outcome."""
        if self._is_blank(row, self._typed.headline.name):
            return "blank"
        task, annotator = self._task(row), row.values["annotator"]
        self._check_version(row, task)
        answer = answer_of(store, task.id, annotator)
        if not answer:
            raise RefusedError(
                f"annotator {shown(annotator)} has not answered this item without its key, and so has no vote on it"
            )
        submission = normalized(self._form, task.payload, self._submission(row, task))
        before = self._submissions.get((annotator, task.item_id))
        if before is None:
            return self._decide(store, row, task, submission)
        fields = {name: value for name, value in (before.fields or {}).items() if name != ANSWER_RIGHT}
        if (fields, before.edits) == (submission.fields, submission.edits):
            return "unchanged"
        raise RefusedError(f"annotator {shown(annotator)} has already cast a different vote on this item")
