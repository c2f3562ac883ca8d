"""What a round comes to: the annotators' own decision, a revision, an adjudicator's word, or nothing."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.annotation.rounds import State, in_count, proposals_of, settle, verified
from benchwright.annotation.rules import parse_rule
from benchwright.annotation.store.records import Adjudication, Annotation

MOMENT = datetime(2026, 3, 1, tzinfo=UTC)
DECISIONS = {"a": "accept", "r": "reject", "v": "revise", "x": "revise", "y": "revise"}
fixed = settings(deadline=None, derandomize=True)


def said(letters: str) -> list[Annotation]:
    """Return one decision a letter: accept, reject, revise with a note (v), or with edits x or y."""
    return [
        Annotation(
            item_id="item", content_hash="content", round=1, slot=n + 1, annotator=f"ann-{n}", annotator_kind="person",
            version=1, decision=DECISIONS[letter], reasons=(), note="why" if letter == "v" else None,
            edits={"question": letter} if letter in "xy" else None, started_at=MOMENT,
            submitted_at=MOMENT + timedelta(seconds=n),
        )
        for n, letter in enumerate(letters)
    ]  # fmt: skip


def adjudication(decision: str, edits: dict[str, str] | None = None) -> Adjudication:
    return Adjudication("item", "content", "judge", decision, (), None, edits, MOMENT)


@pytest.mark.parametrize(
    ("rule", "letters", "state", "question"),
    [
        pytest.param("unanimous(2)", "a", "open", None, id="one is missing"),
        pytest.param("unanimous(2)", "aa", "accept", None, id="both accept"),
        pytest.param("unanimous(2)", "rr", "reject", None, id="both reject"),
        pytest.param("unanimous(2)", "ar", "undecided", None, id="they differ"),
        pytest.param("unanimous(2)", "ax", "revise", "x", id="one edits, one accepts"),
        pytest.param("unanimous(2)", "rx", "revise", "x", id="one edits, one rejects"),
        pytest.param("unanimous(2)", "vv", "revise", None, id="both ask for a revision that nobody made"),
        pytest.param("unanimous(2)", "vy", "revise", "y", id="one asks, one makes it"),
        pytest.param("at_least(2, of=3)", "aax", "accept", None, id="enough accept, whatever one proposes"),
        pytest.param("at_least(2, of=3)", "rrx", "reject", None, id="enough reject, whatever one proposes"),
        pytest.param("at_least(4, of=5)", "xyyaa", "revise", "y", id="the edits of most"),
        pytest.param("at_least(4, of=5)", "axyaa", "revise", "x", id="among equals the earliest"),
        pytest.param("adjudicated(unanimous(2))", "aa", "accept", None, id="agreed: no adjudicator"),
        pytest.param("adjudicated(unanimous(2))", "ar", "waits", None, id="divided: an adjudicator"),
        pytest.param("adjudicated(unanimous(2))", "ax", "waits", None, id="a proposal of one: an adjudicator"),
        pytest.param("adjudicated(unanimous(2))", "xx", "revise", "x", id="the same edits: no adjudicator"),
        pytest.param("adjudicated(unanimous(2))", "xy", "waits", None, id="different edits: an adjudicator"),
        pytest.param("adjudicated(unanimous(2))", "vv", "waits", None, id="nobody made the revision: an adjudicator"),
    ],
)
def test_a_round_comes_to_what_its_decisions_say(rule: str, letters: str, state: State, question: str | None) -> None:
    found = settle(parse_rule(rule), verified, said(letters))
    assert found.state == state
    assert (None if found.proposal is None else found.proposal.edits["question"]) == question


@pytest.mark.parametrize(
    ("decision", "state"), [("accept", "accept"), ("reject", "reject"), ("revise", "revise")]
)  # fmt: skip
def test_an_adjudicators_decision_goes_before_the_annotators(decision: str, state: State) -> None:
    rule = parse_rule("adjudicated(unanimous(2))")
    edits = {"question": "better"} if decision == "revise" else None
    for letters in ("ar", "aa", "rr", "xy"):
        found = settle(rule, verified, said(letters), adjudication(decision, edits))
        assert (found.state, found.by_adjudicator) == (state, True)
        assert found.proposal == (None if edits is None else (edits, "judge"))
    assert settle(rule, verified, said("a"), adjudication(decision)).state == "open"


def test_decisions_before_an_item_was_sent_back_do_not_count() -> None:
    rule = parse_rule("adjudicated(unanimous(2))")
    every = said("araa")
    counted, before = in_count(rule, every, sent_back=1)
    assert ([one.slot for one in counted], [one.slot for one in before]) == ([3, 4], [1, 2])
    assert settle(rule, verified, counted).state == "accept"
    assert in_count(rule, every[:2], sent_back=0) == (every[:2], [])
    assert settle(rule, verified, in_count(rule, every[:3], sent_back=1)[0]).state == "open"


@fixed
@given(st.text("arvxy", min_size=3, max_size=3), st.sampled_from(["", "adjudicated"]), st.randoms())
def test_in_whatever_order_decisions_are_listed_a_round_comes_to_the_same(
    letters: str, wrap: str, shuffler: random.Random
) -> None:
    rule = parse_rule(f"{wrap}(at_least(2, of=3))" if wrap else "at_least(2, of=3)")
    given_in_order = said(letters)
    shuffled = list(given_in_order)
    shuffler.shuffle(shuffled)
    assert settle(rule, verified, shuffled) == settle(rule, verified, given_in_order)


@fixed
@given(st.text("arvxy", min_size=5, max_size=5))
def test_an_adjudicator_is_asked_only_where_the_annotators_neither_accept_nor_reject(letters: str) -> None:
    alone = settle(parse_rule("at_least(3, of=5)"), verified, said(letters))
    helped = settle(parse_rule("adjudicated(at_least(3, of=5))"), verified, said(letters))
    if alone.state in {"accept", "reject"}:
        assert helped == alone
    else:
        assert helped.state == "waits" or helped == alone


@fixed
@given(st.text("axy", max_size=8))
def test_proposals_are_ranked_by_how_many_made_them(letters: str) -> None:
    ranked = [one.edits["question"] for one in proposals_of(said(letters))]
    counts = [letters.count(name) for name in ranked]
    assert sorted(ranked) == sorted(set(letters) - {"a"})
    assert counts == sorted(counts, reverse=True)
