"""A task in the browser: the key in `verify` only, never how an item was made; and the valid replies."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import datetime

import pytest

from benchwright.annotation.app.base.option_letters import captions, options_of, question_in_words
from benchwright.annotation.app.item_pages.item_sections import options_html
from benchwright.annotation.app.task_card.card import card_of, editable_of
from benchwright.annotation.app.task_card.card_event import CardEvent, event_of
from benchwright.annotation.app.wording.key_sheet import key_sheet
from benchwright.annotation.campaigns.answer import Answer
from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.forms.task_content import TaskContent, content_in
from benchwright.annotation.store.database.records import RefusedError
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.canonical import digest
from benchwright.construction.tasks.jigsaw import QUESTIONS
from benchwright.records import Choice, Item, ItemImage
from benchwright.steps import CampaignContext


def item(**changes: object) -> Item:
    pictures = [digest([place]) for place in range(3)]
    fields = {
        "item_id": "5" * 32, "task": "jigsaw", "kind": "multiple_choice", "question": "Which, <image 2> or <image 3>?",
        "images": [ItemImage(image_id=one, role="view") for one in pictures],
        "choices": [Choice(key="A", image_id=pictures[1]), Choice(key="B", text="neither <b>")],
        "answer": "B", "root_image_id": pictures[0], "operation_id": "0" * 32, "made_from": pictures[0],
        "explanation": "the secret explanation", "evidence": {"secret": "evidence"}, "attributes": {"secret": 1},
    }  # fmt: skip
    return Item.model_validate(fields | changes)


@pytest.fixture
def store(context: CampaignContext) -> Iterator[ReviewStore]:
    with open_store(context.store_url) as opened:
        opened.upsert_annotator("ann")
        yield opened


@pytest.fixture
def card(context: CampaignContext, store: ReviewStore, now: datetime) -> Callable[..., dict[str, object]]:
    def shown(step: Verify | Answer, one: Item) -> dict[str, object]:
        step.advance([one], context)
        campaign = store.campaign(context.stage)
        task = TaskQueue(store, campaign, "ann").next(now=now)
        assert task is not None
        return asdict(card_of(task, campaign))

    return shown


def test_verifying_shows_the_key_and_the_form(card: Callable[..., dict[str, object]]) -> None:
    shown = card(Verify(), item())
    assert (shown["mode"], shown["right"], shown["declines"]) == ("verify", "B", False)
    assert shown["question"] == "Which, Picture A or Image 3?"
    assert shown["choices"] == [{"key": "A", "words": "Picture A"}, {"key": "B", "words": "neither <b>"}]
    assert shown["needs_reason"] == ["reject"]
    assert shown["needs_note"] == ["revise"]
    assert {"code": "wrong_answer", "words": "wrong answer"} in shown["reasons"]


def test_where_nothing_answers_the_choice_that_declines_is_shown_as_right(
    card: Callable[..., dict[str, object]],
) -> None:
    shown = card(Verify(), item(answer=None, refusal="B"))
    assert (shown["right"], shown["declines"]) == ("B", True)


@pytest.mark.parametrize("one", [item(), item(answer=None, refusal="B")], ids=["answer", "refusal"])
def test_answering_is_blind(card: Callable[..., dict[str, object]], one: Item) -> None:
    shown = card(Answer(), one)
    assert (shown["mode"], shown["right"], shown["declines"]) == ("answer", None, False)


@pytest.mark.parametrize("step", [Verify(), Answer()], ids=["verify", "answer"])
def test_how_an_item_was_made_never_reaches_the_browser(card: Callable[..., dict[str, object]], step: Verify) -> None:
    assert "secret" not in json.dumps(card(step, item()))


def test_a_picture_is_called_by_its_letter_as_an_option_and_else_by_its_place() -> None:
    assert captions(item()) == ["Image 1", "Picture A", "Image 3"]


JIGSAW_QUESTIONS = QUESTIONS.filled(color="black").templates


def jigsaw(question: str, *, options: int = 2) -> TaskContent:
    pictures = [digest([place]) for place in range(options + 1)]
    return TaskContent(
        task="jigsaw", question=question, images=[ItemImage(image_id=one, role="view") for one in pictures],
        choices=[Choice(key="ABCD"[n], image_id=one) for n, one in enumerate(pictures[1:])],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("options", "question", "shown"),
    [
        *((2, question, question.replace("the second or the third", "A or B")) for question in JIGSAW_QUESTIONS),
        (3, "The second, the third or the fourth image?", "A, B or C?"),
        (2, "Which is on the second floor?", "Which is on the second floor?"),
        (2, "The third or the second?", "The third or the second?"),
        (3, "The second or the third?", "The second or the third?"),
    ],
    ids=["jigsaw 1", "jigsaw 2", "jigsaw 3", "three", "no list", "another order", "not all"],
)
def test_options_that_a_question_lists_by_their_places_are_listed_by_their_letters(
    options: int, question: str, shown: str
) -> None:
    assert question_in_words(jigsaw(question, options=options)) == shown


def test_a_command_whose_letter_an_option_has_takes_shift() -> None:
    def keys(name: str, letters: str) -> list[str]:
        return [line["key"] for line in key_sheet(name, letters)]

    assert keys("answer", "ABCDEF")[:3] == ["A–F", "1–6", "Enter"]
    assert "G" in keys("answer", "ABCDEF")
    assert keys("answer", "ABCDEFG")[:2] == ["A–G", "1–7"]
    assert "Shift+G" in keys("answer", "ABCDEFG")
    assert keys("verify", "ABCD")[:3] == ["Y", "X", "V"]


def test_what_the_card_sends_is_taken() -> None:
    sent = {"task": 3, "does": "decide", "decision": "reject", "reasons": ["unclear"], "note": " blurred "}
    assert event_of(sent) == CardEvent(3, "decide", Submission("reject", ("unclear",), "blurred"))
    assert event_of(sent | {"note": "  "}).submission.note is None
    assert event_of(sent | {"does": "flag", "active_s": 3.5}).submission.active_s == 3.5


def test_any_number_of_seconds_is_held_within_bounds() -> None:
    sent = {"task": 3, "does": "decide", "decision": "accept", "reasons": [], "note": ""}
    for value, taken in ((-4, 0.0), (10**400, 1e9), (float("inf"), 1e9), (7, 7.0)):
        assert event_of(sent | {"active_s": value}).submission.active_s == taken


@pytest.mark.parametrize(
    "change",
    [
        {"task": "3"}, {"task": None}, {"task": True}, {"does": "drop tables"}, {"decision": None}, {"reasons": "unclear"},
        {"reasons": [1]}, {"reasons": None}, {"note": 7}, {"note": None},
        {"active_s": "3"}, {"active_s": True}, {"active_s": [3]},
    ],
)  # fmt: skip
def test_anything_else_is_refused(change: dict[str, object]) -> None:
    sent = {"task": 3, "does": "decide", "decision": "reject", "reasons": ["unclear"], "note": ""}
    with pytest.raises(RefusedError, match="not a value that the card sends"):
        event_of(sent | change)
    for nothing in (None, [], "x", {}):
        with pytest.raises(RefusedError):
            event_of(nothing)


def test_people_see_hidden_characters_spelled_out_and_edit_the_text_as_it_is() -> None:
    options = (Choice(key="A", text="tac \u202ecat"), Choice(key="B", text="می\u200cخواهم"))
    content = content_in(item(question="Which\u200b one?", choices=options).model_dump(mode="json"))
    assert question_in_words(content) == "Which\\u200b one?"
    assert [option["words"] for option in options_of(content)] == ["tac \\u202ecat", "می\u200cخواهم"]
    shown = options_html(question_in_words(content), content)
    assert "Which\\u200b one?" in shown
    assert "tac \\u202ecat" in shown
    assert editable_of(content, with_explanation=False)["question"] == "Which\u200b one?"
