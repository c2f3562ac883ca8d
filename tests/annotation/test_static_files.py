"""Streamlit's files: given for a moment to whoever had a session; nothing else is."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from benchwright.annotation.app import SCRIPT
from benchwright.annotation.app.security import RecentSessions, static_files
from benchwright.annotation.store import Account

ANN = Account(
    1, "ann", "annotator", is_taken_up=True, is_disabled=False, invited_until=None, created_at=datetime.now(UTC)
)


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
