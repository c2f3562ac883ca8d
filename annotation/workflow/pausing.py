"""The care of annotators' decisions, and pauses for annotators whose care falls below a campaign's limits.

The check runs for each annotator who answers a gold item or an attention check. Their answers to known items and their
pace are checked first, which takes almost no time; only if these leave a doubt are they compared with the other
annotators. A pause sets their votes aside, as a curator would: the log records it with its evidence, and their tasks
reopen. A curator can reverse it; from then on the limits no longer pause this annotator.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from ..agreement.annotator_quality import RightOf
from ..agreement.care import Care, Known, care_from, cares, known_evidence
from ..agreement.ratings import Rating
from ..forms.assignment_settings import PauseBounds, assignment_settings_of
from ..forms.kinds import AUTHORED_KINDS, MARK
from ..store.campaigns import set_asides
from ..store.campaigns.gold import gold_marks, has_known_answers, is_known, known_answers
from ..store.counts.campaign_counts import too_fast_by_task
from ..store.counts.decision_columns import LabelSource, read_decisions, read_facet
from ..store.database.audit import AUTOMATIC
from ..store.database.records import Campaign
from ..store.review_store import ReviewStore
from .gold_regions import is_right
from .set_asides import set_votes_aside

_DECISIONS = LabelSource("decision", "decision")
_WORDS = {"attention": "attention checks right", "gold": "gold items right", "agreement": "with most of the others"}


def cares_of(store: ReviewStore, campaign: Campaign) -> list[Care]:
    """Return the estimated care of each annotator of a campaign, by name, overall and by task."""
    known = _known(store, campaign)
    with store.reading() as connection:
        columns = read_decisions(connection, campaign, _DECISIONS)
        facet = read_facet(connection, campaign, "task")
        pace = _pace(too_fast_by_task(connection, campaign))
    rows = columns.ratings
    ratings = [
        Rating(str(unit), rows.rater_names[rater], rows.label_names[label])
        for unit, rater, label in zip(rows.units.tolist(), rows.raters.tolist(), rows.labels.tolist(), strict=True)
    ]
    groups = {str(unit): facet.get(int(task), "") for unit, task in enumerate(columns.task_ids)}
    return cares(ratings, known, pace, groups)


def _known(store: ReviewStore, campaign: Campaign, *, of: str | None = None) -> list[Known]:
    with store.reading() as connection:
        answers = known_answers(connection, campaign, of=of)
        marks = gold_marks(connection, campaign) if campaign.kind == MARK else []
    listed = [
        Known(answer.annotator, "" if answer.is_check else answer.task, answer.decision, answer.right, answer.is_check)
        for answer in answers
        if not answer.has_regions
    ]
    marked = [
        Known(mark.annotator, "", mark.decision, mark.right, is_right=is_right(campaign, mark))
        for mark in marks
        if mark.gold_regions is not None and of in {None, mark.annotator}
    ]
    return listed + marked


def _pace(too_fast: Mapping[tuple[str, str], tuple[int, int]]) -> dict[tuple[str, str], RightOf]:
    """Return the number of decisions that took long enough, from the counts of decisions that were too fast."""
    return {who: RightOf(of - fast, of) for who, (fast, of) in too_fast.items()}


def pause_if_careless(
    store: ReviewStore, campaign: Campaign, annotator: str, slot_id: int, *, now: datetime
) -> Care | None:
    """Pause an annotator who has just decided if they answered a known item and the campaign's limits require a pause.

    Args:
        store: The review store.
        campaign: The campaign.
        annotator: Annotator who has decided.
        slot_id: Slot that the decision filled.
        now: Time of the decision.

    Returns:
        The evidence for the pause, or None if there is none.

    Raises:
        RefusedError: A curator set the votes aside in the meantime.
    """
    bounds = _bounds_of(campaign)
    if bounds is None or not _is_in_doubt(store, campaign, bounds, annotator, slot_id):
        return None
    care = next((each for each in cares_of(store, campaign) if each.rater == annotator), None)
    if care is None or care.high >= bounds.below:
        return None
    set_votes_aside(store, campaign.name, annotator, by=AUTOMATIC, why=_why(care, bounds), now=now)
    return care


def pause_careless(store: ReviewStore, campaign: Campaign, names: Collection[str], *, now: datetime) -> list[Care]:
    """Pause annotators whose decisions were imported, if the campaign's limits require it.

    Args:
        store: The review store.
        campaign: The campaign.
        names: Annotators whose decisions were imported.
        now: Time of the import.

    Returns:
        The evidence for each pause, by name.
    """
    bounds = _bounds_of(campaign)
    if bounds is None:
        return []
    with store.reading() as connection:
        paused = {each.annotator for each in set_asides.list_set_aside(connection, campaign) if each.is_in_force}
    doubted = {name for name in names if name not in paused and _is_in_doubt(store, campaign, bounds, name, None)}
    found = [care for care in cares_of(store, campaign) if care.rater in doubted] if doubted else []
    careless = [care for care in found if care.high < bounds.below]
    for care in careless:
        set_votes_aside(store, campaign.name, care.rater, by=AUTOMATIC, why=_why(care, bounds), now=now)
    return careless


def _bounds_of(campaign: Campaign) -> PauseBounds | None:
    """Return the limits below which a campaign pauses annotators, or None if it never does."""
    takes_none = campaign.is_simulated or campaign.kind in AUTHORED_KINDS
    return None if takes_none else assignment_settings_of(campaign.settings).pause


def _why(care: Care, bounds: PauseBounds) -> str:
    return f"{care_in_words(care)}; the campaign pauses below {bounds.below:.0%}"


def _is_in_doubt(
    store: ReviewStore, campaign: Campaign, bounds: PauseBounds, annotator: str, slot_id: int | None
) -> bool:
    """Return whether an annotator answered a known item, and the known answers and the pace leave a doubt.

    `slot_id` is the slot of the decision that has just been made; None for several decisions.
    """
    with store.reading() as connection:
        if slot_id is not None and not is_known(connection, slot_id):
            return False
        pace = _pace(too_fast_by_task(connection, campaign, of=annotator))
        if set_asides.was_taken_back(connection, campaign, annotator):
            return False
    known = _known(store, campaign, of=annotator)
    if len(known) < bounds.checks:
        return False
    timed = RightOf(sum(each.right for each in pace.values()), sum(each.of for each in pace.values()))
    return care_from(annotator, known_evidence(known, {}, timed)).low < bounds.below


def checked_people(store: ReviewStore, campaign: Campaign) -> dict[str, Any] | None:
    """Return the checks of a campaign's annotators, without names, as JSON values; None if there were no checks.

    `known` counts answers to gold items and attention checks and `right` those that were right, of annotators whose
    votes count. `care` has the interval of each of these annotators, the lowest first. `set_aside` counts annotators
    whose votes do not count.
    """
    if campaign.is_simulated:
        return None
    with store.reading() as connection:
        aside = sum(each.is_in_force for each in set_asides.list_set_aside(connection, campaign))
        is_checked = bool(aside) or has_known_answers(connection, campaign)
    if not is_checked:
        return None
    found = cares_of(store, campaign)
    known = [each for care in found for each in care.evidence if each.source in {"attention", "gold"}]
    figures = sorted((round(care.low, 3), round(care.high, 3), care.known) for care in found)
    return {
        "known": sum(each.of for each in known),
        "right": sum(each.right for each in known),
        "care": [{"low": low, "high": high, "known": count} for low, high, count in figures],
        "set_aside": aside,
    }


def care_in_words(care: Care) -> str:
    """Return a sentence that states the posterior and its evidence, without a final period."""
    parts = [
        f"{each.of - each.right} of {each.of} decided in less time than looking and reading need"
        if each.source == "pace"
        else f"{each.right} of {each.of} {_WORDS[each.source]}"
        for each in care.evidence
    ]
    share = f"care in {care.low:.0%} to {care.high:.0%} of decisions"
    return f"{share} ({', '.join(parts)})" if parts else share
