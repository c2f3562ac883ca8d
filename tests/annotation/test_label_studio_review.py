"""A review in Label Studio: answers first, the key once all are in, votes by those who answered, and later rounds."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from benchwright.annotation.campaigns.review import Review
from benchwright.annotation.label_studio.blind_reviews import answer_taker, take_votes
from benchwright.annotation.label_studio.label_config import label_config
from benchwright.annotation.label_studio.pulling import Pulled, Take, pull
from benchwright.annotation.label_studio.task_data import blanked, key_of, task_data
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.store.submissions.external_annotations import HELD_FOR, answered_by_all
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.records import Item
from benchwright.steps import CampaignContext

from .label_studio_rows import NAMES, annotated, came_back, label

NOW = datetime(2026, 3, 1, tzinfo=UTC)
YES = {"accurate": "Yes", "reasonable": "Yes", "difficult": "Yes"}


@pytest.fixture
def review(context: CampaignContext, make_items: Callable[..., list[Item]]) -> CampaignContext:
    """Open a review of one item by two people, of up to three rounds."""
    asked = context._replace(stage="review")
    [item] = make_items(implication=1)
    item = item.model_copy(update={"explanation": "for a secret reason"})
    Review(rule="at_least(2, of=2)", rounds=3).advance([item], asked)
    return asked


@pytest.fixture
def store(review: CampaignContext) -> Any:
    with open_store(review.store_url) as opened:
        yield opened


def answer(key: str) -> list[dict[str, Any]]:
    return [label("answer", {"A": "A. the left one", "B": "B. the right one"}[key])]


def vote(*more: dict[str, Any], **fields: str) -> list[dict[str, Any]]:
    return [*(label(f"field_{name}", value) for name, value in {**YES, **fields}.items()), *more]


def pulled(store: ReviewStore, said: Mapping[str, Any], *, take: Take, now: datetime = NOW) -> Pulled:
    row = annotated(store, "review", 0, said, day=2 if take is take_votes else 1)
    return pull(store, store.campaign("review"), [row], names=NAMES, now=now, take=take)


def why(found: Pulled) -> list[str]:
    return [one.reason for one in found.quarantined]


def ready(store: ReviewStore) -> list[tuple[str, ...]]:
    with store.reading() as connection:
        return [tuple(names) for names in answered_by_all(connection, store.campaign("review")).values()]


FIRST = answer_taker(frozenset())


def test_the_first_project_holds_no_key_and_the_second_all_that_is_voted_on(store: ReviewStore) -> None:
    campaign, [task] = store.campaign("review"), store.tasks("review")
    blind = task_data(campaign, task, lambda image: image.image_id, letters=("A", "B"))
    assert not {"choices", "beside", "edit_question"} & blind.keys()
    assert "secret" not in json.dumps(blind)
    assert "right)" not in json.dumps(blind)
    asked = ET.fromstring(label_config(campaign.form, letters=("A", "B")))
    assert [one.get("name") for one in asked.iter("Choices")] == ["answer"]
    shown = task_data(campaign, task, lambda image: image.image_id, letters=("A", "B"), votes=True)
    assert shown["choices"] == "A. the left one\nB. the right one    (right)"
    assert shown["beside"] == "Explanation: for a secret reason"
    voted = ET.fromstring(label_config(campaign.form, letters=("A", "B"), votes=True))
    controls = [one.get("name") for one in voted.iter("Choices")]
    assert controls == ["field_accurate", "field_reasonable", "field_difficult", "editing", "edit_right"]
    gone = json.dumps(blanked(shown))
    assert "secret" not in gone
    assert "(right)" not in gone


def test_answers_are_held_until_all_are_in_and_then_votes_complete_them(store: ReviewStore) -> None:
    assert pulled(store, {"ann": answer("B")}, take=FIRST).new == 1
    assert (ready(store), store.decisions("review")) == ([], [])
    assert pulled(store, {"ann": answer("B"), "ben": answer("A")}, take=FIRST).to_json() | {"quarantined": []} == {
        "new": 1, "changed": 0, "unchanged": 1, "skipped": 0, "quarantined": [],
    }  # fmt: skip
    assert ready(store) == [("ann", "ben")]
    found = pulled(store, {"ann": vote(), "ben": vote(difficult="No")}, take=take_votes)
    assert (found.new, why(found)) == (2, [])
    ann, ben = store.decisions("review")
    yes = {"accurate": "yes", "reasonable": "yes", "difficult": "yes"}
    assert (ann.annotator, ann.decision, dict(ann.fields or {})) == (
        "ann", "B", {"answer": "B", "answer_right": "yes", **yes},
    )  # fmt: skip
    assert dict(ben.fields or {}) == {"answer": "A", "answer_right": "no", **yes, "difficult": "no"}
    assert (ann.active_s, ben.active_s) == (20.0, 20.0)  # ten for the answer, ten for the votes
    again = pulled(store, {"ann": vote(), "ben": vote(difficult="Yes")}, take=take_votes)
    assert (again.unchanged, again.changed) == (1, 1)


def test_a_vote_without_an_answer_and_an_answer_that_changed_are_not_taken(store: ReviewStore) -> None:
    assert "'cas' has not answered this item" in why(pulled(store, {"cas": vote()}, take=take_votes))[0]
    pulled(store, {"ann": answer("B"), "ben": answer("A")}, take=FIRST)
    assert "all its slots are taken" in why(pulled(store, {"cas": answer("B")}, take=FIRST))[0]
    assert "'ben' answered A first" in why(pulled(store, {"ben": answer("B")}, take=FIRST))[0]
    assert "'cas' has not answered this item" in why(pulled(store, {"cas": vote()}, take=take_votes))[0]
    assert "does not belong" in why(pulled(store, {"ann": [*vote(), *answer("A")]}, take=take_votes))[0]
    assert "not filled in" in why(pulled(store, {"ann": vote()[1:]}, take=take_votes))[0]
    assert store.decisions("review") == []


def test_an_answer_that_is_pulled_after_the_key_was_shown_is_not_blind(store: ReviewStore) -> None:
    pulled(store, {"ann": answer("B")}, take=FIRST)
    shown = answer_taker({key_of(store.tasks("review")[0])})
    assert "was shown on the server before" in why(pulled(store, {"ben": answer("B")}, take=shown))[0]
    assert pulled(store, {"ann": answer("B")}, take=shown).unchanged == 1


def test_a_place_is_held_for_whoever_answered_as_long_as_the_answer_is_seen_on_the_server(store: ReviewStore) -> None:
    said = {"ann": answer("B"), "ben": answer("A")}
    pulled(store, said, take=FIRST)
    store.upsert_annotator("dan")
    queue = TaskQueue(store, store.campaign("review"), "dan")
    later = NOW + HELD_FOR - timedelta(days=1)
    pulled(store, said, take=FIRST, now=later)
    assert queue.next(now=NOW + HELD_FOR + timedelta(days=1)) is None
    assert queue.next(now=later + HELD_FOR + timedelta(days=1)) is not None


def test_who_answered_in_the_app_votes_here_and_the_other_way_round(store: ReviewStore) -> None:
    store.upsert_annotator("ann")
    queue = TaskQueue(store, store.campaign("review"), "ann")
    task = queue.next(now=NOW)
    assert task is not None
    queue.answer(task.slot_id, "B", now=NOW)
    pulled(store, {"ben": answer("B")}, take=FIRST)
    assert ready(store) == [("ann", "ben")]
    assert pulled(store, {"ann": vote()}, take=take_votes).new == 1
    ben = TaskQueue(store, store.campaign("review"), "ben")
    mine = ben.next(now=NOW)
    assert mine is not None
    assert mine.answered == "B"


def test_a_revised_item_is_asked_about_again_and_only_others_may_answer(store: ReviewStore) -> None:
    first = store.tasks("review")[0]
    pulled(store, {"ann": answer("A"), "ben": answer("A")}, take=FIRST)
    item = Item.model_validate(first.payload)
    edited = [
        label("editing", "Edit the item"), *came_back(item, question="What is it?", explanation=item.explanation),
        label("edit_right", "A"),
    ]  # fmt: skip
    row = annotated(store, "review", 0, {"ann": vote(*edited), "ben": vote()})
    campaign = store.campaign("review")
    assert pull(store, campaign, [row], names=NAMES, now=NOW, take=take_votes).new == 2
    [second] = store.tasks("review")
    assert (second.round, second.payload["question"], second.payload["answer"]) == (2, "What is it?", "A")
    again = pull(store, campaign, [row], names=NAMES, now=NOW, take=take_votes)
    assert (again.unchanged, again.quarantined) == (2, ())
    assert "shown the right answer" in why(pulled(store, {"ben": answer("A")}, take=FIRST))[0]
    assert pulled(store, {"cas": answer("A")}, take=FIRST).new == 1


@pytest.mark.parametrize("chosen", ["Leave the item as it is", None])
def test_edits_of_somebody_who_leaves_the_item_as_it_is_are_not_taken(store: ReviewStore, chosen: str | None) -> None:
    pulled(store, {"ann": answer("B"), "ben": answer("A")}, take=FIRST)
    editing = [] if chosen is None else [label("editing", chosen)]
    said = vote(*editing, label("edit_question", "Which?", kind="textarea"))
    assert "edits the item, but says" in why(pulled(store, {"ann": said}, take=take_votes))[0]
