"""Steps with a setting `model` that names a folder; runs record the digest of its files instead."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pydantic import PrivateAttr, ValidationInfo, model_validator

from benchwright.errors import PrerequisiteError
from benchwright.steps import FOLDER, Step

_BY_DIGEST = re.compile(r"sha256:([0-9a-f]{64})")


_FolderFacts = tuple[tuple[str, int, int], ...]
"""Name, size and modification time of each file: if they are unchanged, so are the files."""


def _facts_of(folder: Path) -> _FolderFacts:
    files = sorted(path for path in folder.iterdir() if path.is_file()) if folder.is_dir() else []
    return tuple((path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in files)


class WithModel(Step):
    """A step whose setting `model` names a folder, relative to the recipe's folder."""

    model: str
    _folder: Path | None = PrivateAttr(None)
    _hashed: tuple[_FolderFacts, str] | None = PrivateAttr(None)

    @model_validator(mode="after")
    def _place(self, info: ValidationInfo) -> WithModel:
        if not _BY_DIGEST.fullmatch(self.model):
            self._folder = (info.context or {}).get(FOLDER, Path()) / self.model
        return self

    @staticmethod
    def hash_of(folder: Path) -> str:
        """Return the digest of the files that determine a model's output.

        Raises:
            PrerequisiteError: The folder contains no such model.
        """
        raise NotImplementedError

    def weights_hash(self) -> str:
        """Return the digest of the model's files, so that another model measures everything again.

        Raises:
            PrerequisiteError: No such model exists.
        """
        if known := _BY_DIGEST.fullmatch(self.model):
            return known[1]
        facts = _facts_of(self.folder())
        if self._hashed is None or self._hashed[0] != facts:
            self._hashed = facts, self.hash_of(self.folder())
        return self._hashed[1]  # workers get it with the step, and need not read gigabytes for it

    def folder(self) -> Path:
        """Return the folder of the model's files.

        Raises:
            PrerequisiteError: Only the digest of the files is known.
        """
        if self._folder is None:
            raise PrerequisiteError(
                f"only the digest of the model {self.model} is known; run the recipe with its folder"
            )
        return self._folder

    def share_folder_with(self, other: WithModel) -> None:
        """Give a part of this step the model's folder."""
        other._folder = self._folder

    def parameters(self) -> dict[str, Any]:
        """Return the settings with the model's digest instead of its folder."""
        return {**super().parameters(), "model": f"sha256:{self.weights_hash()}"}
