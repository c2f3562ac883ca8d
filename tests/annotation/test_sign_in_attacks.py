"""Attacks on signing in, by real requests against the running app.

- Guesses at one account count together, whatever address they claim; the owner can sign in all the same.
- Signing in with one's own account buys no guesses at others.
- Many simultaneous sign-ins share a bounded memory, and half a request is closed.
"""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlencode

import pytest
from browser.review_site import PASSWORDS, ReviewSite, add_account, make_workspace, serve

from .visitor import FORM, Visitor

pytestmark = pytest.mark.slow


@pytest.fixture
def site(workspace: Path) -> Iterator[ReviewSite]:
    """Yield an app without attacks so far: its counts begin anew."""
    with serve(workspace) as running:
        yield running


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_workspace(tmp_path_factory.mktemp("attacks"))


def test_who_guesses_from_many_addresses_gets_five_guesses_and_the_owner_comes_in(site: ReviewSite) -> None:
    add_account(site.workspace, "gil", "gil's password")
    gil = Visitor(site.url)
    assert gil.sign_in("gil", "gil's password").status == 303
    form = Visitor(site.url)
    nonce = form.nonce("/login")
    statuses = [
        Visitor(site.url, dict(form.cookies)).send(
            "POST", "/login",
            body=urlencode({"nonce": nonce, "name": "gil", "password": "a guess", "next": "/"}),
            headers={"Content-Type": FORM, "X-Forwarded-For": f"198.51.{place // 5}.7"},
        ).status
        for place in range(100)
    ]  # fmt: skip
    assert statuses.count(401) <= 6  # a seventh would come after two seconds, then four
    assert set(statuses) == {401, 429}
    waiting = Visitor(site.url).sign_in("gil", "gil's password")
    assert (waiting.status, int(waiting.headers["retry-after"]) > 0) == (429, True)
    gil.submit("/logout")
    assert gil.sign_in("gil", "gil's password").status == 303  # in the browser that gil has used before


def test_ones_own_signing_in_buys_no_guesses_at_others(site: ReviewSite) -> None:
    add_account(site.workspace, "mallory", "mallory's password")
    mallory, tried = Visitor(site.url), 0
    assert mallory.sign_in("mallory", "mallory's password").status == 303
    for number in range(60):
        tried += Visitor(site.url).sign_in(f"somebody {number}", "the same guess").status == 401
        if number % 10 == 0:
            mallory.submit("/logout")
            assert mallory.sign_in("mallory", "mallory's password").status == 303
    assert tried <= 33  # thirty are free, then one after two seconds, four, eight


def test_many_who_sign_in_at_once_share_a_bounded_memory_and_half_a_request_is_closed(site: ReviewSite) -> None:
    def resident_mb() -> int:
        status = Path(f"/proc/{site.server.pid}/status").read_text(encoding="ascii")
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) // 1024  # type: ignore[index]

    Visitor(site.url).sign_in("ann", PASSWORDS["ann"])
    before, most, statuses, done = resident_mb(), [0], [], threading.Event()

    def watch() -> None:
        while not done.wait(0.005):
            most[0] = max(most[0], resident_mb())

    watching = threading.Thread(target=watch)
    watching.start()
    with ThreadPoolExecutor(16) as posting:
        statuses = list(posting.map(lambda n: Visitor(site.url).sign_in(f"nobody {n}", "x").status, range(16)))
    done.set()
    watching.join()
    assert set(statuses) <= {401, 429, 503}
    assert most[0] - before < 300
    half = socket.create_connection(("127.0.0.1", int(site.url.rpartition(":")[2])), timeout=30)
    half.sendall(b"POST /login HTTP/1.1\r\nHost: x\r\n")
    assert half.recv(65536).startswith(b"HTTP/1.1 408 ")  # after a quarter of a minute
    half.close()
