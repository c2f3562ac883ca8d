"""The shared base of steps that estimate truths with a model: weights by path and digest, the device, and failures on
single pictures.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, PrivateAttr, ValidationInfo, model_validator

from benchwright.errors import PrerequisiteError
from benchwright.models.devices import find_device
from benchwright.models.local_weights import weights_on_this_machine
from benchwright.steps import FOLDER, Resources, Step

from ..manipulation.grounding.detectors import INSTALL, weights_of

BY_DIGEST = "sha256:"
BATCH_SIZE = 8
"""Number of inputs per batch if the settings do not state it."""
_SHA256 = re.compile(r"sha256:[0-9a-f]{64}")
Pixels = NDArray[np.uint8]
R = TypeVar("R")


class OpenedModel(NamedTuple):
    """A loaded model.

    Args:
        model: Model of transformers, on its device.
        processor: Processor of its input; None if none was requested.
        place: The device, as torch names it.
    """

    model: Any
    processor: Any
    place: str


class ModelStep(Step):
    """A step that estimates truths of pictures with a model; people decide on the items made from them.

    Class attributes:
        repository: Repository of the default model.
        estimator: Name of the kind of model, as stated in `estimated_by`.
        placed_under: Settings that can name a folder in place of that model, as messages word them.

    Args:
        weights: Folder of the model in the layout of transformers, relative to the recipe's folder; null for the
            default one if this machine has it. A run writes the digest of its files instead.
        batch_size: Largest number of inputs per batch of the model; null for 8, or 64 on a GPU if inputs are small
            pictures.
        device: Device, such as `cuda:0`; null for the first GPU, otherwise the CPU.
    """

    estimates: ClassVar[bool] = True
    resources: ClassVar[Resources] = Resources(memory_mb=2048, gpu_memory_mb=2000)
    repository: ClassVar[str]
    estimator: ClassVar[str]
    placed_under: ClassVar[str] = "`weights`"

    weights: str | None = Field(None, min_length=1)
    batch_size: int | None = Field(None, ge=1, le=1024)
    device: str | None = None
    _base: Path = PrivateAttr(Path())
    _sha256: str | None = PrivateAttr(None)

    @model_validator(mode="after")
    def _stand_beside_the_recipe(self, info: ValidationInfo) -> ModelStep:
        self._base = (info.context or {}).get(FOLDER, Path())
        return self

    def parameters(self) -> dict[str, Any]:
        """Return the settings, with the digest in place of the folder, and without the batch size and the device."""
        settings = self.model_dump(mode="json", exclude={"batch_size", "device"})
        return {**settings, "weights": f"{BY_DIGEST}{self.weights_sha256()}"}

    def lacks(self, before: Mapping[str, Step]) -> str | None:
        """Return a message if the weights are missing and the recipe names none, otherwise None."""
        del before
        if self.weights is not None:
            return None
        try:
            self.weights_folder()
        except PrerequisiteError as error:
            return str(error)
        return None

    def needs(self) -> Resources:
        """Return the resources that a worker needs; no GPU if the settings name the CPU."""
        return self.resources._replace(gpu_memory_mb=0) if self.device == "cpu" else self.resources

    def weights_hash(self) -> str | None:
        """Return the digest of the model's files.

        Raises:
            PrerequisiteError: The model is missing.
        """
        return self.weights_sha256()

    def weights_sha256(self) -> str:
        """Return the digest of the model's files, as hexadecimal digits.

        Raises:
            PrerequisiteError: The model is missing.
        """
        if self._sha256 is None:
            if self.weights is not None and (stated := stated_digest(self.weights)) is not None:
                self._sha256 = stated
            else:
                self._sha256 = weights_of(self.weights_folder())
        return self._sha256

    def weights_folder(self) -> Path:
        """Return the folder of the model.

        Raises:
            PrerequisiteError: The model is missing.
        """
        if self.weights is not None:
            return self.folder_at(self.weights)
        found = weights_on_this_machine(self.repository)
        if found is None:
            raise PrerequisiteError(
                f"step {self.name!r} needs the weights of {self.repository}, which this machine lacks; fetch them "
                f"with `hf download {self.repository}`, or name a folder under {self.placed_under}"
            )
        return found

    def folder_at(self, named: str) -> Path:
        """Return a folder named by the recipe.

        Raises:
            PrerequisiteError: The folder is missing, or only its digest is known.
        """
        if stated_digest(named) is not None:
            raise PrerequisiteError(f"step {self.name!r} knows {named} by digest only; give the folder")
        folder = self._base / named
        if not folder.is_dir():
            raise PrerequisiteError(f"step {self.name!r} needs the folder {named}, which does not exist")
        return folder

    def estimated_by(self) -> str:
        """Return the value of `estimated_by` in this step's truths."""
        return f"{self.estimator} {BY_DIGEST}{self.weights_sha256()}"


def stated_digest(named: str) -> str | None:
    """Return the hexadecimal digits of a digest that was given in place of a folder; None if a folder was given."""
    return named.removeprefix(BY_DIGEST) if _SHA256.fullmatch(named) else None


def open_model(
    folder: Path, architecture: str, *, model_type: str, device: str | None, processor: str | None = None
) -> OpenedModel:
    """Load a transformers model from a folder, and return it ready for estimation.

    Args:
        folder: Folder with `config.json` and `*.safetensors`.
        architecture: Class of transformers that loads it.
        model_type: Model type that `config.json` must state.
        device: Requested device; None for the first GPU, otherwise the CPU.
        processor: Class of transformers that loads the processor of its input.

    Raises:
        PrerequisiteError: Packages are missing, the folder contains no such model, or it cannot be loaded.
    """
    try:
        import torch  # noqa: F401
        import transformers
    except ImportError as error:
        raise PrerequisiteError(f"estimating needs torch and transformers: {INSTALL}") from error
    require_model_type(folder, model_type)
    where = find_device(device).place
    try:
        ready = None
        if processor is not None:
            ready = getattr(transformers, processor).from_pretrained(folder, local_files_only=True)
        load = getattr(transformers, architecture).from_pretrained
        model = load(folder, use_safetensors=True, trust_remote_code=False, local_files_only=True)
        return OpenedModel(model.float().to(where).eval(), ready, where)
    except (OSError, ValueError, RuntimeError) as error:
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise PrerequisiteError(f"{folder.name} cannot be loaded on {where}: {first[:200]}") from error


def require_model_type(folder: Path, model_type: str) -> None:
    """Check, by its `config.json`, that a folder contains a model of the given type.

    Raises:
        PrerequisiteError: The folder contains another model or none.
    """
    try:
        kind = json.loads((folder / "config.json").read_text(encoding="utf-8")).get("model_type")
    except (OSError, ValueError, AttributeError) as error:
        raise PrerequisiteError(f"{folder.name} contains no model: its config.json cannot be read") from error
    if kind != model_type:
        raise PrerequisiteError(f"{folder.name} contains a model of type {kind}, not {model_type}")
