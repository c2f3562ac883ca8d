"""Rules tried on the decisions so far: the outcome of each, counted like that of the rule in force.

- The rule in force equals the page of progress, with adjudicators, edits, criteria and tasks that closed early.
- Another rule applies to the first decisions, and counts tasks that missing decisions can still change as open.
- The votes that stopping at a sureness would save are counted over the same decisions, with the changes.
- The tasks that change against the rule in force are named, as many as are counted.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from benchwright.annotation.campaigns.review import Review
from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.progress.campaign_progress import progress_of
from benchwright.annotation.progress.overview import Overview
from benchwright.annotation.progress.rule_trial import FATES, can_try, changed_tasks, fate_of, rules_to_try, try_rules
from benchwright.annotation.progress.sureness_trial import can_spare, try_sureness
from benchwright.annotation.store.database.records import Campaign
from benchwright.annotation.store.review_store import ReviewStore
from benchwright.annotation.workflow.adjudication import AdjudicationQueue
from benchwright.annotation.workflow.settlement.closing import close_early
from benchwright.annotation.workflow.settlement.rules import parse_rule
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.records import Item
from benchwright.steps import CampaignContext

pytestmark = [pytest.mark.both_databases]

Opened = Callable[..., Campaign]
PEOPLE = ("ann", "ben", "cas", "dan")


@pytest.fixture
def opened(
    store: ReviewStore, context: CampaignContext, make_items: Callable[..., list[Item]], now: datetime
) -> Opened:
    """Return an opener of a campaign with a task for each text, whose letters are decisions in the order of slots; `x` and `y` are edits."""

    def open_campaign(said: list[str], rule: str = "majority(3)", **handout: object) -> Campaign:
        Verify(rule=rule, rounds=1, handout=handout, form={"reasons": ["unclear"]}).advance(
            make_items(jigsaw=len(said)), context
        )  # type: ignore[arg-type]
        for name in (*PEOPLE, "ada"):
            store.upsert_annotator(name)
        tasks = sorted(store.tasks("verify"), key=lambda task: task.id)
        for n, (task, letters) in enumerate(zip(tasks, said, strict=True)):
            for name, letter in zip(PEOPLE, letters, strict=False):
                store.decide("verify", task.id, name, submission(letter), now=now + timedelta(minutes=n))
        close_early(store, "verify")
        return store.campaign("verify")

    return open_campaign


def submission(letter: str) -> Submission:
    if letter in "xy":
        return Submission("revise", edits={"question": f"Which one, {letter}?"})
    return Submission(
        {"a": "accept", "r": "reject", "v": "revise"}[letter], note="so", reasons=("unclear",) * (letter == "r")
    )


def fates(store: ReviewStore, rule: str) -> dict[str, int]:
    [trial] = try_rules(store, store.campaign("verify"), [parse_rule(rule)])
    return {fate: count for fate, count in trial.fates.items() if count}


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["majority(3)", "unanimous(3)", "adjudicated(unanimous(2))", "at_least(1, of=2)"])
@pytest.mark.parametrize("handout", [{}, {"close_decided": True}], ids=["all", "closes"])
def test_the_rule_in_force_comes_out_as_on_the_page_of_progress(
    store: ReviewStore, opened: Opened, now: datetime, rule: str, handout: dict[str, object]
) -> None:
    rng = random.Random(3)
    slots = parse_rule(rule).slots
    campaign = opened(
        ["".join(rng.choices("aaarrvxy", k=rng.randrange(slots + 1))) for _ in range(60)], rule, **handout
    )
    queue = AdjudicationQueue(store, campaign, "ada")
    for decision, case in zip(("accept", "reject", "send_back"), queue.queue(), strict=False):
        queue.open(case.task_id, now=now)
        queue.decide(case.task_id, Submission(decision, reasons=("unclear",) * (decision == "reject")), now=now)
    overview = Overview(store, campaign)
    expected: Counter[str] = Counter()
    for outcome, count in progress_of(campaign, overview.decision_counts()).outcomes.items():
        expected["open" if outcome in {"begun", "untouched"} else fate_of(outcome)] += count
    assert fates(store, rule) == dict(+expected)
    trials = try_rules(store, campaign)
    [own] = [trial for trial in trials if trial.is_in_force]
    assert own.changed == 0
    assert own.further_votes == overview.filled(now=now).free
    assert all(sum(trial.fates.values()) == 60 for trial in trials)
    assert [trial.rule for trial in trials] == rules_to_try(campaign)
    assert {fate for trial in trials for fate in trial.fates} == set(FATES)
    for trial in trials:
        changed = changed_tasks(store, campaign, trial.rule)
        assert len(changed) == trial.changed
        assert all(task.before != task.after for task in changed)


def test_another_rule_is_held_to_the_first_decisions_and_to_what_is_certain(store: ReviewStore, opened: Opened) -> None:
    campaign = opened(["aar", "ara", "rra", "aaa", "aa", "a", ""])
    assert fates(store, "majority(3)") == {"kept": 3, "dropped": 1, "open": 3}
    assert fates(store, "unanimous(2)") == {"kept": 3, "no_agreement": 1, "dropped": 1, "open": 2}
    assert fates(store, "single") == {"kept": 5, "dropped": 1, "open": 1}
    # Of five, three equal decisions of three are certain, and of the fifth task nothing is.
    assert fates(store, "majority(5)") == {"kept": 1, "open": 6}
    assert fates(store, "adjudicated(unanimous(3))") == {"kept": 1, "waits": 3, "open": 3}
    [two] = try_rules(store, campaign, [parse_rule("unanimous(2)")])
    assert (two.decisions, two.further_votes, two.changed) == (14, 3, 1)
    assert [task[1:] for task in changed_tasks(store, campaign, parse_rule("unanimous(2)"))] == [
        ("kept", "no_agreement")
    ]
    assert changed_tasks(store, campaign, parse_rule("majority(3)")) == []


def test_edits_of_the_first_annotators_alone_count(store: ReviewStore, opened: Opened) -> None:
    opened(["xxy", "axx", "vvv"])
    assert fates(store, "majority(3)") == {"to_revise": 3}
    assert fates(store, "single") == {"kept": 1, "to_revise": 2}
    assert fates(store, "adjudicated(unanimous(2))") == {"to_revise": 1, "waits": 2}


def test_votes_by_criterion_are_tried_too(
    store: ReviewStore, context: CampaignContext, make_items: Callable[..., list[Item]], now: datetime
) -> None:
    Review(rule="unanimous(2)").advance(make_items(jigsaw=1), context)
    campaign = store.campaign(context.stage)
    for name, difficult in (("ann", "yes"), ("ben", "no")):
        store.upsert_annotator(name)
        queue = TaskQueue(store, campaign, name)
        task = queue.next(now=now)
        assert task is not None
        queue.answer(task.slot_id, "B", now=now)
        votes = {"accurate": "yes", "reasonable": "yes", "difficult": difficult}
        queue.submit(task.slot_id, Submission(fields=votes), now=now)
    assert can_try(campaign)
    assert fates(store, "single") == {"kept": 1}
    assert fates(store, "unanimous(2)") == {"dropped": 1}
    assert changed_tasks(store, campaign, parse_rule("single"))[0][1:] == ("dropped", "kept")


def test_where_no_rule_settles_anything_none_is_tried(store: ReviewStore) -> None:
    store.upsert_campaign(
        "answer", kind="answer", rule="answers(3)", slots_per_task=3, settings={}, seed=1,
        form=CampaignForm(decisions=["A", "B"], reasons=[], needs_note=[]),
    )  # fmt: skip
    assert not can_try(store.campaign("answer"))
    assert rules_to_try(store.campaign("answer")) == []


@pytest.mark.slow
def test_a_threshold_of_sureness_spares_what_closing_by_it_does(store: ReviewStore, opened: Opened) -> None:
    """Where votes came in one by one under such a setting, as many are spared as is said of the same votes in full."""
    said = ["aaa"] * 40 + ["aar"] * 3 + ["rrr"] * 12 + ["rar"] * 2 + ["a", ""]
    campaign = opened(said)
    assert can_spare(campaign)
    low, high = try_sureness(store, campaign, (0.6, 0.999))
    assert (low.until, low.tasks, low.votes_spared, low.compared) == (0.6, 55, 55, 55)
    assert low.otherwise == 0  # two of two that agree are the majority of three
    assert high == (0.999, 0, 0, 0, 0)
    trials = try_sureness(store, campaign)
    assert [trial.tasks for trial in trials] == sorted((trial.tasks for trial in trials), reverse=True)
    strict = under(campaign, "unanimous(3)")
    assert try_sureness(store, strict, (0.6,))[0].otherwise == 3  # `aar` would close with two accepts
    assert not can_spare(under(campaign, "unanimous(2)"))


def under(campaign: Campaign, rule: str) -> Campaign:
    """Return the campaign under another rule."""
    parsed = parse_rule(rule)
    return replace(campaign, rule=str(parsed), slots_per_task=parsed.slots)
