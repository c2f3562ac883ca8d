"""Settings of a campaign's step for the assignment of its tasks: gold items, shares, priorities and leases.

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
"""Maximum proportion of an annotator's tasks that are gold."""
LEASE_S = 1800.0
"""Default seconds of a lease, half an hour: longer than an annotator looks at one item, shorter than a lunch break."""

Share = Annotated[float, Field(gt=0, le=1)]


class FurtherVotes(Record):
    """Conditions for requesting votes on a task beyond its first ones.

    Attributes:
        first: Votes that every task gets; fewer than the rule requires.
        until: Sureness of the leading decision from which no further votes are requested: the lower end of the 90 %
            credible interval of its probability.
    """

    first: int = Field(2, ge=1, le=98)
    until: float = Field(0.95, ge=0.6, le=0.999)


class Qualification(Record):
    """The requirement that annotators must meet before they decide in a campaign.

    Attributes:
        pass_mark: Right decisions among the practice items, of which there are five unless `practice` names others.
        attempts: Number of attempts before a curator must exempt the annotator; None for unlimited attempts.
    """

    pass_mark: int = Field(4, ge=1, le=MOST_PRACTICE)
    attempts: int | None = Field(None, ge=1, le=100)


class PauseBounds(Record):
    """Conditions for pausing an annotator in a campaign; their votes are set aside until a curator restores them.

    Attributes:
        below: Share of decisions made with care; an annotator is paused once the upper end of its 90 % credible
            interval (`agreement.care`) is below it.
        checks: Smallest number of answers to gold items and attention checks before a pause.
    """

    below: float = Field(0.6, gt=0, lt=1)
    checks: int = Field(4, ge=1, le=1000)


class GoldFrom(Record):
    """Accepted items that become gold for annotators who have not judged them.

    Attributes:
        campaign: Campaign of the items, of the kind `verify` or `screen_items`; None for the campaign itself.
        votes: Smallest number of decisions on an item.
        agree: Share of these that accept it unchanged; 1 requires all.
        most: Largest number of items that become gold.
    """

    campaign: str | None = None
    votes: int = Field(3, ge=2, le=99)
    agree: float = Field(1.0, gt=0.5, le=1)
    most: int = Field(50, ge=1, le=1000)


class PayRate(Record):
    """The hourly pay for work in a campaign.

    Attributes:
        rate: Pay for an hour.
        currency: Code of the currency (ISO 4217).
    """

    rate: float = Field(gt=0, le=100_000)
    currency: str = Field("USD", pattern="^[A-Z]{3}$")


class AssignmentSettings(Record):
    """The assignment of tasks to annotators.

    Attributes:
        gold: Items (or images, or pairs) with a known right decision: a CSV file (columns `item_id`, `decision` unless
            that follows from the item's own key, and optionally `reason` and `why`), or the folder of a release, whose
            items have known keys. The path is relative to the recipe's folder. Gold items are mixed in among the
            others, count only toward their annotators' accuracy, and keep the known decision.
        gold_from: Gold items added automatically, in `verify` and `screen_items`: once enough annotators have accepted
            an item, it goes out again, as gold, to those who have not judged it. With or without `gold`. None for none.
        gold_rate: Share of an annotator's tasks that are gold; no effect without gold.
        share: Largest share of the campaign's items that one annotator gets; None for all.
        shares: Share by annotator's name, if different, such as `{ann: 0.5}`. That many items are reserved for the
            named annotators.
        priorities: Priorities of tasks, categories, item ids or prompts: higher numbers are assigned first; 0 for
            others.
        lease_s: Seconds for which a task is reserved for an annotator after they last opened it.
        begun_first: Whether tasks that others have begun are assigned before untouched ones of the same priority. Few
            tasks are then in progress at a time, and those are finished; otherwise all tasks are begun evenly.
        close_decided: Whether a task closes as soon as the missing decisions cannot change its outcome under the rule.
            Agreement is then computed on fewer decisions, and is higher.
        further_votes: Request votes beyond the first only while the decision on a task is unsure; None requests all
            that the rule requires. The sureness follows from each annotator's vote, by Dawid and Skene's model with a
            prior, estimated from the campaign's decisions and gold items so far. The rule still decides, applied to the
            votes that a task got: of `majority(5)`, two of two, two of three, three of four.
        gold_feedback: Whether annotators see, after a gold item, that it was one, the right decision and the reason:
            the `why` of the gold file, or else the item's explanation. They can then no longer change their decision on
            it. Not in `answer`, which measures people's performance.
        attention_rate: Share of an annotator's tasks that ask for a given option, such as the third, to check that
            annotators read the questions; Benchwright makes them, in `verify`, `answer`, `screen`, `screen_items` and
            `pair`. None for none. They count only in each annotator's share of right ones.
        practice: Practice items (or images, or pairs) of the campaign, instead of those that Benchwright draws: a CSV
            file of 3 to 20 rows (columns `item_id`, `decision` unless that follows from the item's own key, and
            optionally `reason` and `why`, a sentence shown during practice), or the folder of a release, of which five
            items are taken. They are not assigned as work, and keep the known decision.
        qualification: Let annotators decide only after they have passed the practice; None lets all begin at once.
        pause: When to pause an annotator who decides without care and set their votes aside, if known answers, pace and
            agreement with the others show it. None leaves that to a curator.
        pay: Pay for an hour of work, from which pay is computed unless another rate is given; None if unstated.
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
                raise ValueError("a name is empty; give the names that annotators sign in with")
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
        """Return these settings in the form in which they are stored: JSON values, without defaults."""
        document = self.model_dump(mode="json", exclude={"gold", "priorities", "practice"}, exclude_defaults=True)
        if self.attention_rate is not None:  # one schedule has the places of both
            of_gold = self.gold_rate if self.gold is not None or self.gold_from is not None else 0.0
            document["gold_rate"] = round(min(_MOST_GOLD, of_gold + self.attention_rate), 6)
        return document

    @property
    def is_gold_of_release(self) -> bool:
        """Return whether the gold items come from a release."""
        return any(label.content_hash is not None for label in self._known.values())

    @property
    def is_practice_of_release(self) -> bool:
        """Return whether the practice items come from a release."""
        return any(label.content_hash is not None for label in self._practised.values())

    @property
    def practice_count(self) -> int:
        """Return the number of the campaign's own practice items, or 0 if it uses Benchwright's practice items."""
        return min(FEW_PRACTICE, len(self._practised)) if self.is_practice_of_release else len(self._practised)

    def gold_label(self, item_id: str) -> GoldLabel | None:
        """Return the gold label of an item, or None if the item is not a gold item."""
        return self._known.get(item_id)

    def practice_label(self, item_id: str) -> GoldLabel | None:
        """Return the known label of a practice item, or None if the item is not a practice item."""
        return self._practised.get(item_id)

    def known_label(self, item_id: str) -> GoldLabel | None:
        """Return the known label of a gold or practice item, or None if the item is neither."""
        return self.practice_label(item_id) or self.gold_label(item_id)

    def priority(self, *names: object) -> int:
        """Return the highest priority set for any of these names of an item, or 0 if none is set."""
        return max((self.priorities[name] for name in names if name in self.priorities), default=0)


def assignment_settings_of(settings: Mapping[str, Any]) -> AssignmentSettings:
    """Return the assignment settings among a campaign's settings."""
    return AssignmentSettings.model_validate(settings.get(SETTING, {}))
