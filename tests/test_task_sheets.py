"""The contact sheets of BLINK's tasks: drawn by the script, small, and all shown on their page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import task_sheets
from conftest import ROOT
from PIL import Image

DRAWN = ROOT / "docs" / "images" / "tasks"
TASKS = {*task_sheets.TASKS, *task_sheets.PICTURE_TASKS, *task_sheets.GENERATED_TASKS, "forensic_detection"}


def test_every_task_has_a_sheet_and_its_page_shows_it() -> None:
    page = (ROOT / "docs" / "blink-tasks.md").read_text(encoding="utf-8")
    assert {path.stem for path in DRAWN.iterdir()} == TASKS
    for task in TASKS:
        assert f"images/tasks/{task}.jpg" in page
        assert f"reference/steps-construction.md#{task}" in page
        assert (DRAWN / f"{task}.jpg").stat().st_size <= task_sheets.MOST_BYTES


@pytest.mark.slow
def test_a_sheet_of_puzzles_has_the_items_that_it_is_to_have_and_stays_small(tmp_path: Path) -> None:
    puzzles = {"step": "pattern_puzzles", "puzzles": task_sheets.ITEMS_PER_TASK}
    steps = [puzzles, {"step": "iq_test", **task_sheets.GENERATED_TASKS["iq_test"]}]
    release = task_sheets.release_of("puzzles", steps, tmp_path / "w", folder=tmp_path)
    (tmp_path / "sheets").mkdir()
    task_sheets.draw_sheets(
        release, tmp_path / "sheets", per_task=task_sheets.ITEMS_PER_TASK, most_bytes=task_sheets.MOST_BYTES
    )
    [path] = (tmp_path / "sheets").iterdir()
    assert path.name == "iq_test.jpg"
    assert path.stat().st_size <= task_sheets.MOST_BYTES
    with Image.open(path) as sheet:
        assert sheet.width > 700


@pytest.mark.thorough
def test_the_script_draws_every_sheet_with_the_items_that_the_table_states(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    task_sheets.main(tmp_path)
    assert {path.stem for path in tmp_path.iterdir()} == TASKS
    items = {Path(line.split()[-1]).stem: int(line.split()[0]) for line in capsys.readouterr().out.splitlines()}
    assert items == dict.fromkeys(TASKS, task_sheets.ITEMS_PER_TASK)
    for path in tmp_path.iterdir():
        assert path.stat().st_size <= task_sheets.MOST_BYTES
        with Image.open(path) as sheet:
            assert sheet.width > 700


def test_a_photograph_has_the_same_licence_in_all_rows_of_the_table() -> None:
    stated: dict[str, set[str | None]] = {}
    for line in task_sheets.TABLE.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        for picture in row.get("images", [row]):
            stated.setdefault(picture["image"], set()).add(picture.get("licence"))
    assert {name for name, licences in stated.items() if len(licences) > 1} == set()
