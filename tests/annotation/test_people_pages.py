"""The curator's pages of people and of flags, as a server answers them: changes, refusals, files, and paged lists."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from urllib.parse import urlencode

import pytest
from browser.review_site import PASSWORDS, ReviewSite, make_workspace, serve

from benchwright.annotation.store.accounts.accounts import Account, Accounts
from benchwright.annotation.store.accounts.campaign_access import AccessControl
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.task_queue import TaskQueue

from .visitor import Reply, Visitor

pytestmark = pytest.mark.slow

NOW = datetime(2027, 1, 4, 9, 0, tzinfo=UTC)
MARK = {"x-benchwright-draft": "1"}
HOSTILE = '<img src=x onerror="window.hacked=1">'


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    with serve(make_workspace(tmp_path_factory.mktemp("people"), photographs=4)) as running:
        yield running


@pytest.fixture
def store(site: ReviewSite) -> Iterator[ReviewStore]:
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as opened:
        yield opened


@pytest.fixture
def curator(site: ReviewSite) -> Visitor:
    visitor = Visitor(site.url)
    assert visitor.sign_in("cur", PASSWORDS["cur"]).status == 303
    return visitor


def post(visitor: Visitor, path: str, **fields: str) -> Reply:
    found = re.search(r'name="token" value="([^"]*)"', visitor.get("/people").text)
    assert found is not None
    body = urlencode({"token": found[1], **fields})
    return visitor.send("POST", path, body=body, headers={"Content-Type": "application/x-www-form-urlencoded"})


def account_of(store: ReviewStore, name: str) -> Account:
    [account] = [each for each in Accounts(store).all() if each.name == name]
    return account


def main_of(page: Reply) -> str:
    return unescape(re.sub(r"<[^>]+>", " ", page.text.partition("<main")[2]))


def test_somebody_is_added_changed_and_locked_and_the_link_outlives_a_reload(
    curator: Visitor, store: ReviewStore
) -> None:
    assert post(curator, "/people/add", name=HOSTILE, role="annotator").status == 303
    for _ in range(2):
        page = curator.get("/people")
        assert "/welcome?invitation=" in main_of(page)
        assert "<img src=x" not in page.text
    assert post(curator, "/people/role", name=HOSTILE, role="adjudicator").status == 303
    assert post(curator, "/people/lock", name=HOSTILE).status == 303
    account = account_of(store, HOSTILE)
    assert (account.role, account.is_disabled) == ("adjudicator", True)
    assert post(curator, "/people/unlock", name=HOSTILE).status == 303
    assert not account_of(store, HOSTILE).is_disabled


@pytest.mark.parametrize(
    ("act", "sent", "words"),
    [
        pytest.param("lock", {"name": "cur"}, "You cannot lock out your own account", id="oneself"),
        pytest.param("add", {"name": "ann", "role": "annotator"}, "ann", id="an account that is there"),
        pytest.param("add", {"name": "eve", "role": "boss"}, "role 'boss' is not one of", id="no role"),
        pytest.param("access", {"campaign": "none"}, "There is no campaign", id="no campaign"),
    ],
)
def test_a_change_that_is_refused_says_why(curator: Visitor, act: str, sent: dict[str, str], words: str) -> None:
    page = post(curator, f"/people/{act}", **sent)
    assert (page.status, words in main_of(page)) == (422, True)


def test_a_campaign_is_left_to_those_who_are_ticked(curator: Visitor, store: ReviewStore) -> None:
    ann = account_of(store, "ann")
    assert post(curator, "/people/access", campaign="verify", who="only", **{f"person-{ann.id}": "yes"}).status == 303
    assert AccessControl(store).of("verify").names == ("ann",)
    assert post(curator, "/people/access", campaign="verify", who="everybody").status == 303
    assert not AccessControl(store).of("verify").is_for_assigned


def test_the_links_of_a_file_are_there_for_whoever_sent_it(curator: Visitor, site: ReviewSite) -> None:
    assert curator.get("/people/invitations.csv").status == 404
    table = b"name,role\nfay,annotator\n=cmd,annotator\nann,annotator\n"
    assert curator.send("PUT", "/people/file?name=a.csv", body=table).status == 403
    reply = curator.send("PUT", "/people/file?name=a.csv", body=table, headers=MARK)
    assert (reply.status, "Invited: 2. Already with an account: 1." in reply.text) == (200, True)
    rows = list(csv.reader(io.StringIO(curator.get("/people/invitations.csv").text)))
    assert [row[0] for row in rows[1:]] == ["fay", "'=cmd", "ann"]
    assert rows[1][4].startswith(f"{site.url}/welcome?invitation=")
    wrong = curator.send("PUT", "/people/file?name=b.csv", body=b"name,role\neve,boss\n", headers=MARK)
    assert (wrong.status, wrong.text.startswith("b.csv: no invitation was made")) == (422, True)
    assert str(Path("/tmp")) not in wrong.text


def test_flags_are_listed_by_fifty_and_settled_together(curator: Visitor, store: ReviewStore) -> None:
    queue = TaskQueue(store, store.campaign("verify"), "ann")
    task = queue.next(now=NOW)
    assert task is not None
    for number in range(50):
        queue.remark(task.task_id, f"{HOSTILE} {number}", is_flag=False, now=NOW)
    other = TaskQueue(store, store.campaign("verify"), "ben")
    another = other.next(now=NOW)
    assert another is not None
    other.remark(another.task_id, "look here", is_flag=True, now=NOW)
    page = curator.get("/flags?campaign=verify")
    assert page.text.count('<li class="flag">') == 50
    assert "Page 1 of 2" in main_of(page)
    assert "<img src=x" not in page.text
    assert curator.get("/flags?campaign=verify&page=2").text.count('<li class="flag">') == 1
    ids = [comment.id for comment in store.remarks("verify")]
    chosen = {f"chosen-{number}": "yes" for number in ids[:3]}
    assert post(curator, "/flags/settle", campaign="verify", **chosen).status == 303
    assert [comment.id for comment in store.remarks("verify")] == ids[3:]
    again = post(curator, "/flags/settle", campaign="verify", settle=str(ids[0]))
    assert (again.status, "no open flag or comment" in main_of(again)) == (409, True)
    for nothing in ({}, {"settle": "x"}):
        assert post(curator, "/flags/settle", campaign="verify", **nothing).status == 409
    assert len(store.remarks("verify")) == len(ids) - 3
    assert curator.get("/flags?campaign=none").status == 404


def test_a_message_that_is_refused_stands_there_again_and_one_is_withdrawn_once(curator: Visitor) -> None:
    refused = post(curator, "/messages/send", campaign="verify", words=f"{HOSTILE} for you", to="nobody of that name")
    assert (refused.status, f"{HOSTILE} for you" in main_of(refused)) == (422, True)
    assert "<img src=x" not in refused.text
    assert post(curator, "/messages/send", campaign="verify", words="Zoom in.", to="ann").status == 303
    page = curator.get("/messages?campaign=verify")
    assert ("Zoom in." in main_of(page), "Not read yet." in main_of(page)) == (True, True)
    number = re.search(r'id="withdraw-(\d+)"', page.text)
    assert number is not None
    for status in (303, 409):
        assert post(curator, "/messages/withdraw", campaign="verify", message=number[1]).status == status
    assert "Withdrawn by cur." in main_of(curator.get("/messages?campaign=verify"))
    assert curator.get("/messages?campaign=none").status == 404
