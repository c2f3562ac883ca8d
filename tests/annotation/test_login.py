"""Signing in to the running app: without a session, nothing is reachable.

- A wrong password, a forged or foreign cookie, an ended session, another annotator's task: refused.
- Every path except the sign-in pages requires a session, the websocket too.
- Forms carry a nonce; failed attempts must wait; headers of answers make browsers load nothing else.
"""

from __future__ import annotations

import gzip
import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browser.review_site import PASSWORDS, ReviewSite, add_account, make_workspace, serve
from PIL import Image
from walks import in_process, run_json

from benchwright.annotation.app.base.state import clock
from benchwright.annotation.app.security.cookies import COOKIE, Cookies
from benchwright.annotation.cli.app import way_in
from benchwright.annotation.store.accounts.accounts import INVITATION, Accounts
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.task_queue import TaskQueue

from .visitor import Visitor

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    with serve(make_workspace(tmp_path_factory.mktemp("login"))) as running:
        yield running


@pytest.fixture
def visitor(site: ReviewSite) -> Visitor:
    return Visitor(site.url)


@pytest.fixture
def signed_in(site: ReviewSite) -> Callable[[str], Visitor]:
    def sign_in(name: str) -> Visitor:
        visitor = Visitor(site.url)
        assert visitor.sign_in(name, PASSWORDS[name]).status == 303
        return visitor

    return sign_in


@pytest.fixture
def store(site: ReviewSite) -> Iterator[ReviewStore]:
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as opened:
        yield opened


def task_of(store: ReviewStore, name: str) -> int:
    """Return a task that an annotator holds."""
    task = TaskQueue(store, store.campaign("verify"), name).next(now=clock())
    assert task is not None
    return task.task_id


PATHS = [
    "/", "/review", "/progress", "/agreement", "/annotators", "/reasons", "/people", "/history", "/logout", "/pictures/1/0", "/pictures/1/0/marks", "/drafts/1", "/photographs/1", "/photographs/1/x",
    "/_stcore/health", "/_stcore/host-config", "/_stcore/metrics", "/_stcore/script-health-check", "/media/x.png",
    "/static/index.js", "/index.html", "/favicon.png", "/component/x/y", "/_stcore/upload_file/a/b",
    "/_stcore/bidi-components/x/y", "/auth/login", "/manifest.json", "/login/", "/login/../people", "/LOGIN",
    "//people", "/%2e%2e/people", "/login%2f..%2fpeople", "/welcome/../../etc/passwd",
]  # fmt: skip


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"])
def test_every_path_but_the_sign_in_pages_asks_for_a_session(site: ReviewSite, method: str) -> None:
    replies = {path: Visitor(site.url).send(method, path) for path in PATHS}
    assert {
        path: (reply.status, reply.body[:200])
        for path, reply in replies.items()
        if reply.status not in {400, 401} and not reply.headers.get("location", "").startswith("/login")
    } == {}


def test_the_sign_in_page_fetches_what_the_app_needs_compressed_and_once(visitor: Visitor) -> None:
    paths = re.findall(r'<link rel="prefetch" href="([^"]+)">', visitor.get("/login").body.decode())
    assert len(paths) > 50
    for path in paths:
        reply = visitor.send("GET", path, headers={"Accept-Encoding": "gzip"})
        assert (reply.status, reply.headers["x-content-type-options"]) == (200, "nosniff")
        assert reply.headers["cache-control"] == "public, max-age=31536000, immutable"
        if path.endswith(".woff2"):
            assert "content-encoding" not in reply.headers
        else:
            assert reply.headers["vary"] == "Accept-Encoding"
            assert gzip.decompress(reply.body) == visitor.send("GET", path).body
    assert visitor.send("POST", paths[0]).status == 401, "nothing but to read them"


def test_a_page_leads_to_the_sign_in_page_and_back(visitor: Visitor) -> None:
    reply = visitor.get("/history?campaign=verify")
    assert (reply.status, reply.headers["location"]) == (303, "/login?next=%2Fhistory%3Fcampaign%3Dverify")
    reply = visitor.submit("/login", name="ann", password=PASSWORDS["ann"], next="/history?campaign=verify")
    assert (reply.status, reply.headers["location"]) == (303, "/history?campaign=verify")


@pytest.mark.parametrize(
    "target", ["https://elsewhere.example/", "//elsewhere.example", "/\\elsewhere.example", "javascript:alert(1)", ""]
)
def test_nobody_is_led_to_another_site(visitor: Visitor, target: str) -> None:
    reply = visitor.submit("/login", name="ann", password=PASSWORDS["ann"], next=target)
    assert (reply.status, reply.headers["location"]) == (303, "/")


def test_the_session_cookie_is_out_of_reach_of_scripts_and_other_sites(visitor: Visitor) -> None:
    reply = visitor.sign_in("ann", PASSWORDS["ann"])
    [line] = [line for line in reply.cookies if line.startswith(COOKIE)]
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(line.split("; "))


@pytest.mark.parametrize(
    ("name", "password"),
    [
        pytest.param("ann", "not ann's password", id="wrong password"),
        pytest.param("ann", "", id="no password"),
        pytest.param("nobody", PASSWORDS["ann"], id="nobody of that name"),
        pytest.param("ANN'; --", "x" * 9000, id="odd name, long password"),
        pytest.param("a\0nn", PASSWORDS["ann"], id="null"),
    ],
)
def test_a_wrong_name_or_password_opens_nothing(visitor: Visitor, name: str, password: str) -> None:
    reply = visitor.sign_in(name, password)
    assert reply.status == 401
    assert "The name or password is wrong" in reply.text
    assert COOKIE not in visitor.cookies
    assert visitor.get("/").status == 303


def test_who_was_not_let_in_is_in_the_log_and_no_word_of_what_they_typed(visitor: Visitor, store: ReviewStore) -> None:
    for name in ("cur", "typed-into-the-wrong-field"):
        assert visitor.sign_in(name, "another secret altogether").status == 401
    with store.reading() as connection:
        rows = connection.exec_driver_sql(
            "SELECT actor, about FROM audit_log WHERE act = 'sign_in_refused' ORDER BY id DESC LIMIT 2"
        ).all()
    assert {row.actor for row in rows} == {"(stranger)"}
    assert [json.loads(row.about) for row in rows] == [
        {"address": "127.0.0.1"}, {"address": "127.0.0.1", "name": "cur"},
    ]  # fmt: skip
    assert store.audited().broken is None


def test_after_five_wrong_passwords_even_the_right_one_has_to_wait(site: ReviewSite) -> None:
    add_account(site.workspace, "eve", "eve's password")
    visitor = Visitor(site.url)
    for _ in range(5):
        assert visitor.sign_in("eve", "a guess at it").status == 401
    reply = visitor.sign_in("eve", "eve's password")
    assert reply.status == 429
    assert re.search(r"Try again in [1-9] seconds", reply.text)
    assert Visitor(site.url).sign_in("ann", PASSWORDS["ann"]).status == 303


@pytest.mark.parametrize("nonce", ["", "0" * 32])
def test_a_form_that_this_browser_was_not_given_is_refused(visitor: Visitor, nonce: str) -> None:
    reply = visitor.submit("/login", name="ann", password=PASSWORDS["ann"], nonce=nonce)
    assert reply.status == 400
    assert COOKIE not in visitor.cookies


def test_a_forged_cookie_opens_nothing(
    visitor: Visitor, signed_in: Callable[[str], Visitor], store: ReviewStore
) -> None:
    good = signed_in("ann").cookies[COOKIE]
    token, _, signature = good.rpartition(".")
    elsewhere = Cookies("ab" * 32, secure=False).session(token).partition(";")[0].partition("=")[2]
    unsigned = sqlite3.connect(store.where).execute("SELECT token_hash FROM sessions").fetchone()[0]
    for value in (token, f"{token}.", f"{token}x.{signature}", elsewhere, unsigned, f"{unsigned}.{signature}", "."):
        visitor.cookies[COOKIE] = value
        assert visitor.get("/").status == 303, value
        assert visitor.open_websocket() == 403, value
    visitor.cookies[COOKIE] = good
    assert visitor.get("/").status == 200
    assert visitor.open_websocket() == 101


def test_a_websocket_needs_a_session_and_this_sites_origin(
    visitor: Visitor, signed_in: Callable[[str], Visitor], site: ReviewSite
) -> None:
    assert visitor.open_websocket() == 403
    ann = signed_in("ann")
    assert ann.open_websocket(Origin=site.url) == 101
    assert ann.open_websocket(Origin="https://elsewhere.example") == 403
    assert ann.open_websocket(Origin="null") == 403


def test_a_session_that_was_ended_cannot_be_replayed(signed_in: Callable[[str], Visitor]) -> None:
    ann = signed_in("ann")
    kept = dict(ann.cookies)
    reply = ann.submit("/logout")
    assert (reply.status, reply.headers["location"]) == (303, "/login")
    ann.cookies.update(kept)
    assert ann.get("/").status == 303
    assert ann.open_websocket() == 403


def test_signing_in_anew_ends_the_session_that_the_browser_had(signed_in: Callable[[str], Visitor]) -> None:
    ann, elsewhere = signed_in("ann"), signed_in("ann")
    replaced = dict(ann.cookies)
    assert ann.sign_in("ben", PASSWORDS["ben"]).status == 303
    assert ann.get("/").status == 200
    assert elsewhere.get("/").status == 200
    ann.cookies.update(replaced)
    assert ann.get("/").status == 303
    assert ann.open_websocket() == 403


def test_signing_out_takes_a_form_of_this_site(signed_in: Callable[[str], Visitor]) -> None:
    ann = signed_in("ann")
    assert ann.send("POST", "/logout", body="nonce=guess").status == 400
    assert ann.get("/").status == 200


def test_pictures_are_for_whoever_has_the_task_and_for_curators(
    visitor: Visitor, signed_in: Callable[[str], Visitor], store: ReviewStore
) -> None:
    task, ann = task_of(store, "ann"), signed_in("ann")
    reply = ann.get(f"/pictures/{task}/0")
    assert (reply.status, reply.headers["content-type"]) == (200, "image/jpeg")
    assert reply.body.startswith(b"\xff\xd8\xff")
    assert reply.headers["cache-control"] == "private, no-cache"
    assert ann.get(f"/pictures/{task}/0", **{"If-None-Match": reply.headers["etag"]}).status == 304
    coarse = ann.get(f"/pictures/{task}/0/coarse")
    assert (coarse.status, coarse.headers["content-type"]) == (200, "image/jpeg")
    assert coarse.headers["etag"] != reply.headers["etag"]
    assert signed_in("cur").get(f"/pictures/{task}/0").status == 200
    assert visitor.send("GET", f"/pictures/{task}/0").status == 401
    stranger = next(one for one in store.tasks("verify") if one.id not in {task, task_of(store, "ben")}).id
    assert visitor.send("GET", f"/pictures/{task}/0/coarse").status == 401
    assert signed_in("ben").get(f"/pictures/{stranger}/0").status == 404
    assert signed_in("ben").get(f"/pictures/{stranger}/0/coarse").status == 404
    for path in (f"/pictures/{task}/9", f"/pictures/{task}/0/marks", "/pictures/999999/0", "/pictures/-1/0"):
        reply = ann.get(path)
        assert not reply.headers["content-type"].startswith("image/"), path


def test_pictures_of_guidelines_are_for_whoever_has_a_session(
    site: ReviewSite, visitor: Visitor, signed_in: Callable[[str], Visitor], tmp_path: Path
) -> None:
    Image.new("RGB", (40, 30)).save(tmp_path / "good.png")
    (tmp_path / "guidelines.md").write_text("See ![a good one](good.png).")
    told = run_json(
        "review",
        "guidelines",
        "--workspace",
        site.workspace,
        "--campaign",
        "verify",
        "--set",
        tmp_path / "guidelines.md",
    )
    assert [(one["version"], one["origin"]) for one in told["versions"]] == [(1, "recipe"), (2, "curator")]
    ann = signed_in("ann")
    replies = {number: ann.get(f"/guidelines/{number}/0") for number in range(1, 4)}
    [shown] = [reply for reply in replies.values() if reply.status == 200]
    assert (shown.headers["content-type"], shown.body[:4]) == ("image/png", b"\x89PNG")
    assert {reply.status for reply in replies.values()} == {200, 404}
    for path in ("/guidelines/2/0", "/guidelines/1/0"):
        assert visitor.send("GET", path).status == 401
    for odd in ("/guidelines/0/0", "/guidelines/2/1", f"/guidelines/2/{'9' * 400}", f"/guidelines/{'9' * 400}/0"):
        assert ann.get(odd).status == 404, odd


def test_a_path_that_climbs_out_serves_no_file(signed_in: Callable[[str], Visitor], store: ReviewStore) -> None:
    ann, task = signed_in("ann"), task_of(store, "ann")
    for path in (
        f"/pictures/{task}/../../review.key", f"/pictures/{task}/%2e%2e%2freview.key", "/pictures/..%2f..%2freview.sqlite/0",
        "/static/../../review.key", "/app/static/../review.key", "/media/..%2f..%2freview.key", "/..%5creview.key",
    ):  # fmt: skip
        reply = ann.get(path)
        assert b"SQLite format" not in reply.body, path
        assert (Path(store.where).parent / "review.key").read_bytes().strip() not in reply.body, path


def test_a_draft_is_kept_for_ones_own_task_only(
    visitor: Visitor, signed_in: Callable[[str], Visitor], store: ReviewStore
) -> None:
    task, ann, mark = task_of(store, "ann"), signed_in("ann"), {"X-Benchwright-Draft": "1"}
    path, body = f"/drafts/{task}", json.dumps({"note": "one <b>two</b>"})
    assert ann.send("PUT", path, body=body, headers=mark).status == 200
    queue = TaskQueue(store, store.campaign("verify"), "ann")
    assert dict(queue.open(task, now=clock()).draft) == {"note": "one <b>two</b>"}
    assert ann.send("PUT", path, body=body).status == 403
    assert visitor.send("PUT", path, body=body, headers=mark).status == 401
    ben = signed_in("ben")
    other = next(one for one in store.tasks("verify") if one.id not in {task, task_of(store, "ben")}).id
    assert ben.send("PUT", f"/drafts/{other}", body=body, headers=mark).status == 403
    assert ann.send("PUT", "/drafts/999999", body=body, headers=mark).status == 403
    for broken in ("", "[]", "{", "null", '{"a":NaN}', "[" * 50_000):
        assert ann.send("PUT", path, body=broken, headers=mark).status in {400, 403}, broken[:20]
    assert ann.send("PUT", path, body=json.dumps({"note": "x" * 70_000}), headers=mark).status == 413
    assert dict(queue.open(task, now=clock()).draft) == {"note": "one <b>two</b>"}


def test_a_draft_of_a_window_that_is_behind_is_kept_beside_the_one_that_is_there(
    signed_in: Callable[[str], Visitor], store: ReviewStore
) -> None:
    task, ann = task_of(store, "ann"), signed_in("ann")
    queue = TaskQueue(store, store.campaign("verify"), "ann")

    def put(note: str, *, window: str, seen: str) -> tuple[int, dict[str, Any]]:
        headers = {"X-Benchwright-Draft": "1", "X-Benchwright-Seen": seen}
        reply = ann.send("PUT", f"/drafts/{task}", body=json.dumps({"note": note, "window": window}), headers=headers)
        return reply.status, json.loads(reply.body)

    before = queue.open(task, now=clock()).revision
    assert put("left", window="a", seen=f"0.{before}")[0] == 200
    assert put("left, then", window="a", seen=f"0.{before}")[0] == 200  # sent before the first one was answered
    status, there = put("right", window="b", seen=f"0.{before}")
    assert (status, there["draft"]["note"], there["version"]) == (409, "left, then", 0)
    assert dict(queue.open(task, now=clock()).draft) == {
        "note": "left, then",
        "window": "a",
        "other": {"note": "right"},
    }
    status, told = put("right", window="b", seen=f"0.{there['revision']}")
    assert (status, told["revision"] > there["revision"]) == (200, True)
    assert put("left, now", window="a", seen=f"0.{there['revision']}")[0] == 409
    assert queue.open(task, now=clock()).draft["other"] == {"note": "left, now"}
    for odd in ("1", "x.y", "-1.0", "1." + "9" * 50):
        headers = {"X-Benchwright-Draft": "1", "X-Benchwright-Seen": odd}
        assert ann.send("PUT", f"/drafts/{task}", body="{}", headers=headers).status == 400, odd


@pytest.mark.parametrize("path", ["/login", "/", "/pictures/1/0"])
def test_every_answer_tells_the_browser_to_load_nothing_from_elsewhere(
    visitor: Visitor, signed_in: Callable[[str], Visitor], path: str
) -> None:
    for reply in (visitor.get(path), signed_in("ann").get(path)):
        policy = reply.headers["content-security-policy"]
        assert "default-src 'none'" in policy or "default-src 'self'" in policy
        assert "'unsafe-inline'" not in policy.partition("script-src ")[2].partition(";")[0]
        assert "frame-ancestors 'none'" in policy
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["referrer-policy"] == "same-origin"


def test_an_invitation_that_is_none_is_refused(visitor: Visitor) -> None:
    for path in ("/welcome", "/welcome?invitation=", "/welcome?invitation=" + "a" * 43):
        assert visitor.get(path).status == 403
    assert (
        visitor.submit("/welcome", invitation="x", password="long enough it is", again="long enough it is").status
        == 403
    )


def test_a_short_or_unequal_password_leaves_the_invitation_good(site: ReviewSite, visitor: Visitor) -> None:
    link = run_json("review", "users", "--workspace", site.workspace, "--add", "fay", "--url", site.url)["invitation"]
    path, token = link.removeprefix(site.url), link.rpartition("=")[2]
    for password, again, said in (
        ("short", "short", "10 to 1024 characters"), ("long enough 1", "long enough 2", "differ"),
        ("aaaaaaaaaaaa", "aaaaaaaaaaaa", "easy to guess"),
    ):  # fmt: skip
        reply = visitor.submit(path, invitation=token, password=password, again=again)
        assert (reply.status, said in reply.text) == (400, True)
    assert visitor.submit(path, invitation=token, password="long enough it is", again="long enough it is").status == 303
    assert visitor.get("/").status == 200
    assert Visitor(site.url).get(path).status == 403


def test_the_key_is_the_owners_only_and_nothing_secret_is_in_the_log(
    site: ReviewSite, signed_in: Callable[[str], Visitor]
) -> None:
    ann = signed_in("ann")
    assert (site.workspace / "review.key").stat().st_mode & 0o077 == 0
    log = site.server.output(most=1_000_000)
    for secret in (*PASSWORDS.values(), ann.cookies[COOKIE], (site.workspace / "review.key").read_text().strip()):
        assert secret not in log


def test_users_are_listed_and_wrong_use_is_answered_in_words(site: ReviewSite, tmp_path: Path) -> None:
    listed = run_json("review", "users", "--workspace", site.workspace)["users"]
    assert {"name": "cur", "role": "curator", "state": "open"} in listed
    for arguments, said in (
        (["--add", "ann"], "already has an account"),
        (["--invite", "zoe"], "no account is named 'zoe'"),
        (["--lock", "cur"], "only curator"),
        (["--add", "a", "--lock", "b"], "one of --add"),
        (["--change", "cur"], "only curator"),
        (["--change", "zoe", "--role", "curator"], "no account is named 'zoe'"),
        (["--password-stdin"], "can only be used with --add"),
    ):
        done = in_process("review", "users", "--workspace", site.workspace, *arguments)
        assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    run_json("review", "users", "--workspace", site.workspace, "--change", "ben", "--role", "curator")
    changed = run_json("review", "users", "--workspace", site.workspace, "--change", "ben")["users"]
    assert {"name": "ben", "role": "annotator", "state": "open"} in changed
    done = in_process("review", "serve", "--workspace", tmp_path)
    assert done.returncode == 2
    port = site.url.rpartition(":")[2]
    done = in_process("review", "serve", "--workspace", site.workspace, "--port", port)
    assert (done.returncode, "give another --port" in done.stderr) == (2, True)


LINK = re.compile(r"http://\S+/welcome\?invitation=[\w-]+")


def test_the_first_curator_is_invited_on_a_terminal_and_never_in_a_log(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    with sqlite3.connect(workspace / "review.sqlite") as raw:
        raw.execute("DELETE FROM accounts WHERE role = 'curator'")
    raw.close()
    with serve(workspace) as running:
        assert "--add NAME --role curator" in running.server.output()
        assert "invitation=" not in running.server.output()
    with serve(workspace, on_terminal=True) as running:
        [link] = LINK.findall(running.server.output())
        assert "Welcome, curator" in Visitor(running.url).get(link.removeprefix(running.url)).text


def test_no_start_ends_an_open_invitation_of_a_curator(tmp_path: Path) -> None:
    now = clock()
    with open_store(f"sqlite:///{tmp_path / 'review.sqlite'}") as store:
        accounts = Accounts(store)
        accounts.add("dee", "curator", now=now)
        token = accounts.invite("dee", now=now)
        opening = way_in(accounts, now, command="users", is_read_at_once=True)
        assert opening.invitation is None
        assert "--invite dee" in (opening.waits_for or "")
        assert accounts.invited(token, now=now) is not None
        later = accounts.invited(
            way_in(accounts, now + INVITATION, command="", is_read_at_once=True).invitation or "", now=now
        )
        assert later is not None, "once it has ended, there is another"
