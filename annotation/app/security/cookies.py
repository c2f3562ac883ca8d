"""The session cookie: a token of the store, signed with a key that lies beside it.

The signature lets the gate turn forged cookies away before it asks the store; the store says whether the session is
still open. JavaScript cannot read the cookie, and other sites' forms do not carry it.
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
FORM_COOKIE = "benchwright_form"
ATTEMPT_COOKIE = "benchwright_attempt"
ATTEMPT_S = 600
DEVICE_COOKIE = "benchwright_device"
DEVICE_S = 400 * 24 * 3600
"""As long as browsers keep any cookie."""
MOST_ON_A_DEVICE = 8
_OF_THIS_HOST = "__Host-"
"""Before the names of cookies behind HTTPS: browsers then take them from this very host only, and over HTTPS only."""
KEY_FILE = "review.key"


def signing_key(workspace: Path) -> str:
    """Return the workspace's key, made on first use and readable by its owner only.

    Raises:
        DataError: The file holds no key.
    """
    path = workspace / KEY_FILE
    keep_private(path)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        key = path.read_text(encoding="ascii", errors="replace").strip()
        if len(key) != 64:
            raise DataError(f"{path} holds no key; remove it, and everybody signs in anew") from None
        return key
    with os.fdopen(handle, "w") as file:
        key = secrets.token_hex(32)
        file.write(key + "\n")
    return key


class Cookies:
    """Makes and reads the app's cookies."""

    def __init__(self, key: str, *, secure: bool) -> None:
        self._signer = Signer(key, salt="benchwright-session")
        self._attempts = Signer(key, salt="benchwright-attempt")
        self._devices = Signer(key, salt="benchwright-device")
        self.is_secure = secure

    def session(self, token: str) -> str:
        """Return the `Set-Cookie` line that opens a session."""
        return self._line(COOKIE, self._signer.sign(token).decode(), int(SESSION.total_seconds()))

    def form(self, nonce: str) -> str:
        """Return the `Set-Cookie` line that ties a form without a session to a browser."""
        return self._line(FORM_COOKIE, nonce, 3600)

    def cleared(self) -> str:
        """Return the `Set-Cookie` line that ends a session in the browser."""
        return self._line(COOKIE, "", 0)

    def token(self, value: str | None) -> str | None:
        """Return the token of a session cookie; None where it is absent or not signed by us."""
        if not value:
            return None
        try:
            return self._signer.unsign(value).decode()
        except (BadSignature, UnicodeError):
            return None

    def token_of(self, header: str) -> str | None:
        """Return the token in a `Cookie` header."""
        return self.token(read_cookie(header, self.name(COOKIE)))

    def nonce_in(self, header: str) -> str | None:
        """Return what ties a form to a browser, of a `Cookie` header."""
        return read_cookie(header, self.name(FORM_COOKIE))

    def attempt(self, meant: str, *, now: datetime) -> str:
        """Return the `Set-Cookie` line by which an attempt to sign in elsewhere is recognised when it comes back."""
        told = urlsafe_b64encode(f"{int(now.timestamp())} {meant}".encode()).decode().rstrip("=")
        return self._line(ATTEMPT_COOKIE, self._attempts.sign(told).decode(), ATTEMPT_S)

    def attempt_in(self, header: str, *, now: datetime) -> str | None:
        """Return what an attempt of the last ten minutes meant; None where there is none of ours."""
        try:
            told = self._attempts.unsign(read_cookie(header, self.name(ATTEMPT_COOKIE)) or "").decode()
            since, _, meant = urlsafe_b64decode(told + "=" * (-len(told) % 4)).decode().partition(" ")
        except (BadSignature, ValueError):
            return None
        return meant if 0 <= now.timestamp() - int(since) <= ATTEMPT_S else None

    def attempt_over(self) -> str:
        """Return the `Set-Cookie` line that forgets an attempt."""
        return self._line(ATTEMPT_COOKIE, "", 0)

    def device(self, account: str, header: str) -> str:
        """Return the `Set-Cookie` line by which a browser is known as one where an account's owner has signed in.

        Args:
            account: As `account_key`.
            header: The browser's `Cookie` header: it may be known for other accounts too.
        """
        device, known = self._known_device(header)
        mine = _fingerprint(account)
        kept = [other for other in known if other != mine][-(MOST_ON_A_DEVICE - 1) :]
        value = ".".join([device or secrets.token_urlsafe(16), *kept, mine])
        return self._line(DEVICE_COOKIE, self._devices.sign(value).decode(), DEVICE_S)

    def device_in(self, account: str, header: str) -> str | None:
        """Return which device sent a `Cookie` header, if the account's owner has signed in on it before."""
        device, known = self._known_device(header)
        return device if _fingerprint(account) in known else None

    def _known_device(self, header: str) -> tuple[str | None, list[str]]:
        try:
            value = self._devices.unsign(read_cookie(header, self.name(DEVICE_COOKIE)) or "").decode()
        except (BadSignature, UnicodeError):
            return None, []
        device, *known = value.split(".")
        return device, known

    def name(self, name: str) -> str:
        """Return what one of our cookies is called."""
        return _OF_THIS_HOST + name if self.is_secure else name

    def _line(self, name: str, value: str, seconds: int) -> str:
        secure = "; Secure" if self.is_secure else ""
        return f"{self.name(name)}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}"


def _fingerprint(account: str) -> str:
    """Return what a device remembers of an account: not its name, which others at this browser could read."""
    return hashlib.sha256(b"benchwright device " + account.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def read_cookie(header: str, name: str) -> str | None:
    """Return one value of a `Cookie` header."""
    jar: SimpleCookie = SimpleCookie()
    try:
        jar.load(header)
    except CookieError:
        return None
    return jar[name].value if name in jar else None
