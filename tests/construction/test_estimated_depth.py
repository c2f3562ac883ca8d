"""The step `estimated_depth`, and the rule that people decide on items made from a model's estimates.

- Points of a pair differ by the margin, have flat surroundings, and the closer one is the lower one half of the time.
- Missing or wrong maps are recorded with a reason; a real model from transformers runs in batches.
- A recipe that freezes such items without a campaign is refused when it is planned, and again by `freeze`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dataset_fixtures.pictures import pixels
from PIL import Image
from step_context import StepContext
from tiny_depth_anything import make_depth_anything

from benchwright.construction.estimated.estimated_depth import EstimatedDepth
from benchwright.construction.ground_truth.truths import DepthComparison
from benchwright.construction.ground_truth.values import read_truths
from benchwright.construction.item_parts.options.choices import PlacedChoices, text_choices
from benchwright.errors import PrerequisiteError, RecipeError
from benchwright.exports.freezing.step import Freeze, freeze
from benchwright.pipeline import run_recipe
from benchwright.recipe import Recipe, step
from benchwright.records import Item, ItemImage
from benchwright.release import Release
from benchwright.release.format.estimates import require_decisions

WIDTH, HEIGHT = 320, 240
CHECK: dict[str, Any] = {"rule": "single", "simulate": {"annotators": 1}}


def blocks(seed: int) -> np.ndarray:
    """Return a map of large flat blocks, 16 bits, at half the size of the picture."""
    levels = np.random.default_rng(seed).permutation(12).reshape(3, 4) * 5000
    return np.kron(levels, np.ones((40, 40))).astype(np.uint16)


def write_pictures(folder: Path, count: int) -> None:
    for name in ("photos", "depth"):
        (folder / name).mkdir()
    for number in range(count):
        Image.fromarray(pixels(number, WIDTH, HEIGHT)).save(folder / "photos" / f"{number}.png")
        if number % 2:
            np.save(folder / "depth" / f"{number}.npy", blocks(number))
        else:
            Image.fromarray(blocks(number)).save(folder / "depth" / f"{number}.png")


def run(folder: Path, *campaigns: Any, name: str = "w", mode: str = "paper", **settings: Any) -> Any:
    steps = [
        step("estimated_depth", maps="depth", mode=mode, **settings),
        step("relative_depth", dataset="estimated_depth", mode=mode),
        *campaigns,
        step("freeze", name="depth", version="1.0", accept_simulated=True),
    ]
    return run_recipe(
        Recipe("d", steps, seed=5, folder=folder, shards=2), workspace=folder / name, images=folder / "photos"
    )


@pytest.mark.slow
@pytest.mark.parametrize("larger_is_nearer", [True, False])
def test_keys_follow_from_the_maps_and_a_release_says_who_estimated(tmp_path: Path, larger_is_nearer: bool) -> None:
    write_pictures(tmp_path, 40)
    finished = run(tmp_path, step("verify", **CHECK), larger_is_nearer=larger_is_nearer)
    release = Release.open(finished.workspace / finished.artifacts["release"])
    items = [row.item for row in release.items()]
    names = {
        row.image_id: Path(row.source.uri).stem
        for row in release.provenance()
        if hasattr(row, "source") and row.source is not None
    }
    assert len(items) >= 30
    lower = 0
    for item in items:
        depth = blocks(int(names[item.evidence["image_ids"][0]])).astype(float)
        point = {prompt.label: prompt.points[0] for prompt in item.images[0].prompts}
        found = {label: depth[int(y / 2), int(x / 2)] for label, (x, y) in point.items()}
        right = next(choice.text for choice in item.choices if choice.key == item.answer) or ""
        closer, farther = ("A", "B") if right.startswith("A") else ("B", "A")
        difference = (found[closer] - found[farther]) * (1 if larger_is_nearer else -1)
        assert difference >= 0.2 * 55000
        lower += point[closer][1] > point[farther][1]
        assert item.attributes["estimated_by"].startswith("depth_maps sha256:")
        assert item.evidence["original"]["estimated_by"] == item.attributes["estimated_by"]
    assert 0.25 * len(items) < lower < 0.75 * len(items)


@pytest.mark.slow
def test_hardened_pairs_lie_at_one_height_and_the_closer_point_on_either_side(tmp_path: Path) -> None:
    write_pictures(tmp_path, 40)
    finished = run(tmp_path, step("verify", **CHECK), mode="hardened")
    release = Release.open(finished.workspace / finished.artifacts["release"])
    items = [row.item for row in release.items()]
    assert len(items) >= 20
    on_left = 0
    for item in items:
        point = {prompt.label: prompt.points[0] for prompt in item.images[0].prompts}
        assert abs(point["A"][1] - point["B"][1]) <= 0.02
        right = next(choice.text for choice in item.choices if choice.key == item.answer) or ""
        closer, farther = ("A", "B") if right.startswith("A") else ("B", "A")
        on_left += point[closer][0] < point[farther][0]
    assert 0.2 * len(items) < on_left < 0.8 * len(items)


def test_a_recipe_that_freezes_them_without_people_is_refused_when_planned(tmp_path: Path) -> None:
    write_pictures(tmp_path, 2)
    with pytest.raises(RecipeError, match=r"'relative_depth' makes items from a model's estimates.*verify, review"):
        run(tmp_path)


class FrozenView:
    """A view of one item of an estimated truth that passed through some steps; nothing asks for its pictures."""

    image = image_bytes = None

    def __init__(self, *steps: str) -> None:
        self._steps = steps

    def stages(self) -> list[dict[str, str]]:
        return [{"stage": name, "step": name} for name in self._steps]

    def campaigns(self) -> dict[str, Any]:
        return {}

    def operations(self) -> list[Any]:
        return []

    def items(self) -> list[tuple[Item, dict[str, Any]]]:
        item = Item(
            item_id="0" * 32,
            task="relative_depth",
            kind="multiple_choice",
            images=(ItemImage(image_id="0" * 64, role="reference"),),
            question="Which of the two points is closer to the camera?",
            choices=text_choices(PlacedChoices(("A is closer", "B is closer"), "A")),
            answer="A",
            root_image_id="0" * 64,
            operation_id="0" * 32,
            made_from="0" * 64,
            attributes={"estimated_by": "depth_maps sha256:0"},
        )
        return [(item, {})]


def test_freezing_asks_again_for_a_campaign_of_people(tmp_path: Path) -> None:
    view: Any = FrozenView("relative_depth", "answer")
    settings = Freeze(release="depth", metadata="keep", redistribute="all")
    with pytest.raises(RecipeError, match="add one of the campaigns verify, review, screen_items"):
        freeze(settings, view, workspace=tmp_path, seed=1, recipe={})
    require_decisions("relative_depth", ["relative_depth", "screen_items"])


@pytest.mark.parametrize(
    ("numbers", "reason", "detail"),
    [
        pytest.param(None, "no_map", None, id="missing"),
        pytest.param(np.zeros((120, 160)), "bad_map", "the same everywhere", id="flat"),
        pytest.param(
            np.ones((120, 120)), "bad_map", "120 x 120 numbers, but the picture has 320 x 240", id="other shape"
        ),
        pytest.param(np.full((120, 160), np.nan), "bad_map", "finite", id="not a number"),
        pytest.param(np.array([[{}]], dtype=object), "bad_map", "cannot be read", id="pickled"),
    ],
)
def test_a_map_that_cannot_be_used_is_recorded(tmp_path: Path, numbers: Any, reason: str, detail: str | None) -> None:
    context = StepContext(tmp_path)
    record = context.add(pixels(1, WIDTH, HEIGHT), "1.png")
    (tmp_path / "depth").mkdir()
    if numbers is not None:
        np.save(tmp_path / "depth" / "1.npy", numbers, allow_pickle=True)
    outcome = context.run(EstimatedDepth(maps=str(tmp_path / "depth")), record)
    assert (outcome.verdict, outcome.reason) == ("ask", reason)
    assert detail is None or detail in outcome.evidence["detail"]


def test_a_missing_model_is_refused_with_the_line_that_fetches_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setenv("BENCHWRIGHT_MODELS", str(tmp_path))
    with pytest.raises(PrerequisiteError, match="hf download depth-anything/Depth-Anything-V2-Small-hf"):
        EstimatedDepth().parameters()


@pytest.mark.slow
def test_a_real_model_gives_pictures_of_several_sizes_their_pairs(tmp_path: Path) -> None:
    folder = make_depth_anything(tmp_path / "model")
    context = StepContext(tmp_path)
    sizes = [(112, 84), (84, 112), (112, 84)]
    records = [context.add(pixels(number, *size), f"{number}.png") for number, size in enumerate(sizes)]
    settings = EstimatedDepth(weights=str(folder), margin=0.05, flatness=0.04, device="cpu", batch_size=2)
    context.opened = settings.open(None)  # type: ignore[arg-type]
    outcomes = settings.many(records, context)  # type: ignore[arg-type]
    assert [outcome.verdict for outcome in outcomes] == ["keep"] * 3
    assert all("depth" in outcome.values or outcome.evidence == {"left_out": "no_pair"} for outcome in outcomes)
    for outcome in outcomes:
        for truth in read_truths(str(outcome.values.get("depth", "[]")), DepthComparison):
            assert truth.truth.original["estimated_by"] == f"depth_anything sha256:{settings.weights_hash()}"
