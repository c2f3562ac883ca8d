"""Assigning annotators to campaigns: others get no task by any route, and lose no decision."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.accounts.campaign_access import AccessControl, CampaignAccess
from benchwright.annotation.store.database.records import RefusedError
from benchwright.annotation.store.review_store import ReviewStore
from benchwright.errors import BenchwrightError

pytestmark = pytest.mark.both_databases

OpenCampaign = Callable[..., ReviewStore]


def test_a_campaign_is_everybodys_until_somebody_is_assigned(open_campaign: OpenCampaign, now: datetime) -> None:
    store = open_campaign(tasks=3)
    assigning = AccessControl(store)
    assert assigning.of("verify") == CampaignAccess(False, ())
    assert store.claim("verify", "ben", now=now) is not None
    assigning.assign("verify", ["ann"])
    assert assigning.of("verify") == CampaignAccess(True, ("ann",))
    assert store.claim("verify", "ann", now=now) is not None
    with pytest.raises(RefusedError, match="'cas' is not assigned to campaign 'verify'"):
        store.claim("verify", "cas", now=now)
    with pytest.raises(RefusedError, match="not assigned"):
        store.decide("verify", store.tasks("verify")[2].id, "cas", Submission("accept"), now=now)


def test_who_is_taken_off_finishes_what_they_hold_and_may_change_what_they_said(
    open_campaign: OpenCampaign, now: datetime
) -> None:
    store = open_campaign(tasks=3)
    assigning = AccessControl(store)
    assigning.assign("verify", ["ann", "ben"])
    lease = store.claim("verify", "ann", now=now)
    assert lease is not None
    assigning.take_off("verify", ["ann"])
    store.submit(lease.slot_id, "ann", Submission("accept"), now=now + timedelta(seconds=5))
    store.submit(lease.slot_id, "ann", Submission("reject"), now=now + timedelta(seconds=9), amend=True)
    assert [one.decision for one in store.decisions("verify")] == ["reject"]
    with pytest.raises(RefusedError, match="not assigned"):
        store.claim("verify", "ann", now=now + timedelta(seconds=10))


def test_taking_somebody_off_an_open_campaign_leaves_it_to_all_others_who_are_known(
    open_campaign: OpenCampaign,
) -> None:
    assigning = AccessControl(open_campaign(tasks=1))
    assigning.take_off("verify", ["ben"])
    assert assigning.of("verify") == CampaignAccess(True, ("ann", "cas"))
    assert not assigning.of("verify").admits("ben")


def test_a_campaign_is_opened_again_to_everybody(open_campaign: OpenCampaign, now: datetime) -> None:
    store = open_campaign(tasks=1)
    assigning = AccessControl(store)
    assigning.assign("verify", ["ann"])
    assigning.assign("verify", ["ann", "ben"])
    assert assigning.of("verify").names == ("ann", "ben")
    assigning.open_to_everybody("verify")
    assert assigning.of("verify") == CampaignAccess(False, ())
    assert store.claim("verify", "cas", now=now) is not None


def test_bringing_a_campaign_up_to_date_keeps_its_assignments(open_campaign: OpenCampaign) -> None:
    store = open_campaign(tasks=1)
    AccessControl(store).assign("verify", ["ann"])
    open_campaign(tasks=2)
    assert AccessControl(store).of("verify") == CampaignAccess(True, ("ann",))


def test_an_unknown_name_is_refused_and_nobody_is_assigned(open_campaign: OpenCampaign) -> None:
    assigning = AccessControl(open_campaign(tasks=1))
    with pytest.raises(BenchwrightError, match="no annotator is called 'dora'"):
        assigning.assign("verify", ["ann", "dora"])
    assert assigning.of("verify") == CampaignAccess(False, ())


def test_nobody_is_assigned_to_a_simulated_campaign(store: ReviewStore) -> None:
    store.upsert_campaign(
        "verify", kind="verify", rule="unanimous(2)", slots_per_task=2, form=CampaignForm(decisions=["accept"]), settings={},
        seed=1, is_simulated=True,
    )  # fmt: skip
    store.upsert_annotator("ann")
    with pytest.raises(BenchwrightError, match="simulated annotators decide in campaign 'verify'"):
        AccessControl(store).assign("verify", ["ann"])
