"""What every campaign of a recipe has, whatever it asks: how its tasks go out to people."""

from __future__ import annotations

from typing import Any

from pydantic import field_validator

from benchwright.steps import CampaignStep

from .closing import check_closes
from .hand_out import SETTING, HandOut
from .kinds import COLLECT


class HandedOut(CampaignStep):
    """A campaign whose tasks are handed out as its settings say."""

    handout: HandOut = HandOut()

    @field_validator("handout")
    @classmethod
    def _can_have_this_gold(cls, value: HandOut) -> HandOut:
        if value.gold is not None and cls.name == COLLECT:
            raise ValueError(f"{COLLECT!r} takes no gold: nobody knows beforehand which photograph a prompt gets")
        if value.gold is not None and cls.consumes != "items" and value.is_gold_of_release:
            raise ValueError(
                f"{value.gold} is a release, which knows items, and {cls.name!r} looks at images; name a CSV file with "
                "the columns item_id and decision"
            )
        return value

    @field_validator("handout")
    @classmethod
    def _can_close_early(cls, value: HandOut) -> HandOut:
        check_closes(value, cls.name)
        return value

    def parameters(self) -> dict[str, Any]:
        """Return the settings that decide the result; how tasks go out does not."""
        return {name: value for name, value in super().parameters().items() if name != SETTING}
