"""Compute verdicts from decisions: the outcome of each item, and a summary of the campaign.

`BinaryVotes` does so for votes between two options, such as keep and discard.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchwright.steps import Outcome, Verdicts

from ...agreement.coefficients import agreement_of
from ...agreement.ratings import Rating
from ...forms.kinds import TO_WRITER
from ...store.database.records import Annotation
from ...workflow.settlement.rounds import Round, votes_in
from ...workflow.settlement.rules import DECISIONS, Rule
from ...workflow.settlement.settle import (
    ACCEPT,
    NEEDS_REVISION,
    NO_AGREEMENT,
    OUT_OF_ROUNDS,
    REJECT,
    SettlementPolicy,
    settle,
)
from .open_in_rounds import ItemHistory

DIGITS = 6
"""Decimals in summaries, so that the last bits of a platform's sums stay out of tables and releases."""

REJECTED = "rejected"
_DROPPED_AS = (REJECTED, NEEDS_REVISION, OUT_OF_ROUNDS, NO_AGREEMENT)
"""Reasons for which items are dropped."""


def verify_verdicts(rule: Rule, histories: Mapping[str, ItemHistory], *, simulated: bool, seed: int) -> Verdicts:
    """Return the verdicts of a campaign whose tasks are all decided.

    Args:
        rule: Acceptance rule.
        histories: History of each item, by its id.
        simulated: Whether the annotators are simulated.
        seed: Seed of the intervals.
    """
    outcomes = {item_id: _outcome_of(rule, history) for item_id, history in histories.items()}
    head = {"rule": str(rule), "simulated": simulated}
    return Verdicts(None, outcomes, head | _summary(histories, outcomes, seed=seed))


def _outcome_of(rule: Rule, history: ItemHistory) -> Outcome:
    """Return the outcome of an item; that of a revised item has its last version and evidence of each round."""
    last = history.rounds[-1]
    evidence: dict[str, Any] = {"rule": str(rule), **_round_counts(last)}
    evidence["simulated"] = any(annotation.annotator_kind == "simulated" for annotation in last.annotations)
    if len(history.rounds) > 1 or last.before:
        evidence["rounds"] = [_round_evidence(round_) for round_ in history.rounds]
    evidence |= returned_evidence(history)
    made = () if history.item is None else (history.item,)
    reason = reason_of(history.outcome)
    if reason is None:
        return Outcome(evidence=evidence, items=made)
    return Outcome("drop", reason, evidence=evidence, items=made)


def returned_evidence(history: ItemHistory) -> dict[str, Any]:
    """Return the evidence of how many versions of an item went back to its writer, by what sent them; else nothing."""
    return {"sent_back": dict(history.sent_back)} if history.sent_back else {}


def returned_summary(histories: Mapping[str, ItemHistory]) -> dict[str, Any]:
    """Return how many items went back to their writers, and how many of their versions, by what sent them."""
    times: Counter[str] = Counter()
    for history in histories.values():
        times.update(history.sent_back)
    items = sum(bool(history.sent_back) for history in histories.values())
    return {"sent_back": {"items": items, "versions": dict(sorted(times.items()))}} if times else {}


def _given(decisions: Mapping[str, int]) -> tuple[str, ...]:
    """Return the decisions that are counted; that an item goes back to its writer only where it was given."""
    return (*DECISIONS, TO_WRITER) if decisions.get(TO_WRITER) else DECISIONS


def gold_outcome(decision: str) -> Outcome:
    """Return the outcome of an item whose right decision is known."""
    evidence = {"gold": decision}
    if decision == "accept":
        return Outcome(evidence=evidence)
    return Outcome("drop", REJECTED if decision == REJECT else NEEDS_REVISION, evidence=evidence)


def reason_of(outcome: str) -> str | None:
    """Return the reason for dropping an item, from the outcome of `settle_last`; None if the item is kept."""
    return None if outcome == ACCEPT else REJECTED if outcome == REJECT else outcome


def _round_counts(round_: Round) -> dict[str, Any]:
    """Return the counts of decisions and reasons in a round, and the adjudicator's decision, if there is one."""
    counts = Counter(annotation.decision for annotation in round_.annotations)
    reasons = Counter(reason for annotation in round_.annotations for reason in annotation.reasons)
    summary: dict[str, Any] = {
        **{decision: counts[decision] for decision in _given(counts)},
        "reasons": dict(sorted(reasons.items())),
    }
    if round_.adjudication is not None:
        summary["adjudicated"] = round_.adjudication.decision
    return summary


def _round_evidence(round_: Round) -> dict[str, Any]:
    """Return the evidence of one round in an item's history; its `edits` led to the version of the next round."""
    summary = _round_counts(round_)
    if round_.before:
        summary["before_sent_back"] = dict(sorted(Counter(annotation.decision for annotation in round_.before).items()))
    return summary if round_.edits is None else {**summary, "edits": dict(round_.edits)}


def _ratings_of(histories: Mapping[str, ItemHistory]) -> dict[str, list[Rating]]:
    """Return the annotators' decisions as ratings, by kind of task; each version of an item is a unit of its own."""
    ratings: dict[str, list[Rating]] = {}
    for item_id, history in histories.items():
        for number, round_ in enumerate(history.rounds, 1):
            unit = item_id if number == 1 else f"{item_id} round {number}"
            ratings.setdefault(history.task, []).extend(
                Rating(unit, annotation.annotator, annotation.decision)
                for annotation in (*round_.before, *round_.annotations)
            )
    return ratings


def _summary(histories: Mapping[str, ItemHistory], outcomes: Mapping[str, Outcome], *, seed: int) -> dict[str, Any]:
    """Return counts of items kept, and dropped by reason, and agreement, without times and names."""
    decisions = [
        annotation
        for history in histories.values()
        for round_ in history.rounds
        for annotation in round_.annotations + round_.before
    ]
    names = pseudonyms(decisions)
    by_annotator = Counter((names[decision.annotator], decision.decision) for decision in decisions)
    ratings = _ratings_of(histories)
    every = [rating for kind in sorted(ratings) for rating in ratings[kind]]
    given = _given(Counter(decision.decision for decision in decisions))
    document = {
        **_counts(outcomes.values()),
        "agreement": rounded(agreement_of(every, categories=given, seed=seed).to_json()),
        "tasks": {
            kind: {
                **_counts(outcome for item_id, outcome in outcomes.items() if histories[item_id].task == kind),
                **short_agreement(ratings[kind], given),
            }
            for kind in sorted(ratings)
        },
        **returned_summary(histories),
        "annotators": {name: {decision: by_annotator[name, decision] for decision in given} for name in names.values()},
    }
    by_round = round_summaries(histories, outcomes)
    return document if len(by_round) < 2 else {**document, "rounds": by_round}


def round_summaries(histories: Mapping[str, ItemHistory], outcomes: Mapping[str, Outcome]) -> list[dict[str, int]]:
    """Return for each round the number of items in it, and how many of these were kept, dropped, or revised."""
    rows = []
    for number in range(1, max((len(history.rounds) for history in histories.values()), default=0) + 1):
        rounds_by_item = {
            item_id: len(history.rounds) for item_id, history in histories.items() if len(history.rounds) >= number
        }
        ended = [outcomes[item_id].verdict for item_id, last in rounds_by_item.items() if last == number]
        rows.append(
            {
                "round": number,
                "items": len(rounds_by_item),
                "kept": ended.count("keep"),
                "dropped": ended.count("drop"),
                "revised": len(rounds_by_item) - len(ended),
            }
        )
    return rows


def _counts(outcomes: Iterable[Outcome]) -> dict[str, int]:
    reasons = Counter(outcome.reason for outcome in outcomes)
    return {"total": reasons.total(), "kept": reasons[None], **{reason: reasons[reason] for reason in _DROPPED_AS}}


def pseudonyms(decisions: Iterable[Annotation]) -> dict[str, str]:
    """Return the pseudonyms of annotators in summaries, by name."""
    return {name: f"annotator-{n}" for n, name in enumerate(sorted({decision.annotator for decision in decisions}), 1)}


def short_agreement(ratings: list[Rating], categories: Sequence[str] = ()) -> dict[str, Any]:
    """Return percent agreement and alpha, rounded, without intervals."""
    whole = agreement_of(ratings, categories=categories, resamples=0)
    return rounded({"percent": whole.percent, "krippendorff_alpha": whole.krippendorff_alpha})


def rounded(document: dict[str, Any]) -> dict[str, Any]:
    """Round every number of a document of numbers, lists and documents."""
    return {key: _round(value) for key, value in document.items()}


def _round(value: Any) -> Any:
    if isinstance(value, dict):
        return rounded(value)
    if isinstance(value, list):
        return [_round(inner) for inner in value]
    return round(value, DIGITS) if isinstance(value, float) else value


@dataclass(frozen=True)
class BinaryVotes:
    """The annotations of a campaign whose form begins with a choice between two options.

    Args:
        rule: Acceptance rule.
        options: Codes of the two options; if both have as many votes as the rule needs, the first wins.
        annotations: All annotations.
    """

    rule: Rule
    options: tuple[str, str]
    annotations: Sequence[Annotation]

    def by_record(self) -> dict[str, list[Annotation]]:
        """Return the annotations of each record, by its id."""
        by_record: dict[str, list[Annotation]] = {}
        for annotation in self.annotations:
            by_record.setdefault(annotation.item_id, []).append(annotation)
        return by_record

    def decided(self, annotations: Sequence[Annotation]) -> str | None:
        """Return the option that the annotations of one record decide on; None if neither has enough votes."""
        # A record has fewer annotations than slots only if the missing ones could change nothing (`closing`), or if
        # those that it has leave no doubt (`further_votes`).
        policy = SettlementPolicy(self.rule, self.rule.slots, self.options, closes_with=self.options)
        outcome = settle(policy, votes_in(policy, annotations, is_closed=True))
        return outcome if outcome in self.options else None

    def evidence(self, annotations: Sequence[Annotation]) -> dict[str, Any]:
        """Return the evidence of one record's outcome: how often each option was chosen."""
        counts = Counter(annotation.decision for annotation in annotations)
        return {
            "rule": str(self.rule),
            **{option: counts[option] for option in self.options},
            "simulated": any(annotation.annotator_kind == "simulated" for annotation in annotations),
        }

    def summary(self, kinds: Mapping[str, str], *, seed: int) -> dict[str, Any]:
        """Return agreement, overall and by kind of record, and each annotator's decisions, without times and names."""
        ratings = [
            Rating(annotation.item_id, annotation.annotator, annotation.decision) for annotation in self.annotations
        ]
        names = pseudonyms(self.annotations)
        by_annotator = Counter((names[annotation.annotator], annotation.decision) for annotation in self.annotations)
        return {
            "agreement": rounded(agreement_of(ratings, categories=self.options, seed=seed).to_json()),
            "tasks": {
                kind: short_agreement([rating for rating in ratings if kinds[rating.unit] == kind], self.options)
                for kind in sorted(set(kinds.values()))
            },
            "annotators": {
                name: {option: by_annotator[name, option] for option in self.options} for name in names.values()
            },
        }


def most_named(named: Iterable[str], order: Sequence[str]) -> str:
    """Return the code that was named most often; among equals, the first in `order`."""
    counts = Counter(named)
    return min(counts, key=lambda name: (-counts[name], order.index(name)))
