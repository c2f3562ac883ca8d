"""MVP-Bench's Table 1 for a campaign: annotators' agreement and the number of items kept, by question type.

Agreement covers all rounds: each version of an item that annotators judged is a unit, with the decisions on it.
Versions before a revision are therefore also included, as in the paper ("throughout the process").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ...agreement.ratings import Rating
from ...forms.kinds import TO_WRITER
from ...forms.payloads import item_in
from ...store.campaigns.adjudications import list_adjudicated
from ...store.campaigns.decisions import list_decisions
from ...store.campaigns.revisions import list_revisions
from ...store.database.records import Annotation
from ...store.review_store import ReviewStore
from ...workflow.settlement.revisions import by_version
from ...workflow.settlement.rounds import NOBODY, votes_in
from ...workflow.settlement.settle import ACCEPT, OPEN, WAITS, policy_of, settle
from .verdicts import short_agreement

_OVERALL = "overall"


class ReviewedItem(NamedTuple):
    """An item in the campaign.

    Args:
        item_id: Id of the item.
        type: Type of its question.
        is_kept: Whether the item is kept; None while this is undecided.
    """

    item_id: str
    type: str
    is_kept: bool | None


class TypeRow(NamedTuple):
    """A question type, or all types together.

    Args:
        type: Type of question, or `overall`.
        total: Number of items.
        decided: Number of items already settled as kept or dropped.
        kept: Number of items kept.
        percent: Proportion of pairs of decisions that agree, 0 to 1; None if no version has two decisions.
        krippendorff_alpha: Krippendorff's alpha; None where undefined.
        compared: Number of versions of items that two or more annotators judged, on which agreement is computed.
    """

    type: str
    total: int
    decided: int
    kept: int
    percent: float | None
    krippendorff_alpha: float | None
    compared: int

    def to_json(self) -> dict[str, Any]:
        """Return the row as JSON values."""
        return self._asdict()


def kept_table(
    items: Iterable[ReviewedItem], ratings: Mapping[str, Sequence[Rating]], categories: Sequence[str] = ()
) -> list[TypeRow]:
    """Return a row for each question type, by name, and finally one for all types.

    Args:
        items: All items of the campaign.
        ratings: Ratings by question type; a unit is one version of one item.
        categories: Possible decisions; default those in use.
    """
    by_type: dict[str, list[ReviewedItem]] = {}
    for item in items:
        by_type.setdefault(item.type, []).append(item)
    rows = [_row(name, by_type[name], list(ratings.get(name, ())), categories) for name in sorted(by_type)]
    every = [item for listed in by_type.values() for item in listed]
    all_ratings = [rating for name in sorted(ratings) for rating in ratings[name]]
    return [*rows, _row(_OVERALL, every, all_ratings, categories)]


def _row(name: str, items: Sequence[ReviewedItem], ratings: list[Rating], categories: Sequence[str]) -> TypeRow:
    decided = [item.is_kept for item in items if item.is_kept is not None]
    figures = short_agreement(ratings, categories) if ratings else {"percent": None, "krippendorff_alpha": None}
    compared = sum(times > 1 for times in Counter(rating.unit for rating in ratings).values())
    agreeing = (figures["percent"], figures["krippendorff_alpha"], compared)
    return TypeRow(name, len(items), len(decided), sum(decided), *agreeing)


def kept_in(store: ReviewStore, name: str) -> list[TypeRow]:
    """Return the table for a campaign's decisions so far; without an acceptance rule, no item is decided."""
    campaign = store.campaign(name)
    policy, tasks = policy_of(campaign), store.tasks(name, states=("open", "done"))
    with store.reading() as connection:
        annotations = by_version(list_decisions(connection, campaign, with_retired=True))
        adjudicated = list_adjudicated(connection, campaign)
        before = {
            (revision.item_id, revision.content_hash): revision for revision in list_revisions(connection, campaign)
        }
    items: list[ReviewedItem] = []
    ratings: dict[str, list[Rating]] = {}
    for task in tasks:
        key = (task.item_id, task.content_hash)
        kind = str(item_in(task.payload)["task"])
        votes = votes_in(policy, annotations.get(key, []), adjudicated.get(key, NOBODY), is_closed=True)
        outcome = settle(policy, votes) if policy.rounds and task.state == "done" else OPEN
        items.append(
            ReviewedItem(task.item_id, kind, None if outcome in {OPEN, WAITS, TO_WRITER} else outcome == ACCEPT)
        )
        number = before[key].round if key in before else 1
        listed = ratings.setdefault(kind, [])
        while True:
            listed += _ratings(f"{task.item_id} round {number}", annotations.get(key, []))
            if key not in before:
                break
            key, number = (task.item_id, before[key].revised_from), number - 1
    return kept_table(items, ratings, campaign.form.decisions)


def _ratings(unit: str, annotations: Sequence[Annotation]) -> list[Rating]:
    return [Rating(unit, annotation.annotator, annotation.decision) for annotation in annotations]
