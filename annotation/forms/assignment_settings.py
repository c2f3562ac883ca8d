"""Settings of a campaign's step on how its tasks are handed out: gold items, shares, priorities, leases.

Of these settings only `gold` affects the outcomes of items: a gold item keeps its known right decision.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, PrivateAttr, ValidationInfo, field_validator, model_validator

from benchwright.records import Record
from benchwright.steps import FOLDER

from .gold_file import FEW_PRACTICE, MOST_PRACTICE, GoldLabel, read_gold, read_practice

SETTING = "handout"
"""Key of these settings among those of a campaign."""
_MOST_GOLD = 0.5
"""Largest share of an annotator's tasks that are gold."""
LEASE_S = 1800.0
"""Default seconds of a lease, half an hour: longer than anybody looks at one item, shorter than a lunch break."""

Share = Annotated[float, Field(gt=0, le=1)]


class FurtherVotes(Record):
    """When a task is asked again beyond its first votes.

    Attributes:
        first: Votes that every task gets; fewer than the rule takes.
        until: Sureness of the leading decision from which nobody else is asked: the lower end of the 90 % credible
            interval of its probability.
    """

    first: int = Field(2, ge=1, le=98)
    until: float = Field(0.95, ge=0.6, le=0.999)


class Qualification(Record):
    """What somebody has to pass before they decide in a campaign.

    Attributes:
        pass_mark: Right decisions among the practice items, of which there are five unless `practice` names others.
        attempts: Times that somebody may try before a curator has to let them in; None for as often as they like.
    """

    pass_mark: int = Field(4, ge=1, le=MOST_PRACTICE)
    attempts: int | None = Field(None, ge=1, le=100)


class PauseBounds(Record):
    """When somebody's work in a campaign is paused, and their votes set aside until a curator takes them back.

    Attributes:
        below: Share of decisions made with care; somebody is paused once the upper end of its 90 % credible interval
            (`agreement.care`) is below it.
        checks: Fewest answers to gold items and attention checks before that; without these nobody is paused.
    """

    below: float = Field(0.6, gt=0, lt=1)
    checks: int = Field(4, ge=1, le=1000)


class GoldFrom(Record):
    """Accepted items that become gold for those who have not judged them.

    Attributes:
        campaign: Campaign whose items they are, of the kind `verify` or `screen_items`; None for the campaign itself.
        votes: Fewest decisions on an item.
        agree: Share of these that accept it as it is; 1 wants all.
        most: Most items that become gold.
    """

    campaign: str | None = None
    votes: int = Field(3, ge=2, le=99)
    agree: float = Field(1.0, gt=0.5, le=1)
    most: int = Field(50, ge=1, le=1000)


class PayRate(Record):
    """What an hour of work in a campaign is paid.

    Attributes:
        rate: Pay for an hour.
        currency: Code of the currency (ISO 4217).
    """

    rate: float = Field(gt=0, le=100_000)
    currency: str = Field("USD", pattern="^[A-Z]{3}$")


class AssignmentSettings(Record):
    """How tasks are handed out.

    Attributes:
        gold: Items (or images, or pairs) whose right decision is known: a CSV file (columns `item_id`, `decision`
            unless that follows from the item's own key, and perhaps `reason` and `why`), or the folder of a release,
            whose items come with known keys. The path is relative to the recipe's folder. Gold items are mixed in
            among the others, count only toward their annotators' accuracy, and keep the known decision.
        gold_from: Gold that fills itself, in `verify` and `screen_items`: once enough people accepted an item, it goes
            out again, as gold, to those who have not judged it. Beside `gold` or without it. None for none.
        gold_rate: Share of an annotator's tasks that are gold; without gold it says nothing.
        share: Largest share of the campaign's items that one annotator gets; None for all.
        shares: Share by annotator's name, where it differs, such as `{ann: 0.5}`. That many items are kept for those
            who are named.
        priorities: Priorities of tasks, categories, item ids or prompts: higher numbers are handed out first; 0 for
            others.
        lease_s: Seconds that a task is held for an annotator from when they last opened it.
        begun_first: Whether tasks that others have begun are handed out before untouched ones of the same priority.
            Few tasks are then under way at a time, and those are finished; without it, all tasks are begun evenly.
        close_decided: Whether a task closes as soon as the missing decisions cannot change its outcome under the rule.
            Agreement is then computed on fewer decisions, and comes out higher.
        further_votes: Ask for votes beyond the first only while the decision on a task is unsure; None asks for all
            that the rule takes. How sure it is follows from who said what, by Dawid and Skene's model with a prior,
            estimated from the campaign's decisions and gold items so far. What is decided stays the rule's, held to the
            votes that a task got: of `majority(5)`, two of two, two of three, three of four.
        gold_feedback: Whether annotators read, after a gold item, that it was one, which decision is right and why: the
            `why` of the gold file, or else the item's explanation. What they decided on it then stands. Not in
            `answer`, which measures how people do.
        attention_rate: Share of an annotator's tasks that ask for a given option, such as the third, to check that
            questions are read; Benchwright makes them, in `verify`, `answer`, `screen`, `screen_items` and `pair`.
            None for none. They count nowhere but in the share that each annotator had right.
        practice: Items (or images, or pairs) of the campaign to practise on in place of those that Benchwright draws: a
            CSV file of 3 to 20 rows (columns `item_id`, `decision` unless that follows from the item's own key, and
            perhaps `reason` and `why`, a sentence that whoever practises reads), or the folder of a release, of which
            five items are taken. They go out to nobody as work, and keep the known decision.
        qualification: Let nobody decide who has not passed the practice; None lets everybody begin at once.
        pause: When somebody who decides without care is paused and their votes are set aside, where known answers, pace
            and agreement with the others show it. None leaves that to a curator.
        pay: What an hour of work is paid, from which hours and pay are reckoned unless another rate is given; None for
            nothing stated.
    """

    gold: str | None = None
    gold_from: GoldFrom | None = None
    gold_rate: float = Field(0.1, gt=0, le=_MOST_GOLD)
    share: Share | None = None
    shares: dict[str, Share] = Field(default_factory=dict, max_length=1000)
    priorities: dict[str, Annotated[int, Field(ge=-1000, le=1000)]] = Field(default_factory=dict)
    lease_s: float = Field(LEASE_S, ge=30, le=86_400)
    begun_first: bool = True
    close_decided: bool = False
    further_votes: FurtherVotes | None = None
    gold_feedback: bool = False
    attention_rate: float | None = Field(None, gt=0, le=0.2)
    practice: str | None = None
    qualification: Qualification | None = None
    pause: PauseBounds | None = Field(default_factory=PauseBounds)
    pay: PayRate | None = None

    _known: Mapping[str, GoldLabel] = PrivateAttr(default_factory=dict)
    _practised: Mapping[str, GoldLabel] = PrivateAttr(default_factory=dict)

    @field_validator("shares")
    @classmethod
    def _are_names(cls, value: dict[str, float]) -> dict[str, float]:
        for name in value:
            if not name.strip():
                raise ValueError("an empty name is nobody's; give the names that annotators sign in with")
        return value

    @model_validator(mode="after")
    def _read_gold(self, info: ValidationInfo) -> AssignmentSettings:
        # Read once: step settings are validated again later, in a context without a folder.
        if self.gold is not None and not self._known:
            self._known = read_gold((info.context or {}).get(FOLDER, Path()) / self.gold)
        if self.practice is not None and not self._practised:
            self._practised = read_practice((info.context or {}).get(FOLDER, Path()) / self.practice)
        return self

    def to_json(self) -> dict[str, Any]:
        """Return these settings as the store keeps them: JSON values, without defaults."""
        document = self.model_dump(mode="json", exclude={"gold", "priorities", "practice"}, exclude_defaults=True)
        if self.attention_rate is not None:  # one schedule has the places of both
            of_gold = self.gold_rate if self.gold is not None or self.gold_from is not None else 0.0
            document["gold_rate"] = round(min(_MOST_GOLD, of_gold + self.attention_rate), 6)
        return document

    @property
    def is_gold_of_release(self) -> bool:
        """Return whether the gold items are those of a release."""
        return any(label.content_hash is not None for label in self._known.values())

    @property
    def is_practice_of_release(self) -> bool:
        """Return whether the practice items are some of a release's."""
        return any(label.content_hash is not None for label in self._practised.values())

    @property
    def practice_count(self) -> int:
        """Return how many of the campaign's items are to be practised on; 0 where Benchwright's own are."""
        return min(FEW_PRACTICE, len(self._practised)) if self.is_practice_of_release else len(self._practised)

    def gold_label(self, item_id: str) -> GoldLabel | None:
        """Return the gold label of an item; None for other items."""
        return self._known.get(item_id)

    def practice_label(self, item_id: str) -> GoldLabel | None:
        """Return what is known of an item to practise on; None for other items."""
        return self._practised.get(item_id)

    def known_label(self, item_id: str) -> GoldLabel | None:
        """Return what is known of an item, be it gold or to practise on; None for other items."""
        return self.practice_label(item_id) or self.gold_label(item_id)

    def priority(self, *names: object) -> int:
        """Return the priority of an item with these names: the highest that is set for one of them, 0 without one."""
        return max((self.priorities[name] for name in names if name in self.priorities), default=0)


def assignment_settings_of(settings: Mapping[str, Any]) -> AssignmentSettings:
    """Return the assignment settings among a campaign's settings."""
    return AssignmentSettings.model_validate(settings.get(SETTING, {}))
