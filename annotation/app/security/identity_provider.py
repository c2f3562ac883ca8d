"""An OpenID provider, asked who somebody is: code flow with PKCE, state and nonce, and an ID token checked in full.

What a provider says is text from a stranger: bounded, checked against what was asked, never shown.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from benchwright.errors import BenchwrightError, PrerequisiteError

from ...store.accounts.accounts import Identity

if TYPE_CHECKING:
    import httpx2

ALGORITHMS = ("RS256", "PS256", "ES256", "RS384", "RS512", "PS384", "PS512", "ES384", "ES512", "EdDSA")
"""Signatures by a key of the provider's own. Never `none`, and none by a secret that we know too."""
LEEWAY_S = 60
LONGEST_REPLY = 256 * 1024
TIMEOUT_S = 10.0


class ProviderError(BenchwrightError):
    """The provider cannot be asked, or says something that is not to be believed."""


class SignInFlow(NamedTuple):
    """What one attempt to sign in is recognised by; known to the browser that began it only."""

    state: str
    nonce: str
    verifier: str


def new_flow() -> SignInFlow:
    """Return values that nobody can guess; the verifier has the 43 characters that PKCE asks for."""
    return SignInFlow(*(secrets.token_urlsafe(32) for _ in SignInFlow._fields))


@dataclass(frozen=True)
class ProviderSettings:
    """Which provider, and what this app is there.

    Attributes:
        issuer: Its address, exactly as it names itself.
        client_id: Of this app.
        client_secret: None for a public client, which PKCE alone vouches for.
        redirect_uri: Where it sends people back to.
    """

    issuer: str
    client_id: str
    client_secret: str | None
    redirect_uri: str


class IdentityProvider:
    """One provider. Asks it anew each time: sign-ins are rare, and its keys may change.

    Args:
        settings: See there.
        client: Asks over HTTP; for tests.

    Raises:
        BenchwrightError: The issuer is no HTTPS address; on this machine itself HTTP will do.
        PrerequisiteError: Authlib is not installed.
    """

    def __init__(self, settings: ProviderSettings, *, client: httpx2.Client | None = None) -> None:
        import httpx2

        check_installed()
        _check_address(settings.issuer, "the issuer")
        self._settings = settings
        self._client = client or httpx2.Client(timeout=TIMEOUT_S, follow_redirects=False)

    def address(self, flow: SignInFlow) -> str:
        """Return where a browser is sent to sign in.

        Raises:
            ProviderError: The provider does not say.
        """
        from authlib.oauth2.rfc7636 import create_s256_code_challenge

        where = self._endpoint("authorization_endpoint")
        asked = {
            "response_type": "code", "scope": "openid", "client_id": self._settings.client_id,
            "redirect_uri": self._settings.redirect_uri, "state": flow.state, "nonce": flow.nonce,
            "code_challenge": create_s256_code_challenge(flow.verifier), "code_challenge_method": "S256",
        }  # fmt: skip
        return f"{where}{'&' if urlsplit(where).query else '?'}{urlencode(asked)}"

    def identity(self, code: str, flow: SignInFlow, *, now: datetime) -> Identity:
        """Return who a code is for.

        Raises:
            ProviderError: The provider refuses the code, or its ID token does not hold.
        """
        token = self._token(code, flow)
        keys = self._asked("GET", self._endpoint("jwks_uri"))
        return check_id_token(token, keys, self._settings, nonce=flow.nonce, now=now)

    def is_ours(self, issuer: str | None) -> bool:
        """Return whether an answer that names its issuer (RFC 9207) names this one."""
        return issuer is None or issuer == self._settings.issuer

    def _token(self, code: str, flow: SignInFlow) -> str:
        settings = self._settings
        form = {
            "grant_type": "authorization_code", "code": code, "redirect_uri": settings.redirect_uri,
            "code_verifier": flow.verifier,
        }  # fmt: skip
        auth = None
        if settings.client_secret is None:
            form["client_id"] = settings.client_id
        else:
            auth = (settings.client_id, settings.client_secret)
        found = self._asked("POST", self._endpoint("token_endpoint"), data=form, auth=auth)
        token = found.get("id_token")
        if not isinstance(token, str):
            raise ProviderError("the identity provider gave no ID token; is the scope openid allowed for this client?")
        return token

    def _endpoint(self, name: str) -> str:
        where = self._settings.issuer.rstrip("/") + "/.well-known/openid-configuration"
        found = self._asked("GET", where)
        if found.get("issuer") != self._settings.issuer:
            raise ProviderError(
                f"{where} says its issuer is {str(found.get('issuer'))[:200]!r}, expected {self._settings.issuer!r}; "
                "give --oidc exactly as the provider names itself"
            )
        endpoint = found.get(name)
        if not isinstance(endpoint, str):
            raise ProviderError(f"{where} has no {name}")
        _check_address(endpoint, name)
        return endpoint

    def _asked(self, method: str, where: str, **sent: Any) -> Mapping[str, Any]:
        import httpx2

        try:
            with self._client.stream(method, where, headers={"Accept": "application/json"}, **sent) as reply:
                body = b""
                for part in reply.iter_bytes():
                    body += part
                    if len(body) > LONGEST_REPLY:
                        raise ProviderError(f"{_short(where)} says more than {LONGEST_REPLY // 1024} kB")
            found = httpx2.Response(reply.status_code, content=body).json() if reply.is_success else None
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, RecursionError) as error:
            raise ProviderError(f"{_short(where)} gives no answer: {type(error).__name__}") from error
        if not isinstance(found, Mapping):
            raise ProviderError(f"{_short(where)} answers {reply.status_code}, expected a JSON object")
        return found


def check_id_token(
    token: str, keys: Mapping[str, Any], settings: ProviderSettings, *, nonce: str, now: datetime
) -> Identity:
    """Return who an ID token is about, once everything about it holds.

    Checked: signature by a key of the provider's, issuer, audience and authorised party, expiry and times within a
    minute, the nonce, and a subject.

    Raises:
        ProviderError: Something does not hold; the message says what, and repeats nothing of the token.
    """
    from authlib.oidc.core import CodeIDToken
    from joserfc import jwk, jwt
    from joserfc.errors import JoseError

    options = {
        "iss": {"essential": True, "value": settings.issuer},
        "aud": {"essential": True, "value": settings.client_id},
        "nonce": {"essential": True, "value": nonce},
    }
    try:
        found = jwt.decode(token, jwk.KeySet.import_key_set(keys), algorithms=list(ALGORITHMS))  # type: ignore[arg-type]
        claims = CodeIDToken(
            found.claims, found.header, options=options, params={"nonce": nonce, "client_id": settings.client_id}
        )
        claims.validate(now=int(now.timestamp()), leeway=LEEWAY_S)
    except (JoseError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ProviderError(f"the identity provider's ID token does not hold: {type(error).__name__}") from error
    subject = claims.get("sub")
    if not isinstance(subject, str) or not 0 < len(subject) <= 255 or not subject.isprintable():
        raise ProviderError("the identity provider's ID token names no subject of 1 to 255 characters")
    return Identity(settings.issuer, subject)


def check_installed() -> None:
    """Check that what signing in by a provider needs is installed.

    Raises:
        PrerequisiteError: It is not.
    """
    from importlib.util import find_spec

    if find_spec("authlib") is None or find_spec("joserfc") is None:
        raise PrerequisiteError(
            "signing in by an identity provider needs Authlib, which is not installed: "
            "pip install 'benchwright[oidc]' -c constraints.txt"
        )


def _check_address(address: str, what: str) -> None:
    parts = urlsplit(address)
    is_here = parts.hostname in {"localhost", "127.0.0.1", "::1"}
    if not parts.hostname or (parts.scheme != "https" and not (parts.scheme == "http" and is_here)):
        raise ProviderError(f"{what} is {address[:200]!r}, expected an address that begins with https://")


def _short(address: str) -> str:
    return address.partition("?")[0][:200]
