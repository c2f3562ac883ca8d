"""Annotators who may decide in a campaign: all annotators, until a curator assigns some.

The decisions of an annotator who is removed from a campaign remain. The annotator may still change them, and may finish
the task that they hold.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import sqlalchemy as sa

from benchwright.errors import BenchwrightError

from ..campaigns.tasks import find_campaign
from ..database.records import Campaign
from ..database.schema import annotators, assignments, campaigns
from ..database.store_connection import StoreConnection


def assigned_to(connection: sa.Connection, campaign: Campaign) -> list[str]:
    """Return the names of the annotators assigned to a campaign, sorted."""
    query = (
        sa.select(annotators.c.name)
        .join(assignments, assignments.c.annotator_id == annotators.c.id)
        .where(assignments.c.campaign_id == campaign.id)
        .order_by(annotators.c.name)
    )
    return list(connection.execute(query).scalars())


class CampaignAccess(NamedTuple):
    """The annotators who may decide in a campaign; `names` is ignored if all annotators may."""

    is_for_assigned: bool
    names: tuple[str, ...]

    def admits(self, name: str) -> bool:
        """Return whether an annotator with this name may decide."""
        return not self.is_for_assigned or name in self.names


class AccessControl:
    """The assignments in a review store."""

    def __init__(self, store: StoreConnection) -> None:
        self._store = store

    def of(self, campaign: str) -> CampaignAccess:
        """Return which annotators may decide in a campaign."""
        with self._store.reading() as connection:
            settings = find_campaign(connection, campaign)
            names = assigned_to(connection, settings) if settings.is_for_assigned else ()
            return CampaignAccess(settings.is_for_assigned, tuple(names))

    def admits(self, campaign: Campaign, name: str) -> bool:
        """Return whether a person may decide in a campaign: assigned, or a crowd worker who entered the campaign."""
        from .visits import may_come

        with self._store.reading() as connection:
            if not may_come(connection, campaign.id, name):
                return False
        return not campaign.is_for_assigned or self.of(campaign.name).admits(name)

    def assign(self, campaign: str, names: Iterable[str]) -> None:
        """Let only these annotators and those assigned earlier decide in a campaign.

        Raises:
            BenchwrightError: The campaign is simulated, or no such annotator exists.
        """
        with self._store.writing(alone=True) as connection:
            settings = self._for_people(connection, campaign)
            assigned = set(assigned_to(connection, settings))
            for name in sorted(set(names) - assigned):
                annotator_id = _annotator(connection, name)
                connection.execute(sa.insert(assignments).values(campaign_id=settings.id, annotator_id=annotator_id))
            _close(connection, settings, is_for_assigned=True)

    def take_off(self, campaign: str, names: Iterable[str]) -> None:
        """Stop these annotators from taking a campaign's tasks; if all could decide, all other known ones still can.

        Raises:
            BenchwrightError: The campaign is simulated, or no such annotator exists.
        """
        with self._store.batch() as batch, batch.writing() as connection:
            settings = self._for_people(connection, campaign)
            off = {name: _annotator(connection, name) for name in names}
            if not settings.is_for_assigned:
                people = sa.select(annotators.c.name).where(annotators.c.kind == "person")
                everybody = set(connection.execute(people).scalars())
                AccessControl(batch).assign(campaign, everybody - off.keys())
            gone = (assignments.c.campaign_id == settings.id) & assignments.c.annotator_id.in_(off.values())
            connection.execute(sa.delete(assignments).where(gone))

    def open_to_everybody(self, campaign: str) -> None:
        """Let all annotators decide in a campaign, and delete its assignments."""
        with self._store.writing(alone=True) as connection:
            settings = self._for_people(connection, campaign)
            connection.execute(sa.delete(assignments).where(assignments.c.campaign_id == settings.id))
            _close(connection, settings, is_for_assigned=False)

    @staticmethod
    def _for_people(connection: sa.Connection, name: str) -> Campaign:
        campaign = find_campaign(connection, name)
        if campaign.is_simulated:
            raise BenchwrightError(
                f"simulated annotators decide in campaign {name!r}; annotators cannot be assigned to it"
            )
        return campaign


def _close(connection: sa.Connection, campaign: Campaign, *, is_for_assigned: bool) -> None:
    connection.execute(
        sa.update(campaigns).where(campaigns.c.id == campaign.id).values(is_for_assigned=is_for_assigned)
    )


def _annotator(connection: sa.Connection, name: str) -> int:
    query = sa.select(annotators.c.id).where(annotators.c.name == name, annotators.c.kind == "person")
    annotator_id = connection.execute(query).scalar_one_or_none()
    if annotator_id is None:
        raise BenchwrightError(
            f"no annotator is called {name[:100]!r} here; add an account with `benchwright review users --add`"
        )
    return int(annotator_id)
