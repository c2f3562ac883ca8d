"""Specialists with a learned model, with the real classes of transformers and diffusers and tiny random weights.

- Each answers the items of its tasks with the weights in a folder; the score states which weights; batches change
  nothing.
- Weights are found by repository, never fetched; missing or unsuitable weights are reported.
- They interpret a model's output correctly: depth, features and matches.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from homography_items import add_correspondence, crop, sample_photographs
from tiny_depth_anything import make_depth_anything
from tiny_diffusion import make_pipeline
from tiny_dinov2 import make_dinov2
from tiny_matcher import MatcherKind, make_matcher

from benchwright.errors import CheckFailed, PrerequisiteError
from benchwright.evaluation.backends.base import parse_model
from benchwright.evaluation.backends.options import BackendOptions
from benchwright.evaluation.backends.specialists.depth_anything import DepthAnything, PointsInPicture, nearest_fits
from benchwright.evaluation.backends.specialists.dift import LEVELS, Dift
from benchwright.evaluation.backends.specialists.dino import Dino
from benchwright.evaluation.backends.specialists.learned_matches import LearnedMatches
from benchwright.evaluation.run import evaluate
from benchwright.workspace.item_cache import ItemCache

pytestmark = pytest.mark.slow


def _pipeline(folder: Path) -> Path:
    return make_pipeline("sd", folder)


MAKERS: dict[str, Callable[[Path], Path]] = {
    "autoencoder_error": _pipeline,
    "depth_anything": make_depth_anything,
    "dift": _pipeline,
    "dino": make_dinov2,
    "learned_matches": make_matcher,
}


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the tiny weights of each specialist, in a folder of its name."""
    root = tmp_path_factory.mktemp("weights")
    for name, make in MAKERS.items():
        make(root / name)
    return root


@pytest.fixture(scope="module")
def photographs() -> list[np.ndarray]:
    return sample_photographs()


def fill(bench: Any, photographs: list[np.ndarray]) -> None:
    """Add two or more items of every task that a specialist takes, in pictures of unequal sizes."""
    rng = np.random.default_rng(6)
    small = [crop(pixels, rng, least=100, most=140) for pixels in photographs]
    add_correspondence(bench, photographs, rng, 2)
    for number in range(2):
        ends = {0: [("REF", (30.5, 40.5))], 1: [(key, (20.5 + 18 * k, 33.0 + 9 * k)) for k, key in enumerate("ABCD")]}
        bench.add(
            f"part {number}", task="semantic_correspondence", pictures=small[number : number + 2],
            options=("Point A", "Point B", "Point C", "Point D"), answer="C", marks=ends,
        )  # fmt: skip
        for task in ("visual_similarity", "art_style"):
            bench.add(f"like {number}", task=task, pictures=small[number : number + 3], options=(1, 2), answer="A")
        bench.add(
            f"near {number}", task="relative_depth", pictures=[small[number]], answer="B",
            options=("A is closer", "B is closer"), marks={0: [("A", (20.0, 20.0)), ("B", (70.0, 60.0))]},
        )  # fmt: skip
        bench.add(
            f"moved {number}", task="multi_view_reasoning", pictures=[small[0], np.ascontiguousarray(small[0][::-1])],
            options=("To the left", "To the right"), answer="A",
        )  # fmt: skip
        bench.add(f"real {number}", task="forensic_detection", pictures=small[:4], options=(0, 1, 2, 3), answer="D")


@pytest.mark.parametrize("name", MAKERS)
def test_every_specialist_answers_its_tasks_alike_in_batches_of_any_size_and_from_its_cache(
    bench: Any, photographs: list[np.ndarray], weights: Path, tmp_path: Path, name: str
) -> None:
    fill(bench, photographs)
    release = bench.release(tmp_path / "release")
    scores = []
    with ItemCache(tmp_path / "items.sqlite") as cache:
        for size in (1, 3, 3):
            options = BackendOptions(batch_size=size)
            scores.append(evaluate(release, f"{name}:{weights / name}", options=options, cache=cache))
    assert [score.error for score in scores] == [0, 0, 0]
    tasks = parse_model(f"{name}:{weights / name}").tasks
    assert set(scores[0].tasks) <= (tasks or frozenset())
    assert scores[0].asked >= 2
    assert scores[0].metrics == scores[1].metrics == scores[2].metrics
    assert scores[0].identity == scores[1].identity
    assert len(scores[0].identity["weights"]) == 64  # type: ignore[index]
    assert scores[0].model == f"{name}:{name}"


@pytest.mark.parametrize("kind", ["superglue", "lightglue"])
def test_a_matcher_of_points_answers_alike_in_batches_of_any_size(
    bench: Any, photographs: list[np.ndarray], tmp_path: Path, kind: MatcherKind
) -> None:
    fill(bench, photographs)
    release, folder = bench.release(tmp_path / "release"), make_matcher(tmp_path / kind, kind)
    scores = [
        evaluate(release, f"learned_matches:{folder}", options=BackendOptions(batch_size=size)) for size in (1, 3)
    ]
    assert [(score.asked, score.error) for score in scores] == [(4, 0), (4, 0)]
    assert scores[0].metrics == scores[1].metrics


@pytest.mark.parametrize("kind", ["superglue", "lightglue"])
def test_points_of_a_picture_match_at_half_their_coordinates_in_the_picture_at_half_its_size(
    photographs: list[np.ndarray], tmp_path: Path, kind: MatcherKind
) -> None:
    matcher = LearnedMatches(str(make_matcher(tmp_path / kind, kind)), BackendOptions())
    whole = photographs[0][:200, :300]
    half = cv2.resize(whole, (150, 100), interpolation=cv2.INTER_AREA)
    [matches] = matcher.matches([(whole, half)])
    assert len(matches.first) == len(matches.second) > 1
    apart = np.abs(matches.first / 2 - matches.second)
    assert np.median(apart) <= 1


def test_matches_of_efficient_loftr_lie_in_pixels_of_each_picture(
    photographs: list[np.ndarray], weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Random weights are sure of nothing.
    monkeypatch.setattr("benchwright.evaluation.backends.specialists.learned_matches.LEAST_CONFIDENCE", 0.0)
    matcher = LearnedMatches(str(weights / "learned_matches"), BackendOptions())
    first, second = photographs[0][:200, :300], photographs[1][:150, :170]
    [matches] = matcher.matches([(first, second)])
    assert len(matches.first) == len(matches.second) > 0
    for points, pixels in zip(matches, (first, second), strict=True):
        assert (points >= 0).all()
        assert (points <= pixels.shape[1::-1]).all()


@pytest.mark.parametrize("name", MAKERS)
def test_weights_lie_under_the_name_of_their_repository_or_it_is_said_which_to_fetch(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("BENCHWRIGHT_MODELS", str(tmp_path))
    with pytest.raises(PrerequisiteError, match=f"hf download .*{name}:FOLDER"):
        parse_model(name)
    repository = {"dino": Dino, "dift": Dift, "depth_anything": DepthAnything, "learned_matches": LearnedMatches}
    where = repository[name].repository if name in repository else "stabilityai/sdxl-vae"
    shutil.copytree(weights / name, tmp_path / where)
    assert parse_model(name).name == name


def test_a_folder_of_another_kind_ends_the_run_with_the_cause(
    bench: Any, photographs: list[np.ndarray], weights: Path, tmp_path: Path
) -> None:
    fill(bench, photographs)
    release = bench.release(tmp_path / "release")
    with pytest.raises(PrerequisiteError, match="a model of type dinov2, not depth_anything"):
        evaluate(release, f"depth_anything:{weights / 'dino'}")
    with pytest.raises(PrerequisiteError, match=r"it needs model_index\.json and \*\.safetensors"):
        parse_model(f"dift:{weights / 'dino'}")
    make_pipeline("sd_inpaint", tmp_path / "inpaint")
    with pytest.raises(PrerequisiteError, match="a denoiser for inpainting"):
        evaluate(release, f"dift:{tmp_path / 'inpaint'}")


def test_an_item_whose_picture_lies_below_the_least_size_fails_alone(
    bench: Any, photographs: list[np.ndarray], weights: Path, tmp_path: Path
) -> None:
    pictures = [photographs[number][:64, :72] for number in range(4)]
    bench.add("real", task="forensic_detection", pictures=pictures, options=(0, 1, 2, 3), answer="D")
    tiny = [pixels[:5, :7] for pixels in pictures]
    bench.add("tiny", task="forensic_detection", pictures=tiny, options=(0, 1, 2, 3), answer="D")
    score = evaluate(bench.release(tmp_path / "release"), f"autoencoder_error:{weights / 'autoencoder_error'}")
    assert (score.asked, score.error) == (2, 1)


def test_where_every_item_lacks_its_marks_there_is_no_score(bench: Any, weights: Path, tmp_path: Path) -> None:
    bench.add("words only", task="relative_depth")
    with pytest.raises(CheckFailed, match="does not mark the points"):
        evaluate(bench.release(tmp_path / "release"), f"depth_anything:{weights / 'depth_anything'}")


def test_the_point_on_larger_numbers_of_the_map_is_the_nearer_one() -> None:
    nearness = np.zeros((30, 40))
    nearness[:, 20:] = 5
    content = PointsInPicture(
        np.zeros((90, 160, 3), np.uint8), {"A": (30.0, 40.0), "B": (159.9, 80.0)}, {"A": "B", "B": "A", "C": None}
    )
    assert nearest_fits(nearness, content) == {"A": 5.0, "B": 0.0, "C": float("-inf")}


def test_features_of_a_point_follow_its_picture_and_not_the_order_of_questions(
    photographs: list[np.ndarray], weights: Path
) -> None:
    dift = Dift(str(weights / "dift"), BackendOptions())
    pixels = photographs[1][:90, :130]
    maps = [dift.feature_map(pixels, seed, LEVELS["semantic_correspondence"]) for seed in (5, 6, 5)]
    assert maps[0].equal(maps[2])
    assert not maps[0].equal(maps[1])
    rows, columns = maps[0].shape[-2:]
    assert columns > rows
