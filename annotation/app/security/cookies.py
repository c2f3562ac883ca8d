"""The app's cookies. The session cookie is a token from the store, signed with a key next to the store.

The signature lets the session middleware refuse forged cookies without a query to the store, which knows whether the
session is still open. JavaScript cannot read the cookie, and forms of other sites do not send it.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import datetime
from http.cookies import CookieError, SimpleCookie
from pathlib import Path

from itsdangerous import BadSignature, Signer

from benchwright.errors import DataError
from benchwright.workspace.private_files import keep_private

from ...store.accounts.accounts import SESSION

COOKIE = "benchwright_session"
_FORM_COOKIE = "benchwright_form"
ATTEMPT_COOKIE = "benchwright_attempt"
ATTEMPT_S = 600
_LANGUAGE_COOKIE = "benchwright_language"
_LANGUAGE_S = 400 * 24 * 3600
_NEW = ".new"
DEVICE_COOKIE = "benchwright_device"
_DEVICE_S = 400 * 24 * 3600
"""Lifetime of the device cookie in seconds, which is the longest that browsers keep any cookie."""
MOST_ACCOUNTS = 8
"""Maximum number of accounts in a device cookie."""
_HOST_PREFIX = "__Host-"
"""Prefix of cookie names over HTTPS. Browsers accept such cookies from exactly this host and over HTTPS only."""
_KEY_FILE = "review.key"


def signing_key(workspace: Path) -> str:
    """Return the workspace's key, which is created on first use and which only its owner can read.

    Raises:
        DataError: The file `review.key` does not contain a key.
    """
    path = workspace / _KEY_FILE
    keep_private(path)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        key = path.read_text(encoding="ascii", errors="replace").strip()
        if len(key) != 64:
            raise DataError(f"{path} contains no key; remove it, and all users sign in again") from None
        return key
    with os.fdopen(handle, "w") as file:
        key = secrets.token_hex(32)
        file.write(key + "\n")
    return key


class Cookies:
    """Writes and reads the app's cookies."""

    def __init__(self, key: str, *, secure: bool) -> None:
        self._signer = Signer(key, salt="benchwright-session")
        self._attempts = Signer(key, salt="benchwright-attempt")
        self._devices = Signer(key, salt="benchwright-device")
        self.is_secure = secure

    def language(self, tag: str, *, is_new: bool = False) -> str:
        """Return the `Set-Cookie` line that stores the language a user chose in a browser.

        Args:
            tag: Tag of the language.
            is_new: Whether the user chose it before signing in, so that the account does not have it yet; default
                False.
        """
        return self._line(_LANGUAGE_COOKIE, tag + (_NEW if is_new else ""), _LANGUAGE_S)

    def language_in(self, header: str) -> str | None:
        """Return the language tag in a `Cookie` header, which may be unknown or invalid; None if there is no tag."""
        stated = _read_cookie(header, self.name(_LANGUAGE_COOKIE))
        return None if stated is None else stated.removesuffix(_NEW)

    def new_language_in(self, header: str) -> str | None:
        """Return the tag of a language that was chosen before signing in and is not yet stored for any account."""
        stated = _read_cookie(header, self.name(_LANGUAGE_COOKIE)) or ""
        return stated.removesuffix(_NEW) if stated.endswith(_NEW) else None

    def session(self, token: str) -> str:
        """Return the `Set-Cookie` line that opens a session."""
        return self._line(COOKIE, self._signer.sign(token).decode(), int(SESSION.total_seconds()))

    def form(self, nonce: str) -> str:
        """Return the `Set-Cookie` line that ties a form to a browser without a session."""
        return self._line(_FORM_COOKIE, nonce, 3600)

    def cleared(self) -> str:
        """Return the `Set-Cookie` line that ends a session in the browser."""
        return self._line(COOKIE, "", 0)

    def token(self, value: str | None) -> str | None:
        """Return the token in a session cookie, or None if the cookie is absent or its signature is wrong."""
        if not value:
            return None
        try:
            return self._signer.unsign(value).decode()
        except (BadSignature, UnicodeError):
            return None

    def token_of(self, header: str) -> str | None:
        """Return the token in a `Cookie` header."""
        return self.token(_read_cookie(header, self.name(COOKIE)))

    def nonce_in(self, header: str) -> str | None:
        """Return the nonce that ties a form to a browser, from a `Cookie` header; None if there is no nonce."""
        return _read_cookie(header, self.name(_FORM_COOKIE))

    def attempt(self, content: str, *, now: datetime) -> str:
        """Return the `Set-Cookie` line that stores a sign-in attempt through a provider until the browser returns."""
        value = urlsafe_b64encode(f"{int(now.timestamp())} {content}".encode()).decode().rstrip("=")
        return self._line(ATTEMPT_COOKIE, self._attempts.sign(value).decode(), ATTEMPT_S)

    def attempt_in(self, header: str, *, now: datetime) -> str | None:
        """Return the content of an attempt from the last ten minutes; None if there is no validly signed one."""
        try:
            value = self._attempts.unsign(_read_cookie(header, self.name(ATTEMPT_COOKIE)) or "").decode()
            since, _, content = urlsafe_b64decode(value + "=" * (-len(value) % 4)).decode().partition(" ")
        except (BadSignature, ValueError):
            return None
        return content if 0 <= now.timestamp() - int(since) <= ATTEMPT_S else None

    def attempt_over(self) -> str:
        """Return the `Set-Cookie` line that removes an attempt."""
        return self._line(ATTEMPT_COOKIE, "", 0)

    def device(self, account: str, header: str) -> str:
        """Return the `Set-Cookie` line that marks a browser as one in which an account's owner signed in.

        Args:
            account: Key of the account, as `account_key` returns it.
            header: `Cookie` header of the browser, which may also hold marks for other accounts.
        """
        device, fingerprints = self._known_device(header)
        own = _fingerprint(account)
        kept = [fingerprint for fingerprint in fingerprints if fingerprint != own][-(MOST_ACCOUNTS - 1) :]
        value = ".".join([device or secrets.token_urlsafe(16), *kept, own])
        return self._line(DEVICE_COOKIE, self._devices.sign(value).decode(), _DEVICE_S)

    def device_in(self, account: str, header: str) -> str | None:
        """Return the device that sent a `Cookie` header, if the account's owner signed in on it before."""
        device, fingerprints = self._known_device(header)
        return device if _fingerprint(account) in fingerprints else None

    def _known_device(self, header: str) -> tuple[str | None, list[str]]:
        """Return the device in a `Cookie` header (None if there is no device) and the fingerprints of its accounts."""
        try:
            value = self._devices.unsign(_read_cookie(header, self.name(DEVICE_COOKIE)) or "").decode()
        except (BadSignature, UnicodeError):
            return None, []
        device, *fingerprints = value.split(".")
        return device, fingerprints

    def name(self, name: str) -> str:
        """Return the full name of a cookie, with the prefix `__Host-` over HTTPS."""
        return _HOST_PREFIX + name if self.is_secure else name

    def _line(self, name: str, value: str, seconds: int) -> str:
        secure = "; Secure" if self.is_secure else ""
        return f"{self.name(name)}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}"


def _fingerprint(account: str) -> str:
    """Return the digest that represents an account in a device cookie, so that the cookie does not reveal its name."""
    return hashlib.sha256(b"benchwright device " + account.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _read_cookie(header: str, name: str) -> str | None:
    """Return one value from a `Cookie` header."""
    jar: SimpleCookie = SimpleCookie()
    try:
        jar.load(header)
    except CookieError:
        return None
    return jar[name].value if name in jar else None
