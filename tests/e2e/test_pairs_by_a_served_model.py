"""A real server with a tiny random model: its nonsense is refused or unread, is recorded, and ends nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from pair_samples import PairContext, idea
from rival_items import rivalry
from served_vlm import NEEDED, ServedVlm

from benchwright.filters.pairs.answer_flip import AnswerFlip

for needed in NEEDED:
    pytest.importorskip(needed)


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def test_nonsense_is_no_answer_to_a_question_that_should_flip(served_vlm: ServedVlm, tmp_path: Path) -> None:
    rivals = rivalry(tmp_path, warm=(200, 90, 40))
    said = rivals.judged(AnswerFlip.model_validate({"chat": served_vlm.chat}))
    rivals.context.opened.close()
    flips = [one for item, one in zip(rivals.items, said, strict=True) if item.kind == "yes_no"]
    assert {(one.verdict, one.reason) for one in flips} == {("ask", "no_answer")}
    for one in flips:
        assert all(one.evidence["replies"].values())
        assert {one.values["natural"], one.values["manipulated"]} <= {"unclear", "failed"}


def test_nonsense_is_refused_by_the_schema_of_questions_and_kept(served_vlm: ServedVlm, tmp_path: Path) -> None:
    context = PairContext(tmp_path, [idea()])
    outcome = context.outcome(writer="endpoint", chat=served_vlm.chat)
    context.opened.close()
    assert (outcome.verdict, outcome.reason) == ("drop", "writer_no_json")
    assert len(outcome.evidence["B2"]["replies"]) == 2
