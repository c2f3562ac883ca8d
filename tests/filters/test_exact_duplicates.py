"""Exact duplicates: equal upright pixels in other files; only images of equal size are decoded."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from pydantic import ValidationError
from step_context import StepContext

from benchwright.filters.duplicates.exact_duplicates import (
    CandidatePixels,
    EqualPixels,
    ExactDuplicates,
    SameSizeCandidates,
)
from benchwright.images import pixel_hash
from benchwright.steps import GatherContext, Gathered

CONTEXT = GatherContext(seed=0, stage="exact_duplicates")


def same_size(sizes: list[tuple[int, int]]) -> dict[int, bool]:
    columns = {
        "image_id": [f"{n:064x}" for n in range(len(sizes))],
        "width": pa.array([width for width, _ in sizes], pa.int64()),
        "height": pa.array([height for _, height in sizes], pa.int64()),
    }
    found = SameSizeCandidates().gather(pa.table(columns), CONTEXT)
    return dict(zip(found.rows.tolist(), found.values["candidate"], strict=True))


def equal_pixels(rows: list[tuple[str, str | None, str | None]]) -> Gathered:
    """Run the last part on rows of (image id, pixel hash, source uri)."""
    names = ("image_id", "pixels.pixel_hash", "source_uri")
    columns = {name: pa.array([row[n] for row in rows], pa.string()) for n, name in enumerate(names)}
    return EqualPixels().gather(pa.table(columns), CONTEXT)


def test_images_of_equal_size_are_candidates() -> None:
    assert same_size([(4, 3), (4, 3), (5, 3), (4, 2)]) == {0: True, 1: True}


def test_a_turned_size_is_another_size() -> None:
    assert same_size([(4, 3), (3, 4)]) == {}


def test_no_images_have_no_candidates() -> None:
    assert same_size([]) == {}


def test_a_candidates_pixels_are_hashed(context: StepContext) -> None:
    pixels = np.random.default_rng(1).integers(0, 255, (5, 9, 3), dtype=np.uint8)
    record = context.add(pixels)
    context._values[record.image_id, "candidates.candidate"] = True
    assert context.run(CandidatePixels(), record).values == {"pixel_hash": pixel_hash(pixels)}


def test_an_image_that_is_no_candidate_is_not_decoded(context: StepContext) -> None:
    record = context.add(np.zeros((5, 9, 3), np.uint8))
    assert context.run(CandidatePixels(), record).values == {}
    assert context.images.asked == 0


@pytest.mark.parametrize(
    ("name", "saving"),
    [("copy.bmp", {}), ("copy.webp", {"lossless": True}), ("copy.png", {"compress_level": 9})],
)
def test_lossless_copies_in_other_formats_have_equal_pixels(
    context: StepContext, name: str, saving: dict[str, object]
) -> None:
    pixels = np.random.default_rng(2).integers(0, 255, (21, 34, 3), dtype=np.uint8)
    records = [context.add(pixels), context.add(pixels, name, **saving)]
    for record in records:
        context._values[record.image_id, "candidates.candidate"] = True
    one, other = (context.run(CandidatePixels(), record).values["pixel_hash"] for record in records)
    assert records[0].image_id != records[1].image_id
    assert one == other


def test_the_smallest_source_uri_is_kept_whatever_the_order_of_rows() -> None:
    rows = [("1" * 64, "same", "b.png"), ("2" * 64, "same", "a.bmp"), ("3" * 64, "same", "c.webp")]
    for order in ([0, 1, 2], [2, 1, 0], [1, 0, 2]):
        found = equal_pixels([rows[n] for n in order])
        assert [order[row] for row in found.rows] == [n for n in order if n != 1]
        assert found.evidence == [{"of": "2" * 64}] * 2


def test_of_equal_uris_the_smallest_id_is_kept() -> None:
    found = equal_pixels([("b" * 64, "same", "a.png"), ("a" * 64, "same", "a.png")])
    assert found.rows.tolist() == [0]


def test_an_image_with_a_source_is_kept_before_one_without() -> None:
    found = equal_pixels([("a" * 64, "same", None), ("b" * 64, "same", "z.png")])
    assert found.rows.tolist() == [0]


def test_what_is_dropped_says_why() -> None:
    found = equal_pixels([("a" * 64, "same", "a"), ("b" * 64, "same", "b")])
    assert (found.verdicts, found.reasons) == (["drop"], ["exact_duplicate"])


def test_other_pixels_and_images_without_a_hash_stay() -> None:
    found = equal_pixels(
        [("a" * 64, "one", "a"), ("b" * 64, "other", "b"), ("c" * 64, None, "c"), ("d" * 64, None, "d")]
    )
    assert found.rows.tolist() == []


def test_it_takes_no_settings() -> None:
    with pytest.raises(ValidationError):
        ExactDuplicates.model_validate({"distance": 0})


@pytest.mark.slow
def test_comparing_all_images_leaves_pandas_alone() -> None:
    program = """
import sys
import pyarrow as pa
from benchwright.workspace.arrow_arrays import arrow_array
from benchwright.filters.duplicates.exact_duplicates import SameSizeCandidates
from benchwright.diagnostics.copies.pairing import ProposedPairs
from benchwright.steps import GatherContext
numbers, texts = [[7, 7, 9] for _ in range(2)], ["", "", ""]
columns = {"image_id": ["a" * 64, "b" * 64, "c" * 64], "width": numbers[0], "height": numbers[1]}
columns |= {f"hashes.{name}": [1, 3, 2**63] for name in ("phash", "dhash", "mirrored")} | {"features.words": texts, "features.miniature": texts}
kinds = {int: pa.int64(), str: pa.string()}
table = pa.table({
    name: arrow_array(column, pa.uint64() if name.startswith("hashes.") else kinds[type(column[0])])
    for name, column in columns.items()
})
steps = [SameSizeCandidates(), ProposedPairs(distance=8)]
found = [step.gather(table.select(step.columns), GatherContext(0, step.name)) for step in steps]
print([one.rows.tolist() for one in found], "pandas" in sys.modules, [step.imports for step in steps])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[[0, 1], [1, 2]] False [(), ()]"
