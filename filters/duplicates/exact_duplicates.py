"""Detection of images that show exactly the same pixels in different files.

Files with equal bytes are already one image. This step finds pictures that were stored again without loss: a PNG saved
as BMP or lossless WebP, or a picture rotated by EXIF in one file and by its pixels in the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from benchwright.images.decode import pixel_hash
from benchwright.records import ImageRecord
from benchwright.steps import Context, GatherContext, Gathered, GatherStep, MapStep, Outcome, Step, Stream, Verdict
from benchwright.workspace.arrow_arrays import arrow_numbers, integers_of, numbers_of

if TYPE_CHECKING:
    import pyarrow as pa

_REASON = "exact_duplicate"


class SameSizeCandidates(GatherStep):
    """Mark the images whose upright size equals that of another image; only these can have equal pixels."""

    name: ClassVar[str] = "candidates"
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {"candidate": "bool"}
    columns: ClassVar[tuple[str, ...]] = ("image_id", "width", "height")
    imports: ClassVar[tuple[str, ...]] = ()

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Compare sizes without decoding."""
        del ctx
        width, height = (numbers_of(columns[name]).astype(np.uint64) for name in ("width", "height"))
        _, size_of, count = np.unique(width << np.uint64(32) | height, return_inverse=True, return_counts=True)
        rows = np.flatnonzero(count[size_of] > 1)
        return Gathered(rows=rows, values={"candidate": [True] * len(rows)})


class CandidatePixels(MapStep):
    """Hash the upright pixels of candidates, without decoding other images."""

    name: ClassVar[str] = "pixels"
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {"pixel_hash": "string"}
    reads: ClassVar[tuple[str, ...]] = ("candidates.candidate",)

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Hash one candidate."""
        if not ctx.value(record.image_id, "candidates.candidate"):
            return Outcome()
        return Outcome(values={"pixel_hash": pixel_hash(ctx.images.rgb(record))})


class EqualPixels(GatherStep):
    """Keep one image of each group with equal pixels: the one with the smallest source URI, then the smallest id."""

    name: ClassVar[str] = "groups"
    consumes: ClassVar[Stream] = "images"
    columns: ClassVar[tuple[str, ...]] = ("image_id", "pixels.pixel_hash", "source_uri")
    imports: ClassVar[tuple[str, ...]] = ()

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Drop all but one image of each group; the result does not depend on the order of rows."""
        del ctx
        shared = _rows_that_share(columns["pixels.pixel_hash"])
        columns = columns.take(arrow_numbers(shared))
        kept: dict[str, int] = {}
        dropped: list[int] = []
        ids = columns["image_id"].to_pylist()
        hashes = columns["pixels.pixel_hash"].to_pylist()
        uris = columns["source_uri"].to_pylist()
        by_rule = sorted(range(len(ids)), key=lambda row: (uris[row] is None, uris[row] or "", ids[row]))
        for row in by_rule:
            if kept.setdefault(hashes[row], row) != row:
                dropped.append(row)
        dropped.sort()
        verdicts: list[Verdict] = ["drop"] * len(dropped)
        evidence: list[dict[str, Any]] = [{"of": ids[kept[hashes[row]]]} for row in dropped]
        return Gathered(
            rows=shared[dropped],
            verdicts=verdicts,
            reasons=[_REASON] * len(dropped),
            evidence=evidence,
        )


def _rows_that_share(hashes: pa.ChunkedArray) -> NDArray[np.int64]:
    """Return the rows that share their hash with another row, ignoring rows without a hash."""
    number = integers_of(hashes.dictionary_encode().combine_chunks().indices)
    return np.flatnonzero((np.bincount(number[number >= 0], minlength=1) > 1)[number] & (number >= 0))


class ExactDuplicates(Step):
    """Drop images whose upright pixels equal another's, keeping the one with the smallest source URI.

    A PNG stored again as BMP, or a photograph rotated by EXIF instead of by pixels, has different bytes but equal
    pixels. Only images of equal size are decoded. Files with equal bytes are one image from the start and do not need
    this step.

    Reasons:
        exact_duplicate (drop): Another file has equal pixels.
    """

    name: ClassVar[str] = "exact_duplicates"
    consumes: ClassVar[Stream] = "images"

    def parts(self) -> tuple[Step, ...]:
        """Return the parts: find equal sizes, hash the pixels of these images, drop equal hashes."""
        return (SameSizeCandidates(), CandidatePixels(), EqualPixels())
