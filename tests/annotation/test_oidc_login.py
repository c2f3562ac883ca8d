"""Signing in by an identity provider that runs next to the app.

- An invitation ties an identity to an account, once; the app asks others to request one, and roles stay the curator's.
- An answer counts in the browser that asked, once, with its state.
- Locking and signing out end these sessions like any other.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from browser.review_site import PASSWORDS, ReviewSite, make_workspace
from servers import Server, serving
from walks import benchwright, command, run_json

from benchwright.annotation.app.security.cookies import ATTEMPT_COOKIE, COOKIE, Cookies

from .visitor import Visitor

pytestmark = pytest.mark.slow

pytest.importorskip("oidc_provider_mock", reason="oidc-provider-mock is not installed: make test")
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture(scope="module")
def provider(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A provider without passwords: it accepts every stated identity."""
    log = tmp_path_factory.mktemp("provider") / "provider.log"
    path = "/.well-known/openid-configuration"
    with serving(
        lambda port: [sys.executable, "-m", "oidc_provider_mock", "--port", str(port), "--require-nonce", "true"],
        log=log, health=path,
    ) as running:  # fmt: skip
        yield running


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, provider: Server) -> Iterator[ReviewSite]:
    workspace = make_workspace(tmp_path_factory.mktemp("oidc"))
    with serving(
        lambda port: command(
            "review", "serve", "--workspace", workspace, "--port", port, "--oidc", issuer_of(provider),
            "--oidc-client", "the-app", "--url", f"http://127.0.0.1:{port}",
        ),
        log=workspace.parent / "server.log", health="/login", env={"BENCHWRIGHT_OIDC_SECRET": "the app's secret there"},
    ) as server:  # fmt: skip
        yield ReviewSite(server, workspace)


def issuer_of(provider: Server) -> str:
    return provider.url


def invited(site: ReviewSite, name: str, *, add: bool = True, role: str = "annotator") -> str:
    how = ["--add", name, "--role", role] if add else ["--invite", name]
    link: str = run_json("review", "users", "--workspace", site.workspace, *how, "--url", site.url)["invitation"]
    return link.removeprefix(site.url)


def link_on(page: str) -> str:
    """Return the provider's address behind a page's button."""
    return page.partition('class="button" href="')[2].partition('"')[0].replace("&amp;", "&")


def to_provider(visitor: Visitor, path: str) -> str:
    """Open a sign-in page, follow its link to the provider, and return the address it leads to."""
    reply = visitor.get(link_on(visitor.get(path).text))
    assert reply.status == 303, reply.text
    return reply.headers["location"]


def say_who(where: str, subject: str) -> str:
    """State an identity at the provider, and return the path that leads back."""
    parts = urlsplit(where)
    reply = Visitor(f"{parts.scheme}://{parts.netloc}").send(
        "POST", f"{parts.path}?{parts.query}", body=urlencode({"sub": subject}), headers=FORM
    )
    assert reply.status == 302, reply.text
    back = urlsplit(reply.headers["location"])
    return f"{back.path}?{back.query}"


def come_in(site: ReviewSite, subject: str, path: str = "/login") -> tuple[Visitor, int, str]:
    visitor = Visitor(site.url)
    reply = visitor.get(say_who(to_provider(visitor, path), subject))
    return visitor, reply.status, reply.headers.get("location", reply.text)


def test_an_invitation_ties_an_identity_to_an_account_for_good(site: ReviewSite) -> None:
    link = invited(site, "dee")
    visitor, status, target = come_in(site, "subject-dee", link)
    assert (status, target) == (303, "/")
    assert "dee" in visitor.get("/logout").text
    assert Visitor(site.url).get(link).status == 403
    again, status, _ = come_in(site, "subject-dee")
    assert status == 303
    assert "signed in as dee" in again.get("/logout").text
    users = run_json("review", "users", "--workspace", site.workspace)["users"]
    assert {"name": "dee", "role": "annotator", "state": "open"} in users


def test_who_has_no_account_is_told_to_ask_for_one(site: ReviewSite) -> None:
    before = run_json("review", "users", "--workspace", site.workspace)["users"]
    visitor, status, text = come_in(site, "nobody-<b>")
    assert (status, "no account here yet" in text) == (403, True)
    assert "nobody" not in text
    assert visitor.get("/").status == 303
    assert run_json("review", "users", "--workspace", site.workspace)["users"] == before


def test_names_of_accounts_are_no_subjects(site: ReviewSite) -> None:
    for subject in ("cur", "ann"):
        assert come_in(site, subject)[1] == 403


def test_the_way_goes_on_to_where_one_wanted(site: ReviewSite) -> None:
    come_in(site, "subject-gil", invited(site, "gil"))
    _, status, target = come_in(site, "subject-gil", "/login?next=%2Fhistory%3Fcampaign%3Dverify")
    assert (status, target) == (303, "/history?campaign=verify")
    _, _, target = come_in(site, "subject-gil", "/login?next=https%3A%2F%2Felsewhere.example")
    assert target == "/"


def test_an_answer_counts_in_the_browser_that_asked_and_once(site: ReviewSite) -> None:
    come_in(site, "subject-hal", invited(site, "hal"))
    visitor = Visitor(site.url)
    back = say_who(to_provider(visitor, "/login"), "subject-hal")
    assert Visitor(site.url).get(back).status == 400
    other = Visitor(site.url)
    to_provider(other, "/login")
    assert other.get(back).status == 400
    kept = dict(visitor.cookies)
    assert visitor.get(back).status == 303
    assert visitor.get(back).status == 400
    visitor.cookies.clear()
    visitor.cookies.update(kept)
    assert visitor.get(back).status == 502  # the provider redeems a code once


@pytest.mark.parametrize("changed", [{"state": "x" * 43}, {"state": ""}, {"iss": "https://x.example"}])
def test_an_answer_to_another_question_is_none(site: ReviewSite, changed: dict[str, str]) -> None:
    visitor = Visitor(site.url)
    back = urlsplit(say_who(to_provider(visitor, "/login"), "subject-dee"))
    query = {name: values[0] for name, values in parse_qs(back.query).items()} | changed
    assert visitor.get(f"{back.path}?{urlencode(query)}").status == 400
    assert COOKIE not in visitor.cookies


def test_a_refusal_or_a_made_up_code_opens_nothing(site: ReviewSite) -> None:
    for answer, status in (({"error": "access_denied"}, 403), ({"code": "made up"}, 502), ({"code": "x" * 5000}, 403)):
        visitor = Visitor(site.url)
        state = parse_qs(urlsplit(to_provider(visitor, "/login")).query)["state"][0]
        assert visitor.get(f"/oidc/back?{urlencode({'state': state, **answer})}").status == status
        assert COOKIE not in visitor.cookies


def test_a_forged_attempt_is_none(site: ReviewSite) -> None:
    forged = Cookies("ab" * 32, secure=False)
    for value in ("", "x", "a.b", "x" * 9000, forged._attempts.sign("MTc3MjM2NjQwMCB7fQ").decode()):
        visitor = Visitor(site.url, {ATTEMPT_COOKIE: value})
        assert visitor.get("/oidc/back?state=x&code=y").status == 400


def test_a_link_of_somebody_else_ties_nobody_to_an_account(site: ReviewSite) -> None:
    token = invited(site, "ida").rpartition("=")[2]
    for nonce in ("", "&nonce=guess"):
        assert Visitor(site.url).get(f"/oidc/start?invitation={token}{nonce}").status == 400


def test_one_identity_has_one_account(site: ReviewSite) -> None:
    come_in(site, "subject-jon", invited(site, "jon"))
    link = invited(site, "jon-curator", role="curator")
    _, status, text = come_in(site, "subject-jon", link)
    assert (status, "another account" in text) == (403, True)
    assert Visitor(site.url).get(link).status == 200


def test_a_locked_account_cannot_sign_in_by_the_provider_either(site: ReviewSite) -> None:
    visitor, _, _ = come_in(site, "subject-kim", invited(site, "kim"))
    run_json("review", "users", "--workspace", site.workspace, "--sign-out", "kim")
    assert visitor.get("/").status == 303
    run_json("review", "users", "--workspace", site.workspace, "--lock", "kim")
    assert come_in(site, "subject-kim")[1] == 403
    run_json("review", "users", "--workspace", site.workspace, "--unlock", "kim")
    assert come_in(site, "subject-kim")[1] == 303


def test_passwords_go_on_beside(site: ReviewSite) -> None:
    assert Visitor(site.url).sign_in("ann", PASSWORDS["ann"]).status == 303


def test_no_secret_is_in_the_log(site: ReviewSite) -> None:
    come_in(site, "subject-dee")
    log = site.server.output(most=1_000_000)
    assert "the app's secret there" not in log
    assert "Traceback" not in log


def test_a_wrong_provider_is_told_when_the_app_starts(site: ReviewSite, tmp_path: Path) -> None:
    for issuer, said in (("http://127.0.0.1:1", "gives no valid answer"), ("http://id.example.org", "https://")):
        done = benchwright("review", "serve", "--workspace", site.workspace, "--port", "1", "--oidc", issuer)
        assert done.returncode == 2
        assert said in done.stderr or "cannot listen" in done.stderr
    done = benchwright(
        "review", "serve", "--workspace", site.workspace, "--port", "47811", "--oidc", "http://127.0.0.1:1"
    )
    assert (done.returncode, "gives no valid answer" in done.stderr) == (2, True), done.stderr
