"""From votes to verdicts: what happens to each item of a review, and what is said of the campaign as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from benchwright.steps import Outcome, Verdicts

from .agreement import agreement
from .asking_in_rounds import History
from .criteria import short_of, tally
from .ratings import Rating
from .review_votes import votes_of
from .rounds import Round
from .rules import Rule
from .settlement import FAILED_REVIEW, OUT_OF_ROUNDS
from .store.blind import ANSWER
from .verdicts import REJECTED, pseudonyms, reason_of, rounded, rounds_told, short_agreement

DROPPED_AS = (FAILED_REVIEW, OUT_OF_ROUNDS, REJECTED)
"""Reasons of what is dropped."""


def closed_review(
    rule: Rule,
    histories: Mapping[str, History],
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
        "agreement": rounded(agreement(answers, seed=seed).to_json()),
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


def _outcome(rule: Rule, history: History) -> Outcome:
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


def _ratings(histories: Mapping[str, History], criterion: str, *, by_decision: bool = False) -> list[Rating]:
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
