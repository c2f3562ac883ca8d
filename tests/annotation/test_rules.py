"""Acceptance rules: their notation, the number of annotators they take, the results of decisions."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.annotation.workflow.settlement.rules import DECISIONS, Decision, Rule, parse_rule
from benchwright.errors import BenchwrightError

ORDER: dict[Decision | None, int] = {"reject": 0, "revise": 1, None: 1, "accept": 2}

fixed = settings(deadline=None, derandomize=True)
rules = st.integers(1, 9).flatmap(lambda slots: st.builds(Rule, st.integers(1, slots), st.just(slots), st.booleans()))


@st.composite
def rules_with_decisions(draw: st.DrawFn) -> tuple[Rule, list[Decision]]:
    rule = draw(rules)
    return rule, draw(st.lists(st.sampled_from(DECISIONS), min_size=rule.slots, max_size=rule.slots))


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("unanimous(2)", Rule(2, 2)),
        ("at_least(4, of=5)", Rule(4, 5)),
        (" at_least( 2 ,of = 3 ) ", Rule(2, 3)),
        ("at_least(3, of=3)", Rule(3, 3)),
        ("single", Rule(1, 1)),
        ("majority(5)", Rule(3, 5)),
        ("majority(4)", Rule(3, 4)),
        (" majority( 1 ) ", Rule(1, 1)),
        ("adjudicated(unanimous(2))", Rule(2, 2, is_adjudicated=True)),
        (" adjudicated( at_least(4, of=5) ) ", Rule(4, 5, is_adjudicated=True)),
        ("adjudicated(single)", Rule(1, 1, is_adjudicated=True)),
    ],
)
def test_a_rule_is_read_as_a_recipe_writes_it(text: str, rule: Rule) -> None:
    assert parse_rule(text) == rule


@fixed
@given(rules)
def test_a_rule_reads_back_what_it_says_of_itself(rule: Rule) -> None:
    assert parse_rule(str(rule)) == rule


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("unanimous", "unanimous(2)"),
        ("unanimos(3)", "unanimous(3)"),
        ("at_least(4 of 5)", "at_least(4, of=5)"),
        ("at_least(4, 5)", "at_least(4, of=5)"),
        ("at_least(6, of=5)", "at_least(5, of=6)"),
        ("unanimous(0)", "unanimous(1)"),
        ("unanimous(100)", "unanimous(99)"),
        ("majority", "majority(5)"),
        ("majorty(3)", "majority(3)"),
        ("majority(0)", "majority(1)"),
        ("singel", "single"),
        ("adjudicated", "adjudicated(unanimous(2))"),
        ("adjudicatd(majority(3))", "adjudicated(majority(3))"),
        ("all of them", "unanimous(2) or at_least(4, of=5)"),
        ("", "unanimous(2) or at_least(4, of=5)"),
        ("unanimous(٣)", "unanimous(2)"),
    ],
)
def test_a_text_that_is_no_rule_is_answered_with_the_nearest_one(text: str, nearest: str) -> None:
    with pytest.raises(BenchwrightError) as caught:
        parse_rule(text)
    assert str(caught.value).endswith(f"did you mean {nearest}?")
    assert repr(text) in str(caught.value)


@fixed
@given(st.text(st.characters(exclude_characters=")"), max_size=80))
def test_any_other_text_is_refused_in_words(text: str) -> None:
    with pytest.raises(BenchwrightError, match="did you mean"):
        parse_rule(text)


@pytest.mark.parametrize(
    ("rule", "decisions", "outcome"),
    [
        pytest.param("unanimous(2)", "aa", "accept", id="both accept"),
        pytest.param("unanimous(2)", "rr", "reject", id="both reject"),
        pytest.param("unanimous(2)", "ar", None, id="they differ"),
        pytest.param("at_least(4, of=5)", "aaaar", "accept", id="four of five accept"),
        pytest.param("at_least(4, of=5)", "rrrra", "reject", id="four of five reject"),
        pytest.param("at_least(4, of=5)", "aaarr", None, id="three of five"),
        pytest.param("at_least(2, of=4)", "aarr", "accept", id="both sides have enough"),
        pytest.param("at_least(4, of=5)", "aaaa", None, id="enough, but a slot is open"),
        pytest.param("unanimous(1)", "", None, id="nobody yet"),
        pytest.param("at_least(2, of=3)", "vva", "revise", id="two of three ask for a revision"),
        pytest.param("at_least(2, of=3)", "var", None, id="each says something else"),
        pytest.param("at_least(2, of=4)", "vvrr", "reject", id="reject and revise have enough"),
    ],
)
def test_decisions_come_to_an_outcome_once_all_slots_are_done(
    rule: str, decisions: str, outcome: Decision | None
) -> None:
    letters: dict[str, Decision] = {"a": "accept", "r": "reject", "v": "revise"}
    said = [letters[letter] for letter in decisions]
    assert parse_rule(rule).decide(said) == outcome


def test_more_decisions_than_slots_are_a_defect() -> None:
    with pytest.raises(ValueError, match="takes 2 decisions"):
        parse_rule("unanimous(2)").decide(["accept"] * 3)


@fixed
@given(rules_with_decisions(), st.randoms())
def test_the_order_of_decisions_does_not_matter(case: tuple[Rule, list[Decision]], shuffler: random.Random) -> None:
    rule, decisions = case
    shuffled = list(decisions)
    shuffler.shuffle(shuffled)
    assert rule.decide(shuffled) == rule.decide(decisions)


@fixed
@given(rules_with_decisions(), st.data())
def test_one_more_accept_never_makes_an_outcome_worse(case: tuple[Rule, list[Decision]], data: st.DataObject) -> None:
    rule, decisions = case
    changed = list(decisions)
    changed[data.draw(st.integers(0, rule.slots - 1))] = "accept"
    assert ORDER[rule.decide(changed)] >= ORDER[rule.decide(decisions)]


def test_a_rule_takes_one_adjudicator() -> None:
    with pytest.raises(BenchwrightError, match=r"twice; did you mean adjudicated\(unanimous\(1\)\)"):
        parse_rule("adjudicated(adjudicated(single))")
    with pytest.raises(BenchwrightError, match="did you mean"):
        parse_rule("adjudicated()")


@fixed
@given(rules_with_decisions())
def test_an_adjudicator_changes_nothing_about_what_the_decisions_themselves_come_to(
    case: tuple[Rule, list[Decision]],
) -> None:
    rule, decisions = case
    assert Rule(rule.need, rule.slots, not rule.is_adjudicated).decide(decisions) == rule.decide(decisions)
