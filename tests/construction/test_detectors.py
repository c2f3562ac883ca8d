"""Boxes from detectors: the real classes of transformers with tiny random weights, and the records of nonsensical
results.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError
from step_context import StepContext
from tiny_detectors import make_florence2, make_grounding_dino, make_owlv2

from benchwright.construction.item_parts.idea import GroundedSubject
from benchwright.construction.manipulation.grounding.detectors import DetectedPhrase, load_detector, weights_of
from benchwright.construction.manipulation.grounding.located import DetectorSettings, Located
from benchwright.construction.manipulation.grounding.scene import NotGrounded, Scene, Seen
from benchwright.construction.manipulation.ideas.step import Ideas
from benchwright.errors import PrerequisiteError
from benchwright.facts import CATEGORIES
from benchwright.models import find_device

pytestmark = pytest.mark.slow

for needed in ("torch", "transformers"):
    pytest.importorskip(needed)

PIXELS = np.random.default_rng(4).integers(0, 256, (50, 80, 3), dtype=np.uint8)
PHRASES = ["the woman", "a red ball"]
WANTED = [CATEGORIES["B2"].high, CATEGORIES["B2"].low, CATEGORIES["R2"].low]


@pytest.fixture(autouse=True)
def _short_replies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchwright.construction.manipulation.grounding.detectors._MOST_NEW_TOKENS", 8)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    import torch

    torch.set_num_threads(1)  # models this small only wait for further threads
    made: dict[str, Path] = {}
    makers = {"grounding_dino": make_grounding_dino, "owlv2": make_owlv2, "florence2": make_florence2}

    def tiny(name: str) -> Path:
        if name not in made:
            made[name] = makers[name](tmp_path_factory.mktemp(name))
        return made[name]

    return tiny


class Words:
    """Says always the same."""

    def scene(self, record: Any, wanted: Any, ctx: Any) -> Scene:
        subject = GroundedSubject(phrase="the woman", box=(1, 2, 3, 4))
        seen = {
            "behaviour": Seen("playing"),
            "object": Seen("a red ball", GroundedSubject(phrase="x", box=(0, 0, 9, 9))),
            "attire": Seen(None, problem="not_in_picture"),
        }
        return Scene("A woman with a red ball.", subject, 1, seen, made_with={"by": "words"})


class Finds:
    """Finds what a test says."""

    def __init__(self, **found: DetectedPhrase | None) -> None:
        self.found = found

    def find(self, pixels: np.ndarray, phrases: Any) -> list[DetectedPhrase | None]:
        return [self.found[phrase.split()[-1]] for phrase in phrases]


def settings(folder: Path, **more: Any) -> DetectorSettings:
    return DetectorSettings(model=str(folder), threshold=0, **more)


@pytest.mark.parametrize("name", ["grounding_dino", "owlv2"])
def test_the_box_of_the_greatest_score_is_taken(tiny: Callable[[str], Path], name: str) -> None:
    detector = load_detector(tiny(name), device="cpu", threshold=0.0)
    found = detector.find(PIXELS, PHRASES)
    again = detector.find(PIXELS, PHRASES)
    assert found == again
    assert None not in found
    for phrase, one in zip(PHRASES, found, strict=True):
        assert one is not None
        assert one.score is not None
        alone = detector.find(PIXELS, [phrase])[0]
        assert alone is not None
        if name == "grounding_dino":
            assert alone.score == pytest.approx(one.score, abs=1e-4)
        else:  # alone in a picture a phrase takes all boxes
            assert alone.score is not None
            assert alone.score >= one.score - 1e-4
    assert load_detector(tiny(name), device="cpu", threshold=1.0).find(PIXELS, PHRASES) == [None, None]


def test_grounding_dino_gets_a_picture_once_for_all_phrases(tiny: Callable[[str], Path]) -> None:
    detector: Any = load_detector(tiny("grounding_dino"), device="cpu", threshold=0.0)
    processor, pictures = detector.processor, []

    class Watched:
        def __call__(self, **given: Any) -> Any:
            pictures.append(len(given["images"]))
            return processor(**given)

        def __getattr__(self, name: str) -> Any:
            return getattr(processor, name)

    before = detector.find_all(PIXELS, PHRASES)
    detector.processor = Watched()
    assert detector.find_all(PIXELS, PHRASES) == before
    assert pictures == [1]
    repeated = processor(images=[PIXELS] * 2, text=[[phrase] for phrase in PHRASES], padding=True, return_tensors="pt")
    once = processor(images=[PIXELS], text=[[phrase] for phrase in PHRASES], padding=True, return_tensors="pt")
    assert all((repeated["pixel_values"][place] == once["pixel_values"][0]).all() for place in range(2))


def test_a_detector_runs_on_the_gpu_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    assert find_device(DetectorSettings(model="sha256:ab").device).place == "cuda:0"
    assert find_device(DetectorSettings(model="sha256:ab", device="cpu").device).place == "cpu"


def test_florence_says_where_a_phrase_is_in_its_own_tokens(
    tiny: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Random weights say nonsense, read without an error; a sane reply is read as pixels."""
    detector: Any = load_detector(tiny("florence2"), device="cpu", threshold=0.0)
    assert len(detector.find(PIXELS, ["the <OD> woman {x}", "a red ball"])) == 2
    replies = ["</s>the woman<loc_100><loc_200><loc_500><loc_900></s>", "</s>nothing here</s>"]
    monkeypatch.setattr(detector.processor, "batch_decode", lambda *args, **more: replies, raising=False)
    first, second = detector.find(PIXELS, PHRASES)
    assert first.box == pytest.approx((8, 10, 40, 45), abs=1)
    assert (first.score, second) == (None, None)


@pytest.mark.parametrize("name", ["grounding_dino", "owlv2", "florence2"])
def test_a_real_detector_gives_boxes_within_the_picture_or_a_reason(
    tiny: Callable[[str], Path], context: StepContext, name: str
) -> None:
    chosen = settings(tiny(name))
    grounder = Located(Words(), chosen.load(), chosen)
    try:
        scene = grounder.scene(context.add(PIXELS), WANTED, context)
    except NotGrounded as error:
        assert error.reason in {"not_found", "box_outside", "box_empty"}  # noqa: PT017 - either is right
        return
    assert scene.made_with["boxes"]["weights"] == weights_of(tiny(name))
    for place in (scene.subject, scene.seen["object"].place):
        if place is not None and place.box is not None:
            x0, y0, x1, y1 = place.box
            assert 0 <= x0 < x1 <= 80
            assert 0 <= y0 < y1 <= 50


def located(context: StepContext, **found: DetectedPhrase | None) -> Scene:
    detector = Finds(**found)
    return Located(Words(), detector, DetectorSettings(model="sha256:ab")).scene(context.add(PIXELS), WANTED, context)


def test_a_detectors_boxes_take_the_place_of_those_that_were_said(context: StepContext) -> None:
    scene = located(context, woman=DetectedPhrase((-3, 5, 40, 60), 0.8), ball=DetectedPhrase((50, 10, 70, 30), 0.4))
    assert scene.subject.box == (0, 5, 40, 50)
    place = scene.seen["object"].place
    assert place is not None
    assert (place.phrase, place.box) == ("a red ball", (50, 10, 70, 30))
    assert scene.made_with == {
        "by": "words",
        "boxes": {"weights": "ab", "scores": {"the woman": 0.8, "a red ball": 0.4}},
    }


def test_what_is_not_found_has_no_place(context: StepContext) -> None:
    seen = located(context, woman=DetectedPhrase((3, 5, 40, 40), 0.8), ball=None).seen["object"]
    assert (seen.value, seen.place, seen.problem) == ("a red ball", None, "not_found")


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (None, "not_found"),
        (DetectedPhrase((90, 60, 99, 70), 0.9), "box_empty"),
        (DetectedPhrase((5, 5, 5.5, 40), 0.9), "box_empty"),
    ],
)
def test_a_subject_that_is_nowhere_is_recorded(context: StepContext, found: DetectedPhrase | None, reason: str) -> None:
    with pytest.raises(NotGrounded) as caught:
        located(context, woman=found, ball=None)
    assert caught.value.reason == reason


def test_missing_weights_refuse_the_recipe(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match=r"holds no model: it needs config\.json and \*\.safetensors"):
        settings(tmp_path)


def test_missing_weights_are_recorded_where_the_recipe_says_so(tmp_path: Path, context: StepContext) -> None:
    step = Ideas.model_validate({"detector": {"model": str(tmp_path / "none"), "if_missing": "record"}})
    outcome = context.run(step, context.add(PIXELS))
    assert (outcome.verdict, outcome.reason) == ("failed", "weights_missing")


def test_pickled_weights_are_no_model(tiny: Callable[[str], Path], tmp_path: Path) -> None:
    shutil.copy(tiny("owlv2") / "config.json", tmp_path / "config.json")
    (tmp_path / "pytorch_model.bin").write_bytes(b"\x80\x04.")
    with pytest.raises(PrerequisiteError, match="pickled weights are not loaded"):
        weights_of(tmp_path)


def test_a_model_that_finds_no_phrases_is_refused(tiny: Callable[[str], Path], tmp_path: Path) -> None:
    folder = tmp_path / "other"
    shutil.copytree(tiny("owlv2"), folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"model_type": "clip"}))
    with pytest.raises(PrerequisiteError, match="'clip', which finds no phrases"):
        load_detector(folder, device="cpu", threshold=0)


def test_a_detector_is_known_by_its_files_and_not_by_its_place(tiny: Callable[[str], Path], tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    shutil.copytree(tiny("owlv2"), moved)
    one, other = (Ideas.model_validate({"detector": {"model": str(f)}}) for f in (tiny("owlv2"), moved))
    assert one.parameters() == other.parameters()
    assert one.weights_hash() == other.weights_hash() == weights_of(moved)
    assert Ideas.model_validate(one.parameters() | {"concurrency": 2}).parameters() == one.parameters()
