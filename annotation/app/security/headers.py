"""Headers of every response, which prevent browsers from loading, running or framing anything from other sites."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

from .cookies import Cookies

_HALF_A_YEAR_S = 15_552_000
_SIGN_IN_POLICY = {
    "default-src": "'none'",
    "style-src": "'unsafe-inline'",
    "img-src": "data:",
    "font-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}
"""Content policy of the pages outside Streamlit, which have no scripts or pictures.

Browsers prefetch files that any directive allows. So these pages may fetch the app's files but run none of them.
"""


def headers_of(cookies: Cookies) -> Mapping[str, str]:
    """Return the headers of every response; over HTTPS, also the header that forbids plain HTTP to this host."""
    headers = {
        "Content-Security-Policy": _policy_text(_app_policy()),
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
    if cookies.is_secure:
        headers["Strict-Transport-Security"] = f"max-age={_HALF_A_YEAR_S}"
    return headers


def sign_in_policy() -> str:
    """Return the content policy of the sign-in pages, which run no scripts."""
    return _policy_text(_SIGN_IN_POLICY)


def _app_policy() -> dict[str, str]:
    """Return the policy for Streamlit's pages, which need inline styles and load this package's components from blobs.

    Only the inline scripts of Streamlit's own page, identified by their hashes, may run. A script injected into a text
    would not run.
    """
    return {
        "default-src": "'self'",
        "script-src": " ".join(["'self'", *inline_scripts(), "'wasm-unsafe-eval'", "blob:"]),
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "connect-src": "'self'",
        "object-src": "'none'",
        "base-uri": "'self'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
    }


class _InlineScripts(HTMLParser):
    """Collects the texts of a page's scripts that have no `src`."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts: list[str] = []
        self._is_inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._is_inside = tag == "script" and "src" not in dict(attrs)
        if self._is_inside:
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._is_inside = self._is_inside and tag != "script"

    def handle_data(self, data: str) -> None:
        if self._is_inside:
            self.scripts[-1] += data


@cache
def inline_scripts() -> tuple[str, ...]:
    """Return the hashes of the inline scripts of Streamlit's page, in the notation of a content policy."""
    import streamlit

    page = Path(streamlit.__file__).parent / "static" / "index.html"
    parser = _InlineScripts()
    parser.feed(page.read_text(encoding="utf-8"))
    digests = [hashlib.sha256(script.encode()).digest() for script in parser.scripts]
    return tuple(f"'sha256-{b64encode(digest).decode()}'" for digest in digests)


def _policy_text(policy: Mapping[str, str]) -> str:
    return "; ".join(f"{name} {sources}" for name, sources in policy.items())
