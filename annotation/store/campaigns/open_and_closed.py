"""Campaigns that a curator closes: nobody gets further tasks of them, until a curator opens them again.

Whoever holds a task may finish it, and what was decided stays. A run of the recipe opens no closed campaign.
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
        BenchwrightError: It is closed already, or simulated annotators decide in it.
        BenchwrightError: There is no campaign of that name.
    """
    campaign = find_campaign(connection, name)
    if campaign.is_simulated:
        raise BenchwrightError("simulated annotators decide in this campaign; leave its step out of the recipe")
    if campaign.is_closed:
        raise BenchwrightError("this campaign is closed already")
    values = {"closed_at": now, "closed_by": by}
    connection.execute(sa.update(campaigns).where(campaigns.c.id == campaign.id).values(values))
    record(connection, "campaign_closed", actor=by, at=now, campaign=name)


def reopen_campaign(connection: sa.Connection, name: str, *, by: str, now: datetime) -> None:
    """Open a campaign again that a curator closed.

    Raises:
        BenchwrightError: It is not closed.
        BenchwrightError: There is no campaign of that name.
    """
    campaign = find_campaign(connection, name)
    if not campaign.is_closed:
        raise BenchwrightError("this campaign is open already")
    values = {"closed_at": None, "closed_by": None}
    connection.execute(sa.update(campaigns).where(campaigns.c.id == campaign.id).values(values))
    record(connection, "campaign_reopened", actor=by, at=now, campaign=name)
