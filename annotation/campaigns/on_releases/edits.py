"""Convert annotators' decisions about a release's items to errata.

In a campaign `errata`, annotators state what is wrong with an item and which key is right. Two other kinds, opened on a
file of tasks, let annotators edit the items of a release. In a `verify` they accept, revise or reject an item. In a
`review` they answer it without its key, and then vote on `CRITERIA`. An item accepted after edits produces an erratum
with these edits; an unfit item produces an erratum that leaves it out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, get_args

from benchwright.questions.edits import ItemEdits, edits_of
from benchwright.records import Item
from benchwright.release.format.errata import Erratum, Finding

from ...forms.kinds import AMBIGUOUS, ERRATA, KEY_WRONG, REVIEW
from ...forms.payloads import item_in
from ...store.campaigns.tasks import find_task
from ...store.database.records import Annotation, Campaign
from ...store.review_store import ReviewStore
from ...workflow.settlement.criteria import NOTE, tally, votes_of
from ...workflow.settlement.settle import ACCEPT, FAILED_REVIEW, OUT_OF_ROUNDS, REJECT, REVISE
from ...workflow.submitted_answers import CampaignAnswers, results_of
from ..running.results import errata_of, settled

if TYPE_CHECKING:
    from ..running.open_in_rounds import ItemHistory

_WORDING = "wording"
REASONS: tuple[str, ...] = get_args(Finding)
"""Codes of reasons for a rejection, which are the findings of an erratum about an item."""
_ACCURATE, _UNAMBIGUOUS = "accurate", "unambiguous"
CRITERIA = {
    _ACCURATE: "Can the option that counts as right be defended?",
    _UNAMBIGUOUS: "Is it the only one that can be defended?",
}
"""Questions in a review of a release's items, by criterion."""
_FOUND = {_ACCURATE: KEY_WRONG, _UNAMBIGUOUS: AMBIGUOUS}
"""Finding about an item if a majority votes no on a criterion, by criterion."""


class ErrataJudged(NamedTuple):
    """The result of annotators' decisions about items of a release.

    Args:
        errata: Errata, by item id; none for items accepted unchanged.
        undecided: Ids of items that all annotators judged without agreement.
        open: Number of tasks that still lack answers.
    """

    errata: tuple[Erratum, ...]
    undecided: tuple[str, ...]
    open: int


class _Verdict(NamedTuple):
    """The agreed decision on an item: the problem with it, or None if the item's last version is accepted."""

    finding: str | None
    agreed: int
    asked: int
    reasons: Sequence[str | None]


def errata_judged(store: ReviewStore, name: str) -> ErrataJudged:
    """Return the result of a campaign `errata`, `verify` or `review` on items of a release."""
    from ..running.open_in_rounds import histories_in

    campaign = store.campaign(name)
    if campaign.kind == ERRATA:
        return _judged_in_doubt(results_of(store, name))
    tasks = store.tasks(name, states=("open", "done"))
    done = {task.item_id for task in tasks if task.state == "done"}
    verdict_of = _verdict_by_votes if campaign.kind == REVIEW else _verdict_by_decisions
    errata: list[Erratum] = []
    undecided: list[str] = []
    for item_id, history in sorted(histories_in(store, name).items()):
        if item_id not in done:
            continue
        verdict = verdict_of(history)
        if verdict is None:
            undecided.append(item_id)
            continue
        with store.reading() as connection:
            first = find_task(connection, campaign, item_id, history.rounds[0].content_hash)
        errata += _errata_of(Item.model_validate(item_in(first.payload)), history, verdict, campaign)
    return ErrataJudged(tuple(errata), tuple(undecided), len(tasks) - len(done))


def _judged_in_doubt(results: CampaignAnswers) -> ErrataJudged:
    """Return the errata from a campaign on doubted keys; an item with no majority for a finding is undecided."""
    done = {task.item_id for task in results.tasks.values() if task.state == "done"}
    agreed = {item.task.item_id for item in settled(results)}
    return ErrataJudged(tuple(errata_of(results)), tuple(sorted(done - agreed)), results.open)


def _verdict_by_decisions(history: ItemHistory) -> _Verdict | None:
    """Return the verdict that follows from the decisions in a `verify`, or None if there is no agreement."""
    if history.outcome not in (ACCEPT, REJECT):
        return None
    asked = history.rounds[-1].annotations
    agreed = [annotation for annotation in asked if annotation.decision == history.outcome]
    revised = [each for round_ in history.rounds[:-1] for each in round_.annotations if each.decision == REVISE]
    finding = None if history.outcome == ACCEPT else _main_reason(agreed)
    return _Verdict(finding, len(agreed), len(asked), [annotation.note for annotation in (*agreed, *revised)])


def _verdict_by_votes(history: ItemHistory) -> _Verdict | None:
    """Return the verdict of the votes in a `review`, or None if there is no majority of no votes on any criterion.

    If the only problem is that too few found the key by themselves, the item may be difficult but correct, so it is
    undecided.
    """
    votes = [votes_of(annotation) for annotation in history.rounds[-1].annotations]
    yes, asked = tally(votes), len(votes)
    notes = [(each.fields or {}).get(NOTE) for round_ in history.rounds for each in round_.annotations]
    if history.outcome == ACCEPT:
        return _Verdict(None, min(yes.values()), asked, notes)
    if history.outcome not in (FAILED_REVIEW, OUT_OF_ROUNDS):
        return None
    criterion = min(_FOUND, key=lambda name: yes[name])
    against = asked - yes[criterion]
    return _Verdict(_FOUND[criterion], against, asked, notes) if 2 * against > asked else None


def _errata_of(item: Item, history: ItemHistory, verdict: _Verdict, campaign: Campaign) -> Iterator[Erratum]:
    """Yield the erratum of an item, or nothing if it was accepted unchanged."""
    found: Mapping[str, object] = {"finding": verdict.finding}
    if verdict.finding is None:
        edits = _edits(item, [round_.edits for round_ in history.rounds if round_.edits is not None])
        if not edits.to_json():
            return
        is_key_only = edits.to_json().keys() == {"right"}
        found = {"finding": KEY_WRONG, "instead": edits.right} if is_key_only else {"finding": _WORDING, "edits": edits}
    yield Erratum.model_validate(
        {
            "item_id": item.item_id,
            "content_hash": item.content_hash,
            "release": campaign.settings["release"],
            "release_id": campaign.settings["release_id"],
            "key": item.right_key,
            "agreed": verdict.agreed,
            "asked": verdict.asked,
            "reasons": sorted({reason for reason in verdict.reasons if reason}),
            **found,
        }
    )


def _edits(item: Item, rounds: Sequence[Mapping[str, object]]) -> ItemEdits:
    """Return the edits of all rounds combined, without those that a later round undid."""
    every = [ItemEdits.model_validate(edits) for edits in rounds]
    merged = {name: value for edits in every for name, value in edits.to_json().items()}
    choices = {key: text for edits in every for key, text in edits.choices.items()}
    return edits_of(item, merged | ({"choices": choices} if choices else {}))


def _main_reason(rejections: Sequence[Annotation]) -> str:
    """Return the most frequent reason; ties go to the first in `REASONS`; `wording` if no reason was given."""
    named = Counter(reason for annotation in rejections for reason in annotation.reasons if reason in REASONS)
    return max(REASONS, key=lambda reason: named[reason]) if named else _WORDING
