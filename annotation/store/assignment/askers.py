"""Who asks for a task, and of which tasks they have seen too much."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from ...forms.kinds import BLIND_KINDS, WITH_KEY
from ..accounts.campaign_access import check_assigned
from ..database.records import Campaign, RefusedError
from . import statements as sql
from .eligibility import SHOWN_KEY_OF_TASK


def who_asks(connection: sa.Connection, campaign: Campaign, annotator: str) -> dict[str, Any]:
    """Return the parameters by which the hand-out knows an annotator in a campaign."""
    return {"campaign": campaign.id, **eyes_of(campaign, _known(connection, campaign, annotator))}


def eyes_of(campaign: Campaign, annotator_id: int) -> dict[str, Any]:
    """Return the parameters that say which tasks an annotator has seen too much of."""
    may_edit_and_judge = campaign.is_simulated or campaign.form.editors_verify
    return {
        "who": annotator_id,
        "editor": None if may_edit_and_judge else annotator_id,
        "shows_key": kinds_with_key(campaign.kind, is_simulated=campaign.is_simulated),
    }


def kinds_with_key(kind: str, *, is_simulated: bool) -> tuple[str, ...]:
    """Return the kinds of campaigns that give away what this kind asks; none where nothing can be given away."""
    return WITH_KEY if kind in BLIND_KINDS and not is_simulated else ()


def shown_key(connection: sa.Connection, who: Mapping[str, Any]) -> str | None:
    """Return in words where an annotator was shown the key of a task's item; None where nowhere."""
    campaign = connection.execute(SHOWN_KEY_OF_TASK, who).scalar_one_or_none() if who["shows_key"] else None
    if campaign is None:
        return None
    return f"this annotator was shown the right answer in campaign {campaign!r}; somebody else must answer it"


def _known(connection: sa.Connection, campaign: Campaign, name: str) -> int:
    row = connection.execute(sql.ANNOTATOR, {"name": name}).one_or_none()
    if row is None:
        raise RefusedError(f"annotator {name!r} is not registered")
    if (row.kind == "simulated") != campaign.is_simulated:
        whose = "simulated annotators" if campaign.is_simulated else "people"
        raise RefusedError(f"annotator {name!r} is a {row.kind} one; campaign {campaign.name!r} is for {whose}")
    check_assigned(connection, campaign, int(row.id), name)
    return int(row.id)
