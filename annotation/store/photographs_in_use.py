"""Which uploaded photographs something in the store refers to, and how the others go.

A photograph is in use while any version of a decision names it, or a draft does. Uploads that nobody took up are
forgotten together with their files, in one transaction that holds the write lock: who hands one in meanwhile either
comes first, and then it is in use, or is told to upload it again.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import sqlalchemy as sa

from benchwright.workspace.objects import ObjectStore

from .schema import annotations_table, drafts, slots, uploads

_ID = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_BATCH = 500
_with_uploads = sa.select(uploads.c.task_id)
_WORDS = (
    sa.select(annotations_table.c.fields)
    .join(slots, annotations_table.c.slot_id == slots.c.id)
    .where(slots.c.task_id.in_(_with_uploads), annotations_table.c.fields.is_not(None)),
    sa.select(drafts.c.body).where(drafts.c.task_id.in_(_with_uploads)),
)
"""All versions of what was said of tasks for which somebody uploaded something, and what is being typed there."""


def photographs_in_use(connection: sa.Connection) -> set[str]:
    """Return the ids of the uploaded photographs that a decision, in any version, or a draft names."""
    named: set[str] = set()
    for query in _WORDS:
        for (text,) in connection.execute(query).yield_per(_BATCH):
            named.update(_ID.findall(text))
    return named.intersection(_uploaded(connection))


def forget_left_behind(connection: sa.Connection, there: ObjectStore) -> None:
    """Forget the uploads that nothing refers to and whose files are not there, as after a backup, which leaves them."""
    unused = set(_uploaded(connection)) - photographs_in_use(connection)
    forget_uploads(connection, [one for one in unused if not there.path(one).is_file()])


def _uploaded(connection: sa.Connection) -> Sequence[str]:
    return connection.execute(sa.select(uploads.c.image_id).distinct()).scalars().all()


def forget_uploads(connection: sa.Connection, image_ids: Collection[str]) -> None:
    """Have it that these photographs were never uploaded, so that nobody can hand them in.

    Args:
        connection: In a transaction that writes.
        image_ids: None of them in use.
    """
    ordered = sorted(image_ids)
    for start in range(0, len(ordered), _BATCH):
        some = ordered[start : start + _BATCH]
        connection.execute(sa.delete(uploads).where(uploads.c.image_id.in_(some)))
