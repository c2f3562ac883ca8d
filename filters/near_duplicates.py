"""Near-duplicates, proposed by perceptual hash.

A hash only proposes: on the 1,222 distinct images of II-Bench, two thirds of the pairs within 8 bits are
different pictures. So nothing is dropped here. People, or a step that looks at pixels, get `ask`; and what
was proposed stays in one split.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from pydantic import Field

from benchwright.records import ImageRecord
from benchwright.steps import Context, GatherContext, Gathered, GatherStep, MapStep, Outcome, Step, Stream

from .hamming import MAX_DISTANCE, iter_pairs
from .neighbours import Neighbourhood
from .perceptual_hash import HASHED_AT_LEAST_PX, phash

if TYPE_CHECKING:
    import pyarrow as pa

REASON = "near_duplicate"
LISTED_PARTNERS = 16
"""Partners named in evidence, nearest first. A thousand blank pages would name a million."""


class PerceptualHashes(MapStep):
    """Compute ImageHash's 64-bit pHash of every image, as an unsigned number: first bit highest."""

    name: ClassVar[str] = "hashes"
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {"phash": "uint64"}

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Hash one image, decoded in reduced size where its format allows."""
        return Outcome(values={"phash": phash(ctx.images.luma(record, at_least_px=HASHED_AT_LEAST_PX))})


class NearDuplicatePairs(GatherStep):
    """Ask about every image that has another one within `distance` bits, and group the connected ones."""

    name: ClassVar[str] = "pairs"
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {"group": "string"}
    columns: ClassVar[tuple[str, ...]] = ("image_id", "hashes.phash")

    distance: int = Field(ge=0, le=MAX_DISTANCE)

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Search all pairs of hashes; rows come in a stable order, so the answer does too."""
        del ctx
        hashes = columns["hashes.phash"].combine_chunks()
        hashed = np.flatnonzero(hashes.is_valid().to_numpy(zero_copy_only=False))
        ids = columns["image_id"].take(hashed).to_pylist()
        codes, code_of = np.unique(hashes.drop_null().to_numpy().astype(np.uint64), return_inverse=True)
        near = Neighbourhood.of(code_of, iter_pairs(codes, distance=self.distance), most=LISTED_PARTNERS)
        asked = np.flatnonzero(near.partners).tolist()
        smallest: dict[int, str] = {}
        for image in asked:
            cluster = int(near.cluster[image])
            smallest[cluster] = min(smallest.get(cluster, ids[image]), ids[image])
        return Gathered(
            rows=hashed[asked],
            verdicts=["ask"] * len(asked),
            reasons=[REASON] * len(asked),
            values={"group": [f"cluster:{smallest[int(near.cluster[image])][:16]}" for image in asked]},
            evidence=[
                {
                    "partners": [
                        {"image_id": ids[partner.image], "distance": partner.bits} for partner in near.nearest(image)
                    ],
                    "partners_total": int(near.partners[image]),
                }
                for image in asked
            ],
        )


class NearDuplicates(Step):
    """Propose near-duplicate images by perceptual hash: ask about them, never drop them.

    Args:
        distance: Bits of 64, 0-16, in which two pHashes may differ. Of the six true pairs among the 1,222
            distinct images of II-Bench, 6 bits propose one (2 pairs to look at), 8 bits four (13 pairs) and
            10 bits five (29 pairs): 8 is the last step at which a person finds a true pair among every three
            or four.
    """

    name: ClassVar[str] = "near_duplicates"
    consumes: ClassVar[Stream] = "images"

    distance: int = Field(8, ge=0, le=MAX_DISTANCE)

    def parts(self) -> tuple[Step, ...]:
        """Hash, then pair. The distance is the second part's alone, so that a new one decodes nothing."""
        return (PerceptualHashes(), NearDuplicatePairs(distance=self.distance))
