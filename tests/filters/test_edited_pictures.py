"""Whether single pictures of pairs reveal that they were edited: found if they do, not found otherwise, with the
power.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from edited_pairs import PAIRS, another, blurred, pair_items, paired_release

from benchwright.audit import AuditSettings, audit
from benchwright.audit.checks.guessing import EditedPairs
from benchwright.cli.main import invoke
from benchwright.diagnostics.shortcuts.edited_pictures import (
    EditedPictures,
    PairAnswers,
    asked_whether_edited,
    edited_pictures,
    shown_side,
)
from benchwright.diagnostics.shortcuts.picks import Bounds
from benchwright.source_files.item_files import SourceItem

pytestmark = pytest.mark.slow
pytest.importorskip("sklearn", reason="scikit-learn is not installed")


def looked_at(edit: Any, **more: Any) -> EditedPictures:
    answers = PairAnswers()
    for row in pair_items(edit, **more):
        answers.note(row.item)
    found = edited_pictures(pair_items(edit, **more), answers, seed=1, bounds=Bounds())
    assert found is not None
    return found


@pytest.fixture(scope="module")
def traced() -> EditedPictures:
    return looked_at(blurred)


def test_an_edit_that_leaves_a_trace_is_told_from_single_pictures_it_did_not_learn(traced: EditedPictures) -> None:
    assert traced.tells
    assert (traced.pairs, len(traced.result.table.items)) == (PAIRS, 2 * PAIRS)
    best = traced.result.learned_cues[0]
    assert best.accuracy.value > 0.8
    assert best.accuracy.chance == 0.5
    assert best.family == "pixels"


def test_pictures_without_a_trace_are_told_by_nothing() -> None:
    found = looked_at(another)
    assert not found.tells
    assert found.result.power is not None
    assert found.result.power.items == 2 * PAIRS
    assert found.result.power.could_find is None or found.result.power.could_find < 1


def test_which_questions_it_answers_is_counted(traced: EditedPictures) -> None:
    assert (traced.yes_no, traced.answered) == (2 * PAIRS, PAIRS)
    one_sided = PairAnswers()
    for row in pair_items(blurred, yes_on=("manipulated",)):
        one_sided.note(row.item)
    assert (one_sided.yes_no, one_sided.answered) == (2 * PAIRS, 2 * PAIRS)
    document = json.loads(json.dumps(traced.to_json()))
    assert document["answers"] == {"items": 72, "right": 36, "share": 0.5}
    assert document["result"]["learned_items"] == 72
    assert "36 of 72 yes/no items (50%)" in traced.in_words()


def test_each_picture_is_asked_about_once_a_pair_and_pictures_of_no_pair_never() -> None:
    rows = list(pair_items(another))[:4]
    loose = rows[0]._replace(item=rows[0].item.model_copy(update={"group_keys": ("image:9",)}))
    half = rows[2]
    answers = PairAnswers()
    given = [rows[0], rows[1], rows[0], loose, half]
    for row in given:
        answers.note(row.item)
    assert answers.pairs == {"pair:0"}
    asked = list(asked_whether_edited(iter(given), answers.pairs))
    assert [row.item.answer for row in asked if isinstance(row, SourceItem)] == ["B", "A"]
    assert shown_side(loose.item) is None
    assert edited_pictures(iter([half]), PairAnswers(), seed=1, bounds=Bounds()) is None


def test_the_command_and_the_audit_say_it_of_a_release(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paired_release(tmp_path / "release", blurred)
    out = tmp_path / "page"
    assert invoke(["filter", "shortcuts", str(tmp_path / "release"), "--out", str(out), "--workers", "1"]) == 0
    said = capsys.readouterr().out
    assert f"can a single picture tell that it was edited? {PAIRS} pairs" in said
    assert "is right in 36 of 72 yes/no items (50%)" in said
    assert "they can tell" in (out / "report.html").read_text(encoding="utf-8")
    assert json.loads((out / "report.json").read_text(encoding="utf-8"))["edited_pictures"]["tells"]
    found = audit(tmp_path / "release", tmp_path / "audit", AuditSettings(workers=1), checks=[EditedPairs()])
    [finding] = found.findings
    assert (finding.kind, finding.severity, len(finding.items)) == ("edited_pictures_told", "low", 2 * PAIRS)
    assert "36 of 72 yes/no items" in finding.summary
