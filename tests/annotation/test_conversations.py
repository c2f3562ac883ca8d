"""Conversations in addition to decisions: messages to annotators, and discussions of closed items."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
import sqlalchemy as sa

from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.accounts.forgetting import forget_person
from benchwright.annotation.store.accounts.saved_views import remove_view, save_view, views_of
from benchwright.annotation.store.campaigns.adjudications import note_seen
from benchwright.annotation.store.campaigns.open_and_closed import close_campaign, reopen_campaign
from benchwright.annotation.store.conversations.discussions import (
    add_post,
    decisions_on,
    discussed_task,
    may_be_discussed,
    post_counts,
    posts_on,
)
from benchwright.annotation.store.conversations.messages import (
    confirm_message,
    send_message,
    sent_messages,
    unread_messages,
    withdraw_message,
)
from benchwright.annotation.store.database.records import RefusedError
from benchwright.annotation.store.database.schema import campaigns
from benchwright.annotation.store.review_store import ReviewStore
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.errors import BenchwrightError

OpenCampaign = Callable[..., ReviewStore]


def told(store: ReviewStore, name: str) -> list[str]:
    with store.reading() as connection:
        return [message.words for message in unread_messages(connection, store.campaigns(), name)]


def send(store: ReviewStore, words: str, *, now: datetime, to: str | None = None) -> int:
    with store.writing() as connection:
        return send_message(connection, "verify", words, recipient=to, by="cleo", now=now)


def people(store: ReviewStore, *names: str) -> None:
    for name in names:
        store.upsert_annotator(name)


@pytest.mark.both_databases
def test_a_message_is_shown_to_those_it_is_for_until_they_confirm_it(
    open_campaign: OpenCampaign, now: datetime
) -> None:
    store = open_campaign(tasks=1)
    to_all = send(store, " Please zoom in. ", now=now)
    send(store, "Well done, Ann.", to="ann", now=now)
    assert told(store, "ann") == ["Please zoom in.", "Well done, Ann."]
    assert told(store, "ben") == ["Please zoom in."]
    for _ in range(2):  # a second click changes nothing
        with store.writing() as connection:
            confirm_message(connection, to_all, "ann", now=now)
    assert told(store, "ann") == ["Well done, Ann."]
    with store.reading() as connection:
        listed = sent_messages(connection, store.campaign("verify"))
        assert unread_messages(connection, [], "ben") == [], "they may decide in no campaign"
    assert [(message.recipient, message.readers) for message in listed] == [("ann", ()), (None, ("ann",))]


@pytest.mark.both_databases
def test_a_withdrawn_message_is_shown_to_nobody_and_stays_on_record(open_campaign: OpenCampaign, now: datetime) -> None:
    store = open_campaign(tasks=1)
    number = send(store, "Wrong.", now=now)
    with store.writing() as connection:
        withdraw_message(connection, "verify", number, by="cleo", now=now)
    assert told(store, "ann") == []
    with store.writing() as connection, pytest.raises(BenchwrightError, match=f"shows no message {number}"):
        withdraw_message(connection, "verify", number, by="cleo", now=now)
    with store.reading() as connection:
        [message] = sent_messages(connection, store.campaign("verify"))
    assert message.withdrawn_by == "cleo"
    assert store.audited().broken is None


@pytest.mark.parametrize("words", ["", "  \n", "a\0b", "x" * 2001])
def test_a_message_that_says_nothing_or_too_much_is_refused(
    open_campaign: OpenCampaign, now: datetime, words: str
) -> None:
    with pytest.raises(BenchwrightError, match="a message has 1 to 2000 characters"):
        send(open_campaign(tasks=1), words, now=now)


def test_a_message_to_nobody_known_is_refused_and_nobody_confirms_what_is_for_another(
    open_campaign: OpenCampaign, now: datetime
) -> None:
    store = open_campaign(tasks=1)
    with pytest.raises(BenchwrightError, match="no annotator is called 'zed'"):
        send(store, "Hello", to="zed", now=now)
    number = send(store, "For Ann.", to="ann", now=now)
    with store.writing() as connection, pytest.raises(BenchwrightError, match=f"no message {number} for you"):
        confirm_message(connection, number, "ben", now=now)


def decide(store: ReviewStore, name: str, *, now: datetime) -> str:
    people(store, name)
    lease = store.claim("verify", name, now=now)
    assert lease is not None
    store.submit(lease.slot_id, name, Submission("accept"), now=now)
    return lease.item_id


@pytest.mark.both_databases
def test_an_item_is_discussed_only_while_nobody_can_judge_it(open_campaign: OpenCampaign, now: datetime) -> None:
    store = open_campaign(tasks=1)
    item, campaign = decide(store, "ann", now=now), store.campaign("verify")

    def may() -> bool:
        with store.reading() as connection:
            return may_be_discussed(connection, campaign, item)

    def post(words: str) -> None:
        with store.writing() as connection:
            add_post(connection, campaign, item, words, author="ann", now=now)

    with pytest.raises(RefusedError, match="may still judge"):
        post("Too early.")
    held = store.claim("verify", "ben", now=now)
    assert held is not None
    with store.writing() as connection:
        close_campaign(connection, "verify", by="cleo", now=now)
    assert not may(), "Ben still holds the task"
    store.release(held.slot_id, "ben", now=now)
    assert may()
    post("The shadow falls the other way.")
    with store.writing() as connection:
        reopen_campaign(connection, "verify", by="cleo", now=now + timedelta(hours=1))
    assert not may()
    with store.reading() as connection:
        assert [(each.author, each.words) for each in posts_on(connection, campaign, item)] == [
            ("ann", "The shadow falls the other way.")
        ]
        task = discussed_task(connection, campaign, item, of="ann")
        assert task is not None
        assert task == discussed_task(connection, campaign, item, of=None)
        assert discussed_task(connection, campaign, item, of="ben") is None, "Ben gave the task back"
        assert decisions_on(connection, task) == {"accept": 1}
        assert post_counts(connection, campaign) == {item: 1}
        assert not may_be_discussed(connection, campaign, "unknown")


@pytest.mark.both_databases
def test_whoever_discussed_an_item_keeps_their_decision_when_the_campaign_opens_again(
    open_campaign: OpenCampaign, now: datetime
) -> None:
    store = open_campaign(tasks=1, slots=4)
    item, campaign = decide(store, "ann", now=now), store.campaign("verify")
    with store.writing() as connection:
        task = discussed_task(connection, campaign, item, of="ann")
        assert task is not None
        for _ in range(2):
            note_seen(connection, task, "ann", now=now)
        note_seen(connection, task, "cas", now=now)
    queue = TaskQueue(store, campaign, "ann")
    slot, changed = queue.slot_of(task, now=now), Submission("reject", reasons=("unclear",))
    queue.submit(slot, changed, now=now)  # nobody else has decided: whoever works alone may change their mind
    decide(store, "ben", now=now)
    with pytest.raises(RefusedError, match="your decision stands"):
        queue.submit(slot, Submission("accept"), now=now)
    assert store.claim("verify", "cas", now=now) is None


def test_a_campaign_that_is_put_aside_or_simulated_keeps_no_item_from_being_discussed(
    open_campaign: OpenCampaign, now: datetime
) -> None:
    store = open_campaign(tasks=1)
    item = decide(store, "ann", now=now)
    form = CampaignForm(decisions=["accept", "reject"])
    for name, is_simulated in (("tried", True), ("old", False)):
        store.upsert_campaign(
            name, kind="verify", rule="unanimous(1)", slots_per_task=1, form=form, settings={}, seed=1,
            is_simulated=is_simulated,
        )  # fmt: skip
        store.upsert_tasks(name, [TaskInput(item, f"content of {name}", {})])
    with store.writing() as connection:
        connection.execute(sa.update(campaigns).where(campaigns.c.name == "old").values(is_archived=True))
        close_campaign(connection, "verify", by="cleo", now=now)
        assert may_be_discussed(connection, store.campaign("verify"), item)


def test_an_item_that_another_campaign_asks_about_is_not_discussed(open_campaign: OpenCampaign, now: datetime) -> None:
    store = open_campaign(tasks=1)
    item = decide(store, "ann", now=now)
    form = CampaignForm(decisions=["accept", "reject"])
    store.upsert_campaign("again", kind="verify", rule="unanimous(1)", slots_per_task=1, form=form, settings={}, seed=1)
    store.upsert_tasks("again", [TaskInput(item, "another-content", {})])
    with store.writing() as connection:
        close_campaign(connection, "verify", by="cleo", now=now)
    with store.reading() as connection:
        assert not may_be_discussed(connection, store.campaign("verify"), item)


@pytest.mark.both_databases
def test_a_view_is_saved_under_a_name_replaced_and_removed(open_campaign: OpenCampaign, now: datetime) -> None:
    store = open_campaign(tasks=1)
    people(store, "cleo", "dan")

    def saved(curator: str = "cleo") -> dict[str, dict[str, str]]:
        with store.reading() as connection:
            return views_of(connection, curator)

    for state in ("rejected", "accepted"):
        with store.writing() as connection:
            save_view(connection, "cleo", "  To look  at ", {"state": state}, now=now)
    assert saved() == {"To look at": {"state": "accepted"}}
    assert saved("dan") == {}
    with store.writing() as connection:
        remove_view(connection, "cleo", "To look at")
    assert saved() == {}
    with store.writing() as connection, pytest.raises(BenchwrightError, match="1 to 60 characters"):
        save_view(connection, "cleo", " ", {}, now=now)


def test_whoever_is_forgotten_goes_from_messages_and_posts(open_campaign: OpenCampaign, now: datetime) -> None:
    store = open_campaign(tasks=1)
    item = decide(store, "annabel", now=now)
    send(store, "annabel, please slow down", to="annabel", now=now)
    with store.writing() as connection:
        close_campaign(connection, "verify", by="cleo", now=now)
        add_post(connection, store.campaign("verify"), item, "annabel was here", author="annabel", now=now)
        save_view(connection, "annabel", "mine", {}, now=now)
    forgotten = forget_person(store, "annabel", now=now)
    with store.reading() as connection:
        [message] = sent_messages(connection, store.campaign("verify"))
        [post] = posts_on(connection, store.campaign("verify"), item)
        assert views_of(connection, forgotten.pseudonym) == {}
    assert (message.recipient, post.author) == (forgotten.pseudonym, forgotten.pseudonym)
    assert "annabel" not in message.words + post.words
