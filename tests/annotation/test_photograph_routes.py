"""Photographs in the running app: only for one's own task that asks for some, decodable, and private."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
from brought_photographs import jpeg
from browser.kinds_site import make_images, open_campaigns
from browser.review_site import PASSWORDS, ReviewSite, serve

from benchwright.annotation.app.base.state import clock
from benchwright.annotation.campaigns.collect.step import Collect
from benchwright.annotation.campaigns.screen import Screen
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.store.submissions.photo_uploads import MOST_UPLOADS
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.workspace.photographs import collected_photographs

from .visitor import Reply, Visitor

pytestmark = pytest.mark.slow

MARK = {"x-benchwright-draft": "1"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    done = make_images(tmp_path_factory.mktemp("photographs"))
    prompts = tuple(f"a cat, number {n}" for n in range(6))
    open_campaigns(done, [Screen(), Collect(prompts=prompts, min_side_px=64, max_bytes=300_000)])
    with serve(done.workspace) as running:
        yield running


@pytest.fixture
def store(site: ReviewSite) -> Iterator[ReviewStore]:
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as opened:
        yield opened


@pytest.fixture
def signed_in(site: ReviewSite) -> Callable[[str], Visitor]:
    def sign_in(name: str) -> Visitor:
        visitor = Visitor(site.url)
        assert visitor.sign_in(name, PASSWORDS[name]).status == 303
        return visitor

    return sign_in


def task_of(store: ReviewStore, name: str, campaign: str = "collect") -> int:
    """Return a task that an annotator holds."""
    task = TaskQueue(store, store.campaign(campaign), name).next(now=clock())
    assert task is not None
    return task.task_id


def put(visitor: Visitor, task: int, data: bytes, headers: dict[str, str] | None = None) -> Reply:
    return visitor.send("PUT", f"/photographs/{task}", body=data, headers=MARK if headers is None else headers)


def files(site: ReviewSite) -> int:
    return sum(one.is_file() for one in collected_photographs(site.workspace).root.rglob("*"))


def test_a_photograph_comes_back_as_kept_to_whoever_sent_it_and_to_curators_only(
    site: ReviewSite, store: ReviewStore, signed_in: Callable[[str], Visitor]
) -> None:
    ann, ben, cur = (signed_in(name) for name in ("ann", "ben", "cur"))
    task = task_of(store, "ann")
    reply = put(ann, task, jpeg())
    assert reply.status == 200
    found = json.loads(reply.body)
    assert (found["width"], found["height"]) == (320, 240)
    shown = ann.get(f"/photographs/{task}/{found['photograph']}")
    assert (shown.status, shown.headers["content-type"]) == (200, "image/jpeg")
    assert b"secret" not in shown.body
    assert cur.get(f"/photographs/{task}/{found['photograph']}").status == 200
    assert ben.get(f"/photographs/{task}/{found['photograph']}").status == 404
    other = task_of(store, "ben")
    assert ben.get(f"/photographs/{other}/{found['photograph']}").status == 404


@pytest.mark.parametrize("name", ["0" * 64, "..", "%2e%2e%2freview.sqlite", "..%2f..%2freview.sqlite", "x.png"])
def test_no_name_leads_to_another_file(store: ReviewStore, signed_in: Callable[[str], Visitor], name: str) -> None:
    cur, task = signed_in("cur"), task_of(store, "ann")
    reply = cur.get(f"/photographs/{task}/{name}")
    assert b"SQLite format" not in reply.body
    assert reply.status in {400, 404}


def test_what_is_no_photograph_is_refused_in_words(
    site: ReviewSite, store: ReviewStore, signed_in: Callable[[str], Visitor]
) -> None:
    ann, task, before = signed_in("ann"), task_of(store, "ann"), files(site)
    for data, status, words in (
        (b"MZ" + b"\0" * 900, 422, "photograph cannot be accepted (not_an_image)"),
        (b"", 422, "photograph cannot be accepted"),
        (jpeg()[:3000], 422, "truncated"),
        (jpeg(320, 32), 422, "both sides must have at least 64"),
        (jpeg() + b"\0" * 300_000, 413, "the limit is 300,000 bytes"),
    ):
        reply = put(ann, task, data)
        assert (reply.status, words in reply.text) == (status, True), reply.text
    assert files(site) == before


def test_photographs_go_to_ones_own_task_that_asks_for_some(
    site: ReviewSite, store: ReviewStore, signed_in: Callable[[str], Visitor]
) -> None:
    ann, ben, before = signed_in("ann"), signed_in("ben"), files(site)
    held_by_ann = task_of(store, "ann")
    assert put(ben, held_by_ann, jpeg(seed=5)).status == 403
    assert put(ann, 999_999, jpeg(seed=5)).status == 403
    assert put(ann, task_of(store, "ann", "screen"), jpeg(seed=5)).text == "this task takes no photographs\n"
    assert put(ann, held_by_ann, jpeg(seed=5), headers={}).status == 403
    assert put(Visitor(site.url), held_by_ann, jpeg(seed=5)).status == 401
    assert files(site) == before


def test_so_many_photographs_and_no_more_may_be_tried_for_one_task(
    store: ReviewStore, signed_in: Callable[[str], Visitor]
) -> None:
    ben, task = signed_in("ben"), task_of(store, "ben")
    replies = [put(ben, task, jpeg(96, 72, seed=n)) for n in range(MOST_UPLOADS + 1)]
    assert [reply.status for reply in replies] == [200] * MOST_UPLOADS + [422]
    assert f"no more photographs can be uploaded for this task (uploaded: {MOST_UPLOADS})" in replies[-1].text


@pytest.mark.parametrize("task", [2**31, 2**63, int("9" * 400)], ids=["2^31", "2^63", "400 digits"])
def test_a_number_that_no_task_can_have_is_refused_in_words(signed_in: Callable[[str], Visitor], task: int) -> None:
    ann, cur = signed_in("ann"), signed_in("cur")
    put_there = put(ann, task, jpeg(seed=5))
    assert put_there.status in {403, 404, 405}
    assert "Traceback" not in put_there.text
    for path in (
        f"/photographs/{task}/{'0' * 64}",
        f"/pictures/{task}/0",
        f"/pictures/1/{task}",
        f"/guidelines/{task}/0",
    ):
        assert cur.get(path).status in {200, 404}, path


def test_a_number_of_thousands_of_digits_is_refused_in_words(signed_in: Callable[[str], Visitor]) -> None:
    cur, digits = signed_in("cur"), "7" * 5000
    for path in (f"/photographs/{digits}/{'0' * 64}", f"/pictures/{digits}/0", f"/guidelines/{digits}/0"):
        assert cur.get(path).status < 500, path
