"""Records: impossible ones are refused on creation, and identity follows from the content."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from benchwright.records import Choice, Item, ItemImage, Operation, VisualPrompt, item_id_for

ONE, TWO = "1" * 64, "2" * 64


def _item(**changes: Any) -> Item:
    fields: dict[str, Any] = {
        "item_id": item_id_for("jigsaw", 7, {}, (ONE,), 0),
        "task": "jigsaw",
        "kind": "multiple_choice",
        "images": (ItemImage(image_id=ONE, role="reference"), ItemImage(image_id=TWO, role="choice")),
        "question": "Which?",
        "choices": (Choice(key="A", text="this"), Choice(key="B", image_id=TWO)),
        "answer": "B",
        "group_keys": ("image:1", "scene:2"),
        "root_image_id": ONE,
        "operation_id": "op",
        "made_from": ONE,
    }
    return Item(**fields | changes)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        pytest.param({"answer": "C"}, "answer 'C' of item .* is not among its choices", id="answer"),
        pytest.param({"refusal": "D"}, "refusal 'D'", id="refusal"),
        pytest.param({"choices": (Choice(key="A", text="x"), Choice(key="C", text="y"))}, "keyed A, B, C", id="keys"),
        pytest.param({"choices": (Choice(key="A", text="x"), Choice(key="B", image_id="3" * 64))}, "does not list", id="image"),
        pytest.param({"group_keys": ("b", "a")}, "sorted and without repeats", id="groups"),
        pytest.param({"task": "Jig saw"}, "pattern", id="task"),
        pytest.param({"colour": "red"}, "Extra inputs", id="unknown field"),
        pytest.param(
            {"images": (ItemImage(image_id=ONE, role="r", prompts=(VisualPrompt(kind="dot", image_id=TWO, points=((1, 2),)),)),
                        ItemImage(image_id=TWO, role="c"))}, "names an image other", id="prompt",
        ),
    ],
)  # fmt: skip
def test_an_item_that_does_not_hang_together_is_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        _item(**changes)


def test_a_choice_is_a_text_or_an_image_not_both_and_not_neither() -> None:
    for wrong in ({}, {"text": "x", "image_id": ONE}):
        with pytest.raises(ValidationError, match="either a text or an image_id"):
            Choice(key="A", **wrong)


def test_content_hash_covers_what_is_shown_and_what_is_right() -> None:
    base = _item().content_hash
    shown = [{"question": "Which one?"}, {"answer": "A"}, {"refusal": "A"}, {"explanation": "so"}, {"category": "c"}]
    assert len({base, *(_item(**change).content_hash for change in shown)}) == len(shown) + 1


def test_content_hash_does_not_cover_how_it_was_made_or_grouped() -> None:
    made = [{"operation_id": "other"}, {"evidence": {"x": 1}}, {"group_keys": ()}, {"revision": 3}, {"made_from": TWO}]
    assert {_item(**change).content_hash for change in made} == {_item().content_hash}


def test_a_changed_copy_has_a_content_hash_of_its_own() -> None:
    item = _item()
    before = item.content_hash
    assert item.model_copy(update={"question": "Which one?"}).content_hash != before
    assert item.content_hash == before


def test_an_item_survives_the_round_trip_through_json() -> None:
    item = _item(attributes={"x": 0.1, "y": None, "z": True}, evidence={"h": [[1.5, 2], [3, 4e-9]]})
    assert Item.model_validate_json(item.model_dump_json()) == item


def test_item_ids_depend_on_parents_in_order_and_on_the_ordinal_but_on_no_version() -> None:
    ids = {item_id_for("s", 1, {}, parents, n) for parents in ((ONE, TWO), (TWO, ONE), (ONE,)) for n in range(3)}
    assert len(ids) == 9
    operations = {Operation(step="s", version=v, parameters={}, seed=1).operation_id for v in (1, 2)}
    assert len(operations) == 2
