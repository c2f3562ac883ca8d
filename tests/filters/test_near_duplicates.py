"""Near-duplicates: hashes equal ImageHash's, each pair is proposed once, and settings reach the right part."""

from __future__ import annotations

from pathlib import Path

import imagehash
import numpy as np
import pyarrow as pa
import pytest
from PIL import Image
from pydantic import ValidationError
from step_context import StepContext

from benchwright.diagnostics.copies.candidate_pairs import MOST_BY_HASH
from benchwright.diagnostics.copies.pairing import ProposedPairs
from benchwright.diagnostics.copies.picture_hashes import PerceptualHashes
from benchwright.errors import UnreadableImage
from benchwright.filters.duplicates.near_duplicates import NearDuplicates
from benchwright.steps import GatherContext

pytestmark = pytest.mark.slow

CONTEXT = GatherContext(seed=0, stage="near_duplicates.pairs")
FAR = 0x5555_5555_5555_5555
"""A dHash; numbers added to its multiples stay far from each other."""


def image_id(number: int) -> str:
    """Ids that sort as their numbers do, within one shard and over several."""
    return f"{number:02x}" * 32


def spread(number: int) -> int:
    """Return one of some hashes that are far from each other."""
    return int(np.random.default_rng(number).integers(0, 2**63)) * 2 + 1


def table_of(
    hashes: list[int | None],
    *,
    dhashes: list[int] | None = None,
    mirrored: list[int] | None = None,
    widths: list[int] | None = None,
    order: list[int] | None = None,
) -> pa.Table:
    """Return what the part `pairs` reads, of pictures without words."""
    count = len(hashes)
    columns = {
        "image_id": pa.array([image_id(n) for n in range(count)], pa.string()),
        "width": pa.array(widths or [10] * count, pa.int64()),
        "height": pa.array([10] * count, pa.int64()),
        "hashes.phash": pa.array(hashes, pa.uint64()),
        "hashes.dhash": pa.array(dhashes or [spread(n + 900) for n in range(count)], pa.uint64()),
        "hashes.mirrored": pa.array(mirrored or [spread(n + 500) for n in range(count)], pa.uint64()),
        "features.words": pa.array([None] * count, pa.string()),
        "features.miniature": pa.array([None] * count, pa.string()),
    }
    return pa.table(columns).take(pa.array(order or list(range(count)), pa.int64()))


def pairs_of(
    hashes: list[int | None],
    *,
    distance: int = 8,
    dhashes: list[int] | None = None,
    mirrored: list[int] | None = None,
    widths: list[int] | None = None,
    order: list[int] | None = None,
) -> dict[str, list[str]]:
    """Return by image, as its number, the partners that are proposed, as theirs; `m` follows a mirrored one."""
    table = table_of(hashes, dhashes=dhashes, mirrored=mirrored, widths=widths, order=order)
    found = ProposedPairs(distance=distance).gather(table, CONTEXT)
    ids = table["image_id"].to_pylist()

    def number(one: str) -> str:
        return str(int(one[:2], 16))

    return {
        number(ids[row]): [number(one) + ("m" if one in turned else "") for one in partners]
        for row, partners, turned in zip(
            found.rows.tolist(), found.values["partners"], found.values["mirrored"], strict=True
        )
        if partners
    }


def test_the_hashes_are_those_of_imagehash_and_come_from_one_decoding(context: StepContext) -> None:
    from skimage.data import coffee

    record = context.add(np.ascontiguousarray(coffee()))
    image = Image.fromarray(coffee())
    assert context.run(PerceptualHashes(), record).values == {
        "phash": int(str(imagehash.phash(image)), 16),
        "dhash": int(str(imagehash.dhash(image)), 16),
        "mirrored": int(str(imagehash.phash(image.transpose(Image.Transpose.FLIP_LEFT_RIGHT))), 16),
    }
    assert context.images.asked == 1


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


def test_a_pair_is_proposed_once_under_the_greater_id() -> None:
    assert pairs_of([0, 2**63, 0b111]) == {"1": ["0"], "2": ["0", "1"]}


def test_one_bit_beyond_the_distance_is_beyond() -> None:
    assert pairs_of([0, 0b1_1111], distance=4) == {}
    assert pairs_of([0, 0b1111], distance=4) == {"1": ["0"]}


def test_dhash_proposes_what_phash_does_not_see() -> None:
    assert pairs_of([spread(1), spread(2)], dhashes=[FAR, FAR ^ 0b11]) == {"1": ["0"]}


def test_a_mirrored_copy_is_proposed_as_such() -> None:
    plain, other = spread(1), spread(2)
    assert pairs_of([plain, other], mirrored=[other ^ 1, plain ^ 2]) == {"1": ["0m"]}


def test_a_symmetric_picture_is_no_partner_of_itself() -> None:
    assert pairs_of([spread(1), spread(2)], mirrored=[spread(1), spread(2)]) == {}


def test_the_order_of_rows_changes_nothing() -> None:
    hashes: list[int | None] = [5, 4, 2**40, 2**41, 7, spread(3), spread(3) ^ 9]
    expected = pairs_of(hashes)
    for order in ([6, 5, 4, 3, 2, 1, 0], [3, 0, 6, 1, 5, 2, 4]):
        assert pairs_of(hashes, order=order) == expected


def test_a_thousand_blank_pages_are_a_few_pairs_each_and_all_meet_the_largest() -> None:
    hashes: list[int | None] = [0] * 200
    found = pairs_of(hashes, widths=[10] * 150 + [99] + [10] * 49)
    assert max(len(partners) for partners in found.values()) <= 2 * MOST_BY_HASH + 4
    met = {name for name, partners in found.items() if "150" in partners} | set(found["150"])
    assert met == {str(n) for n in range(200) if n != 150}


def test_near_ones_that_are_not_compared_are_counted() -> None:
    table = table_of([0] * 60 + [spread(4), spread(4)])
    found = ProposedPairs(distance=8).gather(table, CONTEXT)
    left_out = dict(zip(found.rows.tolist(), found.values["left_out"], strict=True))
    looks = sum(len(partners or ()) for partners in found.values["partners"])
    assert sum(count or 0 for count in left_out.values()) == 60 * 59 - 2 * (looks - 1)
    assert left_out.get(60) is None
    assert left_out.get(61) is None


def test_an_image_without_a_hash_is_passed_over() -> None:
    assert pairs_of([3, None, 3]) == {"2": ["0"]}


@pytest.mark.parametrize("hashes", [pytest.param([], id="no-images"), pytest.param([7], id="one-image")])
def test_few_images_have_no_pairs(hashes: list[int | None]) -> None:
    assert pairs_of(hashes) == {}


def test_settings_reach_the_part_that_they_belong_to_alone() -> None:
    parts = {part.name: part.parameters() for part in NearDuplicates(distance=3, protected=("mine/*",)).parts()}
    assert parts["pairs"] == {"distance": 3, "cosine": None}
    assert parts["hashes"] == parts["features"] == parts["looks"] == {}
    assert parts["kept"]["protected"] == ["mine/*"]


@pytest.mark.parametrize(
    "settings",
    [
        {"distance": -1},
        {"distance": 17},
        {"distance": 2.5},
        {"distance": float("nan")},
        {"threshold": 4},
        {"keep": ["resolution", "resolution"]},
        {"keep": ["beauty"]},
        {"quality": "no value"},
        {"groups": ""},
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        NearDuplicates.model_validate(settings)


def test_candidates_at_radius_8_are_those_of_imageHashes_own_bits(ii_bench: Path, tmp_path: Path) -> None:
    context = StepContext(tmp_path)
    paths = sorted((ii_bench / "images").glob("*/*"))
    ours, theirs = [], []
    for path in paths:
        ours.append(context.run(PerceptualHashes(), context.add_file(path)).values["phash"])
        with Image.open(path) as image:
            theirs.append(int(str(imagehash.phash(image)), 16))

    def near(codes: list[int]) -> set[tuple[int, int]]:
        return {(i, j) for i in range(len(codes)) for j in range(i) if (codes[i] ^ codes[j]).bit_count() <= 8}

    assert near(ours) == near(theirs)
    assert near(ours)
