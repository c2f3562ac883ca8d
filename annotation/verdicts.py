"""From decisions to verdicts: what happens to each item, and what is said of the campaign as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchwright.steps import Outcome, Verdicts

from .agreement import agreement
from .ratings import Rating
from .rules import DECISIONS, Decision, Rule
from .store import Annotation

DIGITS = 6
"""Decimals in summaries, so that the last bits of a platform's sums stay out of tables and releases."""


_DROPPED_AS: Mapping[Decision | None, str] = {
    "reject": "rejected",
    "revise": "needs_revision",
    None: "no_agreement",
}
"""Reasons of what is dropped. Once the item has been revised its content is new, and a new round begins."""


def closed(
    rule: Rule, kinds: Mapping[str, str], decisions: list[Annotation], *, simulated: bool, seed: int
) -> Verdicts:
    """Return the verdicts of a campaign whose tasks are all decided.

    Args:
        rule: What decides an item.
        kinds: The task of each item, by item id.
        decisions: All of them, for these items.
        simulated: Nobody decided: the annotators are simulated.
        seed: Of the intervals.
    """
    by_item: dict[str, list[Annotation]] = {item_id: [] for item_id in kinds}
    for one in decisions:
        by_item[one.item_id].append(one)
    outcomes = {item_id: _outcome(rule, given) for item_id, given in by_item.items()}
    head = {"rule": str(rule), "simulated": simulated}
    return Verdicts(None, outcomes, head | _summary(kinds, outcomes, decisions, seed=seed))


def _outcome(rule: Rule, given: list[Annotation]) -> Outcome:
    said = Counter(one.decision for one in given)
    reasons = Counter(reason for one in given for reason in one.reasons)
    evidence: dict[str, Any] = {
        "rule": str(rule),
        **{decision: said[decision] for decision in DECISIONS},
        "reasons": dict(sorted(reasons.items())),
        "simulated": any(one.annotator_kind == "simulated" for one in given),
    }
    decision = rule.decide([d for d in DECISIONS for _ in range(said[d])])
    if decision == "accept":
        return Outcome(evidence=evidence)
    return Outcome("drop", _DROPPED_AS[decision], evidence=evidence)


def of_gold(decision: str) -> Outcome:
    """Return what becomes of an item whose right decision is known."""
    evidence = {"gold": decision}
    if decision == "accept":
        return Outcome(evidence=evidence)
    return Outcome("drop", _DROPPED_AS["reject" if decision == "reject" else "revise"], evidence=evidence)


def _summary(
    kinds: Mapping[str, str],
    outcomes: Mapping[str, Outcome],
    decisions: list[Annotation],
    *,
    seed: int,
) -> dict[str, Any]:
    """Count what was kept and why not, and how far annotators agreed; no clocks, no names."""
    ratings = [Rating(one.item_id, one.annotator, one.decision) for one in decisions]
    names = pseudonyms(decisions)
    by_annotator = Counter((names[one.annotator], one.decision) for one in decisions)
    return {
        **_counts(outcomes.values()),
        "agreement": rounded(agreement(ratings, categories=DECISIONS, seed=seed).to_json()),
        "tasks": {
            kind: {
                **_counts(outcome for item_id, outcome in outcomes.items() if kinds[item_id] == kind),
                **short_agreement([rating for rating in ratings if kinds[rating.unit] == kind], DECISIONS),
            }
            for kind in sorted(set(kinds.values()))
        },
        "annotators": {
            name: {decision: by_annotator[name, decision] for decision in DECISIONS} for name in names.values()
        },
    }


def _counts(outcomes: Iterable[Outcome]) -> dict[str, int]:
    reasons = Counter(outcome.reason for outcome in outcomes)
    return {
        "total": reasons.total(),
        "kept": reasons[None],
        **{reason: reasons[reason] for reason in _DROPPED_AS.values()},
    }


def pseudonyms(decisions: Iterable[Annotation]) -> dict[str, str]:
    """Return what annotators are called in summaries, by name."""
    return {name: f"annotator-{n}" for n, name in enumerate(sorted({one.annotator for one in decisions}), 1)}


def short_agreement(ratings: list[Rating], categories: Sequence[str] = ()) -> dict[str, Any]:
    """Return percent agreement and alpha, rounded, without intervals."""
    whole = agreement(ratings, categories=categories, resamples=0)
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
