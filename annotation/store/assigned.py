"""Whether somebody may take tasks of a campaign."""

from __future__ import annotations

import sqlalchemy as sa

from .records import Campaign, RefusedError
from .schema import annotators, assignments


def check_assigned(connection: sa.Connection, campaign: Campaign, annotator_id: int, name: str) -> None:
    """Check that an annotator may decide in a campaign.

    Raises:
        RefusedError: The campaign is for those who are assigned to it, and this one is not.
    """
    if campaign.is_for_assigned and not _is_there(connection, campaign, annotator_id):
        raise RefusedError(
            f"annotator {name!r} is not assigned to campaign {campaign.name!r}; a curator can assign them with "
            "`benchwright review assign`"
        )


def _is_there(connection: sa.Connection, campaign: Campaign, annotator_id: int) -> bool:
    query = sa.select(assignments.c.annotator_id).where(
        assignments.c.campaign_id == campaign.id, assignments.c.annotator_id == annotator_id
    )
    return connection.execute(query).first() is not None


def assigned_to(connection: sa.Connection, campaign: Campaign) -> list[str]:
    """Return who is assigned to a campaign, by name."""
    query = (
        sa.select(annotators.c.name)
        .join(assignments, assignments.c.annotator_id == annotators.c.id)
        .where(assignments.c.campaign_id == campaign.id)
        .order_by(annotators.c.name)
    )
    return list(connection.execute(query).scalars())
