"""Specialists with a learned model whose weights are on this machine, found by folder or repository name.

This module neither downloads nor unpickles files and runs no code of a model. It loads the model for the first question
that no earlier run has answered.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from benchwright.errors import PrerequisiteError
from benchwright.models.devices import find_device
from benchwright.models.local_weights import weights_digest, weights_on_this_machine

from ..local_weights import require_extra
from ..options import BackendOptions
from .base import BatchedSpecialist, Content

_DECIDES = (".safetensors", ".json", ".txt", ".model")


class ModelSpecialist(BatchedSpecialist[Content]):
    """A specialist that needs the weights of a model in the format of transformers or diffusers.

    Class attributes:
        repository: Repository of the default weights.
        needs: Names of files, at least one of which must be in the folder.

    Args:
        argument: Folder or repository of other weights; empty for the default ones.
        options: Options of the model, of which batch size and device are used.

    Raises:
        PrerequisiteError: Packages are missing, or the weights are not on this machine; the message says how to get
            them.
    """

    repository: ClassVar[str]
    needs: ClassVar[tuple[str, ...]] = ("config.json",)

    def __init__(self, argument: str, options: BackendOptions) -> None:
        super().__init__("", options)
        require_extra()
        self.folder = self._found(argument)
        if argument:
            named = self.folder.resolve().name if Path(argument).is_dir() else argument
            self.name = f"{type(self).name}:{named}"  # type: ignore[misc]
        self._device = options.device

    @property
    def identity(self) -> Mapping[str, Any]:
        """The hash of the weights."""
        return {"weights": self._sha256}

    @property
    def settings(self) -> Mapping[str, Any]:
        """The hash of the weights, the batch size and the device."""
        return {**self.identity, "batch_size": self._batch_size, "device": self._device or "auto"}

    @cached_property
    def opened(self) -> Any:
        """The loaded model, in the form that `load` returns.

        Raises:
            PrerequisiteError: The folder contains no such model, or the model cannot be loaded.
        """
        try:
            return self.load(self.place)
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            first = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise PrerequisiteError(f"{self.name}: {self.folder.name} cannot be loaded: {first[:200]}") from error

    @abstractmethod
    def load(self, place: str) -> Any:
        """Return the model from `folder`, loaded onto a device."""

    @property
    def place(self) -> str:
        """The device by its name in torch: the requested one, otherwise the first GPU, otherwise the CPU."""
        return find_device(self._device).place

    @cached_property
    def _sha256(self) -> str:
        files = [path for path in self.folder.rglob("*") if path.suffix in _DECIDES and path.is_file()]
        return weights_digest(self.folder, files)

    def _found(self, argument: str) -> Path:
        folder = Path(argument) if argument and Path(argument).is_dir() else None
        repository = argument or self.repository
        folder = folder or weights_on_this_machine(repository)
        if folder is None:
            raise PrerequisiteError(
                f"model {type(self).name!r} needs the weights of {repository}, which this machine lacks; fetch them "
                f"with `hf download {repository}`, or name a folder: {type(self).name}:FOLDER"
            )
        if not any((folder / name).is_file() for name in self.needs) or not any(folder.rglob("*.safetensors")):
            raise PrerequisiteError(
                f"{folder} contains no model for {type(self).name!r}: it needs {' or '.join(self.needs)} and "
                "*.safetensors (pickled weights are not loaded)"
            )
        return folder


def require_model_type(folder: Path, *kinds: str) -> None:
    """Check that a folder contains a model of one of several types, according to its `config.json`.

    Raises:
        PrerequisiteError: The folder contains a model of another type.
    """
    try:
        kind = json.loads((folder / "config.json").read_text(encoding="utf-8")).get("model_type")
    except (OSError, ValueError, AttributeError) as error:
        raise PrerequisiteError(f"{folder.name} contains no model: its config.json cannot be read") from error
    if kind not in kinds:
        raise PrerequisiteError(f"{folder.name} contains a model of type {kind}, not {' or '.join(kinds)}")
