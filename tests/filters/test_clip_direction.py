"""The gate `clip_direction`, with a real and tiny CLIP that knows red from blue."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError
from rival_items import Rivalry, rivalry
from tiny_clip import color_clip

from benchwright.errors import PrerequisiteError
from benchwright.filters.pairs.clip_direction import ClipDirection, clip_hash, load_clip
from benchwright.steps import Outcome


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return color_clip(tmp_path_factory.mktemp("models") / "clip")


@pytest.fixture(scope="module")
def rivals(tmp_path_factory: pytest.TempPathFactory) -> Rivalry:
    return rivalry(tmp_path_factory.mktemp("rivals"))


def judged(rivals: Rivalry, model: Path, **settings: Any) -> list[tuple[int, Outcome]]:
    """Return what is said of each item, with its candidate."""
    said = rivals.judged(ClipDirection(model=str(model), device="cpu", **settings))
    return [(item.evidence["candidate"], one) for item, one in zip(rivals.items, said, strict=True)]


@pytest.mark.slow
def test_what_turns_blue_as_its_caption_says_stays_and_what_turns_red_goes(rivals: Rivalry, model: Path) -> None:
    found = judged(rivals, model, min_images=None)
    assert len(found) == 12
    for candidate, one in found:
        assert (one.values["direction"] > 0.2) == (candidate == 0)
        assert -1 <= one.values["direction"] <= 1
        assert one.reason == (None if candidate == 0 else "other_direction")


def test_pictures_that_have_little_in_common_are_another_picture(rivals: Rivalry, model: Path) -> None:
    found = [one for _, one in judged(rivals, model, min_direction=None, min_images=0.9, verdict="ask")]
    far = [one.values["images"] < 0.9 for one in found]
    assert any(far)
    assert [one.reason for one in found] == ["other_picture" if one else None for one in far]
    assert {one.verdict for one in found} == {"keep", "ask"}


def test_the_size_of_a_batch_changes_no_value(rivals: Rivalry, model: Path) -> None:
    one, many = (judged(rivals, model, batch_size=size) for size in (1, 64))
    assert [said.values for _, said in one] == [said.values for _, said in many]


def test_a_pair_is_measured_once_and_a_bound_measures_nothing(rivals: Rivalry, model: Path) -> None:
    before = rivals.context.images.asked
    judged(rivals, model, batch_size=64)
    assert rivals.context.images.asked - before == 5  # two photographs, each made bluish, and one red picture for both
    parts = [ClipDirection(model=str(model), min_direction=bound).parts()[0] for bound in (0.1, 0.3)]
    assert parts[0].parameters() == parts[1].parameters()


def test_a_picture_that_cannot_be_decoded_fails_alone(tmp_path: Path, model: Path) -> None:
    rivals = rivalry(tmp_path)
    made = rivals.context.path(rivals.context.image(rivals.items[0].evidence["manipulated"]))
    made.write_bytes(made.read_bytes()[:60])
    [directions, _] = ClipDirection(model=str(model), device="cpu").parts()
    rivals.context.opened = directions.open(rivals.context)
    verdicts = [one.verdict for one in directions.many(rivals.items, rivals.context)]
    assert verdicts == ["failed"] * 3 + ["keep"] * 9


def test_texts_of_any_length_have_a_vector_of_length_one(model: Path) -> None:
    clip = load_clip(model, device="cpu")
    vectors = clip.texts(["red", "blue " * 50, ""])
    assert vectors.shape == (3, 2)
    assert np.linalg.norm(vectors[:2], axis=1) == pytest.approx([1, 1], abs=1e-5)
    assert clip.texts(["a red picture"])[0] == pytest.approx(
        clip.texts(["a red picture", "a blue picture"])[0], abs=1e-6
    )


def test_items_without_captions_pass_unmeasured(rivals: Rivalry, model: Path) -> None:
    bare = Rivalry(rivals.context, [rivals.items[0].model_copy(update={"evidence": {}})])
    [(_, one)] = [(0, said) for said in bare.judged(ClipDirection(model=str(model), device="cpu"))]
    assert (one.verdict, dict(one.values)) == ("keep", {})


def test_a_folder_without_a_model_ends_the_run_before_it_begins(tmp_path: Path) -> None:
    (tmp_path / "pickled").mkdir()
    (tmp_path / "pickled" / "config.json").write_text("{}")
    (tmp_path / "pickled" / "pytorch_model.bin").write_bytes(b"")
    with pytest.raises(PrerequisiteError, match=r"tokenizer.json, \*.safetensors is missing"):
        ClipDirection(model=str(tmp_path / "pickled")).weights_hash()
    with pytest.raises(PrerequisiteError, match="hf download"):
        clip_hash(tmp_path / "nowhere")


def test_weights_that_are_none_are_refused_in_words(model: Path, tmp_path: Path) -> None:
    for path in model.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(PrerequisiteError, match="cannot be loaded as a CLIP model"):
        load_clip(tmp_path, device="cpu")


@pytest.mark.parametrize("setting", [{"min_direction": 2}, {"min_images": -3}, {"verdict": "x"}, {"batch_size": 0}])
def test_wrong_settings_are_refused(setting: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ClipDirection(**{"model": "m", **setting})
