"""What every answer tells a browser: load, run and frame nothing from elsewhere."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from .cookies import Cookies

HALF_A_YEAR_S = 15_552_000
_INLINE = re.compile(rb"<script>(.*?)</script>", re.DOTALL)
_DOORS = {
    "default-src": "'none'", "style-src": "'unsafe-inline'", "img-src": "data:", "base-uri": "'none'",
    "form-action": "'self'", "frame-ancestors": "'none'",
}  # fmt: skip
"""For the pages outside Streamlit, which hold no script and no picture."""


def headers_of(cookies: Cookies) -> Mapping[str, str]:
    """Return the headers of every answer; behind HTTPS also that this host is to be asked no other way."""
    headers = {
        "Content-Security-Policy": _written(_of_app()),
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
    if cookies.is_secure:
        headers["Strict-Transport-Security"] = f"max-age={HALF_A_YEAR_S}"
    return headers


def door_policy() -> str:
    """Return the content policy of a page that runs and loads nothing at all."""
    return _written(_DOORS)


def _of_app() -> dict[str, str]:
    """Return the policy of Streamlit's pages, which need inline styles, and components of ours from blobs.

    Of scripts in a page only those run that Streamlit's own page brings, known by their hashes: one that slipped into a
    text would not.
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


@cache
def inline_scripts() -> tuple[str, ...]:
    """Return the hashes of the scripts within Streamlit's page, as a policy names them."""
    import streamlit

    page = Path(streamlit.__file__).parent / "static" / "index.html"
    digests = [hashlib.sha256(script).digest() for script in _INLINE.findall(page.read_bytes())]
    return tuple(f"'sha256-{b64encode(digest).decode()}'" for digest in digests)


def _written(policy: Mapping[str, str]) -> str:
    return "; ".join(f"{name} {sources}" for name, sources in policy.items())
