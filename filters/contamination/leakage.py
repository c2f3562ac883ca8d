"""Leakage: pictures that another collection holds too, such as a training set, an earlier release or another split."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import Field, PrivateAttr, ValidationInfo, model_validator

from benchwright.canonical import canonical_json
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

from ..duplicates.verification import DECODED_AT_LEAST_PX, Look, look_again
from ..features.embeddings import Embeddings
from ..features.hamming import MAX_DISTANCE
from .collections import Reference, open_reference, picture_path
from .picture_hashes import KnownPicture, PictureHashes
from .search import possible_leaks, sure_leaks

if TYPE_CHECKING:
    import pyarrow as pa

REASON = "leaked"
_BY_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_REFERENCES, _EMBEDDED = "references", "embedded"
_EMBEDDING = "embeddings.embedding"
_HASHES = tuple(PictureHashes.values)


class _Against(Step):
    """Settings and references that parts of `leakage` share; places stand as digests in what a run writes."""

    against: tuple[str, ...] = Field(min_length=1)
    _references: tuple[Reference, ...] = PrivateAttr(())

    @model_validator(mode="after")
    def _open(self, info: ValidationInfo) -> _Against:
        context = info.context or {}
        if _REFERENCES in context:
            self._references = context[_REFERENCES]
        elif not any(_BY_DIGEST.fullmatch(one) for one in self.against):
            folder = context.get(FOLDER, Path())
            try:
                self._references = tuple(open_reference(folder / one) for one in self.against)
            except BenchwrightError as error:
                raise ValueError(str(error)) from error
        return self

    def parameters(self) -> dict[str, Any]:
        """Return the settings with each collection's content in place of its name."""
        known = [f"sha256:{one.content}" for one in self._references]
        return self.model_dump(mode="json") | {"against": known or list(self.against)}

    def references(self, stage: str) -> tuple[Reference, ...]:
        """Return the collections to check against."""
        if not self._references:
            raise PrerequisiteError(f"step {stage!r}: what to check against is known by digest only; give the places")
        return self._references


class _AlsoEmbedded(Step):
    """Settings by which embeddings propose too; the model stands as a digest in what a run writes."""

    distance: int = Field(8, ge=0, le=MAX_DISTANCE)
    embeddings: str | None = Field(None, min_length=1)
    cosine: float = Field(0.85, ge=0, le=1)
    _embedded: Embeddings | None = PrivateAttr(None)

    @model_validator(mode="after")
    def _find(self, info: ValidationInfo) -> _AlsoEmbedded:
        if _EMBEDDED in (info.context or {}):
            self._embedded = (info.context or {})[_EMBEDDED]
        elif self.embeddings is not None:
            self._embedded = Embeddings.model_validate({"model": self.embeddings}, context=info.context)
        return self

    def proposing(self) -> dict[str, Any]:
        """Return these settings, with the digest of the model's files in place of their folder."""
        told: dict[str, Any] = {"distance": self.distance}
        if self._embedded is not None:  # without embeddings all is as it was before there were any
            told |= {"embeddings": self._embedded.parameters()["model"], "cosine": self.cosine}
        return told


class LeakCandidates(_Against, _AlsoEmbedded, GatherStep):
    """Name what the collections hold for sure, and which of their pictures deserve a second look."""

    name: ClassVar[str] = "candidates"
    version: ClassVar[int] = 2
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {"sure": "string", "partners": "list<string>"}

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return what is read: embeddings only where they propose."""
        embedding = () if self._embedded is None else (_EMBEDDING,)
        return ("image_id", "canonical_id", *(f"hashes.{name}" for name in _HASHES), *embedding)

    def parameters(self) -> dict[str, Any]:
        """Return the settings with contents in place of names."""
        return {"against": super().parameters()["against"], **self.proposing()}

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Hash the collections, then search them one after the other; the first that holds a picture is named."""
        mine = [_known(row) for row in columns.to_pylist()]
        sure: dict[int, str] = {}
        partners: dict[int, list[str]] = {}
        for number, reference in enumerate(self.references(ctx.stage)):
            others = reference.pictures(embedded=self._embedded)
            for row, leak in sure_leaks(mine, others).items():
                sure.setdefault(
                    row, canonical_json({"against": number, "name": others[leak.other].name, "by": leak.by})
                )
            cosine = self.cosine if self._embedded is not None else None
            for row, perhaps in possible_leaks(mine, others, distance=self.distance, cosine=cosine).items():
                partners.setdefault(row, []).extend(
                    canonical_json({"against": number, "name": others[one.other].name, "mirrored": one.mirrored})
                    for one in perhaps
                )
        rows = sorted(sure.keys() | partners.keys())
        told = [partners.get(row) if row not in sure else None for row in rows]
        return Gathered(np.array(rows, np.int64), values={"sure": [sure.get(row) for row in rows], "partners": told})


def _known(row: Mapping[str, Any]) -> KnownPicture:
    hashes = {name: row[f"hashes.{name}"] for name in _HASHES}
    told = {"name": row["image_id"], "image_id": row["image_id"], "canonical_id": row["canonical_id"], **hashes}
    return KnownPicture(**told, embedding=row.get(_EMBEDDING))


class LeakLooks(_Against, MapStep):
    """Drop what another collection holds; look again where that is not sure, and ask where it stays unsure.

    Another view of a scene is no copy, but a split or a training set that holds it knows the scene: people are asked.
    """

    name: ClassVar[str] = "looks"
    version: ClassVar[int] = 2
    consumes: ClassVar[Stream] = "images"
    reads: ClassVar[tuple[str, ...]] = ("candidates.sure", "candidates.partners")
    costly: ClassVar[bool] = True

    def open(self, ctx: OpenContext) -> object:
        """Find where the collections' pictures lie."""
        return [one.pixels(ctx.cache_dir) for one in self.references(self.name)]

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Judge one image; of several partners the one that is most surely the same is told."""
        sure, partners = (ctx.value(record.image_id, name) for name in self.reads)
        if sure is not None:
            return Outcome("drop", REASON, evidence=json.loads(sure) | {"score": 1.0})
        if not partners:
            return Outcome()
        mine = Look(ctx.images.luma(record, at_least_px=DECODED_AT_LEAST_PX))
        found = [told for one in partners if (told := _looked(mine, json.loads(one), ctx.opened)) is not None]
        order = {"confirmed": 0, "unsure": 1, "scene": 2}
        best = min(found, key=lambda told: (order[told["verdict"]], -told["score"], told["name"]), default=None)
        if best is None:
            return Outcome()
        return Outcome("drop" if best["verdict"] == "confirmed" else "ask", REASON, evidence=best)


def _looked(mine: Look, partner: dict[str, Any], folders: list[Path | None]) -> dict[str, Any] | None:
    """Return what a second look at one partner tells; None where it is another picture or cannot be read."""
    folder = folders[partner["against"]]
    told = {"against": partner["against"], "name": partner["name"]}
    if folder is None:  # a list has no pixels to look at
        return told | {"by": "hash", "verdict": "unsure", "score": 0.0}
    try:
        other = Look(decode_luma(picture_path(folder, partner["name"]), at_least_px=DECODED_AT_LEAST_PX))
    except UnreadableImage:
        return None
    found = look_again(other, mine, mirrored=partner["mirrored"])
    if found.verdict == "different":
        return None
    return told | {"by": "look", "score": round(found.likeness, 4)} | found.to_json()


class Leakage(_Against, _AlsoEmbedded):
    """Drop images that another collection holds too.

    Args:
        against: Folders of pictures, releases or hash lists, relative to the recipe's folder.
        distance: As in `near_duplicates`.
        embeddings: As in `near_duplicates`; pictures of hash lists have none.
        cosine: As in `near_duplicates`.
    """

    name: ClassVar[str] = "leakage"
    consumes: ClassVar[Stream] = "images"

    def parameters(self) -> dict[str, Any]:
        """Return the settings with contents in place of names."""
        return {"against": super().parameters()["against"], **self.proposing()}

    def parts(self) -> tuple[Step, ...]:
        """Hash, search, look again."""
        shared, opened = {"against": self.against}, {_REFERENCES: self._references, _EMBEDDED: self._embedded}
        proposing = {"distance": self.distance, "embeddings": self.embeddings, "cosine": self.cosine}
        candidates = LeakCandidates.model_validate({**shared, **proposing}, context=opened)
        embedded = () if self._embedded is None else (self._embedded,)
        return (PictureHashes(), *embedded, candidates, LeakLooks.model_validate(shared, context=opened))
