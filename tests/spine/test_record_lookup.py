"""The evidence that commands print stays readable, however much a step states."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchwright.workspace import record_lookup
from benchwright.workspace.record_lookup import RecordNames
from benchwright.workspace.workspace import Workspace


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param("A cup on a table, " * 40, "A cup on a table, " * 40, id="prose-of-any-length"),
        pytest.param("x" * 101, "(101 characters)", id="packed-features"),
        pytest.param([1, {"a": "b"}], "[1, {a: b}]", id="short-list"),
        pytest.param({"outlines": [[10, 20]] * 60}, "{outlines: (600 characters)}", id="outlines"),
        pytest.param('[{"name": "cup"}]', '[{"name": "cup"}]', id="few-facts"),
        pytest.param('[{"name": "cup"}, ' * 30, "(540 characters)", id="many-facts"),
    ],
)
def test_long_structures_are_given_by_their_length(
    value: Any, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_lookup, "_columns", lambda *_: iter(()))  # a workspace without records
    assert RecordNames(Workspace.create(tmp_path / "work")).spelled(value) == text
