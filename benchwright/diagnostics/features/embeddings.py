"""Embeddings of whole pictures by a vision model in a folder (CLIP, DINOv2, SSCD as a vision transformer).

The folder contains `config.json`, `*.safetensors` and, if the model's pixel normalization differs from CLIP's,
`preprocessor_config.json`. Nothing is downloaded, and nothing in the folder is unpickled or run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from pydantic import Field, PrivateAttr, ValidationInfo, model_validator

from benchwright.errors import PrerequisiteError
from benchwright.models.picture_batches import PictureBatches, PictureModel, Pixels, batch_size_on
from benchwright.models.picture_vectors import Vectors, encode_vector, load_picture_model, picture_model_digest
from benchwright.records import ImageRecord
from benchwright.steps import FOLDER, Context, MapStep, OpenContext, Outcome, Resources, Stream

_BY_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_BATCH = 16
_ROWS_AT_A_TIME = 1024


class Embeddings(MapStep):
    """Embed every picture, in batches, on the first GPU if the machine has one.

    Args:
        model: The model's folder, relative to the recipe's. A run records the digest of its files instead.
    """

    name: ClassVar[str] = "embeddings"
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {"embedding": "string"}
    resources: ClassVar[Resources] = Resources(memory_mb=2048, gpu_memory_mb=2500)

    model: str = Field(min_length=1)
    _folder: Path | None = PrivateAttr(None)
    _sha256: str = PrivateAttr("")

    @model_validator(mode="after")
    def _find(self, info: ValidationInfo) -> Embeddings:
        if _BY_DIGEST.fullmatch(self.model):
            self._sha256 = self.model.removeprefix("sha256:")
            return self
        folder = (info.context or {}).get(FOLDER, Path()) / self.model
        self._folder, self._sha256 = folder, picture_model_digest(folder)
        return self

    def parameters(self) -> dict[str, Any]:
        """Return the digest of the model's files, so that their location does not matter."""
        return {"model": f"sha256:{self._sha256}"}

    def weights_hash(self) -> str:
        """Return the digest of the model's files."""
        return self._sha256

    def shares_model(self) -> bool:
        """Return True, since workers share the model."""
        return True

    def open(self, ctx: OpenContext) -> PictureBatches[str]:
        """Load the model.

        Raises:
            PrerequisiteError: torch or transformers is missing, or the model is known by digest only.
        """
        del ctx
        if self._folder is None:
            raise PrerequisiteError(f"only the digest of the embeddings {self.model} is known; name the model's folder")
        loaded = load_picture_model(self._folder)

        def embedded(pictures: Sequence[Pixels]) -> list[str]:
            vectors = loaded.vectors(pictures, in_half=True)  # a later comparison decides on pairs
            return [encode_vector(vector) for vector in vectors]

        batch_size = batch_size_on(loaded.place, None, on_cpu=_BATCH)
        return PictureBatches(embedded, batch_size=batch_size, least_px=loaded.prepare.least_px)

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Embed one picture."""
        return self.many([record], ctx)[0]

    def many(self, records: Sequence[ImageRecord], ctx: Context) -> list[Outcome]:
        """Embed pictures, a batch at a time."""
        opened: PictureModel[str] = ctx.opened
        results = opened.results(records, ctx)
        return [result if isinstance(result, Outcome) else Outcome(values={"embedding": result}) for result in results]


def near_across(mine: Vectors, theirs: Vectors, *, cosine: float, most: int) -> dict[int, dict[int, float]]:
    """Return, for each row of `mine`, the nearest rows of `theirs` with cosines of at least `cosine`, up to `most`."""
    near: dict[int, dict[int, float]] = {}
    for first in range(0, len(mine), _ROWS_AT_A_TIME):
        alike = np.round(mine[first : first + _ROWS_AT_A_TIME] @ theirs.T, 4)
        for row in np.flatnonzero(alike.max(axis=1, initial=-1) >= cosine):
            nearest = np.argsort(-alike[row], kind="stable")[:most]
            near[first + int(row)] = {
                int(place): float(alike[row, place]) for place in nearest if alike[row, place] >= cosine
            }
    return near


def near_by_embedding(vectors: Vectors, *, cosine: float, most: int) -> dict[int, set[int]]:
    """Return, for each index, its nearest partners with at least this cosine, up to `most`.

    All pairs are compared, a block at a time: 100,000 pictures of 512 dimensions need 5 trillion multiplications.
    """
    bonds: dict[int, set[int]] = {}
    for first in range(0, len(vectors), _ROWS_AT_A_TIME):
        # Rounded, so that equal pictures tie and the smaller position wins in any block.
        alike = np.round(vectors[first : first + _ROWS_AT_A_TIME] @ vectors.T, 4)
        rows = np.arange(len(alike))
        alike[rows, first + rows] = -1
        for row in np.flatnonzero(alike.max(axis=1, initial=-1) >= cosine):
            nearest = np.argsort(-alike[row], kind="stable")[:most]
            bonds[first + int(row)] = {int(place) for place in nearest if alike[row, place] >= cosine}
    return bonds
