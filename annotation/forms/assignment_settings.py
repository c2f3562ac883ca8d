"""How a campaign hands its tasks out: gold items, shares, priorities, leases. Settings of its step.

None of it decides what becomes of an item, but which items are gold: their right decision is known, and stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, PrivateAttr, ValidationInfo, field_validator, model_validator

from benchwright.records import Record
from benchwright.steps import FOLDER

from .gold_file import GoldLabel, read_gold

SETTING = "handout"
"""Key of these settings among those of a campaign."""
LEASE_S = 1800.0
"""Half an hour: longer than anybody looks at one item, shorter than a lunch break."""

Share = Annotated[float, Field(gt=0, le=1)]


class AssignmentSettings(Record):
    """How tasks go out.

    Attributes:
        gold: Items (or images, or pairs) whose right decision is known: a CSV file (columns `item_id`, `decision`
            unless that follows from the item's own key, and perhaps `reason`), or the folder of a release, whose items
            come with known keys. Relative to the recipe's folder. They are mixed in among the others, count toward
            nothing but their annotators' accuracy, and keep the decision that is known.
        gold_rate: Share of what an annotator gets that is gold.
        share: Most of the campaign's items that one annotator gets, as a share of them; None for all.
        shares: By annotator's name, where that differs. So much is kept for those who are named.
        priorities: Tasks, categories, item ids or prompts, and how early these go out: higher numbers first, 0 for
            others.
        lease_s: Seconds that a task is held for an annotator from when they last opened it.
        close_decided: Whether a task closes as soon as its rule comes to the same whatever the missing annotators say.
            Agreement is then counted on fewer decisions, and comes out higher.
    """

    gold: str | None = None
    gold_rate: float = Field(0.1, gt=0, le=0.5)
    share: Share | None = None
    shares: dict[str, Share] = Field(default_factory=dict, max_length=1000)
    priorities: dict[str, Annotated[int, Field(ge=-1000, le=1000)]] = Field(default_factory=dict)
    lease_s: float = Field(LEASE_S, ge=30, le=86_400)
    close_decided: bool = False

    _known: Mapping[str, GoldLabel] = PrivateAttr(default_factory=dict)

    @field_validator("shares")
    @classmethod
    def _are_names(cls, value: dict[str, float]) -> dict[str, float]:
        for name in value:
            if not name.strip():
                raise ValueError("an empty name is nobody's; give the names that annotators sign in with")
        return value

    @model_validator(mode="after")
    def _read_gold(self, info: ValidationInfo) -> AssignmentSettings:
        # Read once: as part of a step's settings these are checked again, in a context that knows no folder.
        if self.gold is not None and not self._known:
            self._known = read_gold((info.context or {}).get(FOLDER, Path()) / self.gold)
        return self

    def to_json(self) -> dict[str, Any]:
        """Return what the store keeps of these settings, as JSON values; defaults are left out."""
        return self.model_dump(mode="json", exclude={"gold", "priorities"}, exclude_defaults=True)

    @property
    def is_gold_of_release(self) -> bool:
        """Return whether the gold items are those of a release."""
        return any(label.content_hash is not None for label in self._known.values())

    def gold_label(self, item_id: str) -> GoldLabel | None:
        """Return the gold label of an item; None for other items."""
        return self._known.get(item_id)

    def priority(self, *names: object) -> int:
        """Return the priority of an item with these names: the highest that is set for one of them, 0 without one."""
        return max((self.priorities[name] for name in names if name in self.priorities), default=0)


def assignment_settings_of(settings: Mapping[str, Any]) -> AssignmentSettings:
    """Return the assignment settings among a campaign's settings."""
    return AssignmentSettings.model_validate(settings.get(SETTING, {}))
