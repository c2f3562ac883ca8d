"""Near-duplicates: hashes are ImageHash's, pairs are asked about and grouped, nothing is dropped."""

from __future__ import annotations

import json
from pathlib import Path

import imagehash
import numpy as np
import pyarrow as pa
import pytest
from PIL import Image
from pydantic import ValidationError
from step_context import StepContext

from benchwright.errors import UnreadableImage
from benchwright.filters.near_duplicates import (
    LISTED_PARTNERS,
    NearDuplicatePairs,
    NearDuplicates,
    PerceptualHashes,
)
from benchwright.steps import GatherContext, Gathered

CONTEXT = GatherContext(seed=0, stage="near_duplicates.pairs")


def image_id(number: int) -> str:
    """Ids that sort as their numbers do, within one shard and over several."""
    return f"{number:02x}" * 32


def pairs_of(hashes: list[int | None], *, distance: int = 8, ids: list[str] | None = None) -> Gathered:
    table = pa.table(
        {
            "image_id": pa.chunked_array([pa.array(ids or [image_id(n) for n in range(len(hashes))])]),
            "hashes.phash": pa.array(hashes, pa.uint64()),
        }
    )
    return NearDuplicatePairs(distance=distance).gather(table, CONTEXT)


def test_the_hash_is_the_one_of_imagehash(context: StepContext) -> None:
    from skimage.data import coffee

    record = context.add(np.ascontiguousarray(coffee()))
    expected = int(str(imagehash.phash(Image.fromarray(coffee()))), 16)
    assert context.run(PerceptualHashes(), record).values == {"phash": expected}


def test_a_photograph_and_its_small_jpeg_copy_differ_in_few_bits(context: StepContext) -> None:
    from skimage.data import rocket

    photo = np.ascontiguousarray(rocket())
    small = np.asarray(Image.fromarray(photo).resize((317, 211)))
    one, other = (
        context.run(PerceptualHashes(), record).values["phash"]
        for record in (context.add(photo), context.add(small, "small.jpg", quality=60))
    )
    assert (one ^ other).bit_count() <= 8


@pytest.mark.parametrize(
    "shape", [pytest.param((1, 1, 3), id="one-pixel"), pytest.param((3, 900, 3), id="extremely-wide")]
)
def test_hostile_sizes_have_a_hash(context: StepContext, shape: tuple[int, int, int]) -> None:
    phash = context.run(PerceptualHashes(), context.add(np.full(shape, 77, np.uint8))).values["phash"]
    assert 0 <= phash < 2**64


def test_a_broken_image_is_left_to_the_engine_with_its_reason(context: StepContext) -> None:
    record = context.add(np.arange(40 * 30 * 3, dtype=np.uint8).reshape(30, 40, 3))
    file = context.path(record)
    file.write_bytes(file.read_bytes()[:-60])
    with pytest.raises(UnreadableImage):
        context.run(PerceptualHashes(), record)


def test_both_ends_of_a_pair_are_asked_about() -> None:
    found = pairs_of([0, 2**63, 0b111])
    assert found.rows.tolist() == [0, 1, 2]
    assert found.verdicts == ["ask"] * 3
    assert found.reasons == ["near_duplicate"] * 3


def test_an_image_beyond_the_distance_is_not_spoken_of() -> None:
    assert pairs_of([0, 0b1111, 2**64 - 1], distance=4).rows.tolist() == [0, 1]


def test_one_bit_beyond_the_distance_is_beyond() -> None:
    assert pairs_of([0, 0b1_1111], distance=4).rows.tolist() == []


def test_nothing_is_ever_dropped() -> None:
    found = pairs_of([5, 5, 4, 2**40])
    assert set(found.verdicts or ()) == {"ask"}


def test_partners_are_named_with_their_distance_nearest_first() -> None:
    found = pairs_of([0b0, 0b11, 0b1, 0b1])
    assert found.evidence is not None
    assert found.evidence[0] == {
        "partners": [
            {"image_id": image_id(2), "distance": 1},
            {"image_id": image_id(3), "distance": 1},
            {"image_id": image_id(1), "distance": 2},
        ],
        "partners_total": 3,
    }


def test_the_group_is_named_after_the_smallest_id_of_the_component() -> None:
    ids = [image_id(9), image_id(4), image_id(7), image_id(1)]
    found = pairs_of([0b0, 0b11, 0b1111, 2**63 - 1], distance=2, ids=ids)
    assert found.rows.tolist() == [0, 1, 2]
    assert found.values["group"] == [f"cluster:{image_id(4)[:16]}"] * 3


def test_components_that_do_not_touch_are_two_groups() -> None:
    found = pairs_of([0, 2**64 - 1, 1, 2**64 - 2])
    assert found.values["group"] == [f"cluster:{image_id(n)[:16]}" for n in (0, 1, 0, 1)]


def test_many_blank_pages_name_few_partners_and_count_all() -> None:
    found = pairs_of([0] * 40 + [1])
    assert found.evidence is not None
    assert {len(evidence["partners"]) for evidence in found.evidence} == {LISTED_PARTNERS}
    assert {evidence["partners_total"] for evidence in found.evidence} == {40}
    assert all(
        image_id(row) not in {partner["image_id"] for partner in evidence["partners"]}
        for row, evidence in enumerate(found.evidence)
    )


def test_an_image_without_a_hash_is_passed_over() -> None:
    found = pairs_of([3, None, 3])
    assert found.rows.tolist() == [0, 2]
    assert found.values["group"] == [f"cluster:{image_id(0)[:16]}"] * 2


@pytest.mark.parametrize("hashes", [pytest.param([], id="no-images"), pytest.param([7], id="one-image")])
def test_few_images_have_no_pairs(hashes: list[int | None]) -> None:
    assert pairs_of(hashes).rows.tolist() == []


def test_the_distance_belongs_to_the_second_part_alone() -> None:
    hashes, pairs = NearDuplicates(distance=3).parts()
    assert hashes.parameters() == {}
    assert pairs.parameters() == {"distance": 3}


@pytest.mark.parametrize(
    "settings",
    [{"distance": -1}, {"distance": 17}, {"distance": 2.5}, {"distance": float("nan")}, {"threshold": 4}],
)
def test_wrong_settings_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        NearDuplicates.model_validate(settings)


@pytest.fixture(scope="module")
def proposed(ii_bench: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """Names of II-Bench's images that the default settings propose as near-duplicates, by name."""
    expected = json.loads((ii_bench / "expected.json").read_text())
    named = {name for pair in expected["near_duplicate_pairs"] for name in (pair["a"], pair["b"])}
    named |= {name for a, b, _ in expected["look_alikes_that_are_different_images"] for name in (a, b)}
    context = StepContext(tmp_path_factory.mktemp("unused"))
    records = {}
    for path in sorted((ii_bench / "images").glob("*/*")):
        if path.stem in named:
            records[path.stem] = context.add_file(path)
    hashes = {name: context.run(PerceptualHashes(), record).values["phash"] for name, record in records.items()}
    table = pa.table(
        {
            "image_id": [records[name].image_id for name in hashes],
            "hashes.phash": pa.array(hashes.values(), pa.uint64()),
        }
    )
    found = NearDuplicates().parts()[1].gather(table, CONTEXT)  # type: ignore[attr-defined]
    names = list(hashes)
    of_id = {records[name].image_id: name for name in names}
    return {
        names[row]: {of_id[partner["image_id"]] for partner in evidence["partners"]}
        for row, evidence in zip(found.rows.tolist(), found.evidence, strict=True)
    }


@pytest.mark.parametrize(("one", "other"), [("test-378", "test-993"), ("test-87", "test-199")])
def test_true_near_duplicates_of_ii_bench_are_proposed(proposed: dict[str, set[str]], one: str, other: str) -> None:
    assert other in proposed.get(one, set())


def test_a_tighter_crop_is_beyond_what_a_hash_can_see(proposed: dict[str, set[str]]) -> None:
    assert "test-678" not in proposed.get("test-646", set())


@pytest.mark.parametrize(
    ("one", "other"), [("test-1353", "test-1375"), ("test-212", "test-222"), ("test-1247", "test-1287")]
)
def test_look_alikes_of_ii_bench_are_asked_about_like_the_true_ones(
    proposed: dict[str, set[str]], one: str, other: str
) -> None:
    assert other in proposed.get(one, set())
