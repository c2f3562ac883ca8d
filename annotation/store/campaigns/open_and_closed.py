"""Campaigns that a curator closed; annotators get no further tasks from them until a curator reopens them.

An annotator who holds a task may finish it, and decisions remain. A run of the recipe does not reopen a closed
campaign.
"""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa

from benchwright.errors import BenchwrightError

from ..database.audit import record
from ..database.schema import campaigns
from .tasks import find_campaign


def close_campaign(connection: sa.Connection, name: str, *, by: str, now: datetime) -> None:
    """Close a campaign.

    Raises:
        BenchwrightError: No campaign has that name, it is already closed, or simulated annotators decide in it.
    """
    campaign = find_campaign(connection, name)
    if campaign.is_simulated:
        raise BenchwrightError("simulated annotators decide in this campaign; leave its step out of the recipe")
    if campaign.is_closed:
        raise BenchwrightError("this campaign is already closed")
    values = {"closed_at": now, "closed_by": by}
    connection.execute(sa.update(campaigns).where(campaigns.c.id == campaign.id).values(values))
    record(connection, "campaign_closed", actor=by, at=now, campaign=name)


def reopen_campaign(connection: sa.Connection, name: str, *, by: str, now: datetime) -> None:
    """Reopen a campaign that a curator closed.

    Raises:
        BenchwrightError: No campaign has that name, or it is not closed.
    """
    campaign = find_campaign(connection, name)
    if not campaign.is_closed:
        raise BenchwrightError("this campaign is already open")
    values = {"closed_at": None, "closed_by": None}
    connection.execute(sa.update(campaigns).where(campaigns.c.id == campaign.id).values(values))
    record(connection, "campaign_reopened", actor=by, at=now, campaign=name)
