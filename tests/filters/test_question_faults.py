"""The step `question_faults`: the rules of the audit on a user's own items, and the effect of its settings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import ValidationError
from worded_items import gathered, item

from benchwright.filters.items.question_faults import FaultsOfAll, FaultsOfEach, QuestionFaults
from benchwright.records import Item
from benchwright.steps import Outcome


class _Pictures:
    """Stands for a context whose pictures are all of one color; counts what is decoded."""

    def __init__(self, color: tuple[int, int, int]) -> None:
        self.pixels: NDArray[np.uint8] = np.full((8, 8, 3), color, np.uint8)
        self.decoded = 0
        self.images = self

    def image(self, image_id: str) -> str:
        return image_id

    def rgb(self, record: Any) -> NDArray[np.uint8]:
        del record
        self.decoded += 1
        return self.pixels


def _judged(one: Item, pictures: _Pictures | None = None, **settings: Any) -> Outcome:
    each = QuestionFaults.model_validate(settings).parts()[0]
    assert isinstance(each, FaultsOfEach)
    return each.judge(each.measure(one, pictures or _Pictures((9, 9, 9))).values)  # type: ignore[arg-type]


TWICE = item("x", options=["a fox", "A fox.", "TODO"])


def test_an_item_with_faults_is_asked_about_for_the_worst() -> None:
    assert _judged(TWICE) == Outcome("ask", "options", evidence={"kinds": ["repeated_option", "placeholder_text"]})


@pytest.mark.parametrize(
    ("settings", "verdict", "reason"),
    [
        ({"drop": ["placeholder_text"]}, "drop", "placeholders"),
        ({"ignore": ["repeated_option"]}, "ask", "placeholders"),
        ({"ignore": ["repeated_option"], "ask_from": "high"}, "keep", None),
        ({"ask_from": "high"}, "ask", "options"),
    ],
)
def test_settings_say_which_faults_count(settings: dict[str, Any], verdict: str, reason: str | None) -> None:
    outcome = _judged(TWICE, **settings)
    assert (outcome.verdict, outcome.reason) == (verdict, reason)


def test_a_kind_that_there_is_not_is_refused_by_name() -> None:
    with pytest.raises(ValidationError, match="unknown kind of fault 'odd'; give one of alt_text_names_answer"):
        QuestionFaults.model_validate({"drop": ["odd"]})


def test_pictures_are_decoded_only_where_a_color_is_asked_for() -> None:
    grey, red = _Pictures((90, 90, 90)), _Pictures((200, 20, 20))
    color = item("c", "What color is the car?", ["red", "blue"])
    assert _judged(item("x"), grey).verdict == "keep"
    assert grey.decoded == 0
    assert (_judged(color, grey).reason, _judged(color, red).reason) == ("pictures", None)
    assert (grey.decoded, red.decoded) == (1, 1)


def test_rules_over_the_set_name_their_items() -> None:
    rows = [
        item(f"q{n}", options=[f"fox {n}", f"hen {n}", f"owl {n}", f"bee {n}"], answer="ABCD"[n % 4]) for n in range(24)
    ]
    found = gathered(FaultsOfAll(), rows)
    assert {one.reason for one in found.values()} == {"given_away"}
    assert {tuple(one.values["kinds"]) for one in found.values()} == {("keys_in_turn",)}
    assert all("ABCDABCD" in one.evidence["faults"][0]["words"] for one in found.values())
    assert len(found) >= 20
