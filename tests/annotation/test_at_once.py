"""Two simultaneous acts on a PostgreSQL server: each sees the other's effect, and invariants hold.

In each test one transaction is open while another act begins in a separate thread.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.exchange.unused_photographs import unused_in
from benchwright.annotation.forms.assignment_settings import SETTING
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.accounts.accounts import Account, Accounts, Identities, Identity
from benchwright.annotation.store.accounts.campaign_access import AccessControl
from benchwright.annotation.store.assignment.assignment import return_expired
from benchwright.annotation.store.campaigns.guidelines import Guidelines
from benchwright.annotation.store.campaigns.tasks import retire
from benchwright.annotation.store.database.locks import hold_task
from benchwright.annotation.store.database.records import RefusedError, StaleError
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.store.submissions.comments import MOST, add_remark
from benchwright.annotation.store.submissions.photo_uploads import (
    MOST_UPLOADS,
    SubmittedPhotograph,
    Uploads,
    check_uploads,
)
from benchwright.annotation.workflow.adjudication import AdjudicationQueue
from benchwright.annotation.workflow.drafts import SeenDraft
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.errors import BenchwrightError
from benchwright.records import Item
from benchwright.steps import CampaignContext

from .beside import Beside

Open = Callable[..., ReviewStore]
pytestmark = [pytest.mark.server, pytest.mark.parametrize("store_url", ["postgresql"], indirect=True)]
ACCEPT = Submission("accept")
LEASE_S = 60.0


def hold(store: ReviewStore, name: str, now: datetime) -> int:
    """Let an annotator take the next task; return the slot."""
    lease = store.claim("verify", name, now=now, lease_s=LEASE_S)
    assert lease is not None
    return lease.slot_id


def test_of_two_last_decisions_one_finishes_the_task(open_campaign: Open, store_url: str, now: datetime) -> None:
    store = open_campaign(tasks=1, slots=2)
    slots = {name: hold(store, name, now) for name in ("ann", "ben")}
    with store.batch(alone=False) as held:
        held.submit(slots["ann"], "ann", ACCEPT, now=now)
        other = Beside(store_url, lambda own: own.submit(slots["ben"], "ben", ACCEPT, now=now))
    other.result()
    assert store.status("verify", now=now).tasks == {"open": 0, "done": 1, "retired": 0}
    assert store.audited().broken is None


def test_somebody_with_two_windows_gets_one_task(open_campaign: Open, store_url: str, now: datetime) -> None:
    store = open_campaign(tasks=5, slots=1)
    with store.batch(alone=False) as held:
        first = hold(held, "ann", now)
        other = Beside(store_url, lambda own: hold(own, "ann", now))
        assert other.waits
    assert other.result() == first


def test_nobody_waits_for_a_task_while_there_are_others(open_campaign: Open, store_url: str, now: datetime) -> None:
    store = open_campaign(tasks=2, slots=1)
    with store.batch(alone=False) as held:
        first = hold(held, "ann", now)
        other = Beside(store_url, lambda own: hold(own, "ben", now))
        assert not other.waits
        assert other.result() != first


@pytest.mark.parametrize("is_kept", [True, False])
def test_the_last_task_is_waited_for(open_campaign: Open, store_url: str, now: datetime, is_kept: bool) -> None:
    """An annotator who looks for a task while another is taking the last one gets it if the other fails."""
    store = open_campaign(tasks=1, slots=1)
    try:
        with store.batch(alone=False) as held:
            hold(held, "ann", now)
            other = Beside(store_url, lambda own: own.claim("verify", "ben", now=now))
            assert other.waits
            if not is_kept:
                raise ZeroDivisionError
    except ZeroDivisionError:
        pass
    assert (other.result() is None) == is_kept


def test_a_task_that_is_just_retired_is_not_handed_out(open_campaign: Open, store_url: str, now: datetime) -> None:
    store = open_campaign(tasks=1, slots=1)
    [task] = store.tasks("verify")
    with store.writing() as connection:
        hold_task(connection, task.id)
        retire(connection, [task.id])
        other = Beside(store_url, lambda own: own.claim("verify", "ann", now=now))
    assert other.result() is None


def test_a_recipe_that_drops_a_task_takes_it_from_whoever_just_got_it(
    open_campaign: Open, store_url: str, now: datetime
) -> None:
    store = open_campaign(tasks=1, slots=1)
    with store.batch(alone=False) as held:
        slot = hold(held, "ann", now)
        other = Beside(store_url, lambda own: own.upsert_tasks("verify", []))
        assert other.waits
    assert other.result().retired == 1
    with pytest.raises(RefusedError, match="does not hold"):
        store.submit(slot, "ann", ACCEPT, now=now)


def test_a_decision_by_a_form_that_is_just_changed_is_checked_by_the_new_one(
    open_campaign: Open, store_url: str, now: datetime
) -> None:
    store = open_campaign(tasks=1, slots=1)
    slot = hold(store, "ann", now)
    with store.batch() as held:
        held.upsert_campaign(
            "verify", kind="verify", rule="unanimous(1)", slots_per_task=1,
            form=CampaignForm(decisions=["reject"], reasons=[]), settings={}, seed=1,
        )  # fmt: skip
        other = Beside(store_url, lambda own: own.submit(slot, "ann", ACCEPT, now=now))
        assert other.waits
    with pytest.raises(RefusedError, match="'accept' is not one of reject"):
        other.result()


def test_who_is_just_taken_off_a_campaign_gets_no_task(open_campaign: Open, store_url: str, now: datetime) -> None:
    store = open_campaign(tasks=1, slots=1)
    with store.batch() as held:
        AccessControl(held).take_off("verify", ["ann"])
        other = Beside(store_url, lambda own: own.claim(own.campaign("verify"), "ann", now=now))
        assert other.waits
    with pytest.raises(RefusedError, match="is not assigned to campaign"):
        other.result()


def test_of_two_who_ask_at_once_one_gets_what_is_not_kept_for_another(
    open_campaign: Open, store_url: str, now: datetime
) -> None:
    store = open_campaign(tasks=2, slots=1)
    store.upsert_campaign(
        "verify", kind="verify", rule="unanimous(1)", slots_per_task=1, form=store.campaign("verify").form,
        settings={SETTING: {"shares": {"ann": 0.5}}}, seed=1,
    )  # fmt: skip
    with store.batch(alone=False) as held:
        hold(held, "ben", now)
        other = Beside(store_url, lambda own: own.claim("verify", "cas", now=now))
    assert other.result() is None
    assert store.claim("verify", "ann", now=now) is not None


def test_who_gives_back_a_task_that_has_just_gone_to_another_takes_it_from_nobody(
    open_campaign: Open, store_url: str, now: datetime
) -> None:
    store = open_campaign(tasks=1, slots=1)
    slot, later = hold(store, "ann", now), now + timedelta(seconds=LEASE_S)
    with store.batch(alone=False) as held:
        with held.writing() as connection:
            return_expired(connection, now=later)
        assert hold(held, "ben", later) == slot
        other = Beside(store_url, lambda own: own.release(slot, "ann", now=later))
    other.result()
    store.submit(slot, "ben", ACCEPT, now=later)


def test_of_two_versions_at_once_one_is_the_second(open_campaign: Open, store_url: str, now: datetime) -> None:
    store = open_campaign(tasks=1, slots=1)
    slot = hold(store, "ann", now)
    store.submit(slot, "ann", ACCEPT, now=now)
    reject = Submission("reject", reasons=("unclear",))
    with store.batch(alone=False) as held:
        held.submit(slot, "ann", reject, now=now, amend=True, seen_version=1)
        other = Beside(
            store_url,
            lambda own: own.submit(
                slot, "ann", Submission("reject", reasons=("wrong_answer",)), now=now, amend=True, seen_version=1
            ),
        )
    with pytest.raises(StaleError):
        other.result()
    [decision] = store.decisions("verify")
    assert (decision.version, decision.reasons) == (2, ("unclear",))


def test_two_windows_that_save_a_draft_at_once_keep_both(open_campaign: Open, store_url: str, now: datetime) -> None:
    store = open_campaign(tasks=1, slots=1)
    slot = hold(store, "ann", now)
    [task] = store.tasks("verify")

    def save(own: ReviewStore, words: str) -> None:
        draft = {"note": words, "window": words}
        TaskQueue(own, own.campaign("verify"), "ann").save_draft(task.id, draft, now=now, seen=SeenDraft(0, 0))

    with store.batch(alone=False) as held:
        save(held, "one")
        other = Beside(store_url, lambda own: save(own, "two"))
    with pytest.raises(StaleError):
        other.result()
    with store.batch(alone=False) as held:
        held.submit(slot, "ann", ACCEPT, now=now)
        other = Beside(store_url, lambda own: save(own, "three"))
    with pytest.raises(StaleError):
        other.result()


def test_uploads_and_comments_at_once_stay_within_their_numbers(
    open_campaign: Open, store_url: str, now: datetime
) -> None:
    store = open_campaign(tasks=1, slots=1)
    hold(store, "ann", now)
    [task] = store.tasks("verify")

    def comment(own: ReviewStore) -> None:
        with own.writing() as connection:
            add_remark(connection, task.id, "ann", "why?", is_flag=False, now=now)

    for number in range(MOST_UPLOADS - 1):
        Uploads(store).note(task.id, "ann", f"{number:064x}")
    for _ in range(MOST - 1):
        comment(store)
    with store.batch(alone=False) as held:
        Uploads(held).note(task.id, "ann", "a" * 64)
        comment(held)
        upload = Beside(store_url, lambda own: Uploads(own).note(task.id, "ann", "b" * 64))
        words = Beside(store_url, comment)
    with pytest.raises(RefusedError, match="no more photographs can be uploaded for this task"):
        upload.result()
    with pytest.raises(RefusedError, match="50 comments"):
        words.result()


def test_a_photograph_that_is_just_handed_in_is_not_removed(
    open_campaign: Open, store_url: str, now: datetime, context: CampaignContext
) -> None:
    store = open_campaign(tasks=1, slots=1)
    hold(store, "ann", now)
    [task] = store.tasks("verify")
    Uploads(store).note(task.id, "ann", "a" * 64)
    photograph = SubmittedPhotograph("photograph", "Photograph", "a" * 64)
    with store.writing() as connection:
        annotator_id = connection.exec_driver_sql("SELECT id FROM annotators WHERE name = 'ann'").scalar_one()
        check_uploads(connection, [photograph], task_id=task.id, annotator_id=annotator_id)
        removal = Beside(store_url, lambda own: unused_in(own, context.workspace, before=now, remove=True))
        assert removal.waits
    removal.result()


def curators(store: ReviewStore, now: datetime) -> None:
    for name in ("eva", "fred"):
        Accounts(store).add(name, "curator", now=now)


def test_of_two_curators_who_step_down_at_once_one_stays(store: ReviewStore, store_url: str, now: datetime) -> None:
    curators(store, now)
    with store.batch(alone=False) as held:
        Accounts(held).set_role("eva", "annotator")
        other = Beside(store_url, lambda own: Accounts(own).disable("fred"))
    with pytest.raises(BenchwrightError, match="'fred' is the only curator"):
        other.result()


def test_an_invitation_is_accepted_once(store: ReviewStore, store_url: str, now: datetime) -> None:
    curators(store, now)
    token = Accounts(store).invite("eva", now=now)
    with store.batch(alone=False) as held:
        Accounts(held).accept(token, "a hash", now=now)
        other = Beside(store_url, lambda own: Accounts(own).accept(token, "another hash", now=now))
    with pytest.raises(RefusedError, match="has been used"):
        other.result()
    assert Accounts(store).password_hash("eva") == "a hash"


def test_an_identity_is_tied_to_one_account(store: ReviewStore, store_url: str, now: datetime) -> None:
    curators(store, now)
    tokens = [Accounts(store).invite(name, now=now) for name in ("eva", "fred")]
    person = Identity("https://idp.example", "a person")
    with store.batch(alone=False) as held:
        Identities(held).accept(tokens[0], person, now=now)
        other = Beside(store_url, lambda own: Identities(own).accept(tokens[1], person, now=now))
    with pytest.raises(RefusedError, match="another account"):
        other.result()
    account = Identities(store).account_of(person)
    assert account is not None
    assert account.name == "eva"


def test_a_name_gets_one_account(store: ReviewStore, store_url: str, now: datetime) -> None:
    def add(own: ReviewStore) -> Account:
        return Accounts(own).add("eva", "curator", now=now)

    with store.batch(alone=False) as held:
        add(held)
        other = Beside(store_url, add)
    with pytest.raises(BenchwrightError, match="already has an account"):
        other.result()


def test_a_session_that_opens_while_the_account_is_locked_is_never_of_use(
    store: ReviewStore, store_url: str, now: datetime
) -> None:
    curators(store, now)
    with store.batch(alone=False) as held:
        Accounts(held).disable("eva")
        other = Beside(store_url, lambda own: Accounts(own).open_session("eva", now=now))
    token = other.result()
    assert Accounts(store).of_session(token, now=now) is None
    Accounts(store).disable("eva", disabled=False)
    assert Accounts(store).of_session(token, now=now) is None


def test_guidelines_that_are_set_at_once_are_two_versions(open_campaign: Open, store_url: str) -> None:
    store = open_campaign(tasks=1, slots=1)
    before = len(Guidelines(store).versions(store.campaign("verify")))
    with store.batch(alone=False) as held:
        Guidelines(held).set("verify", "One.", [])
        other = Beside(store_url, lambda own: Guidelines(own).set("verify", "Two.", []))
    assert other.result() == before + 2


def test_of_two_adjudicators_one_decides_a_case(
    context: CampaignContext, make_items: Callable[..., list[Item]], store_url: str, now: datetime
) -> None:
    Verify(rule="adjudicated(unanimous(2))", rounds=3).advance(make_items(jigsaw=1), context)
    with open_store(store_url) as store:
        [task] = store.tasks("verify")
        for name, decision in (("ann", "accept"), ("ben", "reject"), ("judge", None), ("other", None)):
            store.upsert_annotator(name)
            if decision is not None:
                reasons = ("unclear",) if decision == "reject" else ()
                store.decide("verify", task.id, name, Submission(decision, reasons=reasons), now=now)
            else:
                AdjudicationQueue(store, store.campaign("verify"), name).open(task.id, now=now)

        def decide(own: ReviewStore, name: str) -> None:
            AdjudicationQueue(own, own.campaign("verify"), name).decide(task.id, ACCEPT, now=now)

        with store.batch(alone=False) as held:
            decide(held, "judge")
            other = Beside(store_url, lambda own: decide(own, "other"))
        with pytest.raises(RefusedError, match="another adjudicator has decided it"):
            other.result()


def test_the_log_is_one_chain_whoever_writes_to_it(store: ReviewStore, store_url: str, now: datetime) -> None:
    with store.writing() as connection:
        connection.exec_driver_sql("SELECT 1")
        other = Beside(store_url, lambda own: own.record("beside", actor="ann", now=now))
        assert not other.waits  # the log is locked at the end only

    def write(number: int) -> None:
        for _ in range(20):
            store.record("noted", actor="ann", now=now, by=number)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    audited = store.audited()
    assert (audited.rows, audited.broken) == (201, None)


def test_acts_of_all_kinds_at_once_never_wait_for_each_other_in_a_circle(
    open_campaign: Open, store_url: str, make_items: Callable[..., list[Item]], now: datetime
) -> None:
    """Annotators who claim, decide, skip, draft and let leases end, amid imports, recipes, guidelines, accounts."""
    names = ("ann", "ben", "cas")
    store = open_campaign(tasks=0, slots=2)
    for name in names:
        Accounts(store).add(name, "annotator", now=now)
    work = [TaskInput(item.item_id, item.content_hash, item.model_dump(mode="json")) for item in make_items(jigsaw=8)]
    store.upsert_tasks("verify", work)
    ends, failures = time.monotonic() + 4, list[Exception]()

    def annotate(name: str, own: ReviewStore, turn: int) -> None:
        queue, at = TaskQueue(own, own.campaign("verify"), name), now + timedelta(seconds=turn * 20)
        task = queue.next(now=at)
        if task is not None and turn % 4 == 0:
            queue.save_draft(task.task_id, {"note": "so"}, now=at)
        elif task is not None and turn % 4 == 1:
            queue.skip(task.task_id, now=at)
        elif task is not None and turn % 4 == 2:
            queue.submit(task.slot_id, ACCEPT if turn % 8 else Submission("reject", reasons=("unclear",)), now=at)

    def curate(name: str, own: ReviewStore, turn: int) -> None:
        own.upsert_tasks("verify", [one._replace(content_hash=f"content-{turn // 2}") for one in work[turn % 3 :]])
        Guidelines(own).set("verify", f"Version {turn}.", [])
        Accounts(own).disable(name, disabled=turn % 2 == 0)
        Accounts(own).open_session(name, now=now)

    def go_on(act: Callable[[str, ReviewStore, int], None], name: str) -> None:
        turn = 0
        with open_store(store_url) as own:
            while time.monotonic() < ends:
                turn += 1
                try:
                    act(name, own, turn)
                except RefusedError:
                    pass  # a task that went away meanwhile
                except Exception as error:  # noqa: BLE001 # all of them are reported below
                    failures.append(error)
                    return

    threads = [threading.Thread(target=go_on, args=(annotate, name)) for name in names * 2]
    threads += [threading.Thread(target=go_on, args=(curate, name)) for name in names[:2]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert failures == []
    assert store.audited().broken is None
