"""Leakage: pictures that another collection also contains, such as a training set, an earlier release or
another split.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import Field, PrivateAttr, ValidationInfo, model_validator

from benchwright.canonical import canonical_json
from benchwright.diagnostics.copies.collections import ReferenceCollection, open_collection, picture_path
from benchwright.diagnostics.copies.picture_hashes import KnownPicture, PictureHashes
from benchwright.diagnostics.copies.search import possible_leaks, sure_leaks
from benchwright.diagnostics.copies.verification import (
    BEST_FIRST,
    DECODED_AT_LEAST_PX,
    PreparedPicture,
    compare_pictures,
)
from benchwright.diagnostics.features.embeddings import Embeddings
from benchwright.diagnostics.features.hamming import MAX_DISTANCE
from benchwright.errors import BenchwrightError, PrerequisiteError, UnreadableImage
from benchwright.images.decode import decode_luma
from benchwright.records import ImageRecord
from benchwright.steps import (
    FOLDER,
    Context,
    GatherContext,
    Gathered,
    GatherStep,
    MapStep,
    OpenContext,
    Outcome,
    Step,
    Stream,
)

if TYPE_CHECKING:
    import pyarrow as pa

_REASON = "leaked"
_BY_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_REFERENCES, _EMBEDDED = "references", "embedded"
_EMBEDDING = "embeddings.embedding"
_HASHES = tuple(PictureHashes.values)


class _WithCollections(Step):
    """The collections that the parts of `leakage` share. A run records their digests instead of their paths."""

    against: tuple[str, ...] = Field(min_length=1)
    _collections: tuple[ReferenceCollection, ...] = PrivateAttr(())

    @model_validator(mode="after")
    def _open(self, info: ValidationInfo) -> _WithCollections:
        context = info.context or {}
        if _REFERENCES in context:
            self._collections = context[_REFERENCES]
        elif not any(_BY_DIGEST.fullmatch(place) for place in self.against):
            folder = context.get(FOLDER, Path())
            try:
                self._collections = tuple(open_collection(folder / place) for place in self.against)
            except BenchwrightError as error:
                raise ValueError(str(error)) from error
        return self

    def parameters(self) -> dict[str, Any]:
        """Return the settings with the digest of each collection instead of its path."""
        known = [f"sha256:{reference.content}" for reference in self._collections]
        return self.model_dump(mode="json") | {"against": known or list(self.against)}

    def collections(self, stage: str) -> tuple[ReferenceCollection, ...]:
        """Return the collections to check against.

        Raises:
            PrerequisiteError: Only digests of the collections are known.
        """
        if not self._collections:
            raise PrerequisiteError(f"step {stage!r}: collections are known by digest only; give their paths")
        return self._collections


class _WithEmbeddings(Step):
    """The settings that determine which pairs are compared. A run records the digest of the embedding model."""

    distance: int = Field(8, ge=0, le=MAX_DISTANCE)
    embeddings: str | None = Field(None, min_length=1)
    cosine: float = Field(0.85, ge=0, le=1)
    _embedded: Embeddings | None = PrivateAttr(None)

    @model_validator(mode="after")
    def _find(self, info: ValidationInfo) -> _WithEmbeddings:
        if _EMBEDDED in (info.context or {}):
            self._embedded = (info.context or {})[_EMBEDDED]
        elif self.embeddings is not None:
            self._embedded = Embeddings.model_validate({"model": self.embeddings}, context=info.context)
        return self

    def candidate_settings(self) -> dict[str, Any]:
        """Return the same settings with the digest of the model's files instead of their folder."""
        settings: dict[str, Any] = {"distance": self.distance}
        if self._embedded is not None:  # settings without embeddings keep the digest they had before embeddings existed
            settings |= {"embeddings": self._embedded.parameters()["model"], "cosine": self.cosine}
        return settings


class LeakCandidates(_WithCollections, _WithEmbeddings, GatherStep):
    """Find the pictures that a collection certainly contains and, for all others, the pictures of the collection to
    compare.
    """

    name: ClassVar[str] = "candidates"
    version: ClassVar[int] = 2
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {"sure": "string", "partners": "list<string>"}

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the columns to read, with embeddings only if they propose pairs."""
        embedding = () if self._embedded is None else (_EMBEDDING,)
        return ("image_id", "canonical_id", *(f"hashes.{name}" for name in _HASHES), *embedding)

    def parameters(self) -> dict[str, Any]:
        """Return the settings with digests instead of paths."""
        return {"against": super().parameters()["against"], **self.candidate_settings()}

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Hash the collections and search them in order; record the first collection that contains a picture."""
        mine = [_known_picture(row) for row in columns.to_pylist()]
        sure: dict[int, str] = {}
        partners: dict[int, list[str]] = {}
        for number, reference in enumerate(self.collections(ctx.stage)):
            theirs = reference.pictures(embedded=self._embedded)
            for row, leak in sure_leaks(mine, theirs).items():
                sure.setdefault(
                    row, canonical_json({"against": number, "name": theirs[leak.place].name, "by": leak.by})
                )
            cosine = self.cosine if self._embedded is not None else None
            for row, perhaps in possible_leaks(mine, theirs, distance=self.distance, cosine=cosine).items():
                partners.setdefault(row, []).extend(
                    canonical_json(
                        {"against": number, "name": theirs[candidate.place].name, "mirrored": candidate.mirrored}
                    )
                    for candidate in perhaps
                )
        rows = sorted(sure.keys() | partners.keys())
        named = [partners.get(row) if row not in sure else None for row in rows]
        return Gathered(np.array(rows, np.int64), values={"sure": [sure.get(row) for row in rows], "partners": named})


def _known_picture(row: Mapping[str, Any]) -> KnownPicture:
    hashes = {name: row[f"hashes.{name}"] for name in _HASHES}
    fields = {"name": row["image_id"], "image_id": row["image_id"], "canonical_id": row["canonical_id"], **hashes}
    return KnownPicture(**fields, embedding=row.get(_EMBEDDING))


class LeakLooks(_WithCollections, MapStep):
    """Drop images that another collection certainly contains, compare the pixels of candidates, and ask about uncertain
    ones.

    Another view of a scene is not a copy, but a model trained on it knows the scene, so annotators are asked.
    """

    name: ClassVar[str] = "looks"
    version: ClassVar[int] = 4
    consumes: ClassVar[Stream] = "images"
    reads: ClassVar[tuple[str, ...]] = ("candidates.sure", "candidates.partners")
    costly: ClassVar[bool] = True

    def open(self, ctx: OpenContext) -> object:
        """Locate the folders with the collections' pictures."""
        return [reference.pixels(ctx.cache_dir) for reference in self.collections(self.name)]

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Judge one image; if it matches several pictures, report the match that is most certain."""
        sure, partners = (ctx.value(record.image_id, name) for name in self.reads)
        if sure is not None:
            return Outcome("drop", _REASON, evidence=json.loads(sure) | {"score": 1.0})
        if not partners:
            return Outcome()
        mine = PreparedPicture(ctx.images.luma(record, at_least_px=DECODED_AT_LEAST_PX))
        matches = [
            match for partner in partners if (match := _compared(mine, json.loads(partner), ctx.opened)) is not None
        ]
        best = min(
            matches, key=lambda match: (BEST_FIRST[match["verdict"]], -match["score"], match["name"]), default=None
        )
        if best is None:
            return Outcome()
        return Outcome("drop" if best["verdict"] == "confirmed" else "ask", _REASON, evidence=best)


def _compared(mine: PreparedPicture, partner: dict[str, Any], folders: list[Path | None]) -> dict[str, Any] | None:
    """Return the result of the comparison with one candidate; None if the candidate is a different picture or
    unreadable.
    """
    folder = folders[partner["against"]]
    match = {"against": partner["against"], "name": partner["name"]}
    if folder is None:  # a hash list has no pixels to compare
        return match | {"by": "hash", "verdict": "unsure", "score": 0.0}
    try:
        theirs = PreparedPicture(decode_luma(picture_path(folder, partner["name"]), at_least_px=DECODED_AT_LEAST_PX))
    except UnreadableImage:
        return None
    comparison = compare_pictures(theirs, mine, mirrored=partner["mirrored"])
    if comparison.verdict == "different":
        return None
    return match | {"by": "look", "score": round(comparison.likeness, 4)} | comparison.to_json()


class Leakage(_WithCollections, _WithEmbeddings):
    """Drop images that another collection also contains.

    Finds them by canonical id, by file, by upright pixels, or by a pixel comparison of pairs that hashes or local
    features propose, as in `near_duplicates`. Asks about uncertain cases, and about apparent matches in a hash list,
    which has no pixels to compare. The evidence gives the collection, by its index in `against`, and the picture in it.

    Args:
        against: Folders of pictures, releases or hash lists, relative to the recipe's folder.
        distance: As in `near_duplicates`.
        embeddings: As in `near_duplicates`; pictures of hash lists have none.
        cosine: As in `near_duplicates`.

    Reasons:
        leaked (drop or ask): Another collection contains the image, or may contain it.
    """

    name: ClassVar[str] = "leakage"
    consumes: ClassVar[Stream] = "images"

    def parameters(self) -> dict[str, Any]:
        """Return the settings with digests instead of paths."""
        return {"against": super().parameters()["against"], **self.candidate_settings()}

    def parts(self) -> tuple[Step, ...]:
        """Return the parts: hash, search, compare."""
        shared, opened = {"against": self.against}, {_REFERENCES: self._collections, _EMBEDDED: self._embedded}
        proposing = {"distance": self.distance, "embeddings": self.embeddings, "cosine": self.cosine}
        candidates = LeakCandidates.model_validate({**shared, **proposing}, context=opened)
        embedded = () if self._embedded is None else (self._embedded,)
        return (PictureHashes(), *embedded, candidates, LeakLooks.model_validate(shared, context=opened))
