"""What people decided about items of a release that they may edit, as errata.

A campaign `verify` that was opened on a file of tasks asks about the items of a release. An item that they accept after
edits becomes an erratum with these, one that they reject an erratum that leaves it out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, get_args

from benchwright.questions.edits import ItemEdits, edits_of
from benchwright.records import Item
from benchwright.release.format.errata import Erratum, Finding

from ..forms.payloads import item_in
from ..store import Annotation, Campaign, ReviewStore
from ..store.campaigns.tasks import find_task
from ..workflow.settlement.settle import ACCEPT, REJECT, REVISE
from .open_in_rounds import ItemHistory, histories_in

WORDING, KEY_WRONG = "wording", "key_wrong"
REASONS: tuple[str, ...] = get_args(Finding)
"""Codes of reasons for a rejection: what an erratum can say of an item."""


class EditsJudged(NamedTuple):
    """What people decided about items that they may edit.

    Args:
        errata: Errata, by item id; none for items that they accept as they were.
        undecided: Ids of items that all were asked about and on which they agreed on nothing.
        open: Number of tasks that still lack answers.
    """

    errata: tuple[Erratum, ...]
    undecided: tuple[str, ...]
    open: int


def edits_judged(store: ReviewStore, name: str) -> EditsJudged:
    """Return what people decided in a campaign `verify` on items of a release."""
    campaign = store.campaign(name)
    tasks = store.tasks(name, states=("open", "done"))
    done = {task.item_id for task in tasks if task.state == "done"}
    errata: list[Erratum] = []
    undecided: list[str] = []
    for item_id, history in sorted(histories_in(store, name).items()):
        if item_id not in done:
            continue
        if history.outcome not in (ACCEPT, REJECT):
            undecided.append(item_id)
            continue
        with store.reading() as connection:
            first = find_task(connection, campaign, item_id, history.rounds[0].content_hash)
        errata += _errata_of(Item.model_validate(item_in(first.payload)), history, campaign)
    return EditsJudged(tuple(errata), tuple(undecided), len(tasks) - len(done))


def _errata_of(item: Item, history: ItemHistory, campaign: Campaign) -> Iterator[Erratum]:
    """Yield the erratum of an item; none where it was accepted as it was."""
    asked = history.rounds[-1].annotations
    agreed = [annotation for annotation in asked if annotation.decision == history.outcome]
    edits = _edits(item, [round_.edits for round_ in history.rounds if round_.edits is not None])
    if history.outcome == ACCEPT and not edits.to_json():
        return
    heard = [
        *agreed,
        *(each for round_ in history.rounds[:-1] for each in round_.annotations if each.decision == REVISE),
    ]
    found: Mapping[str, object] = {"finding": _main_reason(agreed)}
    if history.outcome == ACCEPT:
        is_key_only = edits.to_json().keys() == {"right"}
        found = {"finding": KEY_WRONG, "instead": edits.right} if is_key_only else {"finding": WORDING, "edits": edits}
    yield Erratum.model_validate(
        {
            "item_id": item.item_id,
            "content_hash": item.content_hash,
            "release": campaign.settings["release"],
            "release_id": campaign.settings["release_id"],
            "key": item.right_key,
            "agreed": len(agreed),
            "asked": len(asked),
            "reasons": sorted({annotation.note for annotation in heard if annotation.note}),
            **found,
        }
    )


def _edits(item: Item, rounds: Sequence[Mapping[str, object]]) -> ItemEdits:
    """Return the edits of all rounds as one; what a later round took back is not among them."""
    every = [ItemEdits.model_validate(edits) for edits in rounds]
    merged = {name: value for edits in every for name, value in edits.to_json().items()}
    choices = {key: text for edits in every for key, text in edits.choices.items()}
    return edits_of(item, merged | ({"choices": choices} if choices else {}))


def _main_reason(rejections: Sequence[Annotation]) -> str:
    """Return the reason that most people gave, the first of `REASONS` among equals; `wording` without any."""
    named = Counter(reason for annotation in rejections for reason in annotation.reasons if reason in REASONS)
    return max(REASONS, key=lambda reason: named[reason]) if named else WORDING
