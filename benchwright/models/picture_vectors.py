"""Vectors of whole pictures by a vision model of transformers (CLIP, DINOv2, SSCD), and their text form as values."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from benchwright.errors import PrerequisiteError
from benchwright.models.device_pixels import SUFFICIENT_RATIO, DevicePixels
from benchwright.models.devices import find_device, in_bfloat16
from benchwright.models.local_weights import weights_digest

if TYPE_CHECKING:
    import torch

_CLIP_MEAN, _CLIP_STD = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)

Vectors = NDArray[np.float32]
"""Vectors of shape (pictures, dimensions), each of length 1."""


class Preprocessing(NamedTuple):
    """Conversion of a picture to the model's input: resized to a square, then normalized."""

    side_px: int
    mean: tuple[float, ...]
    std: tuple[float, ...]

    @classmethod
    def of(cls, folder: Path) -> Preprocessing:
        """Read the preprocessing from a model's folder; the default mean and deviation are CLIP's."""
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        stated = folder / "preprocessor_config.json"
        own = json.loads(stated.read_text(encoding="utf-8")) if stated.is_file() else {}
        side = config.get("vision_config", config).get("image_size", 224)
        mean, std = own.get("image_mean", _CLIP_MEAN), own.get("image_std", _CLIP_STD)
        return cls(int(side), tuple(map(float, mean)), tuple(map(float, std)))

    @property
    def least_px(self) -> int:
        """Return the smallest shorter side, in pixels, at which a reduced picture may replace a larger one."""
        return SUFFICIENT_RATIO * self.side_px

    def batch(self, pictures: Sequence[NDArray[np.uint8]], place: str) -> torch.Tensor:
        """Return the input for pictures on a device, shape (pictures, 3, side, side); a GPU resizes them itself."""
        import torch

        if torch.device(place).type == "cpu":
            return torch.from_numpy(np.stack([self(picture) for picture in pictures]))
        return DevicePixels(self.mean, self.std).batch(pictures, (self.side_px, self.side_px), place)

    def __call__(self, pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return the input for one picture, shape (3, side, side)."""
        square = Image.fromarray(pixels).resize((self.side_px, self.side_px), Image.Resampling.BICUBIC)
        scaled = np.asarray(square, np.float32) / 255
        normal = (scaled - np.array(self.mean, np.float32)) / np.array(self.std, np.float32)
        return np.ascontiguousarray(normal.transpose(2, 0, 1), np.float32)


def picture_model_digest(folder: Path) -> str:
    """Return the digest of the files that determine a model's vectors: its weights and its JSON files.

    Raises:
        ValueError: The folder contains no such model.
    """
    weights = sorted(folder.glob("*.safetensors"))
    if not weights or not (folder / "config.json").is_file():
        raise ValueError(f"{folder} contains no model; it needs config.json and *.safetensors")
    return weights_digest(folder, [*weights, *sorted(folder.glob("*.json"))])


class PictureVectorModel(NamedTuple):
    """A loaded vision model.

    Args:
        model: The transformers model, on its device.
        prepare: Conversion of a picture to its input.
        place: The device's name in torch.
    """

    model: Any
    prepare: Preprocessing
    place: str

    def vectors(self, pictures: Sequence[NDArray[np.uint8]], *, in_half: bool = False) -> Vectors:
        """Return the vectors of pictures of shape (height, width, 3), like `embed`; all pictures form one batch."""
        return embed(self.model, self.prepare.batch(pictures, self.place), in_half=in_half)


def load_picture_model(folder: Path) -> PictureVectorModel:
    """Load a vision model from its folder, offline, on the first GPU if there is one.

    Raises:
        PrerequisiteError: torch or transformers is missing, or the folder contains no model that they can load.
    """
    try:
        import torch
        from safetensors import SafetensorError
        from transformers import AutoModel
    except ImportError as error:
        raise PrerequisiteError("vectors of pictures need models; pip install 'benchwright[models]'") from error
    try:
        model = AutoModel.from_pretrained(
            folder, use_safetensors=True, trust_remote_code=False, local_files_only=True, dtype=torch.float32
        )
    except (OSError, ValueError, KeyError, SafetensorError, RuntimeError) as error:
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise PrerequisiteError(f"{folder} cannot be loaded as a vision model: {first}") from error
    place = find_device(None).place
    return PictureVectorModel(model.to(place).eval(), Preprocessing.of(folder), place)


def embed(model: Any, inputs: NDArray[np.float32] | torch.Tensor, *, in_half: bool = False) -> Vectors:
    """Return the vectors of prepared pictures of shape (pictures, 3, side, side).

    Args:
        model: The transformers model, on its device.
        inputs: Prepared pictures.
        in_half: Whether a GPU may compute in bfloat16, which changes cosines by up to .01.
    """
    import torch

    with torch.inference_mode(), in_bfloat16(str(model.device) if in_half else "cpu"):
        pixels = torch.as_tensor(inputs).to(model.device)
        if hasattr(model, "get_image_features"):
            vectors = pooled(model.get_image_features(pixel_values=pixels))
        else:
            vectors = pooled(model(pixel_values=pixels))
        return np.asarray(torch.nn.functional.normalize(vectors.float(), dim=-1).cpu(), np.float32)


def pooled(output: Any) -> torch.Tensor:
    """Return one vector per picture from the output of a vision model of transformers."""
    for name in ("image_embeds", "pooler_output"):
        if getattr(output, name, None) is not None:
            vectors: torch.Tensor = getattr(output, name)
            return vectors
    hidden = getattr(output, "last_hidden_state", None)
    return output if hidden is None else hidden[:, 0]


def encode_vector(vector: NDArray[np.float32]) -> str:
    """Return a vector encoded as text, in half precision."""
    return base64.b64encode(vector.astype("<f2").tobytes()).decode("ascii")


def decode_vectors(texts: Sequence[str]) -> Vectors:
    """Return the vectors that `encode_vector` encoded, normalized to length 1."""
    vectors = np.stack([np.frombuffer(base64.b64decode(text), "<f2").astype(np.float32) for text in texts])
    unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)
    return unit
