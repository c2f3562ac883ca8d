"""A CLIP model in a folder: found, hashed, loaded through transformers. Nothing of it is unpickled or run."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.canonical import digest, file_digest
from benchwright.errors import PrerequisiteError

from .embeddings import Preprocessing, Vectors, embedded, pooled
from .image_classifier import INSTALL


def clip_hash(folder: Path) -> str:
    """Return the digest over names and contents of all files that decide what a model says.

    Raises:
        PrerequisiteError: The folder is not there, or holds no such model.
    """
    found = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    missing = [name for name in ("config.json", "tokenizer.json") if name not in found]
    if not any(name.endswith(".safetensors") for name in found):
        missing.append("*.safetensors")
    if missing:
        raise PrerequisiteError(
            f"{folder} holds no CLIP model: {', '.join(missing)} is missing (pickled weights are not loaded); download "
            "one whole, as `hf download ORG/NAME --local-dir FOLDER` does, and name that folder"
        )
    decide = sorted(name for name in found if name.endswith((".safetensors", ".json", ".txt")))
    return digest({name: file_digest(folder / name) for name in decide})


class Clip(NamedTuple):
    """A loaded model: embeds pictures and texts into one space."""

    model: Any
    tokenizer: Any
    prepare: Preprocessing

    def pictures(self, pixels: Sequence[NDArray[np.uint8]]) -> Vectors:
        """Return a vector of length 1 for each picture, (height, width, 3) RGB."""
        return embedded(self.model, np.stack([self.prepare(one) for one in pixels]))

    def texts(self, texts: Sequence[str]) -> Vectors:
        """Return a vector of length 1 for each text; what is longer than the model reads is cut."""
        import torch

        inputs = self.tokenizer(
            list(texts), padding="max_length", truncation=True, max_length=self._longest, return_tensors="pt"
        )
        with torch.inference_mode():
            found = pooled(self.model.get_text_features(**inputs.to(self.model.device)))
            return np.asarray(torch.nn.functional.normalize(found.float(), dim=-1).cpu(), np.float32)

    @property
    def _longest(self) -> int:
        return int(self.model.config.text_config.max_position_embeddings)


def load_clip(folder: Path, *, device: str | None) -> Clip:
    """Load a model from its folder, offline.

    Args:
        folder: As `clip_hash`.
        device: Such as `cuda:0`; the first GPU, else the CPU, where None.

    Raises:
        PrerequisiteError: transformers is not installed, or the folder holds no such model.
    """
    clip_hash(folder)
    if find_spec("transformers") is None or find_spec("torch") is None:
        raise PrerequisiteError(f"CLIP needs torch and transformers, which are not installed: {INSTALL}")
    import torch
    from transformers import AutoTokenizer, CLIPModel

    where = device or ("cuda:0" if torch.cuda.is_available() else "cpu")
    torch.set_num_threads(1)
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=False, local_files_only=True)
        model = CLIPModel.from_pretrained(
            folder, use_safetensors=True, local_files_only=True, dtype=torch.float32
        )  # fmt: skip
    except Exception as error:
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise PrerequisiteError(f"{folder} cannot be loaded as a CLIP model: {first}") from error
    return Clip(model.to(where).eval(), tokenizer, Preprocessing.of(folder))
