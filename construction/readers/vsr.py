"""VSR, Visual Spatial Reasoning (Liu et al. 2023): claims about the relation of two objects, true or false.

    data/splits/{random,zeroshot}/{train,dev,test}.jsonl
    data/data_files/all_vsr_validated_data.jsonl
    images/000000239417.jpg                               COCO 2017, train and val in one flat folder

In the splits, votes are strings that contain a list; elsewhere they are lists. Both are read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import PurePosixPath
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, Field

from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusals import RefusedRow
from benchwright.source_files.rows import BadRow, Row, checked, table_rows

from ..ground_truth.truths import GroundTruth, SpatialClaim
from .reader import DatasetPicture, DatasetReader, DatasetRecord, NeededFiles, records_of_rows

_DAMAGED = "damaged_text"
"""Reason for refusing a row whose subject or object does not occur in its claim, or whose claim cannot be read.

In the zero-shot split, subjects have lost initial letters that also occur in `The `: `orse`, `andbag`.
"""
_UNREADABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffd]")


def _votes(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value


Votes = Annotated[list[int], BeforeValidator(_votes), Field(max_length=1000)]


class _Claim(BaseModel):
    image: str = Field(pattern=r"^\d{12}\.jpg$")
    image_link: str = Field(pattern=r"^https?://")
    caption: str = Field(min_length=1)
    label: Literal[0, 1]
    relation: str = Field(min_length=1)
    vote_true_validator_id: Votes = []
    vote_false_validator_id: Votes = []
    reference_frame: float | None = None
    subj: str | None = None
    obj: str | None = None


class Vsr(DatasetReader):
    """Claims of VSR; equal claims about several pictures are chosen together.

    Args:
        split: Files to read: `random` or `zeroshot` (train, dev and test of it), or `all`, the validated claims in one
            file. The random split shares pictures between train and test.
    """

    name: ClassVar[str] = "vsr"
    version: ClassVar[int] = 3
    title: ClassVar[str] = "VSR, Visual Spatial Reasoning (Liu et al. 2023)"
    home: ClassVar[str] = "https://github.com/cambridgeltl/visual-spatial-reasoning"
    licence: ClassVar[str] = "Apache-2.0"
    pictures_licence: ClassVar[str] = "COCO 2017: licenses of Flickr, one per picture; this dataset does not state them"
    needs: ClassVar[tuple[NeededFiles, ...]] = (
        NeededFiles("data/splits/<split>/<part>.jsonl", "the claims", "clone the repository"),
        NeededFiles(
            "images/<12 digits>.jpg",
            "the pictures, in one flat folder; `train2017/` and `val2017/` are accepted as well",
            "the repository's data/README.md, or COCO's train2017.zip and val2017.zip",
        ),
    )
    gives: ClassVar[tuple[type[GroundTruth], ...]] = (SpatialClaim,)
    landmarks: ClassVar[tuple[str, ...]] = ("data/splits|data/data_files",)

    split: Literal["random", "zeroshot", "all"] = "random"

    def annotations(self, files: DatasetFiles) -> Iterator[str]:
        """Yield the files of the split."""
        del files
        if self.split == "all":
            yield "data/data_files/all_vsr_validated_data.jsonl"
        else:
            yield from (f"data/splits/{self.split}/{part}.jsonl" for part in ("train", "dev", "test"))

    def read(self, files: DatasetFiles, pictures: DatasetFiles) -> Iterator[DatasetRecord | RefusedRow]:
        """Yield one record for each claim."""
        for path in self.annotations(files):
            part = "all" if self.split == "all" else f"{self.split}/{PurePosixPath(path).stem}"
            yield from records_of_rows(table_rows(files, path), path, partial(_record, path, part, pictures))


def _record(path: str, part: str, pictures: DatasetFiles, row: Row) -> DatasetRecord:
    claim = checked(_Claim, row)
    record_id = f"vsr:{part}:{row.entry.removeprefix('line ')}"
    truth = _truth(claim)
    said = f"{claim.relation}: {' '.join(claim.caption.casefold().split()).rstrip('.')}"
    return DatasetRecord(record_id, path, row.entry, (_picture(claim, pictures),), (truth,), chosen_with=said)


def _picture(claim: _Claim, pictures: DatasetFiles) -> DatasetPicture:
    folder, name = PurePosixPath(claim.image_link).parts[-2:]
    if name != claim.image:
        raise BadRow(f"image is {claim.image!r} and image_link ends in {name!r}; they must name the same picture")
    places = (f"images/{name}", f"{folder}/{name}", name)
    path = pictures.first(*places) or places[0]
    return DatasetPicture(path, f"coco:{int(name.removesuffix('.jpg'))}", attribution=claim.image_link)


def _truth(claim: _Claim) -> SpatialClaim:
    frame = claim.reference_frame
    if frame is not None and frame not in (0, 1, 2):
        raise BadRow(f"reference_frame is {frame:g}; it must be null, 0, 1 or 2")
    _check_words(claim)
    return SpatialClaim(
        claim=claim.caption,
        relation=claim.relation,
        is_true=claim.label == 1,
        subject=claim.subj,
        object=claim.obj,
        reference_frame=None if frame is None else int(frame),
        votes_true=len(claim.vote_true_validator_id),
        votes_false=len(claim.vote_false_validator_id),
    )


def _check_words(claim: _Claim) -> None:
    if _UNREADABLE.search(claim.caption) or not any(map(str.isalpha, claim.caption)):
        raise BadRow(f"caption is {claim.caption[:80]!r}, which cannot be read", _DAMAGED)
    for name, words in (("subj", claim.subj), ("obj", claim.obj)):
        if words is not None and not _stands_in(words, claim.caption):
            raise BadRow(f"{name} is {words[:80]!r}, which is not in the caption {claim.caption[:80]!r}", _DAMAGED)


def _stands_in(words: str, caption: str) -> bool:
    """Return whether a caption contains words as whole words, in the singular or in the plural."""
    whole = " ".join(words.casefold().split())
    return bool(whole) and re.search(rf"(?<!\w){re.escape(whole)}(?:e?s)?(?!\w)", caption.casefold()) is not None
