"""Streamlit's own files, which a page needs by the hundred: who may have them, and which will be wanted.

They are the same for everybody and hold nothing of ours. They stay behind the gate all the same; but a browser that
opens the page asks for a hundred of them within a second, and for half of these only once it has run the other half.
So a session that was open a moment ago is not looked up for each, and the page tells the browser at once what it will
need.
"""

from __future__ import annotations

import re
import time
from functools import cache
from pathlib import Path

from ...store import Account

STATIC = "/static/"
GOOD_FOR_S = 5.0
"""Whoever has signed out gets Streamlit's files for so long, and nothing else."""
_MOST = 1000
_WANTED = ("Html", "Selectbox", "Progress", "BidiComponent")
"""Parts of Streamlit's page that the review page has, and that are loaded once they are drawn."""
_IMPORTED = re.compile(r'(?:\bfrom|\bimport)\s*"\./([\w.-]+\.js)"')


class RecentSessions:
    """Whose session was open a moment ago, by token. For one event loop."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Account, float]] = {}

    def find(self, token: str | None, path: str) -> Account | None:
        """Return who a token belonged to, where that is enough for a path."""
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
    """Return the header `Link` that names the scripts which the page will want; empty where there are none such."""
    import streamlit

    root = Path(streamlit.__file__).parent / "static"
    names = _with_imports(root / "static" / "js") - set(re.findall(r"js/([\w.-]+\.js)", _text(root / "index.html")))
    return ", ".join(f"<{STATIC}js/{name}>; rel=modulepreload" for name in sorted(names))


def _with_imports(folder: Path) -> set[str]:
    """Return the scripts that are wanted, and all that these import."""
    waiting = [path.name for part in _WANTED for path in folder.glob(f"{part}.*.js")]
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in found and (folder / name).is_file():
            found.add(name)
            waiting += _IMPORTED.findall(_text(folder / name))
    return found


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""
