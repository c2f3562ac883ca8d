"""Headers of every answer and names of cookies, with HTTPS in front and without."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from benchwright.annotation.app.security.cookies import ATTEMPT_COOKIE, ATTEMPT_S, COOKIE, Cookies
from benchwright.annotation.app.security.headers import headers_of, inline_scripts, sign_in_policy

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def cookies(*, secure: bool) -> Cookies:
    return Cookies("ab" * 32, secure=secure)


def test_behind_https_cookies_are_bound_to_this_host_and_travel_no_other_way() -> None:
    line = cookies(secure=True).session("token")
    assert line.startswith(f"__Host-{COOKIE}=token.")
    assert {"Secure", "HttpOnly", "SameSite=Lax", "Path=/"} <= set(line.split("; "))
    assert "Domain" not in line
    assert "Secure" not in cookies(secure=False).session("token")


def test_behind_https_a_cookie_without_the_prefix_is_none() -> None:
    value = cookies(secure=False).session("token").partition(";")[0]
    assert cookies(secure=False).token_of(value) == "token"
    assert cookies(secure=True).token_of(value) is None
    assert cookies(secure=True).token_of(f"__Host-{value}") == "token"


def test_browsers_are_told_to_keep_to_https_only_where_it_is_spoken() -> None:
    assert headers_of(cookies(secure=True))["Strict-Transport-Security"] == "max-age=15552000"
    assert "Strict-Transport-Security" not in headers_of(cookies(secure=False))


def test_the_page_runs_no_script_of_its_own_but_streamlits() -> None:
    policy = dict(
        part.split(" ", 1) for part in headers_of(cookies(secure=False))["Content-Security-Policy"].split("; ")
    )
    assert len(inline_scripts()) >= 1
    assert set(inline_scripts()) < set(policy["script-src"].split())
    assert "'unsafe-inline'" not in policy["script-src"]
    assert "'unsafe-eval'" not in policy["script-src"].split()
    assert policy["object-src"] == policy["frame-ancestors"] == "'none'"


def test_a_sign_in_page_runs_and_loads_nothing() -> None:
    assert "default-src 'none'" in sign_in_policy()
    assert "script-src" not in sign_in_policy()


@pytest.mark.parametrize("later_s", [0, ATTEMPT_S])
def test_an_attempt_is_known_again_for_ten_minutes(later_s: int) -> None:
    ours = cookies(secure=False)
    value = ours.attempt('{"a": "é"}', now=NOW).partition(";")[0]
    assert ours.attempt_in(value, now=NOW + timedelta(seconds=later_s)) == '{"a": "é"}'


def test_an_attempt_is_forgotten_after_that_and_forged_ones_are_none() -> None:
    ours = cookies(secure=False)
    value = ours.attempt("{}", now=NOW).partition(";")[0]
    assert ours.attempt_in(value, now=NOW + timedelta(seconds=ATTEMPT_S + 1)) is None
    assert ours.attempt_in(value, now=NOW - timedelta(seconds=1)) is None
    assert Cookies("cd" * 32, secure=False).attempt_in(value, now=NOW) is None
    session = ours.session("token").partition(";")[0].replace(COOKIE, ATTEMPT_COOKIE)
    assert ours.attempt_in(session, now=NOW) is None
