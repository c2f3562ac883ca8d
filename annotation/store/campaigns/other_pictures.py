"""Search for and check a campaign's pictures that annotators name in a form about another picture."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from ...forms.campaign_form import CampaignForm
from ...forms.fields.field_types import FormField, PicturesField, Repeated
from ...forms.payloads import PICTURE, about_in
from ..database.records import RefusedError
from ..database.schema import tasks


class NamedPicture(NamedTuple):
    """A picture of a campaign: its image id, and the name by which it can be found."""

    image_id: str
    name: str


def find_pictures(
    connection: sa.Connection, task_id: int, *, words: str = "", ids: Sequence[str] = (), most: int
) -> list[NamedPicture]:
    """Return the pictures of a task's campaign, sorted by name, except the task's own pictures.

    Args:
        connection: Connection in a read transaction.
        task_id: Id of the task.
        words: Part of the name, ignoring case; empty for all pictures.
        ids: Image ids to which to limit the search; empty for all pictures.
        most: Maximum number of pictures to return.
    """
    query = _others(task_id)
    if ids:
        query = query.where(tasks.c.item_id.in_(list(ids)))
    elif words:
        # Filters by the stored text, whose names are encoded as JSON; the loop below compares the name itself.
        query = query.where(tasks.c.payload.icontains(json.dumps(words)[1:-1], autoescape=True))
    pictures = []
    for row in connection.execute(query.order_by(tasks.c.item_id)):
        name = about_in(json.loads(row.payload)).get(PICTURE, row.item_id)
        if words.casefold() in name.casefold():
            pictures.append(NamedPicture(row.item_id, name))
    return sorted(pictures, key=lambda picture: (picture.name, picture.image_id))[:most]


def is_picture_of(connection: sa.Connection, task_id: int, image_id: str) -> bool:
    """Return whether an image is another picture of a task's campaign."""
    return connection.execute(_others(task_id).where(tasks.c.item_id == image_id)).first() is not None


def _others(task_id: int) -> sa.Select[Any]:
    own = sa.select(tasks.c.campaign_id, tasks.c.item_id).where(tasks.c.id == task_id).subquery()
    is_other = (tasks.c.campaign_id == own.c.campaign_id) & (tasks.c.item_id != own.c.item_id)
    return sa.select(tasks.c.item_id, tasks.c.payload).where(is_other, tasks.c.state != "retired")


def check_pictures(connection: sa.Connection, form: CampaignForm, values: Mapping[str, Any], *, task_id: int) -> None:
    """Check that all pictures named in a submission are other pictures of the task's campaign.

    Raises:
        RefusedError: One of them is not; the message states where the submission names it.
    """
    named = list(_pictures_in(form.fields or (), values))
    if not named:
        return
    wanted = sorted({image_id for _, image_id in named})
    known = set(connection.execute(_others(task_id).where(tasks.c.item_id.in_(wanted))).scalars())
    if wrong := [f"{where}: {image_id[:12]}" for where, image_id in named if image_id not in known]:
        raise RefusedError(f"{'; '.join(wrong[:10])}: no other picture of this campaign")


def _pictures_in(fields: Sequence[FormField], values: Mapping[str, Any], where: str = "") -> Iterator[tuple[str, str]]:
    """Yield each picture named in form values, with the path of the value that names it."""
    for field in fields:
        if isinstance(field, PicturesField):
            yield from ((f"{where}field {field.name!r} ({field.label})", each) for each in values.get(field.name) or ())
        elif isinstance(field, Repeated):
            for number, entry in enumerate(values.get(field.name) or (), 1):
                yield from _pictures_in(field.fields, entry, f"{field.entry} {number}: ")
