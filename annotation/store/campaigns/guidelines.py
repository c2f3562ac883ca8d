"""What annotators are told, version by version, and which version each decision followed.

A version is never changed: other words, or other pictures, are another version. A recipe's `guidelines` make one when
they say something new, and so does a curator who sets them (`review guidelines`); the newest is shown. A campaign whose
recipe says nothing begins with those of its kind.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import sqlalchemy as sa

from benchwright.canonical import digest

from ...forms.kinds import KINDS
from ..database.audit import COMMAND_LINE, clock, record
from ..database.records import Campaign
from ..database.schema import followed, guideline_pictures, guidelines, slots
from .tasks import find_campaign

if TYPE_CHECKING:
    from ..database.store_connection import StoreConnection

Origin = Literal["recipe", "curator"]


class GuidelinePicture(NamedTuple):
    """A picture within guidelines, as a browser gets it."""

    data: bytes
    media_type: str


class GuidelinesVersion(NamedTuple):
    """One version: its text in Markdown, in which `picture:0`, `picture:1` and so on stand for its pictures."""

    id: int
    version: int
    origin: Origin
    text: str
    decisions: int = 0
    """How many followed it, in all their versions; counted in lists only."""


def write(
    connection: sa.Connection, campaign: Campaign, text: str, pictures: Sequence[GuidelinePicture], *, origin: Origin
) -> int:
    """Write a campaign's next version and return its number."""
    newest = sa.select(sa.func.max(guidelines.c.version)).where(guidelines.c.campaign_id == campaign.id)
    version = (connection.execute(newest).scalar_one() or 0) + 1
    values = {"campaign_id": campaign.id, "version": version, "origin": origin, "text": text}
    made = connection.execute(sa.insert(guidelines).values(values).returning(guidelines.c.id)).scalar_one()
    for place, picture in enumerate(pictures):
        body = b64encode(picture.data).decode()  # as text, so that a backup holds it as it holds everything
        kept = {"guidelines_id": made, "place": place, "media_type": picture.media_type, "body": body}
        connection.execute(sa.insert(guideline_pictures).values(kept))
    if not campaign.is_simulated:
        text_digest = digest_of_guidelines(connection, made)
        about = {"campaign": campaign.name, "version": version, "guidelines": made, "said": text_digest}
        record(connection, "guidelines_written", actor=COMMAND_LINE, at=clock(), **about)
    return int(version)


def digest_of_guidelines(connection: sa.Connection, guidelines_id: int) -> str | None:
    """Return the digest of all that a version says, its pictures among it; None where there is none."""
    query = sa.select(guidelines.c.campaign_id, guidelines.c.version, guidelines.c.origin, guidelines.c.text)
    row = connection.execute(query.where(guidelines.c.id == guidelines_id)).one_or_none()
    if row is None:
        return None
    pictures = sa.select(guideline_pictures.c.place, guideline_pictures.c.media_type, guideline_pictures.c.body)
    of_version = pictures.where(guideline_pictures.c.guidelines_id == guidelines_id)
    shown = connection.execute(of_version.order_by(guideline_pictures.c.place))
    return digest([*row, [[*picture] for picture in shown]])


def take_from_recipe(connection: sa.Connection, campaign: Campaign) -> None:
    """Make a version of what a recipe says, where that is not what it said last.

    A recipe that says nothing leaves people with what their kind of campaign says by itself, as the first version;
    never over a version that is there, and never where the recipe wants none (an empty text).
    """
    text = campaign.form.guidelines
    is_left_open = "guidelines" in campaign.form.model_fields_set and text is None and not campaign.is_simulated
    known = sa.select(guidelines.c.text, guidelines.c.origin).where(guidelines.c.campaign_id == campaign.id)
    versions = connection.execute(known.order_by(guidelines.c.version)).all()
    last = next((row.text for row in reversed(versions) if row.origin == "recipe"), None)
    if is_left_open and not versions and campaign.kind in KINDS:
        text = KINDS[campaign.kind].guidelines
    if isinstance(text, str) and text.strip() and text != last:
        write(connection, campaign, text, (), origin="recipe")


def newest_of(campaign_id: sa.ColumnElement[int]) -> sa.ScalarSelect[int]:
    """Return a query for the newest version of a campaign's guidelines, by id; NULL where there are none."""
    return (
        sa.select(guidelines.c.id)
        .where(guidelines.c.campaign_id == campaign_id)
        .order_by(guidelines.c.version.desc())
        .limit(1)
        .scalar_subquery()
    )


class Guidelines:
    """The guidelines of a review store."""

    def __init__(self, store: StoreConnection) -> None:
        self._store = store

    def set(self, campaign: str, text: str, pictures: Sequence[GuidelinePicture]) -> int:
        """Make a curator's version of a campaign's guidelines and return its number.

        Raises:
            BenchwrightError: There is no such campaign.
        """
        with self._store.writing() as connection:
            return write(connection, find_campaign(connection, campaign), text, pictures, origin="curator")

    def newest(self, campaign: Campaign) -> GuidelinesVersion | None:
        """Return what annotators are told now; None where they are told nothing."""
        query = _VERSIONS.where(guidelines.c.campaign_id == campaign.id).order_by(guidelines.c.version.desc()).limit(1)
        with self._store.reading() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else GuidelinesVersion(*row)

    def versions(self, campaign: Campaign) -> list[GuidelinesVersion]:
        """Return all versions, the first first, each with how many decisions followed it."""
        count = (
            sa.select(sa.func.count())
            .select_from(followed.join(slots, followed.c.slot_id == slots.c.id))
            .where(followed.c.guidelines_id == guidelines.c.id)
            .scalar_subquery()
        )
        query = _VERSIONS.add_columns(count).where(guidelines.c.campaign_id == campaign.id)
        with self._store.reading() as connection:
            return [GuidelinesVersion(*row) for row in connection.execute(query.order_by(guidelines.c.version))]

    def picture(self, guidelines_id: int, place: int) -> GuidelinePicture | None:
        """Return one picture of a version."""
        wanted = sa.select(guideline_pictures).where(
            guideline_pictures.c.guidelines_id == guidelines_id, guideline_pictures.c.place == place
        )
        with self._store.reading() as connection:
            row = connection.execute(wanted).one_or_none()
        return None if row is None else GuidelinePicture(b64decode(row.body), row.media_type)


_VERSIONS = sa.select(guidelines.c.id, guidelines.c.version, guidelines.c.origin, guidelines.c.text)
