"""Gates for manipulated pairs: intended changes, unintended changes, and shifts of the frame."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from conftest import ROOT
from numpy.typing import NDArray
from pair_pictures import PHOTOS, Pictures, Pixels, judged, pair
from pydantic import ValidationError
from worded_items import item

from benchwright.cli import prepare_photographs
from benchwright.construction.stated_facts.facts import StatedFacts
from benchwright.construction.tasks.background_substitution import BackgroundSubstitution
from benchwright.filters.pairs.pair_gates import PairGates, compare
from benchwright.pipeline import run_steps
from benchwright.steps import FOLDER, Outcome

pytestmark = pytest.mark.slow


def edited(photo: Pixels) -> tuple[Pixels, NDArray[np.bool_]]:
    """Return a photograph with one region turned negative, and the region."""
    region = np.zeros(photo.shape[:2], np.bool_)
    region[100:250, 150:300] = True
    return np.where(region[..., None], 255 - photo, photo), region


def moved(pixels: Pixels, x: float, y: float) -> Pixels:
    matrix = np.array([[1, 0, x], [0, 1, y]], np.float32)
    return np.asarray(cv2.warpAffine(pixels, matrix, pixels.shape[1::-1], borderMode=cv2.BORDER_REFLECT), np.uint8)


def turned(pixels: Pixels, degrees: float, zoom: float = 1.0) -> Pixels:
    matrix = cv2.getRotationMatrix2D((pixels.shape[1] / 2, pixels.shape[0] / 2), degrees, zoom)
    return np.asarray(cv2.warpAffine(pixels, matrix, pixels.shape[1::-1], borderMode=cv2.BORDER_REFLECT), np.uint8)


def found(photo: Pixels, after: Pixels, region: NDArray[np.bool_], **settings: Any) -> dict[str, Any]:
    return compare(photo, after, region, tolerance=settings.get("tolerance", 0))


@pytest.mark.parametrize("name", PHOTOS)
def test_an_edit_inside_its_region_passes(name: str) -> None:
    after, region = edited(PHOTOS[name])
    seen = found(PHOTOS[name], after, region)
    assert seen == {"changed": pytest.approx(1.0, abs=0.01), "outside": 0.0, "shift_px": 0.0}


def test_nothing_changed_is_seen() -> None:
    _, region = edited(PHOTOS["a"])
    assert found(PHOTOS["a"], PHOTOS["a"].copy(), region) == {"changed": 0.0, "outside": 0.0, "shift_px": 0.0}


def test_one_pixel_outside_is_seen_and_a_tolerance_overlooks_little_ones() -> None:
    after, region = edited(PHOTOS["a"])
    after[5, 5] = np.clip(after[5, 5].astype(int) + 3, 0, 255)
    assert found(PHOTOS["a"], after, region)["outside"] == pytest.approx(1 / (~region).sum())
    assert found(PHOTOS["a"], after, region, tolerance=3)["outside"] == 0.0


@pytest.mark.parametrize("name", PHOTOS)
@pytest.mark.parametrize(("x", "y"), [(1, 0), (0, 2), (3, -2), (-7, 4), (12, 12)])
def test_a_shift_is_measured_to_less_than_a_pixel(name: str, x: float, y: float) -> None:
    after, region = edited(PHOTOS[name])
    assert found(PHOTOS[name], moved(after, x, y), region)["shift_px"] == pytest.approx(np.hypot(x, y), abs=0.6)


@pytest.mark.parametrize("name", PHOTOS)
def test_a_larger_shift_zoom_or_turn_measures_more(name: str) -> None:
    after, region = edited(PHOTOS[name])
    ways: list[Callable[[float], Pixels]] = [
        lambda amount: moved(after, amount, 0),
        lambda amount: turned(after, 0, 1 + amount / 100),
        lambda amount: turned(after, amount / 2),
    ]
    for way in ways:
        shifts = [found(PHOTOS[name], way(amount), region)["shift_px"] for amount in (0.0, 1.0, 3.0, 6.0)]
        assert shifts == sorted(shifts)
        assert shifts[0] < 0.5
        assert shifts[2] > 1.5


@pytest.mark.parametrize("name", PHOTOS)
def test_other_light_and_noise_do_not_count_as_a_shift(name: str) -> None:
    after, region = edited(PHOTOS[name])
    noise = np.random.default_rng(1).integers(-4, 5, after.shape)
    lit = np.clip(after * 0.8 + 20 + noise, 0, 255).astype(np.uint8)
    assert found(PHOTOS[name], lit, region)["shift_px"] < 0.5


@pytest.mark.parametrize("name", PHOTOS)
def test_without_a_region_the_frame_is_judged_by_most_of_the_picture(name: str) -> None:
    after, _ = edited(PHOTOS[name])
    everywhere = np.ones(after.shape[:2], np.bool_)
    still, gone = (found(PHOTOS[name], one, everywhere) for one in (after, moved(after, 5, 0)))
    assert still["outside"] is gone["outside"] is None
    assert still["shift_px"] < 0.5
    assert gone["shift_px"] == pytest.approx(5, abs=0.8)


def test_where_nothing_kept_shows_anything_no_shift_is_claimed() -> None:
    flat = np.full((200, 300, 3), 90, np.uint8)
    region = np.zeros((200, 300), np.bool_)
    region[50:100] = True
    assert found(flat, flat.copy(), region)["shift_px"] is None


@pytest.fixture
def pictures(tmp_path: Path) -> Pictures:
    return Pictures(tmp_path)


def test_each_gate_drops_what_it_is_for(pictures: Pictures) -> None:
    after, region = edited(PHOTOS["a"])
    assert judged(pictures, pair(pictures, after, region)).verdict == "keep"
    assert judged(pictures, pair(pictures, PHOTOS["a"], region)).reason == "nothing_changed"
    off = moved(after, 4, 0)
    assert judged(pictures, pair(pictures, off, region)).reason == "changed_outside_mask"
    outcome = judged(pictures, pair(pictures, off, region), max_outside=None)
    assert (outcome.reason, outcome.evidence["bound"]) == ("frame_shifted", 1.5)
    assert judged(pictures, pair(pictures, off, region), max_outside=None, max_shift_px=5).verdict == "keep"
    assert judged(pictures, pair(pictures, off[:-1], region)).reason == "other_size"


def test_of_a_subject_that_was_to_move_no_shift_is_measured(pictures: Pictures) -> None:
    after = moved(PHOTOS["a"], 9, 0)
    assert judged(pictures, pair(pictures, after)).reason == "frame_shifted"
    outcome = judged(pictures, pair(pictures, after, moved=True))
    assert outcome.verdict == "keep"
    assert PairGates().measure(pair(pictures, after, moved=True), pictures)["shift_px"] is None


def test_of_an_effect_no_shift_is_measured_since_it_moves_nothing(pictures: Pictures) -> None:
    sketch = np.repeat(
        cv2.pencilSketch(PHOTOS["a"], sigma_s=60, sigma_r=0.07, shade_factor=0.05)[0][..., None], 3, axis=2
    )
    of_a_model, of_ours = pair(pictures, sketch), pair(pictures, sketch, made_with={"effect": "pencil_sketch"})
    assert PairGates().measure(of_a_model, pictures)["shift_px"] is not None
    assert PairGates().measure(of_ours, pictures)["shift_px"] is None
    assert judged(pictures, of_ours).verdict == "keep"


def test_a_mask_on_a_coarser_grid_is_enlarged(pictures: Pictures) -> None:
    after, region = edited(PHOTOS["a"])
    coarse = np.ones((4, 4), np.bool_)
    coarse[3] = False
    assert judged(pictures, pair(pictures, after, coarse)).verdict == "keep"
    assert region.any()


def test_items_without_a_pair_pass_unmeasured(pictures: Pictures) -> None:
    measured = PairGates().measure(item("x"), pictures)
    assert set(measured.values()) == {None}
    assert PairGates().judge(measured) == Outcome()


def test_a_mask_that_is_none_is_refused_in_words(pictures: Pictures) -> None:
    after, _ = edited(PHOTOS["a"])
    with pytest.raises(ValueError, match=r"evidence 'editable' of item .* is no mask"):
        PairGates().measure(pair(pictures, after, editable={"size": [3, 3], "counts": "~"}), pictures)


def test_items_of_one_pair_are_measured_once(pictures: Pictures) -> None:
    after, region = edited(PHOTOS["a"])
    one = pair(pictures, after, region)
    step = PairGates()
    assert step.measure(one, pictures) == step.measure(one.model_copy(update={"question": "Why?"}), pictures)
    assert pictures.images.asked == 2


def test_every_pair_of_the_demo_passes_and_a_second_run_does_nothing(tmp_path: Path) -> None:
    prepare_photographs(tmp_path / "photos")
    for path in (tmp_path / "photos").iterdir():
        if path.name not in {"flower.jpg", "rocket.jpg"}:
            path.unlink()
    (tmp_path / "facts.yaml").write_bytes((ROOT / "benchwright" / "recipes" / "demo.facts.yaml").read_bytes())
    facts = StatedFacts.model_validate({"file": "facts.yaml"}, context={FOLDER: tmp_path})
    steps = [facts, BackgroundSubstitution(), PairGates()]
    done = run_steps(steps, images=tmp_path / "photos", workspace=tmp_path / "w", workers=1)
    rows = list(done.outcomes("pair_gates.measure"))
    assert len(rows) == 6
    assert {row["outside"] for row in rows} == {0.0}
    assert {row["shift_px"] for row in rows} == {0.0}
    assert all(row["changed"] > 0.8 for row in rows)
    assert {row["verdict"] for row in done.outcomes("pair_gates.judge")} == {"keep"}
    assert run_steps(steps, images=tmp_path / "photos", workspace=tmp_path / "w", workers=1).executed == 0


@pytest.mark.parametrize("setting", [{"min_changed": 2}, {"max_shift_px": -1}, {"tolerance": 256}, {"max_outside": -1}])
def test_wrong_settings_are_refused(setting: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        PairGates(**setting)
