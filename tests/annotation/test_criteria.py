"""Votes by criterion: the result of four of five, in any order of votes."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.annotation.workflow.settlement.criteria import Votes, tally, unmet_criteria
from benchwright.annotation.workflow.settlement.rules import Rule
from benchwright.annotation.workflow.settlement.settle import SettlementPolicy, TaskVotes, settle

CRITERIA = ("answer", "accurate", "reasonable", "difficult")
FOUR_OF_FIVE = Rule(4, 5)

fixed = settings(deadline=None, derandomize=True)
one_vote = st.fixed_dictionaries({name: st.booleans() for name in CRITERIA})


@st.composite
def rules_with_votes(draw: st.DrawFn) -> tuple[Rule, list[Votes]]:
    slots = draw(st.integers(1, 7))
    rule = Rule(draw(st.integers(1, slots)), slots)
    return rule, draw(st.lists(one_vote, min_size=slots, max_size=slots))


def settled(rule: Rule, votes: list[Votes]) -> str:
    """Return the result of an item's votes."""
    policy = SettlementPolicy(rule, rule.slots, criteria=CRITERIA)
    return settle(policy, TaskVotes(len(votes), {}, tally(votes)))


def passes(rule: Rule, votes: list[Votes]) -> bool:
    """Return whether an item passes after votes on all criteria."""
    outcome = settled(rule, votes)
    assert outcome in {"accept", "failed_review"}
    return outcome == "accept"


def voted(**letters: str) -> list[Votes]:
    """Return five annotators' votes, by criterion a letter each: `y` or `n`; all yes by default."""
    return [{name: letters.get(name, "yyyyy")[n] == "y" for name in CRITERIA} for n in range(5)]


@pytest.mark.parametrize(
    ("votes", "short"),
    [
        pytest.param(voted(), (), id="all say yes to all"),
        pytest.param(voted(answer="nyyyy"), (), id="one answered otherwise"),
        pytest.param(voted(answer="nyyyy", accurate="ynyyy", difficult="yynyy"), (), id="not the same four each time"),
        pytest.param(voted(answer="nnyyy"), ("answer",), id="two answered otherwise"),
        pytest.param(
            voted(reasonable="nnnyy", difficult="nnyyy"), ("reasonable", "difficult"), id="two criteria short"
        ),
    ],
)
def test_four_of_five_must_vote_for_each_criterion_by_itself(votes: list[Votes], short: tuple[str, ...]) -> None:
    assert unmet_criteria(FOUR_OF_FIVE, tally(votes)) == short
    assert passes(FOUR_OF_FIVE, votes) is (not short)


def test_nothing_passes_or_fails_before_all_votes_are_in() -> None:
    assert settled(FOUR_OF_FIVE, voted()[:4]) == "open"
    assert settled(FOUR_OF_FIVE, []) == "open"


def test_more_votes_than_slots_and_votes_on_other_criteria_are_defects() -> None:
    with pytest.raises(ValueError, match="of 5 annotators, not of 6"):
        settled(FOUR_OF_FIVE, [*voted(), *voted()[:1]])
    with pytest.raises(ValueError, match="same criteria"):
        tally([{"accurate": True}, {"reasonable": True}])


@fixed
@given(rules_with_votes(), st.randoms())
def test_the_order_of_annotators_does_not_matter(case: tuple[Rule, list[Votes]], shuffler: random.Random) -> None:
    rule, votes = case
    shuffled = list(votes)
    shuffler.shuffle(shuffled)
    assert passes(rule, shuffled) == passes(rule, votes)


@fixed
@given(rules_with_votes(), st.data())
def test_one_more_yes_never_fails_what_passed(case: tuple[Rule, list[Votes]], data: st.DataObject) -> None:
    rule, votes = case
    changed = [dict(vote) for vote in votes]
    changed[data.draw(st.integers(0, len(votes) - 1))][data.draw(st.sampled_from(CRITERIA))] = True
    assert passes(rule, changed) >= passes(rule, votes)


@fixed
@given(rules_with_votes())
def test_what_passes_is_what_the_rule_would_accept_criterion_by_criterion(case: tuple[Rule, list[Votes]]) -> None:
    rule, votes = case
    accepted = [rule.decide(["accept" if vote[name] else "reject" for vote in votes]) == "accept" for name in CRITERIA]
    assert passes(rule, votes) is all(accepted)
