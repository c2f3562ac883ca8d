"""From what people said while screening to verdicts: each record is kept, or dropped for the reason that most gave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from benchwright.steps import Outcome, Verdicts

from .answers_given import fields_in
from .rules import Rule
from .screening_form import DISCARD, DISCARDED, KEEP, NO_AGREEMENT
from .store import Annotation
from .votes import Votes, most_named


def screened(
    rule: Rule, reasons: Sequence[str], kinds: Mapping[str, str], said: Sequence[Annotation], *, kind: str,
    simulated: bool, seed: int,
) -> Verdicts:  # fmt: skip
    """Return the verdicts of a campaign whose tasks are all decided.

    Args:
        rule: What decides a record.
        reasons: All that the form offers, in its order.
        kinds: What kind of record each is, by its id; `image`, or the task of an item.
        said: All annotations.
        kind: Of the campaign.
        simulated: Nobody decided: the annotators are simulated.
        seed: Of the intervals.
    """
    votes = Votes(rule, (KEEP, DISCARD), said)
    by_record = votes.by_record()
    outcomes = {record_id: _outcome(votes, by_record[record_id], reasons) for record_id in kinds}
    summary = votes.summary(kinds, seed=seed)
    for task, told in summary["tasks"].items():
        summary["tasks"][task] = _counts(outcomes[one] for one, of in kinds.items() if of == task) | told
    head = {"kind": kind, "rule": str(rule), "simulated": simulated}
    return Verdicts(None, outcomes, head | _counts(outcomes.values()) | summary)


def gold_screened(decision: str, reason: str) -> Outcome:
    """Return what becomes of a record of which it is known whether it is kept, and perhaps why not."""
    evidence = {"gold": decision}
    return Outcome(evidence=evidence) if decision == KEEP else Outcome("drop", reason or DISCARDED, evidence=evidence)


def _outcome(votes: Votes, given: Sequence[Annotation], reasons: Sequence[str]) -> Outcome:
    named = Counter(code for one in given for code in fields_in(one).get("reasons", ()))
    evidence = votes.evidence(given) | {"reasons": dict(sorted(named.items()))}
    decided = votes.decided(given)
    if decided == KEEP:
        return Outcome(evidence=evidence)
    reason = NO_AGREEMENT if decided is None else most_named(named.elements(), reasons)
    return Outcome("drop", reason, evidence=evidence)


def _counts(outcomes: Iterable[Outcome]) -> dict[str, object]:
    reasons = Counter(outcome.reason for outcome in outcomes)
    return {
        "total": reasons.total(),
        "kept": reasons[None],
        "rejected": sum(n for reason, n in reasons.items() if reason not in {None, NO_AGREEMENT}),
        "no_agreement": reasons[NO_AGREEMENT],
        "reasons": {
            str(reason): n for reason, n in sorted(reasons.items(), key=str) if reason not in {None, NO_AGREEMENT}
        },
    }
