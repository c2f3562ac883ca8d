"""Photographs that annotators uploaded for a task: only these can be handed in there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from ..form import Photograph, form_of
from .records import RefusedError
from .schema import annotators, uploads

if TYPE_CHECKING:
    from .store_connection import StoreConnection

MOST_UPLOADS = 20
"""Photographs that one annotator may try for one task."""


class Uploads:
    """The uploaded photographs of a review store: which there are; the files lie in the workspace."""

    def __init__(self, store: StoreConnection) -> None:
        self._store = store

    def check_room(self, task_id: int, annotator: str) -> None:
        """Check that an annotator may upload one more for a task.

        Raises:
            RefusedError: They uploaded as many as they may.
        """
        with self._store.reading() as connection:
            query = sa.select(sa.func.count()).select_from(uploads.join(annotators))
            count = connection.execute(query.where(uploads.c.task_id == task_id, annotators.c.name == annotator))
            if (found := count.scalar_one()) >= MOST_UPLOADS:
                raise RefusedError(f"{found} photographs were uploaded for this task; hand one in, or skip the task")

    def note(self, task_id: int, annotator: str, image_id: str) -> None:
        """Note that an annotator uploaded a photograph for a task; safe to repeat."""
        with self._store.batch() as held, held.writing() as connection:
            if Uploads(held).holds(task_id, image_id, by=annotator):
                return
            who = sa.select(annotators.c.id).where(annotators.c.name == annotator).scalar_subquery()
            connection.execute(sa.insert(uploads).values(task_id=task_id, annotator_id=who, image_id=image_id))

    def holds(self, task_id: int, image_id: str, *, by: str | None) -> bool:
        """Return whether a photograph was uploaded for a task, by this annotator or, where None, by anybody."""
        query = sa.select(uploads.c.image_id).join(annotators, uploads.c.annotator_id == annotators.c.id)
        query = query.where(uploads.c.task_id == task_id, uploads.c.image_id == image_id)
        with self._store.reading() as connection:
            return connection.execute(query if by is None else query.where(annotators.c.name == by)).first() is not None


class HandedIn(NamedTuple):
    """A photograph that somebody hands in: the field's name and label, and which it is."""

    name: str
    label: str
    image_id: str


def photographs_in(form: Mapping[str, Any], values: Mapping[str, Any]) -> list[HandedIn]:
    """Return the photographs that are handed in with what is said by field."""
    typed = form_of(form)
    return [
        HandedIn(field.name, field.label, values[field.name])
        for field in (() if typed is None else typed.fields)
        if isinstance(field, Photograph) and field.name in values
    ]


def check_uploads(
    connection: sa.Connection, photographs: Iterable[HandedIn], *, task_id: int, annotator_id: int
) -> None:
    """Check that photographs that are handed in were uploaded for this task by whoever hands them in.

    In the transaction in which they are: unused ones may be forgotten until then (`photographs_in_use.py`).

    Raises:
        RefusedError: One was not.
    """
    for one in photographs:
        own = (uploads.c.task_id == task_id) & (uploads.c.annotator_id == annotator_id)
        query = sa.select(uploads.c.image_id).where(own, uploads.c.image_id == one.image_id)
        if connection.execute(query).first() is None:
            raise RefusedError(f"field {one.name!r} ({one.label}): upload the photograph first")
