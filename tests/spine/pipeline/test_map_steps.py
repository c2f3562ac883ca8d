"""Map steps under the engine: one outcome per record whatever a step does, and no work done twice."""

from __future__ import annotations

import re
from pathlib import Path

import click
import numpy as np
import pytest
from odd_steps import Batched, CostlyDiary, Deadly, Diary, FewTogether, Memory, Pairs, Raising, Width, WidthTold
from PIL import Image

from benchwright.cli.run import end_with_lost
from benchwright.errors import PrerequisiteError, StepError
from benchwright.pipeline import run_recipe, run_steps
from benchwright.recipe import Recipe
from benchwright.steps import Step
from benchwright.workspace.run_results import FinishedRun, failures_of, lost_in

pytestmark = pytest.mark.workers

WIDTHS = (31, 40, 52, 67, 71, 88, 93)


@pytest.fixture
def images(tmp_path: Path) -> Path:
    """Seven images, told apart by their widths."""
    folder = tmp_path / "images"
    folder.mkdir()
    for width in WIDTHS:
        pixels = np.random.default_rng(width).integers(0, 256, (23, width, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(folder / f"{width}.png")
    return folder


def _run(images: Path, workspace: Path, *steps: Step) -> FinishedRun:
    return run_steps(steps, images=images, workspace=workspace, workers=1)


def _by_width(finished: FinishedRun, stage: str) -> dict[int, tuple[str, str | None]]:
    widths = {record.image_id: record.width for record in finished.images()}
    rows = finished.outcomes(stage)
    return dict(sorted((widths[row["record_id"]], (row["verdict"], row["reason"])) for row in rows))


def test_a_record_that_ends_its_worker_is_failed_and_every_other_is_kept(images: Path, tmp_path: Path) -> None:
    finished = _run(images, tmp_path / "w", Deadly(width=52))
    assert _by_width(finished, "deadly") == {
        width: ("failed", "worker_died") if width == 52 else ("keep", None) for width in WIDTHS
    }


def test_a_defect_on_some_records_is_their_outcome_and_is_tried_again_next_time(images: Path, tmp_path: Path) -> None:
    finished = _run(images, tmp_path / "w", Raising(wider_than=70))
    assert finished.steps[1].dropped == {"step_error": 3}
    again = _run(images, tmp_path / "w", Raising(wider_than=70))
    assert again.executed > 0


def test_a_defect_on_every_record_ends_the_run_with_an_error(images: Path, tmp_path: Path) -> None:
    with pytest.raises(StepError, match="'raising' raised an error on every one of 7 images"):
        _run(images, tmp_path / "w", Raising())


def test_what_the_user_must_mend_ends_the_run_with_its_own_words(images: Path, tmp_path: Path) -> None:
    with pytest.raises(PrerequisiteError, match="the weights of raising are not here"):
        _run(images, tmp_path / "w", Raising(wider_than=70, prerequisite=True))


def test_a_batch_is_handed_over_whole_and_one_that_raises_is_run_record_by_record(images: Path, tmp_path: Path) -> None:
    whole = _run(images, tmp_path / "a", Batched())
    batches = [row["batch"] for row in whole.outcomes("batched")]
    assert max(batches) > 1
    single = _run(images, tmp_path / "b", Batched(max_width=80))
    assert single.steps[1].dropped == {"too_wide": 2}
    assert _by_width(single, "batched")[71] == ("keep", None)


def test_a_step_gets_as_many_together_as_it_wants_and_what_it_did_before_an_interruption_is_kept(
    images: Path, tmp_path: Path
) -> None:
    diary, stop = tmp_path / "diary.txt", tmp_path / "stop"
    recipe = Recipe("few", [FewTogether(lines=str(diary))], shards=1)
    stop.touch()
    with pytest.raises(PrerequisiteError):
        run_recipe(recipe, images=images, workspace=tmp_path / "w", workers=1)
    assert diary.read_text().split() == ["2"]
    stop.unlink()
    run_recipe(recipe, images=images, workspace=tmp_path / "w", workers=1)
    assert diary.read_text().split() == ["2", "2", "2", "1"]


def test_a_record_too_large_for_a_devices_memory_is_failed_and_every_other_is_kept(
    images: Path, tmp_path: Path
) -> None:
    finished = _run(images, tmp_path / "w", Memory(max_width=80))
    assert finished.steps[1].dropped == {"out_of_memory": 2}
    assert finished.steps[1].kept == 5


def test_a_costly_step_that_was_killed_goes_on_with_the_next_record(images: Path, tmp_path: Path) -> None:
    diary = tmp_path / "diary.txt"
    _run(images, tmp_path / "w", CostlyDiary(lines=str(diary), kill_once_at=4))
    lines = diary.read_text().split()
    assert len(lines) == len(WIDTHS) + 1  # the record that was under way, and no other, ran twice
    assert len(set(lines)) == len(WIDTHS)
    assert not list((tmp_path / "w" / "journal").rglob("*.jsonl"))


def test_a_record_met_before_is_not_run_again_though_its_shard_is(images: Path, tmp_path: Path) -> None:
    diary = tmp_path / "diary.txt"
    _run(images, tmp_path / "w", Diary(lines=str(diary)))
    for width in range(100, 130):  # enough to touch every shard that the others are in
        Image.fromarray(np.full((19, width, 3), width, np.uint8)).save(images / f"{width}.png")
    again = _run(images, tmp_path / "w", Diary(lines=str(diary)))
    lines = diary.read_text().split()
    assert len(lines) == len(set(lines)) == len(WIDTHS) + 30
    assert again.decoded == 30


def test_a_new_threshold_measures_nothing_again(images: Path, tmp_path: Path) -> None:
    diary = tmp_path / "diary.txt"
    first = _run(images, tmp_path / "w", Width(at_most=50, diary=str(diary)))
    again = _run(images, tmp_path / "w", Width(at_most=70, diary=str(diary)))
    assert (first.steps[1].kept, again.steps[1].kept) == (2, 4)
    assert len(diary.read_text().split()) == len(WIDTHS)


def test_a_costly_filter_keeps_its_evidence_and_goes_on_where_it_was_killed(images: Path, tmp_path: Path) -> None:
    diary = tmp_path / "diary.txt"
    finished = _run(images, tmp_path / "w", WidthTold(at_most=60, diary=str(diary), kill_once_at=4))
    assert len(diary.read_text().split()) == len(WIDTHS) + 1
    rows = list(finished.outcomes("width_told.measure"))
    assert sorted(tuple(row["evidence"]["sides"]) for row in rows) == [(width, 23) for width in WIDTHS]
    assert {row["wide"] for row in rows} == set(WIDTHS)
    assert finished.steps[1].kept == 3


def test_consecutive_steps_share_one_decode(images: Path, tmp_path: Path) -> None:
    steps = Diary(lines=str(tmp_path / "a.txt")), CostlyDiary(lines=str(tmp_path / "b.txt"))
    assert _run(images, tmp_path / "w", *steps).decoded == len(WIDTHS)


def test_a_gather_step_proposes_pairs_and_a_map_step_sees_the_pixels_of_both(images: Path, tmp_path: Path) -> None:
    rows = list(_run(images, tmp_path / "w", Pairs()).outcomes("pairs.confirm"))
    assert sorted(row["width"] for row in rows) == sorted(row["partner_width"] for row in rows) == list(WIDTHS)
    assert all(row["width"] != row["partner_width"] for row in rows)


def test_counts_of_every_step_add_up(images: Path, tmp_path: Path) -> None:
    finished = _run(images, tmp_path / "w", Deadly(width=93), Width(at_most=60, diary=str(tmp_path / "d")))
    for step in finished.steps:
        assert step.records == step.kept + sum(step.dropped.values())
    assert [step.kept for step in finished.steps] == [7, 6, 3]


@pytest.mark.parametrize(
    ("step", "exit_code", "error"),
    [
        (
            Raising(wider_than=70),
            3,
            r"raising lost 3 to step_error, first 71\.png: KeyError: \d+ \(odd_steps\.py:\d+\)",
        ),
        (Deadly(width=52), 3, r"deadly lost 1 to worker_died, first 52\.png: .*SIGSEGV"),
        (Memory(max_width=80), 1, r"memory lost 2 to out_of_memory, first 88\.png"),
    ],
    ids=["exception", "death", "memory"],
)
def test_records_lost_to_errors_end_a_command_with_another_code_than_0_and_the_first_error(
    images: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], step: Step, exit_code: int, error: str
) -> None:
    finished = _run(images, tmp_path / "w", step)
    lost = lost_in(failures_of(finished.workspace), finished.raised)
    with pytest.raises(click.exceptions.Exit) as ended:
        end_with_lost(lost, log=finished.run_folder)
    assert ended.value.exit_code == exit_code
    assert re.search(error, capsys.readouterr().err)


def test_files_that_are_no_images_are_refused_and_not_lost(images: Path, tmp_path: Path) -> None:
    (images / "text.png").write_text("no image")
    finished = _run(images, tmp_path / "w", Width(at_most=60, diary=str(tmp_path / "d")))
    failures = failures_of(finished.workspace)
    assert [failure["path"] for failure in failures] == ["text.png"]
    assert lost_in(failures, finished.raised) == []


def test_where_an_exception_was_raised_is_the_same_on_every_machine(images: Path, tmp_path: Path) -> None:
    rows = _run(images, tmp_path / "w", Raising(wider_than=70)).outcomes("raising")
    places = {(row["evidence"]["error"], row["evidence"]["at"]) for row in rows if row["verdict"] == "failed"}
    [(error, at)] = places
    assert (error, at.partition(":")[0]) == ("KeyError", "odd_steps.py")
