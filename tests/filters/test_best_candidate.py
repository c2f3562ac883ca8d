"""The gather filter `best_candidate`: one candidate per idea, with complete questions and complete pairs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from worded_items import gathered, item, sha

from benchwright.filters.pairs.best_candidate import BestCandidate, CandidateItem
from benchwright.records import Item


def candidate(number: int, *, idea: str = "B2", source: str = "photo", without: tuple[str, ...] = ()) -> list[Item]:
    """Return the items of one candidate: two questions on both pictures, and one with options."""
    pair = f"{source}-{idea}-{number}"
    evidence = {"pair": pair, "idea": idea, "candidate": number}
    items = [
        item(
            f"{pair} {side} {asked}", f"Is it {asked}?", ("Yes", "No"), kind="yes_no", picture=f"{pair} {side}",
            evidence=evidence, made_from=sha(source), level="low",
        )
        for asked in ("red", "blue")
        for side in ("natural", "manipulated")
    ]  # fmt: skip
    items.append(item(f"{pair} single", picture=f"{pair} manipulated", evidence=evidence, made_from=sha(source)))
    return [one for number, one in enumerate(items) if str(number) not in without]


def reasons(items: list[Item], **settings: Any) -> dict[str, int]:
    found: dict[str, int] = {}
    for said in gathered(BestCandidate(**settings), items).values():
        assert said.verdict == "drop"
        found[str(said.reason)] = found.get(str(said.reason), 0) + 1
    return found


def valued(items: list[Item], values: dict[int, float | None]) -> list[CandidateItem]:
    return [CandidateItem(one, values[one.evidence["candidate"]]) for one in items]


def test_of_equal_candidates_the_one_with_the_lowest_number_stays() -> None:
    items = [*candidate(2), *candidate(0), *candidate(1)]
    said = gathered(BestCandidate(), items)
    kept = {one.evidence["candidate"] for one in items if one.item_id not in said}
    assert kept == {0}
    assert {one.reason for one in said.values()} == {"better_candidate"}
    assert len(said) == 10
    evidence = next(iter(said.values())).evidence
    assert evidence["kept"]["candidate"] == 0
    assert evidence["kept"]["items"] == evidence["dropped"]["items"] == 5


def test_the_candidate_of_which_the_gates_left_more_stays() -> None:
    items = [*candidate(0, without=("4",)), *candidate(1)]
    said = gathered(BestCandidate(), items)
    assert {one.evidence["candidate"] for one in items if one.item_id not in said} == {1}


def test_a_value_decides_before_the_number_of_items() -> None:
    items = [*candidate(0), *candidate(1, without=("4",)), *candidate(2)]
    live = valued(items, {0: 0.2, 1: 0.9, 2: None})
    said = BestCandidate(by="clip_direction.directions.direction").losses(live)
    assert {live[row].item.evidence["candidate"] for row in range(len(live)) if row not in said} == {1}


def test_candidates_of_different_ideas_or_photographs_do_not_compete() -> None:
    items = [*candidate(0), *candidate(0, idea="E1"), *candidate(0, source="other")]
    assert gathered(BestCandidate(), items) == {}


def test_half_a_question_goes_and_the_other_question_stays() -> None:
    assert reasons(candidate(0, without=("1",))) == {"half_a_question": 1}


def test_a_pair_without_a_whole_question_goes_with_all_its_items() -> None:
    assert reasons(candidate(0, without=("1", "2"))) == {"half_a_question": 2, "pair_incomplete": 1}
    assert reasons(candidate(0, without=("1", "2")), min_questions=0) == {"half_a_question": 2}
    assert reasons(candidate(0), min_questions=3) == {"pair_incomplete": 5}


def test_a_candidate_that_is_no_pair_any_more_does_not_win() -> None:
    items = [*candidate(0, without=("1", "2")), *candidate(1)]
    said = gathered(BestCandidate(), items)
    assert {one.evidence["candidate"] for one in items if one.item_id not in said} == {1}


def test_items_without_a_pair_pass() -> None:
    assert gathered(BestCandidate(), [item("a"), item("b")]) == {}


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.integers(0, 3), st.sets(st.integers(0, 4), max_size=5)), unique_by=lambda one: one[0]),
    st.randoms(),
)
def test_whatever_the_gates_left_at_most_one_whole_candidate_an_idea_stays_in_any_order(
    left: list[tuple[int, set[int]]], chance: Any
) -> None:
    items = [one for number, lost in left for one in candidate(number, without=tuple(map(str, lost)))]
    mixed = list(items)
    chance.shuffle(mixed)
    said = gathered(BestCandidate(), items)
    assert said == gathered(BestCandidate(), mixed)
    kept = [one for one in items if one.item_id not in said]
    assert len({one.evidence["candidate"] for one in kept}) <= 1
    asked = [one.question for one in kept if one.kind == "yes_no"]
    assert all(asked.count(question) == 2 for question in asked)
    assert not kept or asked


@pytest.mark.parametrize("wrong", [{"by": "direction"}, {"min_questions": -1}])
def test_wrong_settings_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        BestCandidate(**wrong)


def test_of_direct_alterations_only_the_share_that_may_be_is_left_and_editors_take_turns() -> None:
    parts = [one for number in range(8) for one in candidate(0, idea=f"B2-{number}")]
    effects = [
        one.model_copy(update={"evidence": {**one.evidence, "way": "direct", "editor": editor}})
        for source in ("cat", "cup", "car")
        for editor in ("sepia", "night")
        for one in candidate(0, idea=f"S2-{editor}", source=source)
    ]
    said = gathered(BestCandidate(max_direct=0.2), [*parts, *effects])
    assert {one.reason for one in said.values()} == {"too_many_direct"}
    left = [one for one in effects if one.item_id not in said]
    assert {one.evidence["editor"] for one in left} == {"sepia", "night"}
    assert len({one.evidence["pair"] for one in left}) == 2
    assert not any(one.item_id in said for one in parts)
    assert not gathered(BestCandidate(), [*parts, *effects])
