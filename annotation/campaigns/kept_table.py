"""MVP-Bench's Table 1 of a campaign: per question type how far annotators agree, and how many items were kept.

Agreement is over all rounds: each version of an item that people looked at is a unit, with the decisions on it. What
the item came from before it was revised therefore counts too, as in the paper, "throughout the process".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..agreement.ratings import Rating
from ..forms.payloads import item_in
from ..store import Annotation, ReviewStore
from ..store.campaigns.adjudications import list_adjudicated
from ..store.campaigns.decisions import list_decisions
from ..store.campaigns.revisions import list_revisions
from ..workflow.revisions import by_version
from ..workflow.rounds import NOBODY, votes_in
from ..workflow.settlement import ACCEPT, OPEN, WAITS, policy_of, settle
from .verdicts import short_agreement

OVERALL = "overall"


class ReviewedItem(NamedTuple):
    """One item that people look at, or looked at.

    Args:
        item_id: The item.
        type: Of its question.
        is_kept: What became of it; None while that is open.
    """

    item_id: str
    type: str
    is_kept: bool | None


class TypeRow(NamedTuple):
    """One question type, or all of them.

    Args:
        type: Of question, or `overall`.
        total: Items.
        decided: Of them, those of which it is settled whether they are kept.
        kept: Of these, those that are.
        percent: Share of pairs of annotators who said the same, 0 to 1; None where nothing was said twice.
        krippendorff_alpha: The same beyond chance; None where undefined.
        compared: Versions of items that two or more annotators judged: what agreement is counted on.
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
    """Return a row for each question type, by name, and last the one of all.

    Args:
        items: All of them.
        ratings: By question type; a unit is one version of one item.
        categories: What could have been said.
    """
    by_type: dict[str, list[ReviewedItem]] = {}
    for one in items:
        by_type.setdefault(one.type, []).append(one)
    rows = [_row(name, by_type[name], list(ratings.get(name, ())), categories) for name in sorted(by_type)]
    every = [one for listed in by_type.values() for one in listed]
    said = [rating for name in sorted(ratings) for rating in ratings[name]]
    return [*rows, _row(OVERALL, every, said, categories)]


def _row(name: str, items: Sequence[ReviewedItem], ratings: list[Rating], categories: Sequence[str]) -> TypeRow:
    decided = [one.is_kept for one in items if one.is_kept is not None]
    found = short_agreement(ratings, categories) if ratings else {"percent": None, "krippendorff_alpha": None}
    compared = sum(times > 1 for times in Counter(rating.unit for rating in ratings).values())
    agreeing = (found["percent"], found["krippendorff_alpha"], compared)
    return TypeRow(name, len(items), len(decided), sum(decided), *agreeing)


def kept_in(store: ReviewStore, name: str) -> list[TypeRow]:
    """Return the table of a campaign's decisions so far; without a rule that keeps or drops, nothing is decided."""
    campaign = store.campaign(name)
    policy, tasks = policy_of(campaign), store.tasks(name, states=("open", "done"))
    with store.reading() as connection:
        said = by_version(list_decisions(connection, campaign, with_retired=True))
        adjudicated = list_adjudicated(connection, campaign)
        before = {(one.item_id, one.content_hash): one for one in list_revisions(connection, campaign)}
    items: list[ReviewedItem] = []
    ratings: dict[str, list[Rating]] = {}
    for task in tasks:
        key = (task.item_id, task.content_hash)
        kind = str(item_in(task.payload)["task"])
        votes = votes_in(policy, said.get(key, []), adjudicated.get(key, NOBODY))
        outcome = settle(policy, votes) if policy.rounds and task.state == "done" else OPEN
        items.append(ReviewedItem(task.item_id, kind, None if outcome in {OPEN, WAITS} else outcome == ACCEPT))
        number = before[key].round if key in before else 1
        listed = ratings.setdefault(kind, [])
        while True:
            listed += _ratings(f"{task.item_id} round {number}", said.get(key, []))
            if key not in before:
                break
            key, number = (task.item_id, before[key].revised_from), number - 1
    return kept_table(items, ratings, campaign.form.decisions)


def _ratings(unit: str, said: Sequence[Annotation]) -> list[Rating]:
    return [Rating(unit, one.annotator, one.decision) for one in said]
