"""A sentence model in a folder: texts with similar meanings, in any of its languages, get nearby vectors.

The folder is that of a model of transformers (`config.json`, `*.safetensors`, a tokenizer), such as those for the
library sentence-transformers, whose `1_Pooling/config.json` is respected if present. No file of the folder is
unpickled, and none of its code runs.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.errors import PrerequisiteError
from benchwright.models.devices import find_device
from benchwright.models.local_weights import weights_digest

from .image_classifier import INSTALL

_BATCH = 32
_MOST_TOKENS = 256
_POOLING = Path("1_Pooling") / "config.json"


class SentenceModel(NamedTuple):
    """A loaded model.

    Args:
        digest: Digest of the files that determine the model's output.
        model: The transformers model, on its device.
        tokenizer: Tokenizer of the model.
        of_first: Whether a text's vector is that of its first token; otherwise it is the mean over its tokens.
    """

    digest: str
    model: Any
    tokenizer: Any
    of_first: bool

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vector of each text, shape (texts, dimensions), scaled to length 1, from its first 256 tokens."""
        found = [self._batch(list(texts[at : at + _BATCH])) for at in range(0, len(texts), _BATCH)]
        return np.concatenate(found) if found else np.zeros((0, 1), np.float32)

    def _batch(self, texts: list[str]) -> NDArray[np.float32]:
        import torch

        inputs = self.tokenizer(texts, padding=True, truncation=True, max_length=_MOST_TOKENS, return_tensors="pt")
        with torch.inference_mode():
            states = self.model(**inputs.to(self.model.device)).last_hidden_state.float()
        mask = inputs["attention_mask"].unsqueeze(-1).float()
        pooled = states[:, 0] if self.of_first else (states * mask).sum(1) / mask.sum(1).clamp(min=1)
        return np.asarray(torch.nn.functional.normalize(pooled, dim=-1).cpu().numpy(), np.float32)


def load_sentences(folder: Path, *, device: str | None = None) -> SentenceModel:
    """Load a model from its folder, offline.

    Args:
        folder: Folder of the model.
        device: Device, such as `cuda:0`; None for the first GPU, or for the CPU if there is no GPU.

    Raises:
        PrerequisiteError: transformers is not installed, or the folder contains no such model.
    """
    files = sorted({*folder.glob("*.safetensors"), *folder.glob("*.json"), *folder.glob("*.txt")})
    missing = [name for name in ("config.json", "*.safetensors") if not list(folder.glob(name))]
    if missing:
        raise PrerequisiteError(
            f"{folder} contains no sentence model: {', '.join(missing)} is missing (pickled weights are not loaded); "
            "download a model into it, for example with `hf download ORG/NAME --local-dir FOLDER`"
        )
    if find_spec("transformers") is None or find_spec("torch") is None:
        raise PrerequisiteError(f"comparing sentences needs torch and transformers, which are not installed: {INSTALL}")
    import torch
    from safetensors import SafetensorError
    from transformers import AutoModel, AutoTokenizer

    torch.set_num_threads(1)
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=False, local_files_only=True)
        model, loaded = AutoModel.from_pretrained(
            folder, use_safetensors=True, trust_remote_code=False, local_files_only=True, output_loading_info=True
        )
        of_first = (folder / _POOLING).is_file() and bool(
            json.loads((folder / _POOLING).read_text(encoding="utf-8")).get("pooling_mode_cls_token")
        )
    except (OSError, ValueError, ImportError, KeyError, AttributeError, SafetensorError, RuntimeError) as error:
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise PrerequisiteError(f"{folder} cannot be loaded as a sentence model: {first}") from error
    if lost := sorted(key for key in loaded["missing_keys"] if "pooler" not in key):
        raise PrerequisiteError(
            f"the weights in {folder} lack {len(lost)} that its config.json requires, such as {lost[0]}; download "
            "the whole model"
        )
    if getattr(model.config, "is_encoder_decoder", False):
        raise PrerequisiteError(
            f"{folder} contains an encoder with a decoder, not a sentence model; name the folder of a sentence model"
        )
    digest = weights_digest(folder, files)
    return SentenceModel(digest, model.to(find_device(device).place).eval(), tokenizer, of_first)
