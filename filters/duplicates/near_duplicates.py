"""Near-duplicates: hashes and local features propose, a second look at pixels confirms, the best copy stays.

A hash only proposes: on the 1,222 distinct images of II-Bench, two thirds of the pairs within 8 bits are
different pictures. What a second look confirms is dropped, what stays unsure is asked about, and what hangs
together, views of one scene too, shares a group key, so that no split parts it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import Field, PrivateAttr, ValidationInfo, field_validator, model_validator

from benchwright.records import ImageRecord
from benchwright.steps import Context, GatherContext, Gathered, GatherStep, MapStep, Outcome, Step, Stream
from benchwright.workspace.arrow_arrays import arrow_array, numbers_of

from ..features.embeddings import Embeddings
from ..features.hamming import MAX_DISTANCE
from ..features.perceptual_hash import HASHED_AT_LEAST_PX, hashes
from ..features.visual_words import FeatureWords, read_miniature, read_words
from .candidate_pairs import (
    MOST_BY_HASH,
    Bonds,
    near_by_chain,
    near_by_features,
    near_by_hash,
    near_by_mirrored_hash,
    told_once,
)
from .kept_copies import CRITERIA, Criterion, KeptOfCopies
from .verification import LEAST_SIDE_PX, ChainLooks, SecondLooks

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
    "image_id", "width", "height", "hashes.phash", "hashes.dhash", "hashes.mirrored", "features.words",
    "features.miniature",
)  # fmt: skip
_EMBEDDING = "embeddings.embedding"


class ProposedPairs(GatherStep):
    """Name for each image the partners that it is to be compared with; each pair stands under one of its images.

    `left_out` is how many more images are near by hash than it is compared with, where there are more.
    """

    name: ClassVar[str] = "pairs"
    version: ClassVar[int] = 4
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {
        "partners": "list<string>", "mirrored": "list<string>", "left_out": "int64",
    }  # fmt: skip
    imports: ClassVar[tuple[str, ...]] = ()

    distance: int = Field(ge=0, le=MAX_DISTANCE)
    cosine: float | None = Field(None, ge=0, le=1)
    """None where no embeddings propose."""

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return what is read: embeddings only where they propose."""
        return _COLUMNS if self.cosine is None else (*_COLUMNS, _EMBEDDING)

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Search all pairs; rows are numbered largest image first, so their order does not matter."""
        import pyarrow as pa

        del ctx
        ids = columns["image_id"].to_pylist()
        pixels = numbers_of(columns["width"]) * numbers_of(columns["height"])
        hashed = [row for row, is_there in enumerate(columns["hashes.phash"].is_valid().to_pylist()) if is_there]
        rows = sorted(hashed, key=lambda row: (-pixels[row], ids[row]))
        # Words and miniatures are many times the rest: they are read one by one, and never taken into another order.
        words, miniatures = (columns[f"features.{name}"] for name in ("words", "miniature"))
        narrow = columns.drop_columns(["features.words", "features.miniature"])
        live = narrow.take(arrow_array(rows, pa.int64()))
        ids = live["image_id"].to_pylist()
        phash, dhash, mirrored = (numbers_of(live[f"hashes.{name}"]) for name in ("phash", "dhash", "mirrored"))
        turned = near_by_mirrored_hash(phash, mirrored, distance=self.distance)
        hashed_near = [near_by_hash(codes, distance=self.distance) for codes in (phash, dhash)]
        featured = near_by_features(
            [read_words(words[row].as_py() or "") for row in rows],
            [read_miniature(text) if (text := miniatures[row].as_py()) else None for row in rows],
        )
        borne = told_once([*(near.bonds for near in hashed_near), turned, featured, self._embedded(live)], ids)
        compared = np.zeros(len(ids), np.int64)
        for image, partners in borne.items():
            compared[image] += len(partners)
            compared[partners] += 1
        left_out = np.maximum.reduce([near.near for near in hashed_near]) - compared if ids else compared
        told = sorted({*borne, *np.flatnonzero(left_out > 0).tolist()}, key=lambda image: rows[image])
        return Gathered(
            rows=np.array([rows[image] for image in told], np.int64),
            values={
                "partners": [[ids[one] for one in borne[image]] if image in borne else None for image in told],
                "mirrored": [
                    [ids[one] for one in borne[image] if one in turned.get(image, ()) or image in turned.get(one, ())]
                    if image in borne
                    else None
                    for image in told
                ],
                "left_out": [int(left_out[image]) if left_out[image] > 0 else None for image in told],
            },
        )

    def _embedded(self, live: pa.Table) -> Bonds:
        if self.cosine is None or not live.num_rows:
            return {}
        from ..features.embeddings import near_by_embedding, read_embeddings

        texts = live[_EMBEDDING].to_pylist()
        told = [row for row, text in enumerate(texts) if text is not None]
        if not told:
            return {}
        near = near_by_embedding(read_embeddings([texts[row] for row in told]), cosine=self.cosine, most=MOST_BY_HASH)
        return {told[one]: {told[other] for other in others} for one, others in near.items()}


class ChainedPairs(GatherStep):
    """Name for each image of a chain of confirmed copies the ones of it that it has yet to be compared with."""

    name: ClassVar[str] = "chains"
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {"partners": "list<string>", "mirrored": "list<string>"}
    columns: ClassVar[tuple[str, ...]] = (
        "image_id", "width", "height", "pairs.partners", "pairs.mirrored", "looks.confirmed",
    )  # fmt: skip
    imports: ClassVar[tuple[str, ...]] = ()

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Follow confirmed pairs; a pair is looked at mirrored too where either image was proposed so with another.

        Pictures that are enlarged before they are compared are not followed: so few of their pixels tell them apart
        that a chain of icons would join different ones.
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
        bonds = near_by_chain(confirmed, compared, images=len(ids))
        bearers = sorted(bonds, key=lambda place: rows[place])
        partners = [sorted(bonds[place], key=lambda other: ids[other]) for place in bearers]
        return Gathered(
            rows=np.array([rows[place] for place in bearers], np.int64),
            values={
                "partners": [[ids[other] for other in others] for others in partners],
                "mirrored": [
                    [ids[other] for other in others if flipped & {place, other}]
                    for place, others in zip(bearers, partners, strict=True)
                ],
            },
        )


class NearDuplicates(Step):
    """Drop copies of a picture that are not equal to the pixel, and ask about pairs that may be copies.

    Args:
        distance: Bits of 64, 0-16, in which two pHashes or two dHashes may differ for a pair to be looked at. Of
            the six true pairs among the 1,222 distinct images of II-Bench, 6 bits of pHash propose one, 8 bits four
            and 10 bits five; the second look tells them from the others.
        keep: What decides which copy is kept, most important first.
        protected: Patterns of source paths that are kept before others and never dropped.
        licences: Licences, preferred first.
        quality: Value of an earlier step, as `<entry>.<value>`, of which more is better; bytes a pixel if None.
        groups: Pictures that are alike by design: a CSV file with the columns path and group, relative to the
            recipe's folder, or a value of an earlier step, as `<entry>.<value>`. Nobody is dropped for, or asked
            about, another of its own group.
        embeddings: Folder of a vision model whose embeddings propose pairs too, relative to the recipe's; none if None.
        cosine: Least cosine, 0-1, at which they do.
    """

    name: ClassVar[str] = "near_duplicates"
    version: ClassVar[int] = 4
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
        """Return the settings, with digests in place of the names of files and folders."""
        assert self._kept is not None
        model = self._embeddings.parameters()["model"] if self._embeddings is not None else None
        return self.model_dump(mode="json") | {"groups": self._kept.parameters()["groups"], "embeddings": model}

    def parts(self) -> tuple[Step, ...]:
        """Hash and describe, propose, look again, also along chains, decide.

        Another order of what is kept decodes nothing.
        """
        assert self._kept is not None
        embedded = () if self._embeddings is None else (self._embeddings,)
        pairs = ProposedPairs(distance=self.distance, cosine=self.cosine if embedded else None)
        looks = (SecondLooks(), ChainedPairs(), ChainLooks())
        return (PerceptualHashes(), FeatureWords(), *embedded, pairs, *looks, self._kept)
