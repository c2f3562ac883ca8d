"""The campaign `review`: people answer each item blind, then see its key and vote on it criterion by criterion.

As in II-Bench (section 3.2): an item passes when enough of its reviewers came to the key by themselves, and each
criterion has as many votes. One that does not is revised, and comes again to other reviewers.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, ClassVar

from pydantic import Field, ValidationInfo, field_validator

from benchwright.records import Item
from benchwright.steps import CampaignContext, Stream, Verdicts

from .asking import Asking
from .asking_in_rounds import ask_in_rounds
from .campaign import MAX_ROUNDS
from .form import Form, FormField, OneChoice, OneOf, Option, Text
from .gold import with_gold
from .handed_out import HandedOut
from .kinds import REVIEW
from .review_verdicts import closed_review, gold_review
from .review_votes import NOTE
from .rule_setting import RuleSetting
from .rules import parse_rule
from .simulated import check_enough
from .simulated_reviewers import SimulatedReviewers
from .store.blind import ANSWER, ANSWER_RIGHT, BLIND_FIRST

Criterion = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")]


class Review(HandedOut):
    """Keep items that reviewers answer as the key does, and find good by each criterion.

    The others come again with the edits that reviewers or an adjudicator make, and are dropped as `failed_review` where
    nobody makes any, `out_of_rounds`, or `rejected` by an adjudicator.

    Attributes:
        rule: How many of how many must answer as the key does and vote for each criterion; within `adjudicated(...)`
            an adjudicator revises or rejects what fails.
        rounds: How many rounds an item gets before it is dropped.
        criteria: What reviewers vote on, one by one.
        guidelines: What annotators are told, in Markdown.
        handout: How tasks go out to people, gold items among them.
        simulate: Let simulated annotators review instead of people; everything they touch says so.
    """

    name: ClassVar[str] = REVIEW
    consumes: ClassVar[Stream] = "items"
    revises: ClassVar[bool] = True

    rule: RuleSetting = "at_least(4, of=5)"
    rounds: int = Field(4, ge=1, le=MAX_ROUNDS)
    criteria: tuple[Criterion, ...] = Field(("accurate", "reasonable", "difficult"), min_length=1, max_length=9)
    guidelines: str | None = None
    simulate: SimulatedReviewers | None = None

    @field_validator("criteria")
    @classmethod
    def _are_different(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(value)) < len(value) or {ANSWER, ANSWER_RIGHT, NOTE} & set(value):
            raise ValueError(f"criteria are different names, none of them {ANSWER}, {ANSWER_RIGHT} or {NOTE}")
        return value

    @field_validator("simulate")
    @classmethod
    def _can_fill_the_slots(cls, value: SimulatedReviewers | None, info: ValidationInfo) -> SimulatedReviewers | None:
        if value is not None and "rule" in info.data:
            check_enough(value, parse_rule(info.data["rule"]))
        return value

    def advance(self, records: Iterable[Item], ctx: CampaignContext) -> Verdicts:
        """Bring the tasks up to these items and return the verdicts once every item has passed or is dropped."""
        rule = parse_rule(self.rule)
        form = {
            **review_form(self.criteria).model_dump(mode="json"),
            "guidelines": self.guidelines,
            BLIND_FIRST: True,
            "edits": True,
            "rounds": self.rounds,
        }
        asking = Asking(
            kind=REVIEW, rule=str(rule), slots=rule.slots, form=form, group=self.simulate, handout=self.handout,
            for_whom=(
                "; nobody reviews an item that they wrote, edited or verified, or saw the key of in an earlier round"
            ),
        )  # fmt: skip
        asked = ask_in_rounds(asking, records, ctx)
        if asked.waiting is not None:
            return Verdicts(asked.waiting)
        verdicts = closed_review(
            rule,
            asked.histories,
            criteria=self.criteria,
            simulated=self.simulate is not None,
            seed=ctx.seed,
        )
        return with_gold(verdicts, {item_id: gold_review(key) for item_id, key in asked.gold.items()})


def review_form(criteria: Iterable[str]) -> Form:
    """Return the form of a review: the answer, a vote on each criterion, and a note."""
    votes = (Option(code="yes", words="Yes"), Option(code="no", words="No"))
    fields: list[FormField] = [OneChoice(name=ANSWER, label="Answer")]
    fields += [OneOf(name=one, label=one.replace("_", " ").capitalize() + "?", options=votes) for one in criteria]
    fields.append(Text(name=NOTE, label="Note", hint="What is wrong, or what to change (N)", is_required=False))
    return Form(fields=tuple(fields))
