"""From decisions to verdicts: what happens to each item, and what is said of the campaign as a whole.

Votes between two options, such as keep and discard, have verdicts and agreement of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchwright.steps import Outcome, Verdicts

from ..agreement.coefficients import agreement_of
from ..agreement.ratings import Rating
from ..store import Annotation
from ..workflow.rounds import Round, votes_in
from ..workflow.rules import DECISIONS, Rule
from ..workflow.settlement import ACCEPT, NEEDS_REVISION, NO_AGREEMENT, OUT_OF_ROUNDS, REJECT, SettlementPolicy, settle
from .open_in_rounds import ItemHistory

DIGITS = 6
"""Decimals in summaries, so that the last bits of a platform's sums stay out of tables and releases."""

REJECTED = "rejected"
DROPPED_AS = (REJECTED, NEEDS_REVISION, OUT_OF_ROUNDS, NO_AGREEMENT)
"""Reasons of what is dropped."""


def closed(rule: Rule, histories: Mapping[str, ItemHistory], *, simulated: bool, seed: int) -> Verdicts:
    """Return the verdicts of a campaign whose tasks are all decided.

    Args:
        rule: What decides an item.
        histories: What became of each item, by its id.
        simulated: Nobody decided: the annotators are simulated.
        seed: Of the intervals.
    """
    outcomes = {item_id: outcome_of(rule, one) for item_id, one in histories.items()}
    head = {"rule": str(rule), "simulated": simulated}
    return Verdicts(None, outcomes, head | _summary(histories, outcomes, seed=seed))


def outcome_of(rule: Rule, history: ItemHistory) -> Outcome:
    """Return the verdict on an item; one that was revised comes as its last version, with what each round said."""
    last = history.rounds[-1]
    evidence: dict[str, Any] = {"rule": str(rule), **said_in(last)}
    evidence["simulated"] = any(one.annotator_kind == "simulated" for one in last.said)
    if len(history.rounds) > 1 or last.before:
        evidence["rounds"] = [_told(one) for one in history.rounds]
    made = () if history.item is None else (history.item,)
    reason = reason_of(history.outcome)
    if reason is None:
        return Outcome(evidence=evidence, items=made)
    return Outcome("drop", reason, evidence=evidence, items=made)


def of_gold(decision: str) -> Outcome:
    """Return what becomes of an item whose right decision is known."""
    evidence = {"gold": decision}
    if decision == "accept":
        return Outcome(evidence=evidence)
    return Outcome("drop", REJECTED if decision == REJECT else NEEDS_REVISION, evidence=evidence)


def reason_of(outcome: str) -> str | None:
    """Return why an item is dropped whose last version came to an outcome of `settle_last`; None where it is kept."""
    return None if outcome == ACCEPT else REJECTED if outcome == REJECT else outcome


def said_in(one: Round) -> dict[str, Any]:
    """Return what annotators said in a round, in numbers, and what an adjudicator decided, if one did."""
    said = Counter(given.decision for given in one.said)
    reasons = Counter(reason for given in one.said for reason in given.reasons)
    found: dict[str, Any] = {
        **{decision: said[decision] for decision in DECISIONS}, "reasons": dict(sorted(reasons.items()))
    }  # fmt: skip
    if one.adjudication is not None:
        found["adjudicated"] = one.adjudication.decision
    return found


def _told(one: Round) -> dict[str, Any]:
    """Return a round as an item's history tells it; `edits` made the version of the next one."""
    found = said_in(one)
    if one.before:
        found["before_sent_back"] = dict(sorted(Counter(given.decision for given in one.before).items()))
    return found if one.edits is None else {**found, "edits": dict(one.edits)}


def ratings_of(histories: Mapping[str, ItemHistory]) -> dict[str, list[Rating]]:
    """Return what annotators said by kind of task; each version of an item is a unit of its own."""
    found: dict[str, list[Rating]] = {}
    for item_id, history in histories.items():
        for number, one in enumerate(history.rounds, 1):
            unit = item_id if number == 1 else f"{item_id} round {number}"
            found.setdefault(history.task, []).extend(
                Rating(unit, given.annotator, given.decision) for given in (*one.before, *one.said)
            )
    return found


def _summary(histories: Mapping[str, ItemHistory], outcomes: Mapping[str, Outcome], *, seed: int) -> dict[str, Any]:
    """Count what was kept and why not, and how far annotators agreed; no clocks, no names."""
    decisions = [given for one in histories.values() for round_ in one.rounds for given in round_.said + round_.before]
    names = pseudonyms(decisions)
    by_annotator = Counter((names[one.annotator], one.decision) for one in decisions)
    ratings = ratings_of(histories)
    every = [rating for kind in sorted(ratings) for rating in ratings[kind]]
    document = {
        **_counts(outcomes.values()),
        "agreement": rounded(agreement_of(every, categories=DECISIONS, seed=seed).to_json()),
        "tasks": {
            kind: {
                **_counts(outcome for item_id, outcome in outcomes.items() if histories[item_id].task == kind),
                **short_agreement(ratings[kind], DECISIONS),
            }
            for kind in sorted(ratings)
        },
        "annotators": {
            name: {decision: by_annotator[name, decision] for decision in DECISIONS} for name in names.values()
        },
    }
    by_round = rounds_told(histories, outcomes)
    return document if len(by_round) < 2 else {**document, "rounds": by_round}


def rounds_told(histories: Mapping[str, ItemHistory], outcomes: Mapping[str, Outcome]) -> list[dict[str, int]]:
    """Return for each round how many items came to it, and how many of these were kept, dropped, or revised."""
    found = []
    for number in range(1, max((len(one.rounds) for one in histories.values()), default=0) + 1):
        here = {item_id: len(one.rounds) for item_id, one in histories.items() if len(one.rounds) >= number}
        ended = [outcomes[item_id].verdict for item_id, last in here.items() if last == number]
        found.append(
            {
                "round": number, "items": len(here), "kept": ended.count("keep"), "dropped": ended.count("drop"),
                "revised": len(here) - len(ended),
            }
        )  # fmt: skip
    return found


def _counts(outcomes: Iterable[Outcome]) -> dict[str, int]:
    reasons = Counter(outcome.reason for outcome in outcomes)
    return {"total": reasons.total(), "kept": reasons[None], **{reason: reasons[reason] for reason in DROPPED_AS}}


def pseudonyms(decisions: Iterable[Annotation]) -> dict[str, str]:
    """Return what annotators are called in summaries, by name."""
    return {name: f"annotator-{n}" for n, name in enumerate(sorted({one.annotator for one in decisions}), 1)}


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
    """The annotations of a campaign whose form begins with a choice of two.

    Args:
        rule: What decides a record.
        options: Codes of the two; where so few must agree that both have enough, the first goes.
        said: All annotations.
    """

    rule: Rule
    options: tuple[str, str]
    said: Sequence[Annotation]

    def by_record(self) -> dict[str, list[Annotation]]:
        """Return the annotations of each record, by its id."""
        found: dict[str, list[Annotation]] = {}
        for one in self.said:
            found.setdefault(one.item_id, []).append(one)
        return found

    def decided(self, given: Sequence[Annotation]) -> str | None:
        """Return the option that the annotations of one record come to; None where neither has enough."""
        # Of fewer than the rule takes there are only those whose others could change nothing (`closing`).
        policy = SettlementPolicy(self.rule, self.rule.slots, self.options, closes_with=self.options)
        outcome = settle(policy, votes_in(policy, given))
        return outcome if outcome in self.options else None

    def evidence(self, given: Sequence[Annotation]) -> dict[str, Any]:
        """Return how the annotations of one record are told in its outcome."""
        said = Counter(one.decision for one in given)
        return {
            "rule": str(self.rule), **{option: said[option] for option in self.options},
            "simulated": any(one.annotator_kind == "simulated" for one in given),
        }  # fmt: skip

    def summary(self, kinds: Mapping[str, str], *, seed: int) -> dict[str, Any]:
        """Return how far annotators agreed, overall and by kind of record, and what each said; no clocks, no names."""
        ratings = [Rating(one.item_id, one.annotator, one.decision) for one in self.said]
        names = pseudonyms(self.said)
        by_annotator = Counter((names[one.annotator], one.decision) for one in self.said)
        return {
            "agreement": rounded(agreement_of(ratings, categories=self.options, seed=seed).to_json()),
            "tasks": {
                kind: short_agreement([one for one in ratings if kinds[one.unit] == kind], self.options)
                for kind in sorted(set(kinds.values()))
            },
            "annotators": {
                name: {option: by_annotator[name, option] for option in self.options} for name in names.values()
            },
        }


def most_named(named: Iterable[str], order: Sequence[str]) -> str:
    """Return what was named most often; among equals, what comes first in `order`."""
    counts = Counter(named)
    return min(counts, key=lambda one: (-counts[one], order.index(one)))
