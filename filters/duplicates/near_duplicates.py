"""Near-duplicates: hashes and local features propose pairs, comparing pixels confirms them, the best copy is kept.

A hash alone proves nothing: on the 1,222 distinct images of II-Bench, two thirds of the pairs within 8 bits are
different pictures. Confirmed copies are dropped, unsure pairs are asked about, and connected images, views of one scene
included, share a group key, so that they stay in one split.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import Field, PrivateAttr, ValidationInfo, field_validator, model_validator

from benchwright.diagnostics.copies.candidate_pairs import (
    MOST_BY_HASH,
    CandidatePairs,
    KnownFeatures,
    each_pair_once,
    near_by_chain,
    near_by_features,
    near_by_hash,
    near_by_mirrored_hash,
)
from benchwright.diagnostics.copies.verification import LEAST_SIDE_PX, ChainLooks, SecondLooks
from benchwright.diagnostics.features.embeddings import Embeddings
from benchwright.diagnostics.features.hamming import MAX_DISTANCE
from benchwright.diagnostics.features.visual_words import FeatureWords, decode_miniature, decode_words
from benchwright.images.perceptual_hash import HASHED_AT_LEAST_PX, hashes
from benchwright.records import ImageRecord
from benchwright.steps import SCENES, Context, GatherContext, Gathered, GatherStep, MapStep, Outcome, Step, Stream
from benchwright.workspace.arrow_arrays import arrow_array, numbers_of

from .kept_copies import CRITERIA, Criterion, KeptOfCopies

if TYPE_CHECKING:
    import pyarrow as pa


class PerceptualHashes(MapStep):
    """Compute ImageHash's 64-bit pHash and dHash of every image, as unsigned numbers: first bit highest.

    `mirrored` is the pHash of the picture mirrored left to right.
    """

    name: ClassVar[str] = "hashes"
    version: ClassVar[int] = 2
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {"phash": "uint64", "dhash": "uint64", "mirrored": "uint64"}

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Hash one image, decoded once, in reduced size where its format allows."""
        return Outcome(values=hashes(ctx.images.luma(record, at_least_px=HASHED_AT_LEAST_PX))._asdict())


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


class ProposedPairs(GatherStep):
    """Name for each image the partners that it is to be compared with; each pair is listed under one of its images.

    `left_out` is the number of images near by hash that it is not compared with; None where there are none.
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
    """None where embeddings propose no pairs."""

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the columns to read: embeddings only where they propose pairs."""
        return _COLUMNS if self.cosine is None else (*_COLUMNS, _EMBEDDING)

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Search all pairs. Images are numbered largest first, so the order of rows does not matter."""
        del ctx
        return self.proposed(columns)[0]

    def proposed(self, columns: pa.Table, before: KnownFeatures | None = None) -> tuple[Gathered, KnownFeatures]:
        """Return all pairs, and what the words of the images told, for a search among nearly the same images.

        Args:
            columns: Table with the columns that this step reads.
            before: What an earlier search told; the pairs are the same with it and without it.
        """
        import pyarrow as pa

        ids = columns["image_id"].to_pylist()
        pixels = numbers_of(columns["width"]) * numbers_of(columns["height"])
        hashed = [row for row, is_there in enumerate(columns["hashes.phash"].is_valid().to_pylist()) if is_there]
        rows = sorted(hashed, key=lambda row: (-pixels[row], ids[row]))
        # Words and miniatures take most of the memory: they are read one by one and never copied into another order.
        words, miniatures = (columns[f"features.{name}"] for name in ("words", "miniature"))
        narrow = columns.drop_columns(["features.words", "features.miniature"])
        live = narrow.take(arrow_array(rows, pa.int64()))
        ids = live["image_id"].to_pylist()
        phash, dhash, mirrored = (numbers_of(live[f"hashes.{name}"]) for name in ("phash", "dhash", "mirrored"))
        turned = near_by_mirrored_hash(phash, mirrored, distance=self.distance)
        hashed_near = [near_by_hash(codes, distance=self.distance) for codes in (phash, dhash)]
        featured, known = near_by_features(
            [decode_words(words[row].as_py() or "") for row in rows],
            [decode_miniature(text) if (text := miniatures[row].as_py()) else None for row in rows],
            ids,
            before=before,
        )
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
        from benchwright.diagnostics.features.embeddings import near_by_embedding
        from benchwright.models.picture_vectors import decode_vectors

        texts = live[_EMBEDDING].to_pylist()
        embedded_rows = [row for row, text in enumerate(texts) if text is not None]
        if not embedded_rows:
            return {}
        near = near_by_embedding(
            decode_vectors([texts[row] for row in embedded_rows]), cosine=self.cosine, most=MOST_BY_HASH
        )
        return {embedded_rows[row]: {embedded_rows[partner] for partner in partners} for row, partners in near.items()}


class ChainedPairs(GatherStep):
    """Name for each image of a chain of confirmed copies the images of the chain that it was not compared with yet."""

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
        """Follow confirmed pairs. A pair is also compared mirrored where either image was proposed mirrored in a pair.

        Pictures that are enlarged before they are compared are not followed: they differ in so few pixels that a chain
        of icons would connect different ones.
        """
        del ctx
        images = columns.to_pylist()
        rows = sorted(
            range(len(images)), key=lambda row: (-images[row]["width"] * images[row]["height"], images[row]["image_id"])
        )
        ids = [images[row]["image_id"] for row in rows]
        position = {image_id: place for place, image_id in enumerate(ids)}
        compared, turned, confirmed = (
            [
                (place, position[partner])
                for place, row in enumerate(rows)
                for partner in images[row][name] or ()
                if partner in position
            ]
            for name in ("pairs.partners", "pairs.mirrored", "looks.confirmed")
        )
        flipped = {place for pair in turned for place in pair}
        is_tiny = [max(images[row]["width"], images[row]["height"]) < LEAST_SIDE_PX for row in rows]
        confirmed = [(left, right) for left, right in confirmed if not is_tiny[left] and not is_tiny[right]]
        candidates = near_by_chain(confirmed, compared, images=len(ids))
        bearers = sorted(candidates, key=lambda place: rows[place])
        partners = [sorted(candidates[place], key=lambda partner: ids[partner]) for place in bearers]
        return Gathered(
            rows=np.array([rows[place] for place in bearers], np.int64),
            values={
                "partners": [[ids[partner] for partner in named] for named in partners],
                "mirrored": [
                    [ids[partner] for partner in named if flipped & {place, partner}]
                    for place, named in zip(bearers, partners, strict=True)
                ],
            },
        )


class NearDuplicates(Step):
    """Drop copies of a picture that are not equal to the pixel, and ask about pairs that may be copies.

    Copies are resized, compressed, cropped, captioned, watermarked, mirrored or turned. Hashes (ImageHash's 64-bit
    pHash and dHash) and local features only propose; each proposed pair is then registered and compared block by block.
    What that confirms is dropped against the copy that is kept, what stays unsure is asked about, and what merely looks
    alike stays: where all else is plain, other words make another picture. All that hangs together, views of one scene
    too, gets a common group key, so that no split parts it. Pictures of one record of a source dataset, such as the
    frames of a video, are views of one scene on purpose: none is dropped for another or asked about, however alike.

    Args:
        distance: Bits of 64, 0-16, in which two pHashes or two dHashes may differ for a pair to be compared. Of
            the six true pairs among the 1,222 distinct images of II-Bench, 6 bits of pHash propose one, 8 bits four
            and 10 bits five; the comparison of pixels tells them from the other pairs.
        keep: What decides which copy is kept, most important first.
        protected: Patterns of source paths that are kept before others and never dropped.
        licences: Licences, preferred first.
        quality: Value of an earlier step, as `<entry>.<value>`, of which more is better; bytes a pixel if None.
        groups: Pictures that are alike by design: a table (such as CSV) with the columns path and group, relative to
            the recipe's folder, or a value of an earlier step, as `<entry>.<value>`. Images of one group are neither
            dropped for nor asked about one another.
        embeddings: Folder of a vision model whose embeddings propose pairs too, relative to the recipe's; none if None.
        cosine: Least cosine, 0-1, at which embeddings propose a pair.

    Reasons:
        near_duplicate (drop): A confirmed copy of an image that is kept (evidence `of`).
        near_duplicate (ask): It may be a copy of an image that is kept (evidence `like`); it stays, and shares its
            split.
    """

    name: ClassVar[str] = "near_duplicates"
    version: ClassVar[int] = 6
    consumes: ClassVar[Stream] = "images"

    distance: int = Field(8, ge=0, le=MAX_DISTANCE)
    keep: tuple[Criterion, ...] = CRITERIA
    protected: tuple[str, ...] = ()
    licences: tuple[str, ...] = ()
    quality: str | None = Field(None, pattern=r"^[a-z0-9_.]+\.[a-z0-9_]+$")
    groups: str | None = Field(None, min_length=1)
    embeddings: str | None = Field(None, min_length=1)
    cosine: float = Field(0.85, ge=0, le=1)
    _kept: KeptOfCopies | None = PrivateAttr(None)
    _embeddings: Embeddings | None = PrivateAttr(None)

    @field_validator("keep")
    @classmethod
    def _each_once(cls, value: tuple[Criterion, ...]) -> tuple[Criterion, ...]:
        if len(set(value)) != len(value):
            raise ValueError(f"keep names a criterion twice: {', '.join(value)}")
        return value

    @model_validator(mode="after")
    def _prepare(self, info: ValidationInfo) -> NearDuplicates:
        settings = {name: getattr(self, name) for name in KeptOfCopies.model_fields}
        self._kept = KeptOfCopies.model_validate(settings, context=info.context)
        if self.embeddings is not None:
            self._embeddings = Embeddings.model_validate({"model": self.embeddings}, context=info.context)
        return self

    def parameters(self) -> dict[str, Any]:
        """Return the settings with digests instead of the names of files and folders."""
        assert self._kept is not None
        model = self._embeddings.parameters()["model"] if self._embeddings is not None else None
        kept = self._kept.parameters()
        stated = {name: kept[name] for name in ("groups", SCENES) if name in kept}
        return self.model_dump(mode="json") | stated | {"embeddings": model}

    def placed(self, given: Mapping[str, Mapping[str, str]]) -> NearDuplicates:
        """Return the step as it reads which images are views of one scene on purpose, of all steps that say so."""
        scenes = tuple(f"{stage}.{SCENES}" for stage, values in given.items() if SCENES in values)
        if not scenes:
            return self
        assert self._kept is not None
        placed = self.model_copy()
        placed._kept = self._kept.with_scenes(scenes)
        return placed

    def parts(self) -> tuple[Step, ...]:
        """Return the parts: hash and describe, propose pairs, compare them, compare along chains, decide.

        A change of the settings that decide which copy is kept decodes no image again.
        """
        assert self._kept is not None
        embedded = () if self._embeddings is None else (self._embeddings,)
        pairs = ProposedPairs(distance=self.distance, cosine=self.cosine if embedded else None)
        looks = (SecondLooks(), ChainedPairs(), ChainLooks())
        return (PerceptualHashes(), FeatureWords(), *embedded, pairs, *looks, self._kept)
