"""Guidelines for annotators, version by version, and the version that each decision followed.

Versions never change: a different text, or different pictures, make another version. A new version comes from a recipe
whose `guidelines` differ from its last ones, or from a curator who sets them (`review guidelines`). The app shows
annotators the newest. A campaign whose recipe has no `guidelines` begins with those of its kind.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import sqlalchemy as sa

from benchwright.canonical import digest

from ...forms.kinds import KINDS
from ..database.audit import COMMAND_LINE, clock, record
from ..database.locks import hold_campaign
from ..database.records import Campaign, RefusedError, StaleError
from ..database.schema import followed, guideline_pictures, guidelines, slots
from .tasks import find_campaign

if TYPE_CHECKING:
    from ..database.store_connection import StoreConnection

Origin = Literal["recipe", "curator"]


class GuidelinePicture(NamedTuple):
    """A picture in the guidelines, in the form in which a browser receives it."""

    data: bytes
    media_type: str


class GuidelinesVersion(NamedTuple):
    """A version of guidelines; in its Markdown text, `picture:0`, `picture:1` and so on stand for its pictures."""

    id: int
    version: int
    origin: Origin
    text: str
    decisions: int = 0
    """Number of versions of decisions that followed these guidelines; counted only for lists."""


def write(
    connection: sa.Connection,
    campaign: Campaign,
    text: str,
    pictures: Sequence[GuidelinePicture],
    *,
    origin: Origin,
    by: str = COMMAND_LINE,
) -> int:
    """Write the next version of a campaign's guidelines and return its number.

    Args:
        connection: Connection in a write transaction.
        campaign: Campaign.
        text: Text in Markdown, which refers to pictures by their indices.
        pictures: Pictures in the order of their indices.
        origin: Whether the text comes from the recipe or from a curator.
        by: Author, for the audit log; default the command line.
    """
    hold_campaign(connection, campaign.id)
    newest = sa.select(sa.func.max(guidelines.c.version)).where(guidelines.c.campaign_id == campaign.id)
    version = (connection.execute(newest).scalar_one() or 0) + 1
    values = {"campaign_id": campaign.id, "version": version, "origin": origin, "text": text}
    made = connection.execute(sa.insert(guidelines).values(values).returning(guidelines.c.id)).scalar_one()
    for place, picture in enumerate(pictures):
        body = b64encode(picture.data).decode()  # as text, so that a backup can hold it like other columns
        kept = {"guidelines_id": made, "place": place, "media_type": picture.media_type, "body": body}
        connection.execute(sa.insert(guideline_pictures).values(kept))
    if not campaign.is_simulated:
        text_digest = digest_of_guidelines(connection, made)
        about = {"campaign": campaign.name, "version": version, "guidelines": made, "said": text_digest}
        record(connection, "guidelines_written", actor=by, at=clock(), **about)
    return int(version)


def digest_of_guidelines(connection: sa.Connection, guidelines_id: int) -> str | None:
    """Return the digest of a version's text and pictures, or None if the version is unknown."""
    query = sa.select(guidelines.c.campaign_id, guidelines.c.version, guidelines.c.origin, guidelines.c.text)
    row = connection.execute(query.where(guidelines.c.id == guidelines_id)).one_or_none()
    if row is None:
        return None
    pictures = sa.select(guideline_pictures.c.place, guideline_pictures.c.media_type, guideline_pictures.c.body)
    of_version = pictures.where(guideline_pictures.c.guidelines_id == guidelines_id)
    shown = connection.execute(of_version.order_by(guideline_pictures.c.place))
    return digest([*row, [[*picture] for picture in shown]])


def take_from_recipe(connection: sa.Connection, campaign: Campaign) -> None:
    """Write the guidelines in a recipe as a new version if they differ from the recipe's previous guidelines.

    If a recipe has no guidelines, those of its kind of campaign become the first version, unless a version exists or
    the recipe requests none (an empty text).
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
    """Return a query for the id of the newest version of a campaign's guidelines; NULL if there is none."""
    return (
        sa.select(guidelines.c.id)
        .where(guidelines.c.campaign_id == campaign_id)
        .order_by(guidelines.c.version.desc())
        .limit(1)
        .scalar_subquery()
    )


class Guidelines:
    """The guidelines in a review store."""

    def __init__(self, store: StoreConnection) -> None:
        self._store = store

    def set(self, campaign: str, text: str, pictures: Sequence[GuidelinePicture]) -> int:
        """Write a curator's version of a campaign's guidelines and return its number.

        Raises:
            BenchwrightError: No such campaign exists.
        """
        with self._store.writing() as connection:
            return write(connection, find_campaign(connection, campaign), text, pictures, origin="curator")

    def revise(self, campaign: str, text: str, pictures: Sequence[int], *, based_on: int, by: str) -> int:
        """Write a curator's next version, based on the version in force, and return its number.

        Args:
            campaign: Name of the campaign.
            text: Text in Markdown, which refers to pictures by their indices in `pictures`.
            pictures: Indices, in the version in force, of the pictures that the text shows.
            based_on: Number of the version that the curator edited; 0 if there was none.
            by: Name of the curator.

        Raises:
            StaleError: Another version was written in the meantime.
            RefusedError: The version in force lacks one of the pictures.
            BenchwrightError: No such campaign exists.
        """
        with self._store.writing() as connection:
            known = find_campaign(connection, campaign)
            hold_campaign(connection, known.id)
            newest = _VERSIONS.where(guidelines.c.campaign_id == known.id).order_by(guidelines.c.version.desc())
            row = connection.execute(newest.limit(1)).one_or_none()
            if (0 if row is None else row.version) != based_on:
                raise StaleError(f"the guidelines of {campaign!r} have changed since version {based_on}")
            shown = [None if row is None else _picture(connection, row.id, place) for place in pictures]
            missing = [place for place, picture in zip(pictures, shown, strict=True) if picture is None]
            if missing:
                raise RefusedError(f"version {based_on} has no picture {missing[0]}")
            kept = [picture for picture in shown if picture is not None]
            return write(connection, known, text, kept, origin="curator", by=by)

    def newest(self, campaign: Campaign) -> GuidelinesVersion | None:
        """Return the newest version of a campaign's guidelines, or None if the campaign has no guidelines."""
        query = _VERSIONS.where(guidelines.c.campaign_id == campaign.id).order_by(guidelines.c.version.desc()).limit(1)
        with self._store.reading() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else GuidelinesVersion(*row)

    def versions(self, campaign: Campaign) -> list[GuidelinesVersion]:
        """Return all versions, oldest first, each with the number of decisions that followed it."""
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
        """Return one of a version's pictures."""
        with self._store.reading() as connection:
            return _picture(connection, guidelines_id, place)


def _picture(connection: sa.Connection, guidelines_id: int, place: int) -> GuidelinePicture | None:
    wanted = sa.select(guideline_pictures).where(
        guideline_pictures.c.guidelines_id == guidelines_id, guideline_pictures.c.place == place
    )
    row = connection.execute(wanted).one_or_none()
    return None if row is None else GuidelinePicture(b64decode(row.body), row.media_type)


_VERSIONS = sa.select(guidelines.c.id, guidelines.c.version, guidelines.c.origin, guidelines.c.text)
