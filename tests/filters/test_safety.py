"""The step `safety`, with a real and tiny vision transformer built from its configuration."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from color_classifier import color_classifier
from PIL import Image
from pydantic import ValidationError

from benchwright.diagnostics.models.image_classifier import classifier_hash, load_classifier
from benchwright.errors import BenchwrightError, PrerequisiteError
from benchwright.filters.safety import Safety
from benchwright.pipeline import run_steps
from benchwright.recipe import parse_recipe
from benchwright.workspace.run_results import FinishedRun


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return color_classifier(tmp_path_factory.mktemp("models") / "colors")


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    folder = tmp_path / "photos"
    folder.mkdir()
    for name, color in {"red": (220, 20, 20), "blue": (20, 20, 220), "grey": (127, 127, 127)}.items():
        noise = np.random.default_rng(3).integers(0, 20, (40, 30, 3))
        Image.fromarray(np.asarray(np.clip(np.array(color) + noise, 0, 255), np.uint8)).save(folder / f"{name}.png")
    (folder / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    return folder


def run(photos: Path, workspace: Path, model: Path, **settings: Any) -> FinishedRun:
    step = Safety(model=str(model), **settings)
    return run_steps([step], images=photos, workspace=workspace, workers=1)


def said(done: FinishedRun) -> dict[str, tuple[str, str | None]]:
    paths = {file["image_id"]: file["uri"] for file in done.files()}
    return {paths[row["record_id"]]: (row["verdict"], row["label"]) for row in done.outcomes("safety.verdict")}


def test_workers_get_the_digest_of_the_weights_with_the_step_and_read_no_file_for_it(model: Path) -> None:
    (scores, _) = Safety(model=str(model), refuse={"red": 0.5}).parts()
    known = scores.weights_hash()
    sent = pickle.dumps(scores)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("benchwright.filters.safety.classifier_hash", lambda folder: pytest.fail("the files are read"))
        assert pickle.loads(sent).operation(0).weights_hash == known == classifier_hash(model)


def test_what_a_label_calls_unsafe_is_dropped(photos: Path, model: Path, tmp_path: Path) -> None:
    done = run(photos, tmp_path / "w", model, refuse={"red": 0.5})
    assert said(done) == {"red.png": ("drop", "red"), "blue.png": ("keep", "red"), "grey.png": ("keep", "red")}
    # Another label asks the model again; the size of a batch decides nothing.
    both = run(photos, tmp_path / "w", model, refuse={"red": 0.5, "blue": 0.5}, verdict="ask", batch_size=2)
    assert both.decoded == 3
    assert {name: verdict for name, (verdict, _) in said(both).items()} == {
        "red.png": "ask", "blue.png": "ask", "grey.png": "keep",
    }  # fmt: skip
    scores = [json.loads(row["scores"]) for row in both.outcomes("safety.scores")]
    assert all(one.keys() == {"red", "blue"} and all(0 <= p <= 1 for p in one.values()) for one in scores)


def test_a_new_bound_asks_the_model_nothing_and_a_second_run_does_nothing(
    photos: Path, model: Path, tmp_path: Path
) -> None:
    first = run(photos, tmp_path / "w", model, refuse={"red": 0.5}, batch_size=1)
    assert first.decoded == 3
    again = run(photos, tmp_path / "w", model, refuse={"red": 1.0}, batch_size=2)
    assert again.decoded == 0
    assert {verdict for verdict, _ in said(again).values()} == {"keep"}
    assert run(photos, tmp_path / "w", model, refuse={"red": 1.0}).executed == 0


def test_other_weights_measure_again_and_the_folder_has_no_part_in_it(model: Path, tmp_path: Path) -> None:
    step = Safety(model=str(model), refuse={"red": 0.5})
    copy = tmp_path / "elsewhere"
    copy.mkdir()
    for path in model.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    moved = Safety(model=str(copy), refuse={"red": 0.5})
    assert moved.parameters() == step.parameters()
    assert moved.weights_hash() == step.weights_hash() == classifier_hash(model)
    config = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps(config | {"hidden_act": "relu"}))
    assert moved.weights_hash() != step.weights_hash()


def test_a_recipe_names_the_folder_relative_to_itself(model: Path) -> None:
    text = f"name: x\nshards: 2\nsteps:\n  - step: safety\n    model: {model.name}\n    refuse: {{red: 0.5}}\n"
    [(_, step)] = parse_recipe(text, "x.yaml", model.parent).steps
    assert step.weights_hash() == classifier_hash(model)
    [(_, lost)] = parse_recipe(text.replace(model.name, "nowhere"), "x.yaml", model.parent).steps
    with pytest.raises(PrerequisiteError, match=r"model folder .*nowhere does not exist; download an image"):
        lost.weights_hash()


def test_a_folder_without_a_model_ends_the_run_before_it_begins(photos: Path, tmp_path: Path) -> None:
    (tmp_path / "pickled").mkdir()
    (tmp_path / "pickled" / "config.json").write_text("{}")
    (tmp_path / "pickled" / "pytorch_model.bin").write_bytes(b"")
    with pytest.raises(PrerequisiteError, match=r"preprocessor_config.json, \*.safetensors is missing"):
        run(photos, tmp_path / "w", tmp_path / "pickled", refuse={"red": 0.5})


def test_a_label_that_the_model_lacks_is_named_with_those_that_it_has(model: Path) -> None:
    with pytest.raises(BenchwrightError, match=r"no label 'nudity'; it has: safe, red, blue"):
        load_classifier(model, labels=["nudity"], device="cpu")


@pytest.mark.parametrize(
    "setting", [{"refuse": {}}, {"refuse": {"red": 0}}, {"refuse": {"red": 1.5}}, {"verdict": "x"}]
)
def test_wrong_settings_are_refused(setting: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Safety(**{"model": "m", "refuse": {"red": 0.5}, **setting})
