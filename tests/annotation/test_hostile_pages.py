"""Requests that no page of the app sends: the running app lets none through, and none breaks it.

- Cookies: expired, replayed after locking or a new password, doubled, huge.
- Addresses: every route without a session; odd numbers, long paths, climbing paths with one.
- Messages of the page: another's slot, another's task, no act at all, texts that no database takes.
"""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import aclosing
from typing import Any
from urllib.parse import quote

import pytest
from browser.review_site import PASSWORDS, ReviewSite, make_workspace, serve
from walks import in_process, run_json

from benchwright.annotation.app.base.state import clock, open_app_state
from benchwright.annotation.app.security.cookies import COOKIE
from benchwright.annotation.app.serve import build_app
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.task_queue import TaskQueue

from .page_client import OnScreen, PageClient
from .visitor import Reply, Visitor

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    with serve(make_workspace(tmp_path_factory.mktemp("hostile"))) as running:
        yield running


@pytest.fixture
def store(site: ReviewSite) -> Iterator[ReviewStore]:
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as opened:
        yield opened


def signed_in(site: ReviewSite, name: str) -> Visitor:
    visitor = Visitor(site.url)
    assert visitor.sign_in(name, PASSWORDS[name]).status == 303
    return visitor


def is_out(visitor: Visitor) -> bool:
    return visitor.get("/").status == 303 and visitor.open_websocket() == 403


def test_a_session_that_has_run_out_opens_nothing(site: ReviewSite, store: ReviewStore) -> None:
    ann = signed_in(site, "ann")
    assert not is_out(ann)
    raw = sqlite3.connect(store.where)
    with raw:
        raw.execute("UPDATE sessions SET ends_at = '2026-01-01 00:00:00'")
    raw.close()
    assert is_out(ann)


@pytest.mark.parametrize("what", [["--lock", "ben"], ["--sign-out", "ben"]], ids=["locked out", "signed out"])
def test_a_cookie_that_was_kept_is_worth_nothing_after_its_sessions_end(site: ReviewSite, what: list[str]) -> None:
    one, other = signed_in(site, "ben"), signed_in(site, "ben")
    run_json("review", "users", "--workspace", site.workspace, *what)
    assert is_out(one)
    assert is_out(other)
    run_json("review", "users", "--workspace", site.workspace, "--unlock", "ben")
    assert is_out(one)
    assert not is_out(signed_in(site, "ben"))


@pytest.mark.parametrize(
    "cookie",
    [
        pytest.param("a" * 60_000, id="huge"),
        pytest.param("\xff\xfe", id="no text"),
        pytest.param("a.b.c.d", id="dots"),
        pytest.param('"', id="open quote"),
        pytest.param("%00", id="null"),
    ],
)
def test_an_odd_cookie_is_none(site: ReviewSite, cookie: str) -> None:
    reply = Visitor(site.url).send("GET", "/", headers={"Cookie": f"{COOKIE}={cookie}", "Accept": "text/html"})
    assert reply.status in {303, 400, 431}


def test_of_two_session_cookies_a_forged_one_adds_nothing(site: ReviewSite) -> None:
    good = signed_in(site, "ann").cookies[COOKIE]
    for value in (f"{COOKIE}=forged; {COOKIE}=also", f"{COOKIE}=; {COOKIE}=forged"):
        assert Visitor(site.url).send("GET", "/", headers={"Cookie": value, "Accept": "text/html"}).status == 303
    both = Visitor(site.url).send("GET", "/", headers={"Cookie": f"{COOKIE}=forged; {COOKIE}={good}"})
    assert both.status in {200, 401}


def every_route(site: ReviewSite) -> list[str]:
    """Return a path of every route that the app has, ours and Streamlit's."""
    found = build_app(open_app_state(site.workspace, secure=False))._build_starlette_app()
    paths = [getattr(route, "path", "") for route in found.routes]
    assert len(paths) > 12
    return [re.sub(r"{\w+:int}", "1", path).replace("{path:path}", "x") for path in paths]


def test_no_route_that_the_app_has_answers_without_a_session(site: ReviewSite) -> None:
    visitor = Visitor(site.url)
    reached = set()
    for path in every_route(site):
        reply = visitor.send("GET", path or "/")
        if reply.status not in {400, 401, 403} and not reply.headers.get("location", "").startswith("/login"):
            reached.add(path)
    described = {"/api", "/api/", "/api/openapi.json"}  # what the API can do, and nothing of this workspace
    assert reached <= {"/login", "/welcome"} | described


ODD_NUMBERS = ["0", "9" * 20, "9" * 400, "1e3", "0x1", "１", "-1", "1/../2", "1%00", "1;x", "+1", " 1"]


@pytest.mark.parametrize("number", ODD_NUMBERS)
def test_odd_numbers_in_an_address_name_no_task_of_others(site: ReviewSite, store: ReviewStore, number: str) -> None:
    ann = signed_in(site, "ann")
    quoted = quote(number, safe="/;%+")
    for path in (f"/pictures/{quoted}/0", f"/pictures/1/{quoted}", f"/pictures/{quoted}/0/marks"):
        reply = ann.send("GET", path)
        assert reply.status < 500, path
        held = TaskQueue(store, store.campaign("verify"), "ann").next(now=clock())
        assert held is not None
        if held.task_id != 1:
            assert not reply.headers.get("content-type", "").startswith("image/"), path
    reply = ann.send("PUT", f"/drafts/{quoted}", body="{}", headers={"X-Benchwright-Draft": "1"})
    assert 400 <= reply.status < 500


SECRETS = ["review.key", "review.sqlite", "review.sqlite-wal", "../../../../etc/passwd", "large.yaml"]
CLIMBS = [
    "/pictures/1/0/../../../{}", "/pictures/%2e%2e/%2e%2e/{}", "/pictures/..%5c..%5c{}", "/static/..%2f..%2f{}",
    "/static/%252e%252e/{}", "/media/../{}", "/app/static/..%2f{}", "/component/x/..%2f..%2f{}", "/./{}", "//{}",
    "/_stcore/bidi-components/benchwright_task_card/..%2f{}", "/file:%2f%2f{}", "/pictures/1/0%00{}",
]  # fmt: skip


@pytest.mark.parametrize("climb", CLIMBS)
def test_no_path_climbs_to_a_file_of_the_workspace(site: ReviewSite, climb: str) -> None:
    visitors = [signed_in(site, "ann"), signed_in(site, "cur"), Visitor(site.url)]
    key = (site.workspace / "review.key").read_bytes().strip()
    for visitor in visitors:
        for secret in SECRETS:
            reply = visitor.send("GET", climb.format(secret))
            assert reply.status < 500, reply.body[:200]
            assert key not in reply.body
            assert b"SQLite format" not in reply.body
            assert b"root:x:" not in reply.body


def test_an_annotator_does_not_get_a_curators_page_by_its_address(site: ReviewSite) -> None:
    async def told() -> str:
        page = PageClient(site.url, signed_in(site, "ann").cookies, query="")
        page._script = "people"
        async with aclosing(page):
            await page.open()
            return " ".join(page.told)

    assert "Add and invite" not in asyncio.run(told())


def on_page(site: ReviewSite, query: str, say: Callable[[PageClient, OnScreen], Any]) -> Any:
    """Open ann's page and send a message on it; a page that then cannot be shown fails."""

    async def walk() -> Any:
        page = PageClient(site.url, signed_in(site, "ann").cookies, query=query)
        async with aclosing(page):
            seen = await page.open()
            assert seen is not None, page.told
            after = await say(page, seen)
            assert not any("exception {" in told for told in page.told), page.told
            assert after is not None
            return seen, after, " ".join(page.told)

    return asyncio.run(walk())


def event(seen: OnScreen, **changed: Any) -> dict[str, Any]:
    """Return the workbench's message for accepting the task on the screen, with changes."""
    return {"task": seen.task, "does": "decide", "decision": "accept", "reasons": [], "note": "", **changed}


def body(*events: Any, **changed: Any) -> dict[str, Any]:
    return {"campaign": "verify", "events": list(events), "known": [], **changed}


def work(visitor: Visitor, sent: bytes, *, path: str = "/work") -> Reply:
    return visitor.send("POST", path, body=sent, headers={"x-benchwright-draft": "1"})


def posted(site: ReviewSite, make: Callable[[OnScreen], Any], *, query: str = "campaign=verify") -> tuple[int, Any]:
    """Open ann's page and post a message made from it; return status and reply."""
    replies: list[tuple[int, Any]] = []

    async def say(page: PageClient, seen: OnScreen) -> OnScreen:
        replies.append(await page.post(make(seen)))
        return seen

    on_page(site, query, say)
    return replies[0]


def decided(store: ReviewStore) -> int:
    return len(store.decisions("verify"))


@pytest.mark.parametrize("task", [-1, 0, 10**30, 1.5, "1", None, True, [1], {"a": 1}])
def test_an_event_on_a_task_that_is_nobodys_decides_nothing(site: ReviewSite, store: ReviewStore, task: Any) -> None:
    before = decided(store)
    status, reply = posted(site, lambda seen: body(event(seen, task=task)))
    assert status == 403 if not isinstance(reply, dict) else reply["results"][0]["refused"]
    assert decided(store) == before


def test_an_event_on_anothers_task_decides_nothing_and_shows_nothing_of_it(
    site: ReviewSite, store: ReviewStore
) -> None:
    ann, ben = (TaskQueue(store, store.campaign("verify"), name) for name in ("ann", "ben"))
    now = clock()
    own = set(ann.hold(3, now=now))
    theirs = next(task for task in ben.hold(10, now=now) if task not in own)
    before = decided(store)
    for does in ("decide", "skip", "comment", "flag", "undo"):
        status, reply = posted(site, lambda seen, does=does: body(event(seen, task=theirs, does=does, note="mine")))
        assert status == 200
        assert str(theirs) not in reply["tasks"]
        assert theirs not in reply["upcoming"]
        assert does == "undo" or (reply["results"][0]["refused"] and reply["results"][0]["task"] is None)
    assert decided(store) == before
    assert store.remarks("verify") == []
    ben.give_back(ben.hold(1, now=now), since=now, now=now)


@pytest.mark.parametrize("task", ["1e3", "9" * 40, "-1", "%00", "%ff", "1&task=x", "%F0%9F%92%A9"])
def test_an_odd_task_in_the_address_shows_none_and_claims_none(site: ReviewSite, store: ReviewStore, task: str) -> None:
    queue = TaskQueue(store, store.campaign("verify"), "ann")
    queue.give_back(queue.hold(3, now=clock()), since=clock(), now=clock())

    async def look() -> OnScreen | None:
        page = PageClient(site.url, signed_in(site, "ann").cookies, query=f"campaign=verify&task={task}")
        try:
            return await page.open()
        finally:
            await page.aclose()

    def claimed() -> int:
        with store.reading() as connection:
            claims = "SELECT count(*) FROM slots JOIN annotators ON annotators.id = annotator_id WHERE name = 'ann'"
            return int(connection.exec_driver_sql(claims).scalar_one())

    before = claimed()
    assert asyncio.run(look()) is None
    assert claimed() == before


BODIES = {
    "nothing": b"",
    "no JSON": b"{",
    "a number": b"1",
    "a list": b"[]",
    "half a character": b'{"campaign": "\xff"}',
    "no campaign": json.dumps({"events": []}).encode(),
    "campaign no text": json.dumps(body(campaign=1)).encode(),
    "no such campaign": json.dumps(body(campaign="x")).encode(),
    "events no list": json.dumps(body(events={})).encode(),
    "many events": json.dumps(body(*[{"task": 1}] * 1000)).encode(),
    "known no numbers": json.dumps(body(known=["1"])).encode(),
    "many known": json.dumps(body(known=[1] * 5000)).encode(),
    "stamp no number": json.dumps(body(stamp="now")).encode(),
    "stamp beyond time": b'{"campaign": "verify", "stamp": 1e300}',
    "nested": b"[" * 100_000 + b"]" * 100_000,
    "two megabytes": b" " * (2 << 20),
}


@pytest.mark.parametrize("path", ["/work", "/work/adjudication", "/work/leave"])
@pytest.mark.parametrize("sent", BODIES.values(), ids=BODIES)
def test_a_request_that_the_workbench_never_sends_is_refused(
    site: ReviewSite, store: ReviewStore, sent: bytes, path: str
) -> None:
    before = decided(store)
    status = work(signed_in(site, "ann"), sent, path=path).status
    assert status in {400, 403, 413}
    assert decided(store) == before


def test_the_work_of_others_and_of_other_roles_is_refused(site: ReviewSite) -> None:
    ann, stranger, sent = signed_in(site, "ann"), Visitor(site.url), json.dumps(body()).encode()
    assert work(ann, sent).status == 200
    assert work(ann, sent, path="/work/adjudication").status == 403
    assert work(stranger, sent).status == 401
    # Without the header that no page of another site can send.
    assert ann.send("POST", "/work", body=sent).status == 403


NOT_SAID = {
    "no list": "{}",
    "no JSON": "{",
    "a number": "1",
    "null": "null",
    "no event": json.dumps([{"value": 1}]),
    "no value": json.dumps([{"event": "over", "value": None}]),
    "another event": json.dumps([{"event": "other", "value": {}}]),
}


@pytest.mark.parametrize("said", NOT_SAID.values(), ids=NOT_SAID)
def test_what_the_page_never_sends_changes_nothing(site: ReviewSite, store: ReviewStore, said: str) -> None:
    before = decided(store)
    seen, after, _ = on_page(site, "campaign=verify", lambda page, seen: page.send(seen.element, said))
    assert (after.slot, decided(store)) == (seen.slot, before)


BAD_WORDS = {
    "decision": {"decision": "<script>"},
    "decision of another form": {"decision": "A"},
    "reason": {"decision": "reject", "reasons": ["<b>"]},
    "reasons no texts": {"decision": "reject", "reasons": [1, None]},
    "reasons no list": {"decision": "reject", "reasons": "unclear"},
    "null in the note": {"decision": "revise", "note": "a\0b"},
    "half a character": {"decision": "revise", "note": "a\ud800b"},
    "100 kB": {"decision": "revise", "note": "x" * 100_000},
    "fields": {"fields": {"a": "b"}},
    "fields no texts": {"fields": {"a": 1}},
    "fields no mapping": {"fields": [1]},
    "does": {"does": "delete"},
}


@pytest.mark.parametrize("changed", BAD_WORDS.values(), ids=BAD_WORDS)
def test_what_a_form_does_not_take_is_refused_in_words(
    site: ReviewSite, store: ReviewStore, changed: dict[str, Any]
) -> None:
    before = decided(store)
    status, reply = posted(site, lambda seen: body(event(seen, **changed)))
    words = reply["results"][0]["words"] if status == 200 else reply
    assert (status, reply["results"][0]["refused"]) == (200, True) if status == 200 else status == 403
    assert words.strip()
    assert decided(store) == before


def test_the_server_has_written_no_error(site: ReviewSite) -> None:
    log = site.server.output(most=1_000_000)
    assert "Traceback" not in log
    assert "Error" not in log, log[-2000:]


def test_commands_refuse_names_that_no_database_takes(site: ReviewSite) -> None:
    for name in ("a\u202eb", "\u2028", " ", "x" * 101, "a\nb"):
        done = in_process("review", "users", "--workspace", site.workspace, "--add", name)
        assert (done.returncode, "Traceback" in done.stderr) == (2, False), name


def test_a_message_nested_too_deep_breaks_the_page_that_sent_it_and_no_other(
    site: ReviewSite, store: ReviewStore
) -> None:
    before = decided(store)

    async def walk() -> list[str]:
        page = PageClient(site.url, signed_in(site, "ann").cookies, query="campaign=verify")
        async with aclosing(page):
            seen = await page.open()
            assert seen is not None
            await page.send(seen.element, "[" * 5_000 + "]" * 5_000)
            return page.told

    told = " ".join(asyncio.run(walk()))
    assert "redacted" in told or "exception" not in told
    assert decided(store) == before
    assert posted(site, lambda seen: body())[0] == 200
