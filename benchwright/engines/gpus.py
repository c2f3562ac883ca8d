"""The GPUs of this machine and their free memory, from the driver's own program `nvidia-smi`.

A supervisor of workers therefore does not need to import torch, and uses no GPU memory.
"""

from __future__ import annotations

import os
import subprocess

_ANSWER_WITHIN_S = 20


def visible_gpus() -> list[str]:
    """Return the GPUs that this process may use, as `CUDA_VISIBLE_DEVICES` names them; all GPUs if it is not set.

    If it is not set, GPUs are named by their UUIDs, because CUDA and the driver may number them differently.
    """
    named = os.environ.get("CUDA_VISIBLE_DEVICES")
    if named is None:
        return [line for line in _asked("--query-gpu=uuid") if line.startswith(("GPU-", "MIG-"))]
    gpus: list[str] = []
    for gpu in (part.strip() for part in named.split(",")):
        if not gpu or gpu == "-1":  # CUDA ignores all entries after such a one
            break
        gpus.append(gpu)
    return gpus


def free_gpu_memory_mb(gpu: str | None = None) -> int | None:
    """Return the free memory of a GPU in MiB; None if there is no GPU.

    Args:
        gpu: The GPU, as `visible_gpus` names it; None for the first GPU that this process may use, on which models are
            placed unless a setting names another one.
    """
    if gpu is None:
        visible = os.environ.get("CUDA_VISIBLE_DEVICES", "0").partition(",")[0].strip()
        gpu = "" if visible == "-1" else visible
    if not gpu:
        return None
    first = next(iter(_asked(f"--id={gpu}", "--query-gpu=memory.free")), "")
    return int(first) if first.isdigit() else None


def _asked(*question: str) -> list[str]:
    """Return the lines that the driver's program prints; empty if there is no driver."""
    command = ["nvidia-smi", *question, "--format=csv,noheader,nounits"]
    try:
        answer = subprocess.run(  # noqa: S603 - the driver's own program
            command, capture_output=True, text=True, timeout=_ANSWER_WITHIN_S, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return [line.strip() for line in answer.stdout.splitlines()]
