"""Embeddings of whole pictures by a vision model in a folder (CLIP, DINOv2, SSCD as a vision transformer).

The folder holds `config.json`, `*.safetensors` and, where the model was trained on other pixels than CLIP's,
`preprocessor_config.json`. Nothing is fetched, unpickled or run from it.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from pydantic import Field, PrivateAttr, ValidationInfo, model_validator

from benchwright.canonical import digest, file_digest
from benchwright.errors import PrerequisiteError
from benchwright.records import ImageRecord
from benchwright.steps import FOLDER, Context, MapStep, OpenContext, Outcome, Resources, Stream

if TYPE_CHECKING:
    import torch

_BY_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_BATCH = 16
_CLIP_MEAN, _CLIP_STD = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)
_ROWS_AT_A_TIME = 1024

Vectors = NDArray[np.float32]
"""Shape (pictures, dimensions), each of length 1."""


class Preprocessing(NamedTuple):
    """Conversion of a picture to the model's input: resized to a square, then normalised."""

    side_px: int
    mean: tuple[float, ...]
    std: tuple[float, ...]

    @classmethod
    def of(cls, folder: Path) -> Preprocessing:
        """Read a model's folder; the default mean and deviation are CLIP's."""
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        stated = folder / "preprocessor_config.json"
        own = json.loads(stated.read_text(encoding="utf-8")) if stated.is_file() else {}
        side = config.get("vision_config", config).get("image_size", 224)
        mean, std = own.get("image_mean", _CLIP_MEAN), own.get("image_std", _CLIP_STD)
        return cls(int(side), tuple(map(float, mean)), tuple(map(float, std)))

    def __call__(self, pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return the input of one picture, shape (3, side, side)."""
        square = Image.fromarray(pixels).resize((self.side_px, self.side_px), Image.Resampling.BICUBIC)
        scaled = np.asarray(square, np.float32) / 255
        normal = (scaled - np.array(self.mean, np.float32)) / np.array(self.std, np.float32)
        return np.ascontiguousarray(normal.transpose(2, 0, 1), np.float32)


class _OpenModel(NamedTuple):
    model: Any
    prepare: Preprocessing


class Embeddings(MapStep):
    """Embed every picture, in batches.

    Args:
        model: The model's folder, relative to the recipe's. A run writes the digest of its files instead.
    """

    name: ClassVar[str] = "embeddings"
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {"embedding": "string"}
    resources: ClassVar[Resources] = Resources(memory_mb=2048)

    model: str = Field(min_length=1)
    _folder: Path | None = PrivateAttr(None)
    _sha256: str = PrivateAttr("")

    @model_validator(mode="after")
    def _find(self, info: ValidationInfo) -> Embeddings:
        if _BY_DIGEST.fullmatch(self.model):
            self._sha256 = self.model.removeprefix("sha256:")
            return self
        folder = (info.context or {}).get(FOLDER, Path()) / self.model
        weights = sorted(folder.glob("*.safetensors"))
        if not weights or not (folder / "config.json").is_file():
            raise ValueError(f"{self.model} holds no model: it needs config.json and *.safetensors")
        files = [*weights, *sorted(folder.glob("*.json"))]
        self._folder, self._sha256 = folder, digest({path.name: file_digest(path) for path in files})
        return self

    def parameters(self) -> dict[str, Any]:
        """Return the digest of the model's files, so that their place does not matter."""
        return {"model": f"sha256:{self._sha256}"}

    def weights_hash(self) -> str:
        """Return the digest of the model's files."""
        return self._sha256

    def open(self, ctx: OpenContext) -> object:
        """Load the model.

        Raises:
            PrerequisiteError: torch or transformers is missing, or the model is known by digest only.
        """
        del ctx
        if self._folder is None:
            raise PrerequisiteError(f"embeddings {self.model} are known by digest only; give the model's folder")
        try:
            import torch
            from transformers import AutoModel
        except ImportError as error:
            raise PrerequisiteError("embeddings need models; pip install 'benchwright[models]'") from error
        model = AutoModel.from_pretrained(
            self._folder, use_safetensors=True, trust_remote_code=False, local_files_only=True, dtype=torch.float32
        )
        return _OpenModel(model.eval(), Preprocessing.of(self._folder))

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Embed one picture."""
        return self.many([record], ctx)[0]

    def many(self, records: Sequence[ImageRecord], ctx: Context) -> list[Outcome]:
        """Embed pictures, a batch at a time."""
        opened: _OpenModel = ctx.opened
        outcomes: list[Outcome] = []
        for first in range(0, len(records), _BATCH):
            inputs = np.stack([opened.prepare(ctx.images.rgb(record)) for record in records[first : first + _BATCH]])
            outcomes += [Outcome(values={"embedding": encode_vector(vector)}) for vector in embed(opened.model, inputs)]
        return outcomes


def embed(model: Any, inputs: NDArray[np.float32]) -> Vectors:
    """Return the vectors of prepared pictures of shape (pictures, 3, side, side)."""
    import torch

    with torch.inference_mode():
        pixels = torch.from_numpy(inputs).to(model.device)
        if hasattr(model, "get_image_features"):
            vectors = pooled(model.get_image_features(pixel_values=pixels))
        else:
            vectors = pooled(model(pixel_values=pixels))
        return np.asarray(torch.nn.functional.normalize(vectors.float(), dim=-1).cpu(), np.float32)


def pooled(output: Any) -> torch.Tensor:
    """Return one vector a picture from the output of a vision model of transformers."""
    for name in ("image_embeds", "pooler_output"):
        if getattr(output, name, None) is not None:
            vectors: torch.Tensor = getattr(output, name)
            return vectors
    hidden = getattr(output, "last_hidden_state", None)
    return output if hidden is None else hidden[:, 0]


def encode_vector(vector: NDArray[np.float32]) -> str:
    """Return a vector as text, in half precision."""
    return base64.b64encode(vector.astype("<f2").tobytes()).decode("ascii")


def decode_vectors(texts: Sequence[str]) -> Vectors:
    """Return the vectors that `encode_vector` encoded, with length 1."""
    vectors = np.stack([np.frombuffer(base64.b64decode(text), "<f2").astype(np.float32) for text in texts])
    unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)
    return unit


def near_across(mine: Vectors, theirs: Vectors, *, cosine: float, most: int) -> dict[int, dict[int, float]]:
    """Return for each row of `mine` the nearest rows of `theirs` with cosines of at least `cosine`, up to `most`."""
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
    """Return for each position its nearest partners with at least this cosine, up to `most`.

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
