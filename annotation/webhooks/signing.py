"""Signatures of webhooks as in Standard Webhooks: HMAC-SHA256 of id, time and text."""

from __future__ import annotations

import hashlib
import hmac
from base64 import b64decode, b64encode
from binascii import Error

from benchwright.errors import BenchwrightError

from ..store.integrations.webhooks import SECRET_PREFIX

ID, TIMESTAMP, SIGNATURE = "webhook-id", "webhook-timestamp", "webhook-signature"
_VERSION = "v1"
TOLERANCE_S = 300
"""Maximum deviation of a delivery's time in seconds, so that old ones cannot be replayed."""


def signed_headers(secret: str, message_id: str, at: int, text: str) -> dict[str, str]:
    """Return the headers of a delivery.

    Args:
        secret: Secret of the webhook, `whsec_` and Base64.
        message_id: Id of the delivery, the same in each attempt.
        at: Time of the attempt, in seconds since 1970.
        text: Text to send.
    """
    signed = hmac.new(_key(secret), f"{message_id}.{at}.{text}".encode(), hashlib.sha256).digest()
    return {ID: message_id, TIMESTAMP: str(at), SIGNATURE: f"{_VERSION},{b64encode(signed).decode()}"}


def check_signature(secret: str, headers: dict[str, str], text: str, *, now: int) -> None:
    """Check that a received delivery is genuine and recent; receivers written in Python may use this function.

    Args:
        secret: Secret of the webhook.
        headers: Headers of the request, by name in lower case.
        text: Its body.
        now: Time of its arrival, in seconds since 1970.

    Raises:
        BenchwrightError: The delivery is from another sender, was changed, or is older than five minutes.
    """
    stated = headers.get(TIMESTAMP, "")
    if not stated.isdecimal() or len(stated) > 12 or abs(now - int(stated)) > TOLERANCE_S:
        raise BenchwrightError(f"{TIMESTAMP} {stated[:20]!r} is not a time within {TOLERANCE_S} s of now")
    own = signed_headers(secret, headers.get(ID, ""), int(stated), text)[SIGNATURE]
    if not any(hmac.compare_digest(own.encode(), one.encode()) for one in headers.get(SIGNATURE, "").split()):
        raise BenchwrightError(
            f"{SIGNATURE} is not a signature of this webhook: the secret differs, or the text was changed"
        )


def _key(secret: str) -> bytes:
    try:
        return b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    except Error:
        raise BenchwrightError(f"a secret consists of {SECRET_PREFIX} and Base64") from None
