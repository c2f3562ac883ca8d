"""The step `similar_pictures`: triplets of the user's photographs by the features of a vision model.

- The nearer picture is nearer by the margin, no two are near copies, and no picture is in two triplets.
- The order of rows changes nothing; pictures without a triplet are reported with what was missing.
- A real DINOv2 from transformers runs in batches, only an unreadable picture fails, and a release contains the items.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from dataset_fixtures.pictures import pixels
from PIL import Image
from step_context import StepContext
from tiny_dinov2 import make_dinov2

from benchwright.construction.estimated.similar_pictures import PictureFeatures, SimilarPictures
from benchwright.construction.ground_truth.truths import SimilarityTriplet
from benchwright.construction.ground_truth.values import RecordTruth, read_records, read_truths
from benchwright.construction.tasks.visual_similarity import VisualSimilarity
from benchwright.errors import PrerequisiteError, RecipeError
from benchwright.exports.commands import show
from benchwright.models import encode_vector
from benchwright.models.picture_vectors import decode_vectors
from benchwright.pipeline import run_recipe
from benchwright.pipeline.planning.plan import plan
from benchwright.recipe import Recipe, step
from benchwright.release import Release, verify_release
from benchwright.steps import GatherContext

DIGEST = f"sha256:{'a' * 64}"
LIMITS: dict[str, Any] = {"copies": 0.95, "least": 0.3, "margin": 0.2}


def clustered(count: int) -> dict[str, str]:
    """Return features of pictures in five clusters, and of a near copy of each fifth picture, by name."""
    rng = np.random.default_rng(4)
    centres = rng.normal(size=(5, 12))
    found = {}
    for number in range(count):
        vector = centres[number % 5] + rng.normal(size=12) * 0.7
        found[f"{number:064x}"] = vector
        if number % 5 == 0:
            found[f"{number + 1000:064x}"] = vector + 1e-3
    return {name: encode_vector((vector / np.linalg.norm(vector)).astype(np.float32)) for name, vector in found.items()}


def gathered(features: dict[str, str | None], names: list[str], *, seed: int = 1, **limits: Any) -> dict[str, Any]:
    """Return the values of each image that has some."""
    columns = pa.table({"image_id": names, "features.features": pa.array([features[n] for n in names], pa.string())})
    settings = SimilarPictures(weights=DIGEST, **{**LIMITS, **limits})
    result = settings.gather(columns, GatherContext(seed, "similar_pictures"))
    return {
        names[row]: {name: column[place] for name, column in result.values.items()}
        for place, row in enumerate(result.rows.tolist())
    }


def triplets_of(values: dict[str, Any]) -> list[RecordTruth[SimilarityTriplet]]:
    texts = [value["similarity"] for value in values.values() if value["similarity"]]
    return [truth for text in texts for truth in read_truths(text, SimilarityTriplet)]


def test_the_nearer_picture_is_nearer_and_no_picture_is_in_two_triplets() -> None:
    features = clustered(60)
    values = gathered(dict(features), list(features))
    triplets = triplets_of(values)
    assert len(triplets) >= 12
    used = [image_id for triplet in triplets for image_id in triplet.image_ids]
    assert len(used) == len(set(used))
    sides = set()
    for triplet in triplets:
        vectors = decode_vectors([features[image_id] for image_id in triplet.image_ids])
        cosine = vectors @ vectors.T
        assert max(cosine[0, 1], cosine[0, 2], cosine[1, 2]) <= 0.95 + 1e-4
        nearer, farther = (1, 2) if triplet.truth.closer == "left" else (2, 1)
        assert cosine[0, nearer] >= 0.3 - 1e-4
        assert cosine[0, nearer] - cosine[0, farther] >= 0.2 - 2e-4
        assert triplet.truth.original["nearer_cosine"] == pytest.approx(cosine[0, nearer], abs=1e-4)
        assert triplet.truth.original["estimated_by"] == f"dinov2 {DIGEST}"
        assert triplet.truth.votes == 1
        other = decode_vectors([features[triplet.truth.original["other_reference"]]])[0]
        assert other @ vectors[farther] - other @ vectors[nearer] >= 0.2 - 2e-4
        for place, image_id in enumerate(triplet.image_ids):
            [record] = read_records(values[image_id]["records"])
            assert (record.record, record.place) == (triplet.record, place)
        sides.add(triplet.truth.closer)
    assert sides == {"left", "right"}
    assert triplets_of(gathered(dict(features), list(features), seed=2)) != triplets


@pytest.mark.parametrize(("mode", "low", "high"), [("hardened", 0.4, 0.6), ("paper", 0.9, 1.0)])
def test_a_picture_that_is_near_to_many_others_is_the_nearer_one_by_chance_alone(
    mode: str, low: float, high: float
) -> None:
    # Five pictures around one, whose cosine with each is 0.7, and two others that are near to each other alone.
    vectors = np.zeros((8, 8))
    for number in range(5):
        vectors[number, [number, 5]] = np.sqrt(0.51), 0.7
    vectors[5, 6], vectors[6, [6, 7]] = 1.0, (0.8, 0.6)
    vectors[7, 5] = 1.0
    names = [f"{number:064x}" for number in range(8)]
    features: dict[str, str | None] = {
        name: encode_vector(vector.astype(np.float32)) for name, vector in zip(names, vectors, strict=True)
    }
    keys = []
    for seed in range(200):
        for triplet in triplets_of(gathered(features, names, seed=seed, mode=mode, margin=0.3)):
            if names[7] in triplet.image_ids[1:]:
                keys.append(triplet.image_ids[1 if triplet.truth.closer == "left" else 2] == names[7])
    assert len(keys) > 80
    assert low <= np.mean(keys) <= high


def test_the_order_of_rows_changes_nothing_and_pictures_without_features_stay_out() -> None:
    features: dict[str, str | None] = dict(clustered(30))
    names = list(features)
    features[names[3]] = None
    assert gathered(features, names) == gathered(features, names[::-1])
    assert names[3] not in gathered(features, names)
    assert gathered({}, []) == {}


@pytest.mark.parametrize(
    ("cosines", "reason"),
    [
        pytest.param((0.99, 0.1), "no_nearer", id="a copy is no picture to ask about"),
        pytest.param((0.6, 0.5), "no_farther", id="both are about as near"),
    ],
)
def test_what_was_missing_is_said(cosines: tuple[float, float], reason: str) -> None:
    vectors = [np.array([1.0, 0.0, 0.0])]
    vectors += [np.eye(3)[0] * c + np.eye(3)[place] * np.sqrt(1 - c * c) for place, c in enumerate(cosines, start=1)]
    features: dict[str, str | None] = {
        f"{number:064x}": encode_vector(vector.astype(np.float32)) for number, vector in enumerate(vectors)
    }
    # Whoever has the first turn, the picture 0 has one, since no triplet has it.
    values = gathered(features, list(features), margin=0.4)
    assert triplets_of(values) == []
    assert values[f"{0:064x}"]["left_out"] == reason


def test_a_farther_picture_without_a_near_one_of_its_own_makes_no_triplet(caplog: pytest.LogCaptureFixture) -> None:
    vectors = [[1, 0, 0], [0.6, 0.8, 0], [0.2, -0.2, 0.96]]
    features: dict[str, str | None] = {
        f"{number:064x}": encode_vector((np.array(vector) / np.linalg.norm(vector)).astype(np.float32))
        for number, vector in enumerate(vectors)
    }
    values = gathered(features, list(features), margin=0.2)
    assert triplets_of(values) == []
    assert values[f"{0:064x}"]["left_out"] == "no_partner"
    assert "triplets for 0 items, and no_partner" in caplog.text
    assert "each of the two candidates needs a picture near to it" in caplog.text
    assert len(triplets_of(gathered(features, list(features), margin=0.2, mode="paper"))) == 1


def test_limits_without_any_picture_between_them_are_refused() -> None:
    with pytest.raises(ValueError, match=r"least 0.9 must be below copies 0.8"):
        SimilarPictures(least=0.9, copies=0.8)


def test_a_missing_model_is_named_with_the_line_that_fetches_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setenv("BENCHWRIGHT_MODELS", str(tmp_path))
    assert "hf download facebook/dinov2-small" in (SimilarPictures().lacks({}) or "")
    with pytest.raises(PrerequisiteError, match="step 'similar_pictures' needs the weights"):
        SimilarPictures().parameters()


def test_two_entries_of_one_task_read_truths_of_their_own() -> None:
    steps: list[tuple[str, Any]] = [(name, SimilarPictures(weights=DIGEST)) for name in ("near", "far")]
    steps += [(f"of_{name}", VisualSimilarity(dataset=name, min_votes=1)) for name in ("near", "far")]
    read = {stage.id: set(stage.reads.values()) for stage in plan(steps)}
    assert "near.similar_pictures.similarity" in read["of_near.selection"]
    assert "far.similar_pictures.similarity" in read["of_far.selection"]


@pytest.mark.slow
def test_features_are_those_of_single_pictures_and_a_broken_picture_fails_alone(tmp_path: Path) -> None:
    settings = SimilarPictures(weights=str(make_dinov2(tmp_path / "model")), side_px=56, device="cpu", batch_size=2)
    part = PictureFeatures.of(settings)
    context = StepContext(tmp_path)
    sizes = [(120, 80), (80, 120), (64, 64)]
    records = [context.add(pixels(number, *size), f"{number}.png") for number, size in enumerate(sizes)]
    (tmp_path / "1.png").write_bytes(b"no picture")
    context.opened = part.open(None)  # type: ignore[arg-type]
    outcomes = part.many(records, context)  # type: ignore[arg-type]
    assert [outcome.verdict for outcome in outcomes] == ["keep", "failed", "keep"]
    alone = part.one(records[2], context)  # type: ignore[arg-type]
    together = decode_vectors([str(outcomes[2].values["features"]), str(alone.values["features"])])
    assert together[0] @ together[1] == pytest.approx(1, abs=1e-3)
    assert part.parameters() == {"weights": f"sha256:{settings.weights_hash()}", "side_px": 56}


@pytest.mark.slow
def test_a_release_has_items_of_the_model_only_where_people_decide(tmp_path: Path) -> None:
    make_dinov2(tmp_path / "model")
    (tmp_path / "photos").mkdir()
    for number in range(24):
        Image.fromarray(pixels(number, 160, 140)).save(tmp_path / "photos" / f"{number}.png")
    steps: list[Any] = [
        step("similar_pictures", weights="model", side_px=56, copies=0.9999, least=-0.9, margin=1e-4, device="cpu"),
        step("visual_similarity", dataset="similar_pictures", min_votes=1),
    ]
    last = step("freeze", name="similar", version="1.0")
    folders: dict[str, Any] = {"workspace": tmp_path / "w", "images": tmp_path / "photos"}
    with pytest.raises(RecipeError, match="makes items from a model's estimates"):
        run_recipe(Recipe("s", [*steps, last], seed=5, folder=tmp_path, shards=2), **folders)
    check = step("verify", rule="single", simulate={"annotators": 1})
    with pytest.raises(RecipeError, match="only simulated annotators decided on them; let people decide, or set"):
        run_recipe(Recipe("s", [*steps, check, last], seed=5, folder=tmp_path, shards=2), **folders)
    last = step("freeze", name="similar", version="1.0", accept_simulated=True)
    finished = run_recipe(Recipe("s", [*steps, check, last], seed=5, folder=tmp_path, shards=2), **folders)
    release = Release.open(finished.workspace / finished.artifacts["release"])
    items = [row.item for row in release.items()]
    assert items
    for item in items:
        assert item.attributes["estimated_by"].startswith("dinov2 sha256:")
        original = item.evidence["original"]
        assert original["nearer_cosine"] > original["farther_cosine"], json.dumps(original)
        assert len({image.image_id for image in item.images}) == 3
    undecided = f"any person looked at {len(items)} of its {len(items)} items, whose answers a model estimated"
    verification = verify_release(release.path)
    assert verification.ok, verification.problems
    assert any(undecided in line for line in verification.not_proven)
    assert (
        f"**No person decided on {len(items)} of these {len(items)} items" in (release.path / "README.md").read_text()
    )
    shown = CliRunner().invoke(show, [str(release.path), "--json"])
    assert json.loads(shown.output)["estimated"] == {
        "items": len(items), "tasks": {"visual_similarity": len(items)}, "decided_by": "simulated"
    }  # fmt: skip
    assert "only simulated annotators decided on them" in CliRunner().invoke(show, [str(release.path)]).output
