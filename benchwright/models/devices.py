"""The device that a model runs on and the numbers it computes with, chosen alike by every step, helper and backend."""

from __future__ import annotations

import sys
from typing import Any, Literal, NamedTuple

from benchwright.errors import BenchwrightError, PrerequisiteError

Precision = Literal["auto", "float32", "float16", "bfloat16"]
_INSTALL = "pip install 'benchwright[models]' -c constraints.txt"


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


def find_device(wanted: str | None, precision: Precision = "float32") -> Device:
    """Return a device: the one that is wanted, else the first GPU, else the CPU.

    Args:
        wanted: Device that is wanted, such as `cuda:1` or `cpu`.
        precision: `auto` is bfloat16 on a GPU that can, float16 on another, float32 on the CPU.

    Raises:
        PrerequisiteError: torch is not installed, or there is no such device.
        BenchwrightError: `wanted` names no kind of device.
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
    """Let torch, where it is loaded, give back what it holds of a GPU's memory."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise PrerequisiteError(f"models on this machine need torch: {_INSTALL}") from error
    return torch
