"""The paragraph on modes in a card: hardened tasks, tasks that follow the paper, and tasks with only the paper's
mode.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from picture_copies import photograph
from worded_items import item

from benchwright.construction.tasks.jigsaw import Jigsaw
from benchwright.exports.freezing.mode_note import mode_note
from benchwright.exports.freezing.step import Freeze
from benchwright.pipeline import run_steps
from benchwright.release import Release, verify_release


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "words"), [("hardened", "Hardened, so that"), ("paper", "By the paper's rule")])
def test_the_card_says_the_mode_of_a_task(tmp_path: Path, mode: str, words: str) -> None:
    images = tmp_path / "images"
    images.mkdir()
    for name in ("chelsea", "coffee", "astronaut"):
        photograph(name).save(images / f"{name}.png")
    steps = [Jigsaw.model_validate({"mode": mode}), Freeze.model_validate({"name": "tiny", "description": "Pieces."})]
    done = run_steps(steps, images=images, workspace=tmp_path / "w", workers=1)
    release = Release.open(done.workspace / done.artifacts["release"])
    card = (release.path / "README.md").read_text(encoding="utf-8")
    assert f"**Modes.** {words}" in card
    assert f"`jigsaw` ({len(release)})" in card
    assert verify_release(release.path).problems == []


def test_a_task_that_has_the_papers_rule_only_is_named_as_such() -> None:
    items = [item("one", task="iq_test"), item("two", task="jigsaw", attributes={"mode": "hardened"})]
    assert mode_note(items).endswith("One form only exists of `iq_test` (1): the paper's rule.")
    assert mode_note([item("one", task="my_task"), item("two", task="naming")]) == ""
