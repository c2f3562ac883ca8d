"""An identity provider's answer is believed only if all of it holds.

- The address for the browser carries state, nonce and a PKCE challenge; the code is redeemed with its verifier.
- An ID token of another issuer, for another client, expired, from the future, with another nonce, unsigned, signed by
  another key or by the client's own secret: refused, and nothing of it is repeated.
- A provider that does not answer, sends too much, names another issuer or is asked without HTTPS: refused with a
  message.
"""

from __future__ import annotations

import hmac
import json
from base64 import urlsafe_b64encode
from collections.abc import Callable
from datetime import datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from joserfc import jwk, jwt

from benchwright.annotation.app.security.identity_provider import (
    IdentityProvider,
    ProviderError,
    ProviderSettings,
    check_id_token,
    new_flow,
)
from benchwright.annotation.store.accounts.accounts import Identity

ISSUER = "https://id.example.org"
SETTINGS = ProviderSettings(ISSUER, "benchwright", "a secret of the client", "https://review.example.org/oidc/back")
KEY = jwk.RSAKey.generate_key(2048, {"kid": "1"})
OTHER = jwk.RSAKey.generate_key(2048, {"kid": "1"})
DISCOVERY = {
    "issuer": ISSUER, "authorization_endpoint": f"{ISSUER}/authorize?tenant=a", "token_endpoint": f"{ISSUER}/token",
    "jwks_uri": f"{ISSUER}/keys",
}  # fmt: skip


def keys(key: Any = KEY) -> dict[str, Any]:
    return {"keys": [key.as_dict(private=False)]}


def claims(now: datetime, **changed: Any) -> dict[str, Any]:
    at = int(now.timestamp())
    found = {"iss": ISSUER, "aud": "benchwright", "sub": "u-1", "nonce": "n", "iat": at, "exp": at + 300, **changed}
    return {name: value for name, value in found.items() if value is not ...}


def signed(said: dict[str, Any], *, key: Any = KEY, algorithm: str = "RS256") -> str:
    return jwt.encode({"alg": algorithm, "kid": "1"}, said, key, algorithms=[algorithm])


def test_a_token_that_holds_names_issuer_and_subject(now: datetime) -> None:
    token = signed(claims(now, email="ann@example.org", name="<b>"))
    assert check_id_token(token, keys(), SETTINGS, nonce="n", now=now) == Identity(ISSUER, "u-1")
    several = signed(claims(now, aud=["benchwright", "other"], azp="benchwright"))
    assert check_id_token(several, keys(), SETTINGS, nonce="n", now=now) == Identity(ISSUER, "u-1")


AT = int(datetime.fromisoformat("2026-03-01T12:00:00+00:00").timestamp())
WRONG: dict[str, dict[str, Any]] = {
    "another issuer": {"iss": "https://id.example.com"},
    "issuer with a slash": {"iss": ISSUER + "/"},
    "no issuer": {"iss": ...},
    "another client": {"aud": "someone"},
    "no audience": {"aud": ...},
    "several audiences, no party": {"aud": ["benchwright", "other"]},
    "another party": {"azp": "other"},
    "expired": {"exp": AT - 61},
    "no expiry": {"exp": ...},
    "expiry as text": {"exp": "tomorrow"},
    "from the future": {"iat": AT + 3600},
    "not yet": {"nbf": AT + 3600},
    "another nonce": {"nonce": "m"},
    "no nonce": {"nonce": ...},
    "nonce a list": {"nonce": ["n"]},
    "no subject": {"sub": ...},
    "empty subject": {"sub": ""},
    "subject a number": {"sub": 1},
    "long subject": {"sub": "x" * 256},
    "null in the subject": {"sub": "a\0b"},
    "line in the subject": {"sub": "a\nb"},
}


@pytest.mark.parametrize("changed", WRONG.values(), ids=WRONG)
def test_a_token_that_says_something_else_is_refused(now: datetime, changed: dict[str, Any]) -> None:
    with pytest.raises(ProviderError, match="ID token") as refused:
        check_id_token(signed(claims(now, **changed)), keys(), SETTINGS, nonce="n", now=now)
    assert "u-1" not in str(refused.value)


def unsigned(said: dict[str, Any]) -> str:
    return ".".join([spelled(b'{"alg":"none"}'), signed(said).split(".")[1], ""])


def signed_by_secret(said: dict[str, Any], secret: bytes) -> str:
    told = ".".join([spelled(b'{"alg":"HS256","kid":"1"}'), signed(said).split(".")[1]])
    return f"{told}.{spelled(hmac.digest(secret, told.encode(), 'sha256'))}"


def spelled(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


FORGED: dict[str, Callable[[dict[str, Any]], str]] = {
    "another key": lambda said: signed(said, key=OTHER),
    "no signature": unsigned,
    "cut": lambda said: signed(said).rpartition(".")[0] + ".",
    "the client's secret": lambda said: signed(
        said, key=jwk.OctKey.import_key("a secret of the client" * 2, {"kid": "1"}), algorithm="HS256"
    ),
    "the public key as a secret": lambda said: signed_by_secret(said, KEY.as_pem(private=False)),
    "no token": lambda said: "x" * 40,
    "dots": lambda said: "..",
    "empty": lambda said: "",
    "deep": lambda said: "[" * 5000,
}


@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED)
@pytest.mark.filterwarnings("ignore:This key may not be safe")
def test_a_token_that_the_provider_did_not_sign_is_refused(
    now: datetime, forge: Callable[[dict[str, Any]], str]
) -> None:
    with pytest.raises(ProviderError, match="is not valid"):
        check_id_token(forge(claims(now)), keys(), SETTINGS, nonce="n", now=now)


@pytest.mark.parametrize("broken", [{}, {"keys": []}, {"keys": "x"}, {"keys": [{}]}, {"keys": [{"kty": "RSA"}]}])
def test_keys_that_are_none_hold_nothing(now: datetime, broken: dict[str, Any]) -> None:
    with pytest.raises(ProviderError, match="is not valid"):
        check_id_token(signed(claims(now)), broken, SETTINGS, nonce="n", now=now)


class Provider:
    """A provider in this process, which keeps its requests and redeems a code only with its verifier."""

    def __init__(self, now: datetime, **discovery: Any) -> None:
        self.now, self.discovery, self.asked = now, DISCOVERY | discovery, []
        self.challenge = self.nonce = ""

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.asked.append(request)
        if request.url.path.endswith("openid-configuration"):
            return httpx2.Response(200, json=self.discovery)
        if request.url.path == "/keys":
            return httpx2.Response(200, json=keys())
        form = parse_qs(request.content.decode())
        if create_s256_code_challenge(form["code_verifier"][0]) != self.challenge:
            return httpx2.Response(400, json={"error": "invalid_grant"})
        return httpx2.Response(200, json={"id_token": signed(claims(self.now, nonce=self.nonce))})


def asking(
    answer: Callable[[httpx2.Request], httpx2.Response], settings: ProviderSettings = SETTINGS
) -> IdentityProvider:
    return IdentityProvider(settings, client=httpx2.Client(transport=httpx2.MockTransport(answer)))


def test_a_code_is_redeemed_with_the_verifier_of_the_flow_that_asked_for_it(now: datetime) -> None:
    provider, flow = Provider(now), new_flow()
    asked = asking(provider)
    where = urlsplit(asked.address(flow))
    query = {name: values[0] for name, values in parse_qs(where.query).items()}
    assert query == {
        "tenant": "a", "response_type": "code", "scope": "openid", "client_id": "benchwright", "state": flow.state,
        "nonce": flow.nonce, "redirect_uri": SETTINGS.redirect_uri, "code_challenge_method": "S256",
        "code_challenge": create_s256_code_challenge(flow.verifier),
    }  # fmt: skip
    provider.challenge, provider.nonce = query["code_challenge"], query["nonce"]
    assert asked.identity("code", flow, now=now) == Identity(ISSUER, "u-1")
    sent = next(request for request in provider.asked if request.url.path == "/token")
    assert sent.headers["authorization"].startswith("Basic ")
    assert b"secret" not in sent.content
    with pytest.raises(ProviderError, match="replied with 400"):
        asked.identity("code", new_flow(), now=now)


def test_a_client_without_a_secret_names_itself(now: datetime) -> None:
    provider, flow = Provider(now), new_flow()
    asked = asking(provider, SETTINGS.__class__(ISSUER, "benchwright", None, SETTINGS.redirect_uri))
    provider.challenge, provider.nonce = create_s256_code_challenge(flow.verifier), flow.nonce
    asked.identity("code", flow, now=now)
    sent = next(request for request in provider.asked if request.url.path == "/token")
    assert "authorization" not in sent.headers
    assert b"client_id=benchwright" in sent.content


def refuse(request: httpx2.Request) -> httpx2.Response:
    raise httpx2.ConnectError("no route")


BAD_PROVIDERS: dict[str, tuple[Callable[[httpx2.Request], httpx2.Response], str]] = {
    "unreachable": (refuse, "no valid answer"),
    "an error": (lambda request: httpx2.Response(500), "replied with 500"),
    "a redirect": (lambda request: httpx2.Response(302, headers={"location": "https://x.example"}), "replied with 302"),
    "no JSON": (lambda request: httpx2.Response(200, text="<html>"), "no valid answer"),
    "a list": (lambda request: httpx2.Response(200, json=[1]), "a JSON object"),
    "deep": (lambda request: httpx2.Response(200, text="[" * 100_000), "no valid answer"),
    "too much": (lambda request: httpx2.Response(200, text="x" * 300_000), "256 kB"),
    "another issuer": (lambda request: httpx2.Response(200, json=DISCOVERY | {"issuer": "https://x.example"}), "exactly"),
    "no endpoint": (lambda request: httpx2.Response(200, json={"issuer": ISSUER}), "has no authorization_endpoint"),
    "an open endpoint": (
        lambda request: httpx2.Response(200, json=DISCOVERY | {"authorization_endpoint": "http://x.example/"}), "https://",
    ),
    "a script": (
        lambda request: httpx2.Response(200, json=DISCOVERY | {"authorization_endpoint": "javascript:alert(1)"}), "https://",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("answer", "said"), BAD_PROVIDERS.values(), ids=BAD_PROVIDERS)
def test_a_provider_that_is_none_is_refused_in_words(
    answer: Callable[[httpx2.Request], httpx2.Response], said: str
) -> None:
    with pytest.raises(ProviderError, match=said):
        asking(answer).address(new_flow())


@pytest.mark.parametrize("issuer", ["http://id.example.org", "id.example.org", "file:///etc/passwd", ""])
def test_a_provider_is_asked_over_https_only(issuer: str) -> None:
    with pytest.raises(ProviderError, match="https://"):
        IdentityProvider(SETTINGS.__class__(issuer, "a", None, "b"))


def test_flows_are_long_and_never_the_same() -> None:
    flows = [new_flow() for _ in range(50)]
    values = [value for flow in flows for value in flow]
    assert len(set(values)) == 150
    assert {len(value) for value in values} == {43}
    assert json.loads(json.dumps(flows[0])) == list(flows[0])
