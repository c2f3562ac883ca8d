"""Steps with a setting `model` that names a folder; a run writes the digest of its files instead."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pydantic import PrivateAttr, ValidationInfo, model_validator

from benchwright.errors import PrerequisiteError
from benchwright.steps import FOLDER, Step

_BY_DIGEST = re.compile(r"sha256:([0-9a-f]{64})")


class WithModel(Step):
    """A step whose setting `model` names a folder, relative to the recipe's."""

    model: str
    _folder: Path | None = PrivateAttr(None)

    @model_validator(mode="after")
    def _place(self, info: ValidationInfo) -> WithModel:
        if not _BY_DIGEST.fullmatch(self.model):
            self._folder = (info.context or {}).get(FOLDER, Path()) / self.model
        return self

    @staticmethod
    def hash_of(folder: Path) -> str:
        """Return the digest of the files that decide a model's output.

        Raises:
            PrerequisiteError: The folder holds no such model.
        """
        raise NotImplementedError

    def weights_hash(self) -> str:
        """Return the digest of the model's files, so that another model measures everything again.

        Raises:
            PrerequisiteError: There is no such model.
        """
        known = _BY_DIGEST.fullmatch(self.model)
        return known[1] if known else self.hash_of(self.folder())

    def folder(self) -> Path:
        """Return the folder of the model's files.

        Raises:
            PrerequisiteError: Only their digest is known.
        """
        if self._folder is None:
            raise PrerequisiteError(f"the model {self.model} is known by digest only; run the recipe with its folder")
        return self._folder

    def share_folder_with(self, other: WithModel) -> None:
        """Give a part of this step the folder of the model."""
        other._folder = self._folder

    def parameters(self) -> dict[str, Any]:
        """Return the settings with the model's digest instead of its folder."""
        return {**super().parameters(), "model": f"sha256:{self.weights_hash()}"}
