"""Weights in a folder or file: found, hashed, never unpickled; and the words for whoever has none.

It also says where models run and in which precision.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from benchwright.canonical import digest, file_digest
from benchwright.errors import BenchwrightError, PrerequisiteError

Precision = Literal["auto", "float32", "float16", "bfloat16"]


class Device(NamedTuple):
    """A device that is there.

    Args:
        place: Device by torch's name, such as `cuda:0`.
        dtype: Numbers in which models are loaded.
    """

    place: str
    dtype: str

    @property
    def kind(self) -> str:
        """Return `cpu` or `cuda`."""
        return self.place.partition(":")[0]


def find_device(wanted: str | None, precision: Precision) -> Device:
    """Return a device: the one that is wanted, else the first GPU, else the CPU.

    Args:
        wanted: Device that is wanted, such as `cuda:1` or `cpu`.
        precision: `auto` is bfloat16 on a GPU that can, float16 on another, float32 on the CPU.

    Raises:
        PrerequisiteError: torch is not installed, or there is no such device.
    """
    torch = _torch()
    place = wanted or ("cuda:0" if torch.cuda.is_available() else "cpu")
    try:
        kind = torch.device(place).type
    except RuntimeError as error:
        raise BenchwrightError(f"device {place!r} is none; give cpu or cuda:0") from error
    if kind == "cuda" and not torch.cuda.is_available():
        raise PrerequisiteError(f"device {place!r} is wanted, and torch sees no GPU here; leave `device` out")
    if precision != "auto":
        return Device(place, precision)
    if kind != "cuda":
        return Device(place, "float32")
    return Device(place, "bfloat16" if torch.cuda.is_bf16_supported() else "float16")


def free_memory() -> None:
    """Let torch give back what it holds of a GPU's memory."""
    torch = _torch()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise PrerequisiteError(
            "models that edit images need torch: pip install 'benchwright[models]' -c constraints.txt"
        ) from error
    return torch


BY_DIGEST = re.compile(r"sha256:([0-9a-f]{64})")
_DECIDES = (".safetensors", ".json", ".txt", ".model", ".jinja")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_DOWNLOADED = Path(".cache/huggingface/download")
"""Where `hf download --local-dir` notes what it fetched."""


class Weights(NamedTuple):
    """Weights that are there.

    Args:
        path: A folder, or the file of a checkpoint.
        sha256: Over names and SHA-256 of all files that decide what the model says.
        revision: The hub's commit, where the folder tells it.
    """

    path: Path
    sha256: str
    revision: str | None


def find_weights(path: Path, *, purpose: str, fetch: str, needs: str, otherwise: str = "") -> Weights:
    """Return the weights at a path.

    Args:
        path: A folder or a file.
        purpose: What they are for, in the words of a message.
        fetch: The command that fetches them.
        needs: A file that a folder of the kind must have.
        otherwise: What else one can do, in the words of a message.

    Raises:
        PrerequisiteError: There are none; says which to fetch and how.
    """
    get = f"fetch them with `{fetch}` and name that place{otherwise}"
    if not path.exists():
        raise PrerequisiteError(f"{purpose} need weights, and there is nothing at {path}; {get}")
    if path.is_file():
        return Weights(path, _hash_of_file(path, path.stat().st_size, path.stat().st_mtime_ns), None)
    files = _files(path)
    missing = [] if (path / needs).is_file() else [needs]
    if not any(file.suffix == ".safetensors" for file in files):
        missing.append("*.safetensors (pickled weights are not loaded)")
    if missing:
        raise PrerequisiteError(f"{purpose} need weights, and {path} lacks {' and '.join(missing)}; {get}")
    seen = tuple((file.stat().st_size, file.stat().st_mtime_ns) for file in files)
    return Weights(path, _hash_of_folder(path, tuple(files), seen), _revision(path, needs))


def _files(folder: Path) -> list[Path]:
    return sorted(
        path
        for path in folder.rglob("*")
        if path.suffix in _DECIDES and path.is_file() and ".cache" not in path.relative_to(folder).parts
    )


# Weights of many gigabytes are asked for by each stage and worker; size and time tell whether they are still the same.
@lru_cache(maxsize=32)
def _hash_of_file(path: Path, size: int, changed_ns: int) -> str:
    del size, changed_ns
    return file_digest(path)


@lru_cache(maxsize=32)
def _hash_of_folder(folder: Path, files: tuple[Path, ...], seen: tuple[tuple[int, int], ...]) -> str:
    del seen
    return digest({path.relative_to(folder).as_posix(): file_digest(path) for path in files})


def _revision(folder: Path, needs: str) -> str | None:
    """Return the commit that the hub's own tools noted beside the files, if they did."""
    note = folder / _DOWNLOADED / f"{needs}.metadata"
    for word in (folder.resolve().name, note.read_text(encoding="utf-8").partition("\n")[0] if note.is_file() else ""):
        if _COMMIT.fullmatch(word.strip()):
            return word.strip()
    return None
