"""What servers state besides replies: when to retry, and that the account has no credit left."""

from __future__ import annotations

import time
from email.utils import formatdate

import pytest

from benchwright.models.endpoints.vendors.failures import is_out_of_funds, retry_after_s


@pytest.mark.parametrize(
    ("headers", "pause_s"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": formatdate(0, usegmt=True)}, 0.0),
        ({}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
    ],
)
def test_a_pause_is_read_in_every_form(headers: dict[str, str], pause_s: float | None) -> None:
    assert retry_after_s(headers) == pause_s


def test_a_date_is_a_pause_up_to_then() -> None:
    pause_s = retry_after_s({"retry-after": formatdate(time.time() + 100, usegmt=True)})
    assert pause_s is not None
    assert 97 < pause_s <= 100


@pytest.mark.parametrize("error", [None, "quota", [], {"code": "rate_limit_exceeded"}, {"message": "quota"}])
def test_only_an_empty_account_counts_as_one(error: object) -> None:
    assert not is_out_of_funds(error)
    assert is_out_of_funds({"code": "insufficient_quota"})
