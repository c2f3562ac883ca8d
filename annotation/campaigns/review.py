"""The campaign `review`: annotators answer each item blind, then see its key and vote on it criterion by criterion.

As in II-Bench (section 3.2), an item passes if enough of its reviewers found the key by themselves and each criterion
has as many votes. An item that does not pass is revised, and returns to other reviewers.

An item's verdict follows from its votes: whether the answer equals the key, then one vote on each criterion.
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
from ..forms.fields.field_types import FormField, OneChoice, OneOf, OnlyIf, Option, TextField
from ..forms.fields.form import Form
from ..forms.kinds import CHANGE, REVIEW, TO_WRITER
from ..simulated.annotators import SimulatedReviewers, check_enough
from ..store.submissions.pre_key_answers import ANSWER
from ..workflow.gold import with_gold
from ..workflow.settlement.criteria import NO_CRITERIA, NOTE, tally, unmet_criteria, votes_of
from ..workflow.settlement.rounds import Round
from ..workflow.settlement.rules import Rule, RuleSetting, parse_rule
from ..workflow.settlement.settle import FAILED_REVIEW, OUT_OF_ROUNDS
from .running.open_campaign import CampaignRequest
from .running.open_in_rounds import ItemHistory, open_in_rounds
from .running.send_back import ReturningCampaign, sends_back
from .running.verdicts import (
    REJECTED,
    pseudonyms,
    reason_of,
    returned_evidence,
    returned_summary,
    round_summaries,
    rounded,
    short_agreement,
)
from .verify import MAX_ROUNDS

_DROPPED_AS = (FAILED_REVIEW, OUT_OF_ROUNDS, REJECTED)
"""Reasons for which items are dropped."""


def _review_verdicts(
    rule: Rule,
    histories: Mapping[str, ItemHistory],
    *,
    criteria: Sequence[str],
    simulated: bool,
    seed: int,
) -> Verdicts:
    """Return the verdicts of a review in which every item has passed or been dropped.

    Args:
        rule: Rule that sets the number of votes required for each criterion.
        histories: History of each item, by its id.
        criteria: Criteria on which reviewers vote, in addition to the answer.
        simulated: Whether the annotators are simulated.
        seed: Seed of the intervals.
    """
    outcomes = {item_id: _outcome(rule, history) for item_id, history in histories.items()}
    reasons = Counter(outcome.reason for outcome in outcomes.values())
    annotations = [
        annotation
        for history in histories.values()
        for round_ in history.rounds
        for annotation in (*round_.before, *round_.annotations)
    ]
    answers = _ratings(histories, ANSWER, by_decision=True)
    names = pseudonyms(annotations)
    by_annotator = Counter((names[annotation.annotator], votes_of(annotation)[ANSWER]) for annotation in annotations)
    document = {
        "kind": "review",
        "rule": str(rule),
        "simulated": simulated,
        "total": reasons.total(),
        "kept": reasons[None],
        **{reason: reasons[reason] for reason in _DROPPED_AS},
        "agreement": rounded(agreement_of(answers, seed=seed).to_json()),
        "criteria": {name: short_agreement(_ratings(histories, name), ("yes", "no")) for name in (ANSWER, *criteria)},
        "rounds": round_summaries(
            Counter((len(history.rounds), outcomes[item_id].verdict) for item_id, history in histories.items())
        ),
        **returned_summary(history.sent_back for history in histories.values()),
        "annotators": {
            name: {"answers": by_annotator[name, True] + by_annotator[name, False], "right": by_annotator[name, True]}
            for name in names.values()
        },
    }
    return Verdicts(None, outcomes, document)


def _gold_review_outcome(key: str) -> Outcome:
    """Return the outcome of an item whose right answer is known; the item counts as already reviewed."""
    return Outcome(evidence={"gold": key})


def _outcome(rule: Rule, history: ItemHistory) -> Outcome:
    last = history.rounds[-1]
    evidence = {
        "rule": str(rule),
        **_round_evidence(rule, last),
        "simulated": any(annotation.annotator_kind == "simulated" for annotation in last.annotations),
    }
    if len(history.rounds) > 1 or last.before:
        evidence["rounds"] = [_round_evidence(rule, round_) for round_ in history.rounds]
    evidence |= returned_evidence(history)
    made = () if history.item is None else (history.item,)
    reason = reason_of(history.outcome)
    if reason is None:
        return Outcome(evidence=evidence, items=made)
    return Outcome("drop", reason, evidence=evidence, items=made)


def _round_evidence(rule: Rule, round_: Round) -> dict[str, Any]:
    """Return a round's votes by criterion, the criteria that the item failed, and the edits that followed."""
    yes = tally([votes_of(annotation) for annotation in round_.annotations])
    summary: dict[str, Any] = {"votes": yes, "missed": list(unmet_criteria(rule, yes))}
    if round_.before:
        summary["before_sent_back"] = tally([votes_of(annotation) for annotation in round_.before])
    if round_.adjudication is not None:
        summary["adjudicated"] = round_.adjudication.decision
    return summary if round_.edits is None else {**summary, "edits": dict(round_.edits)}


def _ratings(histories: Mapping[str, ItemHistory], criterion: str, *, by_decision: bool = False) -> list[Rating]:
    """Return the votes on one criterion, or the answers, with each version of an item as a separate unit."""
    return [
        Rating(
            item_id if number == 1 else f"{item_id} round {number}",
            annotation.annotator,
            annotation.decision if by_decision else ("yes" if votes_of(annotation)[criterion] else "no"),
        )
        for item_id, history in histories.items()
        for number, round_ in enumerate(history.rounds, 1)
        for annotation in (*round_.before, *round_.annotations)
    ]


Criterion = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")]


class Review(ReturningCampaign):
    """Keep items that reviewers answer as the key does, and approve on each criterion.

    Annotators first answer each item without its key. Once their answer is stored, they see the key and the
    explanation, and vote on the item criterion by criterion. The item passes if the number of annotators that the rule
    requires gave the key as their answer, and each criterion has as many votes; these need not be the same annotators.

    With `send_back`, an item that does not pass and that a reviewer sends back goes to its writer, with the note, and
    returns as revised. The others return with the edits that reviewers or an adjudicator make. They are dropped as
    `failed_review` if no one edits them, `out_of_rounds`, or `rejected` by an adjudicator.

    Attributes:
        rule: Number of annotators, and how many of them must answer as the key does and vote for each criterion; within
            `adjudicated(...)` an adjudicator revises or rejects the items that fail.
        rounds: Rounds that an item gets before it is dropped.
        criteria: Criteria on which reviewers vote, one by one.
        send_back: Items to send back to their writers, of those that annotators wrote in an earlier campaign: items
            that reviewers send back with a note, and items that checks flag; null sends nothing back.
        guidelines: Instructions for annotators, in Markdown; by default those of the kind, and none if this is an empty
            text.
        handout: Assignment of tasks to annotators, including gold items.
        simulate: Let simulated annotators review instead of people; all results state this.

    Reasons:
        failed_review (drop): Too few answered as the key does, or voted for a criterion, and there were no edits; the
            evidence lists the criteria it `missed`.
        out_of_rounds (drop): Revised, or sent back to its writer, as often as the recipe allows, and still not
            accepted; the evidence describes every round.
        rejected (drop): An adjudicator rejected the item.
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
        if len(set(value)) < len(value) or NO_CRITERIA & set(value):
            raise ValueError(f"criteria must be distinct names other than {', '.join(sorted(NO_CRITERIA))}")
        return value

    @field_validator("simulate")
    @classmethod
    def _can_fill_the_slots(cls, value: SimulatedReviewers | None, info: ValidationInfo) -> SimulatedReviewers | None:
        if value is not None and "rule" in info.data:
            check_enough(value, parse_rule(info.data["rule"]))
        return value

    def advance(self, records: Iterable[Item], ctx: CampaignContext) -> Verdicts:
        """Bring the tasks up to date with these items; return the verdicts once every item has passed or is dropped."""
        rule = parse_rule(self.rule)
        takes_back = self.send_back is not None and self.send_back.reviewers
        form = CampaignForm(
            fields=review_form(self.criteria, to_writer=takes_back).fields,
            guidelines=self.guidelines,
            blind_first=True,
            edits=True,
            rounds=self.rounds,
            **sends_back(self.send_back),
        )
        request = CampaignRequest(
            kind=REVIEW,
            rule=str(rule),
            slots=rule.slots,
            form=form,
            group=self.simulate,
            handout=self.handout,
            for_whom=(
                "; annotators do not review items that they wrote, edited or verified, or whose key they saw in an "
                "earlier round"
            ),
        )
        history = open_in_rounds(request, records, ctx, send_back=self.send_back)
        if history.waiting is not None:
            return Verdicts(history.waiting, rerun=history.rerun)
        verdicts = _review_verdicts(
            rule,
            dict(history.histories),
            criteria=self.criteria,
            simulated=self.simulate is not None,
            seed=ctx.seed,
        )
        gold = {item_id: _gold_review_outcome(key) for item_id, key in history.gold.items()}
        return self.noted(with_gold(verdicts, gold), ctx)


def review_form(criteria: Iterable[str], labels: Mapping[str, str] | None = None, *, to_writer: bool = False) -> Form:
    """Return the form of a review: the answer, a vote on each criterion, and a note.

    Args:
        criteria: Names of the criteria.
        labels: Questions to reviewers, by criterion; by default the criterion's name.
        to_writer: Whether reviewers may send the item back to its writer, with the requested change.
    """
    labels = labels or {}
    votes = (Option(code="yes", words="Yes"), Option(code="no", words="No"))
    fields: list[FormField] = [OneChoice(name=ANSWER, label="Answer")]
    fields += [
        OneOf(
            name=criterion,
            label=labels.get(criterion) or criterion.replace("_", " ").capitalize() + "?",
            options=votes,
        )
        for criterion in criteria
    ]
    if to_writer:
        fields += [
            OneOf(name=TO_WRITER, label="Send back to its writer?", options=votes, is_required=False),
            TextField(
                name=CHANGE,
                label="What the writer should change",
                hint="The writer reads this next to the old text (W)",
                only_if=OnlyIf(field=TO_WRITER, codes=("yes",)),
            ),
        ]
    fields.append(TextField(name=NOTE, label="Note", hint="What is wrong, or what to change (N)", is_required=False))
    return Form(fields=tuple(fields))
