"""Edits of an item: valid ones, refused ones, and the version that they make."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.canonical import digest
from benchwright.questions.edits import EditError, ItemEdits, edits_of, revised
from benchwright.records import Choice, Item, ItemImage

PICTURE = digest("picture")
fixed = settings(deadline=None, derandomize=True)


def item(**changes: Any) -> Item:
    fields = {
        "item_id": "5" * 32, "task": "naming", "kind": "multiple_choice", "question": "What is on <image 1>?",
        "images": [ItemImage(image_id=PICTURE, role="view")],
        "choices": [Choice(key="A", text="a cat"), Choice(key="B", text="a dog"), Choice(key="C", image_id=PICTURE)],
        "answer": "B", "written_by": {"question": "model:m", "choices": "template"},
        "root_image_id": PICTURE, "operation_id": "0" * 32, "made_from": PICTURE, "group_keys": ("g",),
        "evidence": {"seen": 1},
    }  # fmt: skip
    return Item.model_validate(fields | changes)


def test_a_revision_is_the_same_item_one_revision_on_with_texts_by_a_person() -> None:
    edits = edits_of(item(), {"question": " Which animal? ", "choices": {"A": "an ox"}, "right": "A"})
    after = revised(item(), edits)
    assert (after.item_id, after.revision, after.question, after.answer) == ("5" * 32, 1, "Which animal?", "A")
    assert [choice.text for choice in after.choices] == ["an ox", "a dog", None]
    assert after.written_by == {"question": "person", "choices": "person"}
    nobodys = revised(item(), edits, simulated=True)
    assert nobodys.written_by == {"question": "simulated", "choices": "simulated"}
    assert after.group_keys == ("g",)
    assert after.content_hash != item().content_hash
    assert after.evidence == {
        "seen": 1,
        "revisions": [
            {
                "revision": 1,
                "changed": {
                    "question": {"from": "What is on <image 1>?", "to": "Which animal?"},
                    "choices": {"A": {"from": "a cat", "to": "an ox"}},
                    "right": {"from": "B", "to": "A"},
                },
            }
        ],
    }
    again = revised(after, edits_of(after, {"right": "B"}))
    assert [one["revision"] for one in again.evidence["revisions"]] == [1, 2]


def test_what_an_edit_leaves_as_it_is_is_no_edit() -> None:
    same = {"question": "What is on <image 1>?", "choices": {"A": "a cat"}, "right": "B"}
    assert edits_of(item(), same) == ItemEdits()
    with pytest.raises(EditError, match="change nothing"):
        revised(item(), ItemEdits())


def test_naming_the_choice_that_declines_says_that_nothing_answers() -> None:
    declining = item(refusal="A")
    after = revised(declining, edits_of(declining, {"right": "A"}))
    assert (after.answer, after.right_key) == (None, "A")
    back = revised(after, edits_of(after, {"right": "B"}))
    assert (back.answer, back.refusal) == ("B", "A")


@pytest.mark.parametrize(
    ("said", "words"),
    [
        pytest.param({"choices": {"C": "a picture no more"}}, "no choice 'C' with a text", id="picture"),
        pytest.param({"choices": {"D": "a fourth"}}, "no choice 'D' with a text", id="new choice"),
        pytest.param({"right": "D"}, "not among its choices A, B, C", id="key"),
        pytest.param({"question": "  "}, "question: String should have at least 1", id="empty question"),
        pytest.param({"question": "x" * 10_001}, "at most 10000", id="long question"),
        pytest.param({"question": "What is on <image 2>?"}, "places image 2; it has 1", id="placed image"),
        pytest.param({"question": "a\0b"}, "null character", id="null"),
        pytest.param({"choices": {"A": "a dog"}}, "read the same", id="same choices"),
        pytest.param({"answer": "A"}, "answer: Extra inputs", id="other field"),
        pytest.param({"choices": "A"}, "choices: Input should be a valid dictionary", id="other shape"),
    ],
)
def test_what_an_item_cannot_take_is_refused_in_words(said: dict[str, Any], words: str) -> None:
    with pytest.raises(EditError, match=words):
        edits_of(item(), said)


words = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=20).filter(
    lambda text: text.strip()
)


@fixed
@given(question=words, first=words, right=st.sampled_from("ABC"))
def test_edits_read_back_from_their_own_json_make_the_same_version(question: str, first: str, right: str) -> None:
    try:
        edits = edits_of(item(), {"question": question, "choices": {"A": first}, "right": right})
    except EditError:
        assert first.strip() == "a dog" or "<image" in question
        return
    after = revised(item(), edits)
    assert revised(item(), ItemEdits.model_validate(edits.to_json())) == after
    assert edits_of(after, {"question": question, "choices": {"A": first}, "right": right}) == ItemEdits()
