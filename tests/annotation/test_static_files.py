"""Streamlit's files: told to the browser at once, and given for a moment to whoever had a session; nothing else is."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchwright.annotation.app import SCRIPT
from benchwright.annotation.app.security import RecentSessions, preloads, static_files
from benchwright.annotation.store import Account

ANN = Account(
    1, "ann", "annotator", is_taken_up=True, is_disabled=False, invited_until=None, created_at=datetime.now(UTC)
)


def test_what_the_page_will_want_is_there_and_not_what_it_names_itself() -> None:
    named = re.findall(r"</static/js/([^>]+)>; rel=modulepreload", preloads())
    root = Path(pytest.importorskip("streamlit").__file__).parent / "static"
    assert named
    assert all((root / "static" / "js" / name).is_file() for name in named)
    assert {"BidiComponent", "Progress", "Html", "Selectbox"} <= {name.partition(".")[0] for name in named}
    assert not any(name in (root / "index.html").read_text(encoding="utf-8") for name in named)


@pytest.mark.parametrize("path", ["/", "/pictures/1/0", "/_stcore/stream", "/static", "/static/../people"])
def test_only_static_files_are_given_without_another_look(path: str) -> None:
    lately = RecentSessions()
    lately.note("token", ANN)
    assert lately.find("token", "/static/js/index.js") == ANN
    assert lately.find("token", path) is None
    assert lately.find("another", "/static/js/index.js") is None
    assert lately.find(None, "/static/js/index.js") is None


def test_a_session_is_looked_up_again_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    lately = RecentSessions()
    lately.note("token", ANN)
    later = time.monotonic() + static_files.GOOD_FOR_S
    monkeypatch.setattr(static_files.time, "monotonic", lambda: later)
    assert lately.find("token", "/static/js/index.js") is None


def test_nobody_is_noted_who_has_no_session() -> None:
    lately = RecentSessions()
    lately.note("token", None)
    lately.note(None, ANN)
    assert lately.find("token", "/static/js/index.js") is None


def test_no_folder_of_pages_lies_beside_the_script_for_streamlit_to_serve_by_itself() -> None:
    assert SCRIPT.is_file()
    assert not (SCRIPT.parent / "pages").exists()
