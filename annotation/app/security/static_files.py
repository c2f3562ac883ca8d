"""Streamlit's own static files: which sessions get them without a lookup, and which files to preload.

The files are the same for everybody and hold no data of the app, but need a session like everything else. A browser
that opens the page requests a hundred of them within a second, half of these only after it has run the other half. So
a session that was open a moment ago is not looked up for each file, and the page tells the browser at once which files
it will need.
"""

from __future__ import annotations

import re
import time
from functools import cache
from pathlib import Path

from ...store import Account

STATIC = "/static/"
GOOD_FOR_S = 5.0
"""Seconds for which an ended session still gets Streamlit's files, and nothing else."""
_MOST = 1000
_PRELOADED = ("Html", "Selectbox", "Progress", "BidiComponent")
"""Parts of Streamlit's page that the review page uses, and that are otherwise loaded only when they are drawn."""
_IMPORTED = re.compile(r'(?:\bfrom|\bimport)\s*"\./([\w.-]+\.js)"')


class RecentSessions:
    """Accounts whose sessions were open a moment ago, by token. Not thread-safe."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Account, float]] = {}

    def find(self, token: str | None, path: str) -> Account | None:
        """Return the account that a token belonged to a moment ago; None for paths that are no static files."""
        if token is None or not path.startswith(STATIC) or ".." in path:
            return None
        account, until = self._known.get(token, (None, 0.0))
        return account if until > time.monotonic() else None

    def note(self, token: str | None, account: Account | None) -> None:
        """Remember an open session for a moment."""
        if token is None or account is None:
            return
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[token] = account, time.monotonic() + GOOD_FOR_S


@cache
def preloads() -> str:
    """Return the `Link` header that names the scripts which the page will need; empty where there are none."""
    import streamlit

    root = Path(streamlit.__file__).parent / "static"
    names = _with_imports(root / "static" / "js") - set(re.findall(r"js/([\w.-]+\.js)", _text(root / "index.html")))
    return ", ".join(f"<{STATIC}js/{name}>; rel=modulepreload" for name in sorted(names))


def _with_imports(folder: Path) -> set[str]:
    """Return the scripts of `_PRELOADED`, and all scripts that these import."""
    waiting = [path.name for part in _PRELOADED for path in folder.glob(f"{part}.*.js")]
    scripts: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in scripts and (folder / name).is_file():
            scripts.add(name)
            waiting += _IMPORTED.findall(_text(folder / name))
    return scripts


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""
