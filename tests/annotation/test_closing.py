"""Tasks that their rule has decided close if the campaign is set so, and only then.

- A certain outcome is the one that every completion gives.
- A closed task goes to no further annotator; one who holds a slot may finish; a changed decision opens it again.
- Outcomes equal those of a campaign with all decisions; agreement reports missing decisions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import product
from typing import Any

import pytest
from pydantic import ValidationError

from benchwright.annotation.campaigns.answer import Answer
from benchwright.annotation.campaigns.review import Review
from benchwright.annotation.campaigns.screen import ScreenItems
from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.cli.tasks import assignment_settings_of
from benchwright.annotation.forms.assignment_settings import AssignmentSettings
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.progress.campaign_progress import progress_of
from benchwright.annotation.progress.overview import Overview
from benchwright.annotation.store.database.records import Annotation, RefusedError
from benchwright.annotation.store.review_store import ReviewStore
from benchwright.annotation.workflow.settlement.closing import close_decided, count_closed
from benchwright.annotation.workflow.settlement.rounds import votes_in
from benchwright.annotation.workflow.settlement.rules import DECISIONS, Rule, parse_rule
from benchwright.annotation.workflow.settlement.settle import CLOSING, SettlementPolicy, settle
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.records import Item
from benchwright.steps import CampaignContext

MakeItems = Callable[..., list[Item]]
PEOPLE = ("ann", "ben", "cas", "dan", "eva")
CLOSES = AssignmentSettings(close_decided=True)


@pytest.mark.parametrize("rule", ["single", "unanimous(2)", "majority(3)", "at_least(2, of=4)", "at_least(4, of=5)"])
def test_what_is_certain_is_what_every_completion_comes_to(rule: str) -> None:
    taken = parse_rule(rule)
    for given in range(taken.slots + 1):
        for said in product(DECISIONS, repeat=given):
            outcomes = {taken.decide([*said, *more]) for more in product(DECISIONS, repeat=taken.slots - given)}
            expected = next(iter(outcomes)) if len(outcomes) == 1 else None
            assert taken.certain_of(Counter(said), DECISIONS, missing=taken.slots - given) == expected, said


def test_the_largest_rule_is_asked_in_time() -> None:
    assert Rule(50, 99).certain_of({"accept": 50}, DECISIONS, missing=49) == "accept"
    assert Rule(50, 99).certain_of({"accept": 49}, DECISIONS, missing=50) is None


@pytest.fixture
def people(store: ReviewStore) -> ReviewStore:
    for name in PEOPLE:
        store.upsert_annotator(name)
    return store


def opened(
    store: ReviewStore, context: CampaignContext, items: list[Item], *, handout: AssignmentSettings = CLOSES,
    rule: str = "majority(3)",
) -> None:  # fmt: skip
    Verify(rule=rule, handout=handout).advance(items, context)


def say(store: ReviewStore, name: str, decision: str, now: datetime, **more: Any) -> None:
    """Decide the next task like the app."""
    queue = TaskQueue(store, store.campaign("verify"), name)
    task = queue.next(now=now)
    assert task is not None
    queue.submit(task.slot_id, Submission(decision, **more), now=now + timedelta(seconds=5))


def states(store: ReviewStore) -> list[str]:
    return sorted(task.state for task in store.tasks("verify", states=("open", "done")))


def test_a_decided_task_goes_to_nobody_any_more_and_the_run_goes_on(
    people: ReviewStore, context: CampaignContext, make_items: MakeItems, now: datetime
) -> None:
    items = make_items(jigsaw=1)
    opened(people, context, items)
    say(people, "ann", "accept", now)
    assert states(people) == ["open"]
    say(people, "ben", "accept", now)
    assert states(people) == ["done"]
    queue = TaskQueue(people, people.campaign("verify"), "cas")
    assert queue.next(now=now) is None
    assert queue.progress(now=now).left == 0
    with pytest.raises(RefusedError, match="decided under at_least"):
        people.decide("verify", people.tasks("verify", states=("done",))[0].id, "cas", Submission("reject"), now=now)
    status = people.status("verify", now=now)
    assert status.slots == {"free": 0, "leased": 0, "submitted": 2}
    overview = Overview(people, people.campaign("verify"))
    assert sum(overview.filled(now=now)) == 2
    assert progress_of(overview.campaign, overview.decision_counts()).outcomes["accept"] == 1
    assert overview.closed_early() == 1
    verdicts = Verify(rule="majority(3)", handout=CLOSES).advance(items, context)
    assert verdicts.waiting is None
    assert verdicts.outcomes[items[0].item_id].verdict == "keep"


def test_without_the_setting_every_slot_is_waited_for(
    people: ReviewStore, context: CampaignContext, make_items: MakeItems, now: datetime
) -> None:
    opened(people, context, make_items(jigsaw=1), handout=AssignmentSettings())
    for name in ("ann", "ben"):
        say(people, name, "accept", now)
    assert states(people) == ["open"]


def test_whoever_holds_a_slot_may_finish_and_is_counted(
    people: ReviewStore, context: CampaignContext, make_items: MakeItems, now: datetime
) -> None:
    opened(people, context, make_items(jigsaw=1))
    queue = TaskQueue(people, people.campaign("verify"), "cas")
    held = queue.next(now=now)
    assert held is not None
    for name in ("ann", "ben"):
        say(people, name, "reject", now)
    assert states(people) == ["done"]
    assert people.status("verify", now=now).slots == {"free": 0, "leased": 1, "submitted": 2}
    again = queue.next(now=now + timedelta(seconds=60))
    assert again is not None
    assert again.slot_id == held.slot_id
    queue.submit(again.slot_id, Submission("accept"), now=now + timedelta(seconds=90))
    assert len(people.decisions("verify")) == 3
    assert states(people) == ["done"]
    assert count_closed(people, people.campaign("verify")) == 0


def test_a_change_of_mind_opens_the_task_again(
    people: ReviewStore, context: CampaignContext, make_items: MakeItems, now: datetime
) -> None:
    opened(people, context, make_items(jigsaw=1))
    for name in ("ann", "ben"):
        say(people, name, "accept", now)
    slot = next(one for one in people.decisions("verify") if one.annotator == "ben")
    queue = TaskQueue(people, people.campaign("verify"), "ben")
    task = queue.open(people.tasks("verify", states=("done",))[0].id, now=now)
    queue.submit(task.slot_id, Submission("reject"), now=now + timedelta(minutes=1))
    assert slot.decision == "accept"
    assert states(people) == ["open"]
    say(people, "cas", "reject", now)
    assert states(people) == ["done"]


def test_taking_the_setting_back_opens_and_giving_it_closes(
    people: ReviewStore, context: CampaignContext, make_items: MakeItems, now: datetime
) -> None:
    items = make_items(jigsaw=2)
    opened(people, context, items, handout=AssignmentSettings())
    for name in ("ann", "ben"):
        say(people, name, "accept", now)
        say(people, name, "accept" if name == "ann" else "reject", now)
    assert states(people) == ["open", "open"]
    opened(people, context, items)
    assert states(people) == ["done", "open"]
    opened(people, context, items, handout=AssignmentSettings())
    assert states(people) == ["open", "open"]


def test_a_revision_is_never_settled_early(
    people: ReviewStore, context: CampaignContext, make_items: MakeItems, now: datetime
) -> None:
    opened(people, context, make_items(jigsaw=1))
    for name in ("ann", "ben"):
        say(people, name, "revise", now, note="say which corner")
    assert states(people) == ["open"]  # the third may bring the edits


@pytest.mark.slow
@pytest.mark.parametrize("adjudicated", [False, True])
def test_outcomes_are_those_of_a_campaign_in_which_everybody_decided(
    people: ReviewStore, context: CampaignContext, make_items: MakeItems, now: datetime, *, adjudicated: bool
) -> None:
    rule = "adjudicated(majority(3))" if adjudicated else "majority(3)"
    items = make_items(jigsaw=12)
    said = list(product(("accept", "reject"), repeat=3)) * 2
    outcomes = {}
    for closes in (True, False):
        stage = context._replace(stage=f"verify{closes:d}")
        step = Verify(rule=rule, rounds=1, handout=AssignmentSettings(close_decided=closes))
        step.advance(items, stage)
        for task, words in zip(people.tasks(stage.stage), said, strict=False):
            for name, word in zip(PEOPLE, words, strict=False):
                if {one.id: one.state for one in people.tasks(stage.stage, states=("open", "done"))}[task.id] == "open":
                    people.decide(stage.stage, task.id, name, Submission(word), now=now)
                    close_decided(people, stage.stage, task=task.id)
        verdicts = step.advance(items, stage)
        assert verdicts.waiting is None
        outcomes[closes] = {key: (one.verdict, one.reason) for key, one in verdicts.outcomes.items()}
    assert outcomes[True] == outcomes[False]
    assert len(people.decisions("verify1")) < len(people.decisions("verify0")) == 36


def test_screening_closes_what_is_kept_and_waits_for_all_reasons(
    people: ReviewStore, context: CampaignContext, make_items: MakeItems, now: datetime
) -> None:
    step, items = ScreenItems(rule="majority(3)", handout=CLOSES), make_items(jigsaw=2)
    screen = context._replace(stage="screen_items")
    step.advance(items, screen)
    first, second = people.tasks("screen_items")
    for name in ("ann", "ben"):
        people.decide("screen_items", first.id, name, Submission("keep", fields={"verdict": "keep"}), now=now)
        fields = {"verdict": "discard", "reasons": [step.form.reasons[0]]}
        people.decide("screen_items", second.id, name, Submission("discard", fields=fields), now=now)
    assert close_decided(people, "screen_items") == 1
    assert [task.id for task in people.tasks("screen_items")] == [second.id]
    fields = {"verdict": "discard", "reasons": [step.form.reasons[0]]}
    people.decide("screen_items", second.id, "cas", Submission("discard", fields=fields), now=now)
    verdicts = step.advance(items, screen)
    assert verdicts.waiting is None
    assert {one.verdict for one in verdicts.outcomes.values()} == {"keep", "drop"}


def reviewed_as(place: int, votes: tuple[bool, bool], now: datetime) -> Annotation:
    right, clear = ("yes" if vote else "no" for vote in votes)
    return Annotation(
        item_id="i", content_hash="c", round=1, slot=place, annotator=PEOPLE[place - 1], annotator_kind="person",
        version=1, decision="A", reasons=(), note=None, edits=None, started_at=now, submitted_at=now,
        fields={"answer": "A", "answer_right": right, "clear": clear, "note": ""},
    )  # fmt: skip


def settled(policy: SettlementPolicy, annotations: list[Annotation]) -> str:
    return settle(policy, votes_in(policy, annotations))


def test_a_review_is_certain_of_passing_where_every_completion_passes(now: datetime) -> None:
    rule = parse_rule("at_least(2, of=3)")
    policy = SettlementPolicy(rule, 3, criteria=("answer_right", "clear"), closes_with=CLOSING["review"])
    possible = list(product((True, False), repeat=2))
    for given in range(1, 4):
        for said in product(possible, repeat=given):
            every = {
                settled(policy, [reviewed_as(place, votes, now) for place, votes in enumerate((*said, *more), 1)])
                for more in product(possible, repeat=3 - given)
            }
            already = settled(policy, [reviewed_as(place, votes, now) for place, votes in enumerate(said, 1)])
            assert already == ("accept" if every == {"accept"} else "failed_review" if given == 3 else "open"), said


def test_a_doubted_key_stands_once_most_of_all_asked_say_so(now: datetime) -> None:
    def finding(place: int, code: str) -> Annotation:
        return replace(reviewed_as(place, (True, True), now), decision=code)

    codes = ("key_right", "key_wrong", "ambiguous")
    policy = SettlementPolicy(parse_rule("majority(3)"), 3, codes, closes_with=CLOSING["errata"])
    assert settled(policy, [finding(1, "key_right")]) == "open"
    assert settled(policy, [finding(1, "key_right"), finding(2, "key_right")]) == "key_right"
    assert settled(policy, [finding(1, "key_wrong"), finding(2, "key_wrong")]) == "open"


def test_where_every_answer_counts_the_setting_is_refused_in_words() -> None:
    with pytest.raises(
        ValidationError, match=r"every answer counts there; errata, review, screen, screen_items, verify"
    ):
        Answer(handout=CLOSES)
    assert Review(handout=CLOSES).handout.close_decided
    nothing = {"gold": None, "gold_rate": None, "share": None, "share_of": (), "priority": (), "lease_s": None}
    assert assignment_settings_of(**nothing, close_decided=True).close_decided
    assert not assignment_settings_of(**nothing, close_decided=False).close_decided
