"""The pages of one's own decisions and of discussions, as a server answers them: what each account sees and may do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from html import unescape
from urllib.parse import urlencode

import pytest
from browser.review_site import PASSWORDS, ReviewSite, make_workspace, serve

from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.campaigns.open_and_closed import close_campaign, reopen_campaign
from benchwright.annotation.store.conversations.discussions import post_counts, posts_on
from benchwright.annotation.store.review_store import ReviewStore, open_store

from .visitor import FORM, Reply, Visitor

pytestmark = pytest.mark.slow

NOW = datetime(2027, 1, 4, 9, 0, tzinfo=UTC)
HOSTILE = '<img src=x onerror="window.hacked=1">'


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    with serve(make_workspace(tmp_path_factory.mktemp("work-pages"), photographs=4)) as running:
        yield running


@pytest.fixture
def store(site: ReviewSite) -> Iterator[ReviewStore]:
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as opened:
        yield opened


def visitor(site: ReviewSite, name: str) -> Visitor:
    visiting = Visitor(site.url)
    assert visiting.sign_in(name, PASSWORDS[name]).status == 303
    return visiting


def main_of(page: Reply) -> str:
    return unescape(re.sub(r"<[^>]+>", " ", page.text.partition("<main")[2]))


def many_decisions(store: ReviewStore, campaign: str, *, count: int) -> list[str]:
    """Open a campaign of many tasks, which ann accepts one after another; return the ids of its items."""
    pattern = store.tasks("verify")[0].payload
    ids = [f"{campaign}{number:03}".encode().hex()[:32].ljust(32, "0") for number in range(count)]
    payloads = [{**pattern, "item_id": each, "question": f"Word{n:03} {HOSTILE}?"} for n, each in enumerate(ids)]
    form = store.campaign("verify").form
    store.upsert_campaign(
        campaign, kind="verify", rule="unanimous(2)", slots_per_task=2, form=form, settings={}, seed=1
    )
    tasks = [TaskInput(each, "content", payload) for each, payload in zip(ids, payloads, strict=True)]
    store.upsert_tasks(campaign, tasks)
    for task in store.tasks(campaign):
        store.decide(campaign, task.id, "ann", Submission("accept", note=HOSTILE), now=NOW)
    return ids


def test_decisions_are_listed_by_fifty_and_a_search_finds_one_among_all(site: ReviewSite, store: ReviewStore) -> None:
    many_decisions(store, "many", count=60)
    ann = visitor(site, "ann")
    pages = [ann.get(f"/history?campaign=many&page={number}") for number in (1, 2, 3)]
    assert [page.text.count('class="past"') for page in pages] == [50, 10, 50], "beyond the last page is the first"
    shown = re.findall(r"Word(\d+)", "".join(page.text for page in pages[:2]))
    assert sorted(map(int, shown)) == list(range(60))
    assert all("<img src=x" not in page.text for page in pages)
    found = ann.get("/history?campaign=many&find=wORD007")
    assert re.findall(r"Word(\d+)", found.text) == ["007"]
    assert 'value="wORD007"' in found.text
    assert "None of your decisions contains these words." in main_of(ann.get("/history?campaign=many&find=zebra"))
    assert "You have not decided anything yet." in main_of(visitor(site, "ben").get("/history?campaign=many"))
    assert ann.get("/history?campaign=none").status == 404
    assert ann.get(f"/history?{urlencode({'campaign': HOSTILE})}").text.count("<img src=x") == 0


def test_a_discussion_is_open_to_those_who_may_take_part_and_to_nobody_else(
    site: ReviewSite, store: ReviewStore
) -> None:
    item, bens = many_decisions(store, "talk", count=2)
    [own] = [task for task in store.tasks("talk") if task.item_id == bens]
    store.decide("talk", own.id, "ben", Submission("reject", reasons=("unclear",)), now=NOW)
    address = f"/discussion?{urlencode({'campaign': 'talk', 'item': item})}"
    ann, ben, cur = (visitor(site, name) for name in ("ann", "ben", "cur"))
    early = ann.get(address)
    assert (early.status, "cannot be discussed" in main_of(early)) == (404, True)
    with store.writing() as connection:
        close_campaign(connection, "talk", by="cur", now=NOW)
    shown = ann.get(address)
    assert (shown.status, "Accept: 1" in main_of(shown)) == (200, True)
    assert "<img src=x" not in shown.text
    unknown = ben.get(address.replace(item, "f" * 32))
    refused = ben.get(address)
    assert (refused.status, main_of(refused)) == (404, main_of(unknown)), (
        "it does not say whether there is such an item"
    )
    assert post(ben, address, "Let me in.", of=ben.get(address.replace(item, bens))).status == 404
    assert posts(store, item) == []

    assert post(ann, address, HOSTILE, of=shown, token="wrong").status == 403
    assert post(ann, address, HOSTILE, of=shown).status == 303
    assert post(cur, address, "Right.", of=cur.get(address)).status == 303
    assert posts(store, item) == [("ann", HOSTILE), ("cur", "Right.")]
    again = ann.get(address)
    assert (HOSTILE in main_of(again), "<img src=x" in again.text) == (True, False)
    assert "Your post is in the discussion." in main_of(again)
    assert "Your post is in the discussion." not in main_of(ann.get(address)), "it says so once"
    assert "Discuss (2)" in main_of(ann.get("/history?campaign=talk"))
    links = [re.findall(r'href="(/[a-z-]+)', page.text.partition("<main")[0]) for page in (again, cur.get(address))]
    assert ["/items" in each for each in links] == [False, True]
    assert "/people" not in links[0]

    long = post(ann, address, "x" * 2001, of=again)
    assert (long.status, "x" * 2001 in long.text) == (422, True)
    with store.writing() as connection:
        reopen_campaign(connection, "talk", by="cur", now=NOW)
    late = post(ann, address, "Too late, but not lost.", of=again)
    assert (late.status, "Too late, but not lost." in late.text) == (404, True)
    assert len(posts(store, item)) == 2


def posts(store: ReviewStore, item: str) -> list[tuple[str, str]]:
    with store.reading() as connection:
        campaign = store.campaign("talk")
        listed = [(each.author, each.words) for each in posts_on(connection, campaign, item)]
        assert post_counts(connection, campaign).get(item, 0) == len(listed)
    return listed


def post(visiting: Visitor, address: str, words: str, *, of: Reply, token: str = "") -> Reply:
    """Send a post to a discussion, with the token of a page's form, or with another one."""
    found = re.search(r'name="token" value="([^"]*)"', of.text)
    assert found is not None
    body = urlencode({"token": token or found[1], "words": words})
    path = address.replace("/discussion?", "/discussion/post?")
    return visiting.send("POST", path, body=body, headers={"Content-Type": FORM})
