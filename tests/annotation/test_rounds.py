"""Results of a round: the annotators' decision, a revision, an adjudicator's decision, or none."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.annotation.store.database.records import Adjudicated, Adjudication, Annotation
from benchwright.annotation.workflow.settlement.rounds import in_count, next_edits, proposals_of, votes_in
from benchwright.annotation.workflow.settlement.rules import DECISIONS, parse_rule
from benchwright.annotation.workflow.settlement.settle import SettlementPolicy, settle, settle_last

MOMENT = datetime(2026, 3, 1, tzinfo=UTC)
SAID = {"a": "accept", "r": "reject", "v": "revise", "x": "revise", "y": "revise"}
fixed = settings(deadline=None, derandomize=True)


def said(letters: str) -> list[Annotation]:
    """Return one decision a letter: accept, reject, revise with a note (v), or with edits x or y."""
    return [
        Annotation(
            item_id="item", content_hash="content", round=1, slot=n + 1, annotator=f"ann-{n}", annotator_kind="person",
            version=1, decision=SAID[letter], reasons=(), note="why" if letter == "v" else None,
            edits={"question": letter} if letter in "xy" else None, started_at=MOMENT,
            submitted_at=MOMENT + timedelta(seconds=n),
        )
        for n, letter in enumerate(letters)
    ]  # fmt: skip


def adjudicated(decision: str, edits: dict[str, str] | None = None) -> Adjudicated:
    return Adjudicated(
        0,
        Adjudication(
            decision, edits=edits, item_id="item", content_hash="content", annotator="judge", decided_at=MOMENT
        ),
    )


def policy(rule: str, rounds: int = 2) -> SettlementPolicy:
    """Return the settlement of a campaign `verify`."""
    taken = parse_rule(rule)
    return SettlementPolicy(taken, taken.slots, DECISIONS, rounds=rounds)


def settled(rule: str, annotations: list[Annotation], verdict: Adjudicated = Adjudicated(0, None)) -> str:
    """Return the result of decisions in the first of two rounds."""
    return settle(policy(rule), votes_in(policy(rule), annotations, verdict))


@pytest.mark.parametrize(
    ("rule", "letters", "outcome", "question"),
    [
        pytest.param("unanimous(2)", "a", "open", None, id="one is missing"),
        pytest.param("unanimous(2)", "aa", "accept", None, id="both accept"),
        pytest.param("unanimous(2)", "rr", "reject", None, id="both reject"),
        pytest.param("unanimous(2)", "ar", "no_agreement", None, id="they differ"),
        pytest.param("unanimous(2)", "ax", "next_round", "x", id="one edits, one accepts"),
        pytest.param("unanimous(2)", "rx", "next_round", "x", id="one edits, one rejects"),
        pytest.param("unanimous(2)", "vv", "needs_revision", None, id="both ask for a revision that nobody made"),
        pytest.param("unanimous(2)", "vy", "next_round", "y", id="one asks, one makes it"),
        pytest.param("at_least(2, of=3)", "aax", "accept", None, id="enough accept, whatever one proposes"),
        pytest.param("at_least(2, of=3)", "rrx", "reject", None, id="enough reject, whatever one proposes"),
        pytest.param("at_least(4, of=5)", "xyyaa", "next_round", "y", id="the edits of most"),
        pytest.param("at_least(4, of=5)", "axyaa", "next_round", "x", id="among equals the earliest"),
        pytest.param("adjudicated(unanimous(2))", "aa", "accept", None, id="agreed: no adjudicator"),
        pytest.param("adjudicated(unanimous(2))", "ar", "waits", None, id="divided: an adjudicator"),
        pytest.param("adjudicated(unanimous(2))", "ax", "waits", None, id="a proposal of one: an adjudicator"),
        pytest.param("adjudicated(unanimous(2))", "xx", "next_round", "x", id="the same edits: no adjudicator"),
        pytest.param("adjudicated(unanimous(2))", "xy", "waits", None, id="different edits: an adjudicator"),
        pytest.param("adjudicated(unanimous(2))", "vv", "waits", None, id="nobody made the revision: an adjudicator"),
    ],
)
def test_a_round_comes_to_what_its_decisions_say(rule: str, letters: str, outcome: str, question: str | None) -> None:
    assert settled(rule, said(letters)) == outcome
    if outcome == "next_round":
        proposal = next_edits(policy(rule), said(letters))
        assert proposal is not None
        assert proposal.edits["question"] == question


@pytest.mark.parametrize(
    ("letters", "rounds", "outcomes"),
    [
        pytest.param("ax", 1, ["needs_revision"], id="one round: nobody would look at the version"),
        pytest.param("ax", 2, ["next_round", "out_of_rounds"], id="the last round"),
        pytest.param("vv", 2, ["needs_revision", "needs_revision"], id="nobody made the revision"),
        pytest.param("ar", 2, ["no_agreement", "no_agreement"], id="nothing is agreed"),
    ],
)
def test_what_is_to_be_revised_comes_again_as_long_as_there_are_rounds(
    letters: str, rounds: int, outcomes: list[str]
) -> None:
    asked = policy("unanimous(2)", rounds)
    votes = votes_in(asked, said(letters))
    assert [settle(asked, votes, round_number=number) for number in range(1, rounds + 1)] == outcomes
    last = [settle_last(asked, votes, round_number=number) for number in range(1, rounds + 1)]
    assert last == ["no_agreement" if outcome == "next_round" else outcome for outcome in outcomes]


@pytest.mark.parametrize(
    ("decision", "outcome"), [("accept", "accept"), ("reject", "reject"), ("revise", "next_round")]
)  # fmt: skip
def test_an_adjudicators_decision_goes_before_the_annotators(decision: str, outcome: str) -> None:
    rule = "adjudicated(unanimous(2))"
    edits = {"question": "better"} if decision == "revise" else None
    verdict = adjudicated(decision, edits)
    for letters in ("ar", "aa", "rr", "xy", "a"):  # the last where the task had closed without the other annotator
        assert settled(rule, said(letters), verdict) == outcome
        assert next_edits(policy(rule), said(letters), verdict) == (None if edits is None else (edits, "judge"))


def test_decisions_before_an_item_was_sent_back_do_not_count() -> None:
    rule, sent_back = "adjudicated(unanimous(2))", Adjudicated(1, None)
    every = said("araa")
    counted, before = in_count(policy(rule), every, sent_back=1)
    assert ([one.slot for one in counted], [one.slot for one in before]) == ([3, 4], [1, 2])
    assert settled(rule, every, sent_back) == "accept"
    assert in_count(policy(rule), every[:2], sent_back=0) == (every[:2], [])
    assert settled(rule, every[:3], sent_back) == "open"


@fixed
@given(st.text("arvxy", min_size=3, max_size=3), st.sampled_from(["", "adjudicated"]), st.randoms())
def test_in_whatever_order_decisions_are_listed_a_round_comes_to_the_same(
    letters: str, wrap: str, shuffler: random.Random
) -> None:
    rule = f"{wrap}(at_least(2, of=3))" if wrap else "at_least(2, of=3)"
    given_in_order = said(letters)
    shuffled = list(given_in_order)
    shuffler.shuffle(shuffled)
    assert settled(rule, shuffled) == settled(rule, given_in_order)
    assert next_edits(policy(rule), shuffled) == next_edits(policy(rule), given_in_order)


@fixed
@given(st.text("arvxy", min_size=5, max_size=5))
def test_an_adjudicator_is_asked_only_where_the_annotators_neither_accept_nor_reject(letters: str) -> None:
    alone = settled("at_least(3, of=5)", said(letters))
    helped = settled("adjudicated(at_least(3, of=5))", said(letters))
    if alone in {"accept", "reject"}:
        assert helped == alone
    else:
        assert helped in {"waits", alone}


@fixed
@given(st.text("axy", max_size=8))
def test_proposals_are_ranked_by_how_many_made_them(letters: str) -> None:
    ranked = [one.edits["question"] for one in proposals_of(said(letters))]
    counts = [letters.count(name) for name in ranked]
    assert sorted(ranked) == sorted(set(letters) - {"a"})
    assert counts == sorted(counts, reverse=True)
