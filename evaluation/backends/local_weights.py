"""Finding, hashing and loading a vision-language model from a folder or the hub.

This module neither unpickles nor runs any file of the model.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchwright.errors import BenchwrightError, PrerequisiteError
from benchwright.models.devices import find_device
from benchwright.models.local_weights import weights_digest

_INSTALL = "pip install 'benchwright[models]' -c constraints.txt"
_HUB_NAME = re.compile(r"([A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*)(?:@([\w./-]+))?")
_DECIDES_REPLIES = ("*.safetensors", "*.json", "*.jinja", "*.model", "merges.txt", "vocab.txt")


@dataclass(frozen=True)
class ModelFiles:
    """The location and identity of a model's files.

    Args:
        folder: Folder with the files.
        name: Name in results, which is the same on every machine.
        sha256: Digest of the names and SHA-256 hashes of all files that affect replies.
        revision: Commit on the hub; None for a folder.
    """

    folder: Path
    name: str
    sha256: str
    revision: str | None


def find_weights(argument: str) -> Callable[[], ModelFiles]:
    """Return a function that finds a model's files, given a folder or a hub name ORG/NAME or ORG/NAME@REVISION.

    Downloading and hashing begin when the function is called.

    Raises:
        BenchwrightError: The argument is neither.
    """
    folder = Path(argument)
    if argument and folder.is_dir():
        return lambda: _weights(folder, folder.resolve().name, None)
    match = _HUB_NAME.fullmatch(argument)
    if match is None or argument.startswith((".", "/", "~")):
        raise BenchwrightError(
            f"folder {argument!r} does not exist; name a folder with a model's files, or a model of the hub as "
            "ORG/NAME or ORG/NAME@REVISION"
        )
    return lambda: _from_hub(match[1], match[2], argument)


def model_name(argument: str) -> str:
    """Return a model's name for results; for a folder, the name of the folder without its parents."""
    folder = Path(argument)
    return folder.resolve().name if folder.is_dir() else argument


def _weights(folder: Path, name: str, revision: str | None) -> ModelFiles:
    files = sorted({path for pattern in _DECIDES_REPLIES for path in folder.glob(pattern) if path.is_file()})
    if not any(path.suffix == ".safetensors" for path in files) or not (folder / "config.json").is_file():
        raise BenchwrightError(
            f"{folder} contains no model; it needs config.json and *.safetensors (pickled weights are not loaded)"
        )
    return ModelFiles(folder, name, weights_digest(folder, files), revision)


def _from_hub(repository: str, revision: str | None, argument: str) -> ModelFiles:
    require_extra()
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        folder = snapshot_download(repository, revision=revision, allow_patterns=list(_DECIDES_REPLIES))
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        first = str(error).strip().splitlines()[0]
        raise PrerequisiteError(
            f"model {argument!r} could not be fetched from the hub ({first}); check its name, revision and the "
            "network, or name a folder that contains it"
        ) from error
    return _weights(Path(folder), argument, Path(folder).name)


def require_extra() -> None:
    """Refuse to continue if the packages that run models are missing.

    Raises:
        PrerequisiteError: A package is missing; the message says how to install it.
    """
    from importlib.util import find_spec

    missing = [name for name in ("torch", "transformers") if find_spec(name) is None]
    if missing:
        raise PrerequisiteError(f"local models need {' and '.join(missing)}: {_INSTALL}")


@dataclass(frozen=True)
class LoadedModel:
    """A loaded model with the processor that converts words and pictures into model input, and model output into words.

    `sees` is true if it takes pictures; otherwise, the processor is the tokenizer.
    """

    model: Any
    processor: Any
    device: str
    dtype: str
    sees: bool = True


def load(weights: ModelFiles, *, device: str | None, dtype: str | None) -> LoadedModel:
    """Load a model for inference.

    Raises:
        PrerequisiteError: Packages are missing.
        BenchwrightError: The files are not those of a language model, or the device or dtype is invalid.
    """
    require_extra()
    import torch
    from transformers import (
        MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING,
        AutoConfig,
        AutoModelForCausalLM,
        AutoModelForImageTextToText,
        AutoProcessor,
        AutoTokenizer,
    )

    where = find_device(device).place
    numbers = "auto" if dtype is None else getattr(torch, dtype, None)
    if numbers != "auto" and not isinstance(numbers, torch.dtype):
        raise BenchwrightError(f"--dtype {dtype!r} is not a numeric type; give float32, float16 or bfloat16")
    try:
        ours: dict[str, Any] = {"trust_remote_code": False, "local_files_only": True}
        sees = type(AutoConfig.from_pretrained(weights.folder, **ours)) in MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING
        processor = (AutoProcessor if sees else AutoTokenizer).from_pretrained(weights.folder, **ours)
        kind = AutoModelForImageTextToText if sees else AutoModelForCausalLM
        model = kind.from_pretrained(weights.folder, dtype=numbers, use_safetensors=True, **ours)
        model = model.to(where).eval()
    except ImportError as error:  # some processors need more packages, such as torchvision
        raise PrerequisiteError(f"{weights.name} cannot be loaded: {_first_line(error)}") from error
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        first = _first_line(error)
        raise BenchwrightError(f"{weights.name} cannot be loaded on {where}: {first}") from error
    tokenizer = getattr(processor, "tokenizer", None) if sees else processor
    if tokenizer is None or getattr(processor, "chat_template", None) is None:
        raise BenchwrightError(f"{weights.name} has no tokenizer or no chat template; name a model tuned for chats")
    # Replies begin where prompts end, so padding goes before the prompts.
    tokenizer.padding_side = "left"
    return LoadedModel(model, processor, where, str(model.dtype).removeprefix("torch."), sees)


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
