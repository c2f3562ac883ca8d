"""Edits of items in Label Studio: an unchanged text is not an edit, and the others are checked as the app's are."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.label_studio.label_config import label_config
from benchwright.annotation.label_studio.pulling import Pulled, pull
from benchwright.annotation.label_studio.replies import read_reply
from benchwright.annotation.store.review_store import ReviewStore
from benchwright.errors import DataError
from benchwright.records import Item

from .label_studio_rows import NAMES, annotated, came_back, label

VERIFY = CampaignForm(decisions=["accept", "reject", "revise"], needs_note=["revise"], reasons=["unclear", "too_easy"])


@pytest.fixture
def item(make_items: Callable[..., list[Item]]) -> Item:
    return make_items(jigsaw=1)[0]


EDITED = VERIFY.model_copy(update={"edits": True})


def test_texts_of_an_item_go_there_to_be_edited_only_in_a_revision(item: Item) -> None:
    config = ET.fromstring(label_config(EDITED, letters=("A", "B")))
    [part] = [view for view in config.iter("View") if view.get("whenChoiceValue") == "revise"]
    areas = {area.get("name"): area.get("value") for area in part.iter("TextArea")}
    assert areas == {
        "edit_question": "$edit_question", "edit_choice_A": "$edit_choice_A", "edit_choice_B": "$edit_choice_B",
    }  # fmt: skip
    assert [one.get("value") for one in part.iter("Choices")] == ["$edit_keys"]
    assert "edit_question" not in label_config(VERIFY, letters=("A", "B"))


def test_only_what_differs_from_the_item_is_an_edit(item: Item) -> None:
    payload = item.model_dump(mode="json")
    revise = label("decision", "revise")

    def edits(*more: dict[str, Any], **changed: str | None) -> Any:
        return read_reply([revise, *came_back(item, **changed), *more], EDITED, payload).edits

    assert edits() is None
    assert edits(question=f"  {item.question}\n") is None
    assert edits(question="Which <b>one</b>?") == {"question": "Which <b>one</b>?"}
    assert edits(label("edit_right", "A"), choice_B="a new one") == {"choices": {"B": "a new one"}, "right": "A"}
    lines = {**payload, "question": "one\r\ntwo"}
    assert read_reply([revise, *came_back(item, question="one\ntwo")], EDITED, lines).edits is None
    assert read_reply([revise, label("note", "look again", kind="textarea")], EDITED, payload).edits is None


@pytest.mark.parametrize(
    ("changed", "more", "message"),
    [
        ({"question": None}, [], "the question is empty"),
        ({"question": "  "}, [], "the question is empty"),
        ({"choice_A": None}, [], "choice A is empty"),
        ({}, [label("edit_right", "A", "B")], "gives the right 2 times"),
        ({}, [label("edit_explanation", "why", kind="textarea")], "'edit_explanation' does not belong"),
    ],
)
def test_edits_that_empty_or_say_two_things_are_refused(
    item: Item, changed: dict[str, str | None], more: list[dict[str, Any]], message: str
) -> None:
    said = [label("decision", "revise"), *came_back(item, **changed), *more]
    with pytest.raises(DataError, match=message):
        read_reply(said, EDITED, item.model_dump(mode="json"))


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ([label("decision", "accept"), label("edit_right", "A")], "comes with edits; only `revise` does"),
        ([label("decision", "revise"), label("edit_right", "Z")], "'Z' is not among its choices A, B"),
        ([label("decision", "revise")], "needs a note that says what to change, or edits"),
    ],
)
def test_edits_that_the_app_would_refuse_are_not_taken(
    store: ReviewStore, item: Item, said: list[dict[str, Any]], message: str
) -> None:
    found = pulled(store, item, said, kind="verify", form=EDITED)
    assert (found.new, message in found.quarantined[0].reason) == (0, True), found.quarantined


def pulled(store: ReviewStore, item: Item, said: list[dict[str, Any]], *, kind: str, form: CampaignForm) -> Pulled:
    """Pull one annotation of an item into a campaign of one task."""
    store.upsert_campaign(kind, kind=kind, rule="unanimous(1)", slots_per_task=1, form=form, settings={}, seed=1)
    store.upsert_tasks(kind, [TaskInput(item.item_id, item.content_hash, item.model_dump(mode="json"))])
    row = annotated(store, kind, 0, {"ann": said})
    return pull(store, store.campaign(kind), [row], names=NAMES, now=datetime(2026, 3, 1, tzinfo=UTC))
