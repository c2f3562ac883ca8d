"""Photographs that annotators uploaded for tasks; only these can be submitted for the tasks.

A photograph is in use while any version of a decision, or a draft, names it. Unused uploads are deleted together with
their files, in one transaction that blocks all uploads and submissions of photographs (`locks.hold_uploads`). A
concurrent submission that names one either comes first, so that the photograph is in use, or is refused with the advice
to upload it again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from ...forms.campaign_form import CampaignForm
from ...forms.fields.field_types import PhotographField
from ..database.dialects import insert_into
from ..database.locks import hold_annotator
from ..database.records import RefusedError
from ..database.schema import annotators, uploads

if TYPE_CHECKING:
    from ..database.store_connection import StoreConnection
import re
from collections.abc import Collection, Sequence

from benchwright.workspace.objects import ObjectStore

from ..database.schema import annotations_table, drafts, slots

_ID = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_BATCH = 500
_with_uploads = sa.select(uploads.c.task_id)
_WORDS = (
    sa.select(annotations_table.c.fields)
    .join(slots, annotations_table.c.slot_id == slots.c.id)
    .where(slots.c.task_id.in_(_with_uploads), annotations_table.c.fields.is_not(None)),
    sa.select(drafts.c.body).where(drafts.c.task_id.in_(_with_uploads)),
)
"""All versions of decisions on tasks that have uploaded photographs, and the drafts on these tasks."""


def photographs_in_use(connection: sa.Connection) -> set[str]:
    """Return the ids of the uploaded photographs that are named in any version of a decision or in a draft."""
    named: set[str] = set()
    for query in _WORDS:
        for (text,) in connection.execute(query).yield_per(_BATCH):
            named.update(_ID.findall(text))
    return named.intersection(_uploaded(connection))


def forget_left_behind(connection: sa.Connection, photographs: ObjectStore) -> None:
    """Delete the records of unused uploads whose files are missing, as after a restore: backups omit such files."""
    unused = set(_uploaded(connection)) - photographs_in_use(connection)
    forget_uploads(connection, [object_id for object_id in unused if not photographs.path(object_id).is_file()])


def _uploaded(connection: sa.Connection) -> Sequence[str]:
    return connection.execute(sa.select(uploads.c.image_id).distinct()).scalars().all()


def forget_uploads(connection: sa.Connection, image_ids: Collection[str]) -> None:
    """Delete the records of uploads, so that no annotator can submit these photographs.

    Args:
        connection: Connection in a write transaction.
        image_ids: Ids of photographs, none of them in use.
    """
    ordered = sorted(image_ids)
    for start in range(0, len(ordered), _BATCH):
        some = ordered[start : start + _BATCH]
        connection.execute(sa.delete(uploads).where(uploads.c.image_id.in_(some)))


MOST_UPLOADS = 20
"""Maximum number of photographs that one annotator may upload for one task."""


class Uploads:
    """The records of uploaded photographs in a review store; the files are in the workspace."""

    def __init__(self, store: StoreConnection) -> None:
        self._store = store

    def check_room(self, task_id: int, annotator: str) -> None:
        """Check that an annotator may upload one more photograph for a task.

        Raises:
            RefusedError: They have uploaded the maximum number.
        """
        with self._store.reading() as connection:
            _check_room(connection, task_id, annotator)

    def note(self, task_id: int, annotator: str, image_id: str) -> None:
        """Record that an annotator uploaded a photograph for a task; safe to repeat.

        Raises:
            RefusedError: The annotator has already uploaded the maximum number of other photographs.
        """
        with self._store.batch(alone=False) as batch, batch.writing() as connection:
            hold_annotator(connection, annotator)
            annotator_id = sa.select(annotators.c.id).where(annotators.c.name == annotator).scalar_subquery()
            row = {"task_id": task_id, "annotator_id": annotator_id, "image_id": image_id}
            added = connection.execute(
                insert_into(connection, uploads).values(row).on_conflict_do_nothing(),
                execution_options={"preserve_rowcount": True},
            )
            if added.rowcount:
                _check_room(connection, task_id, annotator, most=MOST_UPLOADS + 1)

    def holds(self, task_id: int, image_id: str, *, by: str | None) -> bool:
        """Return whether this annotator, or any annotator if `by` is None, uploaded a photograph for a task."""
        query = sa.select(uploads.c.image_id).join(annotators, uploads.c.annotator_id == annotators.c.id)
        query = query.where(uploads.c.task_id == task_id, uploads.c.image_id == image_id)
        with self._store.reading() as connection:
            return connection.execute(query if by is None else query.where(annotators.c.name == by)).first() is not None


def _check_room(connection: sa.Connection, task_id: int, annotator: str, *, most: int = MOST_UPLOADS) -> None:
    query = sa.select(sa.func.count()).select_from(uploads.join(annotators))
    count = connection.execute(query.where(uploads.c.task_id == task_id, annotators.c.name == annotator)).scalar_one()
    if count >= most:
        raise RefusedError(
            f"no more photographs can be uploaded for this task (uploaded: {count}); submit one, or skip the task"
        )


class SubmittedPhotograph(NamedTuple):
    """A photograph in a submission: the name and label of its field, and its image id."""

    name: str
    label: str
    image_id: str


def photographs_in(form: CampaignForm, values: Mapping[str, Any]) -> list[SubmittedPhotograph]:
    """Return the photographs in a submission's values, by field."""
    return [
        SubmittedPhotograph(field.name, field.label, values[field.name])
        for field in form.fields or ()
        if isinstance(field, PhotographField) and field.name in values
    ]


def check_uploads(
    connection: sa.Connection, photographs: Iterable[SubmittedPhotograph], *, task_id: int, annotator_id: int
) -> None:
    """Check that the annotator who submits the photographs uploaded them for this task.

    Call this in the transaction that writes the submission, because unused uploads may be deleted until then.

    Raises:
        RefusedError: A photograph is not among these uploads.
    """
    for photograph in photographs:
        condition = (uploads.c.task_id == task_id) & (uploads.c.annotator_id == annotator_id)
        query = sa.select(uploads.c.image_id).where(condition, uploads.c.image_id == photograph.image_id)
        if connection.execute(query.with_for_update(read=True)).first() is None:
            raise RefusedError(f"field {photograph.name!r} ({photograph.label}): upload the photograph first")
