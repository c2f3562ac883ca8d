"""Pairs of pictures to compare: proposed by hashes, words of local features, embeddings and chains.

The step `near_duplicates` has both parts as stages; `picture_copies` calls them on measured pictures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from benchwright.steps import GatherContext, Gathered, GatherStep, Stream
from benchwright.workspace.arrow_arrays import arrow_numbers, integers_of, numbers_of

from ..features.hamming import MAX_DISTANCE
from ..features.visual_words import decode_miniature, decode_words
from .candidate_pairs import (
    MOST_BY_HASH,
    CandidatePairs,
    KnownFeatures,
    each_pair_once,
    near_by_chain,
    near_by_features,
    near_by_hash,
    near_by_mirrored_hash,
)
from .linked_rows import linked_rows
from .verification import LEAST_SIDE_PX

if TYPE_CHECKING:
    import pyarrow as pa

DISTANCE = 8
"""Default number of bits, of 64, in which two hashes of a proposed pair may differ."""
COSINE = 0.85
"""Default smallest cosine at which two embeddings propose a pair."""
_COLUMNS = (
    "image_id",
    "width",
    "height",
    "hashes.phash",
    "hashes.dhash",
    "hashes.mirrored",
    "features.words",
    "features.miniature",
)
_EMBEDDING = "embeddings.embedding"
_T = TypeVar("_T")


class ProposedPairs(GatherStep):
    """Name for each image the partners to compare with it; only one image of each pair lists it.

    `left_out` is the number of images that are near by hash but are not compared; None if there are none.
    """

    name: ClassVar[str] = "pairs"
    version: ClassVar[int] = 4
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {
        "partners": "list<string>",
        "mirrored": "list<string>",
        "left_out": "int64",
    }
    imports: ClassVar[tuple[str, ...]] = ()

    distance: int = Field(ge=0, le=MAX_DISTANCE)
    cosine: float | None = Field(None, ge=0, le=1)
    """Smallest cosine at which embeddings propose a pair; None if they propose no pairs."""

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the columns to read, with embeddings only if they propose pairs."""
        return _COLUMNS if self.cosine is None else (*_COLUMNS, _EMBEDDING)

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Search for all pairs. Images are numbered by decreasing size, so that the order of rows does not matter."""
        del ctx
        return self.proposed(columns)[0]

    def proposed(self, columns: pa.Table, before: KnownFeatures | None = None) -> tuple[Gathered, KnownFeatures]:
        """Return all pairs, and the words' results that can be reused in a search among nearly the same images.

        Args:
            columns: Table with the columns that this step reads.
            before: Results of an earlier search; the pairs are the same with and without them.
        """
        rows = _largest_first(columns)
        # Words and miniatures take most of the memory: they are decoded on use, and never copied.
        words = _Decoded(columns["features.words"], rows, lambda text: decode_words(text or ""))
        miniatures = _Decoded(
            columns["features.miniature"], rows, lambda text: decode_miniature(text) if text else None
        )
        live = columns.drop_columns(["features.words", "features.miniature"]).take(arrow_numbers(rows))
        ids = live["image_id"].to_pylist()
        phash, dhash, mirrored = (numbers_of(live[f"hashes.{name}"]) for name in ("phash", "dhash", "mirrored"))
        turned = near_by_mirrored_hash(phash, mirrored, distance=self.distance)
        hashed_near = [near_by_hash(codes, distance=self.distance) for codes in (phash, dhash)]
        featured, known = near_by_features(words, miniatures, ids, before=before)
        borne = each_pair_once(
            [*(near.candidates for near in hashed_near), turned, featured, self._embedded(live)], ids
        )
        compared = np.zeros(len(ids), np.int64)
        for image, partners in borne.items():
            compared[image] += len(partners)
            compared[partners] += 1
        left_out = np.maximum.reduce([near.near for near in hashed_near]) - compared if ids else compared
        bearers = sorted({*borne, *np.flatnonzero(left_out > 0).tolist()}, key=lambda image: rows[image])
        gathered = Gathered(
            rows=np.array([rows[image] for image in bearers], np.int64),
            values={
                "partners": [
                    [ids[partner] for partner in borne[image]] if image in borne else None for image in bearers
                ],
                "mirrored": [
                    [
                        ids[partner]
                        for partner in borne[image]
                        if partner in turned.get(image, ()) or image in turned.get(partner, ())
                    ]
                    if image in borne
                    else None
                    for image in bearers
                ],
                "left_out": [int(left_out[image]) if left_out[image] > 0 else None for image in bearers],
            },
        )
        return gathered, known

    def _embedded(self, live: pa.Table) -> CandidatePairs:
        if self.cosine is None or not live.num_rows:
            return {}
        from benchwright.models.picture_vectors import decode_vectors

        from ..features.embeddings import near_by_embedding

        texts = live[_EMBEDDING].to_pylist()
        embedded_rows = [row for row, text in enumerate(texts) if text is not None]
        if not embedded_rows:
            return {}
        near = near_by_embedding(
            decode_vectors([texts[row] for row in embedded_rows]), cosine=self.cosine, most=MOST_BY_HASH
        )
        return {embedded_rows[row]: {embedded_rows[partner] for partner in partners} for row, partners in near.items()}


def _largest_first(columns: pa.Table) -> NDArray[np.int64]:
    """Return the rows that have hashes, those with the most pixels first; ties are ordered by id."""
    import pyarrow as pa
    import pyarrow.compute as pc

    hashed = integers_of(pc.indices_nonzero(columns["hashes.phash"].is_valid()))
    pixels = numbers_of(columns["width"]) * numbers_of(columns["height"])
    sizes = pa.table({"pixels": arrow_numbers(pixels), "image_id": columns["image_id"]}).take(arrow_numbers(hashed))
    return hashed[integers_of(pc.sort_indices(sizes, [("pixels", "descending"), ("image_id", "ascending")]))]


class _Decoded(Generic[_T]):
    """Some texts of a column, in a given order of rows, each decoded on access."""

    def __init__(self, column: pa.ChunkedArray, rows: NDArray[np.int64], decode: Callable[[str | None], _T]) -> None:
        self._column, self._rows, self._decode = column, rows, decode

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, place: int) -> _T:
        return self._decode(self._column[int(self._rows[place])].as_py())


class ChainedPairs(GatherStep):
    """Name for each image of a chain of confirmed copies the images of the chain not yet compared with it."""

    name: ClassVar[str] = "chains"
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {"partners": "list<string>", "mirrored": "list<string>"}
    columns: ClassVar[tuple[str, ...]] = (
        "image_id",
        "width",
        "height",
        "pairs.partners",
        "pairs.mirrored",
        "looks.confirmed",
    )
    imports: ClassVar[tuple[str, ...]] = ()

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Follow confirmed pairs. A pair is also compared mirrored if either image was proposed mirrored in a pair.

        Pictures enlarged for comparison are not followed: icons differ in so few pixels that a chain would connect
        different ones.
        """
        del ctx
        chained = linked_rows(columns, ["looks.confirmed"])
        images = columns.take(arrow_numbers(chained)).to_pylist()
        rows = sorted(
            range(len(images)), key=lambda row: (-images[row]["width"] * images[row]["height"], images[row]["image_id"])
        )
        ids = [images[row]["image_id"] for row in rows]
        position = {image_id: place for place, image_id in enumerate(ids)}
        compared, confirmed = (
            [
                (place, position[partner])
                for place, row in enumerate(rows)
                for partner in images[row][name] or ()
                if partner in position
            ]
            for name in ("pairs.partners", "looks.confirmed")
        )
        turned = np.isin(chained[rows], linked_rows(columns, ["pairs.mirrored"]))
        flipped = set(np.flatnonzero(turned).tolist())
        is_tiny = [max(images[row]["width"], images[row]["height"]) < LEAST_SIDE_PX for row in rows]
        confirmed = [(left, right) for left, right in confirmed if not is_tiny[left] and not is_tiny[right]]
        candidates = near_by_chain(confirmed, compared, images=len(ids))
        bearers = sorted(candidates, key=lambda place: rows[place])
        partners = [sorted(candidates[place], key=lambda partner: ids[partner]) for place in bearers]
        return Gathered(
            rows=chained[[rows[place] for place in bearers]],
            values={
                "partners": [[ids[partner] for partner in named] for named in partners],
                "mirrored": [
                    [ids[partner] for partner in named if flipped & {place, partner}]
                    for place, named in zip(bearers, partners, strict=True)
                ],
            },
        )
