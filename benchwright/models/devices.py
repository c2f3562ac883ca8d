"""The device and number format of a model: one rule for all steps, helpers and backends."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Literal, NamedTuple

from benchwright.errors import BenchwrightError, PrerequisiteError

Precision = Literal["auto", "float32", "float16", "bfloat16"]
_INSTALL = "pip install 'benchwright[models]' -c constraints.txt"


class Device(NamedTuple):
    """An available device.

    Args:
        place: The device's name in torch, such as `cuda:0`.
        dtype: Number format in which models are loaded.
    """

    place: str
    dtype: str

    @property
    def kind(self) -> str:
        """Return the kind of the device, `cpu` or `cuda`."""
        return self.place.partition(":")[0]


def find_device(wanted: str | None, precision: Precision = "float32") -> Device:
    """Return a device: the requested one, or else the first GPU, or else the CPU.

    Args:
        wanted: Requested device, such as `cuda:1` or `cpu`.
        precision: `auto` is bfloat16 on a GPU that supports it, float16 on other GPUs, and float32 on the CPU.

    Raises:
        PrerequisiteError: torch is not installed, or the device is missing.
        BenchwrightError: `wanted` is not a kind of device.
    """
    torch = _torch()
    place = wanted or ("cuda:0" if torch.cuda.is_available() else "cpu")
    try:
        kind = torch.device(place).type
    except RuntimeError as error:
        raise BenchwrightError(f"{place!r} is not a device; give cpu or cuda:0") from error
    if kind == "cuda" and not torch.cuda.is_available():
        raise PrerequisiteError(f"device {place!r} is requested, but torch sees no GPU here; leave `device` out")
    if precision != "auto":
        return Device(place, precision)
    if kind != "cuda":
        return Device(place, "float32")
    return Device(place, "bfloat16" if torch.cuda.is_bf16_supported() else "float16")


def free_memory() -> None:
    """Make torch, if it is loaded, release its cached GPU memory."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()


@contextmanager
def own_stream() -> Iterator[None]:
    """Give this thread its own queue of GPU work, so that its copies overlap with other threads' work."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        yield
        return
    with torch.cuda.stream(torch.cuda.Stream()):
        yield


def wait_for_device() -> None:
    """Wait until the GPU, if torch uses one, has finished all its work."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.synchronize()


def is_lost(error: BaseException) -> bool:
    """Return whether an exception from torch means that this process can no longer compute on its GPU."""
    return type(error).__name__ == "AcceleratorError" or "CUDA error" in str(error)


def allow_tf32() -> None:
    """Let GPUs round the factors of float32 products to 11 bits (TF32) for the rest of this process; loads torch.

    This is about eight times as fast, and changes an estimate by about a thousandth. The setting cannot be changed
    temporarily, because threads share it and results would depend on their order.
    """
    if (torch := sys.modules.get("torch")) is not None:
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True


def in_bfloat16(place: str) -> AbstractContextManager[Any]:
    """Return a context in which networks multiply in bfloat16 on GPUs that support it, and compute as usual otherwise.

    Sums and norms stay in float32. Use it for results on which later rounding or review has more effect than this
    change.
    """
    torch = _torch()
    device = torch.device(place)
    is_able = device.type == "cuda" and torch.cuda.is_bf16_supported()
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=is_able)  # type: ignore[no-any-return]


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise PrerequisiteError(f"models on this machine need torch: {_INSTALL}") from error
    return torch
