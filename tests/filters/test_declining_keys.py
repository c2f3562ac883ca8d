"""Items whose `answer` names the option that declines, as others may make them: it answers nothing."""

from __future__ import annotations

import pytest
from worded_items import item

from benchwright.diagnostics.shortcuts.item_cues import ItemCues, among_answers
from benchwright.diagnostics.shortcuts.letter_groups import letter_groups
from benchwright.diagnostics.shortcuts.measuring import DECLINING, cues_or_reason
from benchwright.diagnostics.wording.text_checks import names_answer
from benchwright.evaluation.metrics.release.mm_sap import prediction_of
from benchwright.records import Item

OPTIONS = ("a cat", "a dog", "it cannot be told")


@pytest.fixture(params=[None, "C"], ids=["no answer", "answer that declines"])
def declined(request: pytest.FixtureRequest) -> Item:
    return item("what", "Is it said, or it cannot be told?", OPTIONS, request.param, refusal="C")


def test_no_option_of_it_is_said_to_answer(declined: Item) -> None:
    assert (declined.right_key, declined.answered_key) == ("C", None)
    assert among_answers(declined) is None
    assert names_answer(declined) is None
    assert [group.of for group in letter_groups([declined], per="all", seed=1)] == ["refusal"]


def test_solvers_leave_it_out_with_its_reason_and_keep_the_others(declined: Item) -> None:
    other = item("other", "Which?", OPTIONS, "B", refusal="C")
    reason, cues = (cues_or_reason(each, None) for each in (declined, other))
    assert reason == DECLINING
    assert isinstance(cues, ItemCues)
    assert (cues.right, cues.texts) == (1, OPTIONS[:2])


def test_it_is_beyond_the_picture_in_the_scores_of_mm_sap(declined: Item) -> None:
    row = {"answer": declined.answer, "refusal": "C", "level": None, "right": True, "letter": "C", "knew": None}
    scored = prediction_of(row)
    assert (scored.part, scored.answer, scored.refuses) == ("beyond", None, True)
