"""Compute verdicts from decisions: the outcome of each item, and a summary of the campaign.

`BinaryVotes` does so for votes between two options, such as keep and discard.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchwright.canonical import canonical_json
from benchwright.steps import Outcome, Verdicts

from ...agreement.coefficients import agreement_in, agreement_of
from ...agreement.rating_columns import RatingColumns
from ...agreement.ratings import Rating, RatingTally, columns_of
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
"""Number of decimals in summaries, which keeps platform-dependent last bits of sums out of tables and releases."""

REJECTED = "rejected"
_DROPPED_AS = (REJECTED, NEEDS_REVISION, OUT_OF_ROUNDS, NO_AGREEMENT)
"""Reasons for which items are dropped."""


def verify_verdicts(
    rule: Rule, histories: Iterable[tuple[str, ItemHistory]], *, simulated: bool, seed: int
) -> Verdicts:
    """Return the verdicts of a campaign whose tasks are all decided.

    Args:
        rule: Acceptance rule.
        histories: Id and history of each item, which are iterated over once.
        simulated: Whether the annotators are simulated.
        seed: Seed of the intervals.
    """
    outcomes: dict[str, Outcome] = {}
    said, tally = dict[str, Mapping[str, Any]](), _DecisionTally()
    for item_id, history in histories:
        outcomes[item_id] = outcome = _outcome_of(rule, history, said)
        tally.add(item_id, history, outcome)
    return Verdicts(None, outcomes, {"rule": str(rule), "simulated": simulated, **tally.summary(seed=seed)})


def _outcome_of(rule: Rule, history: ItemHistory, said: dict[str, Mapping[str, Any]]) -> Outcome:
    """Return the outcome of an item; for a revised item, it includes the last version and the evidence of each round.

    `said` stores equal evidence of items with one round, which most items have, only once.
    """
    last = history.rounds[-1]
    evidence: dict[str, Any] = {"rule": str(rule), **_round_counts(last)}
    evidence["simulated"] = any(annotation.annotator_kind == "simulated" for annotation in last.annotations)
    if len(history.rounds) > 1 or last.before:
        evidence["rounds"] = [_round_evidence(round_) for round_ in history.rounds]
    evidence |= returned_evidence(history)
    kept = evidence if "rounds" in evidence else said.setdefault(canonical_json(evidence), evidence)
    made = () if history.item is None else (history.item,)
    reason = reason_of(history.outcome)
    if reason is None:
        return Outcome(evidence=kept, items=made)
    return Outcome("drop", reason, evidence=kept, items=made)


def returned_evidence(history: ItemHistory) -> dict[str, Any]:
    """Return, as evidence, how many versions of an item went back to its writer, by sender; empty if none did."""
    return {"sent_back": dict(history.sent_back)} if history.sent_back else {}


def returned_summary(sent_back: Iterable[Mapping[str, int]]) -> dict[str, Any]:
    """Return the numbers of items, and of their versions, that went back to their writers, by sender."""
    times: Counter[str] = Counter()
    items = 0
    for of_item in sent_back:
        times.update(of_item)
        items += bool(of_item)
    return {"sent_back": {"items": items, "versions": dict(sorted(times.items()))}} if times else {}


def _countable_decisions(decisions: Mapping[str, int]) -> tuple[str, ...]:
    """Return the decisions to count, including the return to the item's writer only if an annotator chose that."""
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
    """Return the counts of decisions and reasons in a round, and the adjudicator's decision, if any."""
    counts = Counter(annotation.decision for annotation in round_.annotations)
    reasons = Counter(reason for annotation in round_.annotations for reason in annotation.reasons)
    summary: dict[str, Any] = {
        **{decision: counts[decision] for decision in _countable_decisions(counts)},
        "reasons": dict(sorted(reasons.items())),
    }
    if round_.adjudication is not None:
        summary["adjudicated"] = round_.adjudication.decision
    return summary


def _round_evidence(round_: Round) -> dict[str, Any]:
    """Return the evidence of one round in an item's history, whose `edits` led to the next round's version."""
    summary = _round_counts(round_)
    if round_.before:
        summary["before_sent_back"] = dict(sorted(Counter(annotation.decision for annotation in round_.before).items()))
    return summary if round_.edits is None else {**summary, "edits": dict(round_.edits)}


class _DecisionTally:
    """Counts of the items of a campaign, and the annotators' decisions as ratings.

    Each version of an item is a separate unit.
    """

    def __init__(self) -> None:
        self._reasons: dict[str, Counter[str | None]] = {}
        self._ratings: dict[str, RatingTally] = {}
        self._every = RatingTally()
        self._by_annotator: Counter[tuple[str, str]] = Counter()
        self._ended: Counter[tuple[int, str]] = Counter()
        self._sent_back: list[Mapping[str, int]] = []

    def add(self, item_id: str, history: ItemHistory, outcome: Outcome) -> None:
        """Count an item by its kind of task."""
        self._reasons.setdefault(history.task, Counter())[outcome.reason] += 1
        self._ended[len(history.rounds), outcome.verdict] += 1
        if history.sent_back:
            self._sent_back.append(history.sent_back)
        of_kind = self._ratings.setdefault(history.task, RatingTally())
        for number, round_ in enumerate(history.rounds, 1):
            said = [(given.annotator, given.decision) for given in (*round_.before, *round_.annotations)]
            self._by_annotator.update(said)
            unit = item_id if number == 1 else f"{item_id} round {number}"
            self._every.add(unit, said)
            of_kind.add(unit, said)

    def summary(self, *, seed: int) -> dict[str, Any]:
        """Return counts of items kept and dropped, by reason, and agreement, without times or names."""
        names = _pseudonyms({annotator for annotator, _ in self._by_annotator})
        given = _countable_decisions(Counter(decision for _, decision in self._by_annotator))
        whole = agreement_in(self._every.columns(given), seed=seed)
        document = {
            **_counts(sum(self._reasons.values(), Counter())),
            "agreement": rounded(whole.to_json()),
            "tasks": {
                kind: {**_counts(self._reasons[kind]), **_short(self._ratings[kind].columns(given))}
                for kind in sorted(self._ratings)
            },
            **returned_summary(self._sent_back),
            "annotators": {
                pseudonym: {decision: self._by_annotator[name, decision] for decision in given}
                for name, pseudonym in names.items()
            },
        }
        by_round = round_summaries(self._ended)
        return document if len(by_round) < 2 else {**document, "rounds": by_round}


def round_summaries(ended: Mapping[tuple[int, str], int]) -> list[dict[str, int]]:
    """Return, for each round, the number of items in it and how many were kept, dropped, or revised.

    Args:
        ended: Number of items by their number of rounds and their verdict.
    """
    rows = []
    for number in range(1, max((last for last, _ in ended), default=0) + 1):
        kept, dropped = (ended.get((number, verdict), 0) for verdict in ("keep", "drop"))
        later = sum(items for (last, _), items in ended.items() if last > number)
        rows.append(
            {"round": number, "items": kept + dropped + later, "kept": kept, "dropped": dropped, "revised": later}
        )
    return rows


def _counts(reasons: Mapping[str | None, int]) -> dict[str, int]:
    dropped = {reason: reasons.get(reason, 0) for reason in _DROPPED_AS}
    return {"total": sum(reasons.values()), "kept": reasons.get(None, 0), **dropped}


def pseudonyms(decisions: Iterable[Annotation]) -> dict[str, str]:
    """Return the pseudonyms of annotators in summaries, by name, in alphabetical order."""
    return _pseudonyms({decision.annotator for decision in decisions})


def _pseudonyms(names: set[str]) -> dict[str, str]:
    return {name: f"annotator-{n}" for n, name in enumerate(sorted(names), 1)}


def short_agreement(ratings: list[Rating], categories: Sequence[str] = ()) -> dict[str, Any]:
    """Return percent agreement and alpha, rounded, without intervals."""
    return _short(columns_of(ratings, categories=categories))


def _short(ratings: RatingColumns) -> dict[str, Any]:
    whole = agreement_in(ratings, resamples=0)
    return rounded({"percent": whole.percent, "krippendorff_alpha": whole.krippendorff_alpha})


def rounded(document: dict[str, Any]) -> dict[str, Any]:
    """Return a nested document of numbers, lists and documents in which every number is rounded."""
    return {key: _round(value) for key, value in document.items()}


def _round(value: Any) -> Any:
    if isinstance(value, dict):
        return rounded(value)
    if isinstance(value, list):
        return [_round(inner) for inner in value]
    return round(value, DIGITS) if isinstance(value, float) else value


@dataclass(frozen=True)
class BinaryVotes:
    """The annotations in a campaign whose form begins with a choice between two options.

    Args:
        rule: Acceptance rule.
        options: Codes of the two options; if both have as many votes as the rule requires, the first wins.
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
        """Return the option on which the annotations of a record agree, or None if neither option has enough votes."""
        # A record has fewer annotations than slots only if the missing ones could change nothing (`closing`), or if the
        # present ones leave no doubt (`further_votes`).
        policy = SettlementPolicy(self.rule, self.rule.slots, self.options, closes_with=self.options)
        outcome = settle(policy, votes_in(policy, annotations, is_closed=True))
        return outcome if outcome in self.options else None

    def evidence(self, annotations: Sequence[Annotation]) -> dict[str, Any]:
        """Return the evidence for the outcome of a record: the number of votes for each option."""
        counts = Counter(annotation.decision for annotation in annotations)
        return {
            "rule": str(self.rule),
            **{option: counts[option] for option in self.options},
            "simulated": any(annotation.annotator_kind == "simulated" for annotation in annotations),
        }

    def summary(self, kinds: Mapping[str, str], *, seed: int) -> dict[str, Any]:
        """Return agreement, overall and by kind of record, and each annotator's decisions, without times or names."""
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
    """Return the code that is named most often; ties go to the first in `order`."""
    counts = Counter(named)
    return min(counts, key=lambda name: (-counts[name], order.index(name)))
