"""Accounts: invitations, passwords, sessions, roles; the store keeps hashes only."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
import sqlalchemy as sa

from benchwright.annotation.store.accounts.accounts import Accounts
from benchwright.annotation.store.database.all_tables import metadata
from benchwright.annotation.store.database.records import RefusedError
from benchwright.annotation.store.review_store import ReviewStore
from benchwright.errors import BenchwrightError

pytestmark = pytest.mark.both_databases


@pytest.fixture
def accounts(store: ReviewStore) -> Accounts:
    return Accounts(store)


def test_an_invitation_opens_an_account_once_and_for_a_week(accounts: Accounts, now: datetime) -> None:
    accounts.add("ann", "annotator", now=now)
    token = accounts.invite("ann", now=now)
    assert accounts.invited(token, now=now + timedelta(days=6)).name == "ann"
    assert accounts.invited(token, now=now + timedelta(days=8)) is None
    assert accounts.invited(token + "x", now=now) is None
    assert accounts.accept(token, "hash-1", now=now).is_taken_up
    assert accounts.password_hash("ann") == "hash-1"
    with pytest.raises(RefusedError, match="has been used"):
        accounts.accept(token, "hash-2", now=now)
    assert accounts.password_hash("ann") == "hash-1"


def test_a_new_invitation_ends_the_one_before_and_leaves_the_password_good(accounts: Accounts, now: datetime) -> None:
    accounts.add("ann", "annotator", now=now)
    accounts.set_password("ann", "old")
    first, second = accounts.invite("ann", now=now), accounts.invite("ann", now=now)
    assert accounts.invited(first, now=now) is None
    assert accounts.invited(second, now=now) is not None
    assert accounts.password_hash("ann") == "old"


def test_a_session_is_good_for_two_weeks_and_only_with_its_own_token(accounts: Accounts, now: datetime) -> None:
    accounts.add("ann", "annotator", now=now)
    token = accounts.open_session("ann", now=now)
    assert accounts.of_session(token, now=now + timedelta(days=13)).name == "ann"
    assert accounts.of_session(token, now=now + timedelta(days=14)) is None
    assert accounts.of_session(token[:-1], now=now) is None
    accounts.end_session(token)
    assert accounts.of_session(token, now=now) is None


@pytest.mark.parametrize("how", ["disable", "set_password"])
def test_disabling_and_a_new_password_end_all_sessions(accounts: Accounts, now: datetime, how: str) -> None:
    accounts.add("cur", "curator", now=now)
    accounts.add("ann", "annotator", now=now)
    tokens = [accounts.open_session(name, now=now) for name in ("ann", "ann", "cur")]
    if how == "disable":
        accounts.disable("ann")
    else:
        accounts.set_password("ann", "new")
    assert [accounts.of_session(token, now=now) is not None for token in tokens] == [False, False, True]


def test_who_is_disabled_cannot_be_signed_in_by_any_way_until_let_in_again(accounts: Accounts, now: datetime) -> None:
    accounts.add("ann", "annotator", now=now)
    accounts.set_password("ann", "kept")
    invitation = accounts.invite("ann", now=now)
    accounts.disable("ann")
    assert accounts.password_hash("ann") is None
    assert accounts.invited(invitation, now=now) is None
    accounts.disable("ann", disabled=False)
    assert accounts.password_hash("ann") == "kept"
    assert accounts.invited(invitation, now=now) is None


def test_the_only_curator_stays_one(accounts: Accounts, now: datetime) -> None:
    accounts.add("cur", "curator", now=now)
    for change in (lambda: accounts.disable("cur"), lambda: accounts.set_role("cur", "annotator")):
        with pytest.raises(BenchwrightError, match="'cur' is the only curator"):
            change()
    accounts.add("dee", "curator", now=now)
    accounts.set_role("cur", "annotator")
    assert [(one.name, one.role) for one in accounts.all()] == [("cur", "annotator"), ("dee", "curator")]


def test_a_name_has_one_account_and_somebody_who_decided_by_csv_gets_theirs(
    accounts: Accounts, store: ReviewStore, now: datetime
) -> None:
    store.upsert_annotator("ann")
    accounts.add("ann", "annotator", now=now)
    with pytest.raises(BenchwrightError, match="already has an account"):
        accounts.add("ann", "curator", now=now)
    with pytest.raises(BenchwrightError, match="simulated"):
        accounts.add("simulated-1", "annotator", now=now)


def test_somebody_unknown_is_answered_with_those_that_are_known(accounts: Accounts, now: datetime) -> None:
    accounts.add("ann", "annotator", now=now)
    with pytest.raises(BenchwrightError, match="no account is named 'bob'; known: ann"):
        accounts.invite("bob", now=now)
    assert accounts.password_hash("bob") is None


def test_the_store_holds_no_token_that_opens_anything(accounts: Accounts, store: ReviewStore, now: datetime) -> None:
    accounts.add("ann", "annotator", now=now)
    tokens = [accounts.invite("ann", now=now), accounts.open_session("ann", now=now)]
    with store.reading() as connection:
        dump = str([connection.execute(sa.select(table)).all() for table in metadata.sorted_tables])
    assert "ann" in dump
    assert not any(token in dump for token in tokens)
