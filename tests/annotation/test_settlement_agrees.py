"""A run's settlement of a campaign equals that of every other reader.

- Whatever people, adjudicators and curators do in a campaign of any kind and rule, the run, the curator's counts,
  `review status`, the adjudicator's queue and early closing agree.
- Cases in which they once differed have the result that the documentation states.
"""

from __future__ import annotations

import tempfile
from itertools import cycle
from pathlib import Path

import pytest
from driven_campaigns import (
    CLOSING,
    FIXED_RULES,
    JUDGES,
    LETTERS,
    OPENED_ON_FILES,
    WITH_ADJUDICATOR,
    WITH_ROUNDS,
    Driven,
)
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from benchwright.annotation.forms.kinds import (
    ANSWER,
    COLLECT,
    ERRATA,
    KINDS,
    MARK,
    PAIR,
    REVIEW,
    SCREEN,
    SCREEN_ITEMS,
    VERIFY,
)
from benchwright.annotation.workflow.settlement.further_votes import SURE_KINDS
from benchwright.errors import BenchwrightError

pytestmark = pytest.mark.slow

RULES = (
    "single", "unanimous(2)", "majority(3)", "at_least(2, of=3)", "at_least(1, of=2)", "at_least(2, of=4)",
)  # fmt: skip


def rules_of(kind: str) -> st.SearchStrategy[str]:
    """Return the rules that a kind of campaign takes; a number of annotators where the kind has its own rule."""
    if kind in FIXED_RULES:
        return st.just(FIXED_RULES[kind])
    if kind == ANSWER or kind in OPENED_ON_FILES:
        return st.sampled_from(["1", "2", "3", "4"])
    plain = st.sampled_from(RULES)
    return plain | plain.map("adjudicated({})".format) if kind in WITH_ADJUDICATOR else plain


def machine_of(kind: str, empty_store: bytes) -> type[RuleBasedStateMachine]:
    """Return the state machine of a campaign of this kind."""
    letters = st.sampled_from(LETTERS[kind])
    has_rounds, closes, is_adjudicated = kind in WITH_ROUNDS, kind in CLOSING, kind in WITH_ADJUDICATOR
    spares = kind in SURE_KINDS

    class Machine(RuleBasedStateMachine):
        driven: Driven

        def __init__(self) -> None:
            super().__init__()
            self._folder = tempfile.TemporaryDirectory()

        @initialize(
            rule=rules_of(kind), rounds=st.integers(1, 3), tasks=st.integers(1, 2),
            closing=st.booleans() if closes else st.just(False),
            sparing=st.booleans() if spares else st.just(False),
            writer_rounds=st.integers(0, 2) if has_rounds else st.just(0),
        )  # fmt: skip
        def open(self, rule: str, rounds: int, tasks: int, closing: bool, sparing: bool, writer_rounds: int) -> None:
            folder = Path(self._folder.name)
            self.driven = Driven(
                folder, empty_store, kind, rule, rounds=rounds, tasks=tasks, closes=closing, spares=sparing,
                writer_rounds=writer_rounds,
            )  # fmt: skip

        def teardown(self) -> None:
            if hasattr(self, "driven"):
                self.driven.close()
            self._folder.cleanup()

        @rule(letter=letters, first=st.integers(0, 5))
        def decide(self, letter: str, first: int) -> None:
            self.driven.decide(letter, first=first)
            self.driven.check()

        @rule(said=st.text(LETTERS[kind], min_size=1, max_size=8))
        def finish(self, said: str) -> None:
            self.driven.finish(cycle(said))
            self.driven.check_run()

        @rule(which=st.integers(0, 20), letter=letters)
        def change_mind(self, which: int, letter: str) -> None:
            self.driven.change_mind(which, letter)
            self.driven.check()

        @rule(first=st.integers(0, 5), is_put_back=st.booleans())
        def hold(self, first: int, is_put_back: bool) -> None:
            (self.driven.skip if is_put_back else self.driven.hold)(first)
            self.driven.check()

        @precondition(lambda self: is_adjudicated and self.driven.rule.startswith("adjudicated"))
        @rule(
            decision=st.sampled_from(["accept", "reject", "revise", "send_back"]), which=st.integers(0, 3),
            judge=st.sampled_from(JUDGES), edits=st.sampled_from("xyb"),
        )  # fmt: skip
        def adjudicate(self, decision: str, which: int, judge: str, edits: str) -> None:
            self.driven.adjudicate(decision, which=which, judge=judge, edits=edits)
            self.driven.check()

        @precondition(lambda self: self.driven.writer_rounds)
        @rule(leaves=st.booleans())
        def revise_what_came_back(self, leaves: bool) -> None:
            self.driven.write(leaves=leaves)
            self.driven.check()
            self.driven.check_run()

        @precondition(lambda self: has_rounds or kind == MARK)
        @rule(which=st.integers(0, 3))
        def reopen(self, which: int) -> None:
            self.driven.reopen(which)
            self.driven.check()

        @rule()
        def run(self) -> None:
            self.driven.check_run()

        @precondition(lambda self: self.driven.tasks > 1)
        @rule(number=st.integers(0, 1))
        def withdraw_or_bring_back(self, number: int) -> None:
            self.driven.present ^= {number}
            self.driven.present = self.driven.present or {0}
            self.driven.check_run()

        @rule(number=st.integers(0, 1))
        def change_content(self, number: int) -> None:
            self.driven.changed ^= {number}
            self.driven.check_run()

        @precondition(lambda self: kind != COLLECT)
        @rule(number=st.integers(0, 1))
        def name_gold(self, number: int) -> None:
            before, self.driven.gold = self.driven.gold, self.driven.gold ^ {number}
            try:
                self.driven.check_run()
            except BenchwrightError as refusal:
                if "was sent out as gold" not in str(refusal):  # to more annotators than an ordinary task takes
                    raise
                self.driven.gold = before

        @precondition(lambda self: closes)
        @rule()
        def close_or_not(self) -> None:
            self.driven.closes = not self.driven.closes
            self.driven.check_run()

        @precondition(lambda self: spares)
        @rule()
        def spare_or_not(self) -> None:
            self.driven.spares = not self.driven.spares
            self.driven.check_run()

        @precondition(lambda self: has_rounds)
        @rule(rounds=st.integers(1, 3))
        def change_rounds(self, rounds: int) -> None:
            self.driven.rounds = rounds
            self.driven.check_run()

    return Machine


EXAMPLES = {VERIFY: 9, REVIEW: 7, MARK: 8}
"""Campaigns that are tried of kinds with rounds or regions; of others 4 each."""


def _try_campaigns(kind: str, empty_store: bytes, count: int) -> None:
    checks = settings(
        max_examples=count, stateful_step_count=14, deadline=None, derandomize=True,
        phases=[Phase.generate], suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    run_state_machine_as_test(machine_of(kind, empty_store), settings=checks)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_everybody_says_what_the_run_does(kind: str, empty_store: bytes) -> None:
    _try_campaigns(kind, empty_store, 2 if kind in EXAMPLES else 1)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_everybody_says_what_the_run_does_in_many_campaigns(kind: str, empty_store: bytes) -> None:
    _try_campaigns(kind, empty_store, 3 * EXAMPLES.get(kind, 4))


ADJUDICATED = "adjudicated(unanimous(2))"


@pytest.mark.parametrize(
    ("kind", "rule", "rounds", "steps", "outcome"),
    [
        pytest.param(VERIFY, ADJUDICATED, 1, "xy", "waits", id="two different edits in the only round"),
        pytest.param(VERIFY, ADJUDICATED, 1, "vv", "waits", id="a revision that nobody made in the only round"),
        pytest.param(VERIFY, ADJUDICATED, 1, "xx", "revise", id="the same edits in the only round"),
        pytest.param(VERIFY, ADJUDICATED, 2, "xx", "untouched", id="the same edits with a round left"),
        pytest.param(VERIFY, ADJUDICATED, 2, "xy", "waits", id="two different edits with a round left"),
        pytest.param(VERIFY, ADJUDICATED, 2, "xxyb", "waits", id="two different edits in the last round"),
        pytest.param(VERIFY, ADJUDICATED, 3, "xxbb", "no_agreement", id="edits that lead back, all agree"),
        pytest.param(VERIFY, ADJUDICATED, 3, "arXarB", "no_agreement", id="an adjudicator's edits that lead back"),
        pytest.param(VERIFY, ADJUDICATED, 2, "arWxx", "untouched", id="sent back, then the same edits"),
        pytest.param(VERIFY, ADJUDICATED, 2, "arWxy", "waits", id="sent back, then different edits"),
        pytest.param(VERIFY, ADJUDICATED, 1, "xyWxx", "revise", id="edits from before it was sent back"),
        pytest.param(VERIFY, "unanimous(2)", 1, "ax", "revise", id="one edits in the only round"),
        pytest.param(VERIFY, "unanimous(2)", 2, "axay", "revise", id="one edits in the last round"),
        pytest.param(VERIFY, "unanimous(2)", 3, "axab", "no_agreement", id="one edits back to what it was"),
        pytest.param(VERIFY, "unanimous(2)", 3, "xxbb", "no_agreement", id="all edit back to what it was"),
        pytest.param(VERIFY, "unanimous(2)", 1, "vv", "revise", id="all ask for a revision"),
        pytest.param(VERIFY, "unanimous(2)", 1, "av", "no_agreement", id="one asks for a revision"),
        pytest.param(REVIEW, ADJUDICATED, 3, "nnXnnB", "failed_review", id="a review's edits that lead back"),
        pytest.param(REVIEW, "unanimous(2)", 2, "pxpx", "failed_review", id="a review's edits in the last round"),
        pytest.param(SCREEN, "at_least(1, of=2)", 0, "dk", "keep", id="both options have enough: keep goes first"),
        pytest.param(SCREEN_ITEMS, "at_least(2, of=4)", 0, "dkkd", "keep", id="of items, too"),
        pytest.param(PAIR, "at_least(1, of=2)", 0, "ds", "same", id="of a pair: the same picture goes first"),
        pytest.param(ERRATA, "4", 0, "ssww", "no_agreement", id="half of the annotators are not most"),
    ],
)
def test_what_is_right_where_they_once_disagreed(
    kind: str, rule: str, rounds: int, steps: str, outcome: str, tmp_path: Path, empty_store: bytes
) -> None:
    """Annotators decide the small letters in turn; an adjudicator accepts, rejects, edits (X, B) or sends back (W)."""
    driven = Driven(tmp_path, empty_store, kind, rule, rounds=max(rounds, 1))
    for step in steps:
        _step(driven, step)
        driven.check()
    driven.check_run()
    assert driven.outcomes() == {outcome: 1}
    driven.close()


def _step(driven: Driven, step: str) -> None:
    decisions = {"A": "accept", "R": "reject", "X": "revise", "B": "revise", "W": "send_back"}
    if step in decisions:
        assert driven.adjudicate(decisions[step], edits=step.lower() if step in "XB" else "x")
    else:
        assert driven.decide(step)


@pytest.mark.parametrize(
    ("kind", "rule", "steps", "outcome"),
    [
        pytest.param(VERIFY, "single", "w", "to_writer", id="its writer has it"),
        pytest.param(VERIFY, "single", "w=", "revise", id="its writer leaves it as it was"),
        pytest.param(VERIFY, "single", "w+a", "accept", id="its writer mends it"),
        pytest.param(VERIFY, "single", "w+w", "revise", id="sent back again, and it went back as often as it may"),
        pytest.param(VERIFY, "single", "wc", "to_writer", id="a reviewer accepts it after all, and its writer has it"),
        pytest.param(VERIFY, "single", "wc=", "accept", id="a reviewer accepts it after all, and its writer leaves it"),
        pytest.param(VERIFY, ADJUDICATED, "xw", "to_writer", id="no adjudicator is asked while its writer has it"),
        pytest.param(VERIFY, ADJUDICATED, "xw=", "revise", id="nor once its writer left it"),
        pytest.param(VERIFY, ADJUDICATED, "arWaw", "to_writer", id="an adjudicator asks others, who send it back"),
        pytest.param(REVIEW, "unanimous(2)", "pw", "to_writer", id="of a review: its writer has it"),
        pytest.param(REVIEW, "unanimous(2)", "pw=", "failed_review", id="of a review: its writer leaves it as it was"),
        pytest.param(REVIEW, ADJUDICATED, "pw+pw", "failed_review", id="of a review: as often as it may"),
    ],
)
def test_what_is_right_of_items_that_go_back_to_their_writers(
    kind: str, rule: str, steps: str, outcome: str, tmp_path: Path, empty_store: bytes
) -> None:
    """As above; annotators also send back (w) or accept after all (c), and the writer leaves it (=) or revises (+)."""
    driven = Driven(tmp_path, empty_store, kind, rule, rounds=2, writer_rounds=1)
    for step in steps:
        if step in "=+":
            driven.check_run()
            assert driven.write(leaves=step == "=")
            driven.check_run()
        elif step == "c":
            driven.check_run()
            assert driven.change_mind(0, "a")
        else:
            _step(driven, step)
        driven.check()
    driven.check_run()
    assert driven.outcomes() == {outcome: 1}
    if outcome == "to_writer":
        assert not driven.reopen(0)
    driven.close()


def test_an_adjudicator_overrules_a_task_that_closed_early_and_it_stays_closed(
    tmp_path: Path, empty_store: bytes
) -> None:
    driven = Driven(tmp_path, empty_store, VERIFY, "adjudicated(majority(5))", closes=True)
    for step in "araaR":
        _step(driven, step)
    assert driven.outcomes() == {"reject": 1}
    ran = driven.check_run()
    assert ran.outcomes == {"reject": 1}
    assert driven.change_mind(0, "r")
    assert driven.check_run().outcomes == {
        "reject": 1
    }  # two of four accept now: by itself the task would be open again
    driven.closes = False
    assert driven.check_run().outcomes == {"reject": 1}
    driven.close()


def test_tasks_that_are_sure_enough_come_to_the_same_everywhere_and_an_adjudicator_overrules_them(
    tmp_path: Path, empty_store: bytes
) -> None:
    driven = Driven(tmp_path, empty_store, VERIFY, "adjudicated(majority(5))", tasks=2, spares=True)
    for step in "raaarrr":
        driven.decide(step)
        driven.check()
    assert driven.check_run().outcomes is not None  # two, three or four of five were enough
    assert driven.store.status(VERIFY, now=driven.now).slots["submitted"] < 10
    before = driven.outcomes()
    if driven.adjudicate("reject"):
        assert driven.check_run().outcomes != {} != before
    driven.spares = False
    driven.check_run()
    assert driven.outcomes()["begun"] >= 1
    driven.close()


def test_an_item_that_comes_as_people_had_made_it_has_the_rounds_that_led_there(
    tmp_path: Path, empty_store: bytes
) -> None:
    driven = Driven(tmp_path, empty_store, VERIFY, "unanimous(2)", rounds=2)
    driven.changed = {1}  # another item: what `b` makes of this one is then the content that it comes with later
    for step in "ab":
        _step(driven, step)
    driven.changed = {0}
    assert driven.check_run().waiting is not None
    for step in "ax":
        _step(driven, step)
    ran = driven.check_run()
    assert ran.outcomes == {"revise": 1}  # out of rounds: this was the second
    assert [(line["round"], line["revised"], line["dropped"]) for line in ran.rounds] == [(1, 1, 0), (2, 0, 1)]
    driven.close()


@pytest.mark.parametrize("rule", ["at_least(2, of=3)", "adjudicated(at_least(2, of=3))"])
@pytest.mark.parametrize("kind", [VERIFY, REVIEW])
def test_what_simulated_annotators_decide_closes_the_campaign_whether_or_not_the_rule_names_an_adjudicator(
    kind: str, rule: str, tmp_path: Path, empty_store: bytes
) -> None:
    driven = Driven(tmp_path, empty_store, kind, rule, rounds=3, tasks=12, simulated=True)
    ran = driven.check_run()
    assert ran.outcomes is not None
    assert len(ran.outcomes) > 1
    assert len(ran.rounds) > 1
    driven.close()
