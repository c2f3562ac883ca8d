"""Drops that curators reverse: pictures return at every filter, nothing is measured again, and undoing drops them
again.

Whatever filter speaks against a picture here is tested, by the same words; one that is new needs one more picture.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw, ImageFont
from reversals import against, restore, row_of, say, tables
from skimage import data

from benchwright.filters.duplicates.exact_duplicates import ExactDuplicates
from benchwright.filters.duplicates.near_duplicates import NearDuplicates
from benchwright.filters.text.text_ratio import TextRatio
from benchwright.pipeline import run_steps
from benchwright.steps import Step

pytestmark = pytest.mark.slow

STEPS: list[Step] = [ExactDuplicates(), NearDuplicates(), TextRatio(max_ratio=0.2)]
NAMES = [step.name for step in STEPS]


@pytest.fixture(scope="module")
def photographs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One picture that is stored twice without loss, one also smaller and recompressed, one that is mostly text."""
    folder = tmp_path_factory.mktemp("photographs")
    cat, cup = Image.fromarray(data.chelsea()), Image.fromarray(data.coffee())
    cat.save(folder / "cat.png")
    cat.save(folder / "cat again.bmp")
    cup.save(folder / "cup.png")
    cup.resize((480, 320)).save(folder / "cup small.jpg", quality=60)
    page = Image.new("RGB", (420, 260), "white")
    pen = ImageDraw.Draw(page)
    for line in range(5):
        pen.text((8, 4 + 50 * line), "Nothing here is as", fill="black", font=ImageFont.load_default(size=42))
    page.save(folder / "page.png")
    Image.fromarray(data.astronaut()).save(folder / "astronaut.png")
    return folder


@pytest.fixture(scope="module")
def first(photographs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace in which all filters have run."""
    workspace = tmp_path_factory.mktemp("first") / "w"
    run_steps(STEPS, images=photographs, workspace=workspace, workers=1)
    return workspace


@pytest.fixture
def workspace(first: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(first, tmp_path / "w"))


@pytest.fixture
def again(workspace: Path, photographs: Path) -> Any:
    return lambda: run_steps(STEPS, images=photographs, workspace=workspace, workers=1)


@pytest.mark.parametrize("step", NAMES)
def test_a_reversed_drop_comes_back_and_keeps_what_the_step_measured_and_said(
    step: str, workspace: Path, again: Any
) -> None:
    found = against(workspace, step)
    assert found, f"no picture here that {step} speaks against"
    before = {one: row_of(workspace, one.stage, one.record_id) for one in found}
    restore(workspace, *(one.record_id for one in found), step=step)
    done = again()
    # Nothing is measured again: what came back is decoded by the filters after this one only. After the last there is
    # none, after near-duplicates one; near-duplicates themselves compare a newcomer with others.
    after = {"text_ratio": 0, "near_duplicates": len(found)}
    assert step not in after or done.decoded <= after[step]
    for one in found:
        row, old = row_of(workspace, one.stage, one.record_id), before[one]
        assert (row["verdict"], row["reason"]) == ("keep", "reversed")
        assert row["evidence"] == {
            **old["evidence"], "overridden": {"verdict": old["verdict"], "reason": one.reason},
        }  # fmt: skip
        common = {"verdict", "reason", "evidence"}
        assert {k: v for k, v in row.items() if k not in common} == {k: v for k, v in old.items() if k not in common}
    report = next(report for report in done.steps if report.name == step)
    assert (report.reversed, report.dropped, report.asked) == (len(found), {}, {})


@pytest.mark.parametrize("step", NAMES)
def test_a_second_run_changes_nothing_and_undoing_drops_again(step: str, workspace: Path, again: Any) -> None:
    before = tables(workspace)
    records = [one.record_id for one in against(workspace, step)]
    restore(workspace, *records, step=step)
    again()
    reversed_ = tables(workspace)
    assert reversed_ != before
    done = again()
    assert (done.executed, done.decoded) == (0, 0)
    assert tables(workspace) == reversed_
    say("filter", "undo", workspace, *records, "--step", step, "--by", "ada")
    again()
    say("gc", workspace)
    assert tables(workspace) == before


def test_only_shards_of_what_was_reversed_are_written_again(workspace: Path, again: Any) -> None:
    [page] = against(workspace, "text_ratio")
    before = tables(workspace)
    restore(workspace, "page.png", step="text_ratio")
    assert again().executed == 1
    changed = {path for path, digest in tables(workspace).items() if before.get(path) != digest}
    [shard] = [Path(path).stem for path in changed if "/markers/" in path]
    assert changed == {
        "tables/text_ratio.judge/current.json",
        f"tables/text_ratio.judge/markers/{shard}.json",
        next(path for path in changed if path.startswith(f"tables/text_ratio.judge/{shard}.outcomes.")),
    }
    assert page.stage == "text_ratio.judge"


def test_the_order_of_decisions_who_made_them_and_detours_leave_no_trace_in_tables(
    first: Path, photographs: Path, tmp_path: Path
) -> None:
    found = [one for step in NAMES for one in against(first, step)]
    made: list[dict[str, str]] = []
    for number, (order, by) in enumerate([(found, "ada"), (found[::-1], "grace")]):
        workspace = Path(shutil.copytree(first, tmp_path / str(number)))
        for one in order:
            restore(workspace, one.record_id[:20], step=one.stage, by=by)
        if by == "grace":
            say("filter", "undo", workspace, found[0].record_id, "--step", found[0].stage, "--by", by)
            run_steps(STEPS, images=photographs, workspace=workspace, workers=2)
            restore(workspace, found[0].record_id, step=found[0].stage, by=by)
        run_steps(STEPS, images=photographs, workspace=workspace, workers=1)
        say("gc", workspace)
        made.append(tables(workspace))
    assert made[0] == made[1]


def test_a_picture_can_be_dropped_by_hand_and_brought_back(workspace: Path, again: Any) -> None:
    before = tables(workspace)
    say("filter", "drop", workspace, "astronaut.png", "--step", "near_duplicates", "--why", "private", "--by", "ada")
    done = again()
    report = next(report for report in done.steps if report.name == "near_duplicates")
    assert report.dropped["by_hand"] == 1
    assert next(report for report in done.steps if report.name == "text_ratio").records == report.kept
    say("filter", "undo", workspace, "astronaut.png", "--by", "ada")
    again()
    say("gc", workspace)
    assert tables(workspace) == before
