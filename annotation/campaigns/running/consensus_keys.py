"""Keys from annotators' answers: a campaign's rule or an adjudicator determines which option of an item is right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from benchwright.questions.edits import ItemEdits, revised
from benchwright.records import Item
from benchwright.steps import Outcome, Verdicts

from ...agreement.coefficients import agreement_of
from ...agreement.ratings import Rating
from ...forms.kinds import ANSWER
from ...store.campaigns.adjudications import list_adjudicated
from ...store.database.records import Adjudicated, Annotation, Campaign
from ...store.review_store import ReviewStore
from ...workflow.settlement.revisions import by_version
from ...workflow.settlement.rounds import NOBODY, in_count, votes_in
from ...workflow.settlement.settle import NO_AGREEMENT, REJECT, WAITS, policy_of, settle
from .verdicts import REJECTED, pseudonyms, rounded, short_agreement

ANSWERS = "answered_by_people"
"""Name of the entry in an item's evidence that describes how its key was found."""


class ConsensusKey(NamedTuple):
    """The outcome of the answers to one item.

    Args:
        item: The item as annotators saw it.
        outcome: Letter of the right option, `waits`, `reject`, or `no_agreement`.
        answers: Answers that count.
        is_adjudicated: Whether an adjudicator decided it.
    """

    item: Item
    outcome: str
    answers: Sequence[Annotation]
    is_adjudicated: bool


def consensus_keys(
    store: ReviewStore, campaign: Campaign, items: Iterable[Item], gold: Mapping[str, str]
) -> list[ConsensusKey]:
    """Return the outcome of the answers to each item; the outcome of a gold item is its known answer.

    Args:
        store: The review store.
        campaign: The campaign, all of whose tasks are answered.
        items: Items of the campaign.
        gold: Known answers, by id of the gold items.
    """
    policy = policy_of(campaign)
    answers = by_version(store.decisions(campaign.name))
    with store.reading() as connection:
        adjudicated = list_adjudicated(connection, campaign)
    keys = []
    for item in items:
        if item.item_id in gold:
            keys.append(ConsensusKey(item, gold[item.item_id], (), is_adjudicated=False))
            continue
        version = (item.item_id, item.content_hash)
        given, verdict = answers.get(version, []), adjudicated.get(version, NOBODY)
        outcome = settle(policy, votes_in(policy, given, verdict, is_closed=True))
        counted, _ = in_count(policy, given, sent_back=verdict.sent_back)
        keys.append(ConsensusKey(item, outcome, counted, is_adjudicated=_is_adjudicated(verdict)))
    return keys


def _is_adjudicated(verdict: Adjudicated) -> bool:
    return verdict.decision is not None


def count_waiting(keys: Iterable[ConsensusKey]) -> int:
    """Return the number of items that are waiting for an adjudicator."""
    return sum(key.outcome == WAITS for key in keys)


def key_verdicts(keys: Sequence[ConsensusKey], *, rule: str, simulated: bool, seed: int) -> Verdicts:
    """Return the verdicts of a decided campaign: each item has a key or is dropped.

    Args:
        keys: Outcomes of the answers to each item; none may be `waits`.
        rule: Rule of the campaign.
        simulated: Whether simulated annotators answered.
        seed: Seed of the intervals.
    """
    outcomes = {key.item.item_id: _outcome(key, rule, simulated=simulated) for key in keys}
    answers = [answer for key in keys for answer in key.answers]
    ratings = [Rating(answer.item_id, answer.annotator, answer.decision) for answer in answers]
    task_of = {key.item.item_id: key.item.task for key in keys}
    names = pseudonyms(answers)
    by_annotator = Counter(names[answer.annotator] for answer in answers)
    reasons = Counter(outcome.reason for outcome in outcomes.values())
    summary = {
        "kind": ANSWER,
        "rule": rule,
        "simulated": simulated,
        "total": len(keys),
        "kept": reasons[None],
        REJECTED: reasons[REJECTED],
        NO_AGREEMENT: reasons[NO_AGREEMENT],
        "adjudicated": sum(key.is_adjudicated for key in keys),
        "answers": len(answers),
        "agreement": rounded(agreement_of(ratings, seed=seed).to_json()),
        "tasks": {
            task: {
                "total": sum(of == task for of in task_of.values()),
                **short_agreement([rating for rating in ratings if task_of[rating.unit] == task]),
            }
            for task in sorted(set(task_of.values()))
        },
        "annotators": {name: {"answers": by_annotator[name]} for name in names.values()},
    }
    return Verdicts(None, outcomes, summary)


def _outcome(key: ConsensusKey, rule: str, *, simulated: bool) -> Outcome:
    counts = Counter(answer.decision for answer in key.answers)
    evidence: dict[str, Any] = {"rule": rule, "answers": dict(sorted(counts.items())), "simulated": simulated}
    if key.is_adjudicated:
        evidence["adjudicated"] = key.outcome
    if key.outcome in {REJECT, NO_AGREEMENT}:
        reason = REJECTED if key.outcome == REJECT else NO_AGREEMENT
        return Outcome("drop", reason, evidence=evidence)
    item = revised(key.item, ItemEdits(right=key.outcome), simulated=simulated)
    kept = item.model_copy(update={"evidence": {**item.evidence, ANSWERS: evidence}})
    return Outcome(evidence=evidence, items=(kept,))
