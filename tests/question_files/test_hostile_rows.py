"""Reading any JSON file yields questions and refusals, or an error that names the fault."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings

from benchwright.errors import BenchwrightError
from benchwright.question_files.item_check import read_questions
from benchwright.question_files.mapping.columns import FIELDS

pytestmark = pytest.mark.slow

_TEXTS = st.sampled_from(
    ["", "A", "(B)", "x", "yes", "hidden", "../../etc/passwd", "<image 1>", "<image 99>", "['a','b']", "{'a':1}", "[1,[2]]",
     "A. x\nB. y", "(a) p (b) q", "\ud800", "a\0b", "data:image/png;base64,AAAA", "Q" * 70, "['", "12", "test_Art_1", "1__2"]
)  # fmt: skip
_NAMES = st.sampled_from(
    [*sorted({name for names in FIELDS.values() for name in names[:3]}), "A", "B", "image_1", "image_2", "n_options",
     "attributes", "metadata", "output", "model_id", "image_id"]
)  # fmt: skip
_VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-2, 10**20), st.floats(), _TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_NAMES, inner, max_size=4)),
    max_leaves=12,
)
_ASKED = st.fixed_dictionaries(
    {}, optional={"question": st.one_of(st.just("What?"), _VALUES), "answer": _VALUES,
                  "options": st.one_of(st.just(["x", "y"]), _VALUES), "canary": _VALUES, "item_id": _VALUES},
)  # fmt: skip
_ROWS = st.builds(lambda more, asked: more | asked, st.dictionaries(_NAMES, _VALUES, max_size=6), _ASKED)
_VOTES = st.fixed_dictionaries({}, optional={
    "result": st.one_of(_VALUES, st.lists(st.fixed_dictionaries({"from_name": _VALUES, "value": st.one_of(
        _VALUES, st.fixed_dictionaries({"choices": _VALUES}))}), max_size=2)), "was_cancelled": _VALUES})  # fmt: skip
_TASKS = st.fixed_dictionaries(
    {"id": _VALUES, "data": st.one_of(_ROWS, _VALUES)},
    optional={"annotations": st.one_of(_VALUES, st.lists(_VOTES, max_size=3)), "meta": _VALUES},
)
_ENTRIES = st.lists(st.one_of(_ROWS, _TASKS, _VALUES), min_size=1, max_size=4)
_DOCUMENTS = st.one_of(
    _ENTRIES, st.dictionaries(st.sampled_from(["val", "questions", "annotations", "images", "a", "b"]), st.one_of(_ENTRIES, _VALUES))
)  # fmt: skip


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_DOCUMENTS, st.booleans())
def test_rows_of_any_content_end_as_questions_or_refusals(document: Any, as_lines: bool) -> None:
    with TemporaryDirectory() as folder, suppress(BenchwrightError):
        if as_lines and isinstance(document, list):
            text = "".join(json.dumps(row) + "\n" for row in document)
            (Path(folder) / "q.jsonl").write_text(text, encoding="utf-8")
        else:
            (Path(folder) / "q.json").write_text(json.dumps(document), encoding="utf-8")
        with read_questions(Path(folder)) as read:
            entries = list(read.index.questions())
            assert all(entry.outcome is not None for entry in entries)  # there is no picture at all
            assert all(
                entry.item_for_texts() is not None for entry in entries if entry.question.options and entry.question.ask
            )
            assert sum(read.left_out.values()) == len(list(read.refused())) >= len(entries)
            models = {reply.model for reply in read.index.replies()}
            assert models == read.index.counts().replies.keys()
