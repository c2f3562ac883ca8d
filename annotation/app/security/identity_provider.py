"""A client for an OpenID provider: authorization code flow with PKCE, state and nonce, and full ID token checks.

A provider's data is untrusted: the client bounds its size, checks it against the request, and never shows it.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from benchwright.errors import BenchwrightError, PrerequisiteError
from benchwright.machine.this_machine import client_settings, naming_proxies

from ...store.accounts.accounts import Identity

if TYPE_CHECKING:
    import httpx2

_ALGORITHMS = ("RS256", "PS256", "ES256", "RS384", "RS512", "PS384", "PS512", "ES384", "ES512", "EdDSA")
"""Signatures by a private key of the provider; `none` and signatures by a secret known to this app are refused."""
_LEEWAY_S = 60
_LONGEST_REPLY = 256 * 1024
_TIMEOUT_S = 10.0


class ProviderError(BenchwrightError):
    """The provider cannot be reached, or its reply is invalid."""


class SignInFlow(NamedTuple):
    """Random values that identify an attempt to sign in; only the browser that began the attempt knows them."""

    state: str
    nonce: str
    verifier: str


def new_flow() -> SignInFlow:
    """Return new random values; the verifier has 43 characters, as PKCE requires."""
    return SignInFlow(*(secrets.token_urlsafe(32) for _ in SignInFlow._fields))


@dataclass(frozen=True)
class ProviderSettings:
    """Settings of a provider, and of this app as the provider's client.

    Attributes:
        issuer: URL of the provider, exactly as the provider states it.
        client_id: Id of this app at the provider.
        client_secret: Secret of this app; None for a public client, which PKCE alone protects.
        redirect_uri: URL of this app to which the provider returns users.
    """

    issuer: str
    client_id: str
    client_secret: str | None
    redirect_uri: str


class IdentityProvider:
    """An identity provider. Each sign-in fetches its endpoints and keys, since sign-ins are rare and keys may change.

    Args:
        settings: Settings of the provider.
        client: HTTP client for tests; default a new one.

    Raises:
        BenchwrightError: The issuer is not an HTTPS URL. A provider on this machine may use HTTP.
        PrerequisiteError: Authlib is not installed.
    """

    def __init__(self, settings: ProviderSettings, *, client: httpx2.Client | None = None) -> None:
        import httpx2

        _check_installed()
        _check_address(settings.issuer, "the issuer")
        self._settings = settings
        with naming_proxies(settings.issuer):
            own = client_settings(settings.issuer)
            self._client = client or httpx2.Client(timeout=_TIMEOUT_S, follow_redirects=False, **own)

    def address(self, flow: SignInFlow) -> str:
        """Return the URL at which a browser signs in.

        Raises:
            ProviderError: The provider does not state its endpoints.
        """
        from authlib.oauth2.rfc7636 import create_s256_code_challenge

        url = self._endpoint("authorization_endpoint")
        query = {
            "response_type": "code",
            "scope": "openid",
            "client_id": self._settings.client_id,
            "redirect_uri": self._settings.redirect_uri,
            "state": flow.state,
            "nonce": flow.nonce,
            "code_challenge": create_s256_code_challenge(flow.verifier),
            "code_challenge_method": "S256",
        }
        return f"{url}{'&' if urlsplit(url).query else '?'}{urlencode(query)}"

    def identity(self, code: str, flow: SignInFlow, *, now: datetime) -> Identity:
        """Return the identity for an authorization code.

        Raises:
            ProviderError: The provider refuses the code, or its ID token is invalid.
        """
        token = self._token(code, flow)
        keys = self._json("GET", self._endpoint("jwks_uri"))
        return check_id_token(token, keys, self._settings, nonce=flow.nonce, now=now)

    def is_ours(self, issuer: str | None) -> bool:
        """Return whether the issuer in an answer (RFC 9207) is this provider."""
        return issuer is None or issuer == self._settings.issuer

    def _token(self, code: str, flow: SignInFlow) -> str:
        settings = self._settings
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": settings.redirect_uri,
            "code_verifier": flow.verifier,
        }
        auth = None
        if settings.client_secret is None:
            form["client_id"] = settings.client_id
        else:
            auth = (settings.client_id, settings.client_secret)
        reply = self._json("POST", self._endpoint("token_endpoint"), data=form, auth=auth)
        token = reply.get("id_token")
        if not isinstance(token, str):
            raise ProviderError("the identity provider gave no ID token; is the scope openid allowed for this client?")
        return token

    def _endpoint(self, name: str) -> str:
        url = self._settings.issuer.rstrip("/") + "/.well-known/openid-configuration"
        document = self._json("GET", url)
        if document.get("issuer") != self._settings.issuer:
            raise ProviderError(
                f"{url} names the issuer {str(document.get('issuer'))[:200]!r}, expected {self._settings.issuer!r}; "
                "give --oidc exactly as the provider names itself"
            )
        endpoint = document.get(name)
        if not isinstance(endpoint, str):
            raise ProviderError(f"{url} has no {name}")
        _check_address(endpoint, name)
        return endpoint

    def _json(self, method: str, url: str, **arguments: Any) -> Mapping[str, Any]:
        """Return the JSON object in the reply to a request.

        Args:
            method: HTTP method.
            url: URL of the request.
            arguments: Additional arguments of the HTTP client, such as `data`.

        Raises:
            ProviderError: There is no reply, or the reply is too long or not a JSON object.
        """
        import httpx2

        try:
            with self._client.stream(method, url, headers={"Accept": "application/json"}, **arguments) as reply:
                body = b""
                for part in reply.iter_bytes():
                    body += part
                    if len(body) > _LONGEST_REPLY:
                        raise ProviderError(f"the reply of {_short(url)} is longer than {_LONGEST_REPLY // 1024} kB")
            document = httpx2.Response(reply.status_code, content=body).json() if reply.is_success else None
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, RecursionError) as error:
            raise ProviderError(f"{_short(url)} gives no valid answer: {type(error).__name__}") from error
        if not isinstance(document, Mapping):
            raise ProviderError(f"{_short(url)} replied with {reply.status_code}, expected a JSON object")
        return document


def check_id_token(
    token: str, keys: Mapping[str, Any], settings: ProviderSettings, *, nonce: str, now: datetime
) -> Identity:
    """Return the identity in an ID token after checking the token.

    The checks cover the signature by a key of the provider, the issuer, the audience and authorized party, the expiry
    and other times (with a tolerance of a minute), the nonce, and the subject.

    Raises:
        ProviderError: A check fails; the message names the failure without any part of the token.
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
        decoded = jwt.decode(token, jwk.KeySet.import_key_set(keys), algorithms=list(_ALGORITHMS))  # type: ignore[arg-type]
        claims = CodeIDToken(
            decoded.claims, decoded.header, options=options, params={"nonce": nonce, "client_id": settings.client_id}
        )
        claims.validate(now=int(now.timestamp()), leeway=_LEEWAY_S)
    except (JoseError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ProviderError(f"the identity provider's ID token is not valid: {type(error).__name__}") from error
    subject = claims.get("sub")
    if not isinstance(subject, str) or not 0 < len(subject) <= 255 or not subject.isprintable():
        raise ProviderError("the identity provider's ID token names no subject of 1 to 255 characters")
    return Identity(settings.issuer, subject)


def _check_installed() -> None:
    """Check that Authlib is installed, which signing in through a provider requires.

    Raises:
        PrerequisiteError: Authlib is not installed.
    """
    from importlib.util import find_spec

    if find_spec("authlib") is None or find_spec("joserfc") is None:
        raise PrerequisiteError(
            "signing in by an identity provider needs Authlib, which is not installed: "
            "pip install 'benchwright[oidc]' -c constraints.txt"
        )


def _check_address(address: str, name: str) -> None:
    parts = urlsplit(address)
    is_local = parts.hostname in {"localhost", "127.0.0.1", "::1"}
    if not parts.hostname or (parts.scheme != "https" and not (parts.scheme == "http" and is_local)):
        raise ProviderError(f"{name} is {address[:200]!r}, expected an address that begins with https://")


def _short(address: str) -> str:
    return address.partition("?")[0][:200]
