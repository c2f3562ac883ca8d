"""Forensic detection with a tiny SDXL with random weights, which tests the path and not the value of the questions.

- The key is the photograph of the row whose caption the model received, treated once like the other pictures.
- All four pictures have the same size and format; a seed yields the same bytes.
- Photographs that would not be scaled down enough have a reason; for missing weights, a message says what to fetch.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from dataset_fixtures.pictures import pixels
from PIL import Image
from pydantic import ValidationError
from step_context import StepContext
from tiny_diffusion import make_pipeline

from benchwright.construction.tasks.forensic_detection import ForensicDetection
from benchwright.errors import PrerequisiteError, RecipeError
from benchwright.pipeline import run_recipe
from benchwright.recipe import Recipe, step
from benchwright.release import Release
from benchwright.steps import GatherContext

pytestmark = pytest.mark.slow

SIZE: dict[str, Any] = {"side_px": 64, "model_side_px": 96, "steps": 1, "min_side_px": 16, "quality": 85}


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_pipeline("sdxl", tmp_path_factory.mktemp("weights") / "sdxl")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return photographs of unequal sizes with captions, one of them too small."""
    root = tmp_path_factory.mktemp("own")
    rows = ["image,licence,caption"]
    for number in range(5):
        size = (140 + 10 * number, 70 if number == 4 else 100 + 7 * number)
        Image.fromarray(pixels(number, *size)).save(root / f"{number}.jpg", quality=60 + number)
        rows.append(f"{number}.jpg,CC0,Thing number {number} on a table.")
    (root / "table.csv").write_text("\n".join(rows) + "\n")
    return root


def run(folder: Path, weights: Path, workspace: Path) -> tuple[list[Any], dict[str, np.ndarray], dict[str, bytes]]:
    """Return the items, and each picture's pixels and bytes."""
    steps = [
        step("dataset", reader="folder", folder=str(folder)),
        step("forensic_detection", weights=str(weights), **SIZE),
        step("freeze", name="forensic", version="1.0"),
    ]
    finished = run_recipe(Recipe("forensic", steps, seed=4, folder=folder, shards=2), workspace=workspace)
    entries = list(Release.open(finished.workspace / finished.artifacts["release"]).items())
    raw = {image_id: data for entry in entries for image_id, data in entry.images.items()}
    decoded = {image_id: np.asarray(Image.open(io.BytesIO(data))) for image_id, data in raw.items()}
    return [entry.item for entry in entries], decoded, raw


def treated(path: Path) -> np.ndarray:
    """Return a photograph as it has to be shown."""
    photograph = np.asarray(Image.open(path).convert("RGB"))
    height, width = photograph.shape[:2]
    left = (width - height) // 2
    square = cv2.resize(photograph[:, left : left + height], (64, 64), interpolation=cv2.INTER_AREA)
    buffer = io.BytesIO()
    Image.fromarray(square).save(buffer, "JPEG", quality=85, subsampling=2)
    return np.asarray(Image.open(buffer))


def test_the_key_is_the_photograph_of_the_caption_and_all_four_are_alike(
    tmp_path: Path, folder: Path, weights: Path
) -> None:
    items, decoded, raw = run(folder, weights, tmp_path / "w")
    with (folder / "table.csv").open() as handle:
        file_of = {row["caption"]: row["image"] for row in csv.DictReader(handle)}
    assert len(items) == 4
    assert Counter(item.answer for item in items) == dict.fromkeys("ABCD", 1)
    for item in items:
        assert item.attributes.keys() == {"wording"}
        expected = treated(folder / file_of[item.evidence["caption"]])
        same = [choice.key for choice in item.choices if (decoded[choice.image_id] == expected).all()]
        assert same == [item.answer]
        assert {decoded[choice.image_id].shape for choice in item.choices} == {(64, 64, 3)}
        assert len({Image.open(io.BytesIO(raw[choice.image_id])).format for choice in item.choices}) == 1
        assert len(set(item.evidence["seeds"])) == 3
        assert len(item.evidence["model"]["weights"]) == 64
    again = run(folder, weights, tmp_path / "again")
    assert again[2] == raw


def test_every_picture_has_the_coefficients_of_one_table_of_quantisation(weights: Path) -> None:
    task = ForensicDetection(weights=str(weights), **SIZE)
    table = cv2_table(task.quality)
    for number, size in enumerate([(96, 96), (150, 99)]):
        shown = Image.fromarray(task.treated(pixels(number, *size))).convert("YCbCr")
        luma = np.asarray(shown)[..., 0].astype(np.float32) - 128
        blocks = [cv2.dct(luma[y : y + 8, x : x + 8]) / table for y in range(0, 64, 8) for x in range(0, 64, 8)]
        far = np.abs(np.array(blocks) - np.round(blocks))
        assert np.median(far[:, :4, :4]) < 0.12


def cv2_table(quality: int) -> np.ndarray:
    """Return the table of luma as a file of that quality states it."""
    buffer = io.BytesIO()
    Image.fromarray(pixels(1, 16, 16)).save(buffer, "JPEG", quality=quality)
    return np.array(Image.open(buffer).quantization[0], np.float32).reshape(8, 8)  # type: ignore[attr-defined]


def test_photographs_that_are_not_scaled_down_enough_and_those_without_captions_say_why(weights: Path) -> None:
    import pyarrow as pa

    task = ForensicDetection(weights=str(weights), collected_by="people", **SIZE)
    selection, _ = task.parts()
    prompts = ["A cup.", "A cat.", None]
    columns = {"image_id": ["a" * 64, "b" * 64, "c" * 64], "width": [200, 300, 300], "height": [79, 80, 300]}
    table = pa.table(columns | {"people.prompt": pa.array(prompts, pa.string())})
    gathered = selection.gather(table, GatherContext(3, "forensic_detection.selection"))  # type: ignore[attr-defined]
    assert gathered.rows.tolist() == [0, 1]
    chosen, left_out = gathered.values["chosen"], gathered.values["left_out"]
    assert (chosen[0], left_out[0]) == (None, '{"too_small":1}')
    assert '"caption":"A cat."' in chosen[1]
    assert '"campaign":"people"' in chosen[1]
    lenient, _ = task.model_copy(update={"min_reduction": 1.0}).parts()
    gathered = lenient.gather(table, GatherContext(3, "forensic_detection.selection"))  # type: ignore[attr-defined]
    assert None not in gathered.values["chosen"][:2]


def test_prompts_of_collected_photographs_come_from_a_campaign_before_it(weights: Path) -> None:
    task = ForensicDetection(weights=str(weights), collected_by="people", **SIZE)
    assert task.placed({"people": {"prompt": "string"}}) is task
    with pytest.raises(RecipeError, match="an earlier entry of a campaign `collect`; name one under collected_by"):
        task.placed({"dataset": {"captions": "string"}})


def test_missing_weights_say_what_to_fetch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHWRIGHT_MODELS", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(PrerequisiteError, match=r"hf download stabilityai/stable-diffusion-xl-base-1\.0"):
        ForensicDetection().parameters()
    make_pipeline("sdxl", tmp_path / "stable-diffusion-xl-base-1.0")
    by_name = ForensicDetection().parameters()
    assert by_name["weights"].startswith("sha256:")
    with pytest.raises(PrerequisiteError, match="known by digest only"):
        ForensicDetection.model_validate(by_name).open(StepContext(tmp_path))


@pytest.mark.parametrize("changes", [{"preset": "paper"}, {"model_side_px": 64, "side_px": 65}])
def test_settings_that_make_no_such_pictures_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ForensicDetection(**changes)
