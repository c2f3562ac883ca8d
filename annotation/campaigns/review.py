"""The campaign `review`: people answer each item blind, then see its key and vote on it criterion by criterion.

As in II-Bench (section 3.2): an item passes when enough of its reviewers came to the key by themselves, and each
criterion has as many votes. One that does not is revised, and comes again to other reviewers.

An item's verdict follows from its votes: whether the answer equals the key, then criterion by criterion.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, ClassVar

from pydantic import Field, ValidationInfo, field_validator

from benchwright.records import Item
from benchwright.steps import CampaignContext, Outcome, Stream, Verdicts

from ..agreement.coefficients import agreement_of
from ..agreement.ratings import Rating
from ..forms.campaign_form import CampaignForm
from ..forms.form import Form, FormField, OneChoice, OneOf, Option, TextField
from ..forms.kinds import REVIEW
from ..simulated.annotators import SimulatedReviewers, check_enough
from ..store.submissions.pre_key_answers import ANSWER, ANSWER_RIGHT
from ..workflow.criteria import NOTE, short_of, tally, votes_of
from ..workflow.gold import with_gold
from ..workflow.rounds import Round
from ..workflow.rules import Rule, RuleSetting, parse_rule
from ..workflow.settlement import FAILED_REVIEW, OUT_OF_ROUNDS
from .open_campaign import AssignedCampaign, CampaignRequest
from .open_in_rounds import ItemHistory, open_in_rounds
from .verdicts import REJECTED, pseudonyms, reason_of, rounded, rounds_told, short_agreement
from .verify import MAX_ROUNDS

DROPPED_AS = (FAILED_REVIEW, OUT_OF_ROUNDS, REJECTED)
"""Reasons of what is dropped."""


def closed_review(
    rule: Rule,
    histories: Mapping[str, ItemHistory],
    *,
    criteria: Sequence[str],
    simulated: bool,
    seed: int,
) -> Verdicts:
    """Return the verdicts of a review in which every item has passed or is dropped.

    Args:
        rule: How many votes each criterion needs.
        histories: What became of each item, by its id.
        criteria: What was voted on, beside the answer.
        simulated: Nobody voted: the annotators are simulated.
        seed: Of the intervals.
    """
    outcomes = {item_id: _outcome(rule, one) for item_id, one in histories.items()}
    reasons = Counter(outcome.reason for outcome in outcomes.values())
    said = [given for one in histories.values() for round_ in one.rounds for given in (*round_.before, *round_.said)]
    answers = _ratings(histories, ANSWER, by_decision=True)
    names = pseudonyms(said)
    by_annotator = Counter((names[one.annotator], votes_of(one)[ANSWER]) for one in said)
    document = {
        "kind": "review",
        "rule": str(rule),
        "simulated": simulated,
        "total": reasons.total(),
        "kept": reasons[None],
        **{reason: reasons[reason] for reason in DROPPED_AS},
        "agreement": rounded(agreement_of(answers, seed=seed).to_json()),
        "criteria": {name: short_agreement(_ratings(histories, name), ("yes", "no")) for name in (ANSWER, *criteria)},
        "rounds": rounds_told(histories, outcomes),
        "annotators": {
            name: {"answers": by_annotator[name, True] + by_annotator[name, False], "right": by_annotator[name, True]}
            for name in names.values()
        },
    }
    return Verdicts(None, outcomes, document)


def gold_review(key: str) -> Outcome:
    """Return what becomes of an item whose right answer is known: whoever knows it has reviewed the item."""
    return Outcome(evidence={"gold": key})


def _outcome(rule: Rule, history: ItemHistory) -> Outcome:
    last = history.rounds[-1]
    evidence = {
        "rule": str(rule),
        **_told(rule, last),
        "simulated": any(one.annotator_kind == "simulated" for one in last.said),
    }
    if len(history.rounds) > 1 or last.before:
        evidence["rounds"] = [_told(rule, one) for one in history.rounds]
    made = () if history.item is None else (history.item,)
    reason = reason_of(history.outcome)
    if reason is None:
        return Outcome(evidence=evidence, items=made)
    return Outcome("drop", reason, evidence=evidence, items=made)


def _told(rule: Rule, one: Round) -> dict[str, Any]:
    """Return a round's votes by criterion, what it missed, and the edits that came of it."""
    yes = tally([votes_of(given) for given in one.said])
    found: dict[str, Any] = {"votes": yes, "missed": list(short_of(rule, yes))}
    if one.before:
        found["before_sent_back"] = tally([votes_of(given) for given in one.before])
    if one.adjudication is not None:
        found["adjudicated"] = one.adjudication.decision
    return found if one.edits is None else {**found, "edits": dict(one.edits)}


def _ratings(histories: Mapping[str, ItemHistory], criterion: str, *, by_decision: bool = False) -> list[Rating]:
    """Return the votes on one criterion, or the answers themselves; each version of an item is a unit of its own."""
    return [
        Rating(
            item_id if number == 1 else f"{item_id} round {number}",
            given.annotator,
            given.decision if by_decision else ("yes" if votes_of(given)[criterion] else "no"),
        )
        for item_id, history in histories.items()
        for number, one in enumerate(history.rounds, 1)
        for given in (*one.before, *one.said)
    ]


Criterion = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")]


class Review(AssignedCampaign):
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
        form = CampaignForm(
            fields=review_form(self.criteria).fields,
            guidelines=self.guidelines,
            blind_first=True,
            edits=True,
            rounds=self.rounds,
        )
        asking = CampaignRequest(
            kind=REVIEW, rule=str(rule), slots=rule.slots, form=form, group=self.simulate, handout=self.handout,
            for_whom=(
                "; nobody reviews an item that they wrote, edited or verified, or saw the key of in an earlier round"
            ),
        )  # fmt: skip
        asked = open_in_rounds(asking, records, ctx)
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
    fields.append(TextField(name=NOTE, label="Note", hint="What is wrong, or what to change (N)", is_required=False))
    return Form(fields=tuple(fields))
