"""Embeddings that propose pairs: a tiny model from a configuration, batches equal to single pictures, neighbors by
cosine.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from picture_copies import COPIES, photograph
from pydantic import ValidationError
from step_context import StepContext

from benchwright.diagnostics.copies.picture_hashes import KnownPicture
from benchwright.diagnostics.copies.search import possible_leaks
from benchwright.diagnostics.features.embeddings import Embeddings, near_by_embedding
from benchwright.errors import PrerequisiteError
from benchwright.filters.contamination.leakage import Leakage
from benchwright.filters.duplicates.near_duplicates import NearDuplicates
from benchwright.models import encode_vector
from benchwright.models.picture_vectors import decode_vectors
from benchwright.pipeline import run_steps


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A CLIP vision model of two layers with random weights."""
    torch = pytest.importorskip("torch")
    from transformers import CLIPVisionConfig, CLIPVisionModelWithProjection

    torch.manual_seed(0)
    config = CLIPVisionConfig(
        hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2, image_size=32, patch_size=8,
        projection_dim=16,
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("model")
    CLIPVisionModelWithProjection(config).save_pretrained(folder)
    return folder


def test_a_batch_gives_what_one_at_a_time_gives(model: Path, context: StepContext) -> None:
    step = Embeddings(model=str(model))
    records = [context.add(np.asarray(photograph(name)), f"{name}.png") for name in ("coffee", "rocket", "chelsea")]
    context.opened = step.open(context)
    batch = decode_vectors([str(one.values["embedding"]) for one in step.many(records, context)])
    single = decode_vectors([str(step.one(record, context).values["embedding"]) for record in records])
    assert batch.shape[0] == 3
    assert np.allclose(np.linalg.norm(batch, axis=1), 1, atol=1e-3)
    assert np.allclose(batch, single, atol=2e-3)


@pytest.mark.slow
def test_a_run_with_embeddings_proposes_by_them_and_the_second_look_decides(model: Path, tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    for name in ("coffee", "rocket"):
        photograph(name).save(tmp_path / "images" / f"{name}.png")
    COPIES["small"](photograph("coffee")).save(tmp_path / "images" / "small.png")
    step = NearDuplicates.model_validate({"embeddings": str(model), "cosine": 0.0})
    done = run_steps([step], images=tmp_path / "images", workspace=tmp_path / "w", workers=1)
    looks = [
        p["verdict"] for row in done.outcomes("near_duplicates.looks") for p in row["evidence"].get("partners", ())
    ]
    assert sorted(looks) == ["confirmed", "different", "different"]
    assert done.steps[-1].dropped == {"near_duplicate": 1}


def test_the_models_content_counts_and_not_its_place(model: Path) -> None:
    step = NearDuplicates.model_validate({"embeddings": str(model)})
    told = step.parameters()["embeddings"]
    assert told.startswith("sha256:")
    assert NearDuplicates.model_validate({"embeddings": told}).parameters()["embeddings"] == told
    with pytest.raises(PrerequisiteError, match="only the digest of"):
        Embeddings(model=told).open(StepContext(model))


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="contains no model; it needs config"):
        NearDuplicates.model_validate({"embeddings": str(tmp_path)})


def test_nearest_come_first_and_nobody_is_near_itself() -> None:
    angles = np.radians([0, 5, 20, 90])
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    assert near_by_embedding(vectors, cosine=0.9, most=1) == {0: {1}, 1: {0}, 2: {1}}
    assert near_by_embedding(vectors, cosine=0.9, most=5)[0] == {1, 2}
    assert near_by_embedding(vectors[:1], cosine=0.0, most=5) == {}


def test_vectors_survive_being_spelled() -> None:
    vector = np.array([0.6, 0.0, -0.8], np.float32)
    assert np.allclose(decode_vectors([encode_vector(vector)])[0], vector, atol=1e-3)


def test_embeddings_alone_propose_leaks_the_nearest_first() -> None:
    vectors = np.eye(4, dtype=np.float32)
    near = np.array([0.95, 0.3, 0, 0], np.float32)
    mine = [KnownPicture("mine", embedding=encode_vector(vectors[0])), KnownPicture("none")]
    others = [
        KnownPicture("a", embedding=encode_vector(near)),
        KnownPicture("b", embedding=encode_vector(vectors[2])),
        KnownPicture("c", embedding=encode_vector(vectors[0])),
    ]
    found = possible_leaks(mine, others, distance=8, cosine=0.9)
    assert [others[one.place].name for one in found[0]] == ["c", "a"]
    assert list(found) == [0]
    assert possible_leaks(mine, others, distance=8) == {}


@pytest.mark.slow
def test_what_embeddings_propose_as_leaked_is_looked_at_again(model: Path, tmp_path: Path) -> None:
    for name in ("mine", "train"):
        (tmp_path / name).mkdir()
    photograph("coffee").save(tmp_path / "mine" / "coffee.png")
    photograph("rocket").save(tmp_path / "mine" / "rocket.png")
    photograph("chelsea").save(tmp_path / "train" / "chelsea.png")
    COPIES["small"](photograph("coffee")).save(tmp_path / "train" / "small.png")
    step = Leakage.model_validate({"against": [str(tmp_path / "train")], "embeddings": str(model), "cosine": 0.0})
    done = run_steps([step], images=tmp_path / "mine", workspace=tmp_path / "w", workers=1)
    assert [len(row["partners"]) for row in done.outcomes("leakage.candidates")] == [2, 2]
    assert done.steps[-1].dropped == {"leaked": 1}
    assert str(tmp_path) not in str(step.parameters())
