"""Limits on password guesses by device, account and address, and on passwords hashed at once."""

from __future__ import annotations

import asyncio
import threading
import time
from datetime import UTC, datetime, timedelta

import pytest

pytest.importorskip("argon2")

from benchwright.annotation.app.security.attempts import Attempts, SignInAttempt, account_key, address_key
from benchwright.annotation.app.security.cookies import DEVICE_COOKIE, MOST_ACCOUNTS, Cookies
from benchwright.annotation.app.security.passwords import BoundedHashing, HashingBusyError

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def guesses(attempts: Attempts, tried: list[SignInAttempt], *, during: timedelta, since: datetime = NOW) -> int:
    """Return the number of admitted guesses of a client that guesses wrongly every second."""
    number = 0
    for second in range(int(during.total_seconds())):
        now = since + timedelta(seconds=second)
        for attempt in tried:
            if attempts.wait(attempt, now=now) <= timedelta(0):
                attempts.failed(attempt, now=now)
                number += 1
    return number


@pytest.mark.slow
def test_sixty_addresses_guess_no_faster_at_one_account_than_one_does() -> None:
    one = guesses(Attempts(), [SignInAttempt("ann", None, "a")], during=timedelta(hours=1))
    sixty = guesses(Attempts(), [SignInAttempt("ann", None, f"a{n}") for n in range(60)], during=timedelta(hours=1))
    assert one == sixty
    assert sixty < 20
    day = guesses(Attempts(), [SignInAttempt("ann", None, "a")], during=timedelta(days=1))
    assert day < 120


@pytest.mark.slow
def test_guessing_at_an_account_keeps_nobody_out_who_has_signed_in_on_this_device_before() -> None:
    attempts = Attempts()
    guesses(attempts, [SignInAttempt("ann", None, f"a{n}") for n in range(60)], during=timedelta(hours=1))
    later = NOW + timedelta(hours=1)
    assert attempts.wait(SignInAttempt("ann", None, "at home"), now=later) > timedelta(0)
    assert attempts.wait(SignInAttempt("ann", "ann's laptop", "a1"), now=later) <= timedelta(0)
    assert attempts.wait(SignInAttempt("ben", None, "elsewhere"), now=later) <= timedelta(0)


def test_a_device_in_other_hands_guesses_no_faster_than_a_stranger() -> None:
    assert guesses(Attempts(), [SignInAttempt("ann", "laptop", "a")], during=timedelta(hours=1)) < 20


def test_ones_own_signing_in_takes_no_guess_of_an_address_at_others_back() -> None:
    attempts, mine = Attempts(), SignInAttempt("mallory", None, "a")
    tried = 0
    for number in range(300):
        attempt = SignInAttempt(f"name {number}", None, "a")
        if attempts.wait(attempt, now=NOW) <= timedelta(0):
            attempts.failed(attempt, now=NOW)
            tried += 1
        if attempts.wait(mine, now=NOW) <= timedelta(0):
            attempts.failed(mine, now=NOW)
            attempts.succeeded(mine)
    assert tried == 30


def test_who_signs_in_at_once_leaves_no_trace_at_a_shared_address() -> None:
    attempts = Attempts()
    for number in range(500):
        attempt = SignInAttempt(f"student {number}", None, "campus")
        assert attempts.wait(attempt, now=NOW) <= timedelta(0)
        attempts.failed(attempt, now=NOW)
        attempts.succeeded(attempt)


@pytest.mark.slow
def test_an_address_waits_a_minute_at_most_and_its_devices_never() -> None:
    attempts = Attempts()
    guesses(attempts, [SignInAttempt(f"n{n}", None, "a") for n in range(200)], during=timedelta(minutes=20))
    after = NOW + timedelta(minutes=20)
    assert timedelta(0) < attempts.wait(SignInAttempt("new", None, "a"), now=after) <= timedelta(minutes=1)
    assert attempts.wait(SignInAttempt("ann", "laptop", "a"), now=after) <= timedelta(0)


def test_another_password_by_invitation_forgets_what_was_guessed() -> None:
    attempts, attempt = Attempts(), SignInAttempt(account_key(" Ann"), None, "a")
    guesses(attempts, [attempt], during=timedelta(minutes=5))
    attempts.forget_account("ann")
    assert attempts.wait(attempt._replace(address="b"), now=NOW + timedelta(minutes=5)) <= timedelta(0)


@pytest.mark.parametrize(
    ("host", "key"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", "?"),
        ("", "?"),
    ],
)
def test_addresses_count_by_what_one_subscriber_has(host: str, key: str) -> None:
    assert address_key(host) == key


def test_a_browser_is_known_for_those_who_signed_in_there_and_for_nobody_else() -> None:
    cookies, header = Cookies("ab" * 32, secure=True), ""
    for name in ("ann", "ben"):
        line = cookies.device(name, header)
        assert {"Secure", "HttpOnly", "SameSite=Lax"} <= set(line.split("; "))
        header = line.partition(";")[0]
    assert "ann" not in header
    assert cookies.device_in("ann", header) == cookies.device_in("ben", header) is not None
    assert cookies.device_in("cur", header) is None
    assert Cookies("cd" * 32, secure=True).device_in("ann", header) is None
    assert cookies.device_in("ann", f"__Host-{DEVICE_COOKIE}=x.y") is None
    for number in range(MOST_ACCOUNTS):
        header = cookies.device(f"another {number}", header).partition(";")[0]
    assert cookies.device_in("ann", header) is None
    assert len(header) < 1000


def test_a_few_passwords_are_hashed_at_once_and_who_comes_too_late_is_told() -> None:
    hashing = BoundedHashing(at_once=2, most_waiting=3)
    running, most, lock = [0], [0], threading.Lock()

    def work() -> int:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        time.sleep(0.05)
        with lock:
            running[0] -= 1
        return 1

    async def all_at_once() -> list[int | BaseException]:
        first = await asyncio.gather(*(hashing._run(work) for _ in range(12)), return_exceptions=True)
        await asyncio.sleep(0)
        return [*first, *await asyncio.gather(*(hashing._run(work) for _ in range(3)), return_exceptions=True)]

    answers = asyncio.run(all_at_once())
    assert most[0] == 2
    assert answers.count(1) == 5 + 3
    assert sum(isinstance(answer, HashingBusyError) for answer in answers) == 7
